#pragma once

/*
 * The move of an artifact to another state: looked at before the transaction, since that reads the file, and then
 * written down. Where the file lies at its new place already, moved by hand, the record follows; else an effect moves it
 * (engine/tree/file_effects.h), and the record changes once that is done.
 */
#include "store/out/effects.h"
#include "workflow/artifact_place.h"

typedef struct ArtifactMove {
    const ArtifactPlace *place; /* borrowed */
    char *from, *to, *to_path;  /* states, and where it is to lie; to NULL: it stays */
    bool by_hand; /* it is there, or has no place of its own: the record alone changes */
    char *who;
    char *was;     /* where the record has it, if it is elsewhere; NULL */
    char *message; /* of a commit of the file and its move; NULL: none is made */
} ArtifactMove;
void artifact_move_clear(ArtifactMove *m);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArtifactMove, artifact_move_clear)

/* Looks at a move before the transaction. a: the artifact's row; NULL: the record does not know
 * it. to: the new state; NULL: no new state, but a move that was made by hand is adopted if
 * `who` may make it without an approval. ERR_NEVER: the move may not be made; ERR_LATER: the
 * artifact is on its way to another state. */
bool artifact_move_plan(const Engine *engine,
                        const ArtifactPlace *place,
                        const Artifact *a,
                        const char *to,
                        const char *who,
                        ArtifactMove *ret,
                        GError **error);
/* Has the decision committed to git too, with a subject such as "spec-reviewer: Approve user-auth
 * spec"; tail: what stands behind the subject; NULL: nothing. */
void artifact_move_say(ArtifactMove *m, const char *verb, const char *tail);
/* The same, but ERR_NEVER where the root lies in no git repository. */
bool artifact_move_with_commit(
    const Engine *engine, ArtifactMove *m, const char *verb, const char *tail, GError **error);
/* True when the move may be made without an approval; ERR_NEVER: it needs an approval, or the
 * artifact is under review. */
bool artifact_move_alone(const Engine *engine, const ArtifactMove *m, const Artifact *a, GError **error);
/* Decides the move. *ret_after: the effect for which a mail that speaks of the move has to
 * wait; {0}: none. ERR_AGAIN: the record has changed since it was looked at. */
bool artifact_move_commit(Txn *txn,
                          const ArtifactMove *m,
                          const Artifact *a,
                          ArtifactId *ret_id,
                          EffectId *ret_after,
                          GError **error);
