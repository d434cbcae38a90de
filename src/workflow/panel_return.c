#include "workflow/panel_return.h"
#include "base/crash.h"
#include "base/file.h"
#include "engine/act.h"
#include "engine/mail_load.h"
#include "workflow/artifact_write.h"
#include "workflow/event_send.h"

#define WAY_TO_REVISE                                                                          \
    "By hand: postrider artifact write %s FILE, then: postrider notify review-request %s "     \
    "REVIEWER"
#define WAY_TO_ANSWER "By hand: postrider notify --in-reply-to '<%s>' answer %s WHO CONTEXT=\"...\""

static char *
way_on(bool answers, const char *path, const char *request)
{
    return answers ? g_strdup_printf(WAY_TO_ANSWER, request, path)
                   : g_strdup_printf(WAY_TO_REVISE, path, path);
}

char *
panel_return_way_on(const PanelRow *p)
{
    return way_on(panel_answers(p), p->artifact, p->request);
}

/* --- what came back --- */

/* The file as it is now: what the members are shown. */
static bool
read_text(const ArtifactPlace *place, GBytes **ret, GError **error)
{
    auto_fd root = dir_open(place->root, error);

    if (root < 0 || !file_read(root, place->path, PANEL_CONTENT_MAX + 1, ret, error))
        return false;
    if (!*ret)
        return err_set(error, ERR_NEVER, "there is no '%s'", place->path);
    return panel_check_content(*ret, error);
}

/* What its members are asked, by the terms of the settings. */
static bool
fill(JobSession *s,
     const MsgRow *row,
     const FlowEvent *e,
     bool answers,
     PanelRow **ret,
     PanelMembers **ret_members,
     GError **error)
{
    g_auto(ArtifactPlace) place = {0};
    g_autofree char *base = g_path_get_basename(e->name);
    g_autoptr(Message) m = NULL;
    g_autoptr(PanelRow) p = NULL;
    g_autoptr(PanelMembers) members = NULL;

    if (!artifact_place_find(s->engine, e->name, &place, error) ||
        !mail_load(s->engine, row, MESSAGE_TEXT, &m, error))
        return false;
    const PanelAsk ask = {.name = s->job->role,
                          .subject = base,
                          .quorum = -1,
                          .discuss = answers ? 0 : -1,
                          .deadline_us = -1,
                          .sections = answers ? "Answer" : "Revision",
                          .path = place.path,
                          .task = answers ? PANEL_ANSWERS : PANEL_REVISES,
                          .request = e->msgid,
                          .said = m ? m->text : NULL};
    if (!panel_terms(s->engine, &ask, &p, &members, error) ||
        !read_text(&place, &p->content, error))
        return false;
    p->digest = digest_hex_of(p->content);
    p->cycle = e->cycle.v;
    *ret = g_steal_pointer(&p);
    *ret_members = g_steal_pointer(&members);
    return true;
}

/* Agents that reject for ever what panels revise for ever come to an end. */
static bool
check_rounds(JobSession *s, const FlowEvent *e, const PanelRow *p, GError **error)
{
    const Config *config = s->engine->home->config;
    unsigned n;

    if (config_is_person(config, workflow_address(config, e->sender)))
        return true;
    if (!panel_count_task(s->engine->db, p->name, p->artifact, PANEL_REVISES, &n, error))
        return false;
    return n < PANEL_REVISIONS_MAX ||
           err_set(error, ERR_NEVER, "%s has revised '%s' %u times, and %s rejects it once more",
                   p->name, p->artifact, n, e->sender);
}

static bool
read_event(JobSession *s,
           const MsgRow *row,
           const FlowEvent *e,
           bool answers,
           PanelRow **ret,
           PanelMembers **ret_members,
           GError **error)
{
    g_autoptr(PanelRow) p = NULL;
    g_autoptr(PanelMembers) members = NULL;
    g_autoptr(GError) why = NULL;

    if (fill(s, row, e, answers, &p, &members, &why) && (answers || check_rounds(s, e, p, &why))) {
        *ret = g_steal_pointer(&p);
        *ret_members = g_steal_pointer(&members);
        return true;
    }
    g_autofree char *way = way_on(answers, e->name, e->msgid);
    g_set_error(error, why->domain, why->code, "%s. %s", why->message, way);
    return false;
}

/* True for the panel that the reviewers mean, while no newer review has begun. */
static bool
concerns(JobSession *s, const FlowEvent *e, bool answers, bool *ret, GError **error)
{
    g_autoptr(Artifact) a = NULL;
    g_autoptr(Cycle) c = NULL;

    *ret = false;
    if (!artifact_load(s->engine->db, e->artifact, &a, error) ||
        (a && !cycle_load(s->engine->db, a->cycle, &c, error)))
        return false;
    *ret = a && config_panel(s->engine->home->config, s->job->role) &&
           g_str_equal(a->author, s->job->role) &&
           (answers ? !*e->answer
                    : c && c->id.v == e->cycle.v && g_str_equal(c->outcome, "rejected"));
    return true;
}

/* *ret: it asks this panel for something; *ret_answers: for an answer, else for a revision. */
static bool
asks(JobSession *s, const FlowEvent *e, bool *ret_answers, bool *ret, GError **error)
{
    *ret = false;
    *ret_answers = *e->question && !g_str_equal(e->type, "blocker-report");
    return !e->artifact.v || (!*ret_answers && !g_str_equal(e->type, "rejection")) ||
           concerns(s, e, *ret_answers, ret, error);
}

bool
panel_return_read(JobSession *s,
                  const MsgRow *row,
                  const FlowEvent *e,
                  PanelRow **ret,
                  PanelMembers **ret_members,
                  GError **error)
{
    bool answers, ours;

    *ret = NULL;
    return asks(s, e, &answers, &ours, error) &&
           (!ours || read_event(s, row, e, answers, ret, ret_members, error));
}

bool
panel_return_settle(JobSession *s, const PanelRow *p, Proposal *end, GError **error)
{
    LIST_EACH(const MsgRow, row, s->in.shown) {
        g_autoptr(FlowEvent) e = NULL;
        bool answers, waits = false;
        if (!flow_event_find(s->engine->db, row->msgid, &e, error) ||
            (e && !asks(s, e, &answers, &waits, error)))
            return false;
        if (!waits || g_str_equal(row->msgid, p->request))
            g_array_append_val(end->settles, row->id);
    }
    if (end->settles->len == 0) { /* which would mean all of it */
        const MsgId none = {0};
        g_array_append_val(end->settles, none);
    }
    return true;
}

bool
panel_return_over(Db *db, const PanelRow *p, bool *ret, GError **error)
{
    g_autoptr(FlowEvent) e = NULL;
    g_autoptr(Artifact) a = NULL;

    if (!flow_event_find(db, p->request, &e, error) ||
        (e && !artifact_load(db, e->artifact, &a, error)))
        return false;
    *ret = !e || !a || (panel_answers(p) ? *e->answer != '\0' : a->cycle.v != p->cycle);
    return true;
}

/* --- what the primary decided --- */

typedef struct Returned {
    ArtifactWrite *write; /* NULL: nothing is to be written */
    EventPlan *event;
    PanelId panel;
    char *words;
} Returned;

static void
returned_free(gpointer data)
{
    Returned *r = data;

    artifact_write_free(r->write);
    event_plan_free(r->event);
    free_all(r->words, r);
}

/* Writing, mail and the end of the panel are the step's. */
static bool
commit_returned(const ActCall *c, char **ret_did, GError **error)
{
    const Returned *r = c->act->plan;
    g_autofree char *msgid = NULL;
    bool was_open;

    CRASH_POINT("panel-returned");
    if ((r->write && !artifact_write_commit(c->txn, r->write, c->job->id, error)) ||
        !event_commit(c->engine, c->txn, r->event, NULL, &msgid, error) ||
        !panel_close(c->txn, r->panel, "written", r->words, msgid, &was_open, error))
        return false;
    *ret_did = g_strdup(r->words);
    return was_open || err_set(error, ERR_AGAIN, "the panel is closed");
}

static const ActOps act_returned = {.name = "return", .commit = commit_returned};

static bool
plan_revision(JobSession *s, const PanelRow *p, const FlowEvent *e, const char *text, Returned *r, GError **error)
{
    g_autoptr(Cycle) c = NULL;
    g_autoptr(EventVars) vars = event_vars_new();
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
    g_autofree char *digest = digest_hex_of(bytes);

    if (!cycle_load(s->engine->db, (CycleId){p->cycle}, &c, error))
        return false;
    if (g_str_equal(digest, c->digest))
        return err_set(error, ERR_NEVER, "the primary has changed nothing in '%s'", p->artifact);
    if (!g_str_equal(digest, p->digest) && /* else it was written before its store was lost */
        !artifact_write_plan(s->engine, p->artifact, text, p->digest, p->name, &r->write, error))
        return false;
    g_ptr_array_add(to, c->reviewers);
    const EventNew new = {.type = EVENT_REVIEW_REQUEST,
                          .path = p->artifact,
                          .from = p->name,
                          .to = to,
                          .vars = vars,
                          .place = r->write ? &r->write->place : NULL};
    r->words = g_strdup_printf("%s is revised, and under review by %s", p->artifact, c->reviewers);
    return event_plan(s->engine, &new, &r->event, error);
}

static bool
plan_answer(JobSession *s, const PanelRow *p, const FlowEvent *e, const char *text, Returned *r, GError **error)
{
    g_autoptr(EventVars) vars = event_vars_new();
    g_autoptr(GPtrArray) to = g_ptr_array_new(), parents = g_ptr_array_new();
    g_autofree char *context = g_strconcat("CONTEXT=", text, NULL);

    g_ptr_array_add(to, e->sender);
    g_ptr_array_add(parents, e->msgid);
    const EventNew new = {.type = EVENT_ANSWER,
                          .path = p->artifact,
                          .from = p->name,
                          .to = to,
                          .vars = vars,
                          .parents = parents};
    r->words = g_strdup_printf("%s is answered", e->sender);
    return event_vars_add(vars, context, error) && event_plan(s->engine, &new, &r->event, error);
}

bool
panel_return_commit(JobSession *s, const PanelRow *p, const BallotRows *all, GError **error)
{
    g_autoptr(Proposal) done = proposal_new(PROPOSE_COMPLETE);
    g_autoptr(FlowEvent) e = NULL;
    g_autofree char *text = panel_integrate(p, all);
    ProposedAct *act = g_new0(ProposedAct, 1);
    Returned *r = g_new0(Returned, 1);

    *r = (Returned){.panel = p->id};
    *act = (ProposedAct){.ops = &act_returned, .plan = r, .plan_free = returned_free};
    proposed_acts_add(done->acts, act);
    if (!flow_event_find(s->engine->db, p->request, &e, error) ||
        !(panel_answers(p) ? plan_answer : plan_revision)(s, p, e, text, r, error))
        return false;
    return panel_return_settle(s, p, done, error) && session_show(s, error) &&
           session_commit(s, done, error);
}
