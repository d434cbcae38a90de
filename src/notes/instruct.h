#pragma once

/*
 * Notes that instruct: what an agent is told to do before anybody asks it anything. Their words
 * count for every later job of a role, whoever asks in it, so they are changed only by the
 * operator, by people's own edits of the files, in rounds whose askers may all steer
 * (engine/run/commit_notes.c), and by a yes to a question about the change
 * (engine/people/question_note.c).
 */
#include "base/config/config.h"

/* ROLE/start, ROLE/states/..., ROLE/reply, README/..., and what `[notes] instruct` names. */
bool note_instructs(const Config *config, const char *key);
