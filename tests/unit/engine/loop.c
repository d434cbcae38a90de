/* What a step commit makes of a proposal that can't all be done, and of a lying brain. */
#include "base/config/config.h"
#include "engine/out/breaker.h"
#include "engine/run/commit.h"
#include "store/job/step_rows.h"
#include "store/note/note_versions.h"
#include "store/out/outbox.h"
#include "store/sql.h"
#include "testwork.h"

#define MAIL                                                                                   \
    "From: Ann <ann@example.org>\nTo: envoy@example.org\nSubject: a plan\nMessage-ID: "        \
    "<m1@x>\n\nmake one\n"

typedef struct Case {
    const char *name;
    bool note_exists;     /* a person made it, and the job was never shown it */
    bool writes_note;     /* the step writes it */
    const char *attaches; /* note key; NULL */
    ProposalStatus status;
    bool want_ended, want_mail;
    const char *want_result; /* is in the results */
} Case;

static const Case cases[] = {
    {"all is well", false, true, "a/b", PROPOSE_COMPLETE, true, true, "Message-ID is <"},
    {"a note that the job was not shown", true, true, NULL, PROPOSE_COMPLETE, false, false,
     "conflict"},
    {"its mail is not sent", true, true, NULL, PROPOSE_CONTINUE, false, false,
     "a note of the same step failed"},
    {"an attachment that is no note", false, false, "no/such", PROPOSE_COMPLETE, false, false,
     "'no/such' to attach does not exist"},
    {"a limit stops the job", false, true, NULL, PROPOSE_LIMIT, true, true, "saved as version"},
    {"escalate ends it", false, true, NULL, PROPOSE_ESCALATE, true, true, "saved"},
};

static void
put_note(TestWork *w, const char *key)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) body = g_bytes_new_static("mine", 4);
    const NoteBy by = {.author = "person", .label = TRUST_PRINCIPAL};
    Txn txn = test_begin(w->engine.db);

    note_put(&txn, key, body, NOTE_ABSENT, &by, NULL, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static Proposal *
propose(const Case *c)
{
    Proposal *p = proposal_new(c->status);
    ProposedMail *mail = proposal_add_mail(p);

    p->why = g_strdup("a limit");
    mail->body = g_strdup("here it is");
    if (c->writes_note) {
        ProposedNote *n = proposal_add_note(p, NOTE_REPLACE, "a/b");
        n->body = g_bytes_new("text", 4);
    }
    if (c->attaches) {
        ProposedFile *f = g_new0(ProposedFile, 1);
        f->filename = g_strdup("b.py");
        f->note_key = g_strdup(c->attaches);
        proposed_files_add(mail->files, f);
    }
    return p;
}

static void
test_commit_step(TestWork *w, gconstpointer data)
{
    const Case *c = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(Proposal) p = propose(c);
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};
    g_autoptr(Step) last = NULL;
    g_autoptr(GBytes) answer = g_bytes_new_static("{}", 2);

    if (c->note_exists)
        put_note(w, "a/b");
    work_take_in(w, "envoy", MAIL, TRUST_PRINCIPAL, MSG_STORED);
    work_claim(w);
    w->in.iterations_left = 3;
    w->in.answer = answer;
    policy_check(&w->engine, w->job, &w->in, p, &verdicts, &error);
    step_commit(&w->engine, &w->claim, &w->in, p, verdicts, &result, &error);
    g_assert_no_error(error);
    g_assert_cmpint(result.ended, ==, c->want_ended);
    g_assert_cmpint(g_ptr_array_index(result.msgids, 0) != NULL, ==, c->want_mail);
    g_assert_true(step_last(w->engine.db, w->id, &last, &error));
    g_assert_nonnull(strstr(last->results, c->want_result));
}

/* A park at a limit is no step, and its checkpoint waits for the notes on disk. */
static void
test_park(TestWork *w, gconstpointer data)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(GError) error = NULL;
    g_autoptr(Proposal) p = proposal_new(PROPOSE_PARK);
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};
    g_autoptr(Job) job = NULL;
    g_autoptr(OutRows) rows = NULL;
    OutId waits;

    p->resume = (Due){.us = TEST_NOW};
    w->in.bare = true;
    work_take_in(w, "envoy", MAIL, TRUST_PRINCIPAL, MSG_STORED);
    work_claim(w);
    Txn txn = test_begin(w->engine.db);
    MsgId shown = ((MsgRow *)w->in.shown->pdata[0])->id;
    messages_mark_shown(&txn, &shown, 1, &error);
    test_commit(&txn);
    policy_check(&w->engine, w->job, &w->in, p, &verdicts, &error);
    step_commit(&w->engine, &w->claim, &w->in, p, verdicts, &result, &error);
    g_assert_no_error(error);
    g_assert_true(job_load(w->engine.db, &all, w->id, &job, &error));
    g_assert_cmpint(job->state, ==, JOB_PARKED);
    g_assert_cmpint(job->total_iterations, ==, 0);
    g_assert_cmpint(job->wakes_us, ==, USEC_NEVER);
    g_assert_true(outbox_after_notes(w->engine.db, &waits, &error));
    g_assert_cmpint(waits.v, ==, 1);
    g_assert_true(outbox_due(w->engine.db, TEST_NOW, true, 9, &rows, &error));
    g_assert_cmpuint(rows->len, ==, 0);
    txn = test_begin(w->engine.db);
    outbox_notes_done(&txn, waits, &error);
    test_commit(&txn);
    g_clear_pointer(&rows, out_rows_free);
    g_assert_true(outbox_due(w->engine.db, TEST_NOW, true, 9, &rows, &error));
    g_assert_cmpuint(rows->len, ==, 2); /* INBOX and Sent */
}

/* A mail to somebody else than who asked begins a conversation of its own, whoever else wrote in the meantime. */
static void
test_to_another(TestWork *w, gconstpointer data)
{
    static const char more[] = "From: Scribe <scribe@example.org>\nTo: envoy@example.org\nSubject: Re: a plan\n"
                               "Message-ID: <m2@x>\nIn-Reply-To: <m1@x>\n\nhere\n";
    static const struct {
        const char *to, *want;
    } mails[] = {{"scribe@example.org", ""}, {"ann@example.org", "m2@x"}};

    for (size_t i = 0; i < G_N_ELEMENTS(mails); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
        g_autoptr(GArray) verdicts = NULL;
        g_auto(StepResult) result = {0};
        g_autofree char *is = NULL;
        ProposedMail *mail = proposal_add_mail(p);
        TestWork own;

        work_open(&own, NULL);
        work_take_in(&own, "envoy", MAIL, TRUST_PRINCIPAL, MSG_STORED);
        work_take_in(&own, "envoy", more, TRUST_ROLE, MSG_STORED);
        work_claim(&own);
        own.in.iterations_left = 3;
        mail->body = g_strdup("thank you");
        g_ptr_array_add(mail->to, g_strdup(mails[i].to));
        policy_check(&own.engine, own.job, &own.in, p, &verdicts, &error);
        step_commit(&own.engine, &own.claim, &own.in, p, verdicts, &result, &error);
        g_assert_no_error(error);
        sql_string(own.engine.db, "SELECT coalesce(in_reply_to, '') FROM outbox ORDER BY id LIMIT 1", &is, &error, "");
        g_test_message("to %s: %s", mails[i].to, is);
        g_assert_cmpstr(is, ==, mails[i].want);
        work_close(&own, NULL);
    }
}

/* max-mails-per-round counts what was written and what the same step has before it; 0 is no limit. */
static void
test_mails_per_round(TestWork *w, gconstpointer data)
{
    static const struct {
        unsigned most, n_before;
        bool want_held;
    } rounds[] = {{1, 0, false}, {1, 1, true}, {2, 1, false}, {2, 2, true}, {2, 9, true}, {0, 9, false}};
    g_autoptr(GPtrArray) to = g_ptr_array_new();

    g_ptr_array_add(to, (gpointer) "ann@example.org");
    work_take_in(w, "envoy", MAIL, TRUST_PRINCIPAL, MSG_STORED);
    work_claim(w);
    for (size_t i = 0; i < G_N_ELEMENTS(rounds); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *why = NULL;

        ((Config *)w->home->config)->max_mails_per_round = rounds[i].most;
        breaker_out(&w->engine, w->job, to, rounds[i].n_before, &why, &error);
        g_assert_no_error(error);
        g_test_message("%u of %u: %s", rounds[i].n_before, rounds[i].most, why ? why : "sent");
        g_assert_cmpint(why != NULL, ==, rounds[i].want_held);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strconcat("/loop/", cases[i].name, NULL);
        g_test_add(path, TestWork, &cases[i], work_open, test_commit_step, work_close);
    }
    g_test_add("/loop/park", TestWork, NULL, work_open, test_park, work_close);
    g_test_add("/loop/to another", TestWork, NULL, work_open, test_to_another, work_close);
    g_test_add("/loop/mails-per-round", TestWork, NULL, work_open, test_mails_per_round, work_close);
    return g_test_run();
}
