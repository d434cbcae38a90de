/* The IMAP side of what `setup mail` tries out. */
#include "setup/setup_trial.h"
#include "base/file.h"
#include "remote/login.h"
#include <sys/mman.h>

#define ANSWER_US (30 * USEC_PER_SEC)
#define HEADER_BYTES (256u << 10)

void
trial_clear(MailTrial *t)
{
    imap_close(g_steal_pointer(&t->conn));
}

static const char *
remedy_of(const MailTrial *t, const GError *why)
{
    if (strstr(why->message, "timed out") || strstr(why->message, "no reply of"))
        return "check that port and encryption fit: IMAP has 993 implicit and 143 starttls, "
               "sending has 465 implicit and 587 starttls; or a firewall is in between";
    if (err_is(why, ERR_LATER))
        return "check host and port, and that this machine is online";
    if (strstr(why->message, "the password file "))
        return "name a file with the password in its first line, closed to others (chmod 600)";
    if (strstr(why->message, "certificate"))
        return "check the host's name; for a certificate of your own say --ca-file FILE";
    if (strstr(why->message, "STARTTLS"))
        return "try --tls implicit (port 993) or --smtp-tls implicit (port 465)";
    if (strstr(why->message, "the credential "))
        return "say --no-test here; the service tries it when it starts";
    if (strstr(why->message, "gives no"))
        return "run that program by hand: it must print the secret as its first line";
    return t->login;
}

int
trial_failed(MailTrial *t, const char *step, GError *why)
{
    const char *remedy = remedy_of(t, why);
    return setup_failed(t->setup, step, why, remedy);
}

/* --- IMAP --- */

static bool
connect_imap(MailTrial *t, GError **error)
{
    const ConfServer *server = &t->account->server;
    const ImapOptions more = {.time_us = ANSWER_US};
    const char *const *password = server->password_command, *const *token =
                                                                server->token_command;
    if (!*server->password_file && !(password && *password) && !(token && *token))
        return err_set(error, ERR_CONFIG, "no password is set");
    return login_imap(t->setup->cli->home, server, more, &t->conn, error);
}

/* Servers that don't tell where new mail begins are asked for all there is. */
static bool
find_next(MailTrial *t, GError **error)
{
    g_auto(ImapSet) all = {0};
    g_auto(ImapSet) found = {0};
    const ImapQuery query = {.uids = &all};
    if (t->box.uidnext)
        return true;
    imap_set_add(&all, 1, UINT32_MAX);
    if (!imap_search(t->conn, &query, &found, error))
        return false;
    t->box.uidnext = imap_set_last(&found) + 1;
    return true;
}

bool
trial_select(MailTrial *t, bool read_only, GError **error)
{
    g_autofree char *name = NULL;
    return imap_place(t->conn, t->account->folder, &name, error) &&
           imap_select(t->conn, name, read_only, &t->box, error) && find_next(t, error);
}

static int
open_folder(MailTrial *t)
{
    GError *error = NULL;
    if (!trial_select(t, true, &error))
        return setup_failed(t->setup, "folder", error, "check --folder");
    if (t->box.exists == 0)
        setup_ok(t->setup, "folder", "%s is empty", t->account->folder);
    else if (t->box.exists == 1)
        setup_ok(t->setup, "folder", "one mail lies in %s: it is not work, and is not touched",
                 t->account->folder);
    else
        setup_ok(t->setup, "folder",
                 "%u mails lie in %s: none of them is work, none is touched", t->box.exists,
                 t->account->folder);
    return 0;
}

static int
try_idle(MailTrial *t)
{
    GError *error = NULL;
    ImapNews news;
    if (!imap_can(t->conn, "IDLE")) {
        setup_ok(t->setup, "push",
                 "but none: the server has no IDLE, it is asked every minute");
        return 0;
    }
    if (!imap_idle(t->conn, USEC_PER_SEC / 5, -1, &news, &error))
        return trial_failed(t, "push", error);
    setup_ok(t->setup, "push", "new mail is told at once (IDLE)");
    return 0;
}

int
trial_login(MailTrial *t)
{
    GError *error = NULL;
    const ConfServer *server = &t->account->server;
    if (!connect_imap(t, &error))
        return trial_failed(t, "login", error);
    setup_ok(t->setup, "login", "%s as %s", server->host, server->user);
    g_autofree char *alert = imap_steal_alert(t->conn);
    if (alert)
        setup_say(t->setup, "the server says: %s\n", alert);
    int status = open_folder(t);
    return status ? status : try_idle(t);
}

/* --- reading one mail --- */

typedef struct Reading {
    int fd;
    bool whole;
} Reading;

static int
begin(void *user, uint64_t size, GError **error)
{
    Reading *in = user;
    if (ftruncate(in->fd, 0) == 0 && lseek(in->fd, 0, SEEK_SET) == 0)
        return in->fd;
    err_set_errno(error, errno, "making room");
    return -1;
}

static bool
done(void *user, const ImapMail *mail, GError **error)
{
    Reading *in = user;
    in->whole = mail && mail->body == IMAP_BODY_WRITTEN;
    return true;
}

bool
trial_read(MailTrial *t, uint32_t uid, ImapPart part, size_t max, GBytes **ret, GError **error)
{
    auto_fd fd = memfd_create("postrider", MFD_CLOEXEC);
    Reading in = {.fd = fd};
    const ImapTaker taker = {.begin = begin, .done = done, .user = &in};
    g_auto(ImapSet) uids = {0};
    const ImapFetch fetch = {.uids = &uids, .part = part};
    *ret = NULL;
    imap_set_add(&uids, uid, uid);
    if (fd < 0)
        return err_set_errno(error, errno, "making room");
    if (!imap_fetch(t->conn, &fetch, &taker, error))
        return false;
    off_t size = lseek(fd, 0, SEEK_END);
    if (!in.whole || size < 0 || (size_t)size > max)
        return true;
    return lseek(fd, 0, SEEK_SET) == 0 ? file_read_fd(fd, max, ret, error)
                                       : err_set_errno(error, errno, "reading a mail");
}

bool
trial_read_head(MailTrial *t, uint32_t uid, Message **ret, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    *ret = NULL;
    if (!trial_read(t, uid, IMAP_HEADER, HEADER_BYTES, &bytes, error))
        return false;
    if (!bytes)
        return true;
    *ret = message_parse_bytes(bytes, MESSAGE_HEADERS);
    return true;
}
