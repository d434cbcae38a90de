/* The IMAP client against tests/peers/mailpeer: what a server can do to us (the P rows). */
#include "wire/imap.h"
#include "base/clock.h"
#include "base/err.h"
#include "mailpeer.h"
#include <sys/eventfd.h>

#define SECRET "CANARY-5f1c"

/* For what is to succeed: others use this machine too. */
#define TIME_ENOUGH_US (60 * USEC_PER_SEC)

static MailPeer peer;

static ImapOptions
options_for_peer(void)
{
    return (ImapOptions){.host = "127.0.0.1",
                         .port = (unsigned)peer.imap_port,
                         .tls = IMAP_TLS_NONE,
                         .user = "agent",
                         .password = SECRET,
                         .time_us = 5 * USEC_PER_SEC};
}

/* --- a taker that keeps bodies in one file --- */

typedef struct Kept {
    TmpDir dir;
    int fd;
    GString *seen; /* "uid=bytes " for each, "- " for what was thrown away */
    unsigned begun;
} Kept;

static Kept
kept_new(void)
{
    Kept k = {.dir = tmpdir_new(), .seen = g_string_new(NULL)};
    k.fd = openat(k.dir.fd, "body", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint(k.fd, >=, 0);
    return k;
}

static void
kept_clear(Kept *k)
{
    cleanup_fd(&k->fd);
    g_string_free(k->seen, true);
    tmpdir_clear(&k->dir);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Kept, kept_clear)

static int
on_begin(void *user, uint64_t size, GError **error)
{
    Kept *k = user;
    k->begun++;
    g_assert_cmpint(ftruncate(k->fd, 0), ==, 0);
    g_assert_cmpint(lseek(k->fd, 0, SEEK_SET), ==, 0);
    return k->fd;
}

static bool
on_done(void *user, const ImapMail *mail, GError **error)
{
    static const char *const states[] = {"none", "", "large"};
    Kept *k = user;

    if (!mail) {
        g_string_append(k->seen, "- ");
        return true;
    }
    g_string_append_printf(k->seen, "%u=%s", mail->uid, states[mail->body]);
    if (mail->body == IMAP_BODY_WRITTEN) {
        g_string_append_printf(k->seen, "%" G_GUINT64_FORMAT, mail->body_bytes);
        g_assert_cmpint(lseek(k->fd, 0, SEEK_END), ==, (off_t)mail->body_bytes);
    }
    g_string_append_c(k->seen, ' ');
    return true;
}

/* Opens, selects INBOX, fetches "first:*" with bodies. */
static bool
visit(const ImapOptions *options, uint32_t first, Kept *kept, ImapMailbox *box, GError **error)
{
    g_autoptr(ImapConn) conn = NULL;
    g_auto(ImapSet) uids = {0};
    ImapTaker taker = {on_begin, on_done, kept};

    imap_set_add(&uids, first, UINT32_MAX);
    return imap_open(options, &conn, error) && imap_select(conn, "INBOX", false, box, error) &&
           imap_fetch(conn, &(ImapFetch){.uids = &uids, .part = IMAP_BODY}, &taker, error);
}

/* --- one fault per row --- */

#define MAIL3 "3=121 "
#define THREE "1=121 2=121 " MAIL3

static const struct {
    const char *name, *rule; /* of mailpeer; NULL: none */
    int want_code;           /* -1: it works */
    const char *want_error;  /* part of it */
    const char *want_seen;   /* NULL: not looked at */
    int64_t time_us;         /* 0: 5 s */
} faults[] = {
    {"honest", NULL, -1, NULL, THREE, 0},
    {"one byte at a time", "{\"on\":\"UID FETCH\",\"split\":1,\"pause\":0}", -1, NULL, THREE,
     0},
    {"closed before the greeting", "{\"on\":\"connect\",\"cut\":0}", ERR_LATER, NULL, "", 0},
    {"closed in the greeting", "{\"on\":\"connect\",\"cut\":4}", ERR_LATER, NULL, "", 0},
    {"closed in a line", "{\"on\":\"SELECT\",\"cut\":40}", ERR_LATER, "closed", "", 0},
    {"closed in a literal", "{\"on\":\"UID FETCH\",\"cut\":150}", ERR_LATER, "closed", "",
     0},
    {"closed after the tag", "{\"on\":\"UID FETCH\",\"answer\":\"{tag}\",\"end\":\"close\"}",
     ERR_LATER, "closed", "", 0},
    {"reset", "{\"on\":\"UID FETCH\",\"answer\":\"\",\"end\":\"reset\"}", ERR_LATER, NULL,
     "", 0},
    {"a literal without an end",
     "{\"on\":\"UID FETCH\",\"answer\":\"* 1 FETCH (UID 1 BODY[] "
     "{1000}\\r\\nabc\",\"end\":\"hang\"}",
     ERR_LATER, "not answered within", "", 2 * USEC_PER_SEC},
    {"{99999999999}",
     "{\"on\":\"UID FETCH\",\"answer\":\"* 1 FETCH (UID 1 BODY[] {99999999999}\\r\\nabc\"}",
     ERR_LIMIT, "99999999999 bytes", "", 0},
    {"{-1}", "{\"on\":\"UID FETCH\",\"answer\":\"* 1 FETCH (UID 1 BODY[] {-1}\\r\\nabc\"}",
     ERR_LATER, "does not speak IMAP", "", 0},
    {"larger than a mail may be, the others go on",
     "{\"on\":\"UID FETCH\",\"before\":\"* 1 FETCH (UID 1 BODY[] {20000}\\r\\n"
     "{big})\\r\\n\"}",
     -1, NULL, "1=large 2=121 3=121 ", 0},
    {"10 MB without a line end",
     "{\"on\":\"UID "
     "FETCH\",\"before\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\","
     "\"repeat\":200000}",
     ERR_LIMIT, "longer than", "", 0},
    {"wrong tag", "{\"on\":\"SELECT\",\"answer\":\"A9 OK done\\r\\n\"}", ERR_LATER,
     "'A9', which was never asked", "", 0},
    {"two tagged replies", "{\"on\":\"SELECT\",\"after\":\"{tag} OK again\\r\\n\"}",
     ERR_LATER, "never asked or is answered", "", 0},
    {"BYE", "{\"on\":\"SELECT\",\"before\":\"* BYE going down\\r\\n\"}", ERR_LATER,
     "good-bye: going down", "", 0},
    {"BYE with escapes", "{\"on\":\"SELECT\",\"before\":\"* BYE \\u001b[2J\\r\\n\"}",
     ERR_LATER, "good-bye: \\x1b[2J", "", 0},
    {"PREAUTH", "{\"on\":\"connect\",\"answer\":\"* PREAUTH hi\\r\\n\"}", ERR_CONFIG,
     "without a login", "", 0},
    {"NO [INUSE]", "{\"on\":\"SELECT\",\"answer\":\"{tag} NO [INUSE] locked\\r\\n\"}",
     ERR_LATER, "NO [INUSE] locked", "", 0},
    {"BAD", "{\"on\":\"UID FETCH\",\"answer\":\"{tag} BAD what\\r\\n\"}", ERR_NEVER,
     "BAD what", "", 0},
    {"untagged garbage",
     "{\"on\":\"SELECT\",\"before\":\"* GARBAGE \\u0000\\u00ff ((\\r\\n\"}", -1, NULL, THREE,
     0},
    {"garbage", "{\"on\":\"SELECT\",\"before\":\"no imap at all\\r\\n\"}", ERR_LATER,
     "does not speak IMAP", "", 0},
    {"asks for more", "{\"on\":\"SELECT\",\"before\":\"+ more\\r\\n\"}", ERR_LATER,
     "no more", "", 0},
    {"EXPUNGE and fewer EXISTS between",
     "{\"on\":\"UID FETCH\",\"before\":\"* 1 EXPUNGE\\r\\n* 0 EXISTS\\r\\n* 9 EXPUNGE\\r\\n\"}",
     -1, NULL, THREE, 0},
    {"UID 0, unasked, twice",
     "{\"on\":\"UID FETCH\",\"before\":\"* 1 FETCH (UID 0 BODY[] {1}\\r\\nx)\\r\\n"
     "* 1 FETCH (BODY[] {2}\\r\\nxx UID 0)\\r\\n* 1 FETCH (UID 1 BODY[] {3}\\r\\nxyz)\\r\\n\"}",
     -1, NULL, "- 1=3 2=121 3=121 ", 0},
    {"flags of a mail that we are about to get",
     "{\"on\":\"UID FETCH\",\"before\":\"* 2 FETCH (UID 2 FLAGS (\\\\Seen))\\r\\n\"}", -1, NULL,
     THREE, 0},
    {"NIL body", "{\"on\":\"UID FETCH\",\"before\":\"* 1 FETCH (UID 1 BODY[] NIL)\\r\\n\"}",
     -1, NULL, "1=none 2=121 3=121 ", 0},
    {"the body twice",
     "{\"on\":\"UID FETCH\",\"before\":\"* 1 FETCH (UID 1 BODY[] {3}\\r\\nabc BODY[] "
     "{4}\\r\\nabcd)\\r\\n\"}",
     -1, NULL, "1=3 2=121 3=121 ", 0},
    {"more parentheses",
     "{\"on\":\"UID FETCH\",\"before\":\"* 1 FETCH ((UID 1 BODY[] {3}\\r\\nabc))\\r\\n\"}", -1,
     NULL, "1=3 2=121 3=121 ", 0},
    {"a body in quotes",
     "{\"on\":\"UID FETCH\",\"before\":\"* 1 FETCH (UID 1 BODY[] \\\"abc\\\")\\r\\n\"}", -1,
     NULL, "1=3 2=121 3=121 ", 0},
    {"what can't be read, the others go on",
     "{\"on\":\"UID FETCH\",\"before\":\"* 1 FETCH (UID 1 FLAGS x BODY[] {3}\\r\\nabc\\r\\n\"}",
     -1, NULL, "- " THREE, 0},
    {"a byte now and then", "{\"on\":\"UID FETCH\",\"split\":1,\"pause\":0.05}", ERR_LATER,
     "not answered within", NULL, 2 * USEC_PER_SEC},
    {"silence before the greeting", "{\"on\":\"connect\",\"answer\":\"\",\"end\":\"hang\"}",
     ERR_LATER, NULL, "", USEC_PER_SEC / 2},
    {"silence", "{\"on\":\"SELECT\",\"answer\":\"\",\"end\":\"hang\"}", ERR_LATER,
     "not answered within", "", 2 * USEC_PER_SEC},
    {"throttled", "{\"on\":\"AUTHENTICATE\",\"answer\":\"{tag} NO [LIMIT] slow\\r\\n\"}",
     ERR_LATER, "[LIMIT] slow", "", 0},
    {"away", "{\"on\":\"AUTHENTICATE\",\"answer\":\"{tag} NO [UNAVAILABLE] x\\r\\n\"}",
     ERR_LATER, "[UNAVAILABLE]", "", 0},
    {"expired", "{\"on\":\"AUTHENTICATE\",\"answer\":\"{tag} NO [EXPIRED] x\\r\\n\"}",
     ERR_CONFIG, "[EXPIRED]", "", 0},
    {"in words alone",
     "{\"on\":\"AUTHENTICATE\",\"answer\":\"{tag} NO [ALERT] Too many simultaneous "
     "connections\\r\\n\"}",
     ERR_LATER, "Too many", "", 0},
    {"no reason", "{\"on\":\"AUTHENTICATE\",\"answer\":\"{tag} NO\\r\\n\"}", ERR_CONFIG,
     "login at", "", 0},
    {"no such folder", "{\"on\":\"SELECT\",\"answer\":\"{tag} NO none\\r\\n\"}", ERR_CONFIG,
     "folder 'INBOX'", "", 0},
};

static void
test_faults(void)
{
    g_autofree char *big = g_strnfill(20000, 'b');

    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        g_auto(GStrv) halves = g_strsplit(faults[i].rule ? faults[i].rule : "", "{big}", 2);
        g_autofree char *rule = g_strjoinv(big, halves);
        mailpeer_begin(&peer, &(PeerCase){.mails = "3", .rule = *rule ? rule : NULL});
        g_auto(Kept) kept = kept_new();
        g_autoptr(GError) error = NULL;
        ImapOptions options = options_for_peer();
        ImapMailbox box;

        options.max_body = 10000;
        if (faults[i].time_us)
            options.time_us = faults[i].time_us;
        else if (faults[i].want_code < 0)
            options.time_us = TIME_ENOUGH_US;
        g_test_message("%s", faults[i].name);
        int64_t began = clock_mono_us();
        bool ok = visit(&options, 1, &kept, &box, &error);
        g_assert_cmpint(clock_mono_us() - began, <, 30 * USEC_PER_SEC);
        if (faults[i].want_code < 0)
            g_assert_no_error(error);
        g_assert_cmpint(ok, ==, faults[i].want_code < 0);
        if (faults[i].want_code >= 0) {
            g_assert_cmpint(error->code, ==, faults[i].want_code);
            if (faults[i].want_error)
                g_assert_nonnull(strstr(error->message, faults[i].want_error));
            g_assert_null(strstr(error->message, SECRET));
        }
        if (faults[i].want_seen)
            g_assert_cmpstr(kept.seen->str, ==, faults[i].want_seen);
    }
}

/* A million untagged lines end at our limit. */
static void
test_flood(void)
{
    mailpeer_begin(
        &peer, &(PeerCase){
                   .rule = "{\"on\":\"NOOP\",\"before\":\"* OK x\\r\\n\",\"repeat\":1000000}"});
    ImapOptions options = options_for_peer();
    g_autoptr(ImapConn) conn = NULL;
    g_autoptr(GError) error = NULL;

    options.time_us = 60 * USEC_PER_SEC;
    g_assert_true(imap_open(&options, &conn, NULL));
    g_assert_false(imap_noop(conn, &error));
    g_assert_true(err_is(error, ERR_LIMIT));
    g_assert_true(imap_is_broken(conn));
    g_autoptr(GError) again = NULL;
    g_assert_false(imap_noop(conn, &again));
    g_assert_cmpstr(again->message, ==, error->message);
}

/* --- what a folder says about itself --- */

static const struct {
    const char *name, *rule;
    ImapMailbox want;
} boxes[] = {
    {"honest", NULL, {.uidvalidity = 7, .uidnext = 4, .exists = 3, .takes_keywords = true}},
    {"UIDVALIDITY 0",
     "{\"on\":\"SELECT\",\"answer\":\"* OK [UIDVALIDITY 0] x\\r\\n* OK [UIDNEXT 4]\\r\\n{tag} "
     "OK "
     "x\\r\\n\"}",
     {.uidvalidity = 0, .uidnext = 4}},
    {"none",
     "{\"on\":\"SELECT\",\"answer\":\"* 3 EXISTS\\r\\n{tag} OK x\\r\\n\"}",
     {.exists = 3}},
    {"too large",
     "{\"on\":\"SELECT\",\"answer\":\"* OK [UIDVALIDITY 99999999999]\\r\\n{tag} OK x\\r\\n\"}",
     {0}},
    {"read only",
     "{\"on\":\"SELECT\",\"answer\":\"* 3 EXISTS\\r\\n{tag} OK [READ-ONLY] x\\r\\n\"}",
     {.exists = 3, .read_only = true}},
    {"CONDSTORE",
     "{\"on\":\"SELECT\",\"answer\":\"* OK [HIGHESTMODSEQ 18446744073709551615] x\\r\\n* OK "
     "[HIGHESTMODSEQ 99]\\r\\n{tag} OK [READ-WRITE] x\\r\\n\"}",
     {.highestmodseq = 99}},
};

static void
test_select(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(boxes); i++) {
        mailpeer_begin(&peer, &(PeerCase){.mails = "3", .rule = boxes[i].rule});
        ImapOptions options = options_for_peer();
        g_autoptr(ImapConn) conn = NULL;
        g_autoptr(GError) error = NULL;
        ImapMailbox got;
        const ImapMailbox *want = &boxes[i].want;

        g_test_message("%s", boxes[i].name);
        g_assert_true(imap_open(&options, &conn, NULL));
        imap_select(conn, "INBOX", false, &got, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(got.uidvalidity, ==, want->uidvalidity);
        g_assert_cmpuint(got.uidnext, ==, want->uidnext);
        g_assert_cmpuint(got.exists, ==, want->exists);
        g_assert_cmpuint(got.highestmodseq, ==, want->highestmodseq);
        g_assert_cmpint(got.read_only, ==, want->read_only);
        g_assert_cmpint(got.takes_keywords, ==, want->takes_keywords);
    }
}

/* --- logins --- */

static const struct {
    const char *name, *capability; /* NULL: all */
    const char *password, *token;  /* what we say; the server wants "right" */
    int want_code;                 /* -1: it works */
    const char *want_error, *want_line;
} logins[] = {
    {"PLAIN at once", NULL, "right", NULL, -1, NULL, "AUTHENTICATE PLAIN "},
    {"PLAIN when asked", "IMAP4rev1 AUTH=PLAIN", "right", NULL, -1, NULL,
     "AUTHENTICATE PLAIN\""},
    {"LOGIN", "IMAP4rev1", "right", NULL, -1, NULL, "LOGIN \\\"agent\\\" \\\"right"},
    {"wrong", NULL, "wrong", NULL, ERR_CONFIG, "AUTHENTICATIONFAILED", NULL},
    {"wrong by LOGIN", "IMAP4rev1", "wrong", NULL, ERR_CONFIG, "AUTHENTICATIONFAILED",
     NULL},
    {"LOGINDISABLED", "IMAP4rev1 LOGINDISABLED", "right", NULL, ERR_CONFIG, "takes no password",
     NULL},
    {"8 bit by LOGIN is a literal", "IMAP4rev1", "\xc3\xa9", NULL, ERR_CONFIG, NULL, "{2}"},
    {"OAUTHBEARER", NULL, NULL, "right", -1, NULL, "AUTHENTICATE OAUTHBEARER "},
    {"XOAUTH2", "IMAP4rev1 SASL-IR AUTH=XOAUTH2", NULL, "right", -1, NULL,
     "AUTHENTICATE XOAUTH2 "},
    {"XOAUTH2 when asked", "IMAP4rev1 AUTH=XOAUTH2", NULL, "right", -1, NULL,
     "AUTHENTICATE XOAUTH2\""},
    {"an expired token", "IMAP4rev1 SASL-IR AUTH=XOAUTH2", NULL, "old", ERR_CONFIG,
     "{\"status\":\"400\"", NULL},
    {"an expired bearer", NULL, NULL, "old", ERR_CONFIG, "{\"status\":\"400\"", "\"AQ==\""},
    {"no tokens here", "IMAP4rev1 AUTH=PLAIN", NULL, "right", ERR_CONFIG, "no tokens", NULL},
    {"no token", NULL, NULL, "a b", ERR_CONFIG, "is none", NULL},
};

static void
test_logins(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(logins); i++) {
        mailpeer_begin(&peer, &(PeerCase){.password = "right",
                                          .token = "right",
                                          .capability = logins[i].capability});
        ImapOptions options = options_for_peer();
        g_autoptr(ImapConn) conn = NULL;
        g_autoptr(GError) error = NULL;

        options.password = logins[i].password;
        options.token = logins[i].token;
        g_test_message("%s", logins[i].name);
        bool ok = imap_open(&options, &conn, &error);
        g_assert_cmpint(ok, ==, logins[i].want_code < 0);
        if (!ok) {
            g_assert_cmpint(error->code, ==, logins[i].want_code);
            if (logins[i].want_error)
                g_assert_nonnull(strstr(error->message, logins[i].want_error));
        }
        if (logins[i].want_line)
            g_assert_true(mailpeer_saw(&peer, "\"got\"", logins[i].want_line));
    }
}

/* --- TLS --- */

static const struct {
    const char *name, *pem; /* of mailserver's certificates; NULL: no TLS there */
    ImapTls tls;
    const char *rule;
    int want_code;
    const char *want_error;
} tls_cases[] = {
    {"implicit", "good.pem", IMAP_TLS_IMPLICIT, NULL, -1, NULL},
    {"STARTTLS", "good.pem", IMAP_TLS_STARTTLS, NULL, -1, NULL},
    {"expired", "expired.pem", IMAP_TLS_IMPLICIT, NULL, ERR_CONFIG, "can't be trusted"},
    {"wrong name", "wrong-name.pem", IMAP_TLS_IMPLICIT, NULL, ERR_CONFIG,
     "can't be trusted"},
    {"self-signed", "self-signed.pem", IMAP_TLS_IMPLICIT, NULL, ERR_CONFIG,
     "can't be trusted"},
    {"expired behind STARTTLS", "expired.pem", IMAP_TLS_STARTTLS, NULL, ERR_CONFIG,
     "can't be trusted"},
    {"STARTTLS stripped", NULL, IMAP_TLS_STARTTLS, NULL, ERR_CONFIG, "no TLS by STARTTLS"},
    {"STARTTLS refused", "good.pem", IMAP_TLS_STARTTLS,
     "{\"on\":\"STARTTLS\",\"answer\":\"{tag} NO not now\\r\\n\"}", ERR_CONFIG, NULL},
    {"PREAUTH instead of STARTTLS", "good.pem", IMAP_TLS_STARTTLS,
     "{\"on\":\"connect\",\"answer\":\"* PREAUTH hi\\r\\n\"}", ERR_CONFIG, NULL},
    {"said behind the go-ahead", "good.pem", IMAP_TLS_STARTTLS,
     "{\"on\":\"STARTTLS\",\"after\":\"* CAPABILITY IMAP4rev1 AUTH=PLAIN\\r\\nA003 OK "
     "x\\r\\n\"}",
     ERR_LATER, NULL},
    {"what was claimed before TLS is forgotten", "good.pem", IMAP_TLS_STARTTLS,
     "{\"on\":\"connect\",\"answer\":\"* OK [CAPABILITY IMAP4rev1 STARTTLS X-EVIL] hi\\r\\n\"}",
     -1, NULL},
    {"and what was claimed with the go-ahead", "good.pem", IMAP_TLS_STARTTLS,
     "{\"on\":\"STARTTLS\",\"before\":\"* CAPABILITY IMAP4rev1 LOGINDISABLED X-EVIL\\r\\n\"}",
     -1, NULL},
    {"plain server where TLS is wanted", NULL, IMAP_TLS_IMPLICIT, NULL, ERR_LATER, NULL},
};

static void
test_tls(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *ca = tmpdir_path(&dir, "ca.pem");

    if (mailserver_run("certs", dir.path) != 0) {
        g_test_skip("no openssl");
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(tls_cases); i++) {
        g_autofree char *pem = tls_cases[i].pem ? tmpdir_path(&dir, tls_cases[i].pem) : NULL;
        mailpeer_begin(&peer,
                       &(PeerCase){.tls = pem,
                                   .rule = tls_cases[i].rule,
                                   .implicit = pem && tls_cases[i].tls == IMAP_TLS_IMPLICIT});
        ImapOptions options = options_for_peer();
        g_autoptr(ImapConn) conn = NULL;
        g_autoptr(GError) error = NULL;

        options.tls = tls_cases[i].tls;
        options.ca_file = ca;
        options.time_us = tls_cases[i].want_code < 0 ? TIME_ENOUGH_US : 3 * USEC_PER_SEC;
        g_test_message("%s", tls_cases[i].name);
        bool ok = imap_open(&options, &conn, &error);
        if (tls_cases[i].want_code < 0)
            g_assert_no_error(error);
        g_assert_cmpint(ok, ==, tls_cases[i].want_code < 0);
        g_assert_false(ok && imap_can(conn, "X-EVIL"));
        if (!ok) {
            g_test_message("%s", error->message);
            g_assert_cmpint(error->code, ==, tls_cases[i].want_code);
            if (tls_cases[i].want_error)
                g_assert_nonnull(strstr(error->message, tls_cases[i].want_error));
            g_assert_false(mailpeer_saw(&peer, "AUTHENTICATE", NULL)); /* no credentials */
            g_assert_false(mailpeer_saw(&peer, "LOGIN ", NULL));
        }
    }
}

/* In the clear only to this machine, or when said. */
static void
test_plain_elsewhere(void)
{
    static const struct {
        const char *host;
        const char *want_error;
    } hosts[] = {{"192.0.2.1", "without TLS"}, {"mail.example.com", "without TLS"},
                 {"a b", "no host"},           {"", "no host"},
                 {"u@h", "no host"},           {"h/x", "no host"}};

    for (size_t i = 0; i < G_N_ELEMENTS(hosts); i++) {
        ImapOptions options = {.host = hosts[i].host,
                               .tls = IMAP_TLS_NONE,
                               .user = "u",
                               .password = "p",
                               .time_us = USEC_PER_SEC};
        g_autoptr(ImapConn) conn = NULL;
        g_autoptr(GError) error = NULL;

        g_test_message("%s", hosts[i].host);
        g_assert_false(imap_open(&options, &conn, &error));
        g_assert_true(err_is(error, ERR_CONFIG));
        g_assert_nonnull(strstr(error->message, hosts[i].want_error));
    }
}

/* --- what we ask for --- */

static ImapConn *
open_inbox(void)
{
    ImapOptions options = options_for_peer();
    ImapConn *conn = NULL;
    g_autoptr(GError) error = NULL;
    ImapMailbox box;

    imap_open(&options, &conn, &error);
    g_assert_no_error(error);
    imap_select(conn, "INBOX", false, &box, &error);
    g_assert_no_error(error);
    return conn;
}

static const struct {
    const char *name, *capability;
    const char *want_said, *want_not_said;
    bool want_uid;
} moves[] = {
    {"MOVE", NULL, "UID MOVE 2", "UID COPY", true},
    {"COPY with UIDPLUS", "IMAP4rev1 UIDPLUS", "UID EXPUNGE 2", "UID MOVE", true},
    {"without both nothing is expunged", "IMAP4rev1",
     "UID STORE 2 +FLAGS.SILENT (\\\\Deleted)", "EXPUNGE", true},
};

static void
test_moves(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(moves); i++) {
        mailpeer_begin(&peer, &(PeerCase){.mails = "3", .capability = moves[i].capability});
        g_autoptr(ImapConn) conn = open_inbox();
        g_autoptr(GError) error = NULL;
        ImapUid to = {0};
        bool missing = false;

        g_test_message("%s", moves[i].name);
        imap_move(conn, 2, "Sent", &to, &missing, &error);
        g_assert_no_error(error);
        g_assert_cmpint(to.uid, ==, 1);
        g_assert_cmpint(to.uidvalidity, ==, 7);
        g_assert_true(mailpeer_saw(&peer, moves[i].want_said, "\"got\""));
        g_assert_false(mailpeer_saw(&peer, moves[i].want_not_said, "\"got\""));
        /* What has vanished is no error, and leads nowhere else. */
        g_assert_true(imap_move(conn, 99, "Sent", &to, &missing, NULL));
        g_assert_cmpuint(to.uid, ==, 0);
        /* A folder that is not there is said to be missing. */
        g_assert_false(imap_move(conn, 1, "Nowhere", &to, &missing, &error));
        g_assert_true(missing);
        g_assert_true(err_is(error, ERR_NEVER));
        g_assert_false(imap_is_broken(conn));
    }
}

/* Whatever a name or a value holds, the server sees one command of ours. */
static void
test_injection(void)
{
    mailpeer_begin(&peer, &(PeerCase){0});
    g_autoptr(ImapConn) conn = open_inbox();
    g_autoptr(GBytes) mail = g_bytes_new_static("a: b\n\nx", 7);
    g_autoptr(GError) error = NULL;
    g_auto(ImapSet) found = {0};
    ImapMailbox box;
    ImapUid uid;

    ImapQuery query = {.header = "Message-ID", .value = "\"\r\nX1 DELETE INBOX\r\n"};
    imap_search(conn, &query, &found, &error);
    g_assert_no_error(error);
    g_assert_true(imap_set_is_empty(&found));
    g_assert_false(imap_select(conn, "a\"\r\nX1 DELETE INBOX", false, &box, &error));
    g_assert_true(err_is(error, ERR_NEVER));
    g_clear_error(&error);
    ImapNew new_mail = {.folder = "INBOX\r\nX1 NOOP", .mail = mail};
    g_assert_false(imap_append(conn, &new_mail, &uid, NULL, &error));
    g_assert_true(err_is(error, ERR_NEVER));
    g_assert_false(imap_is_broken(conn));
    g_assert_true(imap_noop(conn, NULL));
    g_assert_false(mailpeer_saw(&peer, "\"line\": \"X1", NULL));
}

static void
test_append(void)
{
    /* Without LITERAL+ the server is asked first, and may say no. */
    mailpeer_begin(
        &peer,
        &(PeerCase){.capability = "IMAP4rev1",
                    .rule =
                        "{\"on\":\"literal\",\"answer\":\"{tag} NO [OVERQUOTA] full\\r\\n\"}"});
    g_autoptr(ImapConn) conn = open_inbox();
    g_autoptr(GBytes) mail = g_bytes_new_static("Message-ID: <a@b>\n\nx\r\ny\n", 24);
    g_autoptr(GBytes) nul = g_bytes_new_static("a\0b", 3);
    g_autoptr(GError) error = NULL;
    ImapNew new_mail = {.folder = "Sent", .mail = mail, .flags = IMAP_SEEN};
    ImapUid uid = {0};

    g_assert_false(imap_append(conn, &new_mail, &uid, NULL, &error));
    g_assert_true(err_is(error, ERR_LATER)); /* quota */
    g_assert_nonnull(strstr(error->message, "[OVERQUOTA] full"));
    g_clear_error(&error);
    imap_append(conn, &new_mail, &uid, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(uid.uidvalidity, ==, 7);
    g_assert_cmpuint(uid.uid, ==, 1);
    g_assert_true(mailpeer_saw(&peer, "\"appended\"", "<a@b>"));
    g_assert_true(mailpeer_saw(&peer, "\"got\"", "{27}")); /* with CRLF everywhere */
    new_mail.mail = nul;
    g_assert_false(imap_append(conn, &new_mail, &uid, NULL, &error));
    g_assert_true(err_is(error, ERR_NEVER));
}

/* An alert is kept for people, and can't touch their terminal. */
static void
test_alert(void)
{
    mailpeer_begin(
        &peer,
        &(PeerCase){.rule =
                        "{\"on\":\"NOOP\",\"before\":\"* OK [ALERT] \\u001b[31mfull\\r\\n\"}"});
    g_autoptr(ImapConn) conn = open_inbox();

    g_assert_null(imap_steal_alert(conn));
    g_assert_true(imap_noop(conn, NULL));
    g_autofree char *alert = imap_steal_alert(conn);
    g_assert_cmpstr(alert, ==, "\\x1b[31mfull");
    g_assert_null(imap_steal_alert(conn));
}

/* --- waiting --- */

static const struct {
    const char *name, *capability, *rule;
    int64_t timeout_us;
    bool wake;     /* wake_fd is readable */
    int want_code; /* -1: it works */
    ImapNews want;
} waits[] = {
    {"quiet", NULL, NULL, USEC_PER_SEC / 10, false, -1, IMAP_QUIET},
    {"woken", NULL, NULL, 60 * USEC_PER_SEC, true, -1, IMAP_WOKEN},
    {"news", NULL, "{\"on\":\"IDLE\",\"after\":\"* 9 EXISTS\\r\\n\"}", 60 * USEC_PER_SEC, false,
     -1, IMAP_NEWS},
    {"news in pieces", NULL, "{\"on\":\"IDLE\",\"after\":\"* 9 EXISTS\\r\\n\",\"split\":1}",
     60 * USEC_PER_SEC, false, -1, IMAP_NEWS},
    {"chatter is none", NULL, "{\"on\":\"IDLE\",\"after\":\"* OK still here\\r\\n\"}",
     USEC_PER_SEC / 10, false, -1, IMAP_QUIET},
    {"flags are", NULL, "{\"on\":\"IDLE\",\"after\":\"* 1 FETCH (FLAGS (\\\\Deleted))\\r\\n\"}",
     60 * USEC_PER_SEC, false, -1, IMAP_NEWS},
    {"news with the end", NULL, "{\"on\":\"DONE\",\"before\":\"* 9 EXISTS\\r\\n\"}",
     USEC_PER_SEC / 10, false, -1, IMAP_NEWS},
    {"BYE", NULL, "{\"on\":\"IDLE\",\"after\":\"* BYE x\\r\\n\"}", 60 * USEC_PER_SEC, false,
     ERR_LATER, 0},
    {"closed", NULL, "{\"on\":\"IDLE\",\"end\":\"close\"}", 60 * USEC_PER_SEC, false, ERR_LATER,
     0},
    {"refused", NULL, "{\"on\":\"IDLE\",\"answer\":\"{tag} NO x\\r\\n\"}", 60 * USEC_PER_SEC,
     false, ERR_LATER, 0},
    {"dead when it is to end", NULL, "{\"on\":\"DONE\",\"answer\":\"\",\"end\":\"hang\"}",
     USEC_PER_SEC / 10, false, ERR_LATER, 0},
    {"half a line", NULL, "{\"on\":\"IDLE\",\"after\":\"* 9 EXI\"}", 60 * USEC_PER_SEC, false,
     ERR_LATER, 0},
    {"without IDLE", "IMAP4rev1", NULL, USEC_PER_SEC / 10, false, -1, IMAP_QUIET},
    {"without IDLE, news", "IMAP4rev1", "{\"on\":\"NOOP\",\"before\":\"* 9 EXISTS\\r\\n\"}",
     60 * USEC_PER_SEC, false, -1, IMAP_NEWS},
    {"without IDLE, woken", "IMAP4rev1", NULL, 60 * USEC_PER_SEC, true, -1, IMAP_WOKEN},
};

static void
test_waits(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(waits); i++) {
        mailpeer_begin(&peer,
                       &(PeerCase){.capability = waits[i].capability, .rule = waits[i].rule});
        ImapOptions options = options_for_peer();
        g_autoptr(ImapConn) conn = NULL;
        g_autoptr(GError) error = NULL;
        auto_fd wake = eventfd(waits[i].wake, EFD_CLOEXEC);
        ImapNews got = IMAP_QUIET;
        ImapMailbox box;

        /* For all that comes before, too. */
        options.time_us = waits[i].want_code < 0 ? TIME_ENOUGH_US : 3 * USEC_PER_SEC;
        g_test_message("%s", waits[i].name);
        g_assert_true(imap_open(&options, &conn, NULL));
        g_assert_true(imap_select(conn, "INBOX", false, &box, NULL));
        bool ok = imap_idle(conn, waits[i].timeout_us, wake, &got, &error);
        if (waits[i].want_code < 0)
            g_assert_no_error(error);
        else
            g_assert_cmpint(error->code, ==, waits[i].want_code);
        g_assert_cmpint(ok, ==, waits[i].want_code < 0);
        g_assert_cmpint(ok || imap_is_broken(conn), ==, true);
        if (ok)
            g_assert_cmpint(got, ==, waits[i].want);
    }
}

/* An IDLE is renewed before anybody forgets it, and its end is the caller's. */
static void
test_renewal(void)
{
    static const char *const capabilities[] = {NULL, "IMAP4rev1"};
    static const char *const said[] = {" IDLE\"", " NOOP\""};

    for (size_t i = 0; i < G_N_ELEMENTS(said); i++) {
        mailpeer_begin(&peer, &(PeerCase){.capability = capabilities[i]});
        ImapOptions options = options_for_peer();
        g_autoptr(ImapConn) conn = NULL;
        g_autoptr(GError) error = NULL;
        ImapMailbox box;
        ImapNews got = IMAP_NEWS;

        options.idle_us = 200 * USEC_PER_MSEC;
        g_assert_true(imap_open(&options, &conn, NULL));
        g_assert_true(imap_select(conn, "INBOX", false, &box, NULL));
        imap_idle(conn, 2 * USEC_PER_SEC, -1, &got, &error);
        g_assert_no_error(error);
        g_assert_cmpint(got, ==, IMAP_QUIET);
        g_assert_cmpuint(mailpeer_count(&peer, "\"got\"", said[i]), >=, 2);
        g_assert_cmpuint(mailpeer_count(&peer, "\"got\"", said[i]), <=, 11);
    }
}

/* What the server tells while we read is not slept through. */
static void
test_news_between(void)
{
    mailpeer_begin(&peer,
                   &(PeerCase){.rule = "{\"on\":\"NOOP\",\"before\":\"* 5 EXISTS\\r\\n\"}"});
    g_autoptr(ImapConn) conn = open_inbox();
    ImapNews got;

    g_assert_true(imap_noop(conn, NULL));
    g_assert_true(imap_idle(conn, 60 * USEC_PER_SEC, -1, &got, NULL));
    g_assert_cmpint(got, ==, IMAP_NEWS);
    g_assert_true(imap_idle(conn, 1000, -1, &got, NULL));
    g_assert_cmpint(got, ==, IMAP_QUIET);
}

/* Whoever must end does so at once, whatever the server does. */
static void
test_stop(void)
{
    static const char *const rules[] = {"{\"on\":\"connect\",\"answer\":\"\",\"end\":\"hang\"}",
                                        "{\"on\":\"SELECT\",\"answer\":\"\",\"end\":\"hang\"}",
                                        "{\"on\":\"push\"}"};

    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        mailpeer_begin(&peer, &(PeerCase){.rule = rules[i]});
        ImapOptions options = options_for_peer();
        auto_fd stop = eventfd(0, EFD_CLOEXEC);
        g_autoptr(ImapConn) conn = NULL;
        g_autoptr(GError) error = NULL;
        ImapMailbox box;
        ImapNews news;
        int64_t began = clock_mono_us();

        options.time_us = 60 * USEC_PER_SEC;
        options.has_stop = true;
        options.stop_fd = stop;
        g_test_message("%s", rules[i]);
        if (i == 0)
            g_assert_cmpint(eventfd_write(stop, 1), ==, 0);
        bool opened = imap_open(&options, &conn, &error);
        g_assert_cmpint(opened, ==, i > 0);
        if (i == 1)
            g_assert_cmpint(eventfd_write(stop, 1), ==, 0);
        bool selected = opened && imap_select(conn, "INBOX", false, &box, &error);
        g_assert_cmpint(selected, ==, i > 1);
        if (i == 2)
            g_assert_cmpint(eventfd_write(stop, 1), ==, 0);
        if (i == 2)
            g_assert_false(imap_idle(conn, 60 * USEC_PER_SEC, -1, &news, &error));
        g_assert_true(err_is(error, ERR_CANCELLED));
        g_assert_cmpint(clock_mono_us() - began, <, 10 * USEC_PER_SEC);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wire/imap/faults", test_faults);
    g_test_add_func("/wire/imap/flood", test_flood);
    g_test_add_func("/wire/imap/select", test_select);
    g_test_add_func("/wire/imap/logins", test_logins);
    g_test_add_func("/wire/imap/TLS", test_tls);
    g_test_add_func("/wire/imap/in the clear", test_plain_elsewhere);
    g_test_add_func("/wire/imap/moves", test_moves);
    g_test_add_func("/wire/imap/injection", test_injection);
    g_test_add_func("/wire/imap/append", test_append);
    g_test_add_func("/wire/imap/alert", test_alert);
    g_test_add_func("/wire/imap/waits", test_waits);
    g_test_add_func("/wire/imap/renewal", test_renewal);
    g_test_add_func("/wire/imap/news between", test_news_between);
    g_test_add_func("/wire/imap/stop", test_stop);
    peer = mailpeer_start();
    int status = g_test_run();
    mailpeer_clear(&peer);
    return status;
}
