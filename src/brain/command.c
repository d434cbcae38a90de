/*
 * A program that answers: the prompt is its stdin, what it prints is the answer. The program
 * is found before it is started, so that one which is missing is the brain's fault and never
 * looks like a failed job.
 */
#include "base/err.h"
#include "base/proc.h"
#include "base/text.h"
#include "brain/brain.h"
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FALLBACK_PATH "/usr/local/bin:/usr/bin:/bin"
#define REASON_CHARS 200

/* Nothing else of our environment reaches a program: no secret, and not the way home. */
static const char *const env_allowed[] = {"PATH", "HOME", "USER",   "LOGNAME",
                                          "LANG", "TZ",   "TMPDIR", NULL};

static char **
build_env(const char *const *additions)
{
    g_auto(GStrv) ours = g_get_environ();
    char **env = g_environ_setenv(NULL, "TERM", "dumb", TRUE);

    env = g_environ_setenv(env, "PATH", FALLBACK_PATH, TRUE);
    for (char **p = ours; *p; p++) {
        g_auto(GStrv) pair = g_strsplit(*p, "=", 2);
        if (pair[0] && pair[1] &&
            (g_strv_contains(env_allowed, pair[0]) || g_str_has_prefix(pair[0], "LC_")))
            env = g_environ_setenv(env, pair[0], pair[1], TRUE);
    }
    for (const char *const *p = additions; p && *p; p++) {
        g_auto(GStrv) pair = g_strsplit(*p, "=", 2);
        g_assert(pair[0] && pair[1]);
        env = g_environ_setenv(env, pair[0], pair[1], TRUE);
    }
    return env;
}

static bool
is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static char *
find_in_path(const char *name, char **env)
{
    g_auto(GStrv) folders = g_strsplit(g_environ_getenv(env, "PATH"), ":", -1);

    for (char **f = folders; *f; f++) {
        g_autofree char *path = g_build_filename(*f, name, NULL);
        if (g_path_is_absolute(*f) && is_program(path))
            return g_steal_pointer(&path);
    }
    return NULL;
}

/* The program's path, or NULL with the reason in *ret_missing. */
static char *
find_program(const char *name, const char *home, char **env, char **ret_missing)
{
    g_autofree char *path = NULL;

    if (!strchr(name, '/')) {
        path = find_in_path(name, env);
        if (!path)
            *ret_missing = g_strdup_printf("no program '%s' in PATH", name);
        return g_steal_pointer(&path);
    }
    path = g_canonicalize_filename(name, home);
    if (is_program(path))
        return g_steal_pointer(&path);
    *ret_missing = access(path, F_OK) == 0
                       ? g_strdup_printf("'%s' is not an executable file", path)
                       : g_strdup_printf("no program '%s'", path);
    return NULL;
}

/* A program has one stdin: instructions, question and form of the answer are one text. */
static GBytes *
build_input(const BrainAsk *ask)
{
    g_autofree char *question = brain_question(ask);
    g_autofree char *rule = ask->schema ? brain_schema_rule(ask->schema) : NULL;
    char *text = g_strconcat(ask->system ? ask->system : "", ask->system ? "\n\n" : "",
                             question, rule ? "\n" : "", rule ? rule : "", NULL);

    return g_bytes_new_take(text, strlen(text));
}

static bool
start_program(const BrainAsk *ask, char *program, char **env, Proc **ret, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autoptr(GBytes) input = build_input(ask);

    g_ptr_array_add(argv, program);
    for (const char *const *arg = ask->conf->command + 1; *arg; arg++)
        g_ptr_array_add(argv, (gpointer)*arg);
    g_ptr_array_add(argv, NULL);
    ProcSpec spec = {
        .argv = (const char *const *)argv->pdata,
        .env = (const char *const *)env,
        .cwd = ask->cwd,
        .input = input,
        .limits = {.time_us = ask->conf->timeout_us,
                   .memory = ask->conf->memory,
                   .out_max = ask->conf->output},
    };
    return proc_talk(&spec, ret, error);
}

static bool
command_start(const BrainOps *ops,
              const BrainAsk *ask,
              void **ret_state,
              BrainAnswer *ret_now,
              GError **error)
{
    const ConfBrain *conf = ask->conf;

    if (!conf->command || !conf->command[0] || !*conf->command[0])
        return err_set(error, ERR_CONFIG, "no command is set");

    g_auto(GStrv) env = build_env(ask->env);
    g_autofree char *missing = NULL;
    g_autofree char *program = find_program(conf->command[0], ask->home, env, &missing);
    g_autoptr(GError) failure = NULL;
    Proc *proc = NULL;
    if (program && !start_program(ask, program, env, &proc, &failure)) {
        if (!err_is(failure, ERR_NEVER))
            return err_pass(error, g_steal_pointer(&failure));
        missing = g_strdup(failure->message); /* its interpreter or the folder is missing */
    }
    if (missing)
        *ret_now = brain_failed(BRAIN_BROKEN, missing);
    *ret_state = proc;
    return true;
}

static unsigned
command_poll(void *state, struct pollfd fds[BRAIN_POLL_MAX], int64_t *ret_wait_us)
{
    _Static_assert(BRAIN_POLL_MAX >= 4, "proc_poll() fills up to 4");
    return proc_poll(state, fds, ret_wait_us);
}

static bool
command_work(void *state)
{
    return proc_work(state);
}

static void
command_end(void *state)
{
    proc_end(state);
}

static void
command_free(void *state)
{
    proc_free(state);
}

/* The last line of a cleaned text, shortened; caller frees. */
static char *
last_line(const char *text)
{
    const char *newline = strrchr(text, '\n');
    g_autofree char *line = g_strstrip(g_strdup(newline ? newline + 1 : text));
    return text_shorten(line, REASON_CHARS);
}

/* The trampoline (base/limit_main.c) could not become the program: the file went away after we
 * looked, its interpreter is missing, or a limit can't be set. */
static bool
never_began(const ProcEnd *end, const char *log)
{
    return WIFEXITED(end->status) &&
           (WEXITSTATUS(end->status) == 126 || WEXITSTATUS(end->status) == 127) &&
           g_str_has_prefix(log, "postrider-limit: ");
}

static char *
describe_failure(const ProcEnd *end, const BrainAnswer *answer)
{
    g_autofree char *said = last_line(answer->log);
    const char *why = end->why ? end->why : *answer->text ? NULL : "it printed nothing";

    if (!why || answer->end == BRAIN_BROKEN || !*said)
        return g_strdup(why);
    return g_strdup_printf("%s: %s", why, said);
}

/* By sysexits(3): a wrong call, wrong data, no such file, no right, wrong settings. The rest may
 * pass. A program that ended well has printed nothing. What a program prints is never a usage
 * limit: the words may come from a mail, an attachment or a file. */
static BrainEnd
end_of(const ProcEnd *end)
{
    static const int never[] = {64, 65, 66, 77, 78};

    if (!end->why)
        return BRAIN_FAILED;
    for (size_t i = 0; i < G_N_ELEMENTS(never) && WIFEXITED(end->status); i++) {
        if (WEXITSTATUS(end->status) == never[i])
            return BRAIN_REFUSED;
    }
    return BRAIN_EXITED;
}

static void
command_answer(void *state, BrainAnswer *ret)
{
    const ProcEnd *end = proc_result(state);
    gsize out_len, err_len;
    const void *out = g_bytes_get_data(end->out, &out_len);
    const void *err = g_bytes_get_data(end->err, &err_len);
    *ret = (BrainAnswer){.text = brain_clean(out, out_len),
                         .log = brain_clean(err, err_len),
                         .cut = end->out_cut};
    ret->end = never_began(end, ret->log) ? BRAIN_BROKEN : BRAIN_OK;
    ret->failed = describe_failure(end, ret);
    if (ret->failed && ret->end == BRAIN_OK)
        ret->end = end_of(end);
}

const BrainOps brain_command = {
    .kind = "command",
    .start = command_start,
    .poll = command_poll,
    .work = command_work,
    .end = command_end,
    .answer = command_answer,
    .free = command_free,
};
