#include "engine/run/orphans.h"
#include "base/cleanup.h"
#include "base/file.h"
#include <fcntl.h>
#include <signal.h>

#define ENVIRON_MAX (1u << 20)

/* The variable stands between two NULs; at the very start and the very end there is none. */
static bool
has_variable(const char *data, size_t len, const char *variable)
{
    size_t want = strlen(variable);
    const char *end = data + len;

    for (const char *p = data; (p = memmem(p, (size_t)(end - p), variable, want)); p++) {
        if ((p == data || p[-1] == '\0') && (p + want == end || p[want] == '\0'))
            return true;
    }
    return false;
}

static bool
is_orphan(int proc_fd, const char *pid, const char *variable)
{
    g_autofree char *path = g_strdup_printf("%s/environ", pid);
    auto_fd fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
    g_autoptr(GBytes) bytes = NULL;
    if (fd < 0 || !file_read_fd(fd, ENVIRON_MAX, &bytes, NULL))
        return false;
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    return data && has_variable(data, len, variable);
}

unsigned
orphans_end(const char *work)
{
    g_autofree char *variable = g_strdup_printf("POSTRIDER_WORK=%s", work);
    g_autoptr(DIR) proc = opendir("/proc");
    unsigned n = 0;
    if (!proc)
        return 0;
    for (struct dirent *e; (e = readdir(proc));) {
        if (g_ascii_isdigit(e->d_name[0]) && is_orphan(dirfd(proc), e->d_name, variable) &&
            kill((pid_t)g_ascii_strtoll(e->d_name, NULL, 10), SIGKILL) == 0)
            n++;
    }
    return n;
}
