/* What a person says in the place of a job's agent. */
#include "engine/run/by_hand.h"
#include "base/limits.h"
#include "store/out/outbox.h"
#include "testwork.h"

static void
test_said(TestWork *w, gconstpointer data)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    ProposedMail *mail = proposal_add_mail(p);
    g_autoptr(ByHand) hand = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(OutRow) out = NULL;
    g_autoptr(MsgRows) open = NULL;
    g_autofree char *msgid = NULL;

    work_take_in(w, "envoy",
                 "From: ann@example.org\nTo: envoy@example.org\nSubject: s\n"
                 "Message-ID: <a@x>\n\nGo.\n",
                 TRUST_PRINCIPAL, MSG_STORED);
    work_claim(w);
    mail->body = g_strdup("I did it myself.");
    bool ok = by_hand_begin(&w->engine, w->job, w->in.shown, mail, &hand, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    Txn txn = test_begin(w->engine.db);
    ok = by_hand_commit(hand, &txn, &msgid, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    test_commit(&txn);

    /* It goes to whoever asked, as an answer to that mail, which is settled. */
    g_assert_true(outbox_find(w->engine.db, &VIEWER_OPERATOR, msgid, &out, &error));
    g_assert_cmpstr(out->address, ==, "ann@example.org");
    g_assert_cmpstr(out->from, ==, "envoy@example.org");
    g_assert_true(messages_open(w->engine.db, w->id, &open, &error));
    g_assert_cmpuint(open->len, ==, 0);
}

/* How many ids the References of an answer to this address have, when the mail had many. */
static guint
count_references(TestWork *w, const char *asker)
{
    g_autoptr(GString) raw = g_string_new(NULL);
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    ProposedMail *mail = proposal_add_mail(p);
    g_autoptr(ByHand) hand = NULL;
    g_autoptr(OutRow) out = NULL;
    g_autofree char *msgid = NULL;

    g_string_printf(
        raw,
        "From: %s\nTo: envoy@example.org\nSubject: s\nMessage-ID: <a@x>\nReferences:", asker);
    for (unsigned i = 0; i < 3 * LIMIT_REFERENCES_OUTSIDE; i++)
        g_string_append_printf(raw, " <%u@x>", i);
    g_string_append(raw, "\n\nGo.\n");
    work_take_in(w, "envoy", raw->str, TRUST_PRINCIPAL, MSG_STORED);
    work_claim(w);
    mail->body = g_strdup("Done.");
    g_assert_true(by_hand_begin(&w->engine, w->job, w->in.shown, mail, &hand, NULL));
    Txn txn = test_begin(w->engine.db);
    g_assert_true(by_hand_commit(hand, &txn, &msgid, NULL));
    test_commit(&txn);
    g_assert_true(outbox_find(w->engine.db, &VIEWER_OPERATOR, msgid, &out, NULL));
    g_assert_cmpstr(out->address, ==, asker);
    g_autoptr(Message) m = message_parse_bytes(out->bytes, MESSAGE_HEADERS);
    return m->references->len;
}

/* Others read as many as LIMIT_REFERENCES_OUTSIDE; this home reads all. */
static void
test_references(void)
{
    TestWork w;

    work_open(&w, NULL);
    g_assert_cmpuint(count_references(&w, "bob@else.example"), ==, LIMIT_REFERENCES_OUTSIDE);
    work_close(&w, NULL);
    work_open(&w, NULL);
    g_assert_cmpuint(count_references(&w, "scribe@example.org"), >, LIMIT_REFERENCES_OUTSIDE);
    work_close(&w, NULL);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/by-hand/said", TestWork, NULL, work_open, test_said, work_close);
    g_test_add_func("/by-hand/references", test_references);
    return g_test_run();
}
