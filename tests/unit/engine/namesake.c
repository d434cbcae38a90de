/* Mail of ours under another Message-ID: who is believed, and what an answer names then. */
#include "engine/out/namesake.h"
#include "mail/msgid.h"
#include "store/out/server_ids.h"
#include "testwork.h"

static const struct {
    const char *reply;
    const char *want; /* NULL: nothing is learnt */
} replies[] = {
    {"250 2.0.0 OK <AB12@eur.prod.outlook.com> [Hostname=AB.outlook.com]",
     "AB12@eur.prod.outlook.com"},
    {"250 2.6.0 <ours@example.org> [InternalId=1] Queued mail for delivery", NULL},
    {"250 2.0.0 <bob@far.example> zX Saved", NULL},
    {"250 2.0.0 <Agent@FAR.example> accepted", "Agent@FAR.example"},
    {"250 2.0.0 <agent@FAR.example> accepted", NULL},
    {"250 2.0.0 Ok: queued as 4F2", NULL},
    {"250 <>", NULL},
    {"250 <no-at>", NULL},
    {"250 <half@x", NULL},
    {"250 ok", NULL},
};

static void
test_replies(void)
{
    static const char *const envelope[] = {"bob@far.example", "agent@far.example"};

    for (size_t i = 0; i < G_N_ELEMENTS(replies); i++) {
        g_autofree char *got = namesake_in_reply(replies[i].reply, "ours@example.org", envelope,
                                                 G_N_ELEMENTS(envelope));
        g_assert_cmpstr(got, ==, replies[i].want);
    }
}

#define DATE "Date: Sun, 15 Nov 2026 09:30:00 +0000\n"
#define BODY "Which one?\n"

/* A mail of ours in the outbox; caller frees its id. */
static char *
put_ours(TestWork *w, OutId *ret)
{
    g_autoptr(GError) error = NULL;
    const OutTo to = {.address = "bob@far.example", .folder = "", .account = "main"};
    g_autofree char *rest =
        g_strdup("From: envoy@example.org\n" DATE "Subject: Choose\n\n" BODY);
    Txn txn = test_begin(w->engine.db);

    outbox_next(&txn, ret, &error);
    char *msgid = msgid_mint(&w->home->key, MAIL_ANSWER, db_generation(w->engine.db), ret->v,
                             rest, strlen(rest), w->home->config->domain);
    g_autofree char *all = g_strdup_printf("Message-ID: <%s>\n%s", msgid, rest);
    g_autoptr(GBytes) bytes = g_bytes_new(all, strlen(all));
    const OutMail mail = {.msgid = msgid,
                          .from = "envoy@example.org",
                          .subject = "Choose",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .to = &to,
                          .n_to = 1};
    outbox_put(&txn, *ret, &mail, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return msgid;
}

/* %s is our id. */
static const struct {
    const char *name, *raw;
    bool want_learnt;
} copies[] = {
    {"named by a header",
     "Message-ID: <new@x>\nX-Microsoft-Original-Message-ID: <%s>\n" DATE
     "Subject: Choose\n\n" BODY,
     true},
    {"last of References",
     "Message-ID: <new@x>\nReferences: <a@b> <%s>\n" DATE "Subject: Choose\n\n" BODY, true},
    {"with a changed From",
     "Message-ID: <new@x>\nFrom: other@x\nReferences: <%s>\n" DATE "Subject: Choose\n\n" BODY,
     true},
    {"another text",
     "Message-ID: <new@x>\nX-Microsoft-Original-Message-ID: <%s>\n" DATE
     "Subject: Choose\n\nSend all\n",
     false},
    {"another subject",
     "Message-ID: <new@x>\nX-Microsoft-Original-Message-ID: <%s>\n" DATE
     "Subject: Lunch\n\n" BODY,
     false},
    {"without a date", "Message-ID: <new@x>\nReferences: <%s>\nSubject: Choose\n\n" BODY,
     false},
    {"an answer", "Message-ID: <new@x>\nIn-Reply-To: <%s>\n" DATE "Subject: Choose\n\n" BODY,
     false},
    {"not the last of References",
     "Message-ID: <new@x>\nReferences: <%s> <z@b>\n" DATE "Subject: Choose\n\n" BODY, false},
    {"a guess",
     "Message-ID: <new@x>\nX-Microsoft-Original-Message-ID: "
     "<1.1.aaaaaaaaaaaaaaaa@example.org>\n" DATE "Subject: Choose\n\n" BODY,
     false},
};

static void
test_copy(TestWork *w, gconstpointer data)
{
    size_t i = GPOINTER_TO_SIZE(data);
    g_autoptr(GError) error = NULL;
    OutId mail;
    g_autofree char *ours = put_ours(w, &mail), *found = NULL;
    g_auto(GStrv) halves = g_strsplit(copies[i].raw, "%s", -1);
    g_autofree char *raw = g_strjoinv(ours, halves);
    g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_TEXT, NULL);
    for (int run = 0; run < 2; run++) { /* a transaction may be run again */
        g_auto(Txn) lost = test_begin(w->engine.db);
        g_assert_true(namesake_take(&w->engine, &lost, m, &error));
    }
    Txn txn = test_begin(w->engine.db);
    namesake_take(&w->engine, &txn, m, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    server_ids_find(w->engine.db, "new@x", &found, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(found, ==, copies[i].want_learnt ? ours : NULL);
    g_assert_cmpstr(m->id, ==, copies[i].want_learnt ? ours : "new@x");
}

/* What the rest of intake sees of an answer that names the new id alone. */
static void
test_answer(TestWork *w, gconstpointer data)
{
    static const char raw[] = "Message-ID: <r@x>\nFrom: bob@far.example\nIn-Reply-To: <new@x>\n"
                              "References: <a@b> <new@x> <c@d>\n\nyes\n";
    g_autoptr(GError) error = NULL;
    OutId mail;
    g_autofree char *ours = put_ours(w, &mail);
    g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_TEXT, NULL);
    Txn txn = test_begin(w->engine.db);
    bool is_new;

    g_assert_true(server_ids_put(&txn, mail, "new@x", &is_new, &error));
    g_assert_true(namesake_take(&w->engine, &txn, m, &error));
    g_assert_true(namesake_take(&w->engine, &txn, m, &error)); /* adds nothing */
    test_commit(&txn);
    g_assert_cmpstr(m->id, ==, "r@x");
    g_assert_cmpstr(m->in_reply_to, ==, ours);
    const char *const want[] = {"a@b", "new@x", ours, "c@d"};
    g_assert_cmpuint(m->references->len, ==, G_N_ELEMENTS(want));
    for (guint i = 0; i < m->references->len; i++)
        g_assert_cmpstr(m->references->pdata[i], ==, want[i]);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/namesake/replies", test_replies);
    for (size_t i = 0; i < G_N_ELEMENTS(copies); i++) {
        g_autofree char *path = g_strdup_printf("/namesake/copy/%s", copies[i].name);
        g_test_add(path, TestWork, GSIZE_TO_POINTER(i), work_open, test_copy, work_close);
    }
    g_test_add("/namesake/answer", TestWork, NULL, work_open, test_answer, work_close);
    return g_test_run();
}
