#include "engine/run/disarm.h"

/* With its dots gone, nothing inside it comes to life either. */
static void
add_disarmed(GString *safe, const Link *link)
{
    for (size_t i = 0; i < link->len; i++) {
        const char *p = link->at + i;
        bool colon = (link->len - i >= 3 && strncmp(p, "://", 3) == 0) ||
                     (link->opaque && i + 1 == link->scheme);
        if (colon || *p == '.')
            g_string_append_printf(safe, "[%c]", *p);
        else
            g_string_append_c(safe, *p);
    }
}

char *
disarm_link(const Link *link)
{
    GString *safe = g_string_new(NULL);
    add_disarmed(safe, link);
    return g_string_free(safe, FALSE);
}

char *
disarm_links(const char *text, GHashTable *keep, unsigned what)
{
    GString *safe = g_string_new(NULL);
    const char *p = text;
    bool found = false;
    Link link;

    while (link_find(text, p, &link)) {
        g_string_append_len(safe, p, link.at - p);
        unsigned kind = link_has_data(&link) ? DISARM_DATA : DISARM_PLAIN;
        if (!(what & kind) || (keep && links_have(keep, &link))) {
            g_string_append_len(safe, link.at, (gssize)link.len);
        } else {
            add_disarmed(safe, &link);
            found = true;
        }
        p = link.at + link.len;
    }
    g_string_append(safe, p);
    return g_string_free(safe, !found);
}
