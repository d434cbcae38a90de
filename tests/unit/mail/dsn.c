/* Bounces as servers write them, and what is none. */
#include "mail/dsn.h"

#define TOP "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example\nTo: bounce+tok@me.example\n"
#define REPORT                                                                                 \
    "Subject: Undelivered Mail\nMIME-Version: 1.0\n"                                           \
    "Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n"
#define WORDS "--b\nContent-Type: text/plain\n\nI'm sorry.\n\n"
#define STATUS "--b\nContent-Type: message/delivery-status\n\n"
#define RETURNED                                                                               \
    "--b\nContent-Type: message/rfc822\n\nReceived: x\nMessage-ID: <1.7.tag@me.example>\n"     \
    "Subject: x\n\nMessage-ID: <no@body>\n\n--b--\n"
#define HEADERS                                                                                \
    "--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: <1.7.tag@me.example>\nSubject: x\n" \
    "--b--\n"
#define ID "1.7.tag@me.example"

static const struct {
    const char *name, *raw;
    const char *want; /* one line per recipient: "address final action status diagnostic" */
    bool want_standard;
    const char *want_ids, *want_envid;
} cases[] = {
    {"Postfix",
     TOP "Auto-Submitted: auto-replied\n" REPORT WORDS STATUS
         "Reporting-MTA: dns; mail.example\nX-Postfix-Queue-ID: 4F2\n"
         "X-Postfix-Sender: rfc822; role@me.example\nOriginal-Envelope-Id: 7+2Bx\n"
         "Arrival-Date: Sun, 15 Nov 2026 09:30:00 +0000\n\n"
         "Final-Recipient: rfc822; ann@x.example\nOriginal-Recipient: "
         "rfc822;ann+2Btag@you.example\n"
         "Action: failed\nStatus: 5.1.1\nRemote-MTA: dns; mx.x.example\n"
         "Diagnostic-Code: smtp; 550 5.1.1 <ann@x.example>: Recipient\n    address "
         "rejected\n\n" RETURNED,
     "ann+tag@you.example ann@x.example failed 5.1.1 550 5.1.1 <ann@x.example>: Recipient    "
     "address rejected",
     true, ID, "7+x"},
    {"Postfix, delayed",
     TOP REPORT WORDS STATUS
     "Reporting-MTA: dns; m\n\nFinal-Recipient: rfc822; ann@you.example\n"
     "Action: delayed\nStatus: 4.4.1\nWill-Retry-Until: x\n\n" HEADERS,
     "ann@you.example - delayed 4.4.1 -", true, ID, NULL},
    {"Gmail",
     TOP
     "References: <1.7.tag@me.example>\nIn-Reply-To: <1.7.tag@me.example>\n"
     "X-Failed-Recipients: ann@you.example\n" REPORT
     "--b\nContent-Type: multipart/related; boundary=c\n\n--c\nContent-Type: text/plain\n\nx\n"
     "--c--\n" STATUS
     "Reporting-MTA: dns; googlemail.com\nX-Original-Message-ID: <1.7.tag@me.example>\n\n"
     "Final-Recipient: rfc822; ann@you.example\nAction: failed\nStatus: 5.1.1\n"
     "Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach\n"
     " 550 5.1.1 does not exist.\nLast-Attempt-Date: x\n\n--b--\n",
     "ann@you.example - failed 5.1.1 550-5.1.1 The email account that you tried to reach 550 "
     "5.1.1 does not exist.",
     true, ID, NULL},
    {"Exchange Online replaces the id",
     TOP "In-Reply-To: <AM0PR1@outlook.example>\n" REPORT WORDS STATUS
         "Reporting-MTA: dns;AM0PR08MB3299.outlook.example\n\n"
         "Final-Recipient: rfc822;ann@you.example\nAction: failed\nStatus: 5.1.10\n"
         "Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound\n\n"
         "--b\nContent-Type: message/rfc822\n\nMessage-ID: <AM0PR1@outlook.example>\n"
         "X-Microsoft-Original-Message-ID: <1.7.tag@me.example>\n\nx\n--b--\n",
     "ann@you.example - failed 5.1.10 550 5.1.10 RESOLVER.ADR.RecipientNotFound", true,
     ID " AM0PR1@outlook.example", NULL},
    {"three recipients",
     TOP REPORT STATUS
     "Reporting-MTA: dns; m\n\nFinal-Recipient: rfc822; a@x.example\nAction: "
     "failed\nStatus: 5.2.2\n\nFinal-Recipient: rfc822;b@x.example\nAction: "
     "relayed\nStatus: 2.0.0\n\nFinal-Recipient: RFC822; c@x.example\nAction: "
     "Delivered (x)\nStatus: 2.1.5 (ok)\n\n" HEADERS,
     "a@x.example - failed 5.2.2 -\nb@x.example - relayed 2.0.0 -\nc@x.example - delivered "
     "2.1.5 -",
     true, ID, NULL},
    {"no blank lines between",
     TOP REPORT STATUS "Reporting-MTA: dns; m\nFinal-Recipient: rfc822; a@x.example\nAction: "
                       "failed\nStatus: 5.2.2\nFinal-Recipient: rfc822; b@x.example\nAction: "
                       "delayed\nStatus: 4.2.2\n\n" HEADERS,
     "a@x.example - failed 5.2.2 -\nb@x.example - delayed 4.2.2 -", true, ID, NULL},
    {"blank lines too many, CRLF",
     TOP REPORT STATUS "\r\n\r\nReporting-MTA: dns; m\r\n\r\n\r\n\r\nFinal-Recipient: rfc822; "
                       "a@x.example\r\nAction: failed\r\nStatus: 5.0.0\r\n\r\n" HEADERS,
     "a@x.example - failed 5.0.0 -", true, ID, NULL},
    {"base64",
     TOP REPORT
     "--b\nContent-Type: message/delivery-status\nContent-Transfer-Encoding: base64\n\n"
     "UmVwb3J0aW5nLU1UQTogZG5zOyBtCgpGaW5hbC1SZWNpcGllbnQ6IHJmYzgyMjsgYUB4LmV4YW1wbGUK"
     "QWN0aW9uOiBmYWlsZWQKU3RhdHVzOiA1LjEuMQo=\n" HEADERS,
     "a@x.example - failed 5.1.1 -", true, ID, NULL},
    {"no action, by status",
     TOP REPORT STATUS
     "Final-Recipient: rfc822; a@x.example\nStatus: 5.1.1\n\nFinal-Recipient: "
     "rfc822; b@x.example\nStatus: 4.1.1\n\nFinal-Recipient: rfc822; "
     "c@x.example\nStatus: what\n\n" HEADERS,
     "a@x.example - failed 5.1.1 -\nb@x.example - delayed 4.1.1 -\nc@x.example - unknown - -",
     true, ID, NULL},
    {"nothing came back, the bounce is an answer",
     TOP "References: <old@me.example> <1.7.tag@me.example>\n" REPORT STATUS
         "Final-Recipient: rfc822; a@x.example\nAction: failed\n\n--b--\n",
     "a@x.example - failed - -", true, "old@me.example " ID, NULL},
    {"a diagnostic with escapes",
     TOP REPORT STATUS "Final-Recipient: rfc822; a@x.example\nAction: failed\n"
                       "Diagnostic-Code: smtp; \x1b[2J\x07\n\n" HEADERS,
     "a@x.example - failed - \\x1b[2J\\x07", true, ID, NULL},
    {"Exim",
     TOP "X-Failed-Recipients: ann@you.example, bob@you.example\nAuto-Submitted: auto-replied\n"
         "Subject: Mail delivery failed: returning message to sender\n\n"
         "This message was created automatically by mail delivery software.\n\n"
         "  ann@you.example\n    host mx [192.0.2.1]\n    550 no\n\n"
         "------ This is a copy of the message, including all the headers. ------\n\n"
         "Return-path: <role@me.example>\nMessage-ID: <1.7.tag@me.example>\n\nx\n",
     "ann@you.example - failed - -\nbob@you.example - failed - -", false, ID, NULL},
    {"qmail",
     TOP
     "Subject: failure notice\n\nHi. This is the qmail-send program at x.example.\n"
     "I'm afraid I wasn't able to deliver your message to the following addresses.\n\n"
     "<ann@you.example>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n"
     "<bob@you.example>:\n192.0.2.1 does not like recipient.\n\n"
     "--- Below this line is a copy of the message.\n\n"
     "Return-Path: <role@me.example>\nMessage-ID: <1.7.tag@me.example>\n\n<eve@x.example>:\n",
     "ann@you.example - failed - Sorry, no mailbox here by that name. "
     "(#5.1.1)\nbob@you.example - "
     "failed - 192.0.2.1 does not like recipient.",
     false, ID, NULL},

    {"a receipt for reading is none",
     TOP
     "Content-Type: multipart/report; report-type=disposition-notification; "
     "boundary=b\n\n" WORDS
     "--b\nContent-Type: message/disposition-notification\n\nFinal-Recipient: "
     "rfc822;a@x.example\nDisposition: manual-action/MDN-sent-manually; displayed\n\n--b--\n",
     NULL, false, NULL, NULL},
    {"a person who quotes qmail",
     "From: eve@evil.example\nTo: e@me.example\n\nHi. This is the qmail-send program at x.\n\n"
     "<ann@you.example>:\nno\n",
     NULL, false, NULL, NULL},
    {"a person with Exim's header",
     "From: eve@evil.example\nTo: e@me.example\nX-Failed-Recipients: ann@you.example\n\nx\n",
     NULL, false, NULL, NULL},
    {"a vacation", TOP "Auto-Submitted: auto-replied\nSubject: away\n\nI am away.\n", NULL,
     false, NULL, NULL},
    {"nobody is named", TOP REPORT WORDS STATUS "Reporting-MTA: dns; m\n\n" HEADERS, NULL,
     false, NULL, NULL},
    {"no address",
     TOP REPORT STATUS "Final-Recipient: x-local; /dev/null\nAction: failed\n\n" HEADERS, NULL,
     false, NULL, NULL},
    {"inside a forwarded mail",
     "From: eve@evil.example\nContent-Type: multipart/mixed; boundary=b\n\n" WORDS STATUS
     "Final-Recipient: rfc822; a@x.example\nAction: failed\n\n--b--\n",
     NULL, false, NULL, NULL},
    {"two Content-Types",
     TOP "Content-Type: text/plain\n" REPORT STATUS
         "Final-Recipient: rfc822; a@x.example\nAction: failed\n\n" HEADERS,
     NULL, false, NULL, NULL},
};

static char *
tell(const Dsn *dsn)
{
    static const char *const actions[] = {
        [DSN_UNKNOWN] = "unknown",     [DSN_FAILED] = "failed",   [DSN_DELAYED] = "delayed",
        [DSN_DELIVERED] = "delivered", [DSN_RELAYED] = "relayed", [DSN_EXPANDED] = "expanded"};
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < dsn->recipients->len; i++) {
        const DsnRcpt *r = dsn->recipients->pdata[i];
        g_ptr_array_add(lines,
                        g_strdup_printf("%s %s %s %s %s", r->address, r->final ? r->final : "-",
                                        actions[r->action], r->status ? r->status : "-",
                                        r->diagnostic ? r->diagnostic : "-"));
    }
    g_ptr_array_add(lines, NULL);
    return g_strjoinv("\n", (char **)lines->pdata);
}

static char *
join(const GPtrArray *strings)
{
    g_autoptr(GString) all = g_string_new(NULL);

    for (guint i = 0; i < strings->len; i++)
        g_string_append_printf(all, "%s%s", i ? " " : "", (char *)strings->pdata[i]);
    return g_strdup(all->str);
}

static void
test_read(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Message) m =
            message_parse(cases[i].raw, strlen(cases[i].raw), MESSAGE_CONTENT, NULL);
        g_autoptr(Dsn) dsn = dsn_read(m);

        g_test_message("%s", cases[i].name);
        g_assert_cmpint(dsn != NULL, ==, cases[i].want != NULL);
        if (!dsn)
            continue;
        g_autofree char *told = tell(dsn), *ids = join(dsn->ids);
        g_assert_cmpstr(told, ==, cases[i].want);
        g_assert_cmpint(dsn->standard, ==, cases[i].want_standard);
        g_assert_cmpstr(ids, ==, cases[i].want_ids);
        g_assert_cmpstr(dsn->envid, ==, cases[i].want_envid);
    }
}

/* Ten thousand recipients, and a status of blank lines alone, are over soon. */
static void
test_many(void)
{
    g_autoptr(GString) raw = g_string_new(TOP REPORT STATUS);

    for (unsigned i = 0; i < 10000; i++)
        g_string_append_printf(raw,
                               "Final-Recipient: rfc822; a%u@x.example\nAction: failed\n\n", i);
    g_string_append(raw, HEADERS);
    g_autoptr(Message) m = message_parse(raw->str, raw->len, MESSAGE_CONTENT, NULL);
    g_autoptr(Dsn) dsn = dsn_read(m);
    g_assert_nonnull(dsn);
    g_assert_cmpuint(dsn->recipients->len, ==, 100);

    g_string_assign(raw, TOP REPORT STATUS);
    for (unsigned i = 0; i < 1000000; i++)
        g_string_append_c(raw, '\n');
    g_string_append(raw, HEADERS);
    g_autoptr(Message) blank = message_parse(raw->str, raw->len, MESSAGE_CONTENT, NULL);
    g_assert_null(dsn_read(blank));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mail/dsn/read", test_read);
    g_test_add_func("/mail/dsn/many", test_many);
    return g_test_run();
}
