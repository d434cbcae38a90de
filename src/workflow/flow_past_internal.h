#pragma once

/* What is read of events in mail: by flow_past_read.c, for flow_past.c, which makes rows of it. */
#include "engine/engine.h"
#include "mail/msgid.h"
#include "workflow/event_mark.h"

/* Where a copy of an event lies in a mailbox. */
typedef enum PastPlace {
    PAST_NOWHERE,
    PAST_FILED, /* Done, Sent and the like */
    PAST_READ,  /* in INBOX or Active */
    PAST_UNREAD /* in INBOX, and new */
} PastPlace;

typedef struct PastEvent {
    Minted minted; /* in which order they were written */
    EventType type;
    EventMark mark;
    char *msgid, *name, *state; /* name of the artifact; "": it is about none */
    GPtrArray *parents;         /* ids of what it answers */
    bool plain;                 /* a reply without a type, which may answer (event_answer.h) */
    int64_t at_us;
    GHashTable *places; /* mailbox -> PastPlace */
} PastEvent;
void past_event_free(PastEvent *e);
LIST_OF(PastEvents, past_events, PastEvent, past_event_free)
PastPlace past_place(const PastEvent *e, const char *mailbox);

/* A mail that asked a panel for something, without being an event, and that is not dealt with: `panel review --members`,
 * `panel write`. */
typedef struct PastAsk {
    char *panel, *msgid, *text;
} PastAsk;
void past_ask_free(PastAsk *a);
LIST_OF(PastAsks, past_asks, PastAsk, past_ask_free)

/* Of all mailboxes of the home, each once, in the order in which they were written. *ret_ended: Message-IDs of requests that a
 * panel has had its last word about without an event (PANEL_MARK); caller unrefs. */
bool past_read_events(Engine *engine,
                      PastEvents **ret,
                      PastAsks **ret_asks,
                      GHashTable **ret_ended,
                      GError **error);
