#include "engine/run/orphans.h"
#include "base/file.h"
#include <fcntl.h>
#include <signal.h>

#define ENVIRON_MAX (1u << 20)
#define LOOKS_MOST 1000 /* where processes start others without end */

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
is_orphan(int proc_fd, const char *pid, const char *const *variables)
{
    g_autofree char *path = g_strdup_printf("%s/environ", pid);
    auto_fd fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
    g_autoptr(GBytes) bytes = NULL;
    if (fd < 0 || !file_read_fd(fd, ENVIRON_MAX, &bytes, NULL))
        return false;
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    for (const char *const *v = variables; data && *v; v++) {
        if (!has_variable(data, len, *v))
            return false;
    }
    return data != NULL;
}

unsigned
orphans_end(const char *work)
{
    g_autofree char *variable = g_strdup_printf("POSTRIDER_WORK=%s", work);
    const char *const variables[] = {variable, NULL};

    return orphans_end_with(variables);
}

/* Looks at all processes once; *known are the pids of those that were ended before. */
static unsigned
end_once(const char *const *variables, GHashTable *known)
{
    g_autoptr(DIR) proc = opendir("/proc");
    unsigned n = 0;
    if (!proc)
        return 0;
    for (struct dirent *e; (e = readdir(proc));) {
        pid_t pid = (pid_t)g_ascii_strtoll(e->d_name, NULL, 10);
        if (pid > 0 && pid != getpid() && is_orphan(dirfd(proc), e->d_name, variables) &&
            kill(pid, SIGKILL) == 0)
            n += g_hash_table_add(known, GINT_TO_POINTER(pid));
    }
    return n;
}

/* A process that one of them starts meanwhile may be missed, since a program that begins has no
 * environment for a moment. So it is looked again until there is nobody new. */
unsigned
orphans_end_with(const char *const *variables)
{
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    for (unsigned n = 0; n < LOOKS_MOST && end_once(variables, known) > 0; n++)
        continue;
    return g_hash_table_size(known);
}
