#pragma once

/*
 * The halves of `note`. Each form works on the home, or, inside a program agent, asks the run
 * through the agent port ("note.get", "note.put", …), whose answers have the same JSON as
 * --json prints. argv[0] is the form; results are exit statuses.
 */
#include "cli/cli.h"
#include "notes/notes.h"

/* Opens the store and takes in what people did to the files of these notes; NULL ends the list. */
int note_open(Cli *cli, const char *const *keys);
/* The same for forms that change nothing: where the home can't be written nothing is taken in. */
int note_open_to_read(Cli *cli, const char *const *keys);
/* And for those that look at all notes. *ret_report may be NULL. */
int note_open_to_list(Cli *cli, NotesReport **ret_report);
/* Asks the run; takes request. Prints the error. */
int note_call(json_t *request, json_t **ret_answer);
