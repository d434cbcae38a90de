#include "cli/home/home_files.h"

#include "cli/home_files_data.h" /* made of share/home */

const HomeFile home_files[] = {
    {"scripts/hello", 0700, hello},
    /* Last: this file is what makes a folder a home. */
    {"postrider.conf", 0600, postrider_conf},
    {0, 0, 0},
};

const char *const home_briefing_conf = briefing_conf;
const char *const home_curator = curator_md;

/* Names come quoted. The home goes into the environment, since mutt splits `sendmail` at every
 * space. With `hostname` a bare "envoy" is an address. */
const char *const home_muttrc = muttrc;

/* A quoted name without its outer quotes, so that it is found as part of a longer one. */
static char *
quoted_inside(const char *name)
{
    g_autofree char *quoted = g_shell_quote(name);
    return g_strndup(quoted + 1, strlen(quoted) - 2);
}

char *
home_muttrc_moved(const char *text, const char *path)
{
    static const char setting[] = "\nsetenv POSTRIDER_HOME ";
    const char *at = strstr(text, setting);
    if (!at)
        return NULL;
    at += strlen(setting);
    g_autofree char *quoted = g_strndup(at, strcspn(at, "\n"));
    g_autofree char *old = g_shell_unquote(quoted, NULL);
    if (!old)
        return NULL;
    g_autofree char *from = quoted_inside(old);
    g_autofree char *to = quoted_inside(path);
    g_autoptr(GString) s = g_string_new(text);
    g_string_replace(s, from, to, 0);
    return g_string_free(g_steal_pointer(&s), FALSE);
}
