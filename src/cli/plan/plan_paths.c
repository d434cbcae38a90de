#include "cli/plan/plan_paths.h"
#include "base/file.h"
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>

#define SLUG_MAX 48

static bool
is_there(const Project *project, const char *path)
{
    struct stat st;

    return fstatat(project->fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

char *
plan_path_slug(const char *title)
{
    GString *slug = g_string_new(NULL);

    for (const char *p = title; *p && slug->len < SLUG_MAX; p++) {
        if (g_ascii_isalnum(*p))
            g_string_append_c(slug, g_ascii_tolower(*p));
        else if (slug->len > 0 && slug->str[slug->len - 1] != '-')
            g_string_append_c(slug, '-');
    }
    while (slug->len > 0 && slug->str[slug->len - 1] == '-')
        g_string_truncate(slug, slug->len - 1);
    if (slug->len == 0)
        g_string_append(slug, "plan");
    return g_string_free(slug, FALSE);
}

char *
plan_path_free_name(const Project *project, const char *folder, const char *name)
{
    bool md = g_str_has_suffix(name, ".md");
    g_autofree char *stem = g_strndup(name, strlen(name) - (md ? 3 : 0));
    char *path = g_strdup_printf(PROJECT_PLANS "/%s/%s.md", folder, stem);

    for (unsigned n = 2; is_there(project, path); n++) {
        g_free(path);
        path = g_strdup_printf(PROJECT_PLANS "/%s/%s-%u.md", folder, stem, n);
    }
    return path;
}

bool
plan_path_move(
    const Project *project, const char *path, const char *folder, char **ret, GError **error)
{
    g_autofree char *name = g_path_get_basename(path), *here = g_path_get_dirname(path);
    g_autofree char *target = g_strconcat(PROJECT_PLANS "/", folder, NULL);

    if (!g_str_has_prefix(path, PROJECT_PLANS "/") || g_str_equal(here, target) ||
        !is_there(project, path)) {
        *ret = g_strdup(path);
        return true;
    }
    if (!dir_make(project->fd, target, 0777, error))
        return false;
    g_autofree char *to = plan_path_free_name(project, folder, name);
    if (renameat2(project->fd, path, project->fd, to, RENAME_NOREPLACE) < 0 &&
        (errno != EINVAL || renameat(project->fd, path, project->fd, to) < 0))
        return err_set_errno(error, errno, "moving '%s' to '%s'", path, to);
    auto_fd old = dir_open_beneath(project->fd, here, error);
    auto_fd new = old >= 0 ? dir_open_beneath(project->fd, target, error) : -1;
    if (new < 0 || !dir_flush(new, error) || !dir_flush(old, error))
        return false;
    *ret = g_steal_pointer(&to);
    return true;
}

GPtrArray *
plan_path_list(const Project *project, const char *folder)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *path = g_strconcat(PROJECT_PLANS "/", folder, NULL);
    auto_fd fd = dir_open_beneath(project->fd, path, NULL);
    g_autoptr(DIR) dir = fd >= 0 ? dir_list(fd, ".") : NULL;
    const struct dirent *entry;

    while (dir && (entry = dir_next(dir))) {
        if (g_str_has_suffix(entry->d_name, ".md") && !file_is_tmp(entry->d_name) &&
            g_utf8_validate(entry->d_name, -1, NULL))
            g_ptr_array_add(names, g_strdup(entry->d_name));
    }
    g_ptr_array_sort(names, text_compare);
    return names;
}

char *
plan_path_only(const Project *project, GError **error)
{
    static const char *const folders[] = {"in_progress", "pending"};

    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autoptr(GPtrArray) names = plan_path_list(project, folders[i]);

        if (names->len == 1)
            return g_strdup_printf(PROJECT_PLANS "/%s/%s", folders[i],
                                   (const char *)g_ptr_array_index(names, 0));
        if (names->len > 1) {
            err_set(error, ERR_NEVER,
                    "there are %u plans in " PROJECT_PLANS "/%s: say which one", names->len,
                    folders[i]);
            return NULL;
        }
    }
    err_set(error, ERR_NEVER,
            "there is no plan: postrider plan new --goal TEXT (/00_plan), or name a file");
    return NULL;
}
