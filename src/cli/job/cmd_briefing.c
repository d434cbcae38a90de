/* `briefing`: what a person, or an agent through its port, does with the report of a date. */
#include "base/file.h"
#include "base/limits.h"
#include "base/proc.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outgoing.h"
#include "engine/face.h"
#include "engine/run/run.h"
#include "engine/run/view_files.h"
#include "report/report_files.h"
#include "report/report_html.h"
#include "report/report_look.h"
#include "report/report_prompt.h"
#include "report/report_research.h"
#include "report/report_send.h"
#include "store/job/views.h"
#include <poll.h>

#define CLAIM_WAIT_MS 10000 /* for a run to take the job */
#define CLAIM_LOOK_MS 10

static const char *
role_of(const Cli *cli)
{
    const char *said = cli_text(cli, "role");
    return said ? said : cli->home->config->report_role;
}

/* file NULL or "-": standard input. */
static int
read_body(Cli *cli, const char *file, const char *what, GBytes **ret)
{
    if (file && !g_str_equal(file, "-"))
        return cli_read_file(cli, "", file, LIMIT_MESSAGE_BYTES, ret);
    return outgoing_read_stdin(LIMIT_MESSAGE_BYTES, what, ret);
}

/* Opens the home, and looks at what lies in reports/. */
static int
open_reports(Cli *cli, Engine **ret)
{
    unsigned n;
    int status = cli_engine(cli, ret);
    if (status)
        return status;
    if (!cli_text(cli, "role") && !config_role(cli->home->config, role_of(cli)))
        return cli_fail(EX_NOINPUT,
                        "nobody sends briefings here: there is no role '%s'; write [role %s] into "
                        "postrider.conf, or make a home with: postrider init --briefing DIR",
                        role_of(cli), role_of(cli));
    if (!config_role_get(cli->home->config, role_of(cli), &cli->error))
        return cli_failed(cli, EX_NOINPUT);
    return faces_look(*ret, &n, &cli->error) ? 0 : cli_failed(cli, 0);
}

static int
open_report(Cli *cli, const char *date, Engine **ret_engine, Report **ret)
{
    g_autofree char *day = NULL;
    int status = cli_date(cli, date, &day);
    if (status || (status = open_reports(cli, ret_engine)))
        return status;
    if (!report_find((*ret_engine)->db, role_of(cli), day, ret, &cli->error))
        return cli_failed(cli, 0);
    if (!*ret || (*ret)->sent_us == 0)
        return cli_fail(EX_NOINPUT, *ret ? "%s was skipped" : "there is no briefing of %s", day);
    return 0;
}

static int
settle(Cli *cli, Engine *engine)
{
    g_autoptr(GError) left = NULL;
    db_hint(engine->db);
    if (!settle_views(engine, &left))
        return cli_fail(EX_TEMPFAIL, "it is done, but its files are not written yet: %s",
                        left->message);
    return 0;
}

/* --- send --- */

/* Where the text lies already, in reports/DATE, it must be the same. */
static int
check_briefing(Cli *cli, const Engine *engine, const ReportNew *in)
{
    g_autofree char *folder = report_folder(cli->home->config, in->role, in->date);
    g_autofree char *path = g_strdup_printf("%s/" REPORT_BRIEFING, folder);
    g_autofree char *responses = g_strdup_printf("%s/" REPORT_RESPONSES, folder);
    g_autoptr(GBytes) there = NULL;
    if (!file_read(engine->home->fd, path, LIMIT_MESSAGE_BYTES, &there, &cli->error))
        return cli_failed(cli, 0);
    if (there && !g_bytes_equal(there, in->body))
        return cli_fail(EX_DATAERR, "'%s' is there and says something else", path);
    return report_research_link(engine->home, folder, &cli->error) &&
                   dir_make(engine->home->fd, responses, 0700, &cli->error)
               ? 0
               : cli_failed(cli, 0);
}

static int
add_addresses(Cli *cli, const char *option, GPtrArray *to)
{
    for (char **a = cli_texts(cli, option); a && *a; a++) {
        int status = 0;
        char *spec = outgoing_address(cli, *a, &status);
        if (!spec)
            return status;
        g_ptr_array_add(to, spec);
    }
    return 0;
}

static int
send_home(Cli *cli, const char *date, GBytes *body)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(GPtrArray) to = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) cc = g_ptr_array_new_with_free_func(g_free);
    int status = open_reports(cli, &engine);
    if (status || (status = add_addresses(cli, "to", to)) ||
        (status = add_addresses(cli, "cc", cc)))
        return status;
    const ReportNew in = {.role = role_of(cli),
                          .date = date,
                          .body = body,
                          .subject = cli_text(cli, "subject"),
                          .to = to,
                          .cc = cc};
    g_autoptr(Report) there = NULL;
    if (!report_new_check(engine, &in, &cli->error) ||
        !report_find(engine->db, in.role, date, &there, &cli->error))
        return cli_failed(cli, 0);
    if (!there && (status = check_briefing(cli, engine, &in)))
        return status;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = report_send(engine, &txn, &in, TRUST_OPERATOR, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    g_autofree char *id = report_msgid(in.role, date);
    cli_print(cli, "<%s>\n", id);
    return settle(cli, engine);
}

/* An agent: its run sends it, as an act of its job. */
static int
send_port(Cli *cli, const char *date, GBytes *body)
{
    const char *subject = cli_text(cli, "subject");
    char **to = cli_texts(cli, "to");
    g_autofree char *text = text_valid_bytes(body), *all = to ? g_strjoinv(" ", to) : NULL;
    g_autoptr(json_t) done = NULL;
    if (cli_texts(cli, "cc"))
        return cli_usage(cli, "an agent has no --cc");
    json_t *request = json_pack("{s:s, s:s, s:s}", "verb", "briefing", "date", date, "body", text);
    if (subject)
        json_object_set_new(request, "subject", json_string(subject));
    if (all)
        json_object_set_new(request, "to", json_string(all));
    return cli_call(cli, request, "ok", &done);
}

int
cmd_briefing_send(Cli *cli, int argc, char **argv)
{
    g_autoptr(GBytes) body = NULL;
    g_autofree char *date = NULL;
    int status = cli_in_agent() ? read_body(cli, argv[2], "the briefing", &body)
                                : cli_date(cli, argv[1], &date);
    if (!status && cli_in_agent())
        return send_port(cli, argv[1], body);
    if (!status)
        status = read_body(cli, argv[2], "the briefing", &body);
    return status ? status : send_home(cli, date, body);
}

int
cmd_briefing_skip(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autofree char *date = NULL;
    int status = cli_date(cli, argv[1], &date);
    if (status || (status = open_reports(cli, &engine)))
        return status;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = report_skip(engine, &txn, role_of(cli), date, &cli->error);
    return txn.done ? 0 : cli_failed(cli, 0);
}

/* --- respond --- */

static int
respond_port(Cli *cli, const char *date, GBytes *body, const char *subject)
{
    g_autoptr(json_t) id = NULL;
    g_autofree char *text = text_valid_bytes(body);
    json_t *request =
        json_pack("{s:s, s:s, s:s}", "verb", "respond", "date", date, "body", text);
    if (subject && *subject)
        json_object_set_new(request, "subject", json_string(subject));
    int status = cli_call(cli, request, "message_id", &id);
    if (status)
        return status;
    cli_print(cli, "%s\n", json_string_value(id));
    return 0;
}

static int
respond_home(Cli *cli, const char *date, GBytes *body, const char *subject)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Report) r = NULL;
    g_autofree char *id = NULL;
    int status = open_report(cli, date, &engine, &r);
    if (status)
        return status;
    if (!report_respond_by_hand(engine, r, cli_number(cli, "reply", 0), body,
                                subject && *subject ? subject : NULL, &id, &cli->error))
        return cli_failed(cli, 0);
    cli_print(cli, "<%s>\n", id);
    return settle(cli, engine);
}

static int
respond(Cli *cli, const char *date, const char *file, const char *subject)
{
    g_autoptr(GBytes) body = NULL;
    int status = read_body(cli, file, "the response", &body);
    return status ? status
                  : (cli_in_agent() ? respond_port : respond_home)(cli, date, body, subject);
}

int
cmd_briefing_respond(Cli *cli, int argc, char **argv)
{
    return respond(cli, argv[1], argv[2], cli_text(cli, "subject"));
}

int
cmd_respond(Cli *cli, int argc, char **argv)
{
    return respond(cli, argv[1], argv[2], cli_text(cli, "subject"));
}

int
cmd_reply_to(Cli *cli, int argc, char **argv)
{
    return respond(cli, argv[3], argv[2], argv[1]);
}

/* --- run --- */

/* Replies that have no mail of their own to wake the job. */
static bool
queue(Engine *engine, const Report *r, const Job *job, GError **error)
{
    bool queued;
    if (job->state != JOB_DONE)
        return true;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_go_on(&txn, r->job, &queued, error) &&
                 job_instruct(&txn, r->job, "Replies are open.", error);
    return txn.done;
}

/* What keeps a run from beginning; 0: nothing does. The status is that of a trigger, which is done. */
static int
find_obstacle(Cli *cli, Engine *engine, const Report *r, bool *ret_starts)
{
    g_autoptr(Replies) open = NULL;
    g_autoptr(Job) job = NULL;
    *ret_starts = false;
    if (!report_open_replies(engine->db, r->id, &open, &cli->error) ||
        !job_load(engine->db, &VIEWER_OPERATOR, r->job, &job, &cli->error))
        return cli_failed(cli, 0);
    if (open->len == 0 || !job) {
        cli_print(cli, "no reply of %s is open\n", r->date);
        return 0;
    }
    if (!report_thread_there(engine, r, &cli->error))
        return cli_failed(cli, EX_NOINPUT);
    if (job->state == JOB_RUNNING || report_lock_until(engine, r)) {
        cli_print(cli, job->state == JOB_RUNNING ? "%s: an agent is at work\n"
                                                 : "%s: " REPORT_LOCK " is there\n",
                  r->date);
        return 0;
    }
    if (!queue(engine, r, job, &cli->error))
        return cli_failed(cli, 0);
    *ret_starts = true;
    return 0;
}

/* Has a run taken the job, or has it been done with already? */
static bool
is_taken(Engine *engine, const Report *r)
{
    g_autoptr(Job) job = NULL;
    return job_load(engine->db, &VIEWER_OPERATOR, r->job, &job, NULL) && job &&
           job->state != JOB_QUEUED;
}

/* Starts a run that outlives this program, and waits until the job is its. */
static int
start_run(Cli *cli, Engine *engine, const Report *r)
{
    g_autofree char *job = g_strdup_printf("%" G_GINT64_FORMAT, r->job.v);
    const char *argv[] = {cli->self, "--home", cli->home->path, "run", job, NULL};
    const ProcSpec spec = {.argv = argv};
    pid_t pid;
    auto_fd child = -1;
    if (!proc_start(&spec, &pid, &child, &cli->error))
        return cli_failed(cli, 0);
    for (int waited = 0; waited < CLAIM_WAIT_MS && !is_taken(engine, r); waited += CLAIM_LOOK_MS) {
        struct pollfd end = {.fd = child, .events = POLLIN};
        if (poll(&end, 1, CLAIM_LOOK_MS) > 0)
            break;
    }
    return 0;
}

static int
run_here(Cli *cli, Engine *engine, const Report *r)
{
    int status = run_main(engine, r->job, 0);
    return status;
}

int
cmd_briefing_run(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Report) r = NULL;
    bool starts;
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "briefing run: an agent may not");
    int status = open_report(cli, argv[1], &engine, &r);
    if (status || (status = find_obstacle(cli, engine, r, &starts)) || !starts)
        return status;
    return cli_flag(cli, "wait") ? run_here(cli, engine, r) : start_run(cli, engine, r);
}

/* --- files and texts --- */

int
cmd_briefing_rebuild(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Report) r = NULL;
    int status = open_report(cli, argv[1], &engine, &r);
    if (status)
        return status;
    g_autofree char *path = report_file(cli->home->config, r, REPORT_THREAD);
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = view_forget(&txn, path, &cli->error) &&
                 report_raise_all(engine, &txn, r, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    cli_print(cli, "%s\n", path);
    return settle(cli, engine);
}

int
cmd_briefing_prompt(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Report) r = NULL;
    g_autoptr(Job) job = NULL;
    int status = open_report(cli, argv[1], &engine, &r);
    if (status)
        return status;
    if (!job_load(engine->db, &VIEWER_OPERATOR, r->job, &job, &cli->error) || !job)
        return cli_failed(cli, 0);
    g_autoptr(Context) c =
        context_new(cli->home, job, (size_t)cli->home->config->context_bytes);
    if (!report_thread_there(engine, r, &cli->error))
        return cli_failed(cli, EX_NOINPUT);
    const ConfRole *role = config_role(cli->home->config, r->role);
    bool led = role && role->mode == MODE_STEPS;
    if (!report_prompt_show(engine, r, led, c, &cli->error))
        return cli_failed(cli, 0);
    cli_print_vis(cli, context_text(c), true);
    return 0;
}

int
cmd_briefing_export(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Report) r = NULL;
    g_autoptr(Replies) replies = NULL;
    g_autoptr(Responses) responses = NULL;
    int status = open_report(cli, argv[1], &engine, &r);
    if (status)
        return status;
    if (!report_replies(engine->db, r->id, &replies, &cli->error) ||
        !report_responses(engine->db, r->id, &responses, &cli->error))
        return cli_failed(cli, 0);
    g_autofree char *page = report_html(r, replies, responses);
    g_autoptr(GBytes) bytes = g_bytes_new(page, strlen(page));
    cli_print_bytes(cli, bytes);
    return 0;
}
