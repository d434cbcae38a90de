#pragma once

/* The faces that this program is built with; the last one takes what is left. */
#include "engine/face.h"

extern const FaceOps *const cli_faces[];

typedef struct Cli Cli;
/* Opens home, store and engine for a verb. 0, or an exit status after the message was printed.
 */
int cli_engine(Cli *cli, Engine **ret);
