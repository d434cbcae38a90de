/*
 * `role run`: a role at work, with its typed mail shown before, while and after it works. A person's command, or an agent's
 * program with -i, gets the terminal (engine/session.h); else what waits for the home's agents is worked off.
 */
#include "base/file.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/home/pass.h"
#include "cli/workflow/open_workflow.h"
#include "cli/workflow/role_inbox.h"
#include "engine/out/deliver.h"
#include "engine/session.h"
#include "port/port.h"
#include "workflow/artifact_place.h"
#include <signal.h>
#include <sys/wait.h>

#define ROLE_RUN "role run"                /* what its job waits for, after a kill */
#define LOOK_US 200000                     /* a program's end is noticed so soon */
#define INSTRUCTIONS_MAX (64u << 10)       /* bytes: they become one argument */
#define HOLD_US (3600 * (int64_t)USEC_PER_SEC) /* of one session_wait() */

typedef struct RoleRun {
    Cli *cli;
    Engine *engine;
    const char *name, *artifact;
    const ConfRole *agent; /* NULL: a person's role */
    bool mail;
    int64_t every_us; /* 0: mail is not looked for while it works */
    EventId seen;     /* the newest that was shown */
    JobSession *session;
    pid_t child;
    int status; /* of the child, as of waitpid */
    int64_t next_us;
    bool ended;
} RoleRun;

static void
role_run_clear(RoleRun *r)
{
    g_clear_pointer(&r->session, session_close);
    g_clear_pointer(&r->engine, engine_close);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RoleRun, role_run_clear)

/* --- its mail --- */

static int
show_mail(RoleRun *r, const char *head, const char *none)
{
    Cli *cli = r->cli;
    EventId newest;
    unsigned n = 0;

    if (!flow_newest_id(r->engine->db, &newest, &cli->error))
        return cli_failed(cli, 0);
    if (newest.v > r->seen.v) {
        g_autoptr(FlowEvents) events = NULL;
        const FlowInbox q = {.role = r->name, .behind = r->seen, .limit = 1};
        if (!flow_inbox(r->engine->db, &q, &events, &cli->error))
            return cli_failed(cli, 0);
        if (events->len > 0)
            cli_print_line(cli, "%s", head);
        int status = inbox_show(cli, r->engine, r->name, r->seen, &n);
        if (status)
            return status;
    }
    if (n == 0 && none)
        cli_print_line(cli, "%s", none);
    r->seen = newest;
    (void)cli_flush(cli);
    return 0;
}

/* What is no question and no review is read once it was shown to a person. */
static bool
mark_seen(RoleRun *r, EventId upto, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};

    while (!r->agent && txn_again(&txn, error))
        txn.ok = flow_seen(&txn, r->name, upto, error);
    return r->agent || txn.done;
}

static int
send_out(RoleRun *r)
{
    DeliverStats sent;
    g_autoptr(GError) later = NULL;

    if (!deliver_pass(r->cli->home, r->engine->db, 0, false, &sent, &later) &&
        !err_is(later, ERR_LATER))
        return g_propagate_error(&r->cli->error, g_steal_pointer(&later)), cli_failed(r->cli, 0);
    return 0;
}

/* --- a program at the terminal --- */

static void
unblock(gpointer data)
{
    sigset_t none;

    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* How a program that a person talks to is told its instructions: by the word behind this option; "": as its first word. */
static const char *
told_by(BrainKind kind)
{
    switch (kind) {
    case BRAIN_CLAUDE:
        return "--append-system-prompt";
    case BRAIN_OPENCODE:
        return "--prompt";
    case BRAIN_CODEX:
        return "";
    default:
        return NULL;
    }
}

/* *ret NULL: it has none. */
static bool
read_instructions(const RoleRun *r, char **ret, GError **error)
{
    g_autoptr(GBytes) file = NULL;
    const char *name = r->agent ? r->agent->instructions : "";

    *ret = NULL;
    if (*name && !file_read(r->cli->home->fd, name, INSTRUCTIONS_MAX, &file, error))
        return err_prefix(error, "instructions of role '%s'", r->name);
    if (file)
        *ret = text_valid_bytes(file);
    return true;
}

/* A relative path with a slash is beneath the home. NULL: its instructions can't be read. */
static char **
program_of(const RoleRun *r, const ConfBrain *brain, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autofree char *told = NULL;
    const char *option = told_by(brain->kind);

    if (!read_instructions(r, &told, error))
        return NULL;
    for (const char *const *word = brain->command; *word; word++)
        g_ptr_array_add(argv, word == brain->command && strchr(*word, '/')
                                  ? g_canonicalize_filename(*word, r->cli->home->path)
                                  : g_strdup(*word));
    if (told && option && *option)
        g_ptr_array_add(argv, g_strdup(option));
    if (told && option)
        g_ptr_array_add(argv, g_steal_pointer(&told));
    g_ptr_array_add(argv, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&argv), FALSE);
}

/* What was typed, else what the agent's brain is, else a shell. Caller frees; NULL: an error. */
static char **
command_of(const RoleRun *r, GError **error)
{
    const ConfBrain *brain =
        r->agent ? config_brain(r->cli->home->config, r->agent->brain) : NULL;
    const char *shell = g_getenv("SHELL");
    char **argv = NULL;

    if (r->cli->rest && *r->cli->rest)
        return g_strdupv(r->cli->rest);
    if (brain && config_is_program(brain) && *brain->command)
        return program_of(r, brain, error);
    argv = g_new0(char *, 2);
    argv[0] = g_strdup(shell && *shell ? shell : "/bin/sh");
    return argv;
}

/* helper: it takes no mail, so it is told of nobody's role or port. */
static bool
start(RoleRun *r, bool helper)
{
    g_auto(GStrv) env = g_get_environ();
    g_auto(GStrv) argv = command_of(r, &r->cli->error);

    if (!argv)
        return false;
    if (r->agent && *r->agent->instructions) {
        g_autofree char *path = g_canonicalize_filename(r->agent->instructions, r->cli->home->path);
        env = g_environ_setenv(env, "POSTRIDER_INSTRUCTIONS", path, TRUE);
    }
    env = g_environ_unsetenv(env, "POSTRIDER_PORT");
    env = helper ? g_environ_unsetenv(env, "POSTRIDER_ROLE")
                 : g_environ_setenv(env, "POSTRIDER_ROLE", r->name, TRUE);
    env = helper ? g_environ_setenv(env, "POSTRIDER_HELPER", r->name, TRUE)
                 : g_environ_setenv(env, "POSTRIDER_HOME", r->cli->home->path, TRUE);
    if (r->session)
        env = g_environ_setenv(env, "POSTRIDER_PORT", port_path(r->session->port), TRUE);
    /* The port alone would say that the program works by itself. */
    env = g_environ_setenv(env, "POSTRIDER_ATTENDED", "1", TRUE);
    return g_spawn_async(NULL, argv, env,
                                 G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN |
                                     G_SPAWN_DO_NOT_REAP_CHILD,
                                 unblock, NULL, &r->child, &r->cli->error);
}

/* False: the program has ended. */
static bool
works(void *data)
{
    RoleRun *r = data;
    int64_t now = g_get_monotonic_time();

    if (waitpid(r->child, &r->status, WNOHANG) != 0) {
        r->ended = true;
        return false;
    }
    if (r->every_us && now >= r->next_us) {
        (void)show_mail(r, "New mail:", NULL);
        r->next_us = now + r->every_us;
    }
    return true;
}

/* Until the program ends. Signals of the terminal are the program's; an order ends it. */
static bool
wait_for(RoleRun *r)
{
    SessionEnd end;

    r->next_us = g_get_monotonic_time() + r->every_us;
    while (!r->ended && works(r)) {
        if (!r->session) {
            g_usleep(LOOK_US);
            continue;
        }
        if (!session_wait(r->session, HOLD_US, works, r, &end, &r->cli->error))
            return false;
        r->session->draining = false;
        if (r->session->lost) {
            (void)kill(r->child, SIGTERM);
            (void)waitpid(r->child, &r->status, 0);
            r->ended = true;
        }
    }
    return true;
}

/* An agent's work is a job of its own, with the port of that job. */
static bool
begin(RoleRun *r, GError **error)
{
    g_autofree char *subject = g_strdup_printf("role run %s", r->name);
    const SessionMail mail = {.role = r->name,
                              .subject = subject,
                              .text = "A person works with this role at a terminal. What is "
                                      "sent are steps of this job.\n",
                              .session = ROLE_RUN};

    return session_begin(r->engine, &mail, &r->session, NULL, error) &&
           session_open_port(r->session, error);
}

/* What the session was shown and nothing has answered yet; mail that came meanwhile stays open, for a run. */
static bool
reload_shown(JobSession *s, GError **error)
{
    g_autoptr(GHashTable) shown = g_hash_table_new(g_int64_hash, g_int64_equal);
    g_autoptr(MsgRows) before = g_steal_pointer(&s->in.shown);

    LIST_EACH(MsgRow, row, before)
        g_hash_table_add(shown, &row->id.v);
    if (!session_reload(s, error))
        return false;
    for (guint i = s->in.shown->len; i > 0; i--) {
        const MsgRow *row = g_ptr_array_index(s->in.shown, i - 1);
        if (!g_hash_table_contains(shown, &row->id.v))
            g_ptr_array_remove_index(LIST_ARRAY(s->in.shown), i - 1);
    }
    return true;
}

static bool
complete(RoleRun *r, GError **error)
{
    JobSession *s = r->session;
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);

    if (s->lost)
        return true;
    port_account(s->port, &s->in);
    g_clear_pointer(&s->port, port_close);
    Trust floor = s->in.floor;
    g_autoptr(GBytes) manifest = g_steal_pointer(&s->in.manifest);
    if (!reload_shown(s, error))
        return false;
    s->in.floor = MIN(s->in.floor, floor);
    s->in.manifest = g_steal_pointer(&manifest);
    return session_commit(s, p, error);
}

static int
exit_of(const RoleRun *r)
{
    return WIFEXITED(r->status) ? WEXITSTATUS(r->status) : 128 + WTERMSIG(r->status);
}

static int
work_at_terminal(RoleRun *r, bool helper)
{
    Cli *cli = r->cli;

    (void)cli_flush(cli);
    if ((r->agent && !helper && !begin(r, &cli->error)) || !start(r, helper) || !wait_for(r) ||
        (r->session && !complete(r, &cli->error)))
        return cli_failed(cli, 0);
    return exit_of(r);
}

/* --- an agent that works by itself --- */

static int
work_off(RoleRun *r)
{
    Cli *cli = r->cli;
    g_autofree char *subject = g_strdup_printf("Work on %s", r->artifact);
    g_autofree char *text = g_strdup_printf("Work on the artifact %s.\n", r->artifact);
    const SessionMail mail = {.role = r->name, .subject = subject, .text = text};
    JobSession *none;
    JobId job;

    if (r->artifact && (!pass_take_in(r->engine, DB_WAIT_MS, &cli->error) ||
                        !session_begin(r->engine, &mail, &none, &job, &cli->error)))
        return cli_failed(cli, 0);
    db_hint(r->engine->db);
    return pass_unless_served(r->engine, 0, &cli->error) ? 0 : cli_failed(cli, 0);
}

/* --- the verb --- */

static int
run_helper(RoleRun *r)
{
    if (r->mail || r->artifact)
        return cli_fail(EX_DATAERR, "'%s' takes no mail and works at the terminal alone: role run -i %s",
                        r->name, r->name);
    return work_at_terminal(r, true);
}

static int
check_artifact(RoleRun *r)
{
    g_auto(ArtifactPlace) place = {0};

    return !r->artifact || artifact_place_look(r->engine, r->artifact, &place, &r->cli->error)
               ? 0
               : cli_failed(r->cli, 0);
}

static int
run_role(RoleRun *r)
{
    Cli *cli = r->cli;
    const ConfRole *role = config_role(cli->home->config, r->name);
    bool terminal = cli_flag(cli, "interactive") || (cli->rest && *cli->rest) || !role || role->person;
    int status = check_artifact(r), ended;

    r->agent = role && !role->person ? role : NULL;
    if (!status && r->mail)
        status = show_mail(r, "Mail that waits:", "No typed mail waits.");
    else if (!status && !flow_newest_id(r->engine->db, &r->seen, &cli->error))
        status = cli_failed(cli, 0);
    if (status)
        return status;
    EventId before = r->seen;
    ended = terminal ? work_at_terminal(r, false) : work_off(r);
    if (!r->mail || cli->error)
        return ended;
    if ((status = send_out(r)) || !mark_seen(r, before, &cli->error) ||
        (status = show_mail(r, "New mail:", "No new mail.")))
        return status ? status : cli_failed(cli, 0);
    return ended;
}

int
cmd_role_run(Cli *cli, int argc, char **argv)
{
    g_auto(RoleRun) r = {.cli = cli, .name = argv[1], .artifact = argv[2]};
    int every = cli_number(cli, "email-poll-interval", 0);
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "role run: starts agents for a person, so an agent may not");
    r.mail = cli_flag(cli, "with-email");
    r.every_us = (int64_t)every * USEC_PER_SEC;
    if (every && !r.mail)
        return cli_usage(cli, "--email-poll-interval needs --with-email");
    int status = cli_home(cli);
    if (status)
        return status;
    const ConfRole *helper = config_helper(cli->home->config, r.name);
    if (helper) {
        r.agent = helper;
        return run_helper(&r);
    }
    if (!(r.name = inbox_role(cli, r.name)))
        return EX_NOINPUT;
    status = cli_workflow(cli, &r.engine);
    return status ? status : run_role(&r);
}
