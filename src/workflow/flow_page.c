#include "workflow/flow_page.h"
#include "base/file.h"
#include "base/limits.h"
#include "engine/mail_load.h"
#include "workflow/artifact_place.h"
#include "workflow/event_kind.h"
#include "workflow/panel_space.h"

/* The artifact of an event as it is now; what can't be read is said. */
static bool
show_artifact(Engine *engine, const char *name, Context *c, GError **error)
{
    g_auto(ArtifactPlace) p = {0};
    g_autoptr(Artifact) a = NULL;
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GError) why = NULL;

    if (!artifact_find(engine->db, name, &a, error))
        return false;
    bool found = artifact_place_find(engine, name, &p, &why);
    auto_fd root = found ? dir_open(p.root, &why) : -1;
    if (root < 0 || !file_read(root, p.path, LIMIT_MESSAGE_BYTES, &bytes, &why) || !bytes) {
        g_autofree char *line = g_strdup_printf("The artifact '%s' can't be shown: %s.\n", name,
                                                why ? why->message : "it is gone");
        context_say(c, line);
        return true;
    }
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    Digest d;
    digest_of(data, len, &d);
    g_autofree char *hex = digest_hex(&d), *text = text_valid_bytes(bytes);
    g_autofree char *title =
        g_strdup_printf("ARTIFACT %s, state %s, digest %s", p.path, a ? a->state : "unknown", hex);
    context_show_cut(c, title, "", text);
    return true;
}

static bool
show_artifacts(Engine *engine, const StepInput *in, Context *c, GError **error)
{
    g_autoptr(GHashTable) shown =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    LIST_EACH(const MsgRow, row, in->shown) {
        g_autoptr(FlowEvent) e = NULL;
        if (!flow_event_find(engine->db, row->msgid, &e, error))
            return false;
        if (e && *e->name && g_hash_table_add(shown, g_strdup(e->name)) &&
            !show_artifact(engine, e->name, c, error))
            return false;
    }
    return true;
}

/* Status-updates that joined this round, in the order in which they came. */
static bool
show_updates(Engine *engine, const Job *job, Context *c, GError **error)
{
    const MsgQuery q = {.job = job->id, .taken_in = true, .oldest_first = true, .limit = 50};
    g_autoptr(MsgRows) rows = NULL;

    if (!messages_list(engine->db, &VIEWER_OF(job->role), &q, &rows, error))
        return false;
    LIST_EACH(const MsgRow, row, rows) {
        g_autoptr(Message) m = NULL;
        if (row->class != MSG_EVENT || row->round != job->round)
            continue;
        if (!mail_load(engine, row, MESSAGE_TEXT, &m, error))
            return false;
        g_autofree char *title = g_strdup_printf("STATUS UPDATE of %s", row->from);
        g_autofree char *text =
            g_strdup_printf("Subject: %s\n\n%s", row->subject, m && m->text ? m->text : "");
        context_show_cut(c, title, row->msgid, text);
    }
    return true;
}

bool
flow_only_tells(Engine *engine, const StepInput *in, bool *ret, GError **error)
{
    *ret = in->shown->len > 0;
    LIST_EACH(const MsgRow, row, in->shown) {
        bool tells;
        if (!flow_tells(engine, row, &tells, error))
            return false;
        *ret &= tells;
    }
    return true;
}

/* Who was only told need not answer, and does not know it. */
static bool
say_told(Engine *engine, const StepInput *in, Context *c, GError **error)
{
    bool told;

    if (!flow_only_tells(engine, in, &told, error))
        return false;
    if (told)
        context_say(
            c, "Nobody waits for a word about this mail: where there is nothing for you to do, "
               "you are done.\n");
    return true;
}

bool
flow_page(Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error)
{
    if (!*engine->home->config->workflow_root)
        return true;
    context_reserve(c, context_room(c) / 2);
    bool ok = show_artifacts(engine, in, c, error) && show_updates(engine, job, c, error) &&
              say_told(engine, in, c, error);
    context_reserve(c, 0);
    return ok;
}

bool
flow_tells(Engine *engine, const MsgRow *row, bool *ret, GError **error)
{
    g_autoptr(FlowEvent) e = NULL;
    EventType type;

    *ret = false;
    if (!*engine->home->config->workflow_root)
        return true;
    if (!flow_event_find(engine->db, row->msgid, &e, error))
        return false;
    *ret = e && event_type_parse(e->type, &type, NULL) && event_kinds[type].tells;
    return true;
}

bool
flow_waits(Engine *engine, const MsgNew *in, bool *ret, GError **error)
{
    g_autoptr(FlowEvent) e = NULL;

    *ret = in->trust >= TRUST_ROLE && panel_space_is_word(engine, in);
    if (*ret || !*engine->home->config->workflow_root || in->trust < TRUST_ROLE)
        return true;
    if (!flow_event_find(engine->db, in->mail->id, &e, error))
        return false;
    *ret = e && g_str_equal(e->type, event_kinds[EVENT_STATUS_UPDATE].name);
    return true;
}
