/* Programs that keep a session, by tests/peers/stub-agent: how each kind is called, resumed,
 * told, asked, stopped and paid. */
#include "brain/program.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/proc.h"
#include <errno.h>
#include <glib/gstdio.h>

const BrainOps *const brain_kinds[] = {&brain_command, &brain_claude, &brain_codex,
                                       &brain_opencode, NULL};

#define NEW_ID "11111111-2222-4333-8444-555555555555"

typedef struct World {
    char *path, *stub, *script, *state;
    const char *argv[8];
    ConfBrain conf;
    BrainAsk ask;
    GString *said;
    BrainCall *call;
} World;

static void
note(void *data, const BrainEvent *event)
{
    static const char *const kinds[] = {"session", "text", "tool", "cost", "receipt"};
    World *w = data;

    if (event->kind == BRAIN_SAID_COST)
        g_string_append_printf(w->said, "cost %" G_GINT64_FORMAT "\n", event->cost_micro);
    else
        g_string_append_printf(w->said, "%s %s%s\n", kinds[event->kind], event->text,
                               event->kind != BRAIN_SAID_RECEIPT ? ""
                               : event->done                     ? " done"
                                                                 : " taken up");
}

static void
world_make(World *w, gconstpointer data)
{
    const char *src = g_getenv("POSTRIDER_SRC");

    w->path = g_dir_make_tmp("postrider-test-XXXXXX", NULL);
    w->stub = g_build_filename(src ? src : ".", "tests/peers/stub-agent", NULL);
    w->script = g_build_filename(w->path, "script", NULL);
    w->state = g_build_filename(w->path, "state", NULL);
    const char *const argv[] = {w->stub,   "--script", w->script, "--state",
                                w->state, NULL};
    memcpy(w->argv, argv, sizeof argv);
    w->conf = (ConfBrain){.name = "b",
                          .kind = brain_kind_parse(data),
                          .command = w->argv,
                          .model = "",
                          .url = "",
                          .key_file = "",
                          .key_env = "",
                          .timeout_us = 60 * USEC_PER_SEC};
    w->said = g_string_new(NULL);
    w->ask = (BrainAsk){.conf = &w->conf,
                        .home = w->path,
                        .cwd = w->path,
                        .prompt = "the task",
                        .said = note,
                        .said_data = w};
}

static void
world_remove(World *w, gconstpointer data)
{
    g_autoptr(Proc) proc = NULL;
    const char *const argv[] = {"rm", "-rf", w->path, NULL};

    brain_free(w->call);
    g_assert_true(proc_run(&(ProcSpec){.argv = argv}, &proc, NULL));
    g_string_free(w->said, TRUE);
    g_free(w->path);
    g_free(w->stub);
    g_free(w->script);
    g_free(w->state);
}

static void
put(World *w, const char *script)
{
    g_assert_true(g_file_set_contents(w->script, script, -1, NULL));
}

static void
start(World *w)
{
    g_autoptr(GError) error = NULL;

    g_clear_pointer(&w->call, brain_free);
    g_string_truncate(w->said, 0);
    brain_start(&w->ask, &w->call, &error);
    g_assert_no_error(error);
}

static bool
turn(World *w)
{
    struct pollfd fds[BRAIN_POLL_MAX];
    int64_t wait_us;
    unsigned n = brain_poll(w->call, fds, &wait_us);
    int ms = wait_us == USEC_NEVER ? -1 : (int)(wait_us / USEC_PER_MSEC) + 1;

    g_assert_true(poll(fds, n, ms) >= 0 || errno == EINTR);
    return brain_work(w->call);
}

static const BrainAnswer *
finish(World *w)
{
    while (!brain_work(w->call))
        turn(w);
    const BrainAnswer *a = brain_answer(w->call);
    g_test_message("%s", a->failed ? a->failed : a->text);
    return a;
}

static const BrainAnswer *
run(World *w)
{
    start(w);
    return finish(w);
}

static void
wait_for(World *w, const char *text)
{
    while (!strstr(w->said->str, text)) {
        g_assert_false(turn(w));
    }
}

static char *
calls(World *w)
{
    g_autofree char *path = g_build_filename(w->state, "calls.jsonl", NULL);
    char *text = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

/* A turn, and the same session again. */
static void
test_session(World *w, gconstpointer data)
{
    bool ours = w->conf.kind == BRAIN_CLAUDE;
    put(w, "text I look\nbash echo hello\nresult one: {prompt}\n---\nresult two: {prompt}\n");
    w->ask.new_session = ours ? NEW_ID : NULL;
    const BrainAnswer *a = run(w);

    g_assert_cmpint(a->end, ==, BRAIN_OK);
    g_assert_true(g_str_has_suffix(a->text, "one: the task"));
    if (ours)
        g_assert_cmpstr(a->session, ==, NEW_ID);
    g_assert_true(g_str_has_prefix(w->said->str, "session "));
    g_assert_nonnull(strstr(w->said->str, "text I look\n"));
    g_assert_nonnull(strstr(w->said->str, ": echo hello\n"));

    g_autofree char *session = g_strdup(a->session);
    w->ask.session = session;
    w->ask.session_usage = a->session_usage;
    w->ask.prompt = "more";
    a = run(w);
    g_assert_true(g_str_has_suffix(a->text, "two: more"));
    g_assert_cmpstr(a->session, ==, session);
    /* What this process has cost, whatever the session has. */
    if (w->conf.kind != BRAIN_CODEX)
        g_assert_cmpint(a->cost_micro, ==, 2500);
    g_assert_cmpint(a->usage.input, ==, 1000);

    w->ask.session = "22222222-2222-4333-8444-555555555555";
    g_assert_cmpint(run(w)->end, ==, BRAIN_GONE);
}

static const struct {
    const char *kind, *script;
    BrainEnd want;
    const char *want_failed;
    int64_t want_retry; /* hours of the day in UTC; 0: no time */
} ends[] = {
    {"claude", "login", BRAIN_BROKEN, "Not logged in · Please run /login", 0},
    {"claude", "status 401", BRAIN_BROKEN, "401", 0},
    {"claude", "limit", BRAIN_LIMITED, "429", 0},
    {"claude", "limit 7:00am (UTC)", BRAIN_LIMITED, "resets 7:00am (UTC)", 7},
    {"claude", "status 529", BRAIN_LIMITED, "529", 0},
    {"claude", "budget", BRAIN_SPENT, "maximum budget", 0},
    {"claude", "err oops\nexit 3", BRAIN_EXITED, "exit 3: oops", 0},
    {"claude", "exit 0", BRAIN_FAILED, "it ended without an answer", 0},
    {"claude", "die", BRAIN_EXITED, "killed by signal 9", 0},
    {"claude", "raw {\"type\":\"resul\nexit 0", BRAIN_FAILED, "without an answer", 0},
    {"claude", "result", BRAIN_FAILED, "it answered nothing", 0},
    {"codex", "limit Nov 17th, 2028 7:20 AM", BRAIN_LIMITED, "usage limit", 7},
    {"codex", "limit", BRAIN_LIMITED, "usage limit", 0},
    {"codex", "status 429", BRAIN_LIMITED, "429", 0},
    {"codex", "login", BRAIN_BROKEN, "401", 0},
    {"codex", "exit 0", BRAIN_FAILED, "without an answer", 0},
    {"opencode", "login", BRAIN_BROKEN, "401", 0},
    {"opencode", "limit", BRAIN_LIMITED, "429", 0},
    {"opencode", "exit 1", BRAIN_EXITED, "exit 1", 0},
};

static void
test_ends(World *w, gconstpointer data)
{
    g_setenv("TZ", "UTC", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        w->conf.kind = brain_kind_parse(ends[i].kind);
        put(w, ends[i].script);
        const BrainAnswer *a = run(w);

        g_test_message("%s, %s: %s", ends[i].kind, ends[i].script, a->failed);
        g_assert_cmpint(a->end, ==, ends[i].want);
        g_assert_nonnull(strstr(a->failed, ends[i].want_failed));
        g_assert_cmpint(a->retry.us / USEC_PER_SEC % 86400 / 3600, ==, ends[i].want_retry);
    }
}

/* A call that waits: the process ends, a resume without a prompt goes on, and one of a session
 * in which nothing waits says so. */
static void
test_deferred(World *w, gconstpointer data)
{
    static const char defer[] =
        "cat >/dev/null; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
        "\"permissionDecision\":\"defer\"}}'";
    static const char allow[] =
        "cat >/dev/null; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
        "\"permissionDecision\":\"allow\"}}'";
    put(w, "bash echo \"it's\" done\nresult said {tool}\n");
    w->ask.new_session = NEW_ID;
    w->ask.permit = BRAIN_PERMIT_ASK;
    w->ask.hook = defer;
    const BrainAnswer *a = run(w);

    g_assert_cmpint(a->end, ==, BRAIN_OK);
    g_assert_nonnull(a->deferred_call);
    g_assert_nonnull(strstr(a->deferred_call, "\"name\":\"Bash\""));
    g_autofree char *before = calls(w);
    g_assert_null(strstr(before, "\"ran\""));

    w->ask.session = NEW_ID;
    w->ask.bare = true;
    w->ask.hook = allow;
    a = run(w);
    g_assert_cmpint(a->end, ==, BRAIN_OK);
    g_assert_null(a->deferred_call);
    g_assert_cmpstr(a->text, ==, "said it's done");

    /* It reads its stdin, and says nothing. */
    g_setenv("POSTRIDER_PATIENCE", "1", TRUE);
    a = run(w);
    g_unsetenv("POSTRIDER_PATIENCE");
    g_assert_cmpint(a->end, ==, BRAIN_IDLE);
}

/* Without a hook nothing is asked of anybody: what is not permitted is refused. */
static void
test_permit(World *w, gconstpointer data)
{
    static const struct {
        BrainPermit permit;
        const char *want;
    } cases[] = {{BRAIN_PERMIT_ALL, "ran /"},
                 {BRAIN_PERMIT_ASK, "ran / This is not permitted here, and nobody can be asked "
                                    "while you work."}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        put(w, "bash true\nresult ran / {reason}\n");
        w->ask.permit = cases[i].permit;
        g_assert_cmpstr(run(w)->text, ==, cases[i].want);
    }
}

/* A line reaches the running turn, and has its receipts. */
static void
test_steer(World *w, gconstpointer data)
{
    put(w, "text ready\nhear\nresult told {told}\n");
    start(w);
    g_assert_false(brain_steer(w->call, "u0", "too early"));
    wait_for(w, "text ready");
    g_assert_true(brain_steer(w->call, "u1", "use \"tabs\""));
    g_assert_cmpstr(finish(w)->text, ==, "told use \"tabs\"");
    g_assert_nonnull(strstr(w->said->str, "receipt u1 taken up\n"));
    g_assert_nonnull(strstr(w->said->str, "receipt u1 done\n"));
    g_assert_null(strstr(strstr(w->said->str, "u1 done") + 7, "receipt"));
    g_assert_false(brain_steer(w->call, "u2", "too late"));
}

/* STOP: the turn is over within two seconds, whatever the program does. */
static void
test_stop(World *w, gconstpointer data)
{
    put(w, "text ready\nbash sleep 600\nresult x\n");
    start(w);
    wait_for(w, "sleep 600");
    int64_t begun = clock_mono_us();
    brain_end(w->call);
    const BrainAnswer *a = finish(w);

    g_assert_cmpint(a->end, ==, BRAIN_EXITED);
    g_assert_cmpint(clock_mono_us() - begun, <, 2 * USEC_PER_SEC);
    if (w->conf.kind == BRAIN_CLAUDE)
        g_assert_cmpstr(a->failed, ==, "it was stopped");
}

static void
test_stop_stubborn(World *w, gconstpointer data)
{
    static const char *const argv[] = {
        "sh", "-c", "trap '' TERM; echo '{\"type\":\"x\",\"session_id\":\"s\"}'; sleep 600; true",
        NULL};
    w->conf.command = argv;
    start(w);
    wait_for(w, "session s");
    int64_t begun = clock_mono_us();
    brain_end(w->call);
    g_assert_cmpint(finish(w)->end, ==, BRAIN_EXITED);
    g_assert_cmpint(clock_mono_us() - begun, <, 3 * USEC_PER_SEC);
}

/* Codex waits for its network for ever. */
static void
test_stuck(World *w, gconstpointer data)
{
    put(w, "raw {\"type\":\"error\",\"message\":\"Reconnecting... waiting for network\"}\n"
           "wait /nowhere\nresult x\n");
    g_setenv("POSTRIDER_PATIENCE", "1", TRUE);
    const BrainAnswer *a = run(w);
    g_unsetenv("POSTRIDER_PATIENCE");
    g_assert_cmpint(a->end, ==, BRAIN_STALLED);
    g_assert_nonnull(strstr(a->failed, "waiting for network"));
}

/* Who counts for itself is told how much; who does not is ended. */
static void
test_budget(World *w, gconstpointer data)
{
    put(w, "raw {\"type\":\"step_finish\",\"part\":{\"reason\":\"tool-calls\",\"cost\":0.02}}\n"
           "wait /nowhere\nresult x\n");
    w->conf.kind = BRAIN_OPENCODE;
    w->ask.budget_micro = 20000;
    const BrainAnswer *a = run(w);
    g_assert_cmpint(a->end, ==, BRAIN_SPENT);
    g_assert_cmpint(a->cost_micro, ==, 20000);

    put(w, "result x\n");
    w->conf.kind = BRAIN_CLAUDE;
    w->ask.budget_micro = 1500000;
    g_assert_cmpint(run(w)->end, ==, BRAIN_OK);
    g_autofree char *made = calls(w);
    g_assert_nonnull(strstr(made, "\"--max-budget-usd\", \"1.500000\""));
}

/* Codex says tokens; the price table says what they cost. */
static void
test_price(World *w, gconstpointer data)
{
    g_autofree char *prices = g_build_filename(w->path, "prices", NULL);
    /* A sum of many requests is not one with a long prompt. */
    put(w, "tokens 2000 100\nresult x\n");
    g_assert_true(g_file_set_contents(prices, "m1 1k 2.00 10.00 2.50 0.20\nm1 - 4.00 20.00 5.00 0.40\n", -1, NULL));
    w->conf.model = "m1";
    g_assert_cmpint(run(w)->cost_micro, ==, 5000);

    g_assert_true(g_file_set_contents(prices, "m1 - nonsense\n", -1, NULL));
    g_assert_cmpint(run(w)->end, ==, BRAIN_BROKEN);
}

static const struct {
    const char *kind;
    BrainPermit permit;
    const char *hook, *session, *model, *url;
    const char *want[6], *unwanted[3];
} argvs[] = {
    {"claude",
     BRAIN_PERMIT_ASK,
     "hook",
     NULL,
     "m1",
     "",
     {"--permission-prompt-tool\", \"stdio", "--setting-sources\", \"user",
      "--session-id\", \"" NEW_ID, "--model\", \"m1", "--strict-mcp-config",
      "\\\"command\\\":\\\"hook\\\""},
     {"--resume", "--max-budget-usd", "bypass"}},
    {"claude", BRAIN_PERMIT_ALL, NULL, NULL, "", "", {"-p"}, {"--settings\"", "--model"}},
    {"codex",
     BRAIN_PERMIT_EDIT,
     "it's \"hook\"",
     NULL,
     "m1",
     "http://127.0.0.1:1/v1",
     {"exec\", \"--json", "-s\", \"workspace-write", "trust_level=\\\"untrusted\\\"",
      "command=\\\"it's \\\\\\\"hook\\\\\\\"\\\"", "-m\", \"m1", "model_provider=\\\"postrider"},
     {"\"resume\""}},
    {"codex", BRAIN_PERMIT_ASK, "hook", NULL, "", "", {"-s\", \"workspace-write"}, {"read-only"}},
    {"codex", BRAIN_PERMIT_ASK, NULL, NULL, "", "", {"-s\", \"read-only"}, {"workspace-write"}},
    {"codex",
     BRAIN_PERMIT_ALL,
     NULL,
     NULL,
     "",
     "",
     {"danger-full-access", "--skip-git-repo-check", "project_doc_max_bytes=0"},
     {"hooks.", "bypass-hook-trust", "model_provider"}},
    {"opencode",
     BRAIN_PERMIT_ALL,
     NULL,
     NULL,
     "p/m1",
     "",
     {"run\", \"--format\", \"json", "-m\", \"p/m1"},
     {"\"-s\""}},
};

static void
test_argv(World *w, gconstpointer data)
{
    put(w, "result x\n");
    for (size_t i = 0; i < G_N_ELEMENTS(argvs); i++) {
        g_autofree char *old = g_build_filename(w->state, "calls.jsonl", NULL);
        g_autofree char *kept = g_build_filename(w->state, NEW_ID ".json", NULL);
        (void)g_unlink(old);
        (void)g_unlink(kept);
        w->conf.kind = brain_kind_parse(argvs[i].kind);
        w->conf.model = argvs[i].model;
        w->conf.url = argvs[i].url;
        w->ask.permit = argvs[i].permit;
        w->ask.hook = argvs[i].hook;
        w->ask.new_session = NEW_ID;
        (void)run(w);
        g_autofree char *made = calls(w);
        g_test_message("%s", made);
        for (size_t j = 0; j < G_N_ELEMENTS(argvs[i].want) && argvs[i].want[j]; j++)
            g_assert_nonnull(strstr(made, argvs[i].want[j]));
        for (size_t j = 0; j < G_N_ELEMENTS(argvs[i].unwanted) && argvs[i].unwanted[j]; j++)
            g_assert_null(strstr(made, argvs[i].unwanted[j]));
    }
}

/* Inside of a wall Codex has none of its own. */
static void
test_wall(World *w, gconstpointer data)
{
    static const char *const wrap[] = {"/usr/bin/env", "WALLED=yes", NULL};
    put(w, "bash echo $WALLED\nresult {tool}\n");
    w->ask.permit = BRAIN_PERMIT_ASK;
    w->ask.wrap = wrap;
    w->ask.walled = true;
    g_assert_cmpstr(run(w)->text, ==, "yes");
    g_autofree char *made = calls(w);
    g_assert_nonnull(strstr(made, "danger-full-access"));
}

/* Its own key under its own name, what is passed and set, and nothing else. */
static void
test_environment(World *w, gconstpointer data)
{
    static const struct {
        const char *kind, *model, *key, *want, *unwanted;
    } cases[] = {
        {"claude", "", "sk-ant-api-123456", "ANTHROPIC_API_KEY=sk-ant-api-123456", NULL},
        {"claude", "", "sk-ant-oat01-123456", "CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-123456",
         "ANTHROPIC_API_KEY"},
        {"codex", "", "sk-proj-123456789", "CODEX_API_KEY=sk-proj-123456789", NULL},
        {"opencode", "openrouter/m", "sk-or-123456789", "OPENROUTER_API_KEY=sk-or-123456789",
         NULL},
        {"command", "", "sk-or-123456789", "SET=a b", "sk-or"},
    };
    static const char *const pass[] = {"PASSED", "ABSENT", "POSTRIDER_ATTENDED", NULL};
    static const char *const set[] = {"SET=a b", NULL};
    static const char *const port[] = {"POSTRIDER_PORT=/p", NULL};

    g_setenv("PASSED", "yes", TRUE);
    g_setenv("KEPT_BACK", "no", TRUE);
    g_setenv("POSTRIDER_ATTENDED", "1", TRUE); /* nobody sits at it, so it never gets that */
    w->conf.pass_env = pass;
    w->conf.env = set;
    w->conf.key_env = "THE_KEY";
    w->ask.env = port;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) env = NULL;
        g_autoptr(GError) error = NULL;
        g_setenv("THE_KEY", cases[i].key, TRUE);
        w->conf.kind = brain_kind_parse(cases[i].kind);
        w->conf.model = cases[i].model;
        program_env(&w->ask, program_kind(brain_kind_parse(cases[i].kind)), &env, &error);
        g_assert_no_error(error);
        const char *const *all = (const char *const *)env;
        g_assert_true(g_strv_contains(all, cases[i].want));
        g_assert_true(g_strv_contains(all, "PASSED=yes"));
        g_assert_true(g_strv_contains(all, "SET=a b"));
        g_assert_true(g_strv_contains(all, "POSTRIDER_PORT=/p"));
        g_assert_null(g_environ_getenv(env, "KEPT_BACK"));
        g_assert_null(g_environ_getenv(env, "POSTRIDER_ATTENDED"));
        g_assert_null(g_environ_getenv(env, "ABSENT"));
        g_assert_null(g_environ_getenv(env, "THE_KEY"));
        for (char **pair = env; cases[i].unwanted && *pair; pair++)
            g_assert_null(strstr(*pair, cases[i].unwanted));
    }
    g_auto(GStrv) users = NULL;
    w->ask.users_env = true;
    program_env(&w->ask, program_kind(BRAIN_COMMAND), &users, NULL);
    w->ask.users_env = false;
    g_assert_cmpstr(g_environ_getenv(users, "KEPT_BACK"), ==, "no");
    g_assert_null(g_environ_getenv(users, "POSTRIDER_ATTENDED"));
    g_unsetenv("POSTRIDER_ATTENDED");
    g_unsetenv("THE_KEY");
    w->conf.kind = BRAIN_CLAUDE;
    put(w, "result x\n");
    const BrainAnswer *a = run(w);
    g_assert_cmpint(a->end, ==, BRAIN_BROKEN);
    g_assert_nonnull(strstr(a->failed, "THE_KEY"));
}

/* The rules of opencode, with what `env` says beside them. */
static void
test_rules(World *w, gconstpointer data)
{
    static const char *const set[] = {
        "OPENCODE_CONFIG_CONTENT={\"theme\":\"x\",\"permission\":\"allow\"}", NULL};
    g_auto(GStrv) env = NULL;

    w->conf.env = set;
    w->conf.model = "p/m";
    w->conf.url = "http://h/v1";
    w->ask.permit = BRAIN_PERMIT_ASK;
    w->ask.rules = "{\"*\":\"ask\",\"bash\":{\"make\":\"allow\"}}";
    g_assert_true(program_env(&w->ask, program_kind(BRAIN_OPENCODE), &env, NULL));
    g_assert_cmpstr(g_environ_getenv(env, "OPENCODE_CONFIG_CONTENT"), ==,
                    "{\"theme\":\"x\",\"permission\":{\"*\":\"ask\",\"bash\":{\"make\":\"allow\"}},"
                    "\"provider\":{\"p\":{\"options\":{\"baseURL\":\"http://h/v1\"}}}}");
    g_assert_cmpstr(g_environ_getenv(env, "OPENCODE_DISABLE_PROJECT_CONFIG"), ==, "1");
}

/* opencode runs plugins of the repository whatever it is told: it is not started there. */
static void
test_plugins(World *w, gconstpointer data)
{
    g_autofree char *git = g_build_filename(w->path, ".git", NULL);
    g_autofree char *sub = g_build_filename(w->path, "sub", NULL);
    g_autofree char *folder = g_build_filename(w->path, ".opencode", "plugin", NULL);
    put(w, "result x\n");
    g_assert_cmpint(g_mkdir(git, 0700), ==, 0);
    g_assert_cmpint(g_mkdir(sub, 0700), ==, 0);
    w->ask.cwd = sub;
    g_assert_cmpint(run(w)->end, ==, BRAIN_OK);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    const BrainAnswer *a = run(w);
    g_assert_cmpint(a->end, ==, BRAIN_REFUSED);
    g_assert_nonnull(strstr(a->failed, ".opencode"));
}

/* A stream on a program of one's own. */
static void
test_parser(World *w, gconstpointer data)
{
    static const char *const argv[] = {
        "sh", "-c",
        "cat >/dev/null; echo '{\"type\":\"item.completed\",\"item\":{\"type\":"
        "\"agent_message\",\"text\":\"hi\"}}'; echo '{\"type\":\"turn.completed\"}'",
        NULL};
    w->conf.command = argv;
    w->conf.parser = CONF_PARSER_CODEX;
    g_assert_cmpstr(run(w)->text, ==, "hi");
    g_assert_false(brain_keeps_session(&w->conf));
}

/* A process that a program leaves behind holds neither the pipe nor us. */
static void
test_daemon(World *w, gconstpointer data)
{
    g_autofree char *pid_file = g_build_filename(w->path, "pid", NULL);
    g_autofree char *script =
        g_strdup_printf("sh setsid sleep 600 >/dev/null & echo $! >%s\nresult x\n", pid_file);
    g_autofree char *pid = NULL;
    put(w, script);
    g_assert_cmpstr(run(w)->text, ==, "x");
    g_assert_true(g_file_get_contents(pid_file, &pid, NULL, NULL));
    (void)kill((pid_t)g_ascii_strtoll(pid, NULL, 10), SIGKILL);
}

static void
test_version(World *w, gconstpointer data)
{
    g_autofree char *version = program_version(w->stub, NULL);
    g_autofree char *none = program_version("/bin/false", NULL);

    g_assert_cmpstr(version, ==, "2.1.325 (Claude Code)");
    g_assert_null(none);
}

#define ADD(path, kind, test) g_test_add(path, World, kind, world_make, test, world_remove)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/program/session/claude", "claude", test_session);
    ADD("/program/session/codex", "codex", test_session);
    ADD("/program/session/opencode", "opencode", test_session);
    ADD("/program/ends", "claude", test_ends);
    ADD("/program/deferred", "claude", test_deferred);
    ADD("/program/permit", "claude", test_permit);
    ADD("/program/steer", "claude", test_steer);
    ADD("/program/stop/claude", "claude", test_stop);
    ADD("/program/stop/codex", "codex", test_stop);
    ADD("/program/stop/stubborn", "claude", test_stop_stubborn);
    ADD("/program/stuck", "codex", test_stuck);
    ADD("/program/budget", "opencode", test_budget);
    ADD("/program/price", "codex", test_price);
    ADD("/program/argv", "claude", test_argv);
    ADD("/program/wall", "codex", test_wall);
    ADD("/program/environment", "claude", test_environment);
    ADD("/program/rules", "opencode", test_rules);
    ADD("/program/plugins", "opencode", test_plugins);
    ADD("/program/parser", "command", test_parser);
    ADD("/program/daemon", "claude", test_daemon);
    ADD("/program/version", "claude", test_version);
    return g_test_run();
}
