/* What a person says in the place of a job's agent. */
#include "engine/run/by_hand.h"
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

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/by-hand/said", TestWork, NULL, work_open, test_said, work_close);
    return g_test_run();
}
