#include "engine/disarm.h"
#include "base/banned.h"
#include <glib.h>
#include <stdbool.h>
#include <string.h>

static bool
is_word(char ch)
{
    return g_ascii_isalnum(ch) || ch == '_';
}

/* A scheme needs a letter or digit before its colon; mail clients make links of nothing else.
 */
static bool
is_scheme(const char *text, const char *p)
{
    return p > text && g_ascii_isalnum(p[-1]) && strncmp(p, "://", 3) == 0;
}

static bool
is_host(const char *text, const char *p)
{
    return (p == text || !is_word(p[-1])) && g_ascii_strncasecmp(p, "www.", 4) == 0;
}

char *
disarm_links(const char *text)
{
    GString *safe = g_string_new(NULL);
    bool found = false;

    for (const char *p = text; *p; p++) {
        if (is_scheme(text, p)) {
            g_string_append(safe, "[:]");
            found = true;
        } else if (is_host(text, p)) {
            g_string_append_len(safe, p, 3);
            g_string_append(safe, "[.]");
            p += 3;
            found = true;
        } else {
            g_string_append_c(safe, *p);
        }
    }
    return g_string_free(safe, !found);
}
