/* Who is believed, and what becomes of their mail: the table is the policy. */
#include "engine/in/judge.h"
#include "../store/testhome.h"

typedef struct Case {
    const char *name;
    const char *headers; /* without From, To and Message-ID where those are given below */
    const char *from, *to, *cc;
    int level;            /* origin line of this level; -1: mail from outside */
    bool auth_none;       /* require-auth = none */
    const char *want_why; /* prefix; NULL: goes on */
    MsgState want_state;
    Trust want_trust;
    bool routed; /* a mail server's mailbox gave it to this role */
} Case;

#define ENVOY "envoy@example.org"
#define OWNER "ann@example.org"
/* As the server writes it that took the mail in. */
#define OURS(id, results)                                                                      \
    "Authentication-Results: " id "; " results                                                 \
    "\nReceived: from a by mx.example.net; Sun, 15 Nov 2026 09:30:00 +0000\n"

static const Case cases[] = {
    {"owner, minted here", "", OWNER, ENVOY, NULL, TRUST_PRINCIPAL, false, NULL, MSG_STORED,
     TRUST_PRINCIPAL},
    {"role, minted here", "Auto-Submitted: auto-replied\n", "scribe@example.org", ENVOY, NULL,
     TRUST_ROLE, false, NULL, MSG_STORED, TRUST_ROLE},
    {"operator needs no To", "", "x@y.org", "z@y.org", NULL, TRUST_OPERATOR, false, NULL,
     MSG_STORED, TRUST_OPERATOR},
    {"owner from outside, unproven", "", OWNER, ENVOY, NULL, -1, false, "unproven",
     MSG_HELD, TRUST_ANYONE},
    {"forged Authentication-Results", "Authentication-Results: x; dmarc=pass\n", OWNER,
     ENVOY, NULL, -1, false, "unproven", MSG_HELD, TRUST_ANYONE},
    {"proved by our server", OURS("mx.example.net", "dmarc=pass header.from=example.org"),
     OWNER, ENVOY, NULL, -1, false, NULL, MSG_STORED, TRUST_PRINCIPAL},
    {"proved by an aligned signature", OURS("mx.example.net", "dkim=pass header.d=example.org"),
     OWNER, ENVOY, NULL, -1, false, NULL, MSG_STORED, TRUST_PRINCIPAL},
    {"DMARC failed", OURS("mx.example.net", "dmarc=fail header.from=example.org"), OWNER,
     ENVOY, NULL, -1, false, "unproven", MSG_HELD, TRUST_ANYONE},
    {"another's signature", OURS("mx.example.net", "dkim=pass header.d=evil.org"), OWNER,
     ENVOY, NULL, -1, false, "unproven", MSG_HELD, TRUST_ANYONE},
    {"another server's word", OURS("mx.evil.org", "dmarc=pass header.from=example.org"),
     OWNER, ENVOY, NULL, -1, false, "unproven", MSG_HELD, TRUST_ANYONE},
    {"written before it came to us",
     "Received: from evil.org by mx.example.net; Sun, 15 Nov 2026 09:30:00 +0000\n"
     "Received: from a by evil.org; Sun, 15 Nov 2026 09:30:00 +0000\n"
     "Authentication-Results: mx.example.net; dmarc=pass header.from=example.org\n",
     OWNER, ENVOY, NULL, -1, false, "unproven", MSG_HELD, TRUST_ANYONE},
    {"a stranger who proves it is a stranger",
     OURS("mx.example.net", "dmarc=pass header.from=y.org"), "x@y.org", ENVOY, NULL, -1, false,
     "stranger", MSG_HELD, TRUST_ANYONE},
    {"an event's name is no right", "X-Event-Type: approval\n", OWNER, ENVOY, NULL, -1,
     false, "unproven", MSG_HELD, TRUST_ANYONE},
    {"closed network believes From", "", OWNER, ENVOY, NULL, -1, true, NULL, MSG_STORED,
     TRUST_PRINCIPAL},
    {"two From are never believed", "From: " OWNER "\n", "b@c.org", ENVOY, NULL, -1, true,
     "unproven", MSG_HELD, TRUST_ANYONE},
    {"display name is no address", "", "\"ann@example.org\" <x@evil.org>", ENVOY, NULL, -1,
     true, "stranger", MSG_HELD, TRUST_ANYONE},
    {"homoglyph", "", "\xd0\xb0nn@example.org", ENVOY, NULL, -1, true, "stranger", MSG_HELD,
     TRUST_ANYONE},
    {"capitals are another name", "", "Ann@example.org", ENVOY, NULL, -1, true, "stranger",
     MSG_HELD, TRUST_ANYONE},
    {"a tag at home is the same person", "", "ann+x@example.org", ENVOY, NULL, -1, true,
     NULL, MSG_STORED, TRUST_PRINCIPAL},
    {"elsewhere it is another", "", "ann+x@example.com", ENVOY, NULL, -1, true, "stranger",
     MSG_HELD, TRUST_ANYONE},
    {"a domain in capitals is the same", "", "ann@EXAMPLE.Org", ENVOY, NULL, -1, true, NULL,
     MSG_STORED, TRUST_PRINCIPAL},
    {"an encoded word yields no address", "", "=?utf-8?b?YW5uQGV4YW1wbGUub3Jn?=", ENVOY,
     NULL, -1, true, "no sender", MSG_HELD, TRUST_ANYONE},
    {"stranger", "", "x@y.org", ENVOY, NULL, -1, true, "stranger", MSG_HELD, TRUST_ANYONE},
    {"from a role of ours, and is not", "", "scribe@example.org", ENVOY, NULL, -1, true,
     "self", MSG_IGNORED, TRUST_ANYONE},
    {"vacation", "Auto-Submitted: auto-replied (vacation)\n", OWNER, ENVOY, NULL, -1, true,
     "automatic", MSG_IGNORED, TRUST_ANYONE},
    {"Auto-Submitted: no is a person", "Auto-Submitted: no\n", OWNER, ENVOY, NULL, -1,
     true, NULL, MSG_STORED, TRUST_PRINCIPAL},
    {"list mail", "List-Id: <l.x.org>\n", OWNER, ENVOY, NULL, -1, true, "automatic",
     MSG_IGNORED, TRUST_ANYONE},
    {"null return path", "Return-Path: <>\n", OWNER, ENVOY, NULL, -1, true, "automatic",
     MSG_IGNORED, TRUST_ANYONE},
    {"cc only", "", OWNER, "bob@x.org", ENVOY, TRUST_PRINCIPAL, false, "cc", MSG_IGNORED,
     TRUST_PRINCIPAL},
    {"not to us at all", "", OWNER, "bob@x.org", NULL, TRUST_PRINCIPAL, false, "not addressed",
     MSG_IGNORED, TRUST_PRINCIPAL},
    {"in Bcc, or by an alias: its mailbox routed it", "", OWNER, "bob@x.org", NULL, -1, true,
     NULL, MSG_STORED, TRUST_PRINCIPAL, true},
    {"no To at all, routed", "", OWNER, "undisclosed-recipients:;", NULL, -1, true, NULL,
     MSG_STORED, TRUST_PRINCIPAL, true},
    {"cc only, routed", "", OWNER, "bob@x.org", ENVOY, -1, true, "cc", MSG_IGNORED,
     TRUST_PRINCIPAL, true},
    {"list mail in Bcc, routed", "List-Id: <l.x.org>\n", OWNER, "l@x.org", NULL, -1, true,
     "automatic", MSG_IGNORED, TRUST_ANYONE, true},
    {"bulk mail in Bcc, routed", "Precedence: bulk\n", OWNER, "l@x.org", NULL, -1, true,
     "automatic", MSG_IGNORED, TRUST_ANYONE, true},
    {"a stranger in Bcc, routed", "", "x@y.org", "bob@x.org", NULL, -1, true, "stranger",
     MSG_HELD, TRUST_ANYONE, true},
    {"plus tag is ours", "", OWNER, "envoy+12@example.org", NULL, TRUST_PRINCIPAL, false, NULL,
     MSG_STORED, TRUST_PRINCIPAL},
};

static char *
build(const Case *c)
{
    return g_strdup_printf(
        "%sMessage-ID: <%x@t>\nFrom: %s\nTo: %s\n%s%s%sDate: Sun, 15 Nov 2026 "
        "09:30:00 +0000\nSubject: s\n\nbody\n",
        c->headers, g_str_hash(c->name), c->from, c->to, c->cc ? "Cc: " : "",
        c->cc ? c->cc : "", c->cc ? "\n" : "");
}

static void
test_case(gconstpointer data)
{
    const Case *c = data;
    Home *home = test_home_new();
    g_autofree char *raw = build(c);
    g_autofree char *line = c->level < 0
                                ? g_strdup("")
                                : origin_line(&home->key, raw, strlen(raw),
                                              &(OriginClaim){(Trust)c->level, (Trust)c->level, NULL}, "envoy");
    g_autofree char *file = g_strconcat(line, raw, NULL);
    g_autoptr(Message) m = message_parse(file, strlen(file), MESSAGE_TEXT, NULL);
    Judgement j;

    static const char *const ids[] = {"mx.example.net", NULL};
    home->config->authserv_ids = ids;
    home->config->require_auth = c->auth_none ? AUTH_NONE : AUTH_DMARC;
    judge(home, config_role(home->config, "envoy"), m, c->routed, &j);
    g_assert_cmpstr(msg_state_name(j.state), ==, msg_state_name(c->want_state));
    g_assert_cmpstr(trust_name(j.trust), ==, trust_name(c->want_trust));
    g_assert_cmpstr(trust_name(j.floor), ==, trust_name(c->want_trust));
    if (c->want_why)
        g_assert_true(j.why && g_str_has_prefix(j.why, c->want_why));
    else
        g_assert_cmpstr(j.why, ==, NULL);
    test_home_free(home);
}

/* A proof is for one mailbox, one body, one level. */
static void
test_proof_is_bound(void)
{
    Home *home = test_home_new();
    const Case c = {"bound", "", OWNER, ENVOY, NULL, 0, false, NULL, 0, 0};
    g_autofree char *raw = build(&c);
    g_autofree char *line =
        origin_line(&home->key, raw, strlen(raw), &(OriginClaim){TRUST_PRINCIPAL, TRUST_PRINCIPAL, NULL}, "scribe");
    g_autofree char *copied = g_strconcat(line, raw, NULL);
    g_autofree char *own =
        origin_line(&home->key, raw, strlen(raw), &(OriginClaim){TRUST_ROLE, TRUST_ROLE, NULL}, "envoy");
    g_autofree char *raised = g_strconcat(own, raw, NULL);
    char *level = strstr(raised, "level=role");
    Judgement j;

    g_autoptr(Message) m = message_parse(copied, strlen(copied), MESSAGE_TEXT, NULL);
    judge(home, config_role(home->config, "envoy"), m, false, &j);
    g_assert_true(j.forged);
    g_assert_false(j.proved);

    memcpy(level, "level=opel", strlen("level=opel"));
    g_autoptr(Message) n = message_parse(raised, strlen(raised), MESSAGE_TEXT, NULL);
    judge(home, config_role(home->config, "envoy"), n, false, &j);
    g_assert_false(j.proved);
    g_assert_cmpint(j.state, ==, MSG_HELD);
    test_home_free(home);
}

/* A role that had read a stranger may ask, but its words are no better than his. */
static void
test_low_words(void)
{
    Home *home = test_home_new();
    const Case c = {"low", "", "scribe@postrider.local", ENVOY, NULL, 0, false, NULL, 0, 0};
    g_autofree char *raw = build(&c);
    g_autofree char *line =
        origin_line(&home->key, raw, strlen(raw), &(OriginClaim){TRUST_ROLE, TRUST_ANYONE, NULL}, "envoy");
    g_autofree char *file = g_strconcat(line, raw, NULL);
    g_autoptr(Message) m = message_parse(file, strlen(file), MESSAGE_TEXT, NULL);
    Judgement j;

    judge(home, config_role(home->config, "envoy"), m, false, &j);
    g_assert_cmpint(j.state, ==, MSG_STORED);
    g_assert_cmpint(j.trust, ==, TRUST_ROLE);
    g_assert_cmpint(j.floor, ==, TRUST_ANYONE);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/judge/%s", cases[i].name);
        g_test_add_data_func(path, &cases[i], test_case);
    }
    g_test_add_func("/judge/proof is bound", test_proof_is_bound);
    g_test_add_func("/judge/low words", test_low_words);
    return g_test_run();
}
