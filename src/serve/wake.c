#include "serve/wake.h"
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define WAKE_NAME "wake.sock"
/* A flood must not keep us from the work that it announces. */
#define DRAIN_MAX 1000

/* By the folder's descriptor: the path of a home may be longer than a socket's name. */
static bool
bind_in(int state_fd, int fd)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    mode_t old = umask(0177);

    g_snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/" WAKE_NAME, state_fd);
    int rc = bind(fd, (struct sockaddr *)&at, sizeof at);
    umask(old);
    return rc == 0;
}

bool
wake_open(const Home *home, int *ret_fd, bool *ret_stale, GError **error)
{
    auto_fd fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool stale = unlinkat(home->state_fd, WAKE_NAME, 0) == 0;

    if (fd < 0 || !bind_in(home->state_fd, fd))
        return err_set_errno(error, errno, "making '%s/state/" WAKE_NAME "'", home->path);
    *ret_fd = g_steal_fd(&fd);
    *ret_stale = stale;
    return true;
}

bool
wake_drain(int fd)
{
    char byte;
    int n = 0;

    while (n < DRAIN_MAX && recv(fd, &byte, sizeof byte, MSG_DONTWAIT) >= 0)
        n++;
    return n > 0;
}

#define HOME_EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR)
#define FOLDER_EVENTS (HOME_EVENTS | IN_MOVED_FROM | IN_DELETE | IN_CREATE)

#define WATCH_DEPTH 3
#define WATCH_MAX 200

static int
by_name_backwards(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)b, *(const char *const *)a);
}

int
wake_open_edits(const Home *home, int *ret_home)
{
    auto_fd fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    int wd = fd < 0 ? -1 : inotify_add_watch(fd, home->path, HOME_EVENTS);

    if (wd < 0)
        return -1;
    *ret_home = wd;
    return g_steal_fd(&fd);
}

/* A folder and those in it, of many the last by name: dates that are long past are left out. */
static void
watch_beneath(int fd, const char *folder, int depth, int *left)
{
    g_autoptr(GDir) dir = depth > 0 ? g_dir_open(folder, 0, NULL) : NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    (void)inotify_add_watch(fd, folder, FOLDER_EVENTS);
    while (dir && (name = g_dir_read_name(dir)))
        g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, by_name_backwards);
    for (guint i = 0; i < names->len && *left > 0; i++) {
        g_autofree char *below = g_build_filename(folder, names->pdata[i], NULL);
        if (!g_file_test(below, G_FILE_TEST_IS_DIR) ||
            g_file_test(below, G_FILE_TEST_IS_SYMLINK))
            continue;
        --*left;
        watch_beneath(fd, below, depth - 1, left);
    }
}

void
wake_watch(int fd, const Home *home, const char *path)
{
    g_autofree char *folder = g_build_filename(home->path, path, NULL);
    int left = WATCH_MAX;

    watch_beneath(fd, folder, WATCH_DEPTH, &left);
}

bool
wake_drain_edits(int fd, int home)
{
    _Alignas(struct inotify_event) char events[4096];
    bool others = false;
    ssize_t len;

    while ((len = read(fd, events, sizeof events)) > 0) {
        const struct inotify_event *e;
        for (ssize_t at = 0; at < len; at += (ssize_t)(sizeof *e + e->len)) {
            e = (const void *)(events + at);
            others |= e->wd != home;
        }
    }
    return others;
}

void
wake_remove(const Home *home)
{
    (void)unlinkat(home->state_fd, WAKE_NAME, 0);
}
