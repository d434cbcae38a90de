/*
 * Prints postrider.conf.5: the page given as argument, its line `.\" KEYS` replaced by the
 * table of keys (base/config/config.h). So the manual can't forget a key or state an old default.
 */
#include "base/config/config.h"
#include <stdio.h>

/* How a value of each type is written, as mdoc arguments. */
static const char *const type_words[] = {
    [CONF_STRING] = "text",     [CONF_LIST] = "word ...",
    [CONF_FLAGS] = "word ...",
    [CONF_BOOL] = "yes | no",   [CONF_INT] = "number",
    [CONF_SPAN] = "span",       [CONF_SIZE] = "size",
    [CONF_MONEY] = "money",     [CONF_ENUM] = "word",
    [CONF_ADDRESS] = "address", [CONF_ADDRESSES] = "address ...",
    [CONF_HOST] = "host",       [CONF_COMMAND] = "program argument ...",
    [CONF_PHRASES] = "words, words ...",
};

/* Sections that stand in the file once; the others have a name: [role envoy]. */
static bool
is_single(const char *section)
{
    static const char *const single[] = {"postrider", "smtp", "trust", "notes", "keep", NULL};
    return g_strv_contains(single, section);
}

static void
print_section(const char *section)
{
    if (is_single(section))
        printf(".Ss [%s]\n", section);
    else
        printf(".Ss [%s NAME]\n", section);
    printf(".Bl -tag -width Ds\n");
}

/* Words that mdoc would take for macros or punctuation get a zero-width space in front. */
static void
print_text(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);

    for (char **w = words; *w; w++)
        printf("%s%s%s", w == words ? "" : " ", **w == '.' || **w == '\'' ? "\\&" : "", *w);
}

static void
print_key(const ConfKey *key)
{
    printf(".It Cm %s No = Ar %s\n", key->name, type_words[key->type]);
    print_text(key->help);
    printf(".\n");
    const char *range = config_range(key);
    if (range || key->values) {
        g_auto(GStrv) values = range ? g_strsplit(range, "..", -1) : g_strsplit(key->values, "|", -1);
        g_autofree char *list = g_strjoinv(range ? " No to Cm " : " , ", values);
        const char *intro = range ? "From" : key->type == CONF_FLAGS ? "Any of" : "One of";
        printf("%s\n.Cm %s .\n", intro, list);
    }
    if (*key->fallback)
        printf("Default:\n.Ql %s .\n", key->fallback);
}

static void
print_keys(void)
{
    const char *section = NULL;

    for (const ConfKey *key = config_keys; key->section; key++) {
        if (g_strcmp0(section, key->section) != 0) {
            if (section)
                printf(".El\n");
            section = key->section;
            print_section(section);
        }
        print_key(key);
    }
    printf(".El\n");
}

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *page = NULL;

    if (argc != 2 || !g_file_get_contents(argv[1], &page, NULL, &error)) {
        fprintf(stderr, "conf_man: %s\n", error ? error->message : "usage: conf_man PAGE");
        return 1;
    }
    g_auto(GStrv) lines = g_strsplit(g_strchomp(page), "\n", -1);
    for (char **line = lines; *line; line++) {
        if (strcmp(*line, ".\\\" KEYS") == 0)
            print_keys();
        else
            printf("%s\n", *line);
    }
    return 0;
}
