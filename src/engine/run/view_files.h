#pragma once

/*
 * The files of views (store/job/views.h). What a person changed in one is no part of the store:
 * it is kept beside it as NAME.edited-N, and doctor says so.
 *
 *   begin    the digest of what will stand there is written down, beside the one before   flushed, once for many
 *   file     tmp, flushed, renamed, folder flushed
 *   mark     rendered                                                                     no flush
 *
 * A crash or a power loss between any two: the file is one of those that are written down, and
 * is rendered again. state/views.lock is held around all of it, so that no two programs render
 * at once.
 */
#include "engine/engine.h"

/* Renders every view that was raised (store/job/views.h). A view that can't be written keeps no
 * other back. Has transactions of its own. */
bool settle_views(Engine *engine, GError **error);
/* Adds a line (char *) about each view that people had changed, for doctor. */
bool views_check(Engine *engine, GPtrArray *findings, GError **error);
