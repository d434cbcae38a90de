#pragma once

/* A verb that has changed the settings tells so the master that serves the home, if there is a
 * master. */
#include "cli/cli.h"

/* Asks it to read the settings again, and does not wait for that. One line, without its end, that
 * says so, or why it could not be asked; NULL: nobody serves this home. Caller frees. */
char *reload_ask(const Home *home);
/* Asks it, and prints that line, if there is one. */
void reload_tell(Cli *cli);
