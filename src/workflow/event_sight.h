#pragma once

/*
 * What an event has to know of files: where its artifact lies and which bytes it has, which of its reviews are on file, the form
 * of its mail, and the mail that it answers. Read before a transaction; what is decided in one reads no file, but asks for its
 * sight by event_sight_get().
 */
#include "mail/message.h"
#include "workflow/artifact_place.h"
#include "workflow/event_kind.h"

typedef struct EventSight {
    ArtifactPlace place;
    char *form;
    GHashTable *reviews;        /* review_files() of the artifact, for who decides; else NULL */
    GError *no_review;          /* why what is decided can't be put on file; NULL: it can */
    char *parent_id; /* of the mail that it answers; NULL: nobody has looked for one */
    Message *parent; /* its headers; NULL: it is not here */
    GError *no_place, *no_form; /* why there is none; NULL: there is one */
} EventSight;

/* path NULL: it is about no artifact. parent NULL: it answers nothing. Caller frees. */
EventSight *
event_sight_new(Engine *engine, EventType type, const char *path, const char *parent);
/* The same in a transaction, by way of faces_sight(). ERR_AGAIN: it is to be looked at first, which faces_see() does. */
const EventSight *event_sight_get(
    Engine *engine, EventType type, const char *name, const char *parent, GError **error);
/* FaceOps.see: of what event_sight_get() has asked for. */
void *event_sight_see(Engine *engine, const char *subject);
void event_sight_free(void *sight);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventSight, event_sight_free)
