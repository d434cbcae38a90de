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
