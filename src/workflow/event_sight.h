#pragma once

/*
 * What an event has to know of files: where its artifact lies and which bytes it has, which of its reviews are on file, and the
 * form of its mail. Read before a transaction; what is decided in one reads no file.
 */
#include "workflow/artifact_place.h"
#include "workflow/event_kind.h"

typedef struct EventSight {
    ArtifactPlace place;
    char *form;
    GHashTable *reviews;        /* review_files() of the artifact, for who decides; else NULL */
    GError *no_place, *no_form; /* why there is none; NULL: there is one */
} EventSight;

/* path NULL: it is about no artifact. Caller frees. */
EventSight *event_sight_new(const Engine *engine, EventType type, const char *path);
void event_sight_free(EventSight *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventSight, event_sight_free)
