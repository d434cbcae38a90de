#pragma once

/* What a commit owes to files: mail to be moved and flagged in Maildirs (store/out/effects.h),
 * notes, and views (engine/run/view_files.h). Whoever committed settles it; the sweep
 * (engine/checkpoint/recover.h) what a crash left. */
#include "engine/engine.h"
#include "store/mail/messages.h"

/* Moves and flags all mail that is owed, and renders views. ret_n may be NULL. */
bool settle_local(Engine *engine, unsigned *ret_n, GError **error);

/* Brings note files and the store together, then releases the mail that waited for that. Never
 * between two steps: it looks at every file. */
bool settle_notes(Engine *engine, GError **error);
/* The same for what was written alone. At the end of a run and by the sweep. */
bool settle_written_notes(Engine *engine, GError **error);
/* The mail is to lie in this folder, with the flags that it has earned; nothing where it
 * does. */
bool settle_owe_move(
    Txn *txn, JobId job, const MsgRow *row, const char *folder, GError **error);
