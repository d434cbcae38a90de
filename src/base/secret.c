#include "base/secret.h"
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define SECRET_MAX 16384u /* tokens are long */
#define PROGRAM_US (60 * USEC_PER_SEC)

static void
wipe(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    g_free(text);
}

void
secret_clear(Secret *s)
{
    wipe(g_steal_pointer(&s->password));
    wipe(g_steal_pointer(&s->token));
}

/* The first line; what follows is a note that some password stores print too. */
static bool
take_line(GBytes *bytes, char **ret)
{
    gsize len;
    const char *text = g_bytes_get_data(bytes, &len);
    size_t n = 0;

    while (n < len && text[n] != '\n' && text[n] != '\r')
        n++;
    if (n == 0 || memchr(text, '\0', n))
        return false;
    *ret = g_strndup(text, n);
    return true;
}

static bool
check_file(int fd, const char *path, GError **error)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return err_set_errno(error, errno, "the password file '%s'", path);
    if (!S_ISREG(st.st_mode))
        return err_set(error, ERR_CONFIG, "the password file '%s' is no regular file", path);
    if (st.st_uid != geteuid())
        return err_set(error, ERR_CONFIG, "the password file '%s' belongs to somebody else",
                       path);
    if (st.st_mode & 077)
        return err_set(error, ERR_CONFIG,
                       "others can read the password file '%s'; run: chmod 600 '%s'", path,
                       path);
    return true;
}

static bool
from_file(const char *name, const char *home, char **ret, GError **error)
{
    g_autofree char *path = g_canonicalize_filename(name, home);
    auto_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    g_autoptr(GBytes) bytes = NULL;

    if (fd < 0)
        return err_set(error, ERR_CONFIG, "the password file '%s': %s", path,
                       g_strerror(errno));
    if (!check_file(fd, path, error))
        return false;
    if (!file_read_fd(fd, SECRET_MAX, &bytes, error))
        return err_prefix(error, "the password file '%s'", path);
    return take_line(bytes, ret) ||
           err_set(error, ERR_CONFIG, "the password file '%s' is empty", path);
}

static bool
from_program(const char *const *argv, const char *home, char **ret, GError **error)
{
    ProcSpec spec = {.argv = argv,
                     .cwd = home,
                     .limits = {.time_us = PROGRAM_US, .out_max = SECRET_MAX}};
    g_autoptr(Proc) proc = NULL;

    if (!proc_run(&spec, &proc, error))
        return err_prefix(error, "asking '%s' for a password", argv[0]);

    const ProcEnd *end = proc_result(proc);
    if (end->why)
        return err_set(error, ERR_CONFIG, "asking '%s' for a password: %s", argv[0], end->why);
    return take_line(end->out, ret) ||
           err_set(error, ERR_CONFIG, "asking '%s' for a password: it printed none", argv[0]);
}

bool
secret_load(const ConfServer *server, const char *home, Secret *ret, GError **error)
{
    *ret = (Secret){NULL, NULL};
    if (server->token_command[0])
        return from_program(server->token_command, home, &ret->token, error);
    if (server->password_command[0])
        return from_program(server->password_command, home, &ret->password, error);
    if (*server->password_file)
        return from_file(server->password_file, home, &ret->password, error);
    return true;
}
