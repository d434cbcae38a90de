/*
 * Bytes of one mail after the other, as the server sends them: into a file in memory, out of it
 * with lines as in all our files.
 */
#include "base/err.h"
#include "base/file.h"
#include "remote/remote_internal.h"
#include <errno.h>
#include <sys/mman.h>

bool
remote_body_open(int *ret_fd, GError **error)
{
    *ret_fd = memfd_create("postrider-mail", MFD_CLOEXEC);
    return *ret_fd >= 0 || err_set_errno(error, errno, "making room for mail");
}

int
remote_body_begin(int fd, GError **error)
{
    if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
        err_set_errno(error, errno, "making room for a mail");
        return -1;
    }
    return fd;
}

static GBytes *
to_lines(GBytes *wire)
{
    gsize len, n = 0;
    const char *in = g_bytes_get_data(wire, &len);
    char *out = g_malloc(len + 1);
    for (const char *p = in, *end = in + len; p < end;) {
        const char *cr = memchr(p, '\r', (size_t)(end - p));
        size_t run = (size_t)((cr ? cr : end) - p);
        memcpy(out + n, p, run);
        n += run;
        p += run;
        if (cr && !(cr + 1 < end && cr[1] == '\n'))
            out[n++] = '\r';
        p += cr ? 1 : 0;
    }
    return g_bytes_new_take(out, n);
}

bool
remote_body_read(int fd, const ImapMail *mail, GBytes **ret, GError **error)
{
    g_autoptr(GBytes) wire = NULL;
    if (lseek(fd, 0, SEEK_SET) != 0)
        return err_set_errno(error, errno, "reading a mail");
    if (!file_read_fd(fd, (size_t)mail->body_bytes + 1, &wire, error))
        return false;
    *ret = to_lines(wire);
    return true;
}
