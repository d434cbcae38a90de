#include "workflow/face_workflow.h"
#include "engine/face.h"
#include "engine/out/post.h"
#include "engine/people/notice.h"
#include "engine/run/settle.h"
#include "engine/tree/file_effects.h"
#include "mail/parents.h"
#include "workflow/event_answer.h"
#include "workflow/event_reply.h"
#include "workflow/event_send.h"
#include "workflow/flow_acts.h"
#include "workflow/flow_page.h"
#include "workflow/flow_past.h"
#include "workflow/flow_tree.h"
#include "workflow/panel.h"
#include "workflow/panel_again.h"
#include "workflow/panel_space.h"
#include "workflow/review_file.h"
#include "workflow/supervise.h"

#define MOVED_ELSEWHERE                                                                        \
    "'%s' was to be moved from '%s' to '%s', but %s. Nothing was moved; the record still "     \
    "says '%s', and the "                                                                      \
    "mail about the move is held. 'postrider artifact check' says what to do."

#define NOT_COMMITTED                                                                          \
    "What was decided stands, and nothing of it was committed, since %s. Commit it by hand."
#define WRITTEN_ELSEWHERE                                                                      \
    "'%s' was to be written, but %s. Nothing was replaced; mail that waited for it is held. Look " \
    "at the file as it is now, and at '%s.edited-1' beside it if there is one: bytes that had no place."

/* --- people reply --- */

/* What the sender is told; caller frees. */
static char *
said_of(const EventPlan *plan, const char *why)
{
    g_autofree char *what = plan ? event_plan_words(plan) : NULL;

    return plan ? g_strdup_printf("Done: %s.", what)
                : g_strdup_printf("Nothing was decided: %s.", why);
}

static bool
order(
    Engine *engine, const Judgement *j, const Message *m, JobId job, Order *ret, GError **error)
{
    g_autoptr(EventPlan) plan = NULL;
    g_autofree char *why = NULL;
    bool is_reply;

    if (!*engine->home->config->workflow_root || j->state != MSG_STORED)
        return true;
    if (!supervise_order(engine, j, m, ret, error) ||
        (ret->kind == ORDER_NONE &&
         !event_reply(engine, j->trust, m, false, &is_reply, &plan, &why, error)))
        return false;
    if (ret->kind != ORDER_NONE || !is_reply)
        return true;
    *ret = (Order){.kind = ORDER_FACE, .said = said_of(plan, why)};
    return true;
}

/* Status-updates that waited join the job of this mail, and are filed. */
static bool
bring_along(Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error)
{
    g_autoptr(MsgRow) with = NULL;
    g_autoptr(GArray) waiting = NULL;

    if (!flow_waiting_take(txn, in->role, &waiting, error))
        return false;
    if (waiting->len > 0 && !messages_load(engine->db, &VIEWER_OPERATOR, id, &with, error))
        return false;
    for (guint i = 0; with && i < waiting->len; i++) {
        const MsgId one = {g_array_index(waiting, int64_t, i)};
        g_autoptr(MsgRow) row = NULL;
        if (!messages_set_job(txn, one, job, with->round, error) ||
            !messages_load(engine->db, &VIEWER_OPERATOR, one, &row, error) ||
            (row && !settle_owe_move(txn, job, row, "Done", error)))
            return false;
    }
    return true;
}

/* A reply in plain words, which may answer a question. A question that it asks back waits in its turn. */
static bool
hear_answer(Engine *engine, Txn *txn, const Message *m, AnswerTo to, const char *role, GError **error)
{
    g_auto(EventAnswer) a = {0};
    g_autoptr(FlowEvent) e = NULL;

    if (!event_answer_read(engine->home, m, &a))
        return true;
    return event_answer_put(engine, txn, &a, to, role, &e, error) &&
           (!e || supervise_event(engine, txn, e, false, error));
}

/* A decision that one person sends to another, with the mail that says it. Who decided is told by mail, as at intake. */
static bool
decide_on_way(Engine *engine, Txn *txn, const Message *m, bool *ret, GError **error)
{
    g_autoptr(EventPlan) plan = NULL;
    g_autofree char *why = NULL, *msgid = NULL;
    const Trust trust = m->from ? post_level_of(engine, m->from->spec) : TRUST_ANYONE;

    if (!event_reply(engine, trust, m, true, ret, &plan, &why, error))
        return false;
    if (!*ret)
        return true;
    g_autofree char *said = said_of(plan, why);
    const RoleMailParent parent = role_mail_parent(m);
    const Notice notice = {.role = config_role_pick(engine->home->config, NULL, NULL),
                           .to = m->from->spec,
                           .text = said,
                           .parent = &parent};
    return (!plan || event_commit(engine, txn, plan, NULL, &msgid, error)) &&
           (!notice.role || notice_post(engine, txn, &notice, NULL, error));
}

static bool
replies_to_event(Engine *engine, const Message *m, bool *ret, GError **error)
{
    g_autoptr(GPtrArray) parents = parents_of(m);

    *ret = false;
    for (guint i = 0; i < parents->len && !*ret; i++) {
        g_autoptr(FlowEvent) e = NULL;
        if (!flow_event_find(engine->db, parents->pdata[i], &e, error))
            return false;
        *ret = e != NULL;
    }
    return true;
}

static bool
posted(Engine *engine, Txn *txn, MailKind kind, GBytes *bytes, GError **error)
{
    g_autoptr(Message) headers = NULL, m = NULL;
    bool replies, decided = false;

    if (!*engine->home->config->workflow_root || kind == MAIL_EVENT)
        return true;
    headers = message_parse_bytes(bytes, MESSAGE_HEADERS);
    if (!replies_to_event(engine, headers, &replies, error))
        return false;
    if (!replies)
        return true;
    m = message_parse_bytes(bytes, MESSAGE_TEXT);
    if (kind == MAIL_LETTER && !decide_on_way(engine, txn, m, &decided, error))
        return false;
    return decided || hear_answer(engine, txn, m, ANSWER_TO_PEOPLE, NULL, error);
}

/* The decision itself, in the transaction that stores the reply. */
static bool
stored(Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error)
{
    const Message *m = in->mail;
    g_autoptr(EventPlan) plan = NULL;
    g_autofree char *why = NULL, *msgid = NULL;
    bool is_reply;

    if (!panel_stored(engine, txn, in, job, error) ||
        !supervise_mail(engine, txn, in, error))
        return false;
    if (!*engine->home->config->workflow_root)
        return true;
    if (in->class == MSG_EVENT)
        return panel_space_is_word(engine, in) || flow_waiting_put(txn, in->role, id, error);
    if (in->class != MSG_ORDER)
        return (in->state != MSG_STORED || in->trust < TRUST_ROLE ||
                hear_answer(engine, txn, m, ANSWER_TO_AGENT, in->role, error)) &&
               (!job.v || bring_along(engine, txn, id, in, job, error));
    return event_reply(engine, in->trust, m, false, &is_reply, &plan, &why, error) &&
           (!plan || event_commit(engine, txn, plan, NULL, &msgid, error));
}

static bool
failed(Engine *engine, Txn *txn, const Job *job, const char *why, GError **error)
{
    return !*engine->home->config->workflow_root ||
           supervise_failed(engine, txn, job, why, error);
}

static bool
handled(Engine *engine, Txn *txn, const Job *job, const MsgRow *row, GError **error)
{
    return flow_handled(txn, job->role, row->msgid, error);
}

/* --- a move is done, or was not --- */

/* The artifact of an effect: its subject is the root and the name. */
static bool
find_moved(Engine *engine, const Effect *e, char **ret_root, Artifact **ret, GError **error)
{
    g_autofree char *root = g_strndup(e->args, strcspn(e->args, "\n"));
    size_t len = strlen(root);

    *ret = NULL;
    if (strncmp(e->subject, root, len) != 0 || e->subject[len] != '/')
        return true;
    *ret_root = g_steal_pointer(&root);
    return artifact_find(engine->db, e->subject + len + 1, ret, error);
}

/* Whoever decided it hears it, and the coordinator. */
static bool
tell(Engine *engine, Txn *txn, const char *who, const char *subject, const char *text, GError **error)
{
    const Config *config = engine->home->config;
    const char *address = workflow_address(config, who);
    const char *coordinator = workflow_address(config, workflow_coordinator(engine));
    const ConfRole *role = config_role(config, who);
    g_autoptr(GPtrArray) others = g_ptr_array_new();

    if (!role || role->person)
        role = config_role_pick(config, NULL, NULL);
    if (!role)
        return true;
    if (address && coordinator && !g_str_equal(address, coordinator))
        g_ptr_array_add(others, (char *)coordinator);
    const Notice notice = {.role = role,
                           .to = address ? address : coordinator,
                           .others = others,
                           .subject = subject,
                           .text = text};
    return notice_post(engine, txn, &notice, NULL, error);
}

/* Mover and coordinator hear it. */
static bool
tell_failed(Engine *engine, Txn *txn, const Artifact *a, const char *why, GError **error)
{
    g_autofree char *text = g_strdup_printf(MOVED_ELSEWHERE, a->name, a->path, a->to_path, why, a->state);

    return tell(engine, txn, a->mover, "An artifact was not moved", text, error);
}

/* Who wrote it hears it, and the coordinator. */
static bool
tell_unwritten(Engine *engine, Txn *txn, const Effect *e, const char *why, GError **error)
{
    g_autofree char *who = file_effect_writer(e);
    g_auto(GStrv) lines = g_strsplit(e->args, "\n", 3);
    const char *path = g_strv_length(lines) == 3 ? lines[1] : e->subject;
    g_autofree char *text = g_strdup_printf(WRITTEN_ELSEWHERE, path, why, path);

    return tell(engine, txn, who, "An artifact was not written", text, error);
}

static bool
end_review(Txn *txn, const char *root, const Artifact *a, const char *why, GError **error)
{
    g_autoptr(Cycle) c = NULL;
    g_autoptr(Artifact) now = NULL;
    g_autoptr(FlowEvent) e = NULL;

    if (!cycle_load(txn->db, a->cycle, &c, error))
        return false;
    if (!c || !*c->resolved_by || !flow_event_find(txn->db, c->resolved_by, &e, error) || !e ||
        !g_str_equal(e->state, a->to))
        return true;
    if (why)
        return cycle_reopen(txn, c->id, error);
    return artifact_load(txn->db, a->id, &now, error) &&
           review_record(txn, root, now, c, error);
}

/* A commit could not be made: nothing of the decision depends on it. */
static bool
tell_uncommitted(Engine *engine, Txn *txn, const char *why, GError **error)
{
    g_autofree char *text = g_strdup_printf(NOT_COMMITTED, why);

    return tell(engine, txn, "", "An artifact was not committed", text, error);
}

static bool
settled(Engine *engine, Txn *txn, const Effect *e, const char *why, GError **error)
{
    g_autoptr(Artifact) a = NULL;
    g_autofree char *root = NULL;

    if (e->kind == EFFECT_GIT_COMMIT && why)
        return tell_uncommitted(engine, txn, why, error);
    if (e->kind == EFFECT_FILE_WRITE && why)
        return tell_unwritten(engine, txn, e, why, error);
    if (e->kind != EFFECT_FILE_MOVE)
        return true;
    if (!find_moved(engine, e, &root, &a, error))
        return false;
    if (!a || !*a->to)
        return true;
    return artifact_end_move(txn, a->id, !why, error) && end_review(txn, root, a, why, error) &&
           (!why || tell_failed(engine, txn, a, why, error));
}

static void
check(Engine *engine, GPtrArray *findings)
{
    g_autoptr(GError) error = NULL;

    if (*engine->home->config->workflow_root && !workflow_check(engine, NULL, findings, &error))
        g_ptr_array_add(findings, g_strdup(error->message));
}

/* --- panels --- */

static bool
claims(const Engine *engine, const MsgNew *in)
{
    return panel_is_role(engine, in->role);
}

static bool
ordered(Engine *engine, Txn *txn, const Job *job, OrderKind kind, GError **error)
{
    return panel_ordered(txn, job, kind == ORDER_CANCEL, error);
}

static bool
commit(Engine *engine,
       Txn *txn,
       const Job *job,
       const StepInput *in,
       const Proposal *p,
       const StepResult *result,
       GError **error)
{
    return panel_decided(engine, txn, job, p, error);
}

static bool
worked(Engine *engine,
       const Job *job,
       const StepInput *in,
       Proposal *p,
       GPtrArray *ret_refused,
       GError **error)
{
    return flow_tree_writes(engine, job, in, NULL, p, ret_refused, error);
}

static bool
due(Engine *engine, Txn *txn, const Timer *t, GError **error)
{
    if (g_str_equal(t->purpose, SUPERVISE_TIMER))
        return supervise_due(engine, txn, t, error);
    if (g_str_equal(t->purpose, SUPERVISE_TOMORROW))
        return supervise_tomorrow(txn, t, error);
    if (g_str_equal(t->purpose, PANEL_AGAIN))
        return panel_again_due(engine, txn, t, error);
    return !g_str_equal(t->purpose, PANEL_TIMER) || panel_wake(txn, t->job, error);
}

static bool
look(Engine *engine, unsigned *n, GError **error)
{
    return flow_past_take(engine, error) && panel_again_look(engine, n, error);
}

/* In the order in which one answer does them: what is said speaks of what was written. */
static const ActOps *const acts[] = {&act_write, &act_move, &act_notify, &panel_act_vote, NULL};

const FaceOps face_workflow = {
    .name = "workflow",
    .acts = acts,
    .tables = &workflow_tables,
    .claims = claims,
    .work = panel_work,
    .commit = commit,
    .ordered = ordered,
    .stored = stored,
    .posted = posted,
    .waits = flow_waits,
    .tells = flow_tells,
    .order = order,
    .page = flow_page,
    .see = event_sight_see,
    .forget = event_sight_free,
    .due = due,
    .look = look,
    .worked = worked,
    .paid = supervise_paid,
    .failed = failed,
    .handled = handled,
    .settled = settled,
    .check = check,
};
