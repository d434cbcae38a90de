/*
 * Bytes of one mail after the other, as the server sends them: into a file in memory, out of it
 * with lines as in all our files.
 */
#include "base/file.h"
#include "engine/in/fetch_name.h"
#include "remote/remote_internal.h"
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

char *
remote_file_name(const Remote *r, const char *folder, const ImapMail *mail)
{
    return fetch_name(folder, r->account, r->box.uidvalidity, mail->uid, mail->received_us);
}

bool
remote_file(Remote *r,
            const ConfRole *role,
            const char *folder,
            const char *base,
            GBytes *lines,
            GError **error)
{
    Maildir *md = remote_mailbox(r, role->name, error);
    gsize len;
    const void *data = g_bytes_get_data(lines, &len);
    bool was_there;
    return md && maildir_deliver(md, folder, base, "S", "", data, len, &was_there, error);
}

/* --- mails of the selected folder --- */

typedef struct Reading {
    int fd;
    MessageWhat what;
    RemoteTake *take;
    void *user;
} Reading;

static int
begin(void *user, uint64_t size, GError **error)
{
    return remote_body_begin(((Reading *)user)->fd, error);
}

static bool
done(void *user, const ImapMail *mail, GError **error)
{
    const Reading *in = user;
    g_autoptr(GBytes) lines = NULL;
    if (!mail || mail->body != IMAP_BODY_WRITTEN)
        return true;
    if (!remote_body_read(in->fd, mail, &lines, error))
        return false;
    g_autoptr(Message) m = message_parse_bytes(lines, in->what);
    return in->take(in->user, mail, lines, m, error);
}

bool
remote_read(
    Remote *r, const ImapSet *uids, ImapPart part, RemoteTake *take, void *user, GError **error)
{
    g_auto(ImapSet) all = {0};
    auto_fd fd = -1;
    ImapFetch fetch = {.uids = uids ? uids : &all, .part = part};
    if (!uids && r->box.exists)
        imap_set_add(&all, 1, UINT32_MAX);
    if (imap_set_is_empty(fetch.uids))
        return true;
    if (!remote_body_open(&fd, error))
        return false;
    Reading in = {.fd = fd,
                  .what = part == IMAP_HEADER ? MESSAGE_HEADERS : MESSAGE_TEXT,
                  .take = take,
                  .user = user};
    const ImapTaker taker = {.begin = begin, .done = done, .user = &in};
    return imap_fetch(r->conn, &fetch, &taker, error);
}
