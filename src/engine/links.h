#pragma once

/*
 * Links as mail programs find them in plain text: "scheme://...", "www.host...", a bare
 * "host.tld/..." and a "mailto:" that brings a text along. One that an agent makes up can carry
 * what the agent knows to whoever waits at its other end; one that was there before it was
 * asked can't. Only ASCII is looked at; nothing here fails.
 */
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Link {
    const char *at; /* in the text; without the brackets and stops behind it */
    size_t len;
    size_t host, host_len; /* where in it */
    bool mail;             /* mailto: has no host */
} Link;

/* The first link at or behind `from`, which lies in text; false: there is none. */
bool link_find(const char *text, const char *from, Link *ret);
/* Is there room in it for something to take away: a query, a name before an @, a long path,
 * fragment or host? */
bool link_has_data(const Link *link);

/* A set of links, by their very bytes. */
GHashTable *links_new(void);
void links_add(GHashTable *links, const char *text);
bool links_have(GHashTable *links, const Link *link);
/* The first link in the text that has data and is none of these; false: there is none. */
bool links_find_new(GHashTable *links, const char *text, Link *ret);
