#include "cli/cli.h"
#include "cli/cmds.h"
#include "show/status.h"

static void
print_prometheus(Cli *cli, const Status *s)
{
    cli_print(cli, "postrider_up %d\n", s->master != 0);
    for (int i = 0; i < JOB_N_STATES; i++)
        cli_print(cli, "postrider_jobs{state=\"%s\"} %" G_GINT64_FORMAT "\n", job_state_name(i),
                  s->by_state[i]);
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
    LIST_EACH(const char, line, lines)
        cli_print_line(cli, "  %s", line);
}

/* Of what failed on an earlier day people have heard long ago. */
static void
print_failed(Cli *cli, const Status *s)
{
    int64_t since = home_now(cli->home) - 24 * 3600 * USEC_PER_SEC;
    bool any = false;
    LIST_EACH(const Job, j, s->failed) {
        if (j->updated_us < since)
            continue;
        cli_print(cli, "%s", any ? "" : "failed in the last day:\n");
        cli_print_line(
            cli, "  job %" G_GINT64_FORMAT " (%s): %s; see: postrider show %" G_GINT64_FORMAT,
            j->id.v, j->subject, j->why && *j->why ? j->why : "nobody knows why", j->id.v);
        any = true;
    }
}

static void
print_cost(Cli *cli, const Status *s)
{
    g_autofree char *spent = text_money(s->cost_micro);
    g_autofree char *limit = text_money(s->cost_limit_micro);
    if (s->cost_micro)
        cli_print(cli, "spent today: %s%s%s\n", spent, s->cost_limit_micro ? " of " : "",
                  s->cost_limit_micro ? limit : "");
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
    print_lines(cli, "asked in another's place:", s->stand_ins);
    print_failed(cli, s);
    if (s->jobs->len == 0)
        cli_print(cli, "no live jobs\n");
    LIST_EACH(const Job, j, s->jobs) {
        g_autofree char *ago = cli_ago(cli, j->updated_us);
        g_autofree char *place = status_place(cli->db, j);
        cli_print_line(cli, "job %" G_GINT64_FORMAT " %s, %s, %s: %s%s%s", j->id.v,
                       job_state_words(j->state), j->role, ago, j->subject,
                       place ? "; waits for " : "", place ? place : "");
    }
    for (guint i = 0; s->plans && i < s->plans->len; i++) {
        const PlanLine *p = s->plans->pdata[i];
        cli_print_line(cli, "plan %s in %s: job %" G_GINT64_FORMAT "%s%s", p->plan_file, p->project,
                       p->job.v, p->waiting_for ? " waits for " : "",
                       p->waiting_for ? p->waiting_for : "");
    }
    if (s->due)
        cli_print(cli, "%u %s due\n", s->due, s->due == 1 ? "delivery is" : "deliveries are");
    if (s->forged || s->stale)
        cli_print(cli,
                  "checkpoint mails that were refused: %" G_GINT64_FORMAT
                  " forged, %" G_GINT64_FORMAT " stale\n",
                  s->forged, s->stale);
    print_cost(cli, s);
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
    bool one_line = cli_flag(cli, "check");
    int status = cli_db(cli, DB_READ);
    if (status)
        return one_line ? 2 : status;
    g_auto(Status) s = {0};
    if (!status_collect(cli->db, &s, &cli->error))
        status = cli_failed(cli, one_line ? 2 : 0);
    else if (one_line)
        status = check(cli, &s);
    else if (cli->json)
        cli_print_json(cli, status_json(cli->db, &s));
    else if (cli_flag(cli, "prometheus"))
        print_prometheus(cli, &s);
    else
        print_text(cli, &s);
    return status;
}
