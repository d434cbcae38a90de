#pragma once

/*
 * A link that words of a stranger made an agent write may carry what the agent knows to whoever
 * waits at its other end, once a reader opens it or a mail client does so by itself. Such links
 * are made not to work: "https://x.org" becomes "https[:]//x[.]org", "www.x" becomes "www[.]x",
 * for pictures, references and plain text alike. A person can still read where it would have
 * led.
 */
#include "engine/run/links.h"

#define DISARM_PLAIN 1u
#define DISARM_DATA 2u /* link_has_data() */
#define DISARM_ALL (DISARM_PLAIN | DISARM_DATA)

/* The link as it is written where it must not work; caller frees. */
char *disarm_link(const Link *link);
/* The text with its links made not to work. what: which links (DISARM_…). keep: links that stay
 * as they are (engine/run/links.h); NULL: none stays. Caller frees; NULL when nothing has to
 * change. Nothing fails. */
char *disarm_links(const char *text, GHashTable *keep, unsigned what);
