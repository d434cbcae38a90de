/* What STATUS and `show` say of a job in each of its states. */
#include "engine/people/tell.h"
#include "store/job/questions.h"
#include "store/out/outbox.h"
#include "store/sql.h"
#include "testwork.h"

#define MAIL                                                                                   \
    "From: Ann <ann@example.org>\nTo: envoy@example.org\nSubject: a plan\nMessage-ID: "        \
    "<m1@x>\n\nmake one\n"
#define MINUTE_US (60 * USEC_PER_SEC)
#define LATER "It is tried again in "
#define BEGINS "It begins as soon as a worker is free."
#define AT_LIMIT ", at its limit of steps in one run"

static const struct {
    const char *name, *sql; /* what is true of the job; ? is the time */
    int64_t in_us;
    const char *want, *want_not; /* in the text; NULL: nothing */
} cases[] = {
    {"queued", "ready_us = ?", 0, BEGINS, LATER},
    {"tried again", "ready_us = ?", 10 * MINUTE_US, LATER "10 min.", "CONTINUE"},
    {"tried again, for a reason", "why = 'no answer', ready_us = ?", 10 * MINUTE_US,
     LATER "10 min; reply CONTINUE to try at once.", NULL},
    {"at work", "state = 'running', ready_us = ?", 0, "Reply STOP to end its work.", AT_LIMIT},
    {"at the limit of a run", "state = 'parked', ready_us = ?", 0, AT_LIMIT, "for a reply"},
    {"waits", "state = 'parked', waiting_for = 'a reply', ready_us = ?", 0, ", for a reply", AT_LIMIT},
    {"stopped", "state = 'stopped', ready_us = ?", 0, "Reply CONTINUE to go on.", "$1"},
    {"below its budget", "state = 'stopped', cost_limit_micro = 500, round_cost_micro = 499, ready_us = ?", 0,
     "Reply CONTINUE to go on.", "$1"},
    {"at its budget", "state = 'stopped', cost_limit_micro = 500, round_cost_micro = 500, ready_us = ?", 0,
     "Reply CONTINUE $1 to let it spend $1 more.", NULL},
    {"done", "state = 'done', ready_us = ?", 0, "Write on its thread, and it goes on.", AT_LIMIT},
};

static void
test_case(TestWork *w, gconstpointer data)
{
    size_t i = GPOINTER_TO_SIZE(data);
    g_autoptr(GError) error = NULL;
    g_autofree char *sql = g_strdup_printf("UPDATE job SET %s WHERE id = %d", cases[i].sql, 1);

    work_take_in(w, "envoy", MAIL, TRUST_PRINCIPAL, MSG_STORED);
    Txn txn = test_begin(w->engine.db);
    g_assert_true(sql_run(&txn, sql, &error, "i", TEST_NOW + cases[i].in_us));
    test_commit(&txn);
    g_autofree char *text = tell_job(w->engine.db, w->id, &error);
    g_assert_no_error(error);
    g_test_message("%s", text);
    g_assert_true(g_str_has_prefix(text, "Job 1 (a plan) "));
    g_assert_nonnull(strstr(text, cases[i].want));
    g_assert_true(!cases[i].want_not || !strstr(text, cases[i].want_not));
    g_assert_nonnull(strstr(text, "\nRound 1, 0 steps so far, 1 mail to answer.\n"));
    g_assert_null(strstr(text, "It asks"));
}

static void
test_nobody(TestWork *w, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = tell_job(w->engine.db, (JobId){7}, &error);

    g_assert_null(text);
    g_assert_cmpstr(error->message, ==, "there is no job 7");
}

/* What it asked a person, whether mails hang on it or not. */
static void
test_asks(TestWork *w, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = g_bytes_new_static("Subject: s\n\nhello\n", 18);
    const OutTo to = {.address = "bob@far.example", .folder = "", .account = "main"};
    OutId out;
    QuestionId id;

    work_take_in(w, "envoy", MAIL, TRUST_PRINCIPAL, MSG_STORED);
    Question q = {.msgid = (char *)"q1@example.org",
                  .kind = (char *)"held-mail",
                  .asks = (char *)"may it?",
                  .payload = (char *)"",
                  .may = MAY_APPROVE,
                  .job = w->id,
                  .round = 1,
                  .until_us = USEC_NEVER};
    Txn txn = test_begin(w->engine.db);
    g_assert_true(question_put(&txn, &q, &id, &error));
    test_commit(&txn);
    g_autofree char *alone = tell_job(w->engine.db, w->id, &error);
    g_assert_nonnull(strstr(alone, "\nIt asks: may it? APPROVE or REJECT, as a reply to the mail that asks.\n"));

    const OutMail mail = {.msgid = "1.1.a@x",
                          .from = "envoy@example.org",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .job = w->id,
                          .held = "too many",
                          .to = &to,
                          .n_to = 1};
    txn = test_begin(w->engine.db);
    g_assert_true(outbox_next(&txn, &out, &error) && outbox_put(&txn, out, &mail, &error));
    g_assert_true(question_bind(&txn, id, out, &error));
    test_commit(&txn);
    g_autofree char *with_mail = tell_job(w->engine.db, w->id, &error);
    g_assert_null(strstr(with_mail, "It asks"));
    g_assert_nonnull(strstr(with_mail, "Mail 1 to bob@far.example is held: APPROVE or REJECT"));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strconcat("/tell/", cases[i].name, NULL);
        g_test_add(path, TestWork, GSIZE_TO_POINTER(i), work_open, test_case, work_close);
    }
    g_test_add("/tell/asks", TestWork, NULL, work_open, test_asks, work_close);
    g_test_add("/tell/nobody", TestWork, NULL, work_open, test_nobody, work_close);
    return g_test_run();
}
