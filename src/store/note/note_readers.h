#pragma once

/*
 * Older versions let every role see every note. The first start of this one keeps in the store
 * which folders of other roles each role had been shown, so that the operator is told how to
 * keep that; the next starts find the answer kept and look no more.
 */
#include "store/db.h"

/* *ret_first: this call was the first on this store, and kept what it found. */
bool notes_readers_keep(Db *db, bool *ret_first, GError **error);
/* Adds a line (char *) for each role that was shown notes which it does not see now: the
 * setting that keeps it so. Adds nothing once [notes] shared stands in the settings, empty or
 * not. */
bool notes_readers_check(Db *db, GPtrArray *lines, GError **error);
