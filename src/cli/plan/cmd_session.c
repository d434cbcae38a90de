/* `session`: holds an agent port for an `mcp` that was started without one (mcp/mcp.h), and the job that the first write through
 * it begins. Its stdin is a pipe from that `mcp`: a byte there says that the client has ended, so the job ends; the end of the
 * pipe alone says that `mcp` was killed, so the job waits. */
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "engine/session.h"
#include "port/port.h"
#include <poll.h>
#include <sys/prctl.h>

#define HOLD_US (3600 * (int64_t)USEC_PER_SEC) /* of one session_wait() */
#define MCP_SESSION "mcp"                      /* what its job waits for, after a kill */

/* For session_wait(). *data: whether the client has ended by itself. */
static bool
is_wanted(void *data)
{
    bool *ended = data;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte;
    if (poll(&in, 1, 0) <= 0)
        return true;
    *ended = read(STDIN_FILENO, &byte, 1) == 1;
    return false;
}

/* The job is done. Mail that came meanwhile is none of what was shown: it stays open, for a run. */
static bool
complete(JobSession *s, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    return session_commit(s, p, error);
}

static int
hold(Cli *cli, JobSession *s)
{
    bool ended = false;
    SessionEnd end = SESSION_ANSWERED;
    while (end == SESSION_ANSWERED)
        if (!session_wait(s, HOLD_US, is_wanted, &ended, &end, &cli->error))
            return cli_failed(cli, 0);
    if (s->lost)
        return cli_fail(EX_TEMPFAIL,
                        "an order has ended job %" PRId64 "; see: postrider show %" PRId64,
                        s->job->id.v, s->job->id.v);
    if (end == SESSION_OFF)
        (void)is_wanted(&ended);
    return !ended || !s->claim.job.v || complete(s, &cli->error) ? 0 : cli_failed(cli, 0);
}

int
cmd_session(Cli *cli, int argc, char **argv)
{
    g_autofree char *folder = g_get_current_dir(), *shown = g_utf8_make_valid(folder, -1);
    g_autofree char *subject = g_strdup_printf("mcp in %s", shown);
    g_autofree char *text = g_strdup_printf(
        "A coding agent works in %s and has your mail and notes, by 'postrider mcp'.\n"
        "What it writes are steps of this job. Nothing else is asked here.\n",
        shown);
    g_autoptr(Engine) engine = NULL;
    g_autoptr(JobSession) s = NULL;
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "session: an agent has the port of its own run");
    /* When `mcp` is killed this wakes us, and the job is left in order; the default here would be SIGKILL. */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    const ConfRole *role =
        config_role_pick(cli->home->config, cli_text(cli, "role"), &cli->error);
    if (!role)
        return cli_failed(cli, cli_text(cli, "role") ? EX_NOINPUT : 0);
    const SessionMail mail = {
        .role = role->name, .subject = subject, .text = text, .session = MCP_SESSION};
    if (!session_open(engine, &mail, &s, &cli->error))
        return cli_failed(cli, 0);
    cli_print_line(cli, "%s", port_path(s->port));
    return cli_flush(cli) ? hold(cli, s) : EX_IOERR;
}
