/* The parts, by hand: account, run, submit, index. */
#include "base/living.h"
#include "base/lock.h"
#include "base/proc.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/net.h"
#include "engine/follow.h"
#include "engine/in/account.h"
#include "engine/run/run.h"
#include "remote/remote.h"
#include "store/job/jobs.h"
#include "store/mail/mailboxes.h"
#include <sys/stat.h>

/* The beginning of a day, UTC. */
static bool
parse_since(const char *text, int64_t *ret_us)
{
    return strlen(text) == strlen("2026-11-15") && clock_parse_iso(text, ret_us) && *ret_us > 0;
}

int
cmd_account(Cli *cli, int argc, char **argv)
{
    bool once = cli_flag(cli, "once"), take_over = cli_flag(cli, "take-over");
    const char *since = cli_text(cli, "since");
    g_autoptr(Engine) engine = NULL;
    RemoteOptions remote = {.once = once, .take_over = take_over};
    int status;
    if (since && !parse_since(since, &remote.since_us))
        return cli_usage(cli, "'%s' is no day; write 2026-11-15", since);
    if ((status = cli_engine(cli, &engine)))
        return status;
    const ConfAccount *account = config_account(cli->home->config, argv[1]);
    if (!account)
        return cli_fail(EX_NOINPUT, "there is no account '%s'", argv[1]);
    if (config_is_imap(account))
        return net_account
                   ? net_account(engine, account, &remote)
                   : cli_fail(EX_SOFTWARE, "account '%s' needs postrider-net", account->name);
    if (since)
        return cli_usage(cli, "--since is for imap accounts");
    if (take_over)
        return mailboxes_before_take_over(engine->db, &cli->error) &&
                       living_check(cli->home, true, &cli->error)
                   ? 0
                   : cli_failed(cli, 0);
    return account_main(engine, account, once);
}

static bool
is_pipe(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

int
cmd_run(Cli *cli, int argc, char **argv)
{
    int max_iterations;
    bool timers = cli_flag(cli, "timers"), spare = cli_flag(cli, "spare");
    g_autoptr(Engine) engine = NULL;
    JobId job = {0};
    int status = cli_iterations(cli, true, &max_iterations);
    if (status)
        return status;
    if (timers && argv[1])
        return cli_usage(cli, "--timers takes no job");
    if (spare && (argv[1] || timers || !is_pipe(PROC_WORD_FD)))
        return cli_usage(cli, "--spare is for serve, which gives it a pipe");
    if (argv[1] && !job_id_parse(argv[1], &job))
        return cli_usage(cli, "'%s' is no job", argv[1]);
    if ((status = cli_engine(cli, &engine)))
        return status;
    if (timers)
        return run_timers(engine);
    if (spare)
        return run_spare(engine, PROC_WORD_FD, max_iterations);
    if (!job.v)
        return run_main(engine, job, max_iterations);
    g_autoptr(Job) row = NULL;
    if (!job_load(engine->db, &VIEWER_OPERATOR, job, &row, &cli->error))
        return cli_failed(cli, 0);
    if (!row)
        return cli_fail(EX_NOINPUT, "there is no job %s; see: postrider job list", argv[1]);
    status = run_main(engine, job, max_iterations);
    return status == EX_TEMPFAIL
               ? cli_fail(status, "job %s is not ready; see: postrider show %s", argv[1],
                          argv[1])
               : status;
}

int
cmd_submit(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    return net_submit.main ? net_submit.main(engine)
                           : cli_fail(EX_SOFTWARE, "submit needs postrider-net");
}

int
cmd_index(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Index) ix = NULL;
    bool fresh;
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    auto_fd lock = -1;
    /* So that a master knows who does this, not that nobody else may. */
    (void)lock_take(cli->home->state_fd, "follow.lock", 0, &lock, NULL);
    if (!index_open(cli->home, &ix, &fresh, &cli->error) ||
        !follow_index(engine, ix, 0, NULL, &cli->error))
        return cli_failed(cli, 0);
    return 0;
}
