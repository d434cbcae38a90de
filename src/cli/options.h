#pragma once

/*
 * The options of a verb, read from the arguments that its row in verbs.def has:
 *
 *   [--all]                      cli_flag()
 *   --role ROLE                  cli_text()
 *   [-n|--limit N]               cli_number(); also where the value is a JOB. -n is the same
 *   [-a|--attach FILE]...        cli_texts(): may be given more than once; a FILE or DIR need not be text
 *   [--raw | --attachment NAME]  the verb itself says that both are too many
 *   KEY [FILE]                   operands: argv[1] and, NULL where it was left out, argv[2]
 *   [-- COMMAND]                 all words behind "--": cli->rest
 *   ID... TEXT WORDS             any number of them; what people type without quotes counts so, too
 *
 * The name of an option is the first long one. Its brackets are for people: whether it may be left out the verb decides.
 * Asking for an option that the row does not have is a mistake of ours, and ends the program.
 */
#include "cli/cli.h"

/* Takes the options of the row cli->row out of argv; operands stay. 0, or 64 after a message: the row has
 * no such option, or its value can't be, or there are too few or too many operands. options_clear() is
 * due in any case. */
int options_read(Cli *cli, int *argc, char ***argv);
void options_clear(Cli *cli);
