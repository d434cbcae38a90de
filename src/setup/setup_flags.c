/* What the command line said to a part of `setup`, and the frame of all parts. */
#include "base/secretfile.h"
#include "cli/home/reload.h"
#include "setup/setup.h"

char *
setup_flag_path(const Setup *s, const char *name)
{
    const char *text = cli_text(s->cli, name);
    if (!text || !*text || secretfile_credential(text))
        return g_strdup(text);
    return g_canonicalize_filename(text, NULL);
}

/* --- the frame --- */

static void
tell_master(Setup *s)
{
    g_autofree char *told = reload_ask(s->cli->home);
    const char *home = s->cli->home_option ? s->cli->home_option : "";
    const char *option = *home ? " --home " : "";
    if (told)
        setup_say(s, "%s\n", told);
    else
        setup_say(s,
                  "nothing serves this home yet; to start it: postrider%s%s serve, or with the "
                  "machine: postrider%s%s setup service\n",
                  option, home, option, home);
}

static int
work(Setup *s, const SetupPart *part)
{
    bool homeless = part->homeless && cli_flag(s->cli, part->homeless);
    int status = homeless ? 0 : cli_home(s->cli);
    if (status)
        return status;
    s->ask = isatty(STDIN_FILENO) && !cli_flag(s->cli, "yes");
    setup_begin(s);
    if (s->ask && !part->homeless) /* `service` has one question */
        setup_say(s, "An answer of '" SETUP_BACK_WORD "' goes back to the question before.\n");
    while ((status = part->work(s)) == SETUP_BACK) {
        setup_say(s, "  there is no question before this one\n");
        s->back = false;
    }
    setup_end(s);
    if (s->written)
        tell_master(s);
    return status;
}

int
setup_run(const SetupPart *part, Cli *cli, int argc, char **argv)
{
    Setup s = {.cli = cli, .operand = argc > 1 ? argv[1] : NULL};
    int most = part->takes_name ? 2 : 1;
    return argc > most ? cli_usage(cli, "what is '%s'?", argv[most]) : work(&s, part);
}
