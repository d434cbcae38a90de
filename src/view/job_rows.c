#include "view/job_rows.h"
#include "mail/msgid.h"

static const char *const state_names[] = {"queued", "running", "parked",   "done",
                                          "failed", "stopped", "cancelled"};
static const char *const state_words[] = {"queued", "working", "waiting",  "done",
                                          "failed", "stopped", "cancelled"};
static const char *const then_names[] = {"continue", "remind", "escalate"};
G_STATIC_ASSERT(G_N_ELEMENTS(state_names) == JOB_N_STATES);
G_STATIC_ASSERT(G_N_ELEMENTS(state_words) == JOB_N_STATES);
G_STATIC_ASSERT(G_N_ELEMENTS(then_names) == WAIT_N);
/* A word of a later version: shown, never run. */
const Words job_state_all = {state_names, JOB_N_STATES, JOB_FAILED};
const Words job_state_said = {state_words, JOB_N_STATES, JOB_FAILED};
static const Words thens = {then_names, WAIT_N, WAIT_CONTINUE};

const char *
job_state_words(JobState s)
{
    return state_words[s];
}

const char *
wait_then_name(WaitThen then)
{
    return then_names[then];
}

bool
wait_then_parse(const char *name, WaitThen *ret)
{
    return words_parse(&thens, *name ? name : then_names[WAIT_CONTINUE], ret);
}

static json_t *
wait_then_of(const void *data)
{
    const Job *job = data;

    return job->state == JOB_PARKED ? json_string(then_names[job->wait_then]) : json_null();
}

static const Field job_fields[] = {
    {"id", "id", FIELD_INT, offsetof(Job, id)},
    {"role", "role", FIELD_TEXT, offsetof(Job, role)},
    {"state", "state", FIELD_WORD, offsetof(Job, state), &job_state_all},
    {"phase", "phase", FIELD_TEXT, offsetof(Job, phase)},
    {"iteration", "iteration", FIELD_NUMBER, offsetof(Job, iteration)},
    {"total_iterations", "total_iterations", FIELD_NUMBER, offsetof(Job, total_iterations)},
    {"round", "round", FIELD_NUMBER, offsetof(Job, round)},
    {"subject", "subject", FIELD_TEXT, offsetof(Job, subject)},
    {"from", "asker", FIELD_TEXT, offsetof(Job, asker)},
    {"original_message_id", "original_msgid", FIELD_MSGID, offsetof(Job, original_msgid)},
    {"epoch", "epoch", FIELD_INT, offsetof(Job, epoch)},
    {"waiting_for", "waiting_for", FIELD_TEXT_NULL, offsetof(Job, waiting_for)},
    {"why", "why", FIELD_TEXT_NULL, offsetof(Job, why)},
    {"cost_usd", "cost_micro", FIELD_MONEY, offsetof(Job, cost_micro)},
    {"updated", "updated_us", FIELD_TIME, offsetof(Job, updated_us)},
    {"wakes_at", "wakes_us", FIELD_NEVER, offsetof(Job, wakes_us)},
    {"wait_until", "resume_us", FIELD_NEVER, offsetof(Job, resume.us)},
    {"wait_then", "wait_then", FIELD_WORD, offsetof(Job, wait_then), &thens,
     .made = wait_then_of},
    {NULL, "thread", FIELD_INT, offsetof(Job, thread)},
    {NULL, "original", FIELD_INT, offsetof(Job, original)},
    {NULL, "face", FIELD_TEXT, offsetof(Job, face)},
    {NULL, "instruction", FIELD_TEXT_NULL, offsetof(Job, instruction)},
    {NULL, "attempts", FIELD_NUMBER, offsetof(Job, attempts)},
    {NULL, "failures", FIELD_NUMBER, offsetof(Job, failures)},
    {NULL, "steps", FIELD_NUMBER, offsetof(Job, steps)},
    {NULL, "step_limit", FIELD_NUMBER, offsetof(Job, step_limit)},
    {NULL, "fence", FIELD_INT, offsetof(Job, fence)},
    {NULL, "seq", FIELD_INT, offsetof(Job, seq)},
    {NULL, "ready_us", FIELD_TIME, offsetof(Job, ready_us)},
    {NULL, "deadline_us", FIELD_NEVER, offsetof(Job, deadline_us)},
    {NULL, "created_us", FIELD_TIME, offsetof(Job, created_us)},
    {NULL, "round_cost_micro", FIELD_MONEY, offsetof(Job, round_cost_micro)},
    {NULL, "cost_limit_micro", FIELD_MONEY, offsetof(Job, cost_limit_micro)},
    {NULL, "owner_host", FIELD_TEXT_NULL, offsetof(Job, owner_host)},
    {NULL, "owner_boot", FIELD_TEXT_NULL, offsetof(Job, owner_boot)},
    {NULL, "owner_pid", FIELD_NUMBER, offsetof(Job, owner.pid)},
    {NULL, "owner_start", FIELD_INT, offsetof(Job, owner.start_time)},
    {NULL, "resume_moment", FIELD_BOOL, offsetof(Job, resume.moment)},
    {NULL, "floor", FIELD_WORD, offsetof(Job, floor), &trust_words},
    {NULL, "may", FIELD_NUMBER, offsetof(Job, may)},
    {NULL, "stalled_us", FIELD_NEVER, offsetof(Job, stalled_us)},
    {NULL, "stall_told", FIELD_BOOL, offsetof(Job, stall_told)},
    {NULL, "parked", FIELD_BOOL, offsetof(Job, parked)},
    {NULL, "session", FIELD_TEXT, offsetof(Job, session)},
};
const Shape job_shape = {SHAPE("job", Job, jobs, job_fields)};

static const Field step_fields[] = {
    {"n", "n", FIELD_NUMBER, offsetof(Step, n)},
    {"round", "round", FIELD_NUMBER, offsetof(Step, round)},
    {"took_ms", "took_us", FIELD_SPAN, offsetof(Step, took_us)},
    {"cost_usd", "cost_micro", FIELD_MONEY, offsetof(Step, cost_micro)},
    {"brain", "brain", FIELD_TEXT_NULL, offsetof(Step, brain)},
    {"phase", "phase", FIELD_TEXT, offsetof(Step, phase)},
    {"did", "did", FIELD_TEXT, offsetof(Step, did)},
    {"because", "because", FIELD_TEXT_NULL, offsetof(Step, because)},
    {"at", "at_us", FIELD_TIME, offsetof(Step, at_us)},
    {NULL, "job", FIELD_INT, offsetof(Step, job)},
    {NULL, "context", FIELD_DIGEST, offsetof(Step, context)},
    {NULL, "answer", FIELD_BYTES, offsetof(Step, answer), .flags = FIELD_HEAVY},
    {NULL, "manifest", FIELD_BYTES, offsetof(Step, manifest), .flags = FIELD_HEAVY},
    {NULL, "state", FIELD_BYTES, offsetof(Step, state), .flags = FIELD_HEAVY},
    {NULL, "results", FIELD_TEXT_NULL, offsetof(Step, results), .flags = FIELD_HEAVY},
};
const Shape step_shape = {SHAPE("s", Step, steps, step_fields)};
const Shape step_whole = {SHAPE("s", Step, steps, step_fields), .whole = true};

static const Field session_fields[] = {
    {"id", "id", FIELD_TEXT, offsetof(Session, id)},
    {"brain", "brain", FIELD_TEXT, offsetof(Session, brain)},
    {"kind", "kind", FIELD_TEXT, offsetof(Session, kind)},
    {"folder", "folder", FIELD_TEXT, offsetof(Session, folder)},
    {"began", "began", FIELD_BOOL, offsetof(Session, began)},
    {"step", "step", FIELD_NUMBER, offsetof(Session, step)},
    {"told", "told_us", FIELD_TIME, offsetof(Session, told_us)},
    {NULL, "heard", FIELD_TEXT, offsetof(Session, heard)},
    {NULL, "instructions", FIELD_TEXT, offsetof(Session, instructions)},
    {"input_tokens", "input", FIELD_INT, offsetof(Session, input)},
    {"output_tokens", "output", FIELD_INT, offsetof(Session, output)},
    {"cache_read_tokens", "cache_read", FIELD_INT, offsetof(Session, cache_read)},
    {"cache_write_tokens", "cache_write", FIELD_INT, offsetof(Session, cache_write)},
    {NULL, "job", FIELD_INT, offsetof(Session, job)},
    {NULL, "host", FIELD_TEXT, offsetof(Session, host)},
};
const Shape session_shape = {SHAPE("session", Session, sessions, session_fields)};

static const Field doing_fields[] = {
    {"at", "at_us", FIELD_TIME, offsetof(Doing, at_us)},
    {"what", "what", FIELD_TEXT, offsetof(Doing, what)},
    {"said", "said", FIELD_TEXT, offsetof(Doing, said)},
    {"cost_usd", "cost_micro", FIELD_MONEY, offsetof(Doing, cost_micro)},
    {NULL, "id", FIELD_INT, offsetof(Doing, id)},
    {NULL, "job", FIELD_INT, offsetof(Doing, job)},
    {NULL, "fence", FIELD_INT, offsetof(Doing, fence)},
};
const Shape doing_shape = {SHAPE("doing", Doing, doings, doing_fields)};

static json_t *
ids_json(const MsgRows *rows)
{
    json_t *ids = json_array();

    LIST_EACH(const MsgRow, row, rows) {
        g_autofree char *id = msgid_format(row->msgid);
        json_array_append_new(ids, json_string(id));
    }
    return ids;
}

static json_t *
shown_of(const void *data)
{
    return ids_json(((const JobInHand *)data)->shown);
}

static json_t *
open_of(const void *data)
{
    return ids_json(((const JobInHand *)data)->open);
}

static const Field in_hand_fields[] = {
    {"job", NULL, FIELD_INT, offsetof(JobInHand, job)},
    {"role", NULL, FIELD_LITERAL, offsetof(JobInHand, role)},
    {"round", NULL, FIELD_NUMBER, offsetof(JobInHand, round)},
    {"steps", NULL, FIELD_NUMBER, offsetof(JobInHand, steps)},
    {"subject", NULL, FIELD_LITERAL, offsetof(JobInHand, subject)},
    {"asker", NULL, FIELD_LITERAL, offsetof(JobInHand, asker)},
    {"answered", NULL, FIELD_BOOL, offsetof(JobInHand, answered)},
    {"shown", .made = shown_of},
    {"open", .made = open_of},
};
const Shape job_in_hand_shape = {.fields = in_hand_fields,
                                 .n = G_N_ELEMENTS(in_hand_fields),
                                 .size = sizeof(JobInHand)};

static const char *const question_names[] = {"open", "approved", "rejected", "void"};
G_STATIC_ASSERT(G_N_ELEMENTS(question_names) == QUESTION_N_STATES);
/* Nothing that we do not understand is approved. */
const Words question_state_all = {question_names, QUESTION_N_STATES, QUESTION_VOID};

/* People are told of a question by a mail, and by members of the mail that is held for it. */
static const Field question_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(Question, id)},
    {NULL, "msgid", FIELD_MSGID, offsetof(Question, msgid)},
    {NULL, "kind", FIELD_TEXT, offsetof(Question, kind)},
    {NULL, "asks", FIELD_TEXT, offsetof(Question, asks)},
    {NULL, "job", FIELD_ID, offsetof(Question, job)},
    {NULL, "round", FIELD_NUMBER, offsetof(Question, round)},
    {NULL, "state", FIELD_WORD, offsetof(Question, state), &question_state_all},
    {NULL, "who", FIELD_TEXT_NULL, offsetof(Question, who)},
    {NULL, "why", FIELD_TEXT_NULL, offsetof(Question, why)},
    {NULL, "asked_us", FIELD_TIME, offsetof(Question, asked_us)},
    {NULL, "decided_us", FIELD_TIME, offsetof(Question, decided_us)},
    {NULL, "until_us", FIELD_NEVER, offsetof(Question, until_us)},
    {NULL, "used_us", FIELD_TIME, offsetof(Question, used_us)},
    {NULL, "later", FIELD_BOOL, offsetof(Question, later)},
    {NULL, "payload", FIELD_TEXT_NULL, offsetof(Question, payload)},
    {NULL, "may", FIELD_NUMBER, offsetof(Question, may)},
    {NULL, "about", FIELD_INT, offsetof(Question, about)},
    {NULL, "digest", FIELD_DIGEST, offsetof(Question, digest)},
};
const Shape question_shape = {SHAPE("q", Question, questions, question_fields)};

static const Field permit_fields[] = {
    {"id", "id", FIELD_INT, offsetof(Permit, id)},
    {"role", "role", FIELD_TEXT, offsetof(Permit, role)},
    {"tool", "tool", FIELD_TEXT, offsetof(Permit, tool)},
    {"what", "what", FIELD_TEXT, offsetof(Permit, what)},
    {"covers", "covers", FIELD_TEXT, offsetof(Permit, covers)},
    {"folder", "folder", FIELD_TEXT, offsetof(Permit, folder)},
    {"who", "who", FIELD_TEXT, offsetof(Permit, who)},
    {"job", "job", FIELD_ID, offsetof(Permit, job)},
    {"made", "made_us", FIELD_TIME, offsetof(Permit, made_us)},
    {"until", "until_us", FIELD_NEVER, offsetof(Permit, until_us)},
    {"left", "uses_left", FIELD_INT, offsetof(Permit, left)},
    {"uses", "uses", FIELD_INT, offsetof(Permit, uses)},
    {"last", "last_us", FIELD_TIME, offsetof(Permit, last_us)},
    {"ended", "ended_us", FIELD_TIME, offsetof(Permit, ended_us)},
    {"ended_by", "ended_by", FIELD_TEXT_NULL, offsetof(Permit, ended_by)},
};
const Shape permit_shape = {SHAPE("p", Permit, permits, permit_fields)};

static const Field schedule_fields[] = {
    {"id", "id", FIELD_INT, offsetof(Schedule, id)},
    {"when", "spec", FIELD_TEXT, offsetof(Schedule, spec)},
    {"role", "role", FIELD_TEXT, offsetof(Schedule, role)},
    {"subject", "subject", FIELD_TEXT, offsetof(Schedule, subject)},
    {"body", "body", FIELD_TEXT, offsetof(Schedule, body)},
    {"next", "next_us", FIELD_TIME, offsetof(Schedule, next_us)},
    {"last", "last_us", FIELD_NEVER, offsetof(Schedule, last_us)},
    {"created", "created_us", FIELD_TIME, offsetof(Schedule, created_us)},
};
const Shape schedule_shape = {SHAPE("schedule", Schedule, schedules, schedule_fields)};

static const char *const by_names[] = {"day", "role", "job", "brain", "artifact"};
G_STATIC_ASSERT(G_N_ELEMENTS(by_names) == COST_N);
const Words cost_by_all = {by_names, COST_N, COST_DAY};

static const Field cost_fields[] = {
    {"job", "job", FIELD_ID, offsetof(CostRow, job), .flags = FIELD_IF_SET},
    {"role", "role", FIELD_TEXT_NULL, offsetof(CostRow, role), .flags = FIELD_IF_SET},
    {"subject", "name", FIELD_TEXT, offsetof(CostRow, name)},
    {"steps", "steps", FIELD_INT, offsetof(CostRow, steps)},
    {"cost_usd", "cost", FIELD_MONEY, offsetof(CostRow, cost_micro)},
};
const Shape cost_row_shape = {SHAPE("c", CostRow, cost_rows, cost_fields)};
