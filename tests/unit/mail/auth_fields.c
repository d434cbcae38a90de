/*
 * One field speaks: which of several Authentication-Results fields counts. The rows are RFC 8601's
 * own examples, the fields of providers as they write them, several milters on one server, and
 * forged fields in every position. Which servers and which Received are believed: auth.c.
 */
#include "mail/auth.h"
#include "mail/auth_results.h"

#define BODY(from) "From: " from "\nTo: envoy@me.example\nSubject: x\n\nx\n"
#define ANN BODY("Ann <ann@example.org>")
/* Where our own server took the mail from outside; its results stand above or right below. */
#define BORDER                                                                                 \
    "Received: from mail.example.org (mail.example.org [203.0.113.5]) by mail.me.example\n"    \
    "\t(Postfix) with ESMTPS id 4F2; Sun, 15 Nov 2026 09:30:00 +0000 (UTC)\n"
#define AR(id, rest) "Authentication-Results: " id "; " rest "\n"
#define OURS(rest) AR("mail.me.example", rest)
#define DMARC "dmarc=pass header.from=example.org"
#define DKIM "dkim=pass header.d=example.org header.s=s1"
#define SPF "spf=pass smtp.mailfrom=ann@example.org"
#define SPF_FAIL "spf=fail smtp.mailfrom=x@evil.example"
#define ME "mail.me.example"
#define TWO "mail.me.example OpenDMARC"

/* RFC 8601, appendix B, with its names: the mail came to example.com. */
#define RFC_BORDER(host)                                                                       \
    "Received: from " host " (" host " [192.0.2.200]) by mail-router.example.com (8.11.6/"     \
    "8.11.6) with ESMTP id g1G0r1kA003489; Fri, Feb 15 2002 17:19:07 -0800\n"
#define RFC_FROM(from) BODY(from)

#define GMAIL                                                                                  \
    "Delivered-To: envoy@gmail.com\n"                                                          \
    "Received: by 2002:a05:6402:35c8:b0:5c9:1e2:7d3f with SMTP id z8csp1; Sun, 15 Nov 2026\n"  \
    "Received: from mail.example.org (mail.example.org. [203.0.113.5])\n"                      \
    "        by mx.google.com with ESMTPS id a640c2 for <envoy@gmail.com>; Sun, 15 Nov 2026\n" \
    "Received-SPF: pass (google.com: domain of ann@example.org) client-ip=203.0.113.5;\n"
#define GOOGLE_SAYS(dmarc)                                                                     \
    "Authentication-Results: mx.google.com;\n"                                                 \
    "       dkim=pass header.i=@example.org header.s=s1 header.b=aB3;\n"                       \
    "       dkim=pass header.i=@list.example header.s=l header.b=xyz;\n"                       \
    "       spf=pass (google.com: domain of ann@example.org designates 203.0.113.5 as\n"       \
    " permitted sender) smtp.mailfrom=ann@example.org;\n"                                      \
    "       dmarc=" dmarc " (p=REJECT sp=REJECT dis=NONE) header.from=example.org\n"
#define FASTMAIL_TOP                                                                           \
    "Received: from phl-compute-02.internal (phl-compute-02.phl.internal [10.202.2.42])\n"     \
    "\tby sloti22d1t06 (Cyrus 3.11.0) with LMTPA;\n"                                           \
    "Received: from mx2.messagingengine.com (localhost [127.0.0.1])\n"                         \
    "    by mx2.messagingengine.com (Authentication Milter) with ESMTP id 2;\n"
#define FASTMAIL_FIRST                                                                         \
    AR("mx2.messagingengine.com",                                                              \
       "x-csa=none; x-me-sender=none; x-ptr=pass smtp.helo=mail.example.org")                  \
    AR("mx2.messagingengine.com", "bimi=skipped (DMARC Policy is none)")                       \
    AR("mx2.messagingengine.com", "arc=none (no signatures found)")
#define FASTMAIL_LAST(dmarc)                                                                   \
    AR("mx2.messagingengine.com",                                                              \
       "dkim=pass (2048-bit rsa key sha256) header.d=example.org header.i=@example.org;\n"     \
       "    dmarc=" dmarc " policy.published-domain-policy=none header.from=example.org;\n"    \
       "    spf=pass smtp.mailfrom=ann@example.org smtp.helo=mail.example.org")
#define FASTMAIL_BORDER                                                                        \
    "Received: from mail.example.org (mail.example.org [203.0.113.5])\n"                       \
    "    by mx2.messagingengine.com (Postfix) with ESMTPS for <envoy@fastmail.com>;\n"
#define OUTLOOK_TOP                                                                            \
    "Received: from AM0PR08MB3299.eurprd08.prod.outlook.com (2603:10a6:208:5d::15) by\n"       \
    " DB9PR08MB6123.eurprd08.prod.outlook.com with HTTPS; Sun, 15 Nov 2026 09:30:00 +0000\n"
#define OUTLOOK_SAYS(dmarc)                                                                    \
    "Authentication-Results: spf=pass (sender IP is 203.0.113.5)\n"                            \
    " smtp.mailfrom=example.org; dkim=pass (signature was verified)\n"                         \
    " header.d=example.org;dmarc=" dmarc " action=none\n"                                      \
    " header.from=example.org;compauth=pass reason=100\n"
#define OUTLOOK_BORDER                                                                         \
    "Received: from mail.example.org (203.0.113.5) by\n"                                       \
    " DB5EUR03FT015.mail.protection.outlook.com (10.152.20.93) with Microsoft SMTP Server;\n"

#define TEN(x) x x x x x x x x x x
#define SIGNATURE " dkim=fail header.d=evil.example;"

enum { ONE, SEVERAL };

static const struct {
    const char *name, *ids, *raw;
    int fields;
    const char *want; /* method; NULL: not proved */
    bool want_hint;   /* the setting is named */
} cases[] = {
    /* RFC 8601, appendix B */
    {"B.1 no field", "example.com", RFC_BORDER("mail-router.example.com") RFC_FROM("a@b.net"),
     ONE, NULL, false},
    {"B.2 nothing was done", "example.org",
     AR("example.org 1", "none") RFC_BORDER("x.example.net") RFC_FROM("sender@example.net"),
     ONE, NULL, false},
    {"B.3 one service", "example.com",
     AR("example.com", "spf=pass smtp.mailfrom=example.net")
         RFC_BORDER("dialup-1-2-3-4.example.net") RFC_FROM("sender@example.net"),
     ONE, "spf", false},
    {"B.4 two methods in a field, a second field beside it", "example.com",
     AR("example.com",
        "auth=pass (cleartext) smtp.auth=sender@example.net;\n"
        "          spf=pass smtp.mailfrom=example.net")
         AR("example.com", "iprev=pass policy.iprev=192.0.2.200")
             RFC_BORDER("dialup-1-2-3-4.example.net") RFC_FROM("sender@example.net"),
     ONE, "spf", false},
    {"B.4 with its two fields the other way round", "example.com",
     AR("example.com", "iprev=pass policy.iprev=192.0.2.200")
         AR("example.com",
            "auth=pass (cleartext) smtp.auth=sender@example.net;\n"
            "          spf=pass smtp.mailfrom=example.net")
             RFC_BORDER("dialup-1-2-3-4.example.net") RFC_FROM("sender@example.net"),
     ONE, NULL, true},
    {"B.4 the other way round, several", "example.com",
     AR("example.com", "iprev=pass policy.iprev=192.0.2.200")
         AR("example.com",
            "auth=pass (cleartext) smtp.auth=sender@example.net;\n"
            "          spf=pass smtp.mailfrom=example.net")
             RFC_BORDER("dialup-1-2-3-4.example.net") RFC_FROM("sender@example.net"),
     SEVERAL, "spf", false},
    {"B.5 two servers of one network", "example.com",
     AR("example.com",
        "dkim=pass (good signature) header.d=example.com") "Received: from "
                                                           "mail-router.example.com "
                                                           "(mail-router.example.com "
                                                           "[192.0.2.1]) by\n"
                                                           "        auth-checker.example.com "
                                                           "(8.11.6/8.11.6) with ESMTP id "
                                                           "i7PK0sH7021929;\n" AR(
                                                               "example.com",
                                                               "auth=pass (cleartext) "
                                                               "smtp.auth=sender@example.com;\n"
                                                               "          spf=fail "
                                                               "smtp.mailfrom=example.com")
                                                               RFC_BORDER(
                                                                   "dialup-1-2-3-4.example.net")
                                                                   RFC_FROM(
                                                                       "sender@example.com"),
     ONE, "dkim", false},
    {"B.6 through a list: the first server's word about the list", "example.com",
     AR("example.com",
        "dkim=pass reason=\"good signature\" header.i=@mail-router.example.net;\n"
        "          dkim=fail reason=\"bad signature\" "
        "header.i=@newyork.example.com") "Received: from mail-router.example.net "
                                         "(mail-router.example.net [192.0.2.250]) by\n"
                                         "        chicago.example.com (8.11.6/8.11.6) for "
                                         "<recipient@chicago.example.com>;\n" AR(
                                             "example.net",
                                             "dkim=pass (good signature) "
                                             "header.i=@newyork.example.com")
                                             RFC_FROM("sender@newyork.example.com"),
     ONE, NULL, false},
    {"B.7 comments everywhere, which we do not follow", "foo.example.net",
     "Authentication-Results: foo.example.net (foobar) 1 (baz);\n"
     "    dkim (Because I like it) / 1 (One yay) = (wait for it) pass\n"
     "      policy (A dot can go here) . (like that) expired\n"
     "      (this surprised me) = (as I wasn't expecting it) 1362471462\n" RFC_BORDER("x.org")
         RFC_FROM("a@example.net"),
     ONE, NULL, false},

    /* providers */
    {"Gmail, two signatures", "mx.google.com", GMAIL GOOGLE_SAYS("pass") ANN, ONE, "dmarc",
     false},
    {"Gmail says no", "mx.google.com", GMAIL GOOGLE_SAYS("fail") ANN, ONE, NULL, false},
    {"Gmail, a forged one below", "mx.google.com",
     GMAIL GOOGLE_SAYS("fail") AR("mx.google.com", DMARC) ANN, ONE, NULL, false},
    {"Gmail, a forged one below, several", "mx.google.com",
     GMAIL GOOGLE_SAYS("fail") AR("mx.google.com", DMARC) ANN, SEVERAL, NULL, false},
    {"Fastmail, as its preset sets it", "*.messagingengine.com",
     FASTMAIL_TOP FASTMAIL_FIRST FASTMAIL_LAST("pass") FASTMAIL_BORDER ANN, SEVERAL, "dmarc",
     false},
    {"Fastmail without the setting", "*.messagingengine.com",
     FASTMAIL_TOP FASTMAIL_FIRST FASTMAIL_LAST("pass") FASTMAIL_BORDER ANN, ONE, NULL, true},
    {"Fastmail says no", "*.messagingengine.com",
     FASTMAIL_TOP FASTMAIL_FIRST FASTMAIL_LAST("fail") FASTMAIL_BORDER ANN, SEVERAL, NULL,
     false},
    {"Fastmail says no, a forged one below", "*.messagingengine.com",
     FASTMAIL_TOP FASTMAIL_FIRST FASTMAIL_LAST("fail") AR("mx9.messagingengine.com", DMARC)
         FASTMAIL_BORDER ANN,
     SEVERAL, NULL, false},
    {"Outlook", "outlook", OUTLOOK_TOP OUTLOOK_SAYS("pass") OUTLOOK_BORDER ANN, ONE, "dmarc",
     false},
    {"Outlook says no, a forged one below", "outlook",
     OUTLOOK_TOP OUTLOOK_SAYS("fail") OUTLOOK_SAYS("pass") OUTLOOK_BORDER ANN, ONE, NULL,
     false},
    {"Outlook can't be read, a forged one below", "outlook",
     OUTLOOK_TOP "Authentication-Results: spf=pass (open\n" OUTLOOK_SAYS("pass")
         OUTLOOK_BORDER ANN,
     ONE, NULL, false},
    {"rspamd", ME, OURS(DKIM "; " DMARC "; " SPF) BORDER ANN, ONE, "dmarc", false},

    /* two signatures */
    {"two signatures, the second is aligned", ME,
     OURS("dkim=pass header.d=list.example; " DKIM) BORDER ANN, ONE, "dkim", false},
    {"two signatures, the aligned one failed", ME,
     OURS("dkim=pass header.d=list.example; dkim=fail header.d=example.org") BORDER ANN, ONE,
     NULL, false},
    {"two signatures of one domain, one failed", ME,
     OURS("dkim=fail header.d=example.org; " DKIM) BORDER ANN, ONE, "dkim", false},
    {"signatures in two fields", ME,
     OURS("dkim=fail header.d=list.example") OURS(DKIM) BORDER ANN, ONE, NULL, false},
    {"signatures in two fields, several: a method is in one field only", ME,
     OURS("dkim=fail header.d=list.example") OURS(DKIM) BORDER ANN, SEVERAL, NULL, false},

    /* one milter for each method, as OpenDKIM and OpenDMARC */
    {"two milters, one id, DMARC above", ME, OURS(DMARC) OURS(DKIM) BORDER ANN, ONE, "dmarc",
     false},
    {"two milters, one id, DMARC below", ME, OURS("dkim=none") OURS(DMARC) BORDER ANN, ONE,
     NULL, true},
    {"two milters, one id, several", ME, OURS("dkim=none") OURS(DMARC) BORDER ANN, SEVERAL,
     "dmarc", false},
    {"two milters, below the border, several", ME, BORDER OURS("dkim=none") OURS(DMARC) ANN,
     SEVERAL, "dmarc", false},
    {"two milters, two ids", TWO, AR("OpenDMARC", DMARC) OURS(SPF_FAIL) BORDER ANN, ONE,
     "dmarc", false},
    {"two milters, two ids, the other order", TWO,
     OURS(SPF_FAIL) AR("OpenDMARC", DMARC) BORDER ANN, ONE, "dmarc", false},
    {"two milters, DMARC failed in the second field", ME,
     OURS(DKIM) OURS("dmarc=fail header.from=example.org") BORDER ANN, ONE, NULL, false},
    {"three milters, several", ME, OURS(SPF_FAIL) OURS("dkim=none") OURS(DMARC) BORDER ANN,
     SEVERAL, "dmarc", false},
    {"a milter of another id between, several", ME,
     OURS(SPF_FAIL) AR("other.example", "arc=none") OURS(DMARC) BORDER ANN, SEVERAL, "dmarc",
     false},

    /* a method that stands twice in one field */
    {"dmarc twice", ME, OURS(DMARC "; " DMARC) BORDER ANN, ONE, NULL, false},
    {"dmarc twice, dkim counts", ME, OURS(DMARC "; " DMARC "; " DKIM) BORDER ANN, ONE, "dkim",
     false},
    {"dmarc fails and passes", ME,
     OURS("dmarc=fail header.from=example.org; " DMARC) BORDER ANN, ONE, NULL, false},
    {"dmarc for another domain, and for ours", ME,
     OURS("dmarc=pass header.from=evil.example; " DMARC) BORDER ANN, ONE, NULL, false},
    {"spf twice", ME, OURS(SPF_FAIL "; " SPF) BORDER ANN, ONE, NULL, false},
    {"a login twice", ME,
     OURS("auth=pass smtp.auth=eve@me.example; auth=pass smtp.auth=ann@example.org") BORDER ANN,
     ONE, NULL, false},
    {"a result in a quoted sender", ME,
     OURS("spf=pass smtp.mailfrom=\"x; " DMARC "\"@evil.example") BORDER ANN, ONE, NULL, false},
    {"a result in a comment", ME, OURS("spf=fail (x; " DMARC ")") BORDER ANN, ONE, NULL, false},

    /* forged in every position; our server does not strip */
    {"forged right below ours: a method that ours does not name", ME,
     OURS(SPF_FAIL) OURS(DMARC) BORDER ANN, ONE, NULL, true},
    {"forged right below ours: dkim", ME, OURS(SPF_FAIL) OURS(DKIM) BORDER ANN, ONE, NULL,
     true},
    {"forged right below ours: a login", ME,
     OURS(SPF_FAIL) OURS("auth=pass smtp.auth=ann@example.org") BORDER ANN, ONE, NULL, true},
    {"forged right below ours, which names the method", ME,
     OURS("dmarc=none header.from=example.org; dkim=none; " SPF_FAIL) OURS(DMARC) BORDER ANN,
     ONE, NULL, false},
    {"forged right below ours, several: ours names the method", ME,
     OURS("dmarc=none header.from=example.org; dkim=none; " SPF_FAIL) OURS(DMARC) BORDER ANN,
     SEVERAL, NULL, false},
    {"forged right below ours, which says none", ME, OURS("none") OURS(DMARC) BORDER ANN, ONE,
     NULL, true},
    {"forged below ours, which stands below the border", ME,
     BORDER OURS(SPF_FAIL) OURS(DMARC) ANN, ONE, NULL, true},
    {"forged above the border, ours right below it", ME,
     BORDER OURS("dmarc=fail header.from=example.org") "Received: from x by evil.example; "
                                                       "x\n" OURS(DMARC) ANN,
     ONE, NULL, false},
    {"forged behind another header", ME, OURS(SPF_FAIL) "X-Spam: no\n" OURS(DMARC) BORDER ANN,
     ONE, NULL, false},
    {"forged behind another header, several", ME,
     OURS(SPF_FAIL) "X-Spam: no\n" OURS(DMARC) BORDER ANN, SEVERAL, NULL, false},
    {"forged below the border, ours above", ME, OURS(SPF_FAIL) BORDER OURS(DMARC) ANN, SEVERAL,
     NULL, false},
    {"forged behind a field of another id", ME,
     OURS(SPF_FAIL) AR("evil.example", "x=pass") OURS(DMARC) BORDER ANN, ONE, NULL, true},
    {"forged under another name of the same wildcard", "*.me.example",
     AR("mx1.me.example", SPF_FAIL) AR("mx2.me.example", DMARC) BORDER ANN, ONE, NULL, true},
    {"forged under a name of the wildcard, ours has a line of its own",
     "mx1.me.example *.me.example",
     AR("mx1.me.example", SPF_FAIL) AR("mx2.me.example", DMARC) BORDER ANN, ONE, NULL, true},
    {"ours can't be read: junk", ME, OURS("spf=fail junk") OURS(DMARC) BORDER ANN, ONE, NULL,
     false},
    {"ours can't be read, several", ME, OURS("spf=fail junk") OURS(DMARC) BORDER ANN, SEVERAL,
     NULL, false},
    {"ours can't be read: a comment without an end", ME,
     OURS("spf=fail (x") OURS(DMARC) BORDER ANN, ONE, NULL, false},
    {"ours can't be read: another version", ME,
     AR("mail.me.example 2", SPF_FAIL) OURS(DMARC) BORDER ANN, ONE, NULL, false},
    {"ours can't be read: 110 signatures", ME,
     OURS(TEN(TEN(SIGNATURE)) TEN(SIGNATURE) " " SPF_FAIL) OURS(DMARC) BORDER ANN, ONE, NULL,
     false},
    {"ours can't be read, and above it one that can, several", ME,
     OURS(DMARC) OURS("spf=fail junk") BORDER ANN, SEVERAL, "dmarc", false},
    {"in capitals above ours: not ours", ME,
     AR("MAIL.me.example", DMARC) OURS(SPF_FAIL) BORDER ANN, ONE, NULL, false},
};
G_STATIC_ASSERT(G_N_ELEMENTS(cases) >= 60);

static void
test_fields(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) ids = g_strsplit(cases[i].ids, " ", -1);
        const AuthTrust trust = {(const char *const *)ids, AUTH_DMARC,
                                 cases[i].fields == SEVERAL};
        g_autoptr(Message) m =
            message_parse(cases[i].raw, strlen(cases[i].raw), MESSAGE_HEADERS, NULL);
        g_auto(AuthVerdict) verdict = {0};

        auth_judge(m, &trust, &verdict);
        g_test_message("%s: %s", cases[i].name, verdict.why);
        g_assert_cmpstr(verdict.method, ==, cases[i].want);
        g_assert_cmpint(verdict.pass, ==, cases[i].want != NULL);
        g_assert_cmpint(verdict.several, ==, cases[i].want_hint);
        g_assert_cmpint(strstr(verdict.why, "authserv-fields") != NULL, ==, cases[i].want_hint);
    }
}

/* A hundred results are read; one more is too many, and then none is. */
static void
test_many_results(void)
{
    for (unsigned n = 99; n <= 101; n++) {
        g_autoptr(GString) value = g_string_new("mail.me.example");
        for (unsigned i = 0; i < n; i++)
            g_string_append(value, "; dkim=pass header.d=x.example");
        g_autoptr(AuthResults) all = auth_results_parse(value->str);
        g_assert_cmpint(all->bad, ==, n > 100);
        g_assert_cmpuint(all->list->len, ==, n > 100 ? 0 : n);
    }
}

/* The trial of `setup`: a field that a server which strips would take out. */
static void
test_forge(void)
{
    static const struct {
        const char *id, *word, *in, *want;
        bool want_there;
    } trials[] = {
        {"mail.me.example", "t1", "t1", "mail.me.example; dmarc=none header.from=t1.invalid",
         true},
        {"outlook", "t2", "t2", "dmarc=none header.from=t2.invalid", true},
        {"mail.me.example", "t3", "t4", "mail.me.example; dmarc=none header.from=t3.invalid",
         false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(trials); i++) {
        g_autofree char *field = auth_forge(trials[i].id, trials[i].word);
        g_autofree char *kept = auth_forge(trials[i].id, trials[i].in);
        g_autofree char *raw = g_strdup_printf("Authentication-Results: %s\n" BORDER ANN, kept);
        g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_HEADERS, NULL);
        g_assert_cmpstr(field, ==, trials[i].want);
        g_assert_cmpint(auth_has_forged(m, trials[i].word), ==, trials[i].want_there);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/auth/fields/many-results", test_many_results);
    g_test_add_func("/mail/auth/one-field-speaks", test_fields);
    g_test_add_func("/mail/auth/forge", test_forge);
    return g_test_run();
}
