/* libexec `postrider-setup`: the verb `setup`. */
#include "base/banned.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/setup.h"

static const struct {
    const char *name;
    int (*run)(Cli *cli, int argc, char **argv);
    const char *about;
} parts[] = {
    {"mail", setup_mail, "a mailbox on a server: login, sending, who the owner is"},
    {"brain", setup_brain, "what thinks: a model behind an API, or a program"},
    {"role", setup_role, "an agent with an address"},
    {"limits", setup_limits, "what may be spent"},
    {"service", setup_service, "start with the machine, by systemd"},
};

static int
list_parts(Cli *cli)
{
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        cli_print(cli, "  postrider setup %-9s %s\n", parts[i].name, parts[i].about);
    return 0;
}

static int
cmd_setup(Cli *cli, int argc, char **argv)
{
    const char *names[G_N_ELEMENTS(parts) + 1] = {NULL};

    if (argc < 2)
        return list_parts(cli);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        names[i] = parts[i].name;
        if (g_str_equal(argv[1], parts[i].name))
            return parts[i].run(cli, argc - 1, argv + 1);
    }
    const char *near = text_nearest(argv[1], names);
    return cli_usage("setup", "no '%s'%s%s%s", argv[1], near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

static const VerbRun table[] = {{"setup", cmd_setup}, {NULL, NULL}};

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, table, false);
}
