/* The IMAP client against a real Dovecot: every command, the speed of a fetch, the push of
 * IDLE. */
#include "base/clock.h"
#include "base/err.h"
#include "mailpeer.h"
#include "wire/imap.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define MANY 10000

static MailServer server;

static ImapConn *
open_at(const MailServer *where, const char *user, ImapTls tls)
{
    g_autofree char *login = g_strdup_printf("%s@test.example", user);
    g_autofree char *password = g_strdup_printf("%s-pw", user);
    const char *port = tls == IMAP_TLS_IMPLICIT ? "IMAPS_PORT" : "IMAP_PORT";
    ImapOptions options = {.host = "localhost",
                           .port = (unsigned)atoi(mailserver_get(where, port)),
                           .tls = tls,
                           .ca_file = mailserver_get(where, "MAIL_CA"),
                           .user = login,
                           .password = password};
    ImapConn *conn = NULL;
    g_autoptr(GError) error = NULL;

    imap_open(&options, &conn, &error);
    g_assert_no_error(error);
    return conn;
}

static ImapConn *
open_as(const char *user, ImapTls tls)
{
    return open_at(&server, user, tls);
}

static ImapUid
file(ImapConn *conn, const char *folder, unsigned n)
{
    g_autofree char *text = g_strdup_printf("From: a@b\nTo: c@d\nMessage-ID: <%u@test>\n"
                                            "Subject: \xc3\xa9 %u\n\nmail %u\n.\nP1 OK done\n",
                                            n, n, n);
    g_autoptr(GBytes) mail = g_bytes_new(text, strlen(text));
    ImapNew new_mail = {.folder = folder,
                        .mail = mail,
                        .flags = IMAP_FLAGGED,
                        .received_us = INT64_C(1793698200000000)};
    g_autoptr(GError) error = NULL;
    ImapUid uid = {0};

    imap_append(conn, &new_mail, &uid, NULL, &error);
    g_assert_no_error(error);
    return uid;
}

/* --- a taker that counts --- */

typedef struct Counted {
    int fd;
    unsigned n;
    uint64_t bytes;
    unsigned flags; /* of the last */
    int64_t received_us;
    uint64_t modseq;
    char *keyword;
} Counted;

static int
on_begin(void *user, uint64_t size, GError **error)
{
    Counted *c = user;
    g_assert_cmpint(lseek(c->fd, 0, SEEK_SET), ==, 0);
    g_assert_cmpint(ftruncate(c->fd, 0), ==, 0);
    return c->fd;
}

static bool
on_done(void *user, const ImapMail *mail, GError **error)
{
    Counted *c = user;

    g_assert_nonnull(mail);
    c->n++;
    c->bytes += mail->body_bytes;
    c->flags = mail->flags;
    c->received_us = mail->received_us;
    c->modseq = mail->modseq;
    g_free(c->keyword);
    c->keyword = g_strdup(mail->keywords[0]);
    return true;
}

static Counted
fetch(ImapConn *conn, uint32_t first, uint32_t last, ImapPart part, uint64_t changed_since)
{
    Counted c = {.fd = memfd_create("body", MFD_CLOEXEC)};
    g_auto(ImapSet) uids = {0};
    g_autoptr(GError) error = NULL;
    ImapFetch asked = {.uids = &uids, .part = part, .changed_since = changed_since};

    g_assert_cmpint(c.fd, >=, 0);
    imap_set_add(&uids, first, last);
    imap_fetch(conn, &asked, &(ImapTaker){on_begin, on_done, &c}, &error);
    g_assert_no_error(error);
    return c;
}

static void
counted_clear(Counted *c)
{
    cleanup_fd(&c->fd);
    g_free(c->keyword);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Counted, counted_clear)

/* --- commands --- */

static void
test_logins(void)
{
    static const ImapTls kinds[] = {IMAP_TLS_IMPLICIT, IMAP_TLS_STARTTLS, IMAP_TLS_NONE};

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autoptr(ImapConn) conn = open_as("alice", kinds[i]);
        g_assert_true(imap_can(conn, "IDLE") && imap_can(conn, "UIDPLUS"));
        g_assert_true(imap_noop(conn, NULL));
    }
}

static void
test_wrong_password(void)
{
    ImapOptions options = {.host = "127.0.0.1",
                           .port = (unsigned)atoi(mailserver_get(&server, "IMAP_PORT")),
                           .tls = IMAP_TLS_NONE,
                           .user = "alice@test.example",
                           .password = "wrong"};
    g_autoptr(ImapConn) conn = NULL;
    g_autoptr(GError) error = NULL;

    g_assert_false(imap_open(&options, &conn, &error));
    g_assert_true(err_is(error, ERR_CONFIG));
    g_assert_nonnull(strstr(error->message, "AUTHENTICATIONFAILED"));
}

static const ImapFolder *
find_folder(const GPtrArray *folders, const char *name)
{
    for (unsigned i = 0; i < folders->len; i++) {
        const ImapFolder *folder = folders->pdata[i];
        if (strcmp(folder->name, name) == 0)
            return folder;
    }
    return NULL;
}

static void
test_folders(void)
{
    static const char *const names[] = {"postrider/Done", "Entw\xc3\xbcrfe & \xe2\x82\xac",
                                        "quote\" back\\slash", "per%cent*star"};
    g_autoptr(ImapConn) conn = open_as("alice", IMAP_TLS_NONE);
    g_autoptr(GPtrArray) folders = NULL;
    g_autoptr(GError) error = NULL;
    ImapMailbox box;

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *name = NULL;
        g_test_message("%s", names[i]);
        g_assert_true(imap_place(conn, names[i], &name, NULL));
        g_assert_cmpstr(name, ==, names[i]);
        imap_create(conn, name, &error);
        g_assert_no_error(error);
        g_assert_true(imap_create(conn, name, NULL)); /* again */
        imap_select(conn, name, true, &box, &error);
        g_assert_no_error(error);
        g_assert_true(box.read_only);
    }
    imap_list(conn, &folders, &error);
    g_assert_no_error(error);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_assert_nonnull(find_folder(folders, names[i]));
        g_assert_cmpint(find_folder(folders, names[i])->separator, ==, '/');
    }
    g_assert_cmpint(find_folder(folders, "Sent")->use, ==, IMAP_USE_SENT);
    g_assert_cmpint(find_folder(folders, "Trash")->use, ==, IMAP_USE_TRASH);
    g_assert_nonnull(find_folder(folders, "INBOX"));
    g_assert_false(imap_select(conn, "nowhere", false, &box, &error));
    g_assert_true(err_is(error, ERR_CONFIG));
    g_assert_false(imap_is_broken(conn));
}

static void
check_search(ImapConn *conn, uint32_t first)
{
    g_auto(ImapSet) found = {0}, none = {0}, new_only = {0}, since = {0}, later = {0};
    ImapQuery by_id = {.header = "Message-ID", .value = "<2@test>"};

    g_assert_true(imap_search(conn, &by_id, &found, NULL));
    g_assert_cmpuint(imap_set_count(&found), ==, 1);
    g_assert_cmpuint(imap_set_first(&found), ==, first + 1);
    by_id.value = "\xc3\xa9\"\r\nnothing";
    g_assert_true(imap_search(conn, &by_id, &none, NULL));
    g_assert_true(imap_set_is_empty(&none));
    imap_set_add(&new_only, first + 10, UINT32_MAX); /* finds the last mail all the same */
    g_assert_true(imap_search(conn, &(ImapQuery){.uids = &new_only}, &none, NULL));
    g_assert_true(imap_set_is_empty(&none));
    g_assert_true(
        imap_search(conn, &(ImapQuery){.since_us = INT64_C(1793698200000000)}, &since, NULL));
    g_assert_cmpuint(imap_set_count(&since), ==, 3);
    g_assert_true(imap_search(
        conn, &(ImapQuery){.since_us = INT64_C(1793698200000000) + 86400 * USEC_PER_SEC},
        &later, NULL));
    g_assert_cmpuint(imap_set_count(&later), ==, 0);
}

/* All, one, and what is not there. */
static void
check_fetch(ImapConn *conn, uint32_t first)
{
    g_auto(Counted) all = fetch(conn, first, UINT32_MAX, IMAP_BODY, 0);
    g_assert_cmpuint(all.n, ==, 3);
    g_assert_cmpuint(all.flags, ==, IMAP_FLAGGED); /* and not seen by our looking */
    g_assert_cmpint(all.received_us, ==, INT64_C(1793698200000000));
    g_auto(Counted) head = fetch(conn, first, first, IMAP_HEADER, 0);
    g_assert_cmpuint(head.bytes, <, all.bytes / 3);
    g_auto(Counted) vanished = fetch(conn, first + 50, first + 60, IMAP_BODY, 0);
    g_assert_cmpuint(vanished.n, ==, 0);
}

/* Flags and keywords, and what has changed since. */
static void
check_flags(ImapConn *conn, uint32_t first)
{
    g_auto(ImapSet) one = {0};
    uint64_t before = fetch(conn, first + 2, first + 2, IMAP_NO_BODY, 0).modseq;

    imap_set_add(&one, first, first);
    g_assert_cmpuint(before, >, 0);
    g_assert_true(imap_flag(conn, &one, true, IMAP_SEEN, "$postrider", NULL));
    g_assert_true(imap_flag(conn, &one, false, IMAP_FLAGGED, NULL, NULL));
    g_auto(Counted) changed = fetch(conn, first, UINT32_MAX, IMAP_NO_BODY, before);
    g_assert_cmpuint(changed.n, ==, 1);
    g_assert_cmpuint(changed.flags, ==, IMAP_SEEN);
    g_assert_cmpstr(changed.keyword, ==, "$postrider");
}

static void
check_move(ImapConn *conn, uint32_t first)
{
    g_autoptr(GError) error = NULL;
    bool missing = false;
    ImapUid to;

    g_assert_false(imap_move(conn, first, "postrider/Done", &to, &missing, &error));
    g_assert_true(missing);
    g_assert_true(imap_create(conn, "postrider/Done", NULL));
    g_assert_true(imap_move(conn, first, "postrider/Done", &to, &missing, NULL));
    g_assert_cmpuint(to.uid, ==, 1);
    g_assert_true(imap_move(conn, first, "postrider/Done", &to, &missing, NULL)); /* gone */
    g_assert_cmpuint(to.uid, ==, 0);
}

/* What we remove goes; what somebody else has marked stays. */
static void
check_remove(ImapConn *conn, uint32_t first)
{
    g_auto(ImapSet) theirs = {0}, ours = {0};

    imap_set_add(&theirs, first + 1, first + 1);
    imap_set_add(&ours, first + 2, first + 2);
    g_assert_true(imap_flag(conn, &theirs, true, IMAP_DELETED, NULL, NULL));
    g_assert_true(imap_remove(conn, &ours, NULL));
    g_auto(Counted) left = fetch(conn, 1, UINT32_MAX, IMAP_NO_BODY, 0);
    g_assert_cmpuint(left.n, ==, 1);
    g_assert_cmpuint(left.flags & IMAP_DELETED, ==, IMAP_DELETED);
}

static void
test_mail(void)
{
    g_autoptr(ImapConn) conn = open_as("bob", IMAP_TLS_NONE);
    g_autoptr(GError) error = NULL;
    ImapMailbox box, again;

    imap_select(conn, "INBOX", false, &box, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(box.uidvalidity, >, 0);
    g_assert_cmpuint(box.exists, ==, 0);
    g_assert_true(box.takes_keywords && !box.read_only);
    for (unsigned i = 1; i <= 3; i++) {
        ImapUid uid = file(conn, "INBOX", i);
        g_assert_cmpuint(uid.uidvalidity, ==, box.uidvalidity);
        g_assert_cmpuint(uid.uid, ==, box.uidnext + i - 1);
    }
    check_search(conn, box.uidnext);
    check_fetch(conn, box.uidnext);
    check_flags(conn, box.uidnext);
    check_move(conn, box.uidnext);
    check_remove(conn, box.uidnext);

    g_assert_true(imap_select(conn, "INBOX", true, &again, NULL));
    g_assert_cmpuint(again.uidvalidity, ==, box.uidvalidity);
    g_assert_cmpuint(again.uidnext, ==, box.uidnext + 3);
    g_assert_cmpuint(again.exists, ==, 1);
}

/* A server that names folders in another way, and can neither MOVE nor expunge by UID. */
static void
test_poor_server(void)
{
    g_setenv("MAILSERVER_SEPARATOR", ".", true);
    g_setenv("MAILSERVER_PREFIX", "INBOX.", true);
    g_setenv("MAILSERVER_CAPABILITY", "IMAP4rev1 NAMESPACE", true);
    g_auto(MailServer) poor = mailserver_start();
    g_unsetenv("MAILSERVER_SEPARATOR");
    g_unsetenv("MAILSERVER_PREFIX");
    g_unsetenv("MAILSERVER_CAPABILITY");
    g_autoptr(ImapConn) conn = open_at(&poor, "bob", IMAP_TLS_STARTTLS);
    g_autoptr(GPtrArray) folders = NULL;
    g_autofree char *done = NULL, *inbox = NULL, *bad = NULL;
    g_autoptr(GError) error = NULL;
    ImapMailbox box;
    ImapUid uid, to;
    bool missing;

    g_assert_false(imap_can(conn, "MOVE") || imap_can(conn, "UIDPLUS") ||
                   imap_can(conn, "IDLE"));
    imap_place(conn, "postrider/Done", &done, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(done, ==, "INBOX.postrider.Done");
    g_assert_true(imap_place(conn, "inbox", &inbox, NULL));
    g_assert_cmpstr(inbox, ==, "INBOX");
    g_assert_false(imap_place(conn, "a.b", &bad, &error));
    g_assert_true(err_is(error, ERR_CONFIG));
    g_clear_error(&error);
    imap_create(conn, done, &error);
    g_assert_no_error(error);
    g_assert_true(imap_list(conn, &folders, NULL));
    g_assert_cmpint(find_folder(folders, done)->separator, ==, '.');

    g_assert_true(imap_select(conn, "INBOX", false, &box, NULL));
    uid = file(conn, "INBOX", 1); /* without LITERAL+, by asking */
    imap_move(conn, uid.uid, done, &to, &missing, &error);
    g_assert_no_error(error);
    g_auto(Counted) left = fetch(conn, 1, UINT32_MAX, IMAP_NO_BODY, 0);
    g_assert_cmpuint(left.n, ==, 1); /* it stays, flagged */
    g_assert_cmpuint(left.flags & IMAP_DELETED, ==, IMAP_DELETED);
    g_assert_true(imap_select(conn, done, true, &box, NULL));
    g_assert_cmpuint(box.exists, ==, 1);
}

/* --- beside a bare client: a socket, and no more than it takes --- */

static int
bare_connect(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port =
                                 htons((uint16_t)atoi(mailserver_get(&server, "IMAP_PORT")))};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    g_assert_cmpint(connect(fd, (struct sockaddr *)&to, sizeof to), ==, 0);
    return fd;
}

static int
bare_open(const char *user)
{
    int fd = bare_connect();
    g_autofree char *login =
        g_strdup_printf("a LOGIN %s@test.example %s-pw\r\nb SELECT INBOX\r\n", user, user);
    g_assert_cmpint(write(fd, login, strlen(login)), ==, (ssize_t)strlen(login));
    return fd;
}

/* Reads until text has been seen; returns how many bytes that took. */
static uint64_t
bare_until(int fd, const char *text)
{
    g_autofree char *buf = g_malloc(65536 + 64);
    size_t kept = 0;
    uint64_t all = 0;

    for (;;) {
        ssize_t n = read(fd, buf + kept, 65536);
        g_assert_cmpint(n, >, 0);
        all += (uint64_t)n;
        kept += (size_t)n;
        if (memmem(buf, kept, text, strlen(text)))
            return all;
        size_t tail = MIN(kept, strlen(text));
        memmove(buf, buf + kept - tail, tail);
        kept = tail;
    }
}

/* As a delivery does it. */
static void
fill_maildir(const char *user, unsigned n)
{
    g_autofree char *folder =
        g_build_filename(mailserver_get(&server, "MAIL_STORE"), user, "cur", NULL);
    auto_fd dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_autofree char *filler = g_strnfill(1800, 'x');
    struct stat st;

    for (size_t i = 71; i < 1800; i += 72)
        filler[i] = '\n';
    g_assert_cmpint(fstat(dir, &st), ==, 0);
    for (unsigned i = 0; i < n; i++) {
        g_autofree char *name = g_strdup_printf("1.M%uP1.h:2,", i);
        g_autofree char *mail = g_strdup_printf(
            "From: a@b\nMessage-ID: <%u@many>\nSubject: %u\n\n%s", i, i, filler);
        auto_fd fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        g_assert_cmpint(write(fd, mail, strlen(mail)), ==, (ssize_t)strlen(mail));
        if (geteuid() == 0)
            g_assert_cmpint(fchown(fd, st.st_uid, st.st_gid), ==, 0);
    }
}

static void
test_speed(void)
{
    g_autoptr(ImapConn) conn = open_as("alice", IMAP_TLS_NONE);
    ImapMailbox box;

    g_assert_true(imap_select(conn, "INBOX", false, &box, NULL));
    fill_maildir("alice", MANY);
    auto_fd bare = bare_open("alice"); /* pays for Dovecot's own index of them */
    bare_until(bare, "b OK");
    g_assert_true(imap_select(conn, "INBOX", false, &box, NULL));
    g_assert_cmpuint(box.exists, ==, MANY);

    g_assert_cmpint(dprintf(bare, "c UID FETCH 1:* (UID FLAGS INTERNALDATE RFC822.SIZE"
                                  " BODY.PEEK[])\r\n"),
                    >, 0);
    bare_until(bare, "c OK"); /* warms both */
    int64_t t0 = clock_mono_us();
    g_assert_cmpint(dprintf(bare, "d UID FETCH 1:* (UID FLAGS INTERNALDATE RFC822.SIZE"
                                  " BODY.PEEK[])\r\n"),
                    >, 0);
    uint64_t bytes = bare_until(bare, "d OK");
    int64_t t1 = clock_mono_us();
    g_auto(Counted) all = fetch(conn, 1, UINT32_MAX, IMAP_BODY, 0);
    int64_t t2 = clock_mono_us();
    g_assert_cmpuint(all.n, ==, MANY);
    g_assert_cmpuint(all.bytes, <, bytes);
    g_test_message("%u mails, %" G_GUINT64_FORMAT " KB: bare %" G_GINT64_FORMAT
                   " ms, ours %" G_GINT64_FORMAT " ms",
                   MANY, bytes / 1024, (t1 - t0) / 1000, (t2 - t1) / 1000);
    /* Sanitizers and a busy machine cost us; a client that waits per mail would need minutes.
     */
    g_assert_cmpint(t2 - t1, <, 4 * (t1 - t0) + 5 * USEC_PER_SEC);
}

/* --- the push --- */

#define PUSH_MAX_US (50 * USEC_PER_MSEC)

/* Carries bytes between our client and Dovecot. When Dovecot says that it idles, a mail is
 * filed; when it pushes the news, that is the moment at which any client could know. */
typedef struct Tap {
    int listener;
    unsigned port;
    ImapConn *sender;
    int64_t pushed_us;
} Tap;

static int
loopback_listen(unsigned *ret_port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    g_assert_cmpint(bind(fd, (struct sockaddr *)&at, sizeof at), ==, 0);
    g_assert_cmpint(listen(fd, 1), ==, 0);
    g_assert_cmpint(getsockname(fd, (struct sockaddr *)&at, &len), ==, 0);
    *ret_port = ntohs(at.sin_port);
    return fd;
}

/* False at the end. */
static bool
carry(Tap *tap, int from, int to, bool from_server)
{
    char buf[4097];
    ssize_t n = read(from, buf, sizeof buf - 1);

    if (n <= 0)
        return false;
    buf[n] = '\0';
    if (from_server && strstr(buf, "EXISTS"))
        tap->pushed_us = clock_mono_us();
    g_assert_cmpint(write(to, buf, (size_t)n), ==, n);
    if (from_server && g_str_has_prefix(buf, "+ idling"))
        file(tap->sender, "INBOX", 1);
    return true;
}

static gpointer
tap_thread(gpointer user)
{
    Tap *tap = user;
    auto_fd client = accept(tap->listener, NULL, NULL);
    auto_fd dovecot = bare_connect();
    bool open = true;

    while (open) {
        struct pollfd fds[] = {{.fd = client, .events = POLLIN},
                               {.fd = dovecot, .events = POLLIN}};
        g_assert_cmpint(poll(fds, 2, -1), >, 0);
        if (fds[0].revents)
            open = carry(tap, client, dovecot, false);
        if (open && fds[1].revents)
            open = carry(tap, dovecot, client, true);
    }
    return NULL;
}

/* At most 50 ms from the push to our return; of some tries the best counts, since others use
 * this machine too. */
static void
test_push(void)
{
    int64_t best = USEC_NEVER;
    Tap tap = {.sender = open_as("agent", IMAP_TLS_NONE)};

    tap.listener = loopback_listen(&tap.port);
    GThread *thread = g_thread_new("tap", tap_thread, &tap);
    ImapOptions options = {.host = "127.0.0.1",
                           .port = tap.port,
                           .tls = IMAP_TLS_NONE,
                           .user = "agent@test.example",
                           .password = "agent-pw"};
    ImapConn *conn = NULL;
    g_autoptr(GError) error = NULL;
    ImapMailbox box;
    ImapNews news = IMAP_QUIET;

    imap_open(&options, &conn, &error);
    g_assert_no_error(error);
    g_assert_true(imap_select(conn, "INBOX", false, &box, NULL));
    for (int round = 0; round < 3 || (round < 30 && best >= PUSH_MAX_US); round++) {
        imap_idle(conn, 60 * USEC_PER_SEC, -1, &news, &error);
        int64_t heard_us = clock_mono_us();
        g_assert_no_error(error);
        g_assert_cmpint(news, ==, IMAP_NEWS);
        best = MIN(best, heard_us - tap.pushed_us);
    }
    g_test_message("%" G_GINT64_FORMAT " us behind the push", best);
    g_assert_cmpint(best, <, PUSH_MAX_US);
    imap_close(conn);
    g_thread_join(thread);
    imap_close(tap.sender);
    g_assert_cmpint(close(tap.listener), ==, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    server = mailserver_start();
    if (!server.place) {
        mailserver_clear(&server);
        g_print("1..0 # SKIP no Dovecot\n");
        return 0;
    }
    g_test_add_func("/wire/imap-dovecot/logins", test_logins);
    g_test_add_func("/wire/imap-dovecot/wrong password", test_wrong_password);
    g_test_add_func("/wire/imap-dovecot/folders", test_folders);
    g_test_add_func("/wire/imap-dovecot/mail", test_mail);
    g_test_add_func("/wire/imap-dovecot/poor server", test_poor_server);
    g_test_add_func("/wire/imap-dovecot/push", test_push);
    g_test_add_func("/wire/imap-dovecot/speed", test_speed);
    int status = g_test_run();
    mailserver_clear(&server);
    return status;
}
