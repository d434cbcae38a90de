#include "mail/origin.h"

static const Key key = {.n = 1, .v = {{1, 2, 3}}};

static const char mail[] = "Message-ID: <1@x>\nFrom: Ann <ann@x.example>\nTo: envoy@x.example\n"
                           "Subject: hello\nX-Event-Type: task\nDate: today\n\nThe body.\n";

/* As it would lie in the mailbox: the line for level and mailbox, and the mail. */
static char *
file_with_line(const char *raw, Trust level, const char *mailbox)
{
    g_autofree char *line = origin_line(&key, raw, strlen(raw), &(OriginClaim){level, level, NULL}, mailbox);

    return g_strconcat(line, raw, NULL);
}

static OriginSeen
seen(const Key *k, const char *file, const char *mailbox, Trust *ret_level)
{
    g_autoptr(Message) m = message_parse(file, strlen(file), MESSAGE_TEXT, NULL);

    g_auto(OriginClaim) claim = {*ret_level, TRUST_ANYONE, NULL};
    OriginSeen seen = origin_check(k, m, mailbox, &claim);

    *ret_level = claim.level;
    return seen;
}

static void
test_proved(void)
{
    static const struct {
        const char *row, *raw;
    } cases[] = {
        {"plain", mail},
        {"CRLF", "From: a@x\r\nX-A: 1\r\n\r\nbody\r\nmore\r\n"},
        {"CR", "From: a@x\rX-A: 1\r\rbody\rmore\r"},
        {"headers only", "From: a@x\n"},
        {"no body", "From: a@x\n\n"},
        {"mbox line", "From a@x Mon\nFrom: a@x\n\nbody"},
        {"BOM", "\xEF\xBB\xBF"
                "From: a@x\n\nbody"},
        {"raw Latin-1", "From: a@x\nSubject: Gr\xFC\n\nb\xFC"},
        {"folded", "From: a@x\nSubject: one\n two\n\tthree\n\nbody"},
        {"no From", "Subject: x\n\nbody"},
        {"an older line below", "X-Postrider-Origin: v1 from=a@x level=operator to=x mac=00\n"
                                "From: a@x\n\nbody"},
        {"multipart",
         "From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *file = file_with_line(cases[i].raw, TRUST_PRINCIPAL, "envoy");
        Trust level = TRUST_ANYONE;
        g_test_message("%s", cases[i].row);
        g_assert_cmpint(seen(&key, file, "envoy", &level), ==, ORIGIN_PROVED);
        g_assert_cmpint(level, ==, TRUST_PRINCIPAL);
    }
}

static void
test_line(void)
{
    g_autofree char *line =
        origin_line(&key, mail, strlen(mail), &(OriginClaim){TRUST_ROLE, TRUST_OPERATOR, NULL}, "envoy");
    g_autofree char *again =
        origin_line(&key, mail, strlen(mail), &(OriginClaim){TRUST_ROLE, TRUST_ROLE, NULL}, "envoy");

    g_assert_true(g_str_has_prefix(
        line, "X-Postrider-Origin: v1 from=ann@x.example level=role to=envoy mac="));
    g_assert_true(g_str_has_suffix(line, "\n"));
    g_assert_cmpuint(strcspn(line, "\n"), ==, strlen(line) - 1);
    g_assert_cmpstr(line, ==, again);
}

/* What the writer had read goes along, and can't be taken off. */
static void
test_floor(void)
{
    static const struct {
        const char *row;
        Trust level, floor;
        const char *find, *put;
        OriginSeen want;
        Trust want_floor;
        char *space;
    } cases[] = {
        {"no lower", TRUST_ROLE, TRUST_ROLE, "", "", ORIGIN_PROVED, TRUST_ROLE},
        {"above the level", TRUST_ROLE, TRUST_PRINCIPAL, "", "", ORIGIN_PROVED, TRUST_ROLE},
        {"below", TRUST_ROLE, TRUST_ANYONE, "", "", ORIGIN_PROVED, TRUST_ANYONE},
        {"known", TRUST_PRINCIPAL, TRUST_KNOWN, "", "", ORIGIN_PROVED, TRUST_KNOWN},
        {"taken off", TRUST_ROLE, TRUST_ANYONE, " floor=anyone", "", ORIGIN_FORGED, 0},
        {"raised", TRUST_ROLE, TRUST_ANYONE, "floor=anyone", "floor=role", ORIGIN_FORGED, 0},
        {"unknown", TRUST_ROLE, TRUST_ANYONE, "floor=anyone", "floor=king", ORIGIN_FORGED, 0},
        {"put in", TRUST_ROLE, TRUST_ROLE, "=role", "=role floor=known", ORIGIN_FORGED, 0},
        {"twice", TRUST_ROLE, TRUST_ANYONE, " to=", " floor=role to=", ORIGIN_FORGED, 0},
        {"space", TRUST_ROLE, TRUST_ROLE, "", "", ORIGIN_PROVED, TRUST_ROLE, (char *)"team"},
        {"space and floor", TRUST_ROLE, TRUST_ANYONE, "", "", ORIGIN_PROVED, TRUST_ANYONE, (char *)"a.b-c"},
        {"space taken off", TRUST_ROLE, TRUST_ROLE, " space=team", "", ORIGIN_FORGED, 0, (char *)"team"},
        {"space changed", TRUST_ROLE, TRUST_ROLE, "space=team", "space=tea", ORIGIN_FORGED, 0, (char *)"team"},
        {"space put in", TRUST_ROLE, TRUST_ROLE, "=role", "=role space=team", ORIGIN_FORGED, 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *line =
            origin_line(&key, mail, strlen(mail),
                        &(OriginClaim){cases[i].level, cases[i].floor, cases[i].space}, "envoy");
        g_autofree char *file = g_strconcat(line, mail, NULL);
        const char *at = strstr(file, cases[i].find);
        g_auto(OriginClaim) claim = {0};
        g_test_message("%s", cases[i].row);
        g_assert_nonnull(at);
        g_autofree char *changed = g_strdup_printf("%.*s%s%s", (int)(at - file), file,
                                                   cases[i].put, at + strlen(cases[i].find));
        g_autoptr(Message) m = message_parse(changed, strlen(changed), MESSAGE_TEXT, NULL);
        g_assert_cmpint(origin_check(&key, m, "envoy", &claim), ==, cases[i].want);
        g_assert_cmpint(claim.floor, ==, cases[i].want_floor);
        g_assert_cmpstr(claim.space, ==, cases[i].want == ORIGIN_PROVED ? cases[i].space : NULL);
        if (cases[i].want == ORIGIN_PROVED)
            g_assert_cmpint(claim.level, ==, cases[i].level);
    }
}

/* Every change to what is covered, and the things that are not. */
static void
test_changed(void)
{
    static const struct {
        const char *row, *find, *put;
        OriginSeen want;
    } cases[] = {
        {"body", "The body", "the body", ORIGIN_FORGED},
        {"level", "level=known", "level=operator", ORIGIN_FORGED},
        {"unknown level", "level=known", "level=king", ORIGIN_FORGED},
        {"mailbox in the line", "to=envoy", "to=other", ORIGIN_FORGED},
        {"sender in the line", "from=ann", "from=bob", ORIGIN_FORGED},
        {"version", "v1 ", "v2 ", ORIGIN_FORGED},
        {"mac", "mac=", "mac=0", ORIGIN_FORGED},
        {"no mac", " mac=", " cam=", ORIGIN_FORGED},
        {"From", "Ann <ann", "Ann <bob", ORIGIN_FORGED},
        {"To", "To: envoy", "To: other", ORIGIN_FORGED},
        {"Message-ID", "<1@x>", "<2@x>", ORIGIN_FORGED},
        {"Subject", "hello", "hallo", ORIGIN_FORGED},
        {"X- header", "task", "approval", ORIGIN_FORGED},
        {"X- header more", "Date:", "X-New: 1\nDate:", ORIGIN_FORGED},
        {"X- header less", "X-Event", "Y-Event", ORIGIN_FORGED},
        {"Cc more", "Date:", "Cc: evil@x\nDate:", ORIGIN_FORGED},
        {"second From", "Date:", "From: evil@x\nDate:", ORIGIN_FORGED},
        {"line gone", "X-Postrider-Origin", "Y-Postrider-Origin", ORIGIN_NONE},
        {"Date is free", "today", "tomorrow", ORIGIN_PROVED},
        {"a mail program's own header", "Date:", "Status: RO\nDate:", ORIGIN_PROVED},
    };
    g_autofree char *file = file_with_line(mail, TRUST_KNOWN, "envoy");

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *at = strstr(file, cases[i].find);
        g_test_message("%s", cases[i].row);
        g_assert_nonnull(at);
        g_autofree char *changed = g_strdup_printf("%.*s%s%s", (int)(at - file), file,
                                                   cases[i].put, at + strlen(cases[i].find));
        Trust level = TRUST_ANYONE;
        g_assert_cmpint(seen(&key, changed, "envoy", &level), ==, cases[i].want);
    }
}

/* A copy into another mailbox proves nothing; line ends of a wire do no harm. */
static void
test_moved(void)
{
    g_autofree char *file = file_with_line(mail, TRUST_OPERATOR, "envoy");
    g_auto(GStrv) lines = g_strsplit(file, "\n", -1);
    g_autofree char *crlf = g_strjoinv("\r\n", lines);
    const Key other = {.n = 1, .v = {{9}}};
    Key rolled = {.n = 2, .v = {{9}}};
    Trust level = TRUST_ANYONE;

    memcpy(rolled.v[1], key.v[0], KEY_SIZE);
    g_assert_cmpint(seen(&key, file, "other", &level), ==, ORIGIN_FORGED);
    g_assert_cmpint(seen(&other, file, "envoy", &level), ==, ORIGIN_FORGED);
    g_assert_cmpint(level, ==, TRUST_ANYONE);
    g_assert_cmpint(seen(&key, crlf, "envoy", &level), ==, ORIGIN_PROVED);
    g_assert_cmpint(seen(&rolled, file, "envoy", &level), ==, ORIGIN_PROVED);
    g_assert_cmpint(level, ==, TRUST_OPERATOR);
    g_assert_cmpint(seen(&key, mail, "envoy", &level), ==, ORIGIN_NONE);
}

static void
test_trust(void)
{
    Trust t;

    for (unsigned i = 0; i < TRUST_N; i++) {
        g_assert_true(trust_parse(trust_name((Trust)i), &t));
        g_assert_cmpuint(t, ==, i);
    }
    g_assert_false(trust_parse("king", &t));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/origin/proved", test_proved);
    g_test_add_func("/origin/line", test_line);
    g_test_add_func("/origin/floor", test_floor);
    g_test_add_func("/origin/changed", test_changed);
    g_test_add_func("/origin/moved", test_moved);
    g_test_add_func("/origin/trust", test_trust);
    return g_test_run();
}
