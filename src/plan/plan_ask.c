#include "plan/plan_ask.h"
#include "base/crash.h"
#include "engine/act.h"
#include "engine/mode.h"

#define ENDED_WHY "its plan does not wait for it any more"

/* --- who is asked --- */

static bool
is_asked(const JobSession *s, const ConfRole *role)
{
    const ConfBrain *brain = config_brain(s->engine->home->config, role->brain);
    const ModeOps *mode = brain ? engine_mode(s->engine, role) : NULL;
    return mode && (mode->led || !config_is_program(brain));
}

const ConfRole *
plan_ask_role(const JobSession *s, bool command, const char *owner)
{
    if (!s->engine)
        return NULL;
    const ConfRole *role = config_role(s->engine->home->config, owner);
    bool has_brain = role && *role->brain;
    if (!has_brain)
        role = command ? NULL : s->role;
    return role && is_asked(s, role) ? role : NULL;
}

/* --- asking --- */

/* Behind the mails of the step. */
static bool
commit_ask(const ActCall *c, char **ret_did, GError **error)
{
    const PlanAsk *asking = c->act->plan;
    PlanAsk ask = *asking;
    ask.mail = c->result->msgids->pdata[0];
    ask.job = c->job->id;
    *ret_did = g_strdup_printf("asked for %s", ask.todo);
    return plan_ask_put(c->txn, &ask, error);
}

/* No brain is offered this act: the loop of a plan does it. */
static const ActOps act_ask = {.name = "ask", .commit = commit_ask};

bool
plan_ask_send(JobSession *s, const PlanAsking *asking, bool *ret_sent, GError **error)
{
    const char *id = plan_text(asking->todo, "id"), *title = plan_text(asking->todo, "title");
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    g_autoptr(PlanAsk) open = NULL;
    JobId job = s->claim.job;
    size_t all = json_array_size(asking->plan->todos);
    PlanAsk *ask = g_new0(PlanAsk, 1);
    *ask = (PlanAsk){.todo = g_strdup(id),
                     .session_id = g_strdup(plan_text(asking->plan->members, "session_id")),
                     .spent_micro = asking->spent_micro,
                     .front = asking->front};
    ProposedAct *act = g_new0(ProposedAct, 1);
    *act = (ProposedAct){
        .ops = &act_ask, .plan = ask, .plan_free = (GDestroyNotify)plan_ask_free};
    proposed_acts_add(p->acts, act);
    ProposedMail *mail = proposal_add_mail(p);
    g_ptr_array_add(mail->to, g_strdup(asking->role->address));
    mail->plain = mail->apart = true;
    mail->subject = g_strdup_printf("%s: %s", id, title);
    mail->body = g_strdup(asking->prompt);
    p->phase = g_strdup_printf("%zu of %zu", all - plan_open(asking->plan), all);
    s->in.brain = NULL;
    s->in.took_us = 0;
    if (!session_commit(s, p, error) || !plan_ask_open(s->engine->db, job, &open, error))
        return false;
    CRASH_POINT("plan-asked");
    *ret_sent = open != NULL;
    return true;
}

bool
plan_ask_park(JobSession *s, const PlanRow *row, const PlanAsk *ask, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_PARK);
    p->resume =
        row->until_us == USEC_NEVER ? DUE_NEVER : (Due){.us = row->until_us, .moment = true};
    p->waiting_for = g_strdup_printf("the answer about %s", ask->todo);
    return session_commit(s, p, error);
}

/* --- what became of it --- */

static char *
words_of(const Job *by, const char *what)
{
    return by ? g_strdup_printf("job %" PRId64 " of %s %s%s%s", by->id.v, by->role, what,
                                by->why ? ": " : "", by->why ? by->why : "")
              : g_strdup("the job that worked on it is gone");
}

/* A role that waits has asked something back, or waits for somebody else: once it has settled the question, it has said so. */
static bool
has_settled(Engine *engine, const PlanAsk *ask, const Job *by, bool *ret, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    if (!messages_find(engine->db, &VIEWER_OF(by->role), ask->mail, &row, error))
        return false;
    *ret = row && row->state == MSG_HANDLED;
    return true;
}

bool
plan_ask_look(Engine *engine,
              const PlanAsk *ask,
              PlanAskState *ret,
              int64_t *ret_cost_micro,
              char **ret_words,
              GError **error)
{
    g_autoptr(Job) by = NULL;
    bool settled = false;
    *ret = PLAN_ASK_OPEN;
    *ret_cost_micro = 0;
    *ret_words = NULL;
    if (!ask->by.v)
        return true;
    if (!job_load(engine->db, &VIEWER_OPERATOR, ask->by, &by, error) ||
        (by && by->state == JOB_PARKED && !has_settled(engine, ask, by, &settled, error)))
        return false;
    JobState state = by ? by->state : JOB_CANCELLED;
    if (state == JOB_STOPPED || state == JOB_CANCELLED) {
        *ret = PLAN_ASK_DEAD;
        *ret_words = words_of(by, "was stopped");
    } else if (state == JOB_DONE || state == JOB_FAILED || settled) {
        *ret = PLAN_ASK_ENDED;
        *ret_words = words_of(by, state == JOB_FAILED ? "failed"
                                  : settled           ? "waits"
                                                      : "answered");
    }
    *ret_cost_micro = by ? by->round_cost_micro : 0;
    return true;
}

static bool
put_over(Txn *txn, const PlanAsk *ask, bool cancel, GError **error)
{
    PlanAsk over = *ask;
    bool changed;
    over.over = true;
    return plan_ask_put(txn, &over, error) &&
           (!cancel || !ask->by.v || job_cancel(txn, ask->by, ENDED_WHY, &changed, error));
}

bool
plan_ask_close(Engine *engine, const PlanAsk *ask, bool cancel, GError **error)
{
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = put_over(&txn, ask, cancel, error);
    return txn.done;
}

/* --- in a checkpoint --- */

json_t *
plan_ask_json(const PlanAsk *ask)
{
    return json_pack("{s:s, s:s, s:s}", "mail", ask->mail, "todo", ask->todo, "session_id",
                     ask->session_id);
}

bool
plan_ask_restored(Txn *txn, JobId job, const json_t *value, GError **error)
{
    const char *mail = plan_text(value, "mail"), *todo = plan_text(value, "todo");
    g_autoptr(PlanAsk) known = NULL;
    bool queued;
    if (!*mail || !plan_ask_of_mail(txn->db, mail, &known, error) || known)
        return !*mail || known != NULL;
    const PlanAsk lost = {.mail = (char *)mail,
                          .job = job,
                          .todo = (char *)todo,
                          .session_id = (char *)plan_text(value, "session_id"),
                          .over = true};
    return plan_ask_put(txn, &lost, error) && job_go_on(txn, job, &queued, error);
}

/* --- calls of the face --- */

/* Is it the plan's job that has asked, and not somebody who got a copy of the answer? */
static bool
is_of_role(Engine *engine, const PlanAsk *ask, const char *role, bool *ret, GError **error)
{
    g_autoptr(Job) job = NULL;
    if (!job_load(engine->db, &VIEWER_OPERATOR, ask->job, &job, error))
        return false;
    *ret = job && g_str_equal(job->role, role);
    return true;
}

bool
plan_ask_answered(
    Engine *engine, const char *role, const Message *m, PlanAsk **ret, GError **error)
{
    g_autoptr(PlanAsk) ask = NULL;
    bool ours = false;
    if (m->in_reply_to && !plan_ask_of_mail(engine->db, m->in_reply_to, &ask, error))
        return false;
    for (guint i = m->references ? m->references->len : 0; i > 0 && !ask; i--)
        if (!plan_ask_of_mail(engine->db, m->references->pdata[i - 1], &ask, error))
            return false;
    if (ask && !is_of_role(engine, ask, role, &ours, error))
        return false;
    *ret = ours ? g_steal_pointer(&ask) : NULL;
    return true;
}

bool
plan_ask_stored(Engine *engine, Txn *txn, const char *msgid, JobId job, GError **error)
{
    g_autoptr(PlanAsk) ask = NULL;
    bool changed;
    if (!plan_ask_of_mail(engine->db, msgid, &ask, error))
        return false;
    if (!ask)
        return true;
    ask->by = job;
    return plan_ask_put(txn, ask, error) &&
           (!ask->over || job_cancel(txn, job, ENDED_WHY, &changed, error));
}

bool
plan_ask_wakes(Engine *engine, Txn *txn, const PlanAsk *ask, GError **error)
{
    g_autoptr(Job) job = NULL;
    bool queued;
    if (ask->over || ask->front)
        return true;
    return job_load(engine->db, &VIEWER_OPERATOR, ask->job, &job, error) &&
           (!job || job->state != JOB_PARKED || job_go_on(txn, job->id, &queued, error));
}

bool
plan_ask_parked(Txn *txn, JobId job, GError **error)
{
    g_autoptr(PlanAsk) ask = NULL;
    return plan_ask_open(txn->db, job, &ask, error) &&
           (!ask || timer_set(txn, job, PLAN_TIMER, txn_now(txn), error));
}

bool
plan_ask_settle(Engine *engine, JobId job, unsigned *n, GError **error)
{
    g_autoptr(PlanAsk) ask = NULL;
    g_autofree char *words = NULL;
    PlanAskState state = PLAN_ASK_OPEN;
    int64_t cost;
    if (!plan_ask_open(engine->db, job, &ask, error) ||
        (ask && !plan_ask_look(engine, ask, &state, &cost, &words, error)))
        return false;
    if (state == PLAN_ASK_OPEN || ask->front)
        return true;
    (*n)++;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = plan_ask_wakes(engine, &txn, ask, error);
    return txn.done;
}

bool
plan_ask_end(Txn *txn, JobId job, GError **error)
{
    g_autoptr(PlanAsk) ask = NULL;
    return plan_ask_open(txn->db, job, &ask, error) &&
           (!ask || put_over(txn, ask, true, error));
}
