#include "plan/file/project.h"
#include "base/file.h"
#include <fcntl.h>
#include <sys/stat.h>

#define GIT_FILE_MAX 4096
#define EXCLUDE_MAX (1u << 20)
#define EXCLUDE_LINE PROJECT_STATE "/"

void
project_free(Project *project)
{
    if (!project)
        return;
    cleanup_fd(&project->fd);
    free_all(project->path, project->git, project);
}

/* The kernel knows under which name the folder lies now. */
bool
project_check_place(const Project *project, GError **error)
{
    struct stat there, ours;
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", project->fd);

    if (stat(project->path, &there) == 0 && fstat(project->fd, &ours) == 0 &&
        there.st_dev == ours.st_dev && there.st_ino == ours.st_ino)
        return true;
    g_autofree char *now = g_file_read_link(link, NULL);
    if (!now || g_str_has_suffix(now, " (deleted)"))
        return err_set(error, ERR_CONFIG, "the project '%s' was deleted while it was worked on",
                       project->path);
    return err_set(error, ERR_CONFIG,
                   "the project '%s' was moved while it was worked on: it is '%s' now, with its "
                   "plan; go on there by: postrider plan run",
                   project->path, now);
}

static bool
is_folder(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);

    return g_file_test(path, G_FILE_TEST_IS_DIR);
}

/* The first line of a small file; NULL: it can't be read. Caller frees. */
static char *
first_line(const char *folder, const char *name)
{
    auto_fd dir = dir_open(folder, NULL);
    g_autoptr(GBytes) bytes = NULL;

    if (dir < 0 || !file_read(dir, name, GIT_FILE_MAX, &bytes, NULL) || !bytes)
        return NULL;
    char *text = text_from_bytes(bytes);
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

/* Where git keeps what it knows of the work tree that begins in this folder; NULL: none begins here. Caller frees. */
static char *
git_folder(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, ".git", NULL);
    struct stat st;

    if (stat(path, &st) < 0)
        return NULL;
    if (S_ISDIR(st.st_mode))
        return g_steal_pointer(&path);
    g_autofree char *line = first_line(folder, ".git");
    if (!line || !g_str_has_prefix(line, "gitdir: "))
        return NULL;
    return g_canonicalize_filename(line + strlen("gitdir: "), folder);
}

/* Git has the folder of a submodule below modules/ of the work tree around it. */
static bool
is_submodule(const char *git)
{
    return strstr(git, "/modules/") != NULL;
}

/* Goes upward to the nearest folder with a `.pilot`. *ret_top is git's top level, if the search met that. */
static char *
search(const char *from, char **ret_top)
{
    g_autofree char *folder = g_canonicalize_filename(from, NULL);

    for (;;) {
        g_autofree char *git = git_folder(folder);
        bool ends = git && !is_submodule(git);

        if (git && !*ret_top)
            *ret_top = g_strdup(folder);
        if (is_folder(folder, PROJECT_FOLDER))
            return g_steal_pointer(&folder);
        char *up = g_path_get_dirname(folder);
        bool top = g_str_equal(up, folder);
        g_free(folder);
        folder = up;
        if (ends || top)
            return NULL;
    }
}

/* Git's folder for the work tree that this folder lies in; NULL: there is none. Caller frees. */
static char *
git_of(const char *folder)
{
    g_autofree char *at = g_strdup(folder);

    for (;;) {
        g_autofree char *git = git_folder(at);

        if (git)
            return g_steal_pointer(&git);
        char *up = g_path_get_dirname(at);
        bool top = g_str_equal(up, at);
        g_free(at);
        at = up;
        if (top)
            return NULL;
    }
}

bool
project_find(const char *from, bool make, Project **ret, GError **error)
{
    g_autofree char *top = NULL;
    g_autofree char *path = search(from, &top);
    g_autoptr(Project) project = g_new0(Project, 1);

    project->fd = -1;
    if (!path)
        path = top ? g_strdup(top) : make ? g_canonicalize_filename(from, NULL) : NULL;
    if (!path) {
        *ret = NULL;
        return true;
    }
    project->fd = dir_open(path, error);
    if (project->fd < 0)
        return false;
    project->git = git_of(path);
    project->path = g_steal_pointer(&path);
    *ret = g_steal_pointer(&project);
    return true;
}

char *
project_branch(const Project *project)
{
    static const char heads[] = "ref: refs/heads/";
    g_autofree char *head = project->git ? first_line(project->git, "HEAD") : NULL;

    if (!head || !g_utf8_validate(head, -1, NULL))
        return g_strdup("");
    if (g_str_has_prefix(head, heads))
        return g_strdup(head + strlen(heads));
    return g_strdup(g_str_has_prefix(head, "ref: ") ? head + strlen("ref: ") : head);
}

static bool
is_commit(const char *branch)
{
    size_t len = strlen(branch);

    return (len == 40 || len == 64) && strspn(branch, "0123456789abcdef") == len;
}

bool
project_branch_fits(const char *of_plan, const char *now)
{
    return !*of_plan || !*now || g_str_equal(of_plan, now) ||
           (is_commit(of_plan) && is_commit(now));
}

char *
project_path(const Project *project, const char *from, const char *typed, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(typed, "/", -1);

    if (!*typed || !g_utf8_validate(typed, -1, NULL)) {
        err_set(error, ERR_NEVER, "a path must be text, and not empty");
        return NULL;
    }
    if (g_strv_contains((const char *const *)parts, "..")) {
        err_set(error, ERR_NEVER, "'%s': a plan's path may not have '..' in it", typed);
        return NULL;
    }
    g_autofree char *whole = g_canonicalize_filename(typed, from);
    g_autofree char *inside = g_strconcat(project->path, "/", NULL);
    if (g_str_equal(project->path, "/") || !g_str_has_prefix(whole, inside)) {
        err_set(error, ERR_NEVER, "'%s' is not in the project '%s'", typed, project->path);
        return NULL;
    }
    return g_strdup(whole + strlen(inside));
}

/* --- what lies beside a plan --- */

static bool
write_scripts(const Project *project, GError **error)
{
    static const char *const verbs[] = {"read", "write", "backup"};

    for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
        g_autofree char *name = g_strdup_printf(PROJECT_SCRIPTS "/state_%s.sh", verbs[i]);
        g_autofree char *text =
            g_strdup_printf("#!/bin/sh\nexec postrider state %s \"$@\"\n", verbs[i]);
        struct stat st;

        if (fstatat(project->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            continue; /* ours, or one that somebody else wrote */
        if (!file_replace(project->fd, name, text, strlen(text), 0755, error))
            return false;
    }
    return true;
}

/* The folder of git that all work trees of a repository share. Caller frees. */
static char *
git_common(const char *git)
{
    g_autofree char *line = first_line(git, "commondir");

    return line ? g_canonicalize_filename(line, git) : g_strdup(git);
}

static bool
has_line(GBytes *bytes, const char *wanted)
{
    g_autofree char *text = text_from_bytes(bytes);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (char **line = lines; *line; line++) {
        if (g_str_equal(g_strchomp(*line), wanted))
            return true;
    }
    return false;
}

static void
exclude_state(const Project *project)
{
    g_autofree char *common = project->git ? git_common(project->git) : NULL;
    auto_fd dir = common ? dir_open(common, NULL) : -1;
    g_autoptr(GBytes) old = NULL;

    if (dir < 0 || !dir_make(dir, "info", 0777, NULL) ||
        !file_read(dir, "info/exclude", EXCLUDE_MAX, &old, NULL) ||
        (old && has_line(old, EXCLUDE_LINE)))
        return;
    g_autofree char *before = text_from_bytes(old);
    g_autofree char *text =
        g_strconcat(before, *before && !g_str_has_suffix(before, "\n") ? "\n" : "",
                    EXCLUDE_LINE "\n", NULL);
    (void)file_replace(dir, "info/exclude", text, strlen(text), 0666, NULL);
}

bool
project_prepare(const Project *project, GError **error)
{
    static const char *const folders[] = {PROJECT_STATE, PROJECT_PLANS "/pending",
                                          PROJECT_PLANS "/in_progress", PROJECT_PLANS "/done",
                                          PROJECT_SCRIPTS};

    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        if (!dir_make(project->fd, folders[i], 0777, error))
            return err_prefix(error, "in '%s'", project->path);
    }
    if (!write_scripts(project, error))
        return err_prefix(error, "in '%s'", project->path);
    exclude_state(project);
    return true;
}
