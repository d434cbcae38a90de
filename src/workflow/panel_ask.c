/* What a panel is asked for, by the mail that its job was shown. */
#include "workflow/panel_ask.h"
#include "base/file.h"
#include "base/json.h"
#include "engine/mail_load.h"
#include "mail/msgid.h"
#include "workflow/artifact_place.h"
#include "workflow/panel_return.h"

bool
panel_mail_read(Engine *engine,
                const char *role,
                const char *text,
                PanelRow **ret,
                PanelMembers **ret_members,
                GError **error)
{
    g_autoptr(json_t) doc = NULL;
    g_autoptr(GPtrArray) members = g_ptr_array_new();
    const char *content;
    PanelAsk ask = {.name = role, .subject = ""};

    if (!json_parse(text, strlen(text), 0, &doc, error) ||
        !json_get_string(doc, "", "subject", &ask.subject, error) ||
        !json_get_string(doc, "", "content", &content, error) ||
        !json_find_string(doc, "", "primary", &ask.primary, error) ||
        !json_find_string(doc, "", "rule", &ask.rule, error) ||
        !json_find_string(doc, "", "sections", &ask.sections, error) ||
        !json_find_string(doc, "", "path", &ask.path, error) ||
        !json_get_int(doc, "", "quorum", -1, INT64_MAX, &ask.quorum, error) ||
        !json_get_int(doc, "", "discuss", -1, 3, &ask.discuss, error) ||
        !json_get_int(doc, "", "deadline_us", -1, INT64_MAX, &ask.deadline_us, error) ||
        !json_get_bool(doc, "", "usual", &ask.usual, error) ||
        !json_get_bool(doc, "", "advice", &ask.advice, error))
        return false;
    const json_t *names = json_object_get(doc, "members");
    for (size_t i = 0; i < json_array_size(names); i++)
        g_ptr_array_add(members, (char *)json_string_value(json_array_get(names, i)));
    g_ptr_array_add(members, NULL);
    ask.members = members->len < 2 ? NULL : (const char *const *)members->pdata;
    if (!panel_terms(engine, &ask, ret, ret_members, error))
        return false;
    (*ret)->content = g_bytes_new(content, strlen(content));
    return true;
}

/* The bytes that are under review, and no others. */
static bool
read_artifact(Engine *engine, const char *name, GBytes **ret, char **ret_digest, GError **error)
{
    g_auto(ArtifactPlace) place = {0};
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(Artifact) a = NULL;
    g_autoptr(Cycle) c = NULL;

    if (!artifact_place_find(engine, name, &place, error) ||
        !artifact_find(engine->db, name, &a, error) ||
        !cycle_load(engine->db, a ? a->cycle : (CycleId){0}, &c, error))
        return false;
    auto_fd root = dir_open(place.root, error);
    if (root < 0 || !file_read(root, place.path, PANEL_CONTENT_MAX + 1, &bytes, error))
        return err_prefix(error, "'%s'", place.path);
    if (!bytes || !panel_check_content(bytes, error))
        return bytes ? err_prefix(error, "'%s'", place.path)
                     : err_set(error, ERR_NEVER, "there is no '%s'", place.path);
    g_autofree char *digest = digest_hex_of(bytes);
    if (c && !g_str_equal(c->digest, digest))
        return err_set(error, ERR_NEVER,
                       "'%s' is not what was sent for review: it has the digest %s now, and had "
                       "%s. A status-update of its author makes these bytes those under review",
                       place.path, digest, c->digest);
    *ret = g_steal_pointer(&bytes);
    *ret_digest = g_steal_pointer(&digest);
    return true;
}

bool
panel_ask_request(Engine *engine,
             const char *role,
             const FlowEvent *e,
             PanelRow **ret,
             PanelMembers **ret_members,
             GError **error)
{
    g_autofree char *base = g_path_get_basename(e->name);
    const PanelAsk ask = {.name = role,
                          .subject = base,
                          .quorum = -1,
                          .discuss = -1,
                          .deadline_us = -1};
    g_autoptr(PanelRow) p = NULL;
    g_autoptr(PanelMembers) members = NULL;

    if (!panel_terms(engine, &ask, &p, &members, error) ||
        !read_artifact(engine, e->name, &p->content, &p->digest, error))
        return false;
    g_free(p->artifact);
    p->artifact = g_strdup(e->name);
    p->cycle = e->cycle.v;
    *ret = g_steal_pointer(&p);
    *ret_members = g_steal_pointer(&members);
    return true;
}

/* An event of ours that the store does not know: the store was lost with it. */
static bool
is_lost(Engine *engine, const MsgRow *row, const FlowEvent *e)
{
    Minted minted;
    return !e && msgid_read(&engine->home->key, row->msgid, engine->home->config->domain, &minted) &&
           minted.kind == MAIL_EVENT;
}

/* What came back to a panel that wrote; a rejection goes before a question. *ret NULL: nothing did. */
static bool
read_returned(JobSession *s, PanelRow **ret, PanelMembers **ret_members, GError **error)
{
    *ret = NULL;
    LIST_EACH(const MsgRow, row, s->in.shown) {
        g_autoptr(FlowEvent) e = NULL;
        g_autoptr(PanelRow) p = NULL;
        g_autoptr(PanelMembers) members = NULL;
        if (!flow_event_find(s->engine->db, row->msgid, &e, error) ||
            (e && !panel_return_read(s, row, e, &p, &members, error)))
            return false;
        if (!p || (*ret && panel_answers(p)))
            continue;
        panel_row_free(*ret);
        panel_members_free(*ret_members);
        *ret = g_steal_pointer(&p);
        *ret_members = g_steal_pointer(&members);
    }
    return true;
}

/* *ret NULL: no panel is asked for. */
static bool
read_ask(JobSession *s, PanelRow **ret, PanelMembers **ret_members, GError **error)
{
    Engine *engine = s->engine;
    g_autoptr(FlowEvent) e = NULL;
    g_autoptr(Message) m = NULL;

    *ret = NULL;
    LIST_EACH(const MsgRow, row, s->in.shown) {
        g_clear_pointer(&e, flow_event_free);
        if (!flow_event_find(engine->db, row->msgid, &e, error))
            return false;
        if (e && g_str_equal(e->type, "review-request") && *e->name)
            return panel_ask_request(engine, s->job->role, e, ret, ret_members, error);
        if (is_lost(engine, row, e))
            return err_set(error, ERR_DAMAGE,
                           "its review is void, since the store that knew it was lost. Send the "
                           "review-request again, and the members are asked anew");
        if (row->trust != TRUST_OPERATOR)
            continue;
        g_clear_pointer(&m, message_free);
        if (!mail_load(engine, row, MESSAGE_TEXT, &m, error))
            return false;
        if (m && m->text && g_str_has_prefix(m->text, "{"))
            return panel_mail_read(engine, s->job->role, m->text, ret, ret_members, error);
    }
    return read_returned(s, ret, ret_members, error);
}

bool
panel_ask_read(
    JobSession *s, bool over, PanelRow **ret, PanelMembers **ret_members, GError **error)
{
    return (over ? read_returned : read_ask)(s, ret, ret_members, error);
}
