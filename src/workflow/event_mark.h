#pragma once

/*
 * What an event did to the record, written into its own mail, so that the record can be read from mail again after the store
 * was lost (workflow/flow_past.h):
 *
 *     X-Postrider-Event: opens cycle=2 from=spec-writer to=spec-reviewer digest=HEX question=HEX
 *     X-Postrider-Event: tells from=spec-writer to=you spent=2000000
 *
 * The origin line of each copy proves the header (mail/origin.h); in mail that comes from outside it is taken out, as all of our
 * headers are. Events of a version before this header have none: then their type alone says what they did.
 */
#include "store/workflow.h"
#include "workflow/event_kind.h"

#define EVENT_MARK "X-Postrider-Event"

typedef enum EventDeed {
    DEED_TELLS,    /* nothing to any cycle; or it belongs to one */
    DEED_OPENS,    /* begins a cycle */
    DEED_RENEWS,   /* other bytes are under review from now on */
    DEED_APPROVES, /* ends the cycle */
    DEED_REJECTS,  /* likewise */
    DEED_N
} EventDeed;

typedef struct EventMark {
    EventDeed deed;
    int cycle; /* which of its artifact's; 0: none */
    char *from, *to;         /* names; to with commas between */
    char *digest, *question; /* "" where there is none */
    char *deputy; /* the brain that was asked in place of the sender's own; "", or NULL in one that is written: none */
    int64_t
        spent_micro; /* what the artifact has cost, says the report of its pause; 0: it is no such report */
} EventMark;
void event_mark_clear(EventMark *m);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EventMark, event_mark_clear)

/* The header's value; caller frees. */
char *event_mark_format(const EventMark *m);
/* False: it is none. */
bool event_mark_parse(const char *value, EventMark *ret);
/* Whose decision it was, as the record says it: the sender, and in brackets the brain that was asked in place of its own.
 * Caller frees. */
char *event_by(const char *from, const char *deputy);
/* The deed of an event without the header, by its type alone. */
EventDeed event_deed_of(EventType type);
