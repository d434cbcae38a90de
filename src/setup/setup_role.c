/* `setup role` and `setup limits`: who there is, and what they may spend. */
#include "cli/cmds.h"
#include "cli/home/role_make.h"
#include "setup/setup.h"

/* --- role --- */

/* A new role has its address at our domain unless something else is said. */
static int
begin_role(Setup *s, const char *section, const char *name)
{
    const char *said = cli_text(s->cli, "address"), *brain = cli_text(s->cli, "brain");
    g_autofree char *domain = setup_value(s, "postrider", "domain");
    g_autofree char *address = g_strdup_printf("%s@%s", name, domain);
    if (setup_has_section(s, section))
        return 0;
    if (!setup_set(s, section, "address", said ? said : address, &s->cli->error) ||
        !setup_set(s, section, "brain", brain ? brain : "default", &s->cli->error))
        return cli_failed(s->cli, EX_USAGE);
    return 0;
}

static char *
brains_question(const Config *config)
{
    GString *out = g_string_new("Which brain:");
    for (unsigned i = 0; i < config->n_brains; i++)
        g_string_append_printf(out, "%s %s", i ? "," : "", config->brains[i].name);
    return g_string_free(out, FALSE);
}

static int
check_brain(Setup *s, const char *section)
{
    g_autofree char *name = setup_value(s, section, "brain");
    if (config_brain(s->cli->home->config, name))
        return 0;
    return cli_fail(EX_CONFIG,
                    "there is no [brain %s]; nothing was changed. To make it: postrider setup "
                    "brain --name %s",
                    name, name);
}

typedef struct RoleSetup {
    Setup *s;
    char *name, *section; /* once name_role() is 0 */
} RoleSetup;

static int
name_role(void *data)
{
    RoleSetup *r = data;
    Setup *s = r->s;
    const Config *config = s->cli->home->config;
    const char *usual = config->n_roles ? config->roles[0].name : NULL;
    g_autofree char *name = s->operand ? g_strdup(s->operand)
                            : s->ask   ? setup_ask(s, "Role", r->name ? r->name : usual)
                                       : NULL;
    if (!name && !s->ask)
        return cli_usage(s->cli, "role needs a NAME");
    if (!name || s->back)
        return setup_no_answer(s);
    if (!text_name_valid(name))
        return cli_usage(s->cli, "role '%s': a name is a-z, 0-9, '.', '_', '-'", name);
    g_free(r->section);
    r->section = g_strconcat("role ", name, NULL);
    g_free(r->name);
    r->name = g_steal_pointer(&name);
    return 0;
}

static int
ask_role(void *data)
{
    const RoleSetup *r = data;
    const char *in = r->section;
    g_autofree char *which = brains_question(r->s->cli->home->config);
    const SetupKey keys[] = {
        {in, "address", "Its mail address", .needed = true},
        {in, "name", "Its name in From", "display"},
        {in, "brain", which, .needed = true},
        {in, "workdir", "Folder to work in (programs); empty: one of its own"},
        {in, "instructions", "File with its instructions; empty: none"},
    };
    int status = begin_role(r->s, in, r->name);
    if (status == 0)
        status = setup_keys(r->s, keys, G_N_ELEMENTS(keys));
    return status ? status : check_brain(r->s, in);
}

static int
work_role(Setup *s)
{
    const SetupStep steps[] = {name_role, ask_role};
    RoleSetup r = {.s = s};
    GError *error = NULL;
    int status = setup_talk(s, steps, G_N_ELEMENTS(steps), &r);
    if (status == 0 && !config_role(s->cli->home->config, r.name) &&
        (!home_reload(s->cli->home, &error) || !role_make(s->cli, r.name, NULL, &error)))
        status = cli_error(0, error);
    free_all(r.name, r.section);
    return status;
}

int
cmd_setup_role(Cli *cli, int argc, char **argv)
{
    return setup_run(&(SetupPart){.takes_name = true, .work = work_role}, cli, argc, argv);
}

/* --- limits --- */

static int
ask_limits(void *data)
{
    Setup *s = data;
    const Config *config = s->cli->home->config;
    const char *said = cli_text(s->cli, "role");
    const char *role = said ? said : config->n_roles ? config->roles[0].name : "envoy";
    if (said && !config_role_get(config, role, &s->cli->error))
        return cli_failed(s->cli, EX_USAGE);
    g_autofree char *section = g_strconcat("role ", role, NULL);
    g_autofree char *of_cost = g_strdup_printf("Dollars that one round of '%s' may cost", role);
    const SetupKey keys[] = {
        {"postrider", "max-cost-per-day", "Dollars that all agents may spend in a day",
         .needed = true},
        {section, "max-cost", of_cost, .needed = true},
        {section, "max-iterations", "Steps in one run", .needed = true},
        {section, "total-iterations", "Steps in one round, before it asks", .needed = true},
        {"postrider", "workers", "Runs at the same time", .needed = true},
    };
    return setup_keys(s, keys, G_N_ELEMENTS(keys));
}

static int
work_limits(Setup *s)
{
    const SetupStep steps[] = {ask_limits};
    return setup_talk(s, steps, G_N_ELEMENTS(steps), s);
}

int
cmd_setup_limits(Cli *cli, int argc, char **argv)
{
    return setup_run(&(SetupPart){.work = work_limits}, cli, argc, argv);
}
