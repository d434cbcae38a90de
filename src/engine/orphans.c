#include "engine/orphans.h"
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#define ENVIRON_MAX (1u << 20)

/* The variable stands between two NULs, or at the very start. */
static bool
has_variable(const char *text, size_t len, const char *variable)
{
    for (const char *p = text; p < text + len; p += strlen(p) + 1) {
        if (g_str_equal(p, variable))
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
    g_autofree char *text = g_malloc(len + 1);
    memcpy(text, data, len);
    text[len] = '\0';
    return has_variable(text, len, variable);
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
