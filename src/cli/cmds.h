#pragma once

/*
 * The function of every row of verbs.def. argv[0] is the verb or its form, and options were taken out of
 * argv (cli/options.h). They return an exit status, -1 to be handed on to the program that holds
 * the rest of the verb.
 *
 * Weak: each program links some of them, and the others are NULL in its table of verbs.
 */
typedef struct Cli Cli;

#define VERB(name, run, ...) int run(Cli *cli, int argc, char **argv) __attribute__((weak));
#define FORM VERB
#include "cli/verbs.def"
#undef VERB
#undef FORM
