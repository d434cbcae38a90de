#pragma once

/*
 * Review records: what was reviewed and decided, as files of the project that are written once:
 * reviews/KIND/TIME-NAME-NUMBER-APPROVED.md. The project may outlive a store, and may be shared by a home and a copy of it: what
 * a store does not know any more, or does not know yet, its records tell. They end a review, and bring no decision about.
 */
#include "engine/engine.h"
#include "store/workflow.h"

/* Where the record of a decided cycle lies, and what stands in it; state: where the decision led. Caller frees both. */
char *review_path(const Artifact *a, const Cycle *c);
char *review_text(const Artifact *a, const Cycle *c, const char *state);
/* It will be written. */
bool review_record(Txn *txn, const char *root, const Artifact *a, const Cycle *c, GError **error);

typedef struct ReviewFile {
    char *outcome, *by, *decision; /* decision: id */
    int64_t closed_us, cycle;
} ReviewFile;
/* Message-ID of the review-request -> ReviewFile, of all artifacts, or of those with this title (artifact_title()). Caller
 * unrefs. */
GHashTable *review_files(const Engine *engine, const char *title);
