#include "base/banned.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/proc.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "engine/checkpoint.h"
#include "store/effects.h"
#include "store/jobs.h"
#include "store/outbox_smtp.h"
#include "store/pauses.h"
#include "store/questions.h"
#include "store/remote.h"
#include "store/schedules.h"
#include "store/steps.h"

#define DAY_US (24 * 3600 * USEC_PER_SEC)

/* What status knows; problems are sentences. */
typedef struct Status {
    GPtrArray *problems, *waiting; /* char * */
    pid_t master;
    int64_t held_mail, history;
    unsigned due;
    int64_t cost_micro;    /* since midnight UTC */
    int64_t forged, stale; /* checkpoint mails that were refused */
    GPtrArray *jobs, *held_out;
} Status;

static void note(GPtrArray *list, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
static void
note(GPtrArray *list, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_ptr_array_add(list, g_strdup_vprintf(fmt, args));
    va_end(args);
}

static pid_t
master_pid(const Home *home)
{
    if (!lock_is_held(home->state_fd, "master.lock"))
        return 0;
    return lock_holder(home->state_fd, "master.lock");
}

/* Work goes on without a log, but nobody could tell afterwards why anything happened. */
static void
note_log(const Home *home, GPtrArray *problems)
{
    if (!*home->config->log_file)
        return;
    g_autofree char *file = g_canonicalize_filename(home->config->log_file, home->path);
    g_autofree char *folder = g_path_get_dirname(file);
    bool there = access(file, F_OK) == 0;
    if (g_file_test(file, G_FILE_TEST_IS_DIR) || access(there ? file : folder, W_OK) < 0)
        note(problems, "the log '%s' can't be written: nothing is logged", file);
}

/* Brains that failed by themselves, as the last run left word. */
static bool
note_brains(Cli *cli, GPtrArray *problems, GError **error)
{
    const Config *config = cli->home->config;
    for (unsigned i = 0; i < config->n_brains; i++) {
        const char *name = config->brains[i].name;
        g_autofree char *why = NULL;
        g_auto(Pause) pause = {0};
        if (!brain_broken_why(cli->db, name, &why, error) ||
            !brain_pause(cli->db, name, &pause, error))
            return false;
        if (why)
            note(problems, "the brain '%s' does not work: %s; its jobs wait", name, why);
        if (pause.kind == PAUSE_LIMITED) {
            g_autofree char *wait = clock_format_span(pause.until_us - home_now(cli->home));
            note(problems, "the brain '%s' can't be asked for %s: %s; its jobs wait", name,
                 wait, pause.why);
        }
    }
    return true;
}

/* Accounts whose server is away or refuses us, as their process left word. */
static bool
note_accounts(Cli *cli, GPtrArray *problems, GError **error)
{
    const Config *config = cli->home->config;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        g_autofree char *why = NULL;
        if (!config_is_imap(&config->accounts[i]))
            continue;
        if (!remote_trouble(cli->db, config->accounts[i].name, &why, error))
            return false;
        if (why)
            note(problems, "the account '%s' does not work: %s", config->accounts[i].name, why);
    }
    return true;
}

/* Ways out that do not work, and mail whose fate nobody knows. */
static bool
note_smtp(Cli *cli, Status *s, GError **error)
{
    const Config *config = cli->home->config;
    unsigned doubt;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        g_autofree char *why = NULL;
        int64_t until;
        if (!outbox_account_paused(cli->db, config->accounts[i].name, &until, &why, error))
            return false;
        if (why)
            note(s->problems, "mail can't leave by SMTP: %s; it waits in the outbox", why);
    }
    if (!outbox_count_doubt(cli->db, &doubt, error))
        return false;
    if (doubt)
        note(s->waiting,
             "%u %s handed over without an answer; see: postrider outbox list --state in_doubt",
             doubt, doubt == 1 ? "mail was" : "mails were");
    return true;
}

static bool
get_count(Cli *cli, const char *name, int64_t *ret, GError **error)
{
    g_autofree char *text = NULL;
    *ret = 0;
    if (!meta_get(cli->db, name, &text, error))
        return false;
    if (text)
        (void)text_parse_int(text, 0, INT64_MAX, ret);
    return true;
}

/* Mail that would leave: what somebody was asked about, each with what to say, and the rest. */
static bool
note_held(Cli *cli, Status *s, GError **error)
{
    g_autoptr(GPtrArray) questions = NULL;
    unsigned rest = s->held_out->len;
    if (!questions_open(cli->db, (JobId){0}, &questions, error))
        return false;
    for (guint i = 0; i < questions->len; i++) {
        const Question *q = g_ptr_array_index(questions, i);
        g_autoptr(GPtrArray) mails = NULL;
        if (!question_mails(cli->db, q->id, &mails, error))
            return false;
        for (guint k = 0; k < mails->len; k++) {
            const QuestionMail *m = g_ptr_array_index(mails, k);
            if (m->undecided)
                note(s->waiting,
                     "job %" G_GINT64_FORMAT " asks: may mail %" G_GINT64_FORMAT
                     " to %s leave? postrider approve %" G_GINT64_FORMAT
                     ", or reject %" G_GINT64_FORMAT,
                     q->job.v, m->id.v, m->to, m->id.v, m->id.v);
            for (guint h = 0; m->undecided && h < s->held_out->len; h++)
                rest -= ((const OutRow *)g_ptr_array_index(s->held_out, h))->id.v == m->id.v;
        }
    }
    if (rest)
        note(s->waiting, "%u %s held; see: postrider outbox list", rest,
             rest == 1 ? "mail that would leave is" : "mails that would leave are");
    return true;
}

static bool
collect(Cli *cli, Status *s, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    JobQuery live = {.live_only = true, .limit = 1000};
    OutQuery held = {.state = "held", .limit = 1000};
    unsigned failed;
    if (!jobs_list(cli->db, &viewer, &live, &s->jobs, error) ||
        !outbox_list(cli->db, &viewer, &held, &s->held_out, error) ||
        !outbox_count_due(cli->db, home_now(cli->home), &s->due, error) ||
        !messages_count_state(cli->db, MSG_HELD, NULL, &s->held_mail, error) ||
        !messages_count_state(cli->db, MSG_IGNORED, "history", &s->history, error) ||
        !steps_cost(cli->db, home_now(cli->home) - home_now(cli->home) % DAY_US, &s->cost_micro,
                    error) ||
        !effects_count(cli->db, true, &failed, error) ||
        !get_count(cli, CHECKPOINT_FORGED, &s->forged, error) ||
        !get_count(cli, CHECKPOINT_STALE, &s->stale, error))
        return false;
    s->master = master_pid(cli->home);
    g_autofree char *hold = db_hold_all(cli->db);
    if (hold)
        note(s->problems, "nothing runs or leaves: %s", hold);
    if (!s->master)
        note(s->problems, "postrider serve is not running");
    if (g_str_equal(cli->home->config->require_auth, "none"))
        note(s->problems,
             "require-auth = none: anybody who writes the owner's address is believed");
    note_log(cli->home, s->problems);
    if (!note_brains(cli, s->problems, error) || !note_smtp(cli, s, error) || !note_accounts(cli, s->problems, error) || !schedules_check(cli->db, s->problems, error))
        return false;
    if (failed)
        note(s->problems, "%u %s of mail could not be done; see: postrider doctor", failed,
             failed == 1 ? "move" : "moves");
    if (s->held_mail)
        note(s->waiting, "%" G_GINT64_FORMAT " %s held; see: postrider mail list --state held",
             s->held_mail, s->held_mail == 1 ? "mail that came is" : "mails that came are");
    if (s->history)
        note(s->waiting,
             "%" G_GINT64_FORMAT
             " old %s left alone; see: postrider mail list --state ignored; "
             "to work them off: postrider doctor --release all",
             s->history, s->history == 1 ? "mail was" : "mails were");
    if (!note_held(cli, s, error))
        return false;
    for (guint i = 0; i < s->jobs->len; i++) {
        const Job *j = g_ptr_array_index(s->jobs, i);
        if (j->state == JOB_STOPPED)
            note(s->waiting, "job %" G_GINT64_FORMAT " is stopped: %s", j->id.v, j->subject);
    }
    return true;
}

static json_t *
strings(const GPtrArray *list)
{
    json_t *a = json_array();
    for (guint i = 0; i < list->len; i++)
        json_array_append_new(a, json_string(g_ptr_array_index(list, i)));
    return a;
}

static void
print_json(Cli *cli, const Status *s)
{
    json_t *roles = json_array(), *jobs = json_array();
    const Config *config = cli->home->config;
    for (unsigned i = 0; i < config->n_roles; i++)
        json_array_append_new(roles, json_pack("{s:s, s:s}", "name", config->roles[i].name,
                                               "address", config->roles[i].address));
    for (guint i = 0; i < s->jobs->len; i++) {
        const Job *j = g_ptr_array_index(s->jobs, i);
        json_array_append_new(jobs, json_pack("{s:I, s:s, s:s, s:s}", "id", (json_int_t)j->id.v,
                                              "role", j->role, "state",
                                              job_state_name(j->state), "subject", j->subject));
    }
    cli_print_json(cli,
                   json_pack("{s:b, s:o, s:o, s:o, s:{s:i, s:i}, s:o, s:f, s:i, s:{s:I, s:I}}",
                             "ok", s->problems->len == 0, "problems", strings(s->problems),
                             "roles", roles, "jobs", jobs, "outbox", "due", (int)s->due, "held",
                             (int)s->held_out->len, "waiting_for_person", strings(s->waiting),
                             "cost_today", (double)s->cost_micro / 1e6, "master_pid",
                             (int)s->master, "refused_checkpoints", "forged",
                             (json_int_t)s->forged, "stale", (json_int_t)s->stale));
}

static void
print_prometheus(Cli *cli, const Status *s)
{
    int by_state[JOB_N_STATES] = {0};
    for (guint i = 0; i < s->jobs->len; i++)
        by_state[((const Job *)g_ptr_array_index(s->jobs, i))->state]++;
    cli_print(cli, "postrider_up %d\n", s->master != 0);
    for (int i = 0; i < JOB_N_STATES; i++)
        cli_print(cli, "postrider_jobs{state=\"%s\"} %d\n", job_state_name(i), by_state[i]);
    cli_print(cli,
              "postrider_outbox_due %u\npostrider_outbox_held %u\npostrider_mail_held "
              "%" G_GINT64_FORMAT "\npostrider_problems %u\n",
              s->due, s->held_out->len, s->held_mail, s->problems->len);
}

static void
print_lines(Cli *cli, const char *heading, const GPtrArray *lines)
{
    if (lines->len)
        cli_print(cli, "%s\n", heading);
    for (guint i = 0; i < lines->len; i++) {
        cli_print(cli, "  ");
        cli_print_vis(cli, g_ptr_array_index(lines, i), false);
        cli_print(cli, "\n");
    }
}

static void
print_text(Cli *cli, const Status *s)
{
    const Config *config = cli->home->config;
    cli_print(cli, "home %s, %u role%s, ", cli->home->path, config->n_roles,
              config->n_roles == 1 ? "" : "s");
    if (s->master)
        cli_print(cli, "served by process %d\n", (int)s->master);
    else
        cli_print(cli, "not served\n");
    print_lines(cli, "problems:", s->problems);
    print_lines(cli, "waits for you:", s->waiting);
    if (s->jobs->len == 0)
        cli_print(cli, "no live jobs\n");
    for (guint i = 0; i < s->jobs->len; i++) {
        const Job *j = g_ptr_array_index(s->jobs, i);
        g_autofree char *ago = cli_ago(cli, j->updated_us);
        g_autofree char *subject = text_vis(j->subject, false);
        cli_print(cli, "job %" G_GINT64_FORMAT " %s, %s, %s: %s\n", j->id.v,
                  job_state_words(j->state), j->role, ago, subject);
    }
    if (s->due)
        cli_print(cli, "%u %s due\n", s->due, s->due == 1 ? "delivery is" : "deliveries are");
    if (s->forged || s->stale)
        cli_print(cli,
                  "checkpoint mails that were refused: %" G_GINT64_FORMAT
                  " forged, %" G_GINT64_FORMAT " stale\n",
                  s->forged, s->stale);
    if (s->cost_micro)
        cli_print(cli, "spent today: $%.2f\n", (double)s->cost_micro / 1e6);
}

/* One line: 0 fine, 1 something is wrong or waits, 2 broken. */
static int
check(Cli *cli, const Status *s)
{
    const char *first = s->problems->len  ? g_ptr_array_index(s->problems, 0)
                        : s->waiting->len ? g_ptr_array_index(s->waiting, 0)
                                          : NULL;
    cli_print(cli, "%s%s%s\n", first ? "ATTENTION" : "OK", first ? ": " : "",
              first ? first : "");
    return first ? 1 : 0;
}

int
cmd_status(Cli *cli, int argc, char **argv)
{
    gboolean one_line = FALSE, prometheus = FALSE;
    const GOptionEntry options[] = {
        {"check", 0, 0, G_OPTION_ARG_NONE, &one_line, NULL, NULL},
        {"prometheus", 0, 0, G_OPTION_ARG_NONE, &prometheus, NULL, NULL},
        G_OPTION_ENTRY_NULL};
    GError *error = NULL;
    int status = cli_options("status", options, &argc, &argv);
    if (status)
        return status;
    if (argc > 1)
        return cli_usage("status", "takes no operand");
    status = cli_db(cli, DB_READ);
    if (status)
        return one_line ? 2 : status;
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) waiting = g_ptr_array_new_with_free_func(g_free);
    Status s = {.problems = problems, .waiting = waiting};
    if (!collect(cli, &s, &error))
        status = cli_error(one_line ? 2 : 0, error);
    else if (one_line)
        status = check(cli, &s);
    else if (cli->json)
        print_json(cli, &s);
    else if (prometheus)
        print_prometheus(cli, &s);
    else
        print_text(cli, &s);
    g_clear_pointer(&s.jobs, g_ptr_array_unref);
    g_clear_pointer(&s.held_out, g_ptr_array_unref);
    return status;
}
