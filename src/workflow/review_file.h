#pragma once

/*
 * Review records: what was reviewed and decided, as files of the project that are written once:
 * reviews/KIND/TIME-NAME-NUMBER-APPROVED.md. The project may outlive a store, and a home and a
 * copy of it may share the project: the records tell what a store does not know any more, or
 * does not know yet. A record ends a review, and never makes a decision.
 */
#include "engine/engine.h"
#include "store/workflow.h"
#include "workflow/artifact_place.h"

/* The path and the text of the record of a decided cycle; state: where the decision led. Caller
 * frees both. */
char *review_path(const Artifact *a, const Cycle *c);
char *review_text(const Artifact *a, const Cycle *c, const char *state);
/* Queues the record in the caller's transaction; the file is written afterwards
 * (engine/tree/file_effects.h). */
bool review_record(Txn *txn, const char *root, const Artifact *a, const Cycle *c, GError **error);

/* True when a record could be written for an artifact at that place. ERR_NEVER: its folder is reached by a symbolic link, or is a
 * file. */
bool review_has_place(const ArtifactPlace *p, GError **error);

typedef struct ReviewFile {
    char *outcome, *by, *decision; /* decision: id */
    int64_t closed_us, cycle;
} ReviewFile;
/* Reads the records: Message-ID of the review-request -> ReviewFile. title (artifact_title()):
 * of artifacts whose title is this or goes on with "-" behind it; NULL: of all artifacts.
 * Caller unrefs. */
GHashTable *review_files(const Engine *engine, const char *title);
