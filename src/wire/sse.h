#pragma once

/*
 * Server-sent events, as the WHATWG HTML standard has them: lines, of which `event:` and
 * `data:` matter here; a blank line ends an event. Works on a whole body; what is not ended by
 * a blank line is no event. Any bytes will do; linear.
 */

typedef struct Sse {
    const char *next, *end;
    GString *event, *data; /* of the event that sse_next() found last */
} Sse;

/* The bytes are borrowed until sse_clear(). */
void sse_init(Sse *sse, const char *bytes, size_t len);
void sse_clear(Sse *sse);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sse, sse_clear)

/* The next event that has data is in sse->event and sse->data (lines joined by newlines);
 * false: there is none. */
bool sse_next(Sse *sse);
