#include "show/events.h"

static const Field event_fields[] = {
    {"at", NULL, FIELD_TIME, offsetof(Event, at_us)},
    {"job", NULL, FIELD_ID, offsetof(Event, job)},
    {"event", NULL, FIELD_LITERAL, offsetof(Event, what)},
    {"step", NULL, FIELD_ID, offsetof(Event, step)},
    {"text", NULL, FIELD_TEXT, offsetof(Event, text)},
};
const Shape event_shape = {SHAPE(NULL, Event, events, event_fields)};

Event *
events_say(Events *list, int64_t at_us, const char *what, const char *fmt, ...)
{
    Event *e = g_new0(Event, 1);
    va_list args;

    va_start(args, fmt);
    *e = (Event){.at_us = at_us, .what = what, .text = g_strdup_vprintf(fmt, args)};
    va_end(args);
    events_add(list, e);
    return e;
}
