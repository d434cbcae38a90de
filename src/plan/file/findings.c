#include "plan/file/findings.h"

/* "src/auth.c", "README.md", "lib/": a slash within, or a short ending. A version (1.2) and "e.g." are none. */
static bool
is_file(const char *word)
{
    static const char *const no_files[] = {"e.g", "i.e", "and/or", "n/a", NULL};
    const char *dot = strrchr(word, '.'), *slash = strchr(word, '/');

    if (strstr(word, "://") || g_strv_contains(no_files, word))
        return false;
    if (slash && slash != word)
        return true;
    if (!dot || dot == word || strlen(dot + 1) < 1 || strlen(dot + 1) > 5)
        return false;
    for (const char *p = dot + 1; *p; p++) {
        if (!g_ascii_isalnum(*p))
            return false;
    }
    return g_ascii_isalpha(dot[1]);
}

/* A word of the title without what stands around it. Caller frees. */
static char *
bare(const char *word)
{
    size_t skip = strspn(word, "(\"'`[{<");
    char *copy = g_strdup(word + skip);

    while (*copy && strchr(".,;:!?)\"'`]}>", copy[strlen(copy) - 1]))
        copy[strlen(copy) - 1] = '\0';
    return copy;
}

static void
add_once(GPtrArray *names, const char *name)
{
    if (*name && !g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
        g_ptr_array_add(names, g_strdup(name));
}

/* Files, and what is written as `code`. */
static GPtrArray *
named_things(const char *title)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) words = text_words(title, " \t,");
    g_auto(GStrv) quoted = g_strsplit(title, "`", -1);

    for (char **word = words; *word; word++) {
        g_autofree char *name = bare(*word);
        if (is_file(name))
            add_once(names, name);
    }
    for (guint i = 1; i < g_strv_length(quoted); i += 2) {
        if (quoted[i + 1] && !strpbrk(quoted[i], " \t"))
            add_once(names, quoted[i]);
    }
    return names;
}

/* "30 min", "2h", "1 hour", "90 minutes": in minutes; 0: the words say no time. */
static int64_t
minutes_of(const char *number, const char *unit)
{
    static const struct {
        const char *unit;
        int64_t minutes;
    } units[] = {{"m", 1},    {"min", 1},    {"mins", 1},   {"minute", 1}, {"minutes", 1},
                 {"h", 60},   {"hr", 60},    {"hrs", 60},   {"hour", 60},  {"hours", 60},
                 {"d", 1440}, {"day", 1440}, {"days", 1440}};
    int64_t n;

    if (!text_parse_int(number, 1, 10000, &n))
        return 0;
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (g_ascii_strcasecmp(unit, units[i].unit) == 0)
            return n * units[i].minutes;
    }
    return 0;
}

/* The longest time that the title names. */
static int64_t
longest_minutes(const char *title)
{
    g_auto(GStrv) words = text_words(title, " \t,()~<>≤");
    int64_t longest = 0;

    for (char **word = words; *word; word++) {
        size_t digits = strspn(*word, "0123456789");
        g_autofree char *number = g_strndup(*word, digits);
        const char *unit = (*word)[digits] ? *word + digits : word[1] ? word[1] : "";
        g_autofree char *plain = bare(unit[0] == '-' ? unit + 1 : unit);

        if (digits > 0)
            longest = MAX(longest, minutes_of(number, plain));
    }
    return longest;
}

GPtrArray *
todo_findings(const TodoItems *items)
{
    GPtrArray *findings = g_ptr_array_new_with_free_func(g_free);

    LIST_EACH(const TodoItem, item, items) {
        g_autoptr(GPtrArray) names = named_things(item->title);
        int64_t minutes = longest_minutes(item->title);
        const char *id = item->id ? item->id : item->title;

        if (minutes > TODO_MINUTES)
            g_ptr_array_add(
                findings,
                g_strdup_printf("%s takes more than %d minutes: make several todos of it", id,
                                TODO_MINUTES));
        if (names->len > 1) {
            g_ptr_array_add(names, NULL);
            g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
            g_ptr_array_add(
                findings,
                g_strdup_printf("%s names %u files or components (%s): make a todo of each", id,
                                names->len - 1, all));
        }
    }
    return findings;
}
