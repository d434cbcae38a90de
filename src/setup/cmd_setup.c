/* libexec `postrider-setup`: the verb `setup`. */
#include "base/banned.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "setup/setup.h"

static const SetupPart *const parts[] = {&setup_part_mail, &setup_part_brain, &setup_part_role,
                                         &setup_part_limits, &setup_part_service};

static int
list_parts(Cli *cli)
{
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        cli_print(cli, "  postrider setup %-9s %s\n", parts[i]->name, parts[i]->about);
    return 0;
}

static int
cmd_setup(Cli *cli, int argc, char **argv)
{
    const char *names[G_N_ELEMENTS(parts) + 1] = {NULL};

    if (argc < 2)
        return list_parts(cli);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        names[i] = parts[i]->name;
        if (g_str_equal(argv[1], names[i]))
            return setup_run(parts[i], cli, argc - 1, argv + 1);
    }
    g_autofree char *hint = text_did_you_mean(argv[1], names);
    return cli_usage("setup", "no '%s'%s", argv[1], hint);
}

static const VerbRun table[] = {{"setup", cmd_setup}, {NULL, NULL}};

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, table, false);
}
