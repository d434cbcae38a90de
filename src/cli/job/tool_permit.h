#pragma once

/*
 * May a coding agent's client make this tool call? The run that started the client is asked through
 * the agent port, and the decision is printed in the client's own words. Whatever goes wrong is a no:
 * a call that nobody judged does not run.
 */
#include "base/json.h"
#include "cli/cli.h"

/* told: what the client says of the call on the stdin of its hook. */
void tool_permit(Cli *cli, const json_t *told);
/* A call that can't be judged. */
void tool_permit_deny(Cli *cli, const GError *why);
