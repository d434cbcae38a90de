#pragma once

/*
 * state/index.db: full text, behind the store. It follows the ids of mail that came in and of
 * mail that was written here by a high-water mark each, its commits are not flushed, and it may
 * be deleted at any time. It holds words only (contentless FTS5 tables): what is found is read
 * from the store and the mail files, and so is what became of it since.
 *
 * The caller reads the mail (this room parses none): index_behind() says what comes next,
 * index_add() takes its text, index_commit() moves the mark. A file that was deleted or broke
 * meanwhile is ERR_AGAIN: begin again with index_mark(), which then says 0.
 */
#include "base/list.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"

typedef enum IndexOf {
    INDEX_IN,  /* rows of message */
    INDEX_OUT, /* of outbox */
    INDEX_N
} IndexOf;

typedef struct Index Index;
/* Makes it where missing or damaged (*ret_fresh tells). */
bool index_open(const Home *home, Index **ret, bool *ret_fresh, GError **error);
void index_close(Index *ix);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Index, index_close)
bool index_mark(Index *ix, IndexOf of, int64_t *ret_last, GError **error);
bool index_begin(Index *ix, GError **error);
/* What is found of a mail; each may be NULL. */
typedef struct IndexText {
    const char *from, *to, *subject, *text;
    const char *role; /* whose it is: a search of a role looks at no other mail; NULL: nobody's */
} IndexText;
bool index_add(Index *ix, IndexOf of, int64_t id, const IndexText *mail, GError **error);
bool index_commit(Index *ix, IndexOf of, int64_t last, GError **error);
bool index_delete(const Home *home, GError **error);
/* Rows that come behind the mark, in order of id. */
bool index_behind(Db *db, int64_t last, unsigned max, MsgRows **ret_rows, GError **error);
/* The same of mail that was written; each row is a mail as a whole. */
bool index_behind_out(Db *db, int64_t last, unsigned max, OutRows **ret_rows, GError **error);

/* One mail that was found. Exactly one of them is set: it was taken in, or written here. */
typedef struct IndexHit {
    MsgRow *in;
    OutRow *out; /* as a whole */
} IndexHit;
void index_hit_free(IndexHit *hit);
LIST_OF(IndexHits, index_hits, IndexHit, index_hit_free)

/*
 * `from:ann subject:budget since:2026-01-01 before:… role:envoy words "a phrase"`. Words are
 * ANDed; what is no operator is a word, so no input is an error. Newest first. Mail that was
 * written here and taken in here is found as the latter only. Mail that a role wrote before
 * this store was made is in `message`, in its folder Sent (engine/checkpoint/history.h).
 */
bool index_search(Index *ix,
                  Db *db,
                  const Viewer *viewer,
                  const char *query,
                  unsigned limit,
                  IndexHits **ret_hits,
                  GError **error);
/* The same by role, folder, state, job and times alone, with the query's limit; it needs no
 * index. */
bool index_list(
    Db *db, const Viewer *viewer, const MsgQuery *q, IndexHits **ret_hits, GError **error);
