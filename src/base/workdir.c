#include "base/workdir.h"

char *
workdir_path(const Home *home, const ConfRole *role)
{
    const char *dir = role->workdir;

    if (!dir || !*dir)
        return NULL;
    if (g_str_has_prefix(dir, "~/"))
        return g_build_filename(g_get_home_dir(), dir + 2, NULL);
    return g_canonicalize_filename(dir, home->path);
}

char *
workdir_wrong(const Home *home, const ConfRole *role)
{
    g_autofree char *path = workdir_path(home, role);

    return !path || g_file_test(path, G_FILE_TEST_IS_DIR)
               ? NULL
               : g_strdup_printf("role '%s': workdir '%s' is no folder", role->name, path);
}

void
workdir_check(const Home *home, GPtrArray *lines)
{
    for (unsigned i = 0; i < home->config->n_roles; i++) {
        char *wrong = workdir_wrong(home, &home->config->roles[i]);
        if (wrong)
            g_ptr_array_add(lines, wrong);
    }
}

static bool
has(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

bool
workdir_in_git(const char *folder)
{
    g_autofree char *at = g_canonicalize_filename(folder, NULL);

    if (has(at, "HEAD") && has(at, "objects") && has(at, "refs"))
        return true;
    while (!has(at, ".git")) {
        char *up = g_path_get_dirname(at);
        bool top = g_str_equal(up, at);
        g_free(at);
        at = up;
        if (top)
            return false;
    }
    return true;
}
