#include "place.h"
#include "base/err.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

static char *
find_program(void)
{
    const char *named = g_getenv("POSTRIDER_BIN");
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *dir = g_path_get_dirname(self ? self : ".");
    g_autofree char *beside = g_build_filename(dir, "..", "postrider", NULL);

    return named ? g_strdup(named) : g_canonicalize_filename(beside, NULL);
}

bool
place_start(const Place *place, const char *const *argv, pid_t *ret_pid, GError **error)
{
    g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "POSTRIDER_HOME", place->path, TRUE);
    env = g_environ_setenv(env, "POSTRIDER_TEST_SANDBOX", "off", TRUE); /* its cost: cli/1200 */
    posix_spawn_file_actions_t actions;

    posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd <= 2; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    int errnum = posix_spawn(ret_pid, argv[0], &actions, NULL, (char *const *)argv, env);
    posix_spawn_file_actions_destroy(&actions);
    return errnum == 0 || err_set_errno(error, errnum, "starting '%s'", argv[0]);
}

bool
place_run(const Place *place, const char *const *argv, GError **error)
{
    int status;
    pid_t pid;

    if (!place_start(place, argv, &pid, error))
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_set_errno(error, errno, "waiting for '%s'", argv[0]);
    return status == 0 || err_set(error, ERR_NEVER, "'%s %s' ended with status %#x", argv[0],
                                  argv[1] ? argv[1] : "", (unsigned)status);
}

void
place_stop(pid_t pid)
{
    if (pid <= 0)
        return;
    (void)kill(pid, SIGTERM);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

char *
place_conf_roles(unsigned n)
{
    GString *conf = g_string_new("[postrider]\n"
                                 "owner = you@postrider.local\n"
                                 "domain = postrider.local\n"
                                 "[account main]\n"
                                 "kind = maildir\n"
                                 "[brain default]\n"
                                 "kind = command\n"
                                 "command = /bin/true\n");

    for (unsigned i = 0; i < n; i++)
        g_string_append_printf(
            conf, "[role r%u]\naddress = r%u@postrider.local\nbrain = default\n", i, i);
    return g_string_free(conf, FALSE);
}

bool
place_open(Place *place, const char *conf, GError **error)
{
    *place = (Place){.program = find_program()};
    place->scratch = g_dir_make_tmp("pr-bench-XXXXXX", error);
    if (!place->scratch)
        return false;
    place->path = g_build_filename(place->scratch, "home", NULL);
    const char *argv[] = {place->program, "init", place->path, NULL};
    g_autofree char *file = g_build_filename(place->path, "postrider.conf", NULL);
    return place_run(place, argv, error) &&
           (!conf || g_file_set_contents(file, conf, -1, error)) &&
           home_open(place->path, &place->home, error);
}

static void
remove_tree(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        if (unlink(child) < 0 && errno == EISDIR)
            remove_tree(child);
    }
    (void)rmdir(path);
}

void
place_clear(Place *place)
{
    g_clear_pointer(&place->home, home_close);
    if (place->scratch)
        remove_tree(place->scratch);
    g_clear_pointer(&place->scratch, g_free);
    g_clear_pointer(&place->path, g_free);
    g_clear_pointer(&place->program, g_free);
}
