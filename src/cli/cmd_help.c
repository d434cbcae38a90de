#include "base/banned.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"

static int
overview(Cli *cli)
{
    const char *group = NULL;
    cli_print(cli, "Give your AI agents an e-mail address.\n\n"
                   "usage: postrider [--home DIR] [--json] VERB ...\n");
    for (const Verb *v = verbs; v->name; v++) {
        if (!group || !g_str_equal(group, v->group))
            cli_print(cli, "\n%s\n", v->group);
        group = v->group;
        cli_print(cli, "  %-10s %s\n", v->name, v->summary);
    }
    cli_print(cli, "\n'postrider help VERB' tells more. First steps: postrider init, then "
                   "postrider ask \"hello\".\n");
    return 0;
}

static int
one(Cli *cli, const Verb *v)
{
    cli_print(cli, "usage: postrider %s%s%s\n\n%c%s.\n", v->name, *v->args ? " " : "", v->args,
              g_ascii_toupper(*v->summary), v->summary + 1);
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

/* A manual page in mdoc, made from the same table at build time. */
static int
man_page(Cli *cli, const Verb *v)
{
    g_autofree char *upper = g_ascii_strup(v->name, -1);
    cli_print(cli, ".Dd November 15, 2026\n.Dt POSTRIDER-%s 1\n.Os\n.Sh NAME\n", upper);
    cli_print(cli, ".Nm postrider-%s\n.Nd %s\n.Sh SYNOPSIS\n.Nm postrider\n.Cm %s\n", v->name,
              v->summary, v->name);
    if (*v->args)
        cli_print(cli, "%s\n", v->args);
    cli_print(cli, ".Sh DESCRIPTION\n");
    print_mdoc(cli, *v->help ? v->help : v->summary);
    cli_print(cli, ".Sh SEE ALSO\n.Xr postrider 1 ,\n.Xr postrider.conf 5\n");
    return 0;
}

int
cmd_help(Cli *cli, int argc, char **argv)
{
    if (argc < 2)
        return overview(cli);
    if (g_str_equal(argv[1], "--verbs")) {
        for (const Verb *v = verbs; v->name; v++)
            cli_print(cli, "%s\n", v->name);
        return 0;
    }
    bool man = g_str_equal(argv[1], "--man");
    if (man && argc < 3)
        return cli_usage("help", "--man needs a verb");
    const char *name = argv[man ? 2 : 1];
    const Verb *v = verb_find(name);
    if (!v) {
        g_autofree char *hint = text_did_you_mean(name, verb_names());
        return cli_fail(EX_USAGE, "help: no verb '%s'%s", name, hint);
    }
    return man ? man_page(cli, v) : one(cli, v);
}
