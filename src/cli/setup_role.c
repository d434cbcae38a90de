/* `setup role` and `setup limits`: who there is, and what they may spend. */
#include "base/banned.h"
#include "base/err.h"
#include "base/text.h"
#include "cli/setup.h"
#include "engine/known.h"
#include "mail/maildir.h"
#include "notes/first_notes.h"
#include "notes/notes.h"
#include <fcntl.h>
#include <unistd.h>

static int
ask_keys(Setup *s, const SetupKey *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int status = setup_key(s, &keys[i]);
        if (status)
            return status;
    }
    return setup_write(s);
}

/* --- role --- */

typedef struct RoleFlags {
    char *address, *display, *brain, *workdir, *instructions;
} RoleFlags;

/* A new role has its address at our domain unless something else is said. */
static int
begin_role(Setup *s, const char *section, const char *name, const RoleFlags *f)
{
    GError *error = NULL;
    g_autofree char *domain = setup_value(s, "postrider", "domain");
    g_autofree char *address = g_strdup_printf("%s@%s", name, domain);
    if (setup_has_section(s, section))
        return 0;
    if (!setup_set(s, section, "address", f->address ? f->address : address, &error) ||
        !setup_set(s, section, "brain", f->brain ? f->brain : "default", &error))
        return cli_error(EX_USAGE, error);
    return 0;
}

/* As `init` does for its role: a mailbox that we make is known to be empty, and has its first
 * notes. */
static bool
make_mailbox(Cli *cli, const char *name, GError **error)
{
    g_auto(Txn) txn = {0};
    g_autoptr(Maildir) md = NULL;
    if (faccessat(cli->home->mail_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return true; /* somebody's: the service looks at what is in it */
    return home_reload(cli->home, error) && db_open(cli->home, DB_WRITE, &cli->db, error) &&
           txn_begin(cli->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) &&
           maildir_open(cli->home->mail_fd, name, true, &md, error) &&
           known_set(&txn, name, error) && notes_write_first(&txn, name, error) &&
           txn_commit(&txn, error) && notes_sync(cli->home, cli->db, NULL, error);
}

static int
work_role(Setup *s, const char *given, const RoleFlags *f)
{
    const Config *config = s->cli->home->config;
    g_autofree char *asked = NULL;
    const char *name = given;
    if (!name && s->ask)
        name = asked = setup_ask(s, "Role", config->n_roles ? config->roles[0].name : NULL);
    if (!name)
        return s->ask ? setup_no_answer() : cli_usage("setup", "role needs a NAME");
    if (!text_name_valid(name))
        return cli_usage("setup", "role '%s': a name is a-z, 0-9, '.', '_', '-'", name);
    g_autofree char *section = g_strconcat("role ", name, NULL);
    int status = begin_role(s, section, name, f);
    if (status)
        return status;
    const SetupKey keys[] = {
        {section, "address", "Its mail address", f->address, "--address", true},
        {section, "name", "Its name in From", f->display, "--display", false},
        {section, "brain", "Which brain", f->brain, "--brain", true},
        {section, "workdir", "Folder to work in (programs); empty: one of its own", f->workdir,
         "--workdir", false},
        {section, "instructions", "File with its instructions; empty: none", f->instructions,
         "--instructions", false},
    };
    bool fresh = !config_role(config, name);
    GError *error = NULL;
    status = ask_keys(s, keys, G_N_ELEMENTS(keys));
    if (status == 0 && fresh && !make_mailbox(s->cli, name, &error))
        return cli_error(0, error);
    return status;
}

int
setup_role(Cli *cli, int argc, char **argv)
{
    Setup s = {0};
    RoleFlags f = {0};
    const GOptionEntry options[] = {
        {"address", 0, 0, G_OPTION_ARG_STRING, &f.address, NULL, NULL},
        {"display", 0, 0, G_OPTION_ARG_STRING, &f.display, NULL, NULL},
        {"brain", 0, 0, G_OPTION_ARG_STRING, &f.brain, NULL, NULL},
        {"workdir", 0, 0, G_OPTION_ARG_STRING, &f.workdir, NULL, NULL},
        {"instructions", 0, 0, G_OPTION_ARG_STRING, &f.instructions, NULL, NULL},
        {"yes", 'y', 0, G_OPTION_ARG_NONE, &s.yes, NULL, NULL},
        G_OPTION_ENTRY_NULL};
    int status = cli_options("setup", options, &argc, &argv);
    if (status == 0 && argc > 2)
        status = cli_usage("setup", "what is '%s'?", argv[2]);
    if (status == 0)
        status = setup_open(&s, cli);
    if (status == 0)
        status = work_role(&s, argc > 1 ? argv[1] : NULL, &f);
    if (s.changes)
        setup_close(&s);
    char *owned[] = {f.address, f.display, f.brain, f.workdir, f.instructions};
    for (size_t i = 0; i < G_N_ELEMENTS(owned); i++)
        g_free(owned[i]);
    return status;
}

/* --- limits --- */

typedef struct LimitFlags {
    char *role, *per_day, *cost, *steps, *total, *workers;
} LimitFlags;

static int
work_limits(Setup *s, const LimitFlags *f)
{
    const Config *config = s->cli->home->config;
    const char *role = f->role ? f->role : config->n_roles ? config->roles[0].name : "envoy";
    GError *error = NULL;
    if (f->role && !config_role_get(config, role, &error))
        return cli_error(EX_USAGE, error);
    g_autofree char *section = g_strconcat("role ", role, NULL);
    g_autofree char *of_cost = g_strdup_printf("Dollars that one round of '%s' may cost", role);
    const SetupKey keys[] = {
        {"postrider", "max-cost-per-day", "Dollars that all agents may spend in a day",
         f->per_day, "--max-cost-per-day", true},
        {section, "max-cost", of_cost, f->cost, "--max-cost", true},
        {section, "max-iterations", "Steps in one run", f->steps, "--max-iterations", true},
        {section, "total-iterations", "Steps in one round, before it asks", f->total,
         "--total-iterations", true},
        {"postrider", "workers", "Runs at the same time", f->workers, "--workers", true},
    };
    return ask_keys(s, keys, G_N_ELEMENTS(keys));
}

int
setup_limits(Cli *cli, int argc, char **argv)
{
    Setup s = {0};
    LimitFlags f = {0};
    const GOptionEntry options[] = {
        {"role", 0, 0, G_OPTION_ARG_STRING, &f.role, NULL, NULL},
        {"max-cost-per-day", 0, 0, G_OPTION_ARG_STRING, &f.per_day, NULL, NULL},
        {"max-cost", 0, 0, G_OPTION_ARG_STRING, &f.cost, NULL, NULL},
        {"max-iterations", 0, 0, G_OPTION_ARG_STRING, &f.steps, NULL, NULL},
        {"total-iterations", 0, 0, G_OPTION_ARG_STRING, &f.total, NULL, NULL},
        {"workers", 0, 0, G_OPTION_ARG_STRING, &f.workers, NULL, NULL},
        {"yes", 'y', 0, G_OPTION_ARG_NONE, &s.yes, NULL, NULL},
        G_OPTION_ENTRY_NULL};
    int status = cli_options("setup", options, &argc, &argv);
    if (status == 0 && argc > 1)
        status = cli_usage("setup", "what is '%s'?", argv[1]);
    if (status == 0)
        status = setup_open(&s, cli);
    if (status == 0)
        status = work_limits(&s, &f);
    if (s.changes)
        setup_close(&s);
    char *owned[] = {f.role, f.per_day, f.cost, f.steps, f.total, f.workers};
    for (size_t i = 0; i < G_N_ELEMENTS(owned); i++)
        g_free(owned[i]);
    return status;
}
