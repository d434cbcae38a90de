/* `setup role` and `setup limits`: who there is, and what they may spend. */
#include "base/banned.h"
#include "base/err.h"
#include "base/text.h"
#include "cli/home/role_make.h"
#include "setup/setup.h"

/* --- role --- */

/* A new role has its address at our domain unless something else is said. */
static int
begin_role(Setup *s, const char *section, const char *name)
{
    GError *error = NULL;
    const char *said = setup_flag(s, "address"), *brain = setup_flag(s, "brain");
    g_autofree char *domain = setup_value(s, "postrider", "domain");
    g_autofree char *address = g_strdup_printf("%s@%s", name, domain);
    if (setup_has_section(s, section))
        return 0;
    if (!setup_set(s, section, "address", said ? said : address, &error) ||
        !setup_set(s, section, "brain", brain ? brain : "default", &error))
        return cli_error(EX_USAGE, error);
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

static int
work_role(Setup *s)
{
    const Config *config = s->cli->home->config;
    g_autofree char *asked = NULL;
    const char *name = s->operand;
    if (!name && s->ask) {
        asked = setup_ask(s, "Role", config->n_roles ? config->roles[0].name : NULL);
        name = asked;
    }
    if (!name)
        return s->ask ? setup_no_answer() : cli_usage("setup", "role needs a NAME");
    if (!text_name_valid(name))
        return cli_usage("setup", "role '%s': a name is a-z, 0-9, '.', '_', '-'", name);
    g_autofree char *section = g_strconcat("role ", name, NULL);
    g_autofree char *which = brains_question(config);
    const SetupKey keys[] = {
        {section, "address", "Its mail address", .needed = true},
        {section, "name", "Its name in From", "display"},
        {section, "brain", which, .needed = true},
        {section, "workdir", "Folder to work in (programs); empty: one of its own"},
        {section, "instructions", "File with its instructions; empty: none"},
    };
    bool fresh = !config_role(config, name);
    GError *error = NULL;
    int status = begin_role(s, section, name);
    if (status == 0)
        status = setup_keys(s, keys, G_N_ELEMENTS(keys));
    if (status == 0)
        status = check_brain(s, section);
    if (status == 0)
        status = setup_write(s);
    if (status == 0 && fresh &&
        (!home_reload(s->cli->home, &error) || !role_make(s->cli, name, NULL, &error)))
        return cli_error(0, error);
    return status;
}

static const char *const role_texts[] = {"address", "display",      "brain",
                                         "workdir", "instructions", NULL};
const SetupPart setup_part_role = {
    .name = "role",
    .about = "an agent with an address",
    .texts = role_texts,
    .takes_name = true,
    .work = work_role,
};

/* --- limits --- */

static int
work_limits(Setup *s)
{
    const Config *config = s->cli->home->config;
    const char *said = setup_flag(s, "role");
    const char *role = said ? said : config->n_roles ? config->roles[0].name : "envoy";
    GError *error = NULL;
    if (said && !config_role_get(config, role, &error))
        return cli_error(EX_USAGE, error);
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
    int status = setup_keys(s, keys, G_N_ELEMENTS(keys));
    return status ? status : setup_write(s);
}

static const char *const limit_texts[] = {
    "role", "max-cost-per-day", "max-cost", "max-iterations", "total-iterations", "workers",
    NULL};
const SetupPart setup_part_limits = {
    .name = "limits",
    .about = "what may be spent",
    .texts = limit_texts,
    .work = work_limits,
};
