#include "cli/options.h"

#define ITERATIONS_MAX 10000

struct CliOption {
    char **names; /* as they are typed: "-n", "--limit" */
    char *value;  /* "N"; NULL: a flag */
    bool many;
    gboolean on; /* what the command line said */
    char *text;
    char **texts;
};

static void
option_free(void *data)
{
    CliOption *o = data;
    g_strfreev(o->names);
    free_all(o->value, o->text);
    g_strfreev(o->texts);
    g_free(o);
}

/* "-s|--subject TEXT", up to what follows it. */
static CliOption *
take_option(const char **p)
{
    CliOption *o = g_new0(CliOption, 1);
    size_t len = strcspn(*p, " ]");
    g_autofree char *names = g_strndup(*p, len);
    o->names = g_strsplit(names, "|", -1);
    *p += len;
    if (**p == ' ' && !strchr("-[|", (*p)[1])) {
        len = strcspn(++*p, " ].");
        o->value = g_strndup(*p, len);
        *p += len;
    }
    o->many = g_str_has_prefix(*p + (**p == ']'), "...");
    return o;
}

/* What a row takes beside options. */
typedef struct Operands {
    GPtrArray *needed; /* char *: names of those that can't be left out */
    unsigned most;
    bool rest; /* it ends with [-- COMMAND] */
} Operands;

/* "ID", "[FILE]", "KEY..."; some are words that people type without quotes around them. */
static void
take_operand(const char *at, bool optional, Operands *o)
{
    static const char *const words[] = {"TEXT",  "INSTRUCTION", "WHY",  "WHEN",
                                        "QUERY", "WORDS",       "VERB", NULL};
    char *name = g_strndup(at, strcspn(at, " []."));
    bool many = g_strv_contains(words, name) || g_str_has_prefix(at + strlen(name), "...");
    o->most = many ? INT_MAX : o->most + 1;
    if (optional)
        g_free(name);
    else
        g_ptr_array_add(o->needed, name);
}

static GPtrArray *
parse_args(const char *args, Operands *ret)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(option_free);
    for (const char *p = args; *p;) {
        if (g_str_has_prefix(p, "-- ")) {
            ret->rest = true;
            break;
        }
        if (*p == '-')
            g_ptr_array_add(all, take_option(&p));
        else if (g_ascii_isupper(*p))
            take_operand(p, p > args && p[-1] == '[', ret);
        p += strcspn(p, " [");
        p += *p != '\0';
    }
    return all;
}

static bool
is_among(const CliOption *o, const char *first, const char *second)
{
    return g_strcmp0(o->value, first) == 0 || g_strcmp0(o->value, second) == 0;
}

/* GLib's entries: one for each long name. A letter goes with the first of them. */
static GArray *
entries_of(GPtrArray *options)
{
    GArray *entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
    LIST_EACH(CliOption, o, options) {
        bool file = is_among(o, "FILE", "DIR");
        GOptionEntry entry = {.arg = G_OPTION_ARG_NONE, .arg_data = &o->on};
        if (o->value && o->many) {
            entry.arg = file ? G_OPTION_ARG_FILENAME_ARRAY : G_OPTION_ARG_STRING_ARRAY;
            entry.arg_data = &o->texts;
        } else if (o->value) {
            entry.arg = file ? G_OPTION_ARG_FILENAME : G_OPTION_ARG_STRING;
            entry.arg_data = &o->text;
        }
        for (char **name = o->names; *name; name++) {
            if ((*name)[1] != '-') {
                entry.short_name = (*name)[1];
                continue;
            }
            entry.long_name = *name + 2;
            g_array_append_val(entries, entry);
            entry.short_name = 0;
        }
    }
    return entries;
}

/* GLib's words, as a part of our line, and the nearest option where it knows none. */
static int
wrong_option(Cli *cli, const GArray *entries, const GError *error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *said = g_strdup(error->message);
    g_autofree char *hint = NULL;
    *said = g_ascii_tolower(*said);
    if (g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)) {
        for (guint i = 0; i < entries->len; i++)
            g_ptr_array_add(
                names,
                g_strconcat("--", g_array_index(entries, GOptionEntry, i).long_name, NULL));
        g_ptr_array_add(names, NULL);
        const char *word = strrchr(said, ' ');
        hint = text_did_you_mean(word ? word + 1 : said, (const char *const *)names->pdata);
    }
    return cli_usage(cli, "%s%s", said, hint ? hint : "");
}

static int
check_numbers(Cli *cli)
{
    int64_t n;
    LIST_EACH(const CliOption, o, cli->options)
        if (o->text && is_among(o, "N", "JOB") &&
            !text_parse_int(o->text, -INT_MAX, INT_MAX, &n))
            return cli_usage(cli, "%s '%s' is no number", o->names[g_strv_length(o->names) - 1],
                             o->text);
    return 0;
}

static int
check_operands(Cli *cli, const Operands *o, unsigned n, char **operands)
{
    if (n > o->most)
        return cli_usage(cli, "what is '%s'?", operands[o->most]);
    if (n < o->needed->len)
        return cli_usage(cli, "needs %s", (const char *)g_ptr_array_index(o->needed, n));
    return 0;
}

/* Takes "--" and what stands behind it out of argv. */
static void
cut_rest(Cli *cli, int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++) {
        if (!g_str_equal(argv[i], "--"))
            continue;
        cli->rest = argv + i + 1;
        argv[i] = NULL;
        *argc = i;
    }
}

int
options_read(Cli *cli, int *argc, char ***argv)
{
    g_autoptr(GPtrArray) needed = g_ptr_array_new_with_free_func(g_free);
    Operands operands = {.needed = needed};
    g_autoptr(GError) error = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    cli->options = parse_args(cli->row->args, &operands);
    g_autoptr(GArray) entries = entries_of(cli->options);
    g_option_context_set_help_enabled(context, FALSE);
    if (operands.rest)
        cut_rest(cli, argc, *argv);
    /* A number below zero is no option: `config set A B -1`. */
    bool number = false;
    for (int i = 1; i < *argc; i++)
        number |= (*argv)[i][0] == '-' && g_ascii_isdigit((*argv)[i][1]);
    g_option_context_set_strict_posix(context, number && entries->len == 0);
    g_option_context_add_main_entries(context, (const GOptionEntry *)(void *)entries->data,
                                      NULL);
    if (!g_option_context_parse(context, argc, argv, &error))
        return wrong_option(cli, entries, error);
    if (*argc > 1 && g_str_equal((*argv)[1], "--")) {
        (*argv)[1] = (*argv)[0];
        (*argv)++;
        (*argc)--;
    }
    int status = check_operands(cli, &operands, (unsigned)*argc - 1, *argv + 1);
    return status ? status : check_numbers(cli);
}

void
options_clear(Cli *cli)
{
    g_clear_pointer(&cli->options, g_ptr_array_unref);
}

static const CliOption *
find(const Cli *cli, const char *name)
{
    LIST_EACH(const CliOption, o, cli->options) {
        const char *own = o->names[(*o->names)[1] != '-'];
        if (g_str_equal(own + 2, name))
            return o;
    }
    g_error("'%s' has no option --%s in verbs.def", cli->row->name, name);
}

bool
cli_flag(const Cli *cli, const char *name)
{
    return find(cli, name)->on;
}

const char *
cli_text(const Cli *cli, const char *name)
{
    return find(cli, name)->text;
}

char **
cli_texts(const Cli *cli, const char *name)
{
    return find(cli, name)->texts;
}

int
cli_number(const Cli *cli, const char *name, int fallback)
{
    int64_t n = fallback;
    const char *text = cli_text(cli, name);
    if (text)
        (void)text_parse_int(text, -INT_MAX, INT_MAX, &n);
    return (int)n;
}

int
cli_iterations(const Cli *cli, bool runs, int *ret)
{
    int n = cli_number(cli, "max-iterations", INT_MIN);
    *ret = MAX(n, 0);
    if (n != INT_MIN && !runs)
        (void)cli_fail(0, "%s: --max-iterations counts with --run; nothing is run now",
                       cli->verb);
    if (n != INT_MIN && (n < 1 || n > ITERATIONS_MAX))
        return cli_usage(cli, "--max-iterations must be 1 to %d", ITERATIONS_MAX);
    return 0;
}
