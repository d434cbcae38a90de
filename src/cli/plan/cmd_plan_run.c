/* `plan run`: agents work on the plan of this folder until it is finished. With a home it is a job of face `plan`. */
#include "base/json.h"
#include "base/lock.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/plan/plan_cmd.h"
#include "engine/permit/permit_answer.h"
#include "plan/file/plan_words.h"
#include "plan/plan_work.h"

#define BUDGET_MAX (INT64_C(100000) * 1000000)

typedef struct RunCmd {
    Cli *cli;
    PlanCmd plan;
    PlanRow *row;
    Engine *engine; /* NULL: no home */
    const char *role;
    int max, level;
    int64_t until_us, budget_micro;
} RunCmd;

static void
run_cmd_clear(RunCmd *r)
{
    plan_cmd_clear(&r->plan);
    g_clear_pointer(&r->row, plan_row_free);
    g_clear_pointer(&r->engine, engine_close);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RunCmd, run_cmd_clear)

static void
say(void *data, const char *line)
{
    Cli *cli = ((RunCmd *)data)->cli;
    cli_print_vis(cli, line, true);
    cli_print(cli, "\n");
    (void)cli_flush(cli);
}

/* For the roles that are asked. A child of ours, so that an order reaches us meanwhile. */
static bool
pass(void *data, Proc **ret, GError **error)
{
    const Cli *cli = ((const RunCmd *)data)->cli;
    const char *const argv[] = {cli->self, "--home", cli->home->path, "serve", "--once", NULL};
    const ProcSpec spec = {.argv = argv};
    *ret = NULL;
    return lock_is_held(cli->home->state_fd, "master.lock") || proc_talk(&spec, ret, error);
}

/* --- before it begins --- */

static int
open_home(RunCmd *r)
{
    Cli *cli = r->cli;
    unsigned n = 0;
    r->role = cli_text(cli, "role");
    if (!cli_has_home(cli)) {
        if (r->role || cli_flag(cli, "detach"))
            return cli_fail(EX_CONFIG, "--%s needs a home: postrider init",
                            r->role ? "role" : "detach");
        return cli->rest && *cli->rest
                   ? 0
                   : cli_usage(
                         cli,
                         "without a home it needs the command that works: plan run -- COMMAND");
    }
    int status = cli_engine(cli, &r->engine);
    if (status)
        return status;
    const ConfRole *role = config_role_pick(cli->home->config, r->role, &cli->error);
    if (!role)
        return cli_failed(cli, r->role ? EX_NOINPUT : 0);
    r->role = role->name;
    return plan_settle_all(r->engine, &n, &cli->error) ? 0 : cli_failed(cli, 0);
}

static int
read_options(RunCmd *r)
{
    Cli *cli = r->cli;
    const char *until = cli_text(cli, "until"), *budget = cli_text(cli, "budget");
    int64_t now = cli->home ? home_now(cli->home) : clock_wall_us(&(Clock){0});
    r->until_us = USEC_NEVER;
    r->budget_micro = 0;
    if (until && !permit_until_parse(until, now, &r->until_us))
        return cli_usage(cli,
                         "--until takes a day (fri), a date (2026-11-20) or a time (18:00)");
    if (r->until_us <= now)
        return cli_usage(cli, "--until %s is over", until);
    const char *sum = budget && *budget == '$' ? budget + 1 : budget;
    if (sum && (!text_parse_money(sum, &r->budget_micro) || r->budget_micro <= 0 ||
                r->budget_micro > BUDGET_MAX))
        return cli_usage(cli, "--budget is an amount of dollars, such as 2.50");
    return 0;
}

/* The command as the row keeps it: a path that was typed from here counts from here. */
static char *
format_argv(char **words)
{
    g_autoptr(json_t) list = json_array();
    if (!words || !*words)
        return g_strdup("");
    for (char **w = words; *w; w++) {
        g_autofree char *path =
            w == words && strchr(*w, '/') ? g_canonicalize_filename(*w, NULL) : NULL;
        json_array_append_new(list, json_string(path ? path : *w));
    }
    return json_array_size(list) == g_strv_length(words) ? json_format(list) : NULL;
}

static int
make_row(RunCmd *r)
{
    Cli *cli = r->cli;
    g_autoptr(Plan) plan = NULL;
    g_autofree char *argv = format_argv(cli->rest);
    if (!argv)
        return cli_fail(EX_DATAERR, "the command is no UTF-8 text");
    if (!plan_file_read(r->plan.file, &plan, NULL, &cli->error))
        return cli_failed(cli, 0);
    if (!plan)
        return plan_cmd_no_state();
    if (plan_is_below_owner(plan, &r->plan.site.taker))
        return plan_cmd_refuse(cli, "starting agents on a plan");
    r->row = g_new0(PlanRow, 1);
    *r->row = (PlanRow){.host = g_strdup(""),
                        .project = g_strdup(r->plan.project->path),
                        .plan_file = g_strdup(plan_text(plan->members, "plan_file")),
                        .session_id = g_strdup(plan_text(plan->members, "session_id")),
                        .argv = g_steal_pointer(&argv),
                        .word = g_strdup(""),
                        .epoch = plan_number(plan->members, "epoch"),
                        .revision = plan_number(plan->members, "revision"),
                        .iterations = (int)plan_number(plan->members, "iteration_count"),
                        .total = (int)plan_number(plan->members, "total_iterations"),
                        .until_us = r->until_us,
                        .budget_micro = r->budget_micro};
    return 0;
}

/* --- the job --- */

/* What was typed now counts, also for a job that was begun before. */
static bool
keep_row(RunCmd *r, JobId job, bool go, GError **error)
{
    Engine *engine = r->engine;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    bool changed;
    r->row->job = job;
    while (txn_again(&txn, error))
        txn.ok = plan_row_put(&txn, r->row, error) &&
                 (go ? job_continue(&txn, job, 0, NULL, &changed, error) &&
                           plan_row_say(&txn, job, "go", error)
                     : plan_row_said(&txn, job, "go", error));
    return txn.done;
}

/* A project that was moved takes its job along; one that was copied has none yet. */
static bool
find_row(RunCmd *r, PlanRow **ret)
{
    Db *db = r->engine->db;
    g_autoptr(PlanRow) elsewhere = NULL;
    if (!plan_row_find(db, r->row->project, r->row->session_id, ret, &r->cli->error))
        return false;
    if (*ret)
        return true;
    if (!plan_row_find(db, NULL, r->row->session_id, &elsewhere, &r->cli->error))
        return false;
    if (elsewhere && !g_file_test(elsewhere->project, G_FILE_TEST_EXISTS))
        *ret = g_steal_pointer(&elsewhere);
    return true;
}

/* The job that works on this plan and has not ended; {0}: none. */
static int
find_job(RunCmd *r, JobId *ret)
{
    g_autoptr(PlanRow) known = NULL;
    g_autoptr(Job) job = NULL;
    Db *db = r->engine->db;
    *ret = (JobId){0};
    if (!find_row(r, &known) ||
        (known && !job_load(db, &VIEWER_OPERATOR, known->job, &job, &r->cli->error)))
        return cli_failed(r->cli, 0);
    if (!job || job->state == JOB_DONE || job->state == JOB_CANCELLED)
        return 0;
    *ret = job->id;
    /* The file may be an older one that was put back: plan_agree() compares it with what is known. */
    r->row->epoch = known->epoch;
    r->row->revision = known->revision;
    r->row->iterations = known->iterations;
    r->row->total = known->total;
    r->row->spent_micro = known->spent_micro;
    if (!*r->row->argv && !cli_text(r->cli, "role")) {
        g_free(r->row->argv);
        r->row->argv = g_strdup(known->argv);
    }
    return 0;
}

static SessionMail
mail_of(const RunCmd *r, const char *subject, const char *text, const char *session)
{
    return (SessionMail){.role = r->role, .subject = subject, .text = text, .session = session};
}

static int
detach(RunCmd *r, JobId job)
{
    Cli *cli = r->cli;
    g_autofree char *subject = g_strdup_printf("Plan: %s", r->row->plan_file);
    g_autofree char *text = plan_mail_text(r->row);
    const SessionMail mail = mail_of(r, subject, text, NULL);
    JobSession *none;
    bool there = job.v != 0;
    if (!there && !session_begin(r->engine, &mail, &none, &job, &cli->error))
        return cli_failed(cli, 0);
    if (!keep_row(r, job, true, &cli->error))
        return cli_failed(cli, 0);
    db_hint(r->engine->db);
    cli_print_line(cli, "job %" PRId64 " works on %s%s", job.v, r->row->plan_file,
                   lock_is_held(cli->home->state_fd, "master.lock")
                       ? ""
                       : " as soon as the service runs: postrider serve");
    return 0;
}

/* A home is there: the session has the job's claim. */
static int
claim_job(RunCmd *r, JobId job, JobSession **ret)
{
    Cli *cli = r->cli;
    g_autofree char *subject = g_strdup_printf("Plan: %s", r->row->plan_file);
    g_autofree char *text = plan_mail_text(r->row);
    const SessionMail mail = mail_of(r, subject, text, PLAN_RUN);
    if (!(job.v ? session_take(r->engine, job, PLAN_RUN, ret, &cli->error)
                : session_begin(r->engine, &mail, ret, &job, &cli->error)))
        return cli_failed(cli, 0);
    if (!*ret)
        return cli_fail(EX_TEMPFAIL,
                        "job %" PRId64 " works on it already; see: postrider show %" PRId64,
                        job.v, job.v);
    return keep_row(r, job, false, &cli->error) && session_open_port(*ret, &cli->error)
               ? 0
               : cli_failed(cli, 0);
}

/* --- the end --- */

static int
print_end(RunCmd *r, const JobSession *s, PlanEnd end, const Plan *plan)
{
    Cli *cli = r->cli;
    g_autofree char *marker =
        plan_marker(plan ? plan_speaker(plan) : NULL, end == PLAN_END_COMPLETE);
    g_autofree char *words = plan ? plan_words_paused(plan) : NULL;
    switch (end) {
    case PLAN_END_COMPLETE:
        cli_print_line(cli, "%s", marker);
        cli_print_line(cli, "all %zu todos are complete; file it by: postrider plan close",
                       json_array_size(plan->todos));
        return 0;
    case PLAN_END_DONE:
        cli_print(cli, PLAN_WORDS_DONE "\n");
        return 0;
    case PLAN_END_PAUSED:
        cli_print_line(cli, "%s", marker);
        cli_print_vis(cli, words, true);
        cli_print(cli, "\n");
        return EX_TEMPFAIL;
    case PLAN_END_CANCELLED:
        cli_print(cli, PLAN_WORDS_CANCELLED "\n");
        return EX_TEMPFAIL;
    case PLAN_END_STOPPED:
        cli_print(cli, PLAN_WORDS_STOPPED "\n");
        return EX_TEMPFAIL;
    case PLAN_END_ASKED:
    case PLAN_END_LIMITED:
    case PLAN_END_OFF:
        break;
    }
    return cli_fail(EX_TEMPFAIL, s->lost ? "ended by an order; see: postrider plan show"
                                         : "interrupted; go on by: postrider plan run");
}

static int
work(RunCmd *r, JobSession *s)
{
    g_autoptr(Plan) plan = NULL;
    PlanEnd end;
    unsigned n = 0;
    PlanWork w = {.session = s,
                  .project = r->plan.project,
                  .file = r->plan.file,
                  .row = r->row,
                  .foreground = true,
                  .max_iterations = r->max,
                  .level = r->level,
                  .say = say,
                  .pass = r->engine ? pass : NULL,
                  .data = r};
    if (!plan_work(&w, true, &end, &plan, &r->cli->error))
        return cli_failed(r->cli, 0);
    if (s->lost) {
        g_clear_pointer(&plan, plan_free);
        if (!plan_settle_job(r->engine, r->row, &n, &r->cli->error) ||
            !plan_file_read(r->plan.file, &plan, NULL, &r->cli->error))
            return cli_failed(r->cli, 0);
        PlanStatus status = plan ? plan_status(plan) : PLAN_ACTIVE;
        end = status == PLAN_STOPPED     ? PLAN_END_STOPPED
              : status == PLAN_CANCELLED ? PLAN_END_CANCELLED
              : status == PLAN_DONE      ? PLAN_END_DONE
                                         : PLAN_END_OFF;
    }
    return print_end(r, s, end, plan);
}

int
cmd_plan_run(Cli *cli, int argc, char **argv)
{
    g_auto(RunCmd) r = {.cli = cli};
    g_autoptr(JobSession) s = NULL;
    bool goes_on;
    JobId job = {0};
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "plan run: starts agents for a person, so an agent may not");
    int status = plan_cmd_open_any(cli, &r.plan);
    if (status || (status = plan_cmd_env(cli, &r.max, &r.level)) || (status = open_home(&r)) ||
        (status = read_options(&r)) ||
        (status = plan_cmd_begin(cli, &r.plan, argv[1], &goes_on)) || (status = make_row(&r)))
        return status;
    (void)cli_flush(cli);
    if (r.engine && (status = find_job(&r, &job)))
        return status;
    if (cli_flag(cli, "detach"))
        return detach(&r, job);
    if (!r.engine)
        s = session_new_alone();
    else if ((status = claim_job(&r, job, &s)))
        return status;
    return work(&r, s);
}
