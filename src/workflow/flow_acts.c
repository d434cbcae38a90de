#include "workflow/flow_acts.h"
#include "mail/msgid.h"
#include "mail/parents.h"
#include "store/out/outbox.h"
#include "workflow/artifact_write.h"
#include "workflow/event_send.h"
#include "workflow/flow_tree.h"

/* What an act has looked at; one of the three. */
typedef struct FlowAct {
    EventPlan *event;
    ArtifactWrite *write;
    ArtifactPlace place;
    Artifact *artifact;
    ArtifactMove *move; /* of place and artifact */
    char *msgid;        /* of the event, once it is written down */
    bool of_tree;       /* of a write */
} FlowAct;

static void
flow_act_free(gpointer p)
{
    FlowAct *f = p;

    event_plan_free(f->event);
    artifact_write_free(f->write);
    if (f->move)
        artifact_move_clear(f->move);
    g_free(f->move);
    artifact_place_clear(&f->place);
    artifact_free(f->artifact);
    free_all(f->msgid, f);
}

static FlowAct *
begin(ProposedAct *act)
{
    act->plan = g_new0(FlowAct, 1);
    act->plan_free = flow_act_free;
    return act->plan;
}

/* The artifact whose record or file it changes; NULL: none. */
static const char *
touches(const FlowAct *f)
{
    return f->event ? event_plan_name(f->event) : f->write ? f->write->place.name : f->place.name;
}

/* Words of strangers decide nothing, and write nothing. */
static bool
may_act(const ActCall *c, GError **error)
{
    if (c->in->floor < TRUST_ROLE)
        return err_set(error, ERR_NEVER,
                       "words of somebody unknown were read in this round: what becomes of "
                       "artifacts is for others to say");
    return workflow_address(c->engine->home->config, c->job->role) ||
           err_set(error, ERR_NEVER, "'%s' takes no part in the workflow", c->job->role);
}

/* What an earlier act of the same step does with this artifact. *ret_write NULL: nothing. ERR_NEVER: it changes the
 * record, which is looked at anew in the next step. */
static bool
find_earlier(const Proposal *p, const char *name, const ArtifactWrite **ret_write, GError **error)
{
    *ret_write = NULL;
    LIST_EACH(const ProposedAct, act, p->acts) {
        const FlowAct *f = act->plan_free == flow_act_free ? act->plan : NULL;
        if (!f || g_strcmp0(touches(f), name) != 0)
            continue;
        if (!f->write)
            return err_set(error, ERR_NEVER,
                           "this step has decided on '%s' already: one event or move of an "
                           "artifact in one step",
                           name);
        *ret_write = f->write;
    }
    return true;
}

static bool
offered(Engine *engine, const Job *job, bool *ret, GError **error)
{
    const Config *config = engine->home->config;

    *ret = *config->workflow_root && config->n_artifacts > 0 &&
           workflow_address(config, job->role); /* no member of a panel */
    return true;
}

/* --- notify --- */

static const ActField notify_fields[] = {
    {"event",
     "review-request, approval, rejection, clarification-request, blocker-report, "
     "status-update, question "
     "or answer",
     true, false},
    {"artifact", "its path, or - for a question or answer about none", true, false},
    {"to", "names of roles, with commas between", true, false},
    {"in_reply_to", "Message-IDs of what it answers; empty for the open review of the artifact",
     false, false},
    {"context", "what they should know; answer and status-update need it", false, true},
    {"question", "of a question or clarification-request", false, true},
    {"issues_found", "of a rejection", false, true},
    {"blocking_details", "of a blocker-report", false, true},
    {"reviewer_comments", "of an approval or rejection", false, true},
    {"next_state", "of an approval; empty for the next", false, false},
    {"next_roles", "who get it too", false, false},
    {"next_actions", "what they should do next", false, true},
    {"review_type", "of a review-request", false, false},
    {"blocking", "yes or no", false, false},
    {"session_id", "of a status-update", false, false},
    {NULL, NULL, false, false},
};
#define FIRST_VARIABLE 4

static bool
read_variables(const json_t *args, EventVars *vars, GError **error)
{
    for (const ActField *f = notify_fields + FIRST_VARIABLE; f->name; f++) {
        const char *said = act_text(args, f->name);
        g_autofree char *name = g_ascii_strup(f->name, -1);
        g_autofree char *all = g_strconcat(name, "=", said, NULL);
        if (said && *said && !event_vars_add(vars, all, error))
            return false;
    }
    return true;
}

/* The newest question among what was shown; NULL: none. Borrowed. */
static bool
find_question(const ActCall *c, char **ret, GError **error)
{
    *ret = NULL;
    LIST_EACH(const MsgRow, row, c->in->shown) {
        g_autoptr(FlowEvent) e = NULL;
        if (!flow_event_find(c->engine->db, row->msgid, &e, error))
            return false;
        if (!e || !*e->question)
            continue;
        g_free(*ret);
        *ret = g_strdup(e->msgid);
    }
    return true;
}

static bool
is_seen(const ActCall *c, const char *id, bool *ret, GError **error)
{
    const Viewer *viewer = &VIEWER_OF(c->job->role);
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(OutRow) out = NULL;

    if (!messages_find(c->engine->db, viewer, id, &row, error) ||
        !outbox_find(c->engine->db, viewer, id, &out, error))
        return false;
    *ret = row || out;
    return true;
}

/* What it answers: mails that the role may see. */
static bool
find_parents(const ActCall *c, EventType type, GPtrArray **ret, GError **error)
{
    const char *said = act_text(c->act->args, "in_reply_to");
    g_autoptr(GPtrArray) ids = msgid_parse_list(said ? said : "", PARENTS_MAX);
    char *question = NULL;

    if (!said || !*said) {
        if (type == EVENT_ANSWER && !find_question(c, &question, error))
            return false;
        if (question)
            g_ptr_array_add(ids, question);
    } else if (ids->len == 0) {
        return err_set(error, ERR_NEVER, "there is no mail '%s' here", said);
    }
    for (guint i = 0; i < ids->len; i++) {
        bool seen = false;
        if (!is_seen(c, ids->pdata[i], &seen, error))
            return false;
        g_autofree char *named = ids->len > 1 ? msgid_format(ids->pdata[i]) : g_strdup(said);
        if (!seen)
            return err_set(error, ERR_NEVER, "there is no mail '%s' here", named);
    }
    *ret = g_steal_pointer(&ids);
    return true;
}

/* What the policy says about any mail of this job it says about this one; but an event can't wait for a yes. */
static bool
check_policy(const ActCall *c, EventPlan *plan, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    g_autoptr(GArray) verdicts = NULL;

    proposed_mails_add(p->mails, event_plan_mail(c->engine, plan));
    if (!policy_check(c->engine, c->job, c->in, p, &verdicts, error))
        return false;
    const Verdict *v = &g_array_index(verdicts, Verdict, 0);
    if (v->kind != VERDICT_ALLOWED)
        return err_set(error, ERR_NEVER, "%s", v->why);
    return event_plan_say(plan, v->subject, v->body, error);
}

/* Of an artifact that this very step writes, what is decided is decided on the new bytes. */
static bool
find_written(const ActCall *c, const char *said, const ArtifactPlace **ret, GError **error)
{
    g_auto(ArtifactPlace) at = {0};
    const ArtifactWrite *write;

    *ret = NULL;
    if (c->p->acts->len == 0)
        return true;
    if (!artifact_place_look(c->engine, said, &at, error) ||
        !find_earlier(c->p, at.name, &write, error))
        return false;
    *ret = write ? &write->place : NULL;
    return true;
}

/* The brain that is asked in place of the role's own; NULL: none is. Borrowed. */
static const char *
find_deputy(const ActCall *c)
{
    const Config *config = c->engine->home->config;
    const ConfRole *role = config_role(config, c->job->role);
    const ConfBrain *own = role ? config_brain(config, role->brain) : NULL;
    const ConfBrain *asked = c->in->brain ? config_brain(config, c->in->brain) : own ? config_stand_in(config, own) : NULL;

    return own && asked && asked != own ? asked->name : NULL;
}

static bool
propose_notify(const ActCall *c, GError **error)
{
    g_autoptr(EventVars) vars = event_vars_new();
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    g_autoptr(GPtrArray) parents = NULL;
    g_auto(Snapshot) reads = {0};
    const char *path = act_text(c->act->args, "artifact");
    EventType type;
    EventNew new = {.from = c->job->role,
                    .to = to,
                    .vars = vars,
                    .agent = true,
                    .deputy = find_deputy(c)};
    FlowAct *f = begin(c->act);

    g_ptr_array_add(to, (char *)act_text(c->act->args, "to"));
    new.path = g_str_equal(path, "-") ? NULL : path;
    if (!may_act(c, error) ||
        !event_type_parse(act_text(c->act->args, "event"), &type, error) ||
        !read_variables(c->act->args, vars, error) ||
        !flow_tree_writes(c->engine, c->job, c->in, new.path, c->p, NULL, error))
        return false;
    snapshot_begin(c->engine->db, &reads);
    if (!find_parents(c, type, &parents, error) ||
        (new.path && !find_written(c, path, &new.place, error)))
        return false;
    new.type = type;
    new.parents = parents;
    if (!event_plan(c->engine, &new, &f->event, error) ||
        !check_policy(c, f->event, error))
        return false;
    LIST_EACH(const MsgRow, row, c->in->shown)
        if (type != EVENT_STATUS_UPDATE)
            g_array_append_val(c->p->settles, row->id);
    return true;
}

static bool
commit_notify(const ActCall *c, char **ret_did, GError **error)
{
    FlowAct *f = c->act->plan;
    const EventBy by = {.job = c->job, .step = c->result->step, .floor = c->in->floor};

    g_clear_pointer(&f->msgid, g_free);
    if (!event_commit(c->engine, c->txn, f->event, &by, &f->msgid, error))
        return false;
    g_autofree char *words = event_plan_words(f->event);
    *ret_did = g_strdup_printf("sent %s <%s>", words, f->msgid);
    return true;
}

static void
answer_notify(const ProposedAct *act, json_t *answer)
{
    const FlowAct *f = act->plan;
    g_autofree char *id = msgid_format(f->msgid);

    json_object_set_new(answer, "message_id", json_string(id));
}

const ActOps act_notify = {
    .name = "notify",
    .about = "tells roles what has become of an artifact, and decides it: an approval moves it on",
    .fields = notify_fields,
    .offered = offered,
    .propose = propose_notify,
    .commit = commit_notify,
    .answer = answer_notify,
};

/* --- move --- */

static const ActField move_fields[] = {
    {"artifact", "its path", true, false},
    {"state", "where it goes", true, false},
    {NULL, NULL, false, false},
};

static bool
propose_move(const ActCall *c, GError **error)
{
    const char *path = act_text(c->act->args, "artifact"), *state = act_text(c->act->args, "state");
    const ArtifactPlace *written;
    FlowAct *f = begin(c->act);

    if (!may_act(c, error) || !find_written(c, path, &written, error))
        return false;
    if (written)
        artifact_place_copy(written, &f->place);
    else if (!artifact_place_find(c->engine, path, &f->place, error))
        return false;
    if (!artifact_find(c->engine->db, f->place.name, &f->artifact, error))
        return false;
    f->move = g_new0(ArtifactMove, 1);
    if (!artifact_move_plan(c->engine, &f->place, f->artifact, state, c->job->role, f->move,
                            error) ||
        !artifact_move_alone(c->engine, f->move, f->artifact, error))
        return false;
    g_autofree char *goal = g_strconcat(" to ", state, NULL);
    if (c->engine->home->config->workflow_commit)
        artifact_move_say(f->move, "Move", goal);
    return true;
}

static bool
commit_move(const ActCall *c, char **ret_did, GError **error)
{
    const FlowAct *f = c->act->plan;
    ArtifactId id;
    EffectId after;

    *ret_did = g_strdup_printf("moved '%s' to '%s'", f->place.name,
                               f->move->to ? f->move->to : f->move->from);
    return artifact_move_commit(c->txn, f->move, f->artifact, &id, &after, error);
}

const ActOps act_move = {
    .name = "move",
    .about = "brings an artifact to another state, where that needs no approval",
    .fields = move_fields,
    .offered = offered,
    .propose = propose_move,
    .commit = commit_move,
};

/* --- write --- */

static const ActField write_fields[] = {
    {"path", "of the artifact", true, false},
    {"content", "all of its text", true, true},
    {"if_digest", "sha256 of the bytes that it takes the place of; empty for a new one", false,
     false},
    {NULL, NULL, false, false},
};

static bool
propose_write(const ActCall *c, GError **error)
{
    FlowAct *f = begin(c->act);
    const ArtifactWrite *before;

    if (!may_act(c, error) ||
        !artifact_write_plan(c->engine, act_text(c->act->args, "path"),
                             act_text(c->act->args, "content"),
                             act_text(c->act->args, "if_digest"), c->job->role, &f->write,
                             error) ||
        !find_earlier(c->p, f->write->place.name, &before, error))
        return false;
    return !before || err_set(error, ERR_NEVER, "this step has written '%s' already",
                              f->write->place.name);
}

static bool
commit_write(const ActCall *c, char **ret_did, GError **error)
{
    const FlowAct *f = c->act->plan;
    g_autofree char *digest = digest_hex(&f->write->place.bytes);

    *ret_did = g_strdup_printf("wrote '%s'", f->write->place.path);
    return artifact_write_commit(c->txn, f->write, c->job->id, error) &&
           (!f->of_tree ||
            artifact_set_written(c->txn, c->job->id, f->write->place.name, digest, error));
}

void
act_write_of_tree(ProposedAct *write)
{
    FlowAct *f = write->plan;
    f->of_tree = true;
}

static void
answer_write(const ProposedAct *act, json_t *answer)
{
    const FlowAct *f = act->plan;
    g_autofree char *hex = digest_hex(&f->write->place.bytes);

    json_object_set_new(answer, "digest", json_string(hex));
}

const ActOps act_write = {
    .name = "write",
    .about = "gives an artifact other bytes, or begins one",
    .fields = write_fields,
    .offered = offered,
    .propose = propose_write,
    .commit = commit_write,
    .answer = answer_write,
};
