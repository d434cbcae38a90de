#pragma once

/*
 * Other bytes for an artifact, or its first: by its holder, in its first state by its author, or by the coordinator. Whoever
 * writes one that is not there yet is its author. What was looked at is what gives way: a file that has changed since is
 * refused, and once it is decided no bytes that nobody has seen are lost (engine/tree/file_effects.h).
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

/* if_digest: of the bytes that it takes the place of; NULL or "": none are there. ERR_NEVER says who may, or has both
 * digests. */
bool artifact_write_plan(const Engine *engine,
                         const char *said,
                         const char *text,
                         const char *if_digest,
                         const char *who,
                         ArtifactWrite **ret,
                         GError **error);
/* job {0}: a person's. ERR_AGAIN: the record has changed since. */
bool artifact_write_commit(Txn *txn, const ArtifactWrite *w, JobId job, GError **error);
