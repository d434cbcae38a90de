/* The SMTP client against a peer that misbehaves by script. The peer's log is the witness. */
#include "wire/smtp.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/proc.h"
#include "gate.h"
#include "smtppeer.h"

#define PLAIN_OFFER "S 250-peer\r\n250-8BITMIME\r\n250 SIZE 100000\r\n"
#define FULL_OFFER                                                                             \
    "S 250-peer\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-DSN\r\n250 SIZE 100000\r\n"
#define MAIL_OK "C MAIL FROM:<role@me.example>", "S 250 2.1.0 ok\r\n"
#define RCPT_OK(who) "C RCPT TO:<" who "@you.example>", "S 250 2.1.5 ok\r\n"
#define RCPTS_OK RCPT_OK("ann"), RCPT_OK("bob"), RCPT_OK("cid")
#define DATA_OK "C DATA", "S 354 go\r\n"

static const char mail_text[] = "From: role@me.example\nSubject: x\n\nHello\n.dot\n.\n";
static const char mail_wire[] =
    "From: role@me.example\r\nSubject: x\r\n\r\nHello\r\n..dot\r\n..\r\n.\r\n";
static const char *const three[] = {"ann@you.example", "bob@you.example", "cid@you.example"};

static Smtp *
open_at(const SmtpPlace *place)
{
    g_autoptr(GError) error = NULL;
    Smtp *smtp = NULL;

    smtp_open(place, &smtp, &error);
    g_assert_no_error(error);
    return smtp;
}

static SmtpMail
mail_to_three(GBytes *bytes, Gate *gate)
{
    return (SmtpMail){.from = "role@me.example",
                      .to = three,
                      .n_to = 3,
                      .bytes = bytes,
                      .last_byte = pass_gate,
                      .user = gate};
}

/* ---- one mail, every way in which it can go ---- */

/* clang-format off */
static const struct {
    const char *name;
    const char *script[40];
    SmtpEnd want[3];
    int want_code[3];
    const char *want_text[3]; /* a piece of it; NULL: not looked at */
    bool want_asked;          /* the last byte was asked for */
    bool want_open;           /* the connection can be used again */
} sends[] = {
    {"taken",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, DATA_OK, "D", "S 250 2.0.0 queued as 4F2\r\n",
      QUIT},
     {SMTP_SENT, SMTP_SENT, SMTP_SENT}, {250, 250, 250}, {"250 2.0.0 queued as 4F2"}, true,
     true},
    {"replies of many lines, byte by byte",
     {OPEN("P 250-peer\r\n250-8BITMIME\r\n250 SIZE 0\r\n"), "C MAIL",
      "P 250-2.1.0 a\r\n250 b\r\n", RCPTS_OK, "C DATA", "P 354-go\r\n354 on\r\n", "D",
      "P 250-2.0.0 as\r\n250-2.0.0 you\r\n"
      "250 2.0.0 like\r\n",
      QUIT},
     {SMTP_SENT, SMTP_SENT, SMTP_SENT}, {250, 250, 250}, {"250 2.0.0 as you like"}, true, true},
    {"4xx at MAIL",
     {OPEN(PLAIN_OFFER), "C MAIL", "S 451 4.3.0 try later\r\n", "C RSET", "S 250 ok\r\n", QUIT},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {451, 451, 451}, {"451 4.3.0 try later"}, false,
     true},
    {"5xx at MAIL",
     {OPEN(PLAIN_OFFER), "C MAIL", "S 550 5.1.8 not you\r\n", "C RSET", "S 250 ok\r\n", QUIT},
     {SMTP_NEVER, SMTP_NEVER, SMTP_NEVER}, {550, 550, 550}, {"550 5.1.8 not you"}, false, true},
    {"530 at MAIL speaks of our login, not of the mail",
     {OPEN(PLAIN_OFFER), "C MAIL", "S 530 5.7.0 Authentication required\r\n", "C RSET",
      "S 250 ok\r\n", QUIT},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {530, 530, 530}, {"530 5.7.0 Auth"}, false, true},
    {"the quota of the day",
     {OPEN(PLAIN_OFFER), "C MAIL", "S 550 5.4.5 Daily user sending limit exceeded.\r\n",
      "C RSET", "S 250 ok\r\n", QUIT},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {550, 550, 550}, {"550 5.4.5"}, false, true},
    {"250/450/550 of three recipients",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPT_OK("ann"), "C RCPT TO:<bob",
      "S 450 4.2.1 greylisted\r\n", "C RCPT TO:<cid", "S 550 5.1.1 No such user\r\n", DATA_OK,
      "D", "S 250 fine\r\n", QUIT},
     {SMTP_SENT, SMTP_RETRY, SMTP_NEVER}, {250, 450, 550},
     {"250 fine", "450 4.2.1 greylisted", "550 5.1.1 No such user"}, true, true},
    {"every recipient refused",
     {OPEN(PLAIN_OFFER), MAIL_OK, "C RCPT", "S 550 no\r\n", "C RCPT", "S 451 no\r\n", "C RCPT",
      "S 552 too many\r\n", "C RSET", "S 250 ok\r\n", QUIT},
     {SMTP_NEVER, SMTP_RETRY, SMTP_RETRY}, {550, 451, 552}, {0}, false, true},
    {"4xx at DATA",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, "C DATA", "S 451 no room\r\n", "C RSET",
      "S 250 ok\r\n", QUIT},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {451, 451, 451}, {0}, false, true},
    {"5xx at DATA",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, "C DATA", "S 554 no\r\n", "C RSET", "S 250 ok\r\n",
      QUIT},
     {SMTP_NEVER, SMTP_NEVER, SMTP_NEVER}, {554, 554, 554}, {0}, false, true},
    {"250 at DATA is not a go",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, "C DATA", "S 250 what\r\n", "C RSET",
      "S 250 ok\r\n", QUIT},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {250, 250, 250}, {0}, false, true},
    {"4xx at the dot",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, DATA_OK, "D", "S 452 4.3.1 disk full\r\n", QUIT},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {452, 452, 452}, {"452 4.3.1 disk full"}, true,
     true},
    {"5xx at the dot",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, DATA_OK, "D", "S 550 5.7.1 spam\r\n", QUIT},
     {SMTP_NEVER, SMTP_NEVER, SMTP_NEVER}, {550, 550, 550}, {"550 5.7.1 spam"}, true, true},
    {"421 at MAIL",
     {OPEN(PLAIN_OFFER), "C MAIL", "S 421 4.3.2 going down\r\n", "X"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {421, 421, 421}, {0}, false, false},
    {"421 at the second RCPT takes the first back",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPT_OK("ann"), "C RCPT", "S 421 down\r\n", "X"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {421, 421, 421}, {0}, false, false},
    {"a refused recipient stays refused when the connection goes",
     {OPEN(PLAIN_OFFER), MAIL_OK, "C RCPT", "S 550 5.1.1 no\r\n", RCPT_OK("bob"), "C RCPT",
      "X"},
     {SMTP_NEVER, SMTP_RETRY, SMTP_RETRY}, {550, 0, 0},
     {0, "at RCPT: the server closed", "at RCPT: the server closed"}, false, false},
    {"421 at DATA",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, "C DATA", "S 421 down\r\n", "X"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {421, 421, 421}, {0}, false, false},
    {"421 at the dot is an answer",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, DATA_OK, "D", "S 421 4.3.2 down\r\n", "X"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {421, 421, 421}, {0}, true, false},
    {"closed at MAIL",
     {OPEN(PLAIN_OFFER), "C MAIL", "X"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {0}, {"at MAIL: the server closed the connection"},
     false, false},
    {"reset at DATA",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, "C DATA", "R"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {0}, {"at DATA: the connection was lost"}, false,
     false},
    {"the 250 is lost",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, DATA_OK, "D", "X"},
     {SMTP_DOUBT, SMTP_DOUBT, SMTP_DOUBT}, {0},
     {"no answer to the whole mail: the server closed"}, true, false},
    {"reset after the dot",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, DATA_OK, "D", "R"},
     {SMTP_DOUBT, SMTP_DOUBT, SMTP_DOUBT}, {0},
     {"no answer to the whole mail: the connection was lost"}, true, false},
    {"half a 250",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, DATA_OK, "D", "S 250-2.0", "X"},
     {SMTP_DOUBT, SMTP_DOUBT, SMTP_DOUBT}, {0}, {0}, true, false},
    {"one is refused, the others are in doubt",
     {OPEN(PLAIN_OFFER), MAIL_OK, "C RCPT", "S 550 5.1.1 no\r\n", RCPT_OK("bob"),
      RCPT_OK("cid"), DATA_OK, "D", "X"},
     {SMTP_NEVER, SMTP_DOUBT, SMTP_DOUBT}, {550}, {0}, true, false},
    {"garbage at the dot",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, DATA_OK, "D", "S 25 ok\r\n", "W"},
     {SMTP_DOUBT, SMTP_DOUBT, SMTP_DOUBT}, {0}, {0}, true, false},
    {"354 at the dot",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, DATA_OK, "D", "S 354 more\r\n", "W"},
     {SMTP_DOUBT, SMTP_DOUBT, SMTP_DOUBT}, {354, 354, 354}, {0}, true, false},
    {"garbage at MAIL",
     {OPEN(PLAIN_OFFER), "C MAIL", "S hello\r\n", "W"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {0}, {"at MAIL: what the server said is no reply"},
     false, false},
    {"two codes",
     {OPEN(PLAIN_OFFER), "C MAIL", "S 250-a\r\n550 b\r\n", "W"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {0}, {"at MAIL: the server's reply has two codes"},
     false, false},
    {"a reply without end",
     {OPEN(PLAIN_OFFER), "C MAIL", "F"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {0}, {"at MAIL: the server's reply is larger"},
     false, false},
    {"lines without end",
     {OPEN(PLAIN_OFFER), "C MAIL", "M 100000", "W"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {0}, {"at MAIL: the server's reply is larger"},
     false, false},
    {"a thousand lines",
     {OPEN(PLAIN_OFFER), "C MAIL", "M 1000", "S 250 end\r\n", RCPTS_OK, DATA_OK, "D",
      "S 250 ok\r\n", QUIT},
     {SMTP_SENT, SMTP_SENT, SMTP_SENT}, {250, 250, 250}, {0}, true, true},
    {"two replies to one command",
     {OPEN(PLAIN_OFFER), "C MAIL", "S 250 ok\r\n250 ok\r\n", "W"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {0},
     {"at RCPT: the server said more than it was asked"}, false, false},
    {"refused before the mail has ended",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, "C DATA", "S 354 go\r\n552 5.3.4 too large\r\n",
      "W"},
     {SMTP_NEVER, SMTP_NEVER, SMTP_NEVER}, {552, 552, 552}, {"552 5.3.4 too large"}, false,
     false},
    {"250 before the mail has ended proves nothing, so nothing is sent",
     {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK, "C DATA", "S 354 go\r\n250 ok\r\n", "W"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {0}, {"the server answered before"}, false, false},
    {"RSET refused",
     {OPEN(PLAIN_OFFER), "C MAIL", "S 451 no\r\n", "C RSET", "S 500 what\r\n", "W"},
     {SMTP_RETRY, SMTP_RETRY, SMTP_RETRY}, {451, 451, 451}, {0}, false, false},
};
/* clang-format on */

static void
test_sends(void)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(mail_text, sizeof mail_text - 1);

    for (size_t i = 0; i < G_N_ELEMENTS(sends); i++) {
        Gate gate = {0};
        SmtpMail mail = mail_to_three(bytes, &gate);
        SmtpResult results[3] = {0};
        Peer *peer = peer_start(sends[i].script, NULL);
        SmtpPlace place = place_at(peer);
        Smtp *smtp = open_at(&place);

        smtp_send(smtp, &mail, results);
        for (size_t k = 0; k < 3; k++) {
            g_test_message("%s: %d %d %s", sends[i].name, results[k].end, results[k].code,
                           results[k].text);
            g_assert_cmpint(results[k].end, ==, sends[i].want[k]);
            g_assert_cmpint(results[k].code, ==, sends[i].want_code[k]);
            g_assert_nonnull(results[k].text);
            if (sends[i].want_text[k])
                g_assert_nonnull(strstr(results[k].text, sends[i].want_text[k]));
        }
        g_assert_cmpuint(gate.asked, ==, sends[i].want_asked);
        g_assert_cmpint(smtp_is_open(smtp), ==, sends[i].want_open);
        smtp_close(smtp);
        smtp_results_clear(results, 3);
        g_autofree char *log = peer_end(peer);
        g_assert_null(strstr(log, "!!"));
        /* What the peer got with its dot is the mail; without our word it never got a dot. */
        g_assert_cmpint(strstr(log, mail_wire) != NULL, ==, sends[i].want_asked);
        g_assert_cmpint(strstr(log, "\r\n.\r\n") != NULL, ==, sends[i].want_asked);
    }
}

/* ---- the last byte ---- */

static const char *const whole_dialog[] = {OPEN(PLAIN_OFFER), MAIL_OK, RCPTS_OK,
                                           DATA_OK,           "W",     NULL};

/* The store could not commit "sending": the peer sees a mail without an end. */
static void
test_gate_closed(void)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(mail_text, sizeof mail_text - 1);
    Gate gate = {.closed = true};
    SmtpMail mail = mail_to_three(bytes, &gate);
    SmtpResult results[3] = {0};
    Peer *peer = peer_start(whole_dialog, NULL);
    SmtpPlace place = place_at(peer);

    place.last_us = USEC_PER_SEC; /* for a client that sends it all the same */
    Smtp *smtp = open_at(&place);

    smtp_send(smtp, &mail, results);
    g_assert_cmpuint(gate.asked, ==, 1);
    for (size_t k = 0; k < 3; k++) {
        g_assert_cmpint(results[k].end, ==, SMTP_RETRY);
        g_assert_cmpstr(results[k].text, ==, "the store is full");
    }
    g_assert_false(smtp_is_open(smtp));
    smtp_close(smtp);
    smtp_results_clear(results, 3);
    g_autofree char *log = peer_end(peer);
    g_assert_true(g_str_has_suffix(log, "\r\nHello\r\n..dot\r\n.."));
}

/* No answer within the time; one byte after the other does not help. */
static void
test_no_answer(void)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static("S: x\n\nx\n", 8);
    Gate gate = {0};
    SmtpMail mail = mail_to_three(bytes, &gate);
    SmtpResult results[3] = {0};
    Peer *peer = peer_start(whole_dialog, NULL);
    SmtpPlace place = place_at(peer);

    place.last_us = 200 * USEC_PER_MSEC;
    Smtp *smtp = open_at(&place);
    smtp_send(smtp, &mail, results);
    g_assert_cmpint(results[0].end, ==, SMTP_DOUBT);
    g_assert_nonnull(strstr(results[0].text, "did not answer in time"));
    smtp_close(smtp);
    smtp_results_clear(results, 3);
    g_free(peer_end(peer));
}

/* An empty mail is one dot; a large one arrives whole. */
static void
test_sizes(void)
{
    static const char *const script[] = {OPEN(NO_OFFER),
                                         MAIL_OK,
                                         RCPT_OK("ann"),
                                         DATA_OK,
                                         "N 3",
                                         "S 250 ok\r\n",
                                         MAIL_OK,
                                         RCPT_OK("ann"),
                                         DATA_OK,
                                         "D",
                                         "S 250 ok\r\n",
                                         QUIT,
                                         NULL};
    g_autoptr(GString) large = g_string_new("S: x\n\n");
    Gate gate = {0};
    SmtpResult result = {0};
    Peer *peer = peer_start(script, NULL);
    SmtpPlace place = place_at(peer);
    Smtp *smtp = open_at(&place);

    while (large->len < 1000000)
        g_string_append(large, ".0123456789abcdef\n");
    g_autoptr(GBytes) empty = g_bytes_new_static("", 0);
    g_autoptr(GBytes) bytes = g_bytes_new(large->str, large->len);
    SmtpMail mail = mail_to_three(empty, &gate);
    mail.n_to = 1;
    smtp_send(smtp, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_SENT);
    smtp_results_clear(&result, 1);
    mail.bytes = bytes;
    smtp_send(smtp, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_SENT);
    smtp_results_clear(&result, 1);
    smtp_close(smtp);
    g_autofree char *log = peer_end(peer);
    g_assert_null(strstr(log, "!!"));
    g_assert_nonnull(strstr(log, "DATA\r\n.\r\nMAIL"));
    g_assert_cmpuint(strlen(log), >, 1000000 / 18 * 20);
}

/* ---- what is offered ---- */

#define EIGHT "S: x\n\ncaf\xc3\xa9\n"
#define UTF8_HEAD "S: caf\xc3\xa9\n\nx\n"
static const char *const one[] = {"ann@you.example", NULL};
static const char *const foreign[] = {"юзер@you.example", NULL};
static const char *const foreign_domain[] = {"ann@пример.рф", NULL};
static const char *const injecting[] = {"a@b>\r\nRCPT TO:<evil@x", NULL};

static const struct {
    const char *name;
    const char *offer; /* of the EHLO */
    const char *mail, *from;
    const char *const *to;
    const char *envid;
    SmtpEnd want;
    const char *want_text;             /* a piece of it */
    const char *want_mail, *want_rcpt; /* as the peer got them; NULL: nothing was said */
} offers[] = {
    {"nothing is offered and nothing is used", NO_OFFER, "S: x\n\nx\n", "r@me.example", one,
     "7", SMTP_SENT, "250", "MAIL FROM:<r@me.example>\r\n", "RCPT TO:<ann@you.example>\r\n"},
    {"DSN", FULL_OFFER, "S: x\n\nx\n", "b+1@me.example", one, "7+x", SMTP_SENT, "250",
     "MAIL FROM:<b+1@me.example> SIZE=11 RET=HDRS ENVID=7+2Bx\r\n",
     "RCPT TO:<ann@you.example> NOTIFY=FAILURE ORCPT=rfc822;ann@you.example\r\n"},
    {"no DSN asked for", FULL_OFFER, "S: x\n\nx\n", "", one, NULL, SMTP_SENT, "250",
     "MAIL FROM:<> SIZE=11\r\n", "RCPT TO:<ann@you.example>\r\n"},
    {"8BITMIME", PLAIN_OFFER, EIGHT, "r@me.example", one, NULL, SMTP_SENT, "250",
     "MAIL FROM:<r@me.example> SIZE=15 BODY=8BITMIME\r\n", "RCPT TO:<ann@you.example>\r\n"},
    {"no 8BITMIME", NO_OFFER, EIGHT, "r@me.example", one, NULL, SMTP_NEVER,
     "needs 8BITMIME", NULL, NULL},
    {"SMTPUTF8 for an address", FULL_OFFER, "S: x\n\nx\n", "r@me.example", foreign, "7",
     SMTP_SENT, "250", "MAIL FROM:<r@me.example> SIZE=11 SMTPUTF8 RET=HDRS ENVID=7\r\n",
     "RCPT TO:<юзер@you.example>\r\n"},
    {"no SMTPUTF8 for an address", PLAIN_OFFER, "S: x\n\nx\n", "r@me.example", foreign,
     NULL, SMTP_NEVER, "'юзер@you.example' needs SMTPUTF8", NULL, NULL},
    {"an A-label needs none", PLAIN_OFFER, "S: x\n\nx\n", "r@me.example", foreign_domain,
     NULL, SMTP_SENT, "250", "MAIL FROM:<r@me.example> SIZE=11\r\n",
     "RCPT TO:<ann@xn--e1afmkfd.xn--p1ai>\r\n"},
    {"SMTPUTF8 for a header", FULL_OFFER, UTF8_HEAD, "r@me.example", one, NULL, SMTP_SENT,
     "250", "MAIL FROM:<r@me.example> SIZE=15 BODY=8BITMIME SMTPUTF8\r\n",
     "RCPT TO:<ann@you.example>\r\n"},
    {"no SMTPUTF8 for a header", PLAIN_OFFER, UTF8_HEAD, "r@me.example", one, NULL, SMTP_NEVER,
     "its header is not ASCII and needs SMTPUTF8", NULL, NULL},
    {"a sender needs SMTPUTF8", PLAIN_OFFER, "S: x\n\nx\n", "юзер@me.example", one, NULL,
     SMTP_NEVER, "needs SMTPUTF8", NULL, NULL},
    {"SIZE", "S 250-peer\r\n250 SIZE 10\r\n", "S: x\n\nx\n", "r@me.example", one, NULL,
     SMTP_NEVER, "the server takes 10", NULL, NULL},
    {"SIZE just so", "S 250-peer\r\n250 SIZE 11\r\n", "S: x\n\nx\n", "r@me.example", one, NULL,
     SMTP_SENT, "250", "MAIL FROM:<r@me.example> SIZE=11\r\n", "RCPT TO:<ann@you.example>\r\n"},
    {"SIZE 0 is no limit", "S 250-peer\r\n250 SIZE 0\r\n", "S: x\n\nx\n", "r@me.example", one,
     NULL, SMTP_SENT, "250", "MAIL FROM:<r@me.example> SIZE=11\r\n",
     "RCPT TO:<ann@you.example>\r\n"},
    {"a recipient with a command in it", FULL_OFFER, "S: x\n\nx\n", "r@me.example",
     injecting, NULL, SMTP_NEVER, "is no address that can be written to", NULL, NULL},
    {"a sender with a command in it", FULL_OFFER, "S: x\n\nx\n", "r@x>\r\nRSET", one, NULL,
     SMTP_NEVER, "is no address that can send", NULL, NULL},
};

static void
test_offers(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(offers); i++) {
        const char *said[] = {"S 220 peer\r\n",
                              "C EHLO",
                              offers[i].offer,
                              "C EHLO",
                              offers[i].offer,
                              "C MAIL",
                              "S 250 ok\r\n",
                              "C RCPT",
                              "S 250 ok\r\n",
                              DATA_OK,
                              "D",
                              "S 250 ok\r\n",
                              QUIT,
                              NULL};
        const char *silent[] = {
            "S 220 peer\r\n", "C EHLO", offers[i].offer, "C EHLO", offers[i].offer, QUIT, NULL};
        SmtpResult result = {0};
        Gate gate = {0};
        g_autoptr(GBytes) bytes = g_bytes_new(offers[i].mail, strlen(offers[i].mail));
        SmtpMail mail = {.from = offers[i].from,
                         .to = offers[i].to,
                         .n_to = 1,
                         .bytes = bytes,
                         .envid = offers[i].envid,
                         .last_byte = pass_gate,
                         .user = &gate};
        Peer *peer = peer_start(offers[i].want_mail ? said : silent, NULL);
        SmtpPlace place = place_at(peer);
        Smtp *smtp = open_at(&place);

        smtp_send(smtp, &mail, &result);
        smtp_close(smtp);
        g_autofree char *log = peer_end(peer);
        g_test_message("%s: %d %s", offers[i].name, result.end, result.text);
        g_assert_cmpint(result.end, ==, offers[i].want);
        g_assert_nonnull(strstr(result.text, offers[i].want_text));
        g_assert_null(strpbrk(result.text, "\r\n"));
        g_assert_null(strstr(log, "!!"));
        g_assert_cmpint(strstr(log, "MAIL") != NULL, ==, offers[i].want_mail != NULL);
        if (offers[i].want_mail)
            g_assert_nonnull(strstr(log, offers[i].want_mail));
        if (offers[i].want_rcpt)
            g_assert_nonnull(strstr(log, offers[i].want_rcpt));
        smtp_results_clear(&result, 1);
    }
}

/* ---- several mails ---- */

static void
test_several(void)
{
    static const char *const script[] = {OPEN(PLAIN_OFFER),
                                         MAIL_OK,
                                         RCPT_OK("ann"),
                                         DATA_OK,
                                         "D",
                                         "S 250 one\r\n",
                                         MAIL_OK,
                                         "C RCPT",
                                         "S 550 no\r\n",
                                         "C RSET",
                                         "S 250 ok\r\n",
                                         MAIL_OK,
                                         RCPT_OK("ann"),
                                         DATA_OK,
                                         "D",
                                         "S 250 three\r\n",
                                         "X",
                                         NULL};
    static const char *const want[] = {"250 one", "550 no", "250 three"};
    g_autoptr(GBytes) bytes = g_bytes_new_static(mail_text, sizeof mail_text - 1);
    Gate gate = {0};
    SmtpMail mail = mail_to_three(bytes, &gate);
    Peer *peer = peer_start(script, NULL);
    SmtpPlace place = place_at(peer);
    Smtp *smtp = open_at(&place);

    mail.n_to = 1;
    for (size_t i = 0; i < G_N_ELEMENTS(want); i++) {
        SmtpResult result = {0};
        g_assert_true(smtp_is_open(smtp));
        smtp_send(smtp, &mail, &result);
        g_assert_cmpstr(result.text, ==, want[i]);
        smtp_results_clear(&result, 1);
    }
    g_autofree char *log = peer_end(peer);
    g_assert_null(strstr(log, "!!"));
    /* It hung up while nothing was said: that is seen before the next mail. */
    g_assert_false(smtp_is_open(smtp));
    SmtpResult result = {0};
    smtp_send(smtp, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_RETRY);
    smtp_results_clear(&result, 1);
    g_assert_cmpuint(gate.asked, ==, 2);
    smtp_close(smtp);
}

/* ---- time ---- */

/* A peer that says nothing, or drips, has its time and no more. */
static void
test_silence(void)
{
    static const char *const silent[] = {"W", NULL};
    static const char *const silent_later[] = {OPEN(NO_OFFER), "C MAIL", "S 25", "W", NULL};
    g_autoptr(GBytes) bytes = g_bytes_new_static("S: x\n\nx\n", 8);
    g_autoptr(GError) error = NULL;
    Peer *peer = peer_start(silent, NULL);
    SmtpPlace place = place_at(peer);
    Smtp *smtp = NULL;

    place.wait_us = 200 * USEC_PER_MSEC;
    g_assert_false(smtp_open(&place, &smtp, &error));
    g_assert_true(err_is(error, ERR_LATER));
    g_free(peer_end(peer));

    peer = peer_start(silent_later, NULL);
    place = place_at(peer);
    smtp = open_at(&place);
    place.wait_us = 200 * USEC_PER_MSEC;
    Gate gate = {0};
    SmtpMail mail = mail_to_three(bytes, &gate);
    SmtpResult results[3] = {0};
    smtp_send(smtp, &mail, results);
    g_assert_cmpint(results[2].end, ==, SMTP_RETRY);
    g_assert_nonnull(strstr(results[2].text, "at MAIL: the server did not answer in time"));
    smtp_results_clear(results, 3);
    smtp_close(smtp);
    g_free(peer_end(peer));
}

/* A server that takes the mail in no more. */
static void
test_full_pipe(void)
{
    static const char *const script[] = {OPEN(NO_OFFER), MAIL_OK, RCPT_OK("ann"),
                                         DATA_OK,        "Z",     NULL};
    g_autofree char *line = g_strnfill(32 << 20, '\n');
    g_autoptr(GBytes) bytes = g_bytes_new_static(line, 32 << 20);
    Gate gate = {0};
    SmtpMail mail = mail_to_three(bytes, &gate);
    SmtpResult result = {0};
    Peer *peer = peer_start(script, NULL);
    SmtpPlace place = place_at(peer);
    Smtp *smtp = open_at(&place);

    place.wait_us = 2 * USEC_PER_SEC; /* for all that comes before, too */
    mail.n_to = 1;
    smtp_send(smtp, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_RETRY);
    g_assert_nonnull(
        strstr(result.text, "in the middle of the mail: the server did not answer"));
    g_assert_cmpuint(gate.asked, ==, 0);
    smtp_results_clear(&result, 1);
    smtp_close(smtp);
    g_free(peer_end(peer));
}

static bool stopping;

static bool
is_stopping(void)
{
    return stopping;
}

static bool
stop_at_gate(void *user, GError **error)
{
    stopping = true;
    return true;
}

/* Asked to stop: at once before the last byte; after it the answer is waited for, for a while. */
static void
test_stop(void)
{
    static const char *const silent[] = {OPEN(NO_OFFER), "W", NULL};
    static const char *const answers[] = {OPEN(NO_OFFER),
                                          MAIL_OK,
                                          RCPT_OK("ann"),
                                          DATA_OK,
                                          "D",
                                          "P 250 it is taken\r\n",
                                          "W",
                                          NULL};
    static const char *const begins[] = {
        OPEN(NO_OFFER), MAIL_OK, RCPT_OK("ann"), DATA_OK, "D", "P 250-it is", "W", NULL};
    g_autoptr(GBytes) bytes = g_bytes_new_static("S: x\n\nx\n", 8);
    SmtpResult result = {0};
    SmtpMail mail = {.from = "role@me.example", .to = one, .n_to = 1, .bytes = bytes};
    Peer *peer = peer_start(silent, NULL);
    SmtpPlace place = place_at(peer);

    place.stop = is_stopping;
    Smtp *smtp = open_at(&place);
    stopping = true;
    smtp_send(smtp, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_RETRY);
    g_assert_cmpstr(result.text, ==, "at MAIL: asked to stop");
    smtp_results_clear(&result, 1);
    smtp_close(smtp);
    g_free(peer_end(peer));

    stopping = false;
    peer = peer_start(answers, NULL);
    place.port = peer->port;
    smtp = open_at(&place);
    mail.last_byte = stop_at_gate;
    smtp_send(smtp, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_SENT);
    smtp_results_clear(&result, 1);
    smtp_close(smtp);
    g_free(peer_end(peer));

    stopping = false;
    peer = peer_start(begins, NULL);
    place.port = peer->port;
    place.stop_us = USEC_PER_MSEC;
    smtp = open_at(&place);
    smtp_send(smtp, &mail, &result);
    g_assert_cmpint(result.end, ==, SMTP_DOUBT);
    g_assert_cmpstr(result.text, ==, "no answer to the whole mail: asked to stop");
    smtp_results_clear(&result, 1);
    smtp_close(smtp);
    g_free(peer_end(peer));
    stopping = false;
}

/* Nobody there. */
static void
test_unreached(void)
{
    static const char *const nothing[] = {NULL};
    Peer *peer = peer_start(nothing, NULL);
    SmtpPlace place = place_at(peer);
    g_autoptr(GError) error = NULL;
    Smtp *smtp = NULL;

    g_free(peer_end(peer)); /* the port is free now */
    g_assert_false(smtp_open(&place, &smtp, &error));
    g_assert_true(err_is(error, ERR_LATER));
    g_clear_error(&error);
    place.host = "no such host";
    g_assert_false(smtp_open(&place, &smtp, &error));
    g_assert_true(err_is(error, ERR_CONFIG));
}

/* Without TLS a login goes to this machine alone; nobody is asked for these names. */
static void
test_plain_login(void)
{
    static const char *const hosts[] = {"mail.example.invalid", "192.0.2.1", "2001:db8::1",
                                        "127.0.0.1.example.invalid"};

    for (size_t i = 0; i < G_N_ELEMENTS(hosts); i++) {
        const SmtpPlace place = {
            .host = hosts[i], .tls = SMTP_TLS_NONE, .user = "anna", .password = "canary"};
        g_autoptr(GError) error = NULL;
        Smtp *smtp = NULL;

        g_assert_false(smtp_open(&place, &smtp, &error));
        g_assert_true(err_is(error, ERR_CONFIG));
        g_assert_nonnull(strstr(error->message, "without TLS"));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    proc_init();
    g_test_add_func("/wire/smtp/sends", test_sends);
    g_test_add_func("/wire/smtp/last-byte-refused", test_gate_closed);
    g_test_add_func("/wire/smtp/no-answer", test_no_answer);
    g_test_add_func("/wire/smtp/sizes", test_sizes);
    g_test_add_func("/wire/smtp/offers", test_offers);
    g_test_add_func("/wire/smtp/several", test_several);
    g_test_add_func("/wire/smtp/silence", test_silence);
    g_test_add_func("/wire/smtp/full-pipe", test_full_pipe);
    g_test_add_func("/wire/smtp/stop", test_stop);
    g_test_add_func("/wire/smtp/unreached", test_unreached);
    g_test_add_func("/wire/smtp/plain-login", test_plain_login);
    return g_test_run();
}
