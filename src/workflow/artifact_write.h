#pragma once

/*
 * Writing an artifact: its first bytes, or other bytes in their place. Its holder may write it,
 * but for a reviewer, who holds what it approved until that goes on; in its first state also its author, and always the
 * coordinator. Whoever writes an artifact
 * that is not there yet is its author. Only the bytes that the writer has seen give way: where
 * the file has changed since, the write is refused, and bytes that come between the decision
 * and the writing are kept beside it (engine/tree/file_effects.h).
 */
#include "workflow/artifact_place.h"

typedef struct ArtifactWrite {
    ArtifactPlace place; /* as it will be: its bytes are the new ones */
    bool there;
    Digest before;
    Artifact *artifact; /* NULL: the record does not know it */
    char *who, *text;
} ArtifactWrite;
void artifact_write_free(ArtifactWrite *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArtifactWrite, artifact_write_free)

/* Looks at a write before the transaction. if_digest: of the bytes in whose place the text
 * goes; NULL or "": no file is there. ERR_NEVER says who may write, or names both digests. */
bool artifact_write_plan(const Engine *engine,
                         const char *said,
                         const char *text,
                         const char *if_digest,
                         const char *who,
                         ArtifactWrite **ret,
                         GError **error);
/* Decides the write. job {0}: a person writes. ERR_AGAIN: the record has changed since it was
 * looked at. */
bool artifact_write_commit(Txn *txn, const ArtifactWrite *w, JobId job, GError **error);
