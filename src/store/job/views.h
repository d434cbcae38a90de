#pragma once

/*
 * Files that are views of the store: what a face renders (FaceOps.render) and people read.
 * Whoever changes what one shows raises it in the same transaction; whoever settles renders it,
 * replaces the file, and marks it without a flush (engine/run/view_files.h). A job's views are
 * raised with its lease, too: at its claim, and when it is given back, parked, ended or found
 * without an owner.
 */
#include "store/db.h"
#include "view/shape.h"

typedef struct View {
    char *subject; /* the file's path beneath the home */
    char *face;
    int64_t changed;
    char *
        digests; /* of what was written there, in hex; of two, while one takes the other's place */
} View;
SHAPE_OF(View, view, Views, views)

/* Marks a view to be rendered again, and makes its row where there is none. job {0}: of no
 * job. */
bool view_raise(Txn *txn, const char *face, const char *subject, JobId job, GError **error);
bool views_raise_job(Txn *txn, JobId job, GError **error);

/* The views that are to be rendered; all: every view. */
bool views_list(Db *db, bool all, Views **ret, GError **error);
/* NULL: there is no view of this file. */
bool view_find(Db *db, const char *subject, View **ret, GError **error);
/* Makes the view count as never written, so that a file which is gone is made again. */
bool view_forget(Txn *txn, const char *subject, GError **error);
/* To be called before the file is replaced: notes the digest of what may stand there from now
 * on. */
bool view_begin(Txn *txn, const View *v, const char *digest, GError **error);
/* To be called when the file is replaced. digest NULL: there is no such view any more. */
bool view_rendered(Txn *txn, const View *v, const char *digest, GError **error);
