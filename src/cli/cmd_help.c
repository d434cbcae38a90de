/* What is printed of the table of verbs: for people, as mdoc, and for completion. */
#include "cli/cli.h"
#include "cli/cmds.h"

#define USAGE_COLUMNS 100

/* The groups of verbs, as they are shown; `group` of a verb's row is one of these. */
static const char *const groups[] = {"every day", "set up", "agents at work", "for programs"};

static bool
is_in_group(const Verb *v, unsigned group)
{
    return v->group && g_str_equal(v->group, groups[group]);
}

/* "usage: postrider VERB [--option]", broken between options. */
static void
print_usage(Cli *cli, const char *begin, const Verb *row)
{
    g_autofree char *usage = verb_usage(row);
    g_auto(GStrv) parts = g_strsplit(usage, " [", -1);
    size_t used = strlen(begin) + strlen(*parts);
    cli_print(cli, "%s%s", begin, *parts);
    for (char **part = parts + 1; *part; part++) {
        bool fits = used + strlen(*part) + 2 <= USAGE_COLUMNS;
        cli_print(cli, "%s[%s", fits ? " " : "\n         ", *part);
        used = (fits ? used : 8) + strlen(*part) + 2;
    }
    cli_print(cli, "\n");
}

/* A name and what it is for. Without a format: this is most of what `help` does. */
static void
print_row(Cli *cli, const Verb *v)
{
    static const char column[] = "           ";
    size_t len = strlen(v->name) + 1;
    g_string_append_len(cli->out, column, 2);
    g_string_append(cli->out, v->name);
    g_string_append(cli->out, len < sizeof column ? column + len - 1 : " ");
    g_string_append(cli->out, v->summary);
    g_string_append_c(cli->out, '\n');
}

static int
overview(Cli *cli)
{
    cli_print(cli, "Give your AI agents an e-mail address.\n\n"
                   "usage: postrider [--home DIR] [--json] VERB ...\n");
    for (unsigned group = 0; group < G_N_ELEMENTS(groups); group++) {
        cli_print(cli, "\n%s\n", groups[group]);
        for (const Verb *v = verbs; v->name; v++)
            if (is_in_group(v, group))
                print_row(cli, v);
    }
    cli_print(cli, "\n'postrider help VERB' tells more. First steps: postrider init, then "
                   "postrider ask \"hello\".\n");
    return 0;
}

/* The rows by which a verb is called: its own, and those of its forms. */
static GPtrArray *
rows_of(const Verb *verb)
{
    GPtrArray *rows = g_ptr_array_new();
    for (const Verb *v = verbs; v->name; v++) {
        if (v == verb ? !(v->flags & VERB_FORMS) : verb_form(v, verb->name) != NULL)
            g_ptr_array_add(rows, (void *)v);
    }
    return rows;
}

static int
one(Cli *cli, const Verb *v)
{
    g_autoptr(GPtrArray) rows = rows_of(v);
    for (guint i = 0; i < rows->len; i++)
        print_usage(cli, i == 0 ? "usage: postrider " : "       postrider ",
                    g_ptr_array_index(rows, i));
    cli_print(cli, "\n%c%s.\n", g_ascii_toupper(*v->summary), v->summary + 1);
    if (*v->help)
        cli_print(cli, "\n%s\n", v->help);
    return 0;
}

/* Paragraphs as mdoc wants them: each sentence on a line of its own. */
static void
print_mdoc(Cli *cli, const char *text)
{
    g_auto(GStrv) paragraphs = g_strsplit(text, "\n\n", -1);
    for (char **p = paragraphs; *p; p++) {
        g_strdelimit(*p, "\n", ' ');
        g_auto(GStrv) sentences = g_strsplit(*p, ". ", -1);
        cli_print(cli, "%s", p == paragraphs ? "" : ".Pp\n");
        for (char **s = sentences; *s; s++)
            cli_print(cli, "%s%s%s\n", **s == '.' || **s == '\'' ? "\\&" : "", *s,
                      s[1] ? "." : "");
    }
}

/* A verb's manual page in mdoc, made at build time. */
static int
man_page(Cli *cli, const Verb *v)
{
    g_autofree char *upper = g_ascii_strup(v->name, -1);
    g_autoptr(GPtrArray) rows = rows_of(v);
    cli_print(cli, ".Dd November 15, 2026\n.Dt POSTRIDER-%s 1\n.Os\n.Sh NAME\n", upper);
    cli_print(cli, ".Nm postrider-%s\n.Nd %s\n.Sh SYNOPSIS\n", v->name, v->summary);
    LIST_EACH(const Verb, row, rows)
        cli_print(cli, ".Nm postrider\n.Cm %s\n%s%s", row->name, row->args,
                  *row->args ? "\n" : "");
    cli_print(cli, ".Sh DESCRIPTION\n");
    print_mdoc(cli, *v->help ? v->help : v->summary);
    cli_print(cli, ".Sh SEE ALSO\n.Xr postrider 1 ,\n.Xr postrider.conf 5\n");
    return 0;
}

static void
print_mdoc_row(Cli *cli, const Verb *v)
{
    g_autofree char *usage = verb_usage(v);
    const char *args = g_strchug(usage + strlen(v->name));
    cli_print(cli, ".It Cm %s%s%s%s\n%c%s.\n", v->name, *args ? " No \"" : "", args,
              *args ? "\"" : "", g_ascii_toupper(*v->summary), v->summary + 1);
}

/* The verbs in postrider(1), by groups. */
static int
man_overview(Cli *cli)
{
    for (unsigned group = 0; group < G_N_ELEMENTS(groups); group++) {
        cli_print(cli, ".Ss %c%s\n.Bl -tag -width Ds\n", g_ascii_toupper(*groups[group]),
                  groups[group] + 1);
        for (const Verb *v = verbs; v->name; v++)
            if (is_in_group(v, group))
                print_mdoc_row(cli, v);
        cli_print(cli, ".El\n");
    }
    return 0;
}

/* For completion: the columns name, arguments, words. */
static int
print_rows(Cli *cli)
{
    for (const Verb *v = verbs; v->name; v++)
        cli_print(cli, "%s\t%s\t%s\n", v->name, v->args, v->words ? v->words : "");
    return 0;
}

int
cmd_help(Cli *cli, int argc, char **argv)
{
    bool man = cli_flag(cli, "man");
    if (cli_flag(cli, "rows"))
        return print_rows(cli);
    if (argc < 2)
        return man ? man_overview(cli) : overview(cli);
    const Verb *v = verb_find(argv[1], NULL);
    if (!v) {
        g_autoptr(GPtrArray) names = verb_names(NULL);
        g_autofree char *hint = text_did_you_mean(argv[1], (const char *const *)names->pdata);
        return cli_fail(EX_USAGE, "help: no verb '%s'%s", argv[1], hint);
    }
    return man ? man_page(cli, v) : one(cli, v);
}
