/* `mcp`: serves a client of the Model Context Protocol on stdin and stdout. */
#include "cli/cli.h"
#include "cli/cmds.h"
#include "mcp/mcp.h"
#include "port/port_client.h"
#include <unistd.h>

int
cmd_mcp(Cli *cli, int argc, char **argv)
{
    g_autofree char *folder = g_get_current_dir();
    const char *port = cli_text(cli, "port");
    McpStart start = {.in = STDIN_FILENO,
                      .out = STDOUT_FILENO,
                      .port = port ? port : port_client_path(),
                      .folder = folder};

    return mcp_serve(&start, &cli->error) ? 0 : cli_failed(cli, 0);
}
