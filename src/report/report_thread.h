#pragma once

/*
 * The conversation of a date as one text: the briefing, then replies and responses in the order in
 * which they came and were sent: a response stands behind all replies that were there by then. thread.md is this text; so are the parts of it
 * that a brain is shown.
 *
 *     # Carlton Thread — 2026-02-09
 *
 *     ## Briefing Sent (2026-02-08 05:00 GMT)
 *     …
 *
 *     ---
 *
 *     ## Reply #1 (2026-02-08 10:15 from sam@test.com)
 *     …
 *
 *     ## Response to Reply #1
 *     …
 *
 *     ---
 *
 *     ## NEW Reply #2 (2026-02-08 14:30 from sam@test.com)
 *     …
 *
 * No text of a mail can break this: a line of a body that looks like one of our own gets a
 * backslash, and a code fence that a body leaves open is closed. Nothing here touches files or the
 * store. The same rows give the same bytes.
 */
#include "store/report.h"

/* The lines of a body, so that none can be taken for one of ours; a newline ends the last. An empty
 * body adds nothing. */
void thread_add_body(GString *out, const void *body, size_t len);

/* Lines of ours, each with its newline. */
void thread_add_title(GString *out, const Report *r);
void thread_add_briefing(GString *out, const Report *r); /* its heading alone */
void thread_add_reply(GString *out, const Reply *reply); /* likewise */
/* "## Response to Reply #2, #3": the replies among these that it settles. */
void thread_add_response(GString *out, const Response *response, const Replies *replies);
/* What stands behind a reply's text, in lines: what was attached, and where the rest of a long text is. Caller frees. */
char *thread_remarks(const Reply *reply);
/* Behind the briefing and behind each response. */
#define THREAD_RULE "\n---\n"

/* Of this many bytes of all; what there is no room for is named with its file. SIZE_MAX: all of it. Caller
 * frees. */
char *
thread_format(const Report *r, const Replies *replies, const Responses *responses, size_t room);

/* The highest number among these; 0: there is none. */
int thread_highest_reply(const Replies *replies);
int thread_highest_response(const Responses *responses);
/* Is a reply open? */
bool thread_has_open(const Replies *replies);

/* A response stands behind this reply. */
int thread_response_after(const Response *response);
/* What a thread.md that somebody has left says of response n: behind which reply it stands; 0: it does not
 * say. */
int thread_read_after(const char *text, int n);
/* Does a thread.md that somebody has left say that reply n was recorded, or that response n was sent? */
bool thread_names(const char *text, int n, bool response);
/* When the briefing was sent, by the heading of a thread.md that somebody has left; false: it has
 * no such heading. */
bool thread_read_sent(const char *text, int64_t *ret_us);
