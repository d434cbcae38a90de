#pragma once

/* Whoever has changed the settings tells the master that serves the home, if there is one. */
#include "base/home.h"
#include <sys/types.h>

/* The process that serves this home; 0: none does. */
pid_t reload_master(const Home *home);
/* Asks it to read the settings again. One line, without its end, that says so, or why it could
 * not be asked; NULL: nobody serves this home. Caller frees. */
char *reload_ask(const Home *home);
