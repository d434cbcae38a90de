/* libexec `postrider-setup`: `setup` alone lists its parts. */
#include "cli/cli.h"
#include "cli/cmds.h"

int
cmd_setup(Cli *cli, int argc, char **argv)
{
    for (const Verb *v = verbs; v->name; v++) {
        const char *part = verb_form(v, "setup");
        if (part)
            cli_print(cli, "  postrider setup %-9s %s\n", part, v->summary);
    }
    return 0;
}

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, false);
}
