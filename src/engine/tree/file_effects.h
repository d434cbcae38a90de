#pragma once

/*
 * Effects on files of a folder that people work in (store/out/effects.h), such as the checkout
 * of a workflow. The folder is named as the settings do it, from / on or relative to the home,
 * which may be moved; files by their paths beneath it. No symbolic link is followed.
 *
 *   file-move   the file with these bytes lies at `from`, and is to lie at `to`:
 *
 *       at from          at to        the move is
 *       the file         nothing      not yet
 *       nothing          the file     done, once both folders are flushed
 *       anything else                 somebody else's doing
 *
 *   file-new    a file with these bytes is to be there; another one at its place is somebody's
 *   file-write  the file with these bytes lies at `path`, or nothing does, and other bytes are to be there:
 *
 *       at path                          the write is
 *       what was there before            not yet
 *       the other bytes                  done, once nobody can write to what was there before any more
 *       anything else                    somebody else's doing. Bytes of theirs that had to give way while
 *                                        we looked are back at their place, or beside it as
 *                                        PATH.edited-N
 *
 *   git-index   what the index of the repository has at `from` is to stand at `to`, as `git mv` does it; no hook,
 *               filter or setting of the repository runs. A locked index is tried again later
 *   git-commit  these bytes, at `to` and no longer at `from`, are committed; nothing else is, and what others have staged
 *               stays as it is. It waits for the move, and for a merge or rebase that is not finished
 *
 * Nothing that nobody has seen is ever replaced.
 */
#include "engine/engine.h"
#include "store/out/effects.h"

/* The file that an effect is about. */
typedef struct FileMove {
    const char *root, *from, *to;
    const char *what; /* the file, wherever it lies: effects of one keep their order */
    const Digest *bytes;
} FileMove;
bool file_effect_move(Txn *txn, const FileMove *move, EffectId *ret, GError **error);
bool file_effect_index(Txn *txn, const FileMove *move, GError **error);
/* The author of a commit, and its message, one line. */
typedef struct FileCommit {
    const char *who, *address, *message;
} FileCommit;
bool file_effect_commit(Txn *txn, const FileMove *move, const FileCommit *commit, GError **error);
bool
file_effect_new(Txn *txn, const char *root, const char *path, const char *text, GError **error);
typedef struct FileWrite {
    const char *root, *path;
    const char *what;     /* as FileMove.what */
    const Digest *before; /* NULL: nothing is there */
    const char *text;
    const char *who; /* writes it: a role or person */
    JobId job;       /* whose it is; {0}: none's */
} FileWrite;
bool file_effect_write(Txn *txn, const FileWrite *write, GError **error);
/* Who decided a file-write; "": nobody knows. Caller frees. */
char *file_effect_writer(const Effect *e);
/* The newest effect that is still owed to the file; {0}: nothing is owed. */
bool file_effect_last(
    Db *db, const char *root, const char *what, EffectId *ret, GError **error);

/* Settles all that is owed to files, and tells the faces, in transactions of its own. What
 * can't be done now stays owed: ERR_LATER. */
bool file_effects_settle(Engine *engine, GError **error);

/* The digest of a file beneath root, which is an absolute path. *ret_there false: there is no
 * such file. ERR_NEVER: it is no plain file, or is reached by a symbolic link; ERR_LIMIT: it is
 * larger than a mail can be. */
bool file_digest(const char *root, const char *path, bool *ret_there, Digest *ret, GError **error);
/* The same beneath a folder that is open. */
bool file_digest_in(int dir, const char *path, bool *ret_there, Digest *ret, GError **error);
