/* stop, continue, cancel: the same decisions as orders by mail, taken by the operator. */
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "engine/face.h"
#include "engine/in/order_mail.h"
#include "engine/people/tell.h"
#include "engine/run/poke.h"
#include "store/job/budget.h"
#include "store/job/command_orders.h"
#include "store/job/jobs.h"

#define MONEY_MAX INT64_C(1000000000) /* in millionths */

typedef enum Decision { STOP, CANCEL, CONTINUE } Decision;

/* What is to be done; the rest is for CONTINUE. */
typedef struct Wish {
    Decision what;
    int steps;
    int64_t money;
    const char *instruction;
} Wish;

static bool
decide_row(Txn *txn, JobId job, const Wish *w, bool *changed, GError **error)
{
    switch (w->what) {
    case STOP:
        return job_stop(txn, job, "stopped by the operator", changed, error);
    case CANCEL:
        return job_cancel(txn, job, "cancelled by the operator", changed, error);
    case CONTINUE:
        /* The money may wake the job, which must have been waiting until then. */
        return job_continue(txn, job, w->steps, w->instruction, changed, error) &&
               (w->money == 0 || budget_raise(txn, job, w->money, error));
    }
    return false;
}

static bool
decide(Engine *engine, Txn *txn, JobId job, const Wish *w, bool *changed, GError **error)
{
    static const OrderKind kinds[] = {
        [STOP] = ORDER_STOP, [CANCEL] = ORDER_CANCEL, [CONTINUE] = ORDER_CONTINUE};
    return decide_row(txn, job, w, changed, error) &&
           (!*changed || faces_ordered(engine, txn, job, kinds[w->what], error));
}

/* For `job log`, as an order by mail stands there; and for Sent, as one by mail lies there. A
 * job that goes on leaves mail of its own. */
static bool
note_order(Engine *engine, Txn *txn, JobId job, const Wish *w, GError **error)
{
    static const char *const words[] = {
        [STOP] = "STOP", [CANCEL] = "CANCEL", [CONTINUE] = "CONTINUE"};
    g_autofree char *dollars = w->money ? text_money(w->money) : NULL;
    GString *text = g_string_new(NULL);
    g_string_printf(text, "the order %s from the operator", words[w->what]);
    if (w->steps)
        g_string_append_printf(text, ", %d more step%s", w->steps, w->steps == 1 ? "" : "s");
    if (dollars)
        g_string_append_printf(text, ", %s more", dollars);
    if (w->instruction)
        g_string_append_printf(text, ": %s", w->instruction);
    bool ok = command_order_add(txn, job, text->str, error) &&
              (w->what == CONTINUE || order_mail_file(engine, txn, words[w->what],
                                                      "the operator", job, NULL, NULL, error));
    g_string_free(text, TRUE);
    return ok;
}

/* With its state, which is why. */
static int
nothing_to_do(Cli *cli, JobId id, Decision what)
{
    static const char *const words[] = {
        [STOP] = "stop", [CANCEL] = "cancel", [CONTINUE] = "continue"};
    g_autoptr(Job) job = NULL;
    if (!job_load(cli->db, &VIEWER_OPERATOR, id, &job, &cli->error))
        return cli_failed(cli, 0);
    return cli_fail(EX_TEMPFAIL, "job %" G_GINT64_FORMAT " is %s: there is nothing to %s%s",
                    id.v, job_state_words(job->state), words[what],
                    what == CONTINUE && job->state == JOB_DONE
                        ? "; a mail on its thread begins its next round"
                        : "");
}

static int
apply(Cli *cli, const char *job_text, const Wish *wish)
{
    JobId job;
    bool changed;
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "%s: an order of people, so an agent may not", cli->verb);
    int status = cli_db(cli, DB_WRITE);
    if (status || (status = cli_job(cli, job_text, &job)))
        return status;
    g_auto(Engine) engine = cli_reader(cli);
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = decide(&engine, &txn, job, wish, &changed, &cli->error) &&
                 (!changed || note_order(&engine, &txn, job, wish, &cli->error));
    if (!txn.done)
        return cli_failed(cli, 0);
    if (wish->what != CONTINUE)
        poke_run(cli->db, job);
    db_hint(cli->db);
    if (!changed)
        return nothing_to_do(cli, job, wish->what);
    g_autofree char *text = tell_job(cli->db, job, &cli->error);
    if (!text)
        return cli_failed(cli, 0);
    cli_print_vis(cli, text, true);
    return 0;
}

int
cmd_stop(Cli *cli, int argc, char **argv)
{
    return apply(cli, argv[1], &(Wish){.what = STOP});
}

int
cmd_cancel(Cli *cli, int argc, char **argv)
{
    return apply(cli, argv[1], &(Wish){.what = CANCEL});
}

int
cmd_continue(Cli *cli, int argc, char **argv)
{
    int steps = cli_number(cli, "steps", 0);
    int64_t money = 0;
    const char *dollars = cli_text(cli, "money");
    if (steps < 0 || steps > 1000)
        return cli_usage(cli, "--steps is 1 to 1000");
    const char *sum = dollars && *dollars == '$' ? dollars + 1 : dollars;
    if (sum && (!text_parse_money(sum, &money) || money <= 0 || money > MONEY_MAX))
        return cli_usage(cli, "--money is an amount up to 1000, such as 0.50");
    g_autofree char *instruction = argc > 2 ? g_strjoinv(" ", argv + 2) : NULL;
    return apply(cli, argv[1], &(Wish){CONTINUE, steps, money, instruction});
}
