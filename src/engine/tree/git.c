#include "engine/tree/git.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/workdir.h"
#include <fcntl.h>
#include <sys/wait.h>

#define TIME_US (600 * USEC_PER_SEC)
#define LINE_MAX_BYTES (64u << 10)
#define WORDS_MAX 300u /* characters of what git says that stand in an error */

#define OURS "state/git"

void
git_repo_free(GitRepo *r)
{
    if (!r)
        return;
    free_all(r->common, r->own, r->prefix, r->ours, r);
}

/* --- one call --- */

/* Settings that no setting of the repository may change. */
static const char *const settings[] = {
    "-c", "core.hooksPath=/dev/null",        "-c", "core.fsmonitor=false",
    "-c", "core.attributesFile=/dev/null",   "-c", "core.quotePath=false",
    "-c", "core.sshCommand=false",           "-c", "commit.gpgSign=false",
    "-c", "log.showSignature=false",         "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",          "-c", "advice.detachedHead=false",
    "-c", "worktree.useRelativePaths=false", "-c", "core.splitIndex=false",
    "-c", "core.fsync=added,reference", /* a power cut leaves no name of a commit that is not there */
};

static char **
pass_on(char **env, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *value = g_getenv(names[i]);
        if (value)
            env = g_environ_setenv(env, names[i], value, TRUE);
    }
    return env;
}

/* The environment of git: of ours only what leads to git and, for git_find(), to the settings
 * of the user. */
static char **
build_env(bool users, const char *const *more)
{
    static const char *const passed[] = {"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "USER"};
    static const char *const of_users[] = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
                                           "GIT_CONFIG_NOSYSTEM"};
    char **env = g_environ_setenv(NULL, "LC_ALL", "C", TRUE);

    env = pass_on(env, passed, G_N_ELEMENTS(passed));
    if (users) {
        env = pass_on(env, of_users, G_N_ELEMENTS(of_users));
    } else {
        env = g_environ_setenv(env, "GIT_CONFIG_NOSYSTEM", "1", TRUE);
        env = g_environ_setenv(env, "GIT_CONFIG_GLOBAL", "/dev/null", TRUE);
    }
    env = g_environ_setenv(env, "GIT_ATTR_NOSYSTEM", "1", TRUE);
    env = g_environ_setenv(env, "GIT_TERMINAL_PROMPT", "0", TRUE);
    env = g_environ_setenv(env, "GIT_OPTIONAL_LOCKS", "0", TRUE);
    env = g_environ_setenv(env, "GIT_NO_REPLACE_OBJECTS", "1", TRUE);
    env = g_environ_setenv(env, "GIT_DISCOVERY_ACROSS_FILESYSTEM", "1", TRUE);
    env = g_environ_setenv(env, "GIT_ALLOW_PROTOCOL", "none", TRUE);
    for (; more && *more; more++) {
        g_auto(GStrv) pair = g_strsplit(*more, "=", 2);
        env = g_environ_setenv(env, pair[0], pair[1], TRUE);
    }
    return env;
}

/* The repository's objects, and of its git folder nothing else. */
static char **
content_env(const GitCall *call, char **env)
{
    g_autofree char *objects = g_build_filename(call->repo->common, "objects", NULL);
    g_autofree char *shallow = g_build_filename(call->repo->common, "shallow", NULL);

    env = g_environ_setenv(env, "GIT_DIR", call->repo->ours, TRUE);
    env = g_environ_setenv(env, "GIT_OBJECT_DIRECTORY", objects, TRUE);
    env = g_environ_setenv(env, "GIT_SHALLOW_FILE", shallow, TRUE);
    if (call->work_tree)
        env = g_environ_setenv(env, "GIT_WORK_TREE", call->work_tree, TRUE);
    if (call->index)
        env = g_environ_setenv(env, "GIT_INDEX_FILE", call->index, TRUE);
    return env;
}

/* The first line in which git says why it failed, else the first of all. Caller frees. */
static char *
git_words(const ProcEnd *end)
{
    g_autofree char *said = text_valid_bytes(end->err);
    g_auto(GStrv) lines = g_strsplit(said, "\n", -1);
    const char *words = lines[0] ? lines[0] : "";

    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "fatal: ") || g_str_has_prefix(*line, "error: ")) {
            words = *line + strlen("fatal: ");
            break;
        }
    }
    return *words ? text_shorten(words, WORDS_MAX) : g_strdup(end->why ? end->why : "");
}

static bool
is_full(const ProcEnd *end)
{
    g_autofree char *said = text_valid_bytes(end->err);
    return strstr(said, g_strerror(ENOSPC)) || strstr(said, g_strerror(EDQUOT)) ||
           strstr(said, "No space left on device") || strstr(said, "Disk quota exceeded");
}

static bool
set_failure(const ProcEnd *end, const char *command, GError **error)
{
    g_autofree char *words = git_words(end);
    ErrCode code = is_full(end) || end->timed_out ? ERR_LATER : ERR_NEVER;
    return err_set(error, code, "git %s: %s", command, end->timed_out ? end->why : words);
}

static bool
run(const ProcSpec *spec,
    const char *command,
    int *ret_status,
    GBytes **ret_out,
    GError **error)
{
    g_autoptr(Proc) proc = NULL;

    if (!proc_run(spec, &proc, error))
        return err_prefix(error, "git %s", command);
    const ProcEnd *end = proc_result(proc);
    bool one = WIFEXITED(end->status) && WEXITSTATUS(end->status) == 1 && !end->timed_out;
    if (end->why && !(ret_status && one))
        return set_failure(end, command, error);
    if (end->out_cut)
        return err_set(error, ERR_LIMIT, "git %s says more than %zu bytes", command,
                       spec->limits.out_max);
    if (ret_status)
        *ret_status = end->why ? 1 : 0;
    if (ret_out)
        *ret_out = g_bytes_ref(end->out);
    return true;
}

static bool
find_program(char **ret, GError **error)
{
    *ret = g_find_program_in_path("git");
    return *ret || err_set(error, ERR_CONFIG, "git is not installed");
}

bool
git_run(const GitCall *call, const char *const *args, GBytes **ret_out, GError **error)
{
    g_autofree char *program = NULL, *folder = NULL;
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_auto(GStrv) env = build_env(call->users, call->env);
    const char *git_dir = call->git_dir ? call->git_dir : call->repo->common;

    if (!find_program(&program, error))
        return false;
    g_ptr_array_add(argv, program);
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
        g_ptr_array_add(argv, (void *)settings[i]);
    if (call->content)
        env = content_env(call, env);
    else
        g_ptr_array_add(argv, folder = g_strconcat("--git-dir=", git_dir, NULL));
    for (const char *const *arg = args; *arg; arg++)
        g_ptr_array_add(argv, (void *)*arg);
    g_ptr_array_add(argv, NULL);
    const ProcSpec spec = {
        .argv = (const char *const *)argv->pdata,
        .env = (const char *const *)env,
        .cwd = call->work_tree ? call->work_tree : call->repo->ours,
        .input = call->input,
        .limits = {.time_us = TIME_US,
                   .out_max = call->max ? MIN(call->max, GIT_OUTPUT_MAX) : LINE_MAX_BYTES}};
    return run(&spec, args[0], call->ret_status, ret_out, error);
}

bool
git_line(const GitCall *call, const char *const *args, char **ret, GError **error)
{
    g_autoptr(GBytes) out = NULL;

    if (!git_run(call, args, &out, error))
        return false;
    *ret = g_strchomp(text_from_bytes(out));
    return true;
}

/* --- finding --- */

/* A git folder that has objects and no settings. What is there already is as we want it:
 * nobody else comes here. */
static bool
make_ours(const Home *home, const char *format, char **ret, GError **error)
{
    static const char head[] = "ref: refs/heads/none\n";
    g_autofree char *path = g_build_filename(OURS, format, NULL);
    g_autofree char *refs = g_build_filename(path, "refs", NULL);
    g_autofree char *head_file = g_build_filename(path, "HEAD", NULL);
    g_autofree char *config_file = g_build_filename(path, "config", NULL);
    g_autofree char *config =
        g_strdup_printf("[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
                        "[extensions]\n\tobjectFormat = %s\n",
                        format);

    *ret = g_build_filename(home->path, path, NULL);
    if (faccessat(home->fd, head_file, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return true;
    return dir_make(home->fd, refs, 0700, error) &&
           file_replace(home->fd, config_file, config, strlen(config), 0600, error) &&
           file_replace(home->fd, head_file, head, strlen(head), 0600, error);
}

static bool
has(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* The words of git about a repository of somebody else end with a command that is no line
 * of ours. */
static bool
say_unusable(const char *folder, GError *take_why, GError **error)
{
    g_autoptr(GError) why = take_why;

    if (!err_is(why, ERR_NEVER))
        return err_pass(error, g_steal_pointer(&why));
    if (strstr(why->message, "dubious ownership"))
        return err_set(error, ERR_CONFIG,
                       "the repository of '%s' belongs to another user; 'git config --global "
                       "--add safe.directory FOLDER' lets us work there",
                       folder);
    return err_set(error, ERR_CONFIG, "'%s' is no repository that can be used: %s", folder,
                   why->message);
}

static bool
ask_about(const char *folder, char ***ret_lines, GError **error)
{
    g_autofree char *program = NULL, *text = NULL;
    g_auto(GStrv) env = build_env(true, NULL);
    g_autoptr(GBytes) out = NULL;
    GError *why = NULL;

    if (!find_program(&program, error))
        return err_prefix(error, "'%s' is a git repository", folder);
    const char *const argv[] = {program,
                                "rev-parse",
                                "--path-format=absolute",
                                "--git-common-dir",
                                "--absolute-git-dir",
                                "--is-bare-repository",
                                "--is-inside-work-tree",
                                "--show-object-format",
                                "--show-prefix",
                                NULL};
    const ProcSpec spec = {.argv = argv,
                           .env = (const char *const *)env,
                           .cwd = folder,
                           .limits = {.time_us = TIME_US, .out_max = LINE_MAX_BYTES}};
    if (!run(&spec, "rev-parse", NULL, &out, &why))
        return say_unusable(folder, why, error);
    text = text_from_bytes(out);
    *ret_lines = g_strsplit(text, "\n", -1);
    return true;
}

bool
git_find(const Home *home, const char *folder, GitRepo **ret, GError **error)
{
    g_auto(GStrv) lines = NULL;
    g_autoptr(GitRepo) r = NULL;

    *ret = NULL;
    /* Where there is something like a repository git must be asked, and what it says
     * against that is an error. */
    if (!workdir_in_git(folder))
        return true;
    if (!ask_about(folder, &lines, error))
        return false;
    if (g_strv_length(lines) != 7)
        return err_set(error, ERR_CONFIG, "'%s': the name of its repository has a line break",
                       folder);
    r = g_new0(GitRepo, 1);
    r->common = g_strdup(lines[0]);
    r->own = g_strdup(lines[1]);
    r->bare = g_str_equal(lines[2], "true");
    r->prefix = g_strdup(lines[5]);
    if (g_str_has_suffix(r->prefix, "/"))
        r->prefix[strlen(r->prefix) - 1] = '\0';
    if (!r->bare && !g_str_equal(lines[3], "true"))
        return err_set(error, ERR_CONFIG, "'%s' lies within the git folder of its repository",
                       folder);
    if (!make_ours(home, lines[4], &r->ours, error))
        return false;
    *ret = g_steal_pointer(&r);
    return true;
}

bool
git_open(const Home *home, const char *common, GitRepo **ret, GError **error)
{
    g_autoptr(GitRepo) r = g_new0(GitRepo, 1);
    g_autofree char *format = NULL;

    if (!has(common, "objects"))
        return err_set(error, ERR_CONFIG, "there is no repository '%s' any more", common);
    r->common = g_strdup(common);
    r->own = g_strdup(common);
    r->prefix = g_strdup("");
    if (!make_ours(home, "sha1", &r->ours, error))
        return false;
    const GitCall call = {.repo = r};
    if (!git_line(&call, GIT_ARGS("rev-parse", "--show-object-format"), &format, error))
        return false;
    if (!g_str_equal(format, "sha1")) {
        g_clear_pointer(&r->ours, g_free);
        if (!make_ours(home, format, &r->ours, error))
            return false;
    }
    *ret = g_steal_pointer(&r);
    return true;
}

/* By git itself in that folder, which is the only one who finds both halves. It reads
 * settings there, and runs nothing of them: neither hooks nor fsmonitor, and no file is
 * looked at. */
bool
git_unsplit(const GitRepo *repo, const char *git_dir, GError **error)
{
    const GitCall call = {.repo = repo, .git_dir = git_dir};
    g_autoptr(GDir) dir = g_dir_open(git_dir, 0, NULL);
    const char *name;
    bool split = false;

    while (dir && !split && (name = g_dir_read_name(dir)))
        split = g_str_has_prefix(name, "sharedindex.");
    return !split || git_run(&call, GIT_ARGS("update-index", "--no-split-index"), NULL, error);
}
