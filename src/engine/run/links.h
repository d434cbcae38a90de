#pragma once

/*
 * Links as mail programs find them in plain text: "scheme://...", "www.host...", a bare
 * "host.tld/..." or "a.host.tld", schemes without a host ("mailto:", "tel:", "data:"), and any
 * scheme where Markdown says that it is a link. One that an agent makes up can carry what the
 * agent knows to whoever waits at its other end, in its host name and path as well as in a
 * query; one that was there before it was asked can't. Only ASCII is looked at; nothing here
 * fails.
 */

typedef struct Link {
    const char *at; /* in the text; without the brackets and stops behind it */
    size_t len;
    size_t host, host_len; /* where in it */
    size_t scheme;         /* bytes up to its colon, with it; 0: it has none */
    bool opaque;           /* "mailto:" and its like have no host */
} Link;

/* The first link at or behind `from`, which lies in text; false: there is none. */
bool link_find(const char *text, const char *from, Link *ret);
/* True when the link has room for data that it could take away, as every link has but the bare
 * name of a site ("https://www.example.org/"). */
bool link_has_data(const Link *link);

/* A set of links, each by its bytes without a slash at the end, and of hosts whose links are all
 * in it. */
GHashTable *links_new(void);
void links_add(GHashTable *links, const char *text);
void links_add_host(GHashTable *links, const char *host);
bool links_have(GHashTable *links, const Link *link);
/* The first link in the text that has data and is none of these; false: there is none. */
bool links_find_new(GHashTable *links, const char *text, Link *ret);
