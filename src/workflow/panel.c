#include "workflow/panel.h"
#include "base/file.h"
#include "base/json.h"
#include "engine/wall/wall.h"
#include "store/job/role_rows.h"
#include "store/job/timers.h"
#include "workflow/artifact_place.h"

#define INSTRUCTIONS_MAX (32u << 10)
#define DEADLINE_US (24 * 3600 * USEC_PER_SEC)

static const char usual_instructions[] =
    "You are a reviewer on a panel. You judge alone: you were not there when this was written, you have seen no mail about\n"
    "it, and nobody has told you what to think of it. Judge what is in front of you, and nothing else: is it right, is it\n"
    "complete, is it clear, and can whoever comes next work from it? Look for what was not thought of.\n\n"
    "approve: it may go on as it is. revise: it must change first, and you say what. reject: it is wrong as a whole.\n"
    "abstain: you can't judge it. A finding that must be mended before it goes on is a blocker.\n";

/* --- who is on it --- */

static const char *
brain_of(const Config *config, const char *name, bool usual, char **ret_note, GError **error)
{
    const ConfRole *role = config_role(config, name);
    const char *brain = role ? role->brain : name;

    *ret_note = NULL;
    if (role && (role->person || !*role->brain)) {
        (void)err_set(error, ERR_NEVER, "'%s' has no brain: members of a panel are asked alone",
                      name);
        return NULL;
    }
    const ConfBrain *found = config_brain(config, brain);
    const ConfBrain *in_place = found ? config_stand_in(config, found) : NULL;
    if (in_place != found)
        *ret_note = g_strdup_printf("no key for [brain %s]: asked is '%s'", brain, in_place->name);
    if (found)
        return in_place->name;
    if (usual && config_brain(config, "default")) {
        *ret_note = g_strdup_printf("no [brain %s]: asked is 'default'", name);
        return "default";
    }
    (void)err_set(error, ERR_NEVER, "member '%s': there is no role or brain of this name", name);
    return NULL;
}

/* A program has a wall, or this is advice only. */
static bool
check_wall(const ConfBrain *brain, bool advice, PanelMember *m, GError **error)
{
    const char *lacks = config_is_program(brain) ? wall_lacks_apart() : NULL;

    if (!lacks)
        return true;
    if (!advice)
        return err_set(error, ERR_CONFIG,
                       "member '%s' is a program, and would have no wall: %s. Members that are "
                       "models need none; 'walls = advice' lets it work without one",
                       m->name, lacks);
    g_autofree char *before = m->note;
    m->note = g_strdup_printf("%s%sno wall: %s", before, *before ? "; " : "", lacks);
    return true;
}

static bool
add_member(Engine *engine,
           PanelMembers *all,
           const char *name,
           bool usual,
           bool advice,
           GError **error)
{
    const Config *config = engine->home->config;
    g_autofree char *note = NULL;
    const char *brain = brain_of(config, name, usual, &note, error);

    if (!brain)
        return false;
    PanelMember *m = g_new0(PanelMember, 1);
    *m = (PanelMember){.n = all->len,
                       .name = g_strdup(name),
                       .brain = g_strdup(brain),
                       .model = g_strdup(config_brain(config, brain)->model),
                       .note = note ? g_steal_pointer(&note) : g_strdup("")};
    panel_members_add(all, m);
    return check_wall(config_brain(config, brain), advice, m, error);
}

/* --- its terms --- */

static bool
read_instructions(Engine *engine, const ConfPanel *conf, char **ret, GError **error)
{
    g_autoptr(GBytes) file = NULL;

    if (!conf || !*conf->instructions) {
        *ret = g_strdup(usual_instructions);
        return true;
    }
    if (!file_read(engine->home->fd, conf->instructions, INSTRUCTIONS_MAX, &file, error))
        return err_prefix(error, "instructions of panel '%s'", conf->name);
    if (!file)
        return err_set(error, ERR_CONFIG, "there is no '%s', the instructions of panel '%s'",
                       conf->instructions, conf->name);
    *ret = text_valid_bytes(file);
    return true;
}

static unsigned
find_primary(const char *const *members, const char *primary)
{
    unsigned n = 0;

    while (*primary && members[n] && !g_str_equal(members[n], primary))
        n++;
    return n;
}

bool
panel_terms(Engine *engine,
            const PanelAsk *ask,
            PanelRow **ret,
            PanelMembers **ret_members,
            GError **error)
{
    const ConfPanel *conf = config_panel(engine->home->config, ask->name);
    g_auto(GStrv) usual = g_strsplit(CONFIG_USUAL_MEMBERS, " ", -1);
    const char *const *members = ask->members ? ask->members
                                 : conf       ? conf->members
                                              : (const char *const *)usual;
    const char *rule = ask->rule ? ask->rule : panel_rule_name(conf ? conf->rule : PANEL_CONSENSUS);
    const char *primary = ask->primary ? ask->primary : conf && !ask->members ? conf->primary : "";
    int64_t quorum = ask->quorum >= 0 ? ask->quorum : conf && !ask->members ? conf->quorum : 0;
    bool known = !ask->members && (ask->usual || config_panel_is_usual(ask->name)),
         advice = ask->advice || (conf && conf->walls == CONF_WALLS_ADVICE);
    g_autoptr(PanelMembers) all = panel_members_new();
    g_autoptr(PanelRow) row = g_new0(PanelRow, 1);
    PanelRule parsed;

    if (!ask->members && !conf && !known)
        return err_set(error, ERR_NEVER, "who is on it? say --members A,B,C");
    g_autofree char *why = config_panel_refuses(members, primary, quorum);
    if (why)
        return err_set(error, ERR_NEVER, "%s", why);
    if (!panel_rule_parse(rule, &parsed, error) ||
        !read_instructions(engine, conf, &row->instructions, error))
        return false;
    for (const char *const *m = members; *m; m++)
        if (!add_member(engine, all, *m, known, advice, error))
            return false;
    row->name = g_strdup(ask->name);
    row->subject = g_strdup(ask->subject);
    row->artifact = g_strdup(ask->path ? ask->path : "");
    row->sections = g_strdup(ask->sections ? ask->sections : "");
    row->task = g_strdup(ask->task ? ask->task : "");
    row->request = g_strdup(ask->request ? ask->request : "");
    row->said = g_strdup(ask->said ? ask->said : "");
    row->rule = g_strdup(rule);
    row->primary = find_primary(members, primary);
    row->quorum = quorum > 0 ? (unsigned)quorum : panel_quorum_default(all->len);
    row->discuss = (unsigned)(ask->discuss >= 0 ? ask->discuss : conf ? conf->discuss : 1);
    row->span_us = ask->deadline_us > 0 ? ask->deadline_us : conf ? conf->deadline_us : DEADLINE_US;
    row->advice = advice;
    *ret = g_steal_pointer(&row);
    *ret_members = g_steal_pointer(&all);
    return true;
}

bool
panel_is_role(const Engine *engine, const char *role)
{
    g_autoptr(RoleRow) row = NULL;

    return config_panel(engine->home->config, role) ||
           (!config_role(engine->home->config, role) &&
            role_row_find(engine->db, role, &row, NULL) && row &&
            g_str_equal(row->face, "workflow"));
}

bool
panel_check_content(GBytes *content, GError **error)
{
    gsize len;
    const char *data = g_bytes_get_data(content, &len);

    if (len > PANEL_CONTENT_MAX)
        return err_set(error, ERR_LIMIT, "it has %zu bytes, and a panel is shown %u at most", len,
                       PANEL_CONTENT_MAX);
    if (len == 0)
        return err_set(error, ERR_NEVER, "it is empty");
    return g_utf8_validate_len(data, len, NULL) ||
           err_set(error, ERR_NEVER, "it is no text in UTF-8");
}

char *
panel_mail_format(const PanelAsk *ask, const char *content)
{
    g_autoptr(json_t) doc = json_pack(
        "{s:s, s:s?, s:s?, s:I, s:I, s:I, s:b, s:b, s:s?, s:s?, s:s}", "subject", ask->subject, "primary",
        ask->primary, "rule", ask->rule, "quorum", (json_int_t)ask->quorum, "discuss",
        (json_int_t)ask->discuss, "deadline_us", (json_int_t)ask->deadline_us, "advice",
        ask->advice, "usual", ask->usual, "sections", ask->sections, "path", ask->path, "content",
        content);
    json_t *members = json_array();

    for (const char *const *m = ask->members; m && *m; m++)
        json_array_append_new(members, json_string(*m));
    json_object_set_new(doc, "members", members);
    return json_format(doc);
}

bool
panel_wake(Txn *txn, JobId job, GError **error)
{
    bool busy;

    return job_hurry(txn, job, &busy, error) &&
           (!busy || timer_set(txn, job, PANEL_TIMER, txn_now(txn) + USEC_PER_SEC, error));
}

bool
panel_ordered(Txn *txn, const Job *job, bool cancelled, GError **error)
{
    g_autoptr(PanelRow) p = NULL;
    g_autoptr(BallotRow) b = NULL;
    bool counts;

    if (!cancelled)
        return true;
    if (!ballot_of_job(txn->db, job->id, &b, error) ||
        !panel_of_job(txn->db, job->id, &p, error))
        return false;
    if (p)
        return panel_void(txn, p->id, "it was cancelled", error);
    if (!b)
        return true;
    g_autoptr(PanelRow) its = NULL;
    return ballot_cast(txn, job->id, "none", "", "[]", false, "left: its job was cancelled",
                       &counts, error) &&
           panel_load(txn->db, b->panel, &its, error) && panel_wake(txn, its->job, error);
}
