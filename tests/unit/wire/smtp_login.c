/* Connecting and logging in: every form of login, and every peer that must not see one. */
#include "../base/tmpdir.h"
#include "base/err.h"
#include "base/proc.h"
#include "smtppeer.h"

#define SECRET "CANARY-s3cret"

static char *
make_certificate(const TmpDir *dir, const char *name, const char *subject)
{
    char *pem = tmpdir_path(dir, name);
    g_autofree char *san = g_strdup_printf("subjectAltName=%s", subject);
    const char *argv[] = {
        "openssl", "req",   "-x509", "-newkey", "ec",    "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes",  "-days", "2",     "-subj",   "/CN=x", "-addext",  san,
        "-keyout", pem,     "-out",  pem,       NULL};
    int status = 1;

    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL,
                               G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                               NULL, NULL, &status, NULL));
    g_assert_cmpint(status, ==, 0);
    return pem;
}

#define AUTH_OFFER "S 250-peer\r\n250 AUTH PLAIN LOGIN XOAUTH2 OAUTHBEARER CRAM-MD5\r\n"
#define TLS_OFFER "S 250-peer\r\n250 STARTTLS\r\n"
#define GREET "S 220 peer\r\n", "C EHLO"
#define AUTH_DONE "S 235 2.7.0 ok\r\n", "C EHLO", NO_OFFER, QUIT
enum { CERT_NONE, CERT_GOOD, CERT_OTHER_NAME, CERT_OTHER_CA };

/* clang-format off */
static const struct {
    const char *name;
    const char *script[20];
    SmtpTls tls;
    int cert;
    const char *user, *password, *token;
    bool want;
    ErrCode want_code;     /* when it fails */
    const char *want_text; /* a piece of it */
    const char *want_log;  /* a piece of what the peer got; NULL: no AUTH at all */
} logins[] = {
    {"PLAIN",
     {GREET, AUTH_OFFER, "C AUTH PLAIN", AUTH_DONE},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, true, 0, NULL,
     "AUTH PLAIN AG1lAENBTkFSWS1zM2NyZXQ=\r\n"},
    {"LOGIN where there is no PLAIN",
     {GREET, "S 250-peer\r\n250 AUTH LOGIN\r\n", "C AUTH LOGIN", "S 334 UGFzc3dvcmQ6\r\n", "C ",
      AUTH_DONE},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, true, 0, NULL,
     "AUTH LOGIN bWU=\r\nQ0FOQVJZLXMzY3JldA==\r\n"},
    {"OAUTHBEARER",
     {GREET, AUTH_OFFER, "C AUTH OAUTHBEARER", AUTH_DONE},
     SMTP_TLS_NONE, CERT_NONE, "me@x", NULL, SECRET, true, 0, NULL,
     "AUTH OAUTHBEARER bixhPW1lQHgs"},
    {"XOAUTH2",
     {GREET, "S 250-peer\r\n250 AUTH PLAIN XOAUTH2\r\n", "C AUTH XOAUTH2", AUTH_DONE},
     SMTP_TLS_NONE, CERT_NONE, "me@x", NULL, SECRET, true, 0, NULL,
     "AUTH XOAUTH2 dXNlcj1tZUB4AWF1dGg9QmVhcmVyIENBTkFSWS1zM2NyZXQBAQ==\r\n"},
    {"refused",
     {GREET, AUTH_OFFER, "C AUTH PLAIN", "S 535 5.7.8 Bad credentials\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_CONFIG,
     "the login was refused: 535 5.7.8 Bad credentials", "AUTH PLAIN"},
    {"Microsoft without passwords",
     {GREET, AUTH_OFFER, "C AUTH PLAIN",
      "S 550 5.7.30 Basic authentication is not supported for Client Submission.\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_CONFIG,
     "550 5.7.30 Basic authentication is not supported", "AUTH PLAIN"},
    {"throttled",
     {GREET, AUTH_OFFER, "C AUTH PLAIN", "S 454 4.7.0 Too many login attempts\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_LATER, "454 4.7.0 Too many",
     "AUTH PLAIN"},
    {"a server that repeats the secret",
     {GREET, AUTH_OFFER, "C AUTH PLAIN", "S 535 bad AG1lAENBTkFSWS1zM2NyZXQ=\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_CONFIG,
     "535 bad AG1lAE[secret]", "AUTH PLAIN"},
    {"an expired token",
     {GREET, "S 250-peer\r\n250 AUTH XOAUTH2\r\n", "C AUTH XOAUTH2",
      "S 334 eyJzdGF0dXMiOiI0MDAifQ==\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", NULL, SECRET, false, ERR_CONFIG,
     "the login was refused: {\"status\":\"400\"}", "AUTH XOAUTH2"},
    {"no login is offered",
     {GREET, NO_OFFER, "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_CONFIG,
     "offers no login without TLS", NULL},
    {"a token is not given to PLAIN",
     {GREET, "S 250-peer\r\n250 AUTH PLAIN LOGIN CRAM-MD5\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", NULL, SECRET, false, ERR_CONFIG, "", NULL},
    {"implicit TLS",
     {"T", GREET, AUTH_OFFER, "C AUTH PLAIN", AUTH_DONE},
     SMTP_TLS_IMPLICIT, CERT_GOOD, "me", SECRET, NULL, true, 0, NULL, "AUTH PLAIN"},
    {"unknown certificate",
     {"T", "W"},
     SMTP_TLS_IMPLICIT, CERT_OTHER_CA, "me", SECRET, NULL, false, ERR_CONFIG, "certificate",
     NULL},
    {"wrong name",
     {"T", "W"},
     SMTP_TLS_IMPLICIT, CERT_OTHER_NAME, "me", SECRET, NULL, false, ERR_CONFIG, "127.0.0.1",
     NULL},
    {"plain text where TLS should be",
     {GREET, "W"},
     SMTP_TLS_IMPLICIT, CERT_GOOD, "me", SECRET, NULL, false, ERR_LATER, "", NULL},
    {"STARTTLS",
     {GREET, TLS_OFFER, "C STARTTLS", "S 220 go\r\n", "T", "C EHLO", AUTH_OFFER, "C AUTH PLAIN",
      AUTH_DONE},
     SMTP_TLS_STARTTLS, CERT_GOOD, "me", SECRET, NULL, true, 0, NULL, "AUTH PLAIN"},
    {"STARTTLS with an unknown certificate",
     {GREET, TLS_OFFER, "C STARTTLS", "S 220 go\r\n", "T", "W"},
     SMTP_TLS_STARTTLS, CERT_OTHER_CA, "me", SECRET, NULL, false, ERR_CONFIG, "certificate",
     NULL},
    {"STARTTLS stripped",
     {GREET, AUTH_OFFER, "W"},
     SMTP_TLS_STARTTLS, CERT_GOOD, "me", SECRET, NULL, false, ERR_CONFIG, "no STARTTLS", NULL},
    {"STARTTLS refused",
     {GREET, TLS_OFFER, "C STARTTLS", "S 454 not now\r\n", "W"},
     SMTP_TLS_STARTTLS, CERT_GOOD, "me", SECRET, NULL, false, ERR_LATER, "454 not now", NULL},
    {"plain text injected behind STARTTLS",
     {GREET, TLS_OFFER, "C STARTTLS", "S 220 go\r\n250-peer\r\n250 AUTH PLAIN\r\n", "W"},
     SMTP_TLS_STARTTLS, CERT_GOOD, "me", SECRET, NULL, false, ERR_LATER, "", NULL},
    {"CVE-2020-28896 class: no greeting, no login",
     {"S hello\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_LATER, "", NULL},
    {"4xx as greeting",
     {"S 451 not now\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_LATER, "451 not now", NULL},
    {"5xx as greeting",
     {"S 554 5.7.1 not you\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_CONFIG, "554 5.7.1 not you",
     NULL},
    {"421 as greeting",
     {"S 421 4.7.0 too many connections\r\n", "X"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_LATER, "421 4.7.0 too many",
     NULL},
    {"4xx at EHLO",
     {GREET, "S 451 not now\r\n", "C HELO", "S 451 not now\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, NULL, NULL, NULL, false, ERR_LATER, "451 not now", NULL},
    {"5xx at EHLO, HELO is known",
     {GREET, "S 502 what\r\n", "C HELO", "S 250 hello\r\n", "C EHLO", "S 502 what\r\n", QUIT},
     SMTP_TLS_NONE, CERT_NONE, NULL, NULL, NULL, true, 0, NULL, NULL},
    {"421 at our EHLO",
     {GREET, NO_OFFER, "C EHLO", "S 421 bye\r\n", "X"},
     SMTP_TLS_NONE, CERT_NONE, NULL, NULL, NULL, false, ERR_LATER, "421 bye", NULL},
    {"closed before the greeting",
     {"X"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_LATER, "", NULL},
    {"reset at EHLO",
     {GREET, "R"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_LATER, "", NULL},
    {"an offer without end",
     {GREET, "M 1000000", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_LIMIT, "", NULL},
    {"a line without end",
     {"S 220 ", "F"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_LATER, "", NULL},
    {"a refusal with escapes",
     {"S 554 \x1b[2J\x07\r\n", "W"},
     SMTP_TLS_NONE, CERT_NONE, "me", SECRET, NULL, false, ERR_CONFIG, "554 \\x1b[2J\\x07",
     NULL},
};
/* clang-format on */

static void
test_logins(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *good = make_certificate(&dir, "good", "IP:127.0.0.1");
    g_autofree char *other_name = make_certificate(&dir, "name", "DNS:mail.example");
    g_autofree char *other_ca = make_certificate(&dir, "ca", "IP:127.0.0.1");

    for (size_t i = 0; i < G_N_ELEMENTS(logins); i++) {
        const char *pem = logins[i].cert == CERT_OTHER_NAME ? other_name : good;
        Peer *peer = peer_start(logins[i].script, pem);
        SmtpPlace place = place_at(peer);
        g_autoptr(GError) error = NULL;
        Smtp *smtp = NULL;

        place.tls = logins[i].tls;
        place.ca_file = logins[i].cert == CERT_OTHER_CA ? other_ca : pem;
        place.user = logins[i].user;
        place.password = logins[i].password;
        place.token = logins[i].token;
        bool ok = smtp_open(&place, &smtp, &error);
        smtp_close(smtp);
        g_autofree char *log = peer_end(peer);
        g_test_message("%s: %s", logins[i].name, error ? error->message : "open");
        g_assert_cmpint(ok, ==, logins[i].want);
        if (!ok) {
            /* libcurl has a limit of its own, and tells it as a failure to receive. */
            if (logins[i].want_code != ERR_LIMIT || error->code != ERR_LATER)
                g_assert_cmpint(error->code, ==, logins[i].want_code);
            g_assert_true(g_str_has_prefix(error->message, "'127.0.0.1'"));
            g_assert_nonnull(strstr(error->message, logins[i].want_text));
            g_assert_null(strstr(error->message, SECRET));
            g_assert_null(strpbrk(error->message, "\r\n"));
        } else {
            g_assert_null(strstr(log, "!!"));
        }
        if (logins[i].want_log)
            g_assert_nonnull(strstr(log, logins[i].want_log));
        else
            g_assert_null(strstr(log, "AUTH"));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    proc_init();
    g_test_add_func("/wire/smtp/logins", test_logins);
    return g_test_run();
}
