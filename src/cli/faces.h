#pragma once

/* The modes and faces that this program is built with. */
#include "engine/engine.h"

extern const EngineParts cli_parts;

typedef struct Cli Cli;
/* Opens home, store and engine for a verb. 0, or an exit status after the message was printed. Caller
 * frees with engine_close(). */
int cli_engine(Cli *cli, Engine **ret);
/* An engine over the home and the store that the verb has opened, which stay the verb's; to be kept in a
 * g_auto(Engine). */
Engine cli_reader(const Cli *cli);
