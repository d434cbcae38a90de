/* Questions about held mail: what they are bound to, who decides first, what STOP and CONTINUE
 * do. */
#include "store/job/questions.h"
#include "base/digest.h"
#include "base/err.h"
#include "store/out/outbox_smtp.h"
#include "temp_store.h"

static const OutTo bob = {"bob@example.org", "bob", "", NULL};
static const OutTo far = {"far@elsewhere.example", NULL, "", NULL};
static const OutTo copy = {"envoy@example.org", "envoy", "Sent", "S"};

static OutId
put(Txn *txn, JobId job, const OutTo *to, const char *held)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static("Subject: s\n\nhello\n", 18);
    g_autoptr(GError) error = NULL;
    OutTo both[] = {*to, copy};
    OutId id;

    outbox_next(txn, &id, &error);
    g_autofree char *msgid = g_strdup_printf("5.%d.tag@example.org", (int)id.v);
    const OutMail mail = {.msgid = msgid,
                          .from = "envoy@example.org",
                          .subject = "s",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .job = job,
                          .held = held,
                          .to = both,
                          .n_to = 2};
    outbox_put(txn, id, &mail, &error);
    g_assert_no_error(error);
    return id;
}

/* A job with one question about n mails to bob. */
typedef struct Asked {
    JobId job;
    OutId mails[2];
    QuestionId id;
    Digest digest;
} Asked;

/* As engine/people/hold_ask.c does it. */
static bool
put_question(
    Txn *txn, const char *msgid, const Asked *a, size_t n, QuestionId *ret, GError **error)
{
    Question q = {.msgid = (char *)msgid,
                  .kind = (char *)"held-mail",
                  .asks = (char *)"may it?",
                  .payload = (char *)"",
                  .may = MAY_APPROVE,
                  .job = a->job,
                  .round = 1,
                  .digest = a->digest,
                  .until_us = USEC_NEVER};
    if (!question_put(txn, &q, ret, error))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!question_bind(txn, *ret, a->mails[i], error))
            return false;
    }
    return true;
}

static Asked
ask(TempStore *s, size_t n)
{
    g_autoptr(GError) error = NULL;
    Asked a = {.job = temp_job(s, "envoy")};
    Txn txn = test_begin(s->db);

    for (size_t i = 0; i < n; i++)
        a.mails[i] = put(&txn, a.job, &bob, "policy");
    question_digest(s->db, a.mails, n, &a.digest, &error);
    g_assert_no_error(error);
    put_question(&txn, "q@example.org", &a, n, &a.id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return a;
}

static Question *
find(TempStore *s, const char *msgid)
{
    g_autoptr(GError) error = NULL;
    Question *q = NULL;

    question_find(s->db, msgid, &q, &error);
    g_assert_no_error(error);
    return q;
}

static void
assert_state(TempStore *s, QuestionState want)
{
    g_autoptr(Question) q = find(s, "q@example.org");

    g_assert_nonnull(q);
    g_assert_cmpstr(question_state_name(q->state), ==, question_state_name(want));
}

/* Decides about one mail as engine/people/hold.c does: the rows, then the question. */
static bool
decide(TempStore *s, const Asked *a, size_t i, bool approve, const char *why)
{
    g_autoptr(GError) error = NULL;
    bool closed = false;
    Txn txn = test_begin(s->db);

    outbox_decide(&txn, a->mails[i], approve, "ann", &error);
    g_assert_no_error(error);
    question_decide(&txn, a->id, approve, "ann", why, &closed, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return closed;
}

static void
test_asked(TempStore *s, gconstpointer data)
{
    Asked a = ask(s, 2);
    g_autoptr(Question) q = find(s, "q@example.org");
    g_autoptr(Question) of = NULL, none = NULL;
    g_autoptr(QuestionMails) mails = NULL;

    g_assert_nonnull(q);
    g_assert_cmpint(q->state, ==, QUESTION_OPEN);
    g_assert_cmpint(q->job.v, ==, a.job.v);
    g_assert_true(digest_equal(&q->digest, &a.digest));
    g_assert_true(question_of(s->db, a.mails[1], &of, NULL));
    g_assert_cmpint(of->id.v, ==, a.id.v);
    g_assert_true(question_find(s->db, "other@example.org", &none, NULL));
    g_assert_null(none);
    g_assert_true(question_mails(s->db, a.id, &mails, NULL));
    g_assert_cmpuint(mails->len, ==, 2);
    const QuestionMail *m = mails->pdata[0];
    g_assert_cmpint(m->id.v, ==, a.mails[0].v);
    g_assert_cmpstr(m->to, ==, "bob@example.org"); /* the copy is nobody's */
    g_assert_cmpstr(m->why, ==, "policy");
    g_assert_true(m->undecided && !m->rejected);
}

/* Only held mail, and each in one question. */
static void
test_binding(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    Asked a = ask(s, 1);
    QuestionId id;
    g_auto(Txn) txn = test_begin(s->db);
    OutId ready = put(&txn, a.job, &bob, NULL);

    g_assert_false(put_question(&txn, "q2@x", &a, 1, &id, &error));
    g_assert_error(error, ERR_DOMAIN, ERR_NEVER);
    g_clear_error(&error);
    g_assert_false(
        put_question(&txn, "q3@x", &(Asked){.job = a.job, .mails = {ready}}, 1, &id, &error));
    g_assert_error(error, ERR_DOMAIN, ERR_NEVER);
}

/* Whatever leaves or whoever gets it is in the digest. */
static void
test_digest(TempStore *s, gconstpointer data)
{
    static const char *const changes[] = {
        "UPDATE outbox SET bytes = CAST('Subject: s' || char(10, 10) || 'hallo' || char(10) AS "
        "BLOB) WHERE id = ?",
        "UPDATE outbox SET from_spec = 'x@example.org' WHERE id = ?",
        "UPDATE outbox SET msgid = '5.9.tag@example.org' WHERE id = ?",
        "UPDATE delivery SET address = 'eve@example.org' WHERE outbox = ? AND folder = ''",
        "UPDATE delivery SET mailbox = 'eve' WHERE outbox = ? AND folder = ''",
        "INSERT INTO delivery (outbox, address, mailbox, folder, state, next_us) "
        "VALUES (?, 'eve@example.org', 'eve', '', 'held', 0)",
    };
    Asked a = ask(s, 2);
    OutId turned[] = {a.mails[1], a.mails[0]};
    g_autoptr(GError) error = NULL;
    Digest now;

    g_assert_true(question_digest(s->db, a.mails, 2, &now, NULL));
    g_assert_true(digest_equal(&now, &a.digest));
    g_assert_true(question_digest(s->db, turned, 2, &now, NULL));
    g_assert_false(digest_equal(&now, &a.digest));
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_true(sql_run(&txn, changes[i], NULL, "i", a.mails[1].v));
        g_assert_true(question_digest(s->db, a.mails, 2, &now, NULL));
        g_test_message("%s", changes[i]);
        g_assert_false(digest_equal(&now, &a.digest));
    }
    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(sql_run(&txn, "UPDATE outbox SET bytes = NULL", NULL, ""));
    g_assert_false(question_digest(s->db, a.mails, 2, &now, &error));
    g_assert_error(error, ERR_DOMAIN, ERR_DAMAGE);
}

static void
test_decide(TempStore *s, gconstpointer data)
{
    Asked a = ask(s, 2);
    g_autoptr(GError) error = NULL;
    g_autoptr(Questions) open = NULL, untold = NULL;
    bool closed;

    g_assert_false(decide(s, &a, 0, true, NULL));
    assert_state(s, QUESTION_OPEN);
    g_assert_true(questions_open(s->db, a.job, &open, NULL));
    g_assert_cmpuint(open->len, ==, 1);
    g_assert_true(decide(s, &a, 1, false, "too long"));
    assert_state(s, QUESTION_REJECTED);

    Txn txn = test_begin(s->db);
    g_assert_false(question_decide(&txn, a.id, true, "eve", NULL, &closed, &error));
    g_assert_error(error, ERR_DOMAIN, ERR_NEVER);
    g_assert_true(questions_untold(s->db, a.job, &untold, NULL));
    g_assert_cmpuint(untold->len, ==, 1);
    const Question *q = untold->pdata[0];
    g_assert_cmpstr(q->who, ==, "ann");
    g_assert_cmpstr(q->why, ==, "too long");
    g_assert_true(questions_told(&txn, &q->id, 1, NULL));
    test_commit(&txn);
    g_clear_pointer(&untold, questions_free);
    g_assert_true(questions_untold(s->db, a.job, &untold, NULL));
    g_assert_cmpuint(untold->len, ==, 0);
}

/* What was said about the first is not forgotten with the second. */
static void
test_reasons(TempStore *s, gconstpointer data)
{
    Asked a = ask(s, 2);

    g_assert_false(decide(s, &a, 0, false, "one"));
    g_assert_true(decide(s, &a, 1, false, "two"));
    g_autoptr(Question) q = find(s, "q@example.org");
    g_assert_cmpstr(q->why, ==, "one; two");
}

typedef enum Order { STOP, CANCEL, CONTINUE, ORDER_END } Order;

static bool
order(TempStore *s, JobId job, Order what)
{
    g_autoptr(GError) error = NULL;
    bool changed = false;
    Txn txn = test_begin(s->db);

    if (what == STOP)
        job_stop(&txn, job, "test", &changed, &error);
    else if (what == CANCEL)
        job_cancel(&txn, job, "test", &changed, &error);
    else
        job_continue(&txn, job, 0, NULL, &changed, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return changed;
}

static void
test_orders(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *name;
        const char *job_state;
        Order orders[4];
        QuestionState want;
        const char *want_mail;
        bool want_changed; /* by the last order */
    } cases[] = {
        {"stop", "queued", {STOP, ORDER_END}, QUESTION_VOID, "held", true},
        {"stop twice", "queued", {STOP, STOP, ORDER_END}, QUESTION_VOID, "held", false},
        {"stop, continue", "queued", {STOP, CONTINUE, ORDER_END}, QUESTION_OPEN, "held", true},
        {"stop of a job that is done", "done", {STOP, ORDER_END}, QUESTION_VOID, "held", true},
        {"and continue", "done", {STOP, CONTINUE, ORDER_END}, QUESTION_OPEN, "held", true},
        {"cancel", "queued", {CANCEL, ORDER_END}, QUESTION_VOID, "failed", true},
        {"stop, cancel", "queued", {STOP, CANCEL, ORDER_END}, QUESTION_VOID, "failed", true},
        {"cancel is for good",
         "queued",
         {CANCEL, STOP, CONTINUE, ORDER_END},
         QUESTION_VOID,
         "failed",
         false},
        {"cancel of a job that is done",
         "done",
         {CANCEL, ORDER_END},
         QUESTION_VOID,
         "failed",
         true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Asked a = ask(s, 1);
        g_autoptr(OutRow) row = NULL;
        bool changed = false;
        Txn txn = test_begin(s->db);

        g_test_message("%s", cases[i].name);
        g_assert_true(sql_run(&txn, "UPDATE job SET state = ? WHERE id = ?", NULL, "si",
                              cases[i].job_state, a.job.v));
        test_commit(&txn);
        for (const Order *o = cases[i].orders; *o != ORDER_END; o++)
            changed = order(s, a.job, *o);
        assert_state(s, cases[i].want);
        g_assert_cmpint(changed, ==, cases[i].want_changed);
        g_assert_true(outbox_load(s->db, a.mails[0], &row, NULL));
        g_assert_cmpstr(out_state_name(row->state), ==, cases[i].want_mail);
    }
}

/* A yes that was given stays given: STOP takes the mail back, CONTINUE lets it go. */
static void
test_approved(TempStore *s, gconstpointer data)
{
    Asked a = ask(s, 1);
    g_autoptr(OutRow) row = NULL;

    g_assert_true(decide(s, &a, 0, true, NULL));
    g_assert_true(order(s, a.job, STOP));
    assert_state(s, QUESTION_APPROVED);
    g_assert_true(order(s, a.job, CONTINUE));
    g_assert_true(outbox_load(s->db, a.mails[0], &row, NULL));
    g_assert_cmpstr(out_state_name(row->state), ==, "ready");
}

static void
test_go_on(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *state, *want;
        bool want_queued;
    } cases[] = {
        {"queued", "queued", true},        {"running", "running", true},
        {"parked", "queued", true},        {"done", "queued", true},
        {"failed", "queued", true},        {"stopped", "stopped", false},
        {"cancelled", "cancelled", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        JobId id = temp_job(s, "envoy");
        bool queued;
        Txn txn = test_begin(s->db);
        g_assert_true(sql_run(&txn, "UPDATE job SET state = ? WHERE id = ?", NULL, "si",
                              cases[i].state, id.v));
        g_assert_true(job_go_on(&txn, id, &queued, NULL));
        test_commit(&txn);
        g_autoptr(Job) job = temp_load(s, id);
        g_assert_cmpstr(job_state_name(job->state), ==, cases[i].want);
        g_assert_cmpint(queued, ==, cases[i].want_queued);
        g_assert_cmpint(job->round, ==, 1);
    }
}

/* A mail that can't leave is not decided by a yes. */
static void
test_no_way(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    JobId job = temp_job(s, "envoy");
    Txn txn = test_begin(s->db);
    OutId mail = put(&txn, job, &far, "policy");
    g_autoptr(OutRow) row = NULL;

    g_assert_false(outbox_decide(&txn, mail, true, "ann", &error));
    g_assert_error(error, ERR_DOMAIN, ERR_NEVER);
    test_commit(&txn);
    g_assert_true(outbox_load(s->db, mail, &row, NULL));
    g_assert_cmpstr(out_state_name(row->state), ==, "held");
}

/* A mail of job 0 or of a job, handed over without an answer, and a question about it. */
static Asked
ask_doubt(TempStore *s, JobId job)
{
    g_autoptr(GError) error = NULL;
    Asked a = {.job = job};
    Txn txn = test_begin(s->db);

    a.mails[0] = put(&txn, job, &far, NULL);
    sql_run(&txn, "UPDATE delivery SET state = 'in_doubt' WHERE outbox = ? AND folder = ''",
            &error, "i", a.mails[0].v);
    question_digest(s->db, a.mails, 1, &a.digest, &error);
    Question asked = {.msgid = (char *)"q@example.org",
                      .kind = (char *)"mail-in-doubt",
                      .asks = (char *)"has it?",
                      .job = job,
                      .round = 1,
                      .digest = a.digest,
                      .about = a.mails[0],
                      .until_us = USEC_NEVER};
    question_put(&txn, &asked, &a.id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return a;
}

static void
test_doubt(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *name;
        bool approve;
        const char *want;
    } cases[] = {{"yes", true, "ready"}, {"no", false, "sent"}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Asked a = ask_doubt(s, (JobId){0});
        g_autoptr(Question) of = NULL;
        g_autoptr(QuestionMails) mails = NULL;
        g_autoptr(OutRow) row = NULL;
        bool closed = false;
        unsigned n = 0;

        g_assert_true(question_of(s->db, a.mails[0], &of, NULL));
        g_assert_cmpint(of->about.v, ==, a.mails[0].v);
        g_assert_true(question_mails(s->db, a.id, &mails, NULL));
        g_assert_cmpuint(mails->len, ==, 1);
        g_assert_true(((const QuestionMail *)mails->pdata[0])->undecided);
        Txn txn = test_begin(s->db);
        g_assert_true(cases[i].approve ? outbox_resend(&txn, a.mails[0], &n, NULL)
                                       : outbox_count_sent(&txn, a.mails[0], "x", &n, NULL));
        g_assert_cmpuint(n, ==, 1);
        g_assert_true(
            question_decide(&txn, a.id, cases[i].approve, "ann", NULL, &closed, NULL));
        test_commit(&txn);
        g_assert_true(closed);
        assert_state(s, cases[i].approve ? QUESTION_APPROVED : QUESTION_REJECTED);
        g_assert_true(outbox_load(s->db, a.mails[0], &row, NULL));
        g_assert_cmpstr(out_state_name(row->state), ==, cases[i].want);
    }
}

/* Whatever ends the doubt ends the question, also one that STOP had made void. */
static void
test_settled(TempStore *s, gconstpointer data)
{
    for (int how = 0; how < 4; how++) {
        Asked a = ask_doubt(s, temp_job(s, "envoy"));
        int64_t delivery;
        unsigned n;
        if (how == 3)
            g_assert_true(order(s, a.job, STOP));
        Txn txn = test_begin(s->db);
        if (how == 1)
            g_assert_true(outbox_again(&txn, a.mails[0], NULL));
        else if (how == 2)
            g_assert_true(
                outbox_bounced(&txn, a.mails[0], far.address, "550", &delivery, NULL));
        else
            g_assert_true(outbox_arrived(&txn, a.mails[0], "a copy", &n, NULL));
        test_commit(&txn);
        assert_state(s, QUESTION_VOID);
        if (how == 3)
            g_assert_true(order(s, a.job, CONTINUE));
        g_autoptr(Question) q = find(s, "q@example.org");
        g_assert_cmpstr(question_state_name(q->state), ==, "void");
        g_assert_cmpstr(q->why, ==, QUESTION_SETTLED);
    }
}

#define ADD(name, func)                                                                        \
    g_test_add("/questions/" name, TempStore, NULL, temp_store_open, func, temp_store_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("asked", test_asked);
    ADD("binding", test_binding);
    ADD("digest", test_digest);
    ADD("decide", test_decide);
    ADD("reasons", test_reasons);
    ADD("orders", test_orders);
    ADD("approved", test_approved);
    ADD("go-on", test_go_on);
    ADD("no-way", test_no_way);
    ADD("doubt", test_doubt);
    ADD("settled", test_settled);
    return g_test_run();
}
