#pragma once

/* Events: what happened, one line each, as `job log` and `watch` tell it. */
#include "base/ids.h"
#include "view/shape.h"

typedef struct Event {
    int64_t at_us;
    JobId job;        /* {0}: of none */
    const char *what; /* "mail in", "step": a constant */
    int64_t step;     /* 0: of none */
    char *text;
} Event;
SHAPE_OF(Event, event, Events, events)

/* Adds an event, which is of no job and no step yet; the result is borrowed. */
Event *events_say(Events *list, int64_t at_us, const char *what, const char *fmt, ...)
    G_GNUC_PRINTF(4, 5);
