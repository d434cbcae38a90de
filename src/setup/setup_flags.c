/* What the command line said to a part of `setup`, and the frame of all parts. */
#include "base/banned.h"
#include "base/secretfile.h"
#include "cli/home/reload.h"
#include "setup/setup.h"
#include <unistd.h>

struct SetupFlag {
    const char *name; /* NULL: the end */
    char *text;
    gboolean on;
    char **list;
};

static const SetupFlag *
find(const Setup *s, const char *name)
{
    const SetupFlag *f = s->flags;
    while (f->name && !g_str_equal(f->name, name))
        f++;
    g_assert(f->name);
    return f;
}

const char *
setup_flag(const Setup *s, const char *name)
{
    return find(s, name)->text;
}

bool
setup_switch(const Setup *s, const char *name)
{
    return find(s, name)->on;
}

char **
setup_list(const Setup *s, const char *name)
{
    return find(s, name)->list;
}

char *
setup_flag_path(const Setup *s, const char *name)
{
    const char *text = setup_flag(s, name);
    if (!text || !*text || secretfile_credential(text))
        return g_strdup(text);
    return g_canonicalize_filename(text, NULL);
}

/* --- reading them --- */

static void
add(GArray *entries, SetupFlag *flag, const char *name, GOptionArg arg, void *to)
{
    const GOptionEntry entry = {.long_name = name, .arg = arg, .arg_data = to};
    flag->name = name;
    g_array_append_val(entries, entry);
}

static int
read_flags(Setup *s, const SetupPart *part, int *argc, char ***argv)
{
    static const char *const none[] = {NULL};
    const char *const *switches = part->switches ? part->switches : none;
    guint n = g_strv_length((char **)part->texts) + g_strv_length((char **)switches) + 1;
    SetupFlag *f = s->flags = g_new0(SetupFlag, n + 1);
    const GOptionEntry yes = {"yes", 'y', 0, G_OPTION_ARG_NONE, &s->yes, NULL, NULL};
    g_autoptr(GArray) entries = g_array_new(TRUE, TRUE, sizeof yes);
    g_array_append_val(entries, yes);
    for (const char *const *name = part->texts; *name; name++, f++)
        add(entries, f, *name, G_OPTION_ARG_STRING, &f->text);
    for (const char *const *name = switches; *name; name++, f++)
        add(entries, f, *name, G_OPTION_ARG_NONE, &f->on);
    if (part->list)
        add(entries, f, part->list, G_OPTION_ARG_STRING_ARRAY, &f->list);
    int status = cli_options("setup", (const GOptionEntry *)(void *)entries->data, argc, argv);
    int most = part->takes_name ? 2 : 1;
    if (status == 0 && *argc > most)
        status = cli_usage("setup", "what is '%s'?", (*argv)[most]);
    s->operand = *argc > 1 ? (*argv)[1] : NULL;
    return status;
}

static void
free_flags(Setup *s)
{
    for (SetupFlag *f = s->flags; f->name; f++) {
        g_free(f->text);
        g_strfreev(f->list);
    }
    g_free(s->flags);
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
    bool homeless = part->homeless && setup_switch(s, part->homeless);
    int status = homeless ? 0 : cli_home(s->cli);
    if (status)
        return status;
    s->ask = isatty(STDIN_FILENO) && !s->yes;
    setup_begin(s);
    if (s->ask && part != &setup_part_service) /* which has one question */
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
    Setup s = {.cli = cli};
    int status = read_flags(&s, part, &argc, &argv);
    if (status == 0)
        status = work(&s, part);
    free_flags(&s);
    return status;
}
