/*
 * As lint.h, for src/cli: these return a status that is not 0, or the analyzer thinks that a command
 * which has complained goes on.
 */
#include "cli/cli.h"
#define cli_fail(status, ...) ((void)cli_fail(status, __VA_ARGS__), (status))
#define cli_error(...) ((void)cli_error(__VA_ARGS__), EX_SOFTWARE)
#define cli_usage(...) ((void)cli_usage(__VA_ARGS__), EX_USAGE)
