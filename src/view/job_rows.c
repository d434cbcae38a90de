#include "view/job_rows.h"
#include "view/mail_rows.h"

static const char *const state_names[] = {"queued", "running", "parked",   "done",
                                          "failed", "stopped", "cancelled"};
static const char *const state_words[] = {"queued", "working", "waiting",  "done",
                                          "failed", "stopped", "cancelled"};
static const char *const then_names[] = {"continue", "remind", "escalate"};
G_STATIC_ASSERT(G_N_ELEMENTS(state_names) == JOB_N_STATES);
G_STATIC_ASSERT(G_N_ELEMENTS(state_words) == JOB_N_STATES);
G_STATIC_ASSERT(G_N_ELEMENTS(then_names) == WAIT_N);
/* A word of a later version: shown, never run. */
static const Words states = {state_names, JOB_N_STATES, JOB_FAILED};
static const Words thens = {then_names, WAIT_N, WAIT_CONTINUE};

const char *
job_state_name(JobState s)
{
    return state_names[s];
}

const char *
job_state_words(JobState s)
{
    return state_words[s];
}

bool
job_state_parse(const char *name, JobState *ret)
{
    return words_parse(&states, name, ret);
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

#define AT(member) offsetof(Job, member)
static const Field job_fields[] = {
    {"id", "id", FIELD_INT, AT(id)},
    {"role", "role", FIELD_TEXT, AT(role)},
    {"state", "state", FIELD_WORD, AT(state), &states},
    {"phase", "phase", FIELD_TEXT, AT(phase)},
    {"iteration", "iteration", FIELD_NUMBER, AT(iteration)},
    {"total_iterations", "total_iterations", FIELD_NUMBER, AT(total_iterations)},
    {"round", "round", FIELD_NUMBER, AT(round)},
    {"subject", "subject", FIELD_TEXT, AT(subject)},
    {"from", "asker", FIELD_TEXT, AT(asker)},
    {"original_message_id", "original_msgid", FIELD_MSGID, AT(original_msgid)},
    {"epoch", "epoch", FIELD_INT, AT(epoch)},
    {"waiting_for", "waiting_for", FIELD_TEXT_NULL, AT(waiting_for)},
    {"why", "why", FIELD_TEXT_NULL, AT(why)},
    {"cost_usd", "cost_micro", FIELD_MONEY, AT(cost_micro)},
    {"updated", "updated_us", FIELD_TIME, AT(updated_us)},
    {"wakes_at", "wakes_us", FIELD_NEVER, AT(wakes_us)},
    {"wait_until", "resume_us", FIELD_NEVER, AT(resume.us)},
    {"wait_then", "wait_then", FIELD_WORD, AT(wait_then), &thens, .made = wait_then_of},
    {NULL, "thread", FIELD_INT, AT(thread)},
    {NULL, "original", FIELD_INT, AT(original)},
    {NULL, "face", FIELD_TEXT, AT(face)},
    {NULL, "instruction", FIELD_TEXT_NULL, AT(instruction)},
    {NULL, "attempts", FIELD_NUMBER, AT(attempts)},
    {NULL, "steps", FIELD_NUMBER, AT(steps)},
    {NULL, "step_limit", FIELD_NUMBER, AT(step_limit)},
    {NULL, "fence", FIELD_INT, AT(fence)},
    {NULL, "seq", FIELD_INT, AT(seq)},
    {NULL, "ready_us", FIELD_TIME, AT(ready_us)},
    {NULL, "deadline_us", FIELD_NEVER, AT(deadline_us)},
    {NULL, "created_us", FIELD_TIME, AT(created_us)},
    {NULL, "round_cost_micro", FIELD_MONEY, AT(round_cost_micro)},
    {NULL, "cost_limit_micro", FIELD_MONEY, AT(cost_limit_micro)},
    {NULL, "owner_host", FIELD_TEXT_NULL, AT(owner_host)},
    {NULL, "owner_boot", FIELD_TEXT_NULL, AT(owner_boot)},
    {NULL, "owner_pid", FIELD_NUMBER, AT(owner.pid)},
    {NULL, "owner_start", FIELD_INT, AT(owner.start_time)},
    {NULL, "resume_moment", FIELD_BOOL, AT(resume.moment)},
    {NULL, "floor", FIELD_WORD, AT(floor), &trust_words},
    {NULL, "may", FIELD_NUMBER, AT(may)},
    {NULL, "stalled_us", FIELD_NEVER, AT(stalled_us)},
    {NULL, "stall_told", FIELD_BOOL, AT(stall_told)},
    {NULL, "parked", FIELD_BOOL, AT(parked)},
};
#undef AT
const Shape job_shape = {SHAPE("job", Job, jobs, job_fields)};

#define AT(member) offsetof(Step, member)
static const Field step_fields[] = {
    {"n", "n", FIELD_NUMBER, AT(n)},
    {"round", "round", FIELD_NUMBER, AT(round)},
    {"took_ms", "took_us", FIELD_SPAN, AT(took_us)},
    {"cost_usd", "cost_micro", FIELD_MONEY, AT(cost_micro)},
    {"brain", "brain", FIELD_TEXT_NULL, AT(brain)},
    {"phase", "phase", FIELD_TEXT, AT(phase)},
    {"did", "did", FIELD_TEXT, AT(did)},
    {"because", "because", FIELD_TEXT_NULL, AT(because)},
    {"at", "at_us", FIELD_TIME, AT(at_us)},
    {NULL, "job", FIELD_INT, AT(job)},
    {NULL, "context", FIELD_DIGEST, AT(context)},
    {NULL, "answer", FIELD_BYTES, AT(answer), .flags = FIELD_HEAVY},
    {NULL, "manifest", FIELD_BYTES, AT(manifest), .flags = FIELD_HEAVY},
    {NULL, "state", FIELD_BYTES, AT(state), .flags = FIELD_HEAVY},
    {NULL, "results", FIELD_TEXT_NULL, AT(results), .flags = FIELD_HEAVY},
};
#undef AT
const Shape step_shape = {SHAPE("s", Step, steps, step_fields)};
const Shape step_whole = {SHAPE("s", Step, steps, step_fields), .whole = true};

static const char *const question_names[] = {"open", "approved", "rejected", "void"};
G_STATIC_ASSERT(G_N_ELEMENTS(question_names) == QUESTION_N_STATES);
/* Nothing that we do not understand is approved. */
static const Words question_states = {question_names, QUESTION_N_STATES, QUESTION_VOID};

const char *
question_state_name(QuestionState s)
{
    return question_names[s];
}

#define AT(member) offsetof(Question, member)
static const Field question_fields[] = {
    {"id", "id", FIELD_INT, AT(id)},
    {"message_id", "msgid", FIELD_MSGID, AT(msgid)},
    {"kind", "kind", FIELD_TEXT, AT(kind)},
    {"asks", "asks", FIELD_TEXT, AT(asks)},
    {"job", "job", FIELD_ID, AT(job)},
    {"round", "round", FIELD_NUMBER, AT(round)},
    {"state", "state", FIELD_WORD, AT(state), &question_states},
    {"who", "who", FIELD_TEXT_NULL, AT(who)},
    {"why", "why", FIELD_TEXT_NULL, AT(why)},
    {"asked", "asked_us", FIELD_TIME, AT(asked_us)},
    {"decided", "decided_us", FIELD_TIME, AT(decided_us)},
    {"until", "until_us", FIELD_NEVER, AT(until_us)},
    {NULL, "payload", FIELD_TEXT_NULL, AT(payload)},
    {NULL, "may", FIELD_NUMBER, AT(may)},
    {NULL, "about", FIELD_INT, AT(about)},
    {NULL, "digest", FIELD_DIGEST, AT(digest)},
};
#undef AT
const Shape question_shape = {SHAPE("q", Question, questions, question_fields)};

#define AT(member) offsetof(Schedule, member)
static const Field schedule_fields[] = {
    {"id", "id", FIELD_INT, AT(id)},
    {"when", "spec", FIELD_TEXT, AT(spec)},
    {"role", "role", FIELD_TEXT, AT(role)},
    {"subject", "subject", FIELD_TEXT, AT(subject)},
    {"body", "body", FIELD_TEXT, AT(body)},
    {"next", "next_us", FIELD_TIME, AT(next_us)},
    {"last", "last_us", FIELD_NEVER, AT(last_us)},
    {"created", "created_us", FIELD_TIME, AT(created_us)},
};
#undef AT
const Shape schedule_shape = {SHAPE("schedule", Schedule, schedules, schedule_fields)};

#define AT(member) offsetof(CostRow, member)
static const Field cost_fields[] = {
    {"job", "job", FIELD_ID, AT(job), .flags = FIELD_IF_SET},
    {"role", "role", FIELD_TEXT_NULL, AT(role), .flags = FIELD_IF_SET},
    {"subject", "name", FIELD_TEXT, AT(name)},
    {"steps", "steps", FIELD_INT, AT(steps)},
    {"cost_usd", "cost", FIELD_MONEY, AT(cost_micro)},
};
#undef AT
const Shape cost_row_shape = {SHAPE("c", CostRow, cost_rows, cost_fields)};
