#pragma once

/*
 * What the two readers in C have in common. A reader gets one file with all messages ("NAME
 * LENGTH", a newline, the bytes; and so on) and prints one line of JSON for each message:
 *
 *   {"name": NAME, "subject": TEXT, "to": [[NAME, ADDRESS]…], "date": SECONDS or null,
 *    "parts": [[TYPE, FILE NAME or null, DIGEST or null, TEXT or null]…]}
 *
 * Parts are the leaves in order, and those of a forwarded mail behind it. DIGEST is that of the decoded bytes, TEXT stands in its place for
 * text of any kind.
 */
#include <glib.h>
#include <jansson.h>

/* The rest of this file's fields for one message; a new object. */
json_t *read_message(const char *raw, size_t len);

/* One entry of "parts". name may be NULL. text is valid UTF-8, or NULL: then the bytes count. */
json_t *reader_part(const char *type, const char *name, GBytes *content, const char *text);

int reader_main(int argc, char **argv);
