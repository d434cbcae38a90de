#include "base/json.h"
#include "base/limits.h"
#include "base/lock.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/home/pass.h"
#include "cli/job/step_lines.h"
#include "cli/mail/outgoing.h"
#include "mail/message.h"
#include "store/job/jobs.h"
#include "store/out/outbox.h"
#include <poll.h>
#include <sys/inotify.h>

/* The store says nothing by itself; its log changes with every commit, and a lost event costs
 * this. */
#define LOOK_AGAIN_MS 500
/* A job that is tried again later than this is not waited for. */
#define PATIENCE_US (30 * USEC_PER_SEC)
/* Who sits before a terminal for so long is told what they wait for. */
#define SILENCE_US (2 * USEC_PER_SEC)

/* --- waiting --- */

/* What became of the question so far. */
typedef struct Outcome {
    bool over;
    int status;
    JobId job;
    int round;
    bool asks;        /* it waits for what `why` names */
    const char *word; /* "cancelled", "held"; NULL: as the status has it */
    char *why;        /* why there is no answer */
} Outcome;

static void
outcome_clear(Outcome *o)
{
    g_clear_pointer(&o->why, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Outcome, outcome_clear)

static int
exit_of(const Job *job, int64_t now_us)
{
    switch (job->state) {
    case JOB_QUEUED: /* its brain is broken, or at its limit */
        return job->why && job->ready_us - now_us > PATIENCE_US ? EX_TEMPFAIL : -1;
    case JOB_DONE:
        return 0;
    case JOB_FAILED:
    case JOB_CANCELLED:
        return 1;
    case JOB_STOPPED:
        return EX_TEMPFAIL;
    case JOB_PARKED: /* at the limit of a run it goes on by itself */
        return job->waiting_for ? EX_TEMPFAIL : -1;
    default:
        return -1;
    }
}

/* A mail that is no work: an order, which was answered, or one that is kept from everybody. */
static void
judge_idle(const MsgRow *row, Outcome *ret)
{
    if (row->state == MSG_STORED || row->state == MSG_SHOWN)
        return;
    ret->over = true;
    if (row->class == MSG_ORDER)
        return;
    bool held = row->state == MSG_HELD;
    ret->status = held ? EX_TEMPFAIL : EX_NOPERM;
    ret->word = held ? "held" : NULL;
    ret->why = g_strdup_printf("the mail is %s: %s", msg_state_name(row->state), row->why);
}

/* What was asked may have been answered while its job goes on with something else. */
static int
exit_of_mail(const MsgRow *row, const Job *job, bool asks, int64_t now_us)
{
    bool same = job->round == row->round;
    if (row->state == MSG_DEAD || row->state == MSG_IGNORED ||
        (same && (job->state == JOB_FAILED || job->state == JOB_CANCELLED)))
        return 1;
    return row->state == MSG_HANDLED && !asks ? 0 : exit_of(job, now_us);
}

static int
look(Cli *cli, Engine *engine, const char *msgid, Outcome *ret)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Job) job = NULL;
    if (!messages_find(engine->db, &VIEWER_OPERATOR, msgid, &row, &cli->error))
        return cli_failed(cli, 0);
    if (!row)
        return 0;
    if (!row->job.v) {
        judge_idle(row, ret);
        return 0;
    }
    if (!job_load(engine->db, &VIEWER_OPERATOR, row->job, &job, &cli->error))
        return cli_failed(cli, 0);
    ret->job = row->job;
    ret->round = row->round;
    /* What it said may be a question of its own. */
    ret->asks = job->state == JOB_PARKED && job->waiting_for && job->round == row->round;
    ret->status = exit_of_mail(row, job, ret->asks, home_now(cli->home));
    ret->over = row->state == MSG_HANDLED || ret->status >= 0;
    ret->word = ret->status == 1 && job->state == JOB_CANCELLED ? "cancelled" : NULL;
    if (ret->status > 0)
        ret->why = g_strdup(ret->asks ? job->waiting_for : job->why ? job->why : row->why);
    return 0;
}

static void
drain(int inotify)
{
    char buf[4096];
    while (read(inotify, buf, sizeof buf) > 0)
        ;
}

/* Sleeps until the store changes, half a second at most. */
static void
wait_for_change(int inotify)
{
    struct pollfd fd = {.fd = inotify, .events = POLLIN};
    if (poll(&fd, 1, LOOK_AGAIN_MS) > 0)
        drain(inotify);
}

/* While a person has to decide about the whole home no question is answered. */
static bool
is_held(Engine *engine, Outcome *ret)
{
    g_autofree char *why = db_hold_all(engine->db);
    if (!why)
        return false;
    ret->over = true;
    ret->status = EX_TEMPFAIL;
    ret->why = g_strdup_printf("your mail is kept, but nothing runs: %s", why);
    return true;
}

/* Says once what is waited for, and once more when the mail has become a job; false: it may yet. */
static bool
tell_waiting(JobId job, bool served, bool again)
{
    if (!served)
        (void)cli_fail(0, "no 'postrider serve' is at work here, so this does the work itself; "
                          "Ctrl-C ends it after this step, a second one at once");
    else if (job.v)
        (void)cli_fail(0,
                       "job %" G_GINT64_FORMAT " is at work; Ctrl-C leaves it at work and the "
                       "answer comes by mail; see: postrider watch %" G_GINT64_FORMAT,
                       job.v, job.v);
    else if (!again)
        (void)cli_fail(0, "the mail is not taken in yet; see: postrider status");
    return !served || job.v;
}

/* Somebody pressed Ctrl-C; what was under way may have come to its end all the same. */
static int
broken_off(Cli *cli, Engine *engine, const char *msgid, Outcome *ret)
{
    int status = look(cli, engine, msgid, ret);
    if (status || ret->over)
        return status;
    ret->over = true;
    ret->status = EX_TEMPFAIL;
    ret->why = g_strdup("it was broken off; 'postrider serve' goes on with it");
    return 0;
}

static int
wait_for_answer(Cli *cli, Engine *engine, const char *msgid, Outcome *ret)
{
    int64_t silent_until_us = clock_mono_us() + SILENCE_US;
    bool wanted = step_lines_wanted(), told = !wanted, began = false;
    int step = 0;
    g_autofree char *state = g_build_filename(cli->home->path, "state", NULL);
    auto_fd inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    (void)inotify_add_watch(inotify, state, IN_MODIFY);
    for (;;) {
        PassStats stats;
        int status = look(cli, engine, msgid, ret);
        if (status || ret->over || is_held(engine, ret))
            return status;
        bool served = lock_is_held(cli->home->state_fd, "master.lock");
        if (!told && (!served || clock_mono_us() >= silent_until_us)) {
            told = tell_waiting(ret->job, served, began);
            began = true;
        }
        if (served) {
            if (wanted)
                step_lines_tell(engine->db, ret->job, &step);
            wait_for_change(inotify);
            continue;
        }
        if (!pass_run(engine, 0, &stats, &cli->error)) {
            if (err_is(cli->error, ERR_CANCELLED)) {
                g_clear_error(&cli->error);
                return broken_off(cli, engine, msgid, ret);
            }
            if (!err_is(cli->error, ERR_LATER))
                return cli_failed(cli, 0);
            g_clear_error(&cli->error); /* somebody else is at it */
            wait_for_change(inotify);
        } else if (stats.mails + stats.jobs + stats.sent == 0) {
            drain(inotify);           /* what the pass itself wrote */
            wait_for_change(inotify); /* queued for later: a pause, a retry */
        }
    }
}

/* --- printing --- */

static void
print_answer(Cli *cli, const Message *m)
{
    cli_print_vis(cli, m->text, true);
    cli_print(cli, "\n");
    LIST_EACH(const MsgPart, part, m->files) {
        g_autofree char *size = text_format_size(part->size);
        g_autofree char *name = text_vis(part->filename, false);
        cli_print(cli, "[attached: %s, %s]\n", name, size);
    }
}

static json_t *
answer_json(const Message *m)
{
    json_t *attached = json_array();
    LIST_EACH(const MsgPart, part, m->files) {
        json_array_append_new(attached, json_pack("{s:s, s:s, s:I}", "filename", part->filename,
                                                  "content_type", part->content_type,
                                                  "size_bytes", (json_int_t)part->size));
    }
    g_autofree char *id = g_strdup_printf("<%s>", m->id);
    return json_pack("{s:s, s:s, s:s, s:o}", "message_id", id, "subject", m->subject, "text",
                     m->text, "attachments", attached);
}

/* Without a job, the answer to an order is known by what it answers. */
static void
take_answer(Cli *cli, const OutRow *row, const char *to, json_t *ret_answers)
{
    g_autoptr(Message) m = message_parse_bytes(row->bytes, MESSAGE_TEXT);
    if (to && g_strcmp0(m->in_reply_to, to) != 0)
        return;
    char *footer = g_strrstr(m->text, "\n-- \n");
    if (footer)
        *footer = '\0';
    g_strchomp(m->text);
    if (cli->json)
        json_array_append_new(ret_answers, answer_json(m));
    else
        print_answer(cli, m);
}

/* No answer is none, whatever became of the job. */
static void
judge_silence(Outcome *o, const char *held)
{
    if (o->status != 0 || !o->job.v)
        return;
    o->status = held ? EX_TEMPFAIL : 1;
    o->word = held ? "held" : NULL;
    o->why = held ? g_strdup_printf("its answer is held: %s", held)
                  : g_strdup("it ended without an answer");
}

/* Mail of this round to the owner that was written since the question, oldest first: printed, or
 * added to ret_answers for --json. */
static int
take_answers(Cli *cli,
             Engine *engine,
             Outcome *outcome,
             const char *msgid,
             int64_t since_us,
             json_t *ret_answers)
{
    g_autoptr(OutRows) rows = NULL;
    OutQuery q = {.job = outcome->job, .all = true, .limit = 100};
    const char *held = NULL;
    bool said = false;
    if (!outbox_list(engine->db, &VIEWER_OPERATOR, &q, &rows, &cli->error))
        return cli_failed(cli, 0);
    for (guint i = rows->len; i-- > 0;) {
        const OutRow *head = g_ptr_array_index(rows, i);
        g_autoptr(OutRow) row = NULL;
        if (head->state == OUT_HELD && head->created_us >= since_us)
            held = head->why;
        if (head->created_us < since_us || head->state == OUT_HELD ||
            !address_equal(head->address, cli->home->config->owner))
            continue;
        said |= head->step > 0; /* else it is an acknowledgement, or a word about money */
        if (!outbox_find(engine->db, &VIEWER_OPERATOR, head->msgid, &row, &cli->error))
            return cli_failed(cli, 0);
        if (row && row->bytes)
            take_answer(cli, row, outcome->job.v ? NULL : msgid, ret_answers);
    }
    if (!said)
        judge_silence(outcome, held);
    return 0;
}

static const char *
status_word(int status)
{
    switch (status) {
    case 0:
        return "answered";
    case EX_TEMPFAIL:
        return "waiting";
    case EX_NOPERM:
        return "refused";
    default:
        return "failed";
    }
}

/* One line why there is no answer. */
static void
say_outcome(const Outcome *o)
{
    g_autofree char *job =
        o->job.v ? g_strdup_printf("%" G_GINT64_FORMAT, o->job.v) : g_strdup("");
    const char *waits = o->asks ? " waits for " : " waits: ";
    const char *verb = o->status == EX_TEMPFAIL               ? waits
                       : g_strcmp0(o->word, "cancelled") == 0 ? " was cancelled: "
                                                              : " failed: ";
    const char *why = o->why ? o->why : "no reason was written down";
    if (!o->job.v)
        (void)cli_fail(0, "%s", why);
    else
        (void)cli_fail(0, "job %s%s%s; see: postrider show %s", job, verb, why, job);
}

/* The end, behind the answers; its exit status. */
static int
tell_outcome(Cli *cli, const Outcome *o, const char *msgid, json_t *answers)
{
    const char *word = o->word ? o->word : status_word(o->status);
    if (o->status && !cli->json)
        say_outcome(o);
    if (!cli->json)
        return o->status;
    g_autofree char *id = g_strdup_printf("<%s>", msgid);
    cli_print_json(cli, json_pack("{s:s, s:o, s:s, s:s?, s:O}", "message_id", id, "job",
                                  o->job.v ? json_integer(o->job.v) : json_null(), "status",
                                  word, "why", o->why, "answers", answers));
    return o->status;
}

static void
print_sent(Cli *cli, const char *msgid)
{
    g_autofree char *id = g_strdup_printf("<%s>", msgid);
    if (cli->json)
        cli_print_json(cli, json_pack("{s:s, s:s}", "message_id", id, "status", "sent"));
    else
        cli_print(cli, "%s\n", id);
}

static int
ask(Cli *cli, const char *text)
{
    const char *name = cli_text(cli, "to"), *said = cli_text(cli, "subject");
    g_autoptr(Engine) engine = NULL;
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    const Config *config = cli->home->config;
    const ConfRole *role = config_role_pick(config, name, &cli->error);
    if (!role)
        return cli_failed(cli, name ? EX_NOINPUT : 0);
    g_autofree char *subject = said ? g_strdup(said) : outgoing_subject(text);
    g_autofree char *msgid = NULL;
    char *to[] = {(char *)role->address, NULL};
    int64_t asked_us = home_now(cli->home);
    Outgoing mail = {.from = config->owner,
                     .to = to,
                     .subject = subject,
                     .body = text,
                     .files = cli_texts(cli, "attach")};
    if ((status = outgoing_send(cli, engine, &mail, &msgid)))
        return status;
    if (cli_flag(cli, "no-wait")) {
        print_sent(cli, msgid);
        return 0;
    }
    g_auto(Outcome) outcome = {0};
    g_autoptr(json_t) answers = json_array();
    if ((status = wait_for_answer(cli, engine, msgid, &outcome)) ||
        (status = take_answers(cli, engine, &outcome, msgid, asked_us, answers)))
        return status;
    return tell_outcome(cli, &outcome, msgid, answers);
}

int
cmd_ask(Cli *cli, int argc, char **argv)
{
    g_autofree char *text = NULL, *joined = g_strjoinv(" ", argv + 1);
    int status = 0;
    if (argc > 1)
        text = text_make_valid(joined, -1);
    else
        status = outgoing_read_text(LIMIT_MESSAGE_BYTES, "your question", &text);
    if (status)
        return status;
    if (!*g_strchug(text) && !cli_text(cli, "subject") && !cli_texts(cli, "attach"))
        return cli_usage(cli, "there is nothing to ask");
    return ask(cli, text);
}
