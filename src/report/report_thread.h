#pragma once

/*
 * The conversation of a date as one text: the briefing, then replies and responses in the order
 * in which they came and were sent. A response stands behind all replies that were there when
 * it was sent. thread.md is this text, and what a brain is shown of the conversation is a part
 * of it.
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
 * backslash, and a code fence that a body leaves open is closed. Nothing here touches files or
 * the store. The same rows give the same bytes.
 */
#include "store/report.h"

/* The lines of a body, so that none can be taken for one of ours; a newline ends the last. An empty
 * body adds nothing. */
void thread_add_body(GString *out, const void *body, size_t len);

/* The lines that stand behind a reply's text: what was attached, and where the rest of a long
 * text is. Caller frees. */
char *thread_remarks(const Reply *reply);
/* Stands behind the briefing and behind each response. */
#define THREAD_RULE "\n---\n"

/* The whole text, with bodies of at most room bytes in all; a body for which there is no room
 * is named with its file. SIZE_MAX: every body. Caller frees. */
char *
thread_format(const Report *r, const Replies *replies, const Responses *responses, size_t room);

/* The highest number among these; 0: the list is empty. */
int thread_highest_reply(const Replies *replies);
int thread_highest_response(const Responses *responses);
/* True when one of these replies is open, that is not answered yet. */
bool thread_has_open(const Replies *replies);

/* The number of the reply behind which the response stands. */
int thread_response_after(const Response *response);
/* Behind which reply response n stands, by a thread.md that somebody has left; 0: the text does
 * not say. */
int thread_read_after(const char *text, int n);
/* True when a thread.md that somebody has left says that reply n was recorded or, with response
 * set, that response n was sent. */
bool thread_names(const char *text, int n, bool response);
/* When the briefing was sent, by the heading of a thread.md that somebody has left; false: the
 * text has no such heading. */
bool thread_read_sent(const char *text, int64_t *ret_us);
