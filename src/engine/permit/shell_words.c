#include "engine/permit/shell_words.h"
#include <fnmatch.h>

/* --- one simple command --- */

/* Reads what stands between quotes; *p is behind the first of them. False: it does not end, or
 * a shell would change it. */
static bool
read_quoted(const char **p, GString *word)
{
    char quote = *(*p)++;
    for (; **p && **p != quote; (*p)++) {
        if (**p == '\n' || (quote == '"' && strchr("$`\\", **p)))
            return false;
        g_string_append_c(word, **p);
    }
    if (!**p)
        return false;
    (*p)++;
    return true;
}

/* A character that a shell does not take as itself, outside of quotes. */
static bool
is_special(char c)
{
    return strchr(";&|`$()<>\\{}#\n\r", c) || (unsigned char)c < ' ' || c == 0x7f;
}

/* Reads one word; *p stands at its first character. */
static bool
read_word(const char **p, GString *word)
{
    while (**p && **p != ' ' && **p != '\t') {
        if (**p == '\'' || **p == '"') {
            if (!read_quoted(p, word))
                return false;
        } else if (is_special(**p)) {
            return false;
        } else {
            g_string_append_c(word, *(*p)++);
        }
    }
    return true;
}

bool
shell_simple(const char *command, char ***ret_words)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    for (const char *p = command;;) {
        g_autoptr(GString) word = g_string_new(NULL);
        p += strspn(p, " \t");
        if (!*p)
            break;
        if (!read_word(&p, word))
            return false;
        g_ptr_array_add(words, g_string_free(g_steal_pointer(&word), FALSE));
    }
    const char *first = words->len ? g_ptr_array_index(words, 0) : "";
    if (!*first || strchr(first, '=') || *first == '!')
        return false;
    g_ptr_array_add(words, NULL);
    *ret_words = g_strdupv((char **)words->pdata);
    return true;
}

bool
shell_has_prefix(char *const *words, const char *prefix)
{
    g_auto(GStrv) wanted = text_words(prefix, " \t");
    guint n = g_strv_length(wanted);
    for (guint i = 0; i < n; i++) {
        if (!words[i] || !g_str_equal(words[i], wanted[i]))
            return false;
    }
    return n > 0;
}

/* --- names in it --- */

/* The text as it would be without quotes and escapes, in lower case. */
static char *
without_quotes(const char *command)
{
    GString *s = g_string_new(NULL);
    for (const char *p = command; *p; p++) {
        if (!strchr("'\"\\", *p))
            g_string_append_c(s, g_ascii_tolower(*p));
    }
    return g_string_free(s, FALSE);
}

static bool
is_name_char(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '-';
}

static bool
has_name(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *p = text; (p = strstr(p, name)); p++) {
        bool begins = p == text || (!is_name_char(p[-1]) && p[-1] != '.');
        if (begins && !is_name_char(p[len]))
            return true;
    }
    return false;
}

/* Whether a part of a path with wildcards in it is meant for the name: it begins as the name
 * does. A shell's `*` leaves out names that begin with a dot, and who says `*` names no
 * file. */
static bool
may_be(const char *part, const char *name)
{
    const char *first = strpbrk(part, "*?[");
    bool wild = first && first > part;
    return (wild && fnmatch(part, name, FNM_PERIOD) == 0) ||
           (strchr(part, '{') && part[0] == '.' && name[0] == '.');
}

bool
shell_names(const char *command, const char *const *names)
{
    g_autofree char *text = without_quotes(command);
    g_auto(GStrv) parts = text_words(text, " \t\r\n/=:;&|<>()`");
    for (const char *const *name = names; *name; name++) {
        if (has_name(text, *name))
            return true;
        for (char **part = parts; *part; part++) {
            if (may_be(*part, *name))
                return true;
        }
    }
    return false;
}

/* The word behind git's own options, of which two have a value; NULL: there is none. */
static const char *
git_order(char **words)
{
    for (; *words && **words == '-'; words++) {
        if ((g_str_equal(*words, "-c") || g_str_equal(*words, "-C")) && words[1])
            words++;
    }
    return *words;
}

bool
shell_sets_git(const char *command)
{
    g_autofree char *text = without_quotes(command);
    g_auto(GStrv) words = text_words(text, " \t\r\n;&|<>()`{}");
    if (strstr(text, "hookspath"))
        return true;
    for (char **w = words; *w; w++) {
        bool git = g_str_equal(*w, "git") || g_str_has_suffix(*w, "/git");
        const char *order = git ? git_order(w + 1) : NULL;
        if (order && g_str_equal(order, "config"))
            return true;
    }
    return false;
}
