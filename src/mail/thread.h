#pragma once

/*
 * RFC 5256 THREAD=REFERENCES, for display only: who belongs to which job is decided by ids in
 * the store, never here. Never loops, never deeper than the input is long; works without
 * recursion.
 */

typedef struct ThreadMail {
    const char *id;        /* NULL or empty: unique */
    const GPtrArray *refs; /* ids, oldest first; may be NULL */
    const char *subject;
    int64_t date_us;
} ThreadMail;

typedef struct ThreadNode ThreadNode;
struct ThreadNode {
    int mail; /* index into the input, -1 for a place-holder */
    ThreadNode *parent, *child, *next;
};

typedef struct ThreadForest ThreadForest;
/* by_subject: also step 5, the merge of roots with one base subject. */
ThreadForest *thread_references(const ThreadMail *mails, size_t n, bool by_subject);
const ThreadNode *thread_roots(const ThreadForest *f);
void thread_forest_free(ThreadForest *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ThreadForest, thread_forest_free)
