#include "base/living.h"
#include "base/lock.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/home/pass.h"
#include "cli/net.h"
#include "engine/keep.h"
#include "store/job/step_rows.h"
#include "store/mail/mailboxes.h"
#include "store/out/outbox.h"

/* More than roles that mail each other need. */
#define VISITS 20

/* What came to the mail servers, and what is owed to them. One that is away keeps nobody from
 * working; *status is the first trouble. */
static void
visit_servers(Engine *engine, int *status)
{
    const Config *config = engine->home->config;
    const RemoteOptions once = {.once = true};
    for (unsigned i = 0; net_account && i < config->n_accounts; i++) {
        int ended = config_is_imap(&config->accounts[i])
                        ? net_account(engine, &config->accounts[i], &once)
                        : 0;
        if (*status == 0)
            *status = ended;
    }
}

/* Mail that a pass has written leaves after the next visit, which looks whose the mailbox is. */
static bool
work_off(Engine *engine, int max_iterations, PassStats *stats, int *status, GError **error)
{
    unsigned due = 1;
    int64_t mark;
    if (!steps_mark(engine->db, &mark, error))
        return false;
    visit_servers(engine, status);
    for (int i = 0; i < VISITS && due > 0; i++) {
        if (!pass_visited(engine, DB_WAIT_MS, max_iterations, mark, stats, error))
            return false;
        visit_servers(engine, status);
        if (!outbox_count_due(engine->db, home_now(engine->home), &due, error))
            return false;
    }
    return keep_prune(engine, error);
}

/* `serve --once`: the rest of `serve` is the front's. */
int
cmd_serve(Cli *cli, int argc, char **argv)
{
    bool take_over = cli_flag(cli, "take-over");
    int max_iterations;
    g_autoptr(Engine) engine = NULL;
    PassStats stats = {0};
    int status = cli_iterations(cli, true, &max_iterations);
    if (status)
        return status;
    if ((status = cli_engine(cli, &engine)))
        return status;
    /* It does all this; its processes would only keep us waiting for their locks. */
    if (lock_is_held(cli->home->state_fd, "master.lock"))
        return cli_fail(EX_TEMPFAIL, "process %d serves this home",
                        (int)lock_holder(cli->home->state_fd, "master.lock"));
    if ((take_over && !mailboxes_before_take_over(engine->db, &cli->error)) ||
        !living_check(cli->home, take_over, &cli->error) ||
        !mailboxes_begin(engine->db, take_over, &cli->error) ||
        !outbox_try_copies(engine->db, &cli->error))
        return cli_failed(cli, 0);
    if (!pass_take_in(engine, DB_WAIT_MS, &cli->error) ||
        !work_off(engine, max_iterations, &stats, &status, &cli->error))
        return cli_failed(cli, 0);
    if (cli->json)
        cli_print_json(cli, json_pack("{s:i, s:i, s:i, s:i}", "mails", (int)stats.mails, "jobs",
                                      (int)stats.jobs, "steps", (int)stats.steps, "sent",
                                      (int)stats.sent));
    return status;
}
