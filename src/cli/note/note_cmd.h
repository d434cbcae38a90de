#pragma once

/*
 * The halves of `note`. Each form works on the home, or, inside a program agent, asks the run
 * through the agent port ("note.get", "note.put", …), whose answers have the same JSON as
 * --json prints. argv[0] is the form; results are exit statuses.
 */
#include "cli/cli.h"
#include "notes/notes.h"

typedef enum NoteOpen {
    NOTE_READ, /* where the home can't be written it is shown as it is */
    NOTE_WRITE,
} NoteOpen;
/* Opens the store and takes in what people did to the files of these notes; NULL ends the list, and
 * instead of it means all notes. *ret_report may be NULL. */
int note_open(Cli *cli, NoteOpen how, const char *const *keys, NotesReport **ret_report);
