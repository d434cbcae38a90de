/* `mcp`: serves a client of the Model Context Protocol on stdin and stdout. */
#include "base/proc.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "mcp/mcp.h"
#include "port/port_client.h"

/* A role that does not exist is told at once, and not by the first call. */
static int
check_role(Cli *cli, const char *role)
{
    int status = cli_home(cli);
    if (status)
        return status;
    return config_role_get(cli->home->config, role, &cli->error) ? 0
                                                                 : cli_failed(cli, EX_NOINPUT);
}

/* `postrider-mail session`, in the same home. All words are borrowed. */
static GPtrArray *
session_argv(const Cli *cli, char *program, const char *role)
{
    GPtrArray *argv = g_ptr_array_new();
    g_ptr_array_add(argv, program);
    if (cli->home_option) {
        g_ptr_array_add(argv, (char *)"--home");
        g_ptr_array_add(argv, cli->home_option);
    }
    g_ptr_array_add(argv, (char *)"session");
    if (role) {
        g_ptr_array_add(argv, (char *)"--role");
        g_ptr_array_add(argv, (char *)role);
    }
    g_ptr_array_add(argv, NULL);
    return argv;
}

int
cmd_mcp(Cli *cli, int argc, char **argv)
{
    g_autofree char *folder = g_get_current_dir(), *program = NULL;
    g_autoptr(GPtrArray) session = NULL;
    const char *port = cli_text(cli, "port"), *role = cli_text(cli, "role");
    if (port && role)
        return cli_usage(cli, "--port says which role it is: --role can't");
    McpStart start = {.in = STDIN_FILENO,
                      .out = STDOUT_FILENO,
                      .port = port ? port : port_client_path(),
                      .folder = folder};
    int status = role && !start.port ? check_role(cli, role) : 0;
    if (status)
        return status;
    if (!start.port && cli_has_home(cli)) {
        program = proc_helper_path(verb_program("session", &(Config){0}, NULL), &cli->error);
        if (!program)
            return cli_failed(cli, 0);
        session = session_argv(cli, program, role);
        start.session = (const char *const *)session->pdata;
    }
    return mcp_serve(&start, &cli->error) ? 0 : cli_failed(cli, 0);
}
