/* smtp = sendmail: what a program's end means for the mail. The programs are shell scripts. */
#include "../base/tmpdir.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/proc.h"
#include "gate.h"
#include "wire/smtp.h"

#define MAIL "From: a@b\r\nSubject: x\n\nHello\r.\r\n"

static const char *const to[] = {"ann@you.example", "bad address", "-bob@you.example"};

static const struct {
    const char *name, *script;
    SmtpEnd want;
    const char *want_text; /* a piece of it */
} cases[] = {
    {"taken", "cat >/dev/null", SMTP_SENT, "took it"},
    {"data", "cat >/dev/null; exit 65", SMTP_NEVER, "exit 65"},
    {"no user", "cat >/dev/null; echo \"no such user\" >&2; exit 67", SMTP_NEVER,
     "exit 67: no such user"},
    {"no host", "exit 68", SMTP_NEVER, "exit 68"},
    {"unavailable", "exit 69", SMTP_RETRY, "exit 69"},
    {"later", "echo 'queue full' >&2; exit 75", SMTP_RETRY, "exit 75: queue full"},
    {"login", "exit 77", SMTP_RETRY, "exit 77"},
    {"settings", "exit 78", SMTP_RETRY, "exit 78"},
    {"anything", "exit 1", SMTP_RETRY, "exit 1"},
    {"escape", "printf '\\033[2J' >&2; exit 1", SMTP_RETRY, "\\x1b[2J"},
    {"killed: it may have taken it", "cat >/dev/null; kill -9 $$", SMTP_DOUBT, "signal 9"},
    {"too slow: it may take it yet", "cat >/dev/null; exec sleep 100", SMTP_DOUBT, "longer"},
};

static void
send_by(const char *script, bool closed, Gate *gate, SmtpResult *results)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(MAIL, sizeof MAIL - 1);
    const char *argv[] = {"/bin/sh", "-c", script, "sendmail", "-i", NULL};
    SmtpMail mail = {.from = "role@me.example",
                     .to = to,
                     .n_to = 3,
                     .bytes = bytes,
                     .last_byte = pass_gate,
                     .user = gate};

    gate->closed = closed;
    const SmtpPlace place = {.wait_us = strstr(script, "sleep") ? 300 * USEC_PER_MSEC : 0};
    smtp_program_send(argv, &place, &mail, results);
}

static void
test_ends(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        SmtpResult results[3] = {0};
        Gate gate = {0};

        send_by(cases[i].script, false, &gate, results);
        g_test_message("%s: %d %s", cases[i].name, results[0].end, results[0].text);
        g_assert_cmpuint(gate.asked, ==, 1);
        g_assert_cmpint(results[0].end, ==, cases[i].want);
        g_assert_cmpint(results[2].end, ==, cases[i].want);
        g_assert_nonnull(strstr(results[2].text, cases[i].want_text));
        g_assert_cmpint(results[1].end, ==, SMTP_NEVER);
        g_assert_nonnull(strstr(results[1].text, "is no address"));
        smtp_results_clear(results, 3);
    }
}

/* An address that looks like an option is none; the mail comes with LF. */
static void
test_arguments(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *out = tmpdir_path(&dir, "out");
    g_autofree char *script = g_strdup_printf("(for a; do echo \"[$a]\"; done; cat) >%s", out);
    SmtpResult results[3] = {0};
    Gate gate = {0};

    send_by(script, false, &gate, results);
    g_assert_cmpint(results[0].end, ==, SMTP_SENT);
    g_autofree char *got = tmpdir_read(&dir, "out");
    g_assert_cmpstr(
        got, ==,
        "[-i]\n[-f]\n[role@me.example]\n[--]\n[ann@you.example]\n[-bob@you.example]\n"
        "From: a@b\nSubject: x\n\nHello\n.\n");
    smtp_results_clear(results, 3);
}

static void
test_not_begun(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *out = tmpdir_path(&dir, "out");
    g_autofree char *script = g_strdup_printf("touch %s", out);
    SmtpResult results[3] = {0};
    Gate gate = {0};

    send_by(script, true, &gate, results);
    g_assert_cmpint(results[0].end, ==, SMTP_RETRY);
    g_assert_cmpstr(results[0].text, ==, "the store is full");
    g_assert_cmpuint(tmpdir_count(&dir), ==, 0);
    smtp_results_clear(results, 3);
}

static void
test_argv(void)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(MAIL, sizeof MAIL - 1);
    const char *missing[] = {"/nonexistent/sendmail", NULL};
    const char *reads_to[] = {"/bin/false", "-t", NULL};
    const char *any[] = {"/bin/true", NULL};
    Gate gate = {0};
    SmtpMail mail = {.from = "x>y@z", .to = to, .n_to = 1, .bytes = bytes};
    SmtpResult result = {0};
    const SmtpPlace place = {0};

    smtp_program_send(any, &place, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_NEVER);
    smtp_results_clear(&result, 1);
    mail.from = "";
    mail.last_byte = pass_gate;
    mail.user = &gate;
    smtp_program_send(reads_to, &place, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_RETRY);
    g_assert_nonnull(strstr(result.text, "must not be told -t"));
    g_assert_cmpuint(gate.asked, ==, 0);
    smtp_results_clear(&result, 1);
    smtp_program_send(missing, &place, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_RETRY);
    g_assert_nonnull(strstr(result.text, "No such file"));
    smtp_results_clear(&result, 1);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    proc_init();
    g_test_add_func("/wire/smtp-program/ends", test_ends);
    g_test_add_func("/wire/smtp-program/arguments", test_arguments);
    g_test_add_func("/wire/smtp-program/not-begun", test_not_begun);
    g_test_add_func("/wire/smtp-program/argv", test_argv);
    return g_test_run();
}
