#include "base/crash.h"
#include "base/digest.h"
#include "engine/out/role_mail.h"
#include "engine/people/notice.h"
#include "engine/people/question_kind.h"
#include "engine/people/words.h"
#include "engine/permit/asked_call.h"
#include "engine/role.h"
#include "engine/run/commit.h"
#include "engine/run/disarm.h"
#include "mail/address.h"
#include "store/job/permits.h"
#include "store/job/steering.h"
#include "store/job/timers.h"

/*
 * May an agent make this tool call? And: what does the agent want to know (AskUserQuestion)?
 * Both wait in the agent's session; a yes is used later, by the run that goes on
 * (engine/permit/permit.h). One mail shows all that a run asks, and what its role still waits
 * for from before.
 */
#define SHOWN_AT_ONCE 20u /* questions in one mail */

/* --- what is shown --- */

/* Adds one member of the call's input: behind its name, or below the name if the value has
 * several lines. */
static void
add_member(GString *s, const char *name, const json_t *value)
{
    g_autofree char *made = json_is_string(value) ? NULL : json_format(value);
    const char *text = made ? made : json_string_value(value);
    if (strchr(text, '\n'))
        g_string_append_printf(s, "%s:\n%s\n", name, text);
    else
        g_string_append_printf(s, "%s: %s\n", name, text);
}

static void
add_input(GString *s, const AskedCall *c)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const char *command = permit_command(&c->call), *name;
    json_t *value;
    if (command)
        g_string_append_printf(text, "%s\n", command);
    json_object_foreach((json_t *)c->call.input, name, value)
    {
        if (!command || json_string_value(value) != command)
            add_member(text, name, value);
    }
    g_autofree char *safe = disarm_links(text->str, NULL, DISARM_DATA);
    question_add_text(s, safe ? safe : text->str);
    if (safe)
        g_string_append(s, "In this question links that carry data do not work.\n");
}

static void
add_options(GString *s, const json_t *question)
{
    const json_t *options = json_object_get(question, "options"), *option;
    size_t i;
    json_array_foreach(options, i, option)
    {
        const char *label = json_string_value(json_object_get(option, "label"));
        const char *more = json_string_value(json_object_get(option, "description"));
        g_string_append_printf(s, "  %zu  %s%s%s\n", i + 1, label ? label : "?",
                               more && *more ? ": " : "", more ? more : "");
    }
    if (json_is_true(json_object_get(question, "multiSelect")))
        g_string_append(s, "  (several may be chosen)\n");
}

/* Adds the questions that the agent asks, each with numbered choices. */
static void
add_agent_questions(GString *s, const AskedCall *c)
{
    const json_t *questions = json_object_get(c->call.input, "questions"), *question;
    g_autoptr(GString) text = g_string_new(NULL);
    size_t n = json_array_size(questions), i;
    json_array_foreach(questions, i, question)
    {
        const char *words = json_string_value(json_object_get(question, "question"));
        if (n > 1)
            g_string_append_printf(text, "%s%zu. ", i ? "\n" : "", i + 1);
        g_string_append_printf(text, "%s\n", words ? words : "?");
        add_options(text, question);
    }
    g_autofree char *safe = disarm_links(text->str, NULL, DISARM_DATA);
    question_add_text(s, safe ? safe : text->str);
}

static void
add_standing(GString *s, const AskedCall *c)
{
    const char *thing = g_str_equal(c->what, "command") ? "exactly this command"
                        : g_str_equal(c->what, "file")  ? "this file, whatever is in the call"
                                                        : "exactly this input";
    if (c->each_time)
        g_string_append(s, "This is asked each time; nothing longer than one yes covers it.\n");
    else if (!asked_call_ungrantable(c))
        g_string_append_printf(s,
                               "A yes for longer covers: role %s, tool %s, %s, in the folder "
                               "%s.\n",
                               c->role, c->call.tool, thing, c->folder);
}

static void
add_call(GString *s, const AskedCall *c, JobId job)
{
    const char *no_way = asked_call_ungrantable(c);
    if (c->is_question) {
        g_string_append_printf(s, "Job %" PRId64 " of %s asks:\n\n", job.v, c->role);
        add_agent_questions(s, c);
        return;
    }
    g_string_append_printf(
        s, "Job %" PRId64 " of %s would use %s in %s. It asks, since %s.\n\n", job.v, c->role,
        c->call.tool, c->folder, c->why);
    add_input(s, c);
    g_string_append_c(s, '\n');
    if (no_way)
        g_string_append_printf(s, "It can't be granted alone: %s. Say REJECT: and how else.\n",
                               no_way);
    add_standing(s, c);
}

static bool
describe_call(Engine *engine, const Question *q, const char *ahead, GString *s, GError **error)
{
    g_auto(AskedCall) c = {0};
    if (!asked_call_read(q->payload, &c, error))
        return false;
    add_call(s, &c, q->job);
    return true;
}

static bool
digest_call(Db *db, const Question *q, Digest *ret, GError **error)
{
    g_auto(AskedCall) c = {0};
    if (!asked_call_read(q->payload, &c, error))
        return false;
    asked_call_digest(q->job, &c.call, ret);
    return true;
}

/* --- what an answer does --- */

static bool
put_standing(const Deciding *d, const AskedCall *c, GError **error)
{
    const HoldAnswer *a = d->answer;
    const Permit p = {.role = (char *)c->role,
                      .tool = (char *)c->call.tool,
                      .what = (char *)c->what,
                      .covers = (char *)c->covers,
                      .folder = (char *)c->folder,
                      .who = (char *)a->who,
                      .job = d->question->job,
                      .until_us = a->until_us ? a->until_us : USEC_NEVER,
                      .left = a->times ? a->times - 1 : -1}; /* this call is one of them */
    PermitId id;
    if (!permit_put(d->txn, &p, &id, error))
        return false;
    g_autofree char *until = a->until_us ? clock_format_iso(a->until_us) : NULL;
    g_string_append_printf(d->done, "  and from now on, %s%s, without asking: permit %" PRId64 ", "
                                    "which 'postrider permit revoke %" PRId64 "' ends\n",
                           until ? "until " : a->times ? "" : "always",
                           until ? until : "", id.v, id.v);
    if (a->times)
        g_string_append_printf(d->done, "  (%" PRId64 " more times)\n", a->times - 1);
    return true;
}

/* Why a yes can't be given; NULL: it can. */
static const char *
why_stuck(const HoldAnswer *a, const AskedCall *c)
{
    bool standing = a->always || a->times || a->until_us;
    if (!a->approve)
        return NULL;
    if (c->is_question)
        return a->why && !standing ? NULL : "it asks for an answer: a number, or words";
    if (standing && c->each_time)
        return "this is asked each time: say APPROVE alone";
    if ((a->times || a->until_us) && g_str_equal(c->client, "opencode"))
        return "opencode hears once at its start what is allowed: say APPROVE, or APPROVE ALWAYS";
    return asked_call_ungrantable(c);
}

static bool
decide_call(Deciding *d, GError **error)
{
    const HoldAnswer *a = d->answer;
    g_auto(AskedCall) c = {0};
    if (!asked_call_read(d->question->payload, &c, error))
        return false;
    g_autofree char *line = asked_call_line(&c.call);
    const char *stuck = why_stuck(a, &c);
    if (stuck) {
        g_string_append_printf(d->stuck, "  %s: %s\n", line, stuck);
        return true;
    }
    g_string_append_printf(d->done, "  %s\n", line);
    d->n_done++;
    return !a->approve || !(a->always || a->times || a->until_us) || put_standing(d, &c, error);
}

/* Where the model must repeat its call it has to know that. A session that is resumed without a
 * prompt is not shown this: there the hook tells. */
static bool
call_news(Db *db, const Question *q, GString *s, GError **error)
{
    g_auto(AskedCall) c = {0};
    if (!asked_call_read(q->payload, &c, error))
        return false;
    g_autofree char *line = asked_call_line(&c.call);
    bool yes = q->state == QUESTION_APPROVED;
    if (c.is_question)
        g_string_append_printf(s, "Your question was %s.\n", yes ? "answered" : "turned down");
    else if (q->used_us)
        g_string_append_printf(s, "Your call %s was %s.\n", line, yes ? "approved" : "refused");
    else
        g_string_append_printf(s, "Your call %s was %s.\n", line,
                               yes ? "approved: make exactly this call again, and it passes once"
                                   : "refused: do not make it");
    return true;
}

const QuestionKind question_permit = {
    .name = "permit",
    .may = MAY_APPROVE,
    .later = true,
    .subject = "may this be done?",
    .how = "Reply to this mail with one of these alone on the first line:\n\n"
           "  APPROVE             it happens exactly as shown, once\n"
           "  APPROVE ALWAYS      likewise, and from now on without asking\n"
           "  APPROVE 10          likewise, ten times in all\n"
           "  APPROVE UNTIL FRI   likewise, until then: a day, a date, a time\n"
           "  REJECT: why         it does not happen, and the agent goes on with what you write\n\n"
           "Any other words are a no with these words. Without an answer nothing happens.",
    .changed = "this does not happen. Nothing changed now. REJECT ends it",
    .no_way = "It can't be granted so",
    .traces = {"a tool call was rejected", "a tool call was approved"},
    .said = {{"This does not happen", "These do not happen"},
             {"This happens now", "These happen now"}},
    .describe = describe_call,
    .digest = digest_call,
    .decide = decide_call,
    .became = {"refused", "approved"},
    .news = call_news,
};

const QuestionKind question_agent = {
    .name = "agent-question",
    .may = MAY_ASK,
    .later = true,
    .subject = "a question",
    .how = "Reply to this mail with the number of your choice, several numbers, or in your own "
           "words. Several questions are answered line by line.",
    .changed = "nothing is answered now. REJECT ends it",
    .no_way = "That is no answer",
    .traces = {"a question was turned down", "a question was answered"},
    .said = {{"The agent hears that you did not answer", "The agent hears that you did not answer"},
             {"The agent hears your answer", "The agent hears your answer"}},
    .describe = describe_call,
    .digest = digest_call,
    .decide = decide_call,
    .became = {"turned down", "answered"},
    .news = call_news,
};

/* --- asking --- */

/* A question of the agent's is for whoever asked, where that is a person we work for; a yes is
 * the owner's to give. */
static const char *
whom_to_ask(Engine *engine, const Job *job, bool is_question)
{
    const Config *config = engine->home->config;
    bool person = is_question && config_is_person(config, job->asker) &&
                  (rights_of(config, job->asker, TRUST_PRINCIPAL) & MAY_ASK);
    return person ? job->asker : config->owner;
}

/* A question that is about to be asked: its row, and its text. */
typedef struct Asking {
    Question q;
    char *asks, *payload;
} Asking;

static void
asking_free(gpointer p)
{
    Asking *a = p;
    free_all(a->asks, a->payload, a);
}

static Asking *
asking_new(const Job *job, const ProposedCall *call, int step, GError **error)
{
    g_auto(AskedCall) c = {0};
    Asking *a = g_new0(Asking, 1);
    json_object_set_new(call->doc, "step", json_integer(step));
    a->payload = json_format(call->doc);
    if (!asked_call_read(a->payload, &c, error)) {
        asking_free(a);
        return NULL;
    }
    const QuestionKind *kind = c.is_question ? &question_agent : &question_permit;
    g_autofree char *line = asked_call_line(&c.call);
    a->asks = c.is_question ? g_strdup("the agent has a question.")
                            : g_strdup_printf("may it do this? %s.", line);
    a->q = (Question){.kind = (char *)kind->name,
                      .asks = a->asks,
                      .payload = a->payload,
                      .may = kind->may,
                      .job = job->id,
                      .round = job->round,
                      .digest = call->digest,
                      .later = true,
                      .until_us = USEC_NEVER};
    return a;
}

static bool
add_shown(Engine *engine, const Question *q, unsigned n, bool several, GString *s, GError **error)
{
    if (several)
        g_string_append_printf(s, "%s%u. ", n > 1 ? "\n" : "", n);
    g_autofree char *hex = digest_hex(&q->digest);
    if (!describe_call(engine, q, NULL, s, error))
        return false;
    g_string_append_printf(s, "Digest of what is shown: %s\n", hex);
    return true;
}

static void
add_how(GString *s, const Question *first, bool several)
{
    g_string_append_printf(s, "\n%s", question_kind(first->kind)->how);
    if (several)
        g_string_append(s, "\n\nTo decide each by itself, name it by its number: \"1 yes, 2 no: "
                           "why\". A word without a number is for all of them.");
}

/* The role's other open questions, so that one reply answers all of them; only those that the
 * same person may answer. */
static bool
older_questions(Engine *engine, const Job *job, const char *kind, Questions **ret, GError **error)
{
    g_autoptr(Questions) open = NULL;
    if (!questions_later(engine->db, (JobId){0}, job->role, &open, error))
        return false;
    for (guint i = open->len; i-- > 0;) {
        const Question *q = open->pdata[i];
        if (!g_str_equal(q->kind, kind) || !g_str_equal(kind, question_permit.name))
            g_ptr_array_remove_index(LIST_ARRAY(open), i);
    }
    *ret = g_steal_pointer(&open);
    return true;
}

/* All of them as the text of one mail. */
static bool
write_mail(Engine *engine,
           const GPtrArray *fresh,
           const Questions *older,
           const char *said,
           GString *s,
           GError **error)
{
    const Asking *first = g_ptr_array_index(fresh, 0);
    guint n_older = MIN(older->len, SHOWN_AT_ONCE);
    bool several = fresh->len + n_older > 1;
    if (g_str_equal(first->q.kind, question_permit.name))
        g_string_append(s, several ? "May these be done? Nothing of them has happened yet.\n\n"
                                   : "May this be done? Nothing of it has happened yet.\n\n");
    for (guint i = 0; i < fresh->len; i++) {
        const Asking *a = g_ptr_array_index(fresh, i);
        if (!add_shown(engine, &a->q, i + 1, several, s, error))
            return false;
    }
    for (guint i = 0; i < n_older; i++) {
        if (i == 0)
            g_string_append(s, "\nStill open from before:\n");
        if (!add_shown(engine, older->pdata[i], fresh->len + i + 1, several, s, error))
            return false;
    }
    if (said) {
        g_string_append(s, "\nIt says:\n\n");
        question_add_text(s, said);
    }
    add_how(s, &first->q, several);
    return true;
}

static bool
put_all(Txn *txn, const char *msgid, GPtrArray *fresh, const Questions *older, GError **error)
{
    int n = 0;
    for (guint i = 0; i < fresh->len; i++) {
        Asking *a = g_ptr_array_index(fresh, i);
        a->q.msgid = (char *)msgid;
        if (!question_put(txn, &a->q, &a->q.id, error) ||
            !question_show(txn, msgid, ++n, a->q.id, error))
            return false;
    }
    for (guint i = 0; i < MIN(older->len, SHOWN_AT_ONCE); i++) {
        if (!question_show(txn, msgid, ++n, older->pdata[i]->id, error))
            return false;
    }
    return true;
}

bool
hold_ask_calls(Engine *engine,
               Txn *txn,
               const Job *job,
               const RoleMailParent *original,
               const ProposedCalls *calls,
               const char *said,
               int step,
               GError **error)
{
    const ConfRole *role = role_get(engine, job->role, error);
    g_autoptr(GPtrArray) fresh = g_ptr_array_new_with_free_func(asking_free);
    g_autoptr(Questions) older = NULL;
    g_autofree char *msgid = NULL;
    g_autoptr(GString) s = g_string_new(NULL);
    if (!role)
        return false;
    LIST_EACH(const ProposedCall, call, calls) {
        Asking *a = asking_new(job, call, step, error);
        if (!a)
            return false;
        g_ptr_array_add(fresh, a);
    }
    const Asking *first = g_ptr_array_index(fresh, 0);
    const QuestionKind *kind = question_kind(first->q.kind);
    if (!older_questions(engine, job, kind->name, &older, error) ||
        !write_mail(engine, fresh, older, said, s, error))
        return false;
    const Notice notice = {.kind = MAIL_QUESTION,
                           .role = role,
                           .job = job,
                           .apart = true,
                           .to = whom_to_ask(engine, job, kind == &question_agent),
                           .subject = kind->subject,
                           .text = s->str,
                           .parent = original};
    int64_t due = txn_now(txn) + role->permit_within_us;
    return notice_post(engine, txn, &notice, &msgid, error) &&
           put_all(txn, msgid, fresh, older, error) &&
           (role->permit_within_us == 0 ||
            timer_set_about(txn, job->id, TIMER_PERMIT, msgid, due, error));
}

/* --- reminding --- */

static bool
is_any_open(const Questions *shown)
{
    LIST_EACH(const Question, q, shown)
        if (q->state == QUESTION_OPEN)
            return true;
    return false;
}

/* The reminder can be answered as the mail that it reminds of. */
static bool
show_again(Txn *txn, const char *msgid, const Questions *shown, GError **error)
{
    for (guint i = 0; i < shown->len; i++) {
        if (!question_show(txn, msgid, (int)i + 1, shown->pdata[i]->id, error))
            return false;
    }
    return true;
}

bool
hold_remind(Engine *engine, const Timer *t, bool *ret_did, GError **error)
{
    bool was = false, did = false;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        g_autoptr(Questions) shown = NULL;
        g_autoptr(Job) job = NULL;
        if (!timer_take(&txn, t, &was, error) ||
            !questions_shown(engine->db, t->subject, &shown, error) ||
            !job_load(engine->db, &VIEWER_OPERATOR, t->job, &job, error))
            return false;
        const ConfRole *role = job ? role_find(engine, job->role) : NULL;
        did = was && role && is_any_open(shown);
        const RoleMailParent parent = {.msgid = t->subject, .subject = question_permit.subject};
        g_autofree char *text = g_strdup_printf(WORDS_PERMIT_REMINDER, t->job.v);
        const Notice notice = {
            .role = role, .job = job, .apart = true, .text = text, .parent = &parent};
        g_autofree char *msgid = NULL;
        txn.ok = !did || (notice_post(engine, &txn, &notice, &msgid, error) &&
                          show_again(&txn, msgid, shown, error));
        CRASH_POINT("permit-reminder");
    }
    if (!txn.done)
        return false;
    *ret_did = did;
    return true;
}
