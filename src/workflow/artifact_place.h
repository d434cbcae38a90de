#pragma once

/*
 * Where an artifact lies, and who may move it: paths beneath [workflow] root, as the [artifact KIND] sections read them.
 * The folder of its state is "*" in its name, so that the name stays when it moves; the file must be in one state
 * alone. Of a kind with `states = record` the path is the name, and the row alone knows the state.
 */
#include "engine/engine.h"
#include "store/workflow.h"
#include "workflow/event_kind.h"

typedef struct ArtifactPlace {
    const ConfArtifact *kind; /* borrowed from the settings */
    char *root;               /* absolute */
    const char
        *said_root;   /* as the settings name it: for effects (engine/tree/file_effects.h) */
    char *name;       /* specs/(*)/auth.md, without the parentheses */
    char *title;      /* auth */
    char *path;       /* where it lies now */
    char *state;      /* that the folder says; NULL: the record knows */
    char *said_state; /* that the path which was asked for says; NULL: none */
    Digest bytes;
} ArtifactPlace;
void artifact_place_clear(ArtifactPlace *p);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArtifactPlace, artifact_place_clear)
void artifact_place_copy(const ArtifactPlace *p, ArtifactPlace *ret);

/* The root of the home's workflow, absolute; caller frees. ERR_CONFIG: there is none. */
char *workflow_root(const Engine *engine, GError **error);

/* True when an artifact may lie at this path beneath the root, by the settings alone. */
bool artifact_is_path(const Config *config, const char *path);
/* By a path or a glob such as specs/(*)/auth.md, relative to the root or absolute. ERR_NEVER: it lies outside, is of no kind,
 * a symbolic link or no file, is nowhere, or is in two states. */
bool
artifact_place_find(const Engine *engine, const char *said, ArtifactPlace *ret, GError **error);
/* Where an artifact that is to be made will lie, in its first state; caller frees. ERR_NEVER: there is one already. */
bool artifact_place_new(const Engine *engine,
                        const char *said,
                        const ConfArtifact **ret_kind,
                        char **ret_path,
                        GError **error);
/* "user-auth" of the name or path of one; caller frees. */
char *artifact_title(const char *path);
/* The same where nothing need be there, ret->path NULL, for who writes one: then what was asked for names its state. */
bool
artifact_place_look(const Engine *engine, const char *said, ArtifactPlace *ret, GError **error);
/* True when nothing is on its way to the file. ERR_LATER: the file is being written or
 * moved. */
bool artifact_place_rests(const Engine *engine, const ArtifactPlace *p, GError **error);
/* Where the artifact would lie in that state; caller frees. */
char *artifact_place_in(const ArtifactPlace *p, const char *state);

/* The state that artifacts of a kind begin in. Borrowed. */
char *artifact_first_state(const ConfArtifact *kind);
/* The state that an approval leads to from there; NULL: none. Caller frees. */
char *artifact_next_state(const ConfArtifact *kind, const char *from);
/* "holder", as a name, and others who may bring it to the next state of its kind, with commas between; "": nobody. Caller
 * frees. */
char *artifact_next_movers(const Engine *engine, const Artifact *a);
/* The place of the artifact's state in the order of its kind: the number of the first move that
 * leads from it. */
unsigned artifact_state_order(const Engine *engine, const Artifact *a);
bool artifact_knows_state(const ConfArtifact *kind, const char *state);
/* True when this move needs an approval: the first move of the kind does, where reviewers are
 * its gatekeepers. */
bool artifact_is_gate(const ConfArtifact *kind, const char *from, const char *to);
/* True when the table of the kind has this move. */
bool artifact_leads(const ConfArtifact *kind, const char *from, const char *to);
/* True when the move is for the author of the artifact to decide. */
bool artifact_is_authors(const ConfArtifact *kind, const char *from, const char *to);
/* True when the first who sends such an event about an artifact of this kind is its author, if nobody is yet: whoever asks for
 * its review; of a kind whose author decides also whoever tells of it. */
bool artifact_has_claim(const ConfArtifact *kind, EventType type);
/* True when this role or person may make the move; else ERR_NEVER, which says who may. a NULL:
 * the artifact is new. */
bool artifact_may_move(const Engine *engine,
                       const ConfArtifact *kind,
                       const Artifact *a,
                       const char *from,
                       const char *to,
                       const char *who,
                       GError **error);
/* The name of the coordinator; borrowed. */
const char *workflow_coordinator(const Engine *engine);
/* Who is meant by a name: 'coordinator' is the coordinator, where no role or person is called so. Borrowed. */
const char *workflow_who(const Config *config, const char *said);
/* The address of a role or person by name; NULL: nobody here is called so. Borrowed. */
const char *workflow_address(const Config *config, const char *name);
/* Who has this address; NULL: nobody here. Borrowed. */
const char *workflow_name_at(const Config *config, const char *address);
/* All such names, borrowed, with a NULL behind; caller unrefs. */
GPtrArray *workflow_names(const Config *config);
