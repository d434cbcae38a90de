/* Which notes may go along with a mail, and to whom. */
#include "engine/run/commit.h"
#include "store/note/note_versions.h"
#include "testwork.h"

#define TASK(from, to, id)                                                                     \
    "From: " from "\nTo: " to "\nSubject: s\nMessage-ID: <" id ">\n\nGo.\n"

static JobId mine, other;

static void
put_note(TestWork *w, const char *key, JobId job)
{
    const NoteBy by = {.author = job.v ? "envoy" : "ann", .label = TRUST_PRINCIPAL, .job = job};
    g_autoptr(GBytes) body = g_bytes_new_static("text\n", 5);
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(w->engine.db);

    note_put(&txn, key, body, NOTE_ANY, &by, NULL, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

/* Two jobs of envoy: Bob, who is nobody here, takes part in both, Carl in the first alone. */
static void
world_open(TestWork *w, gconstpointer data)
{
    work_open(w, data);
    work_take_in(w, "envoy", TASK("bob@else.example", "envoy@example.org", "b@else"),
                 TRUST_ANYONE, MSG_STORED);
    other = w->id;
    w->id = (JobId){0};
    work_take_in(w, "envoy", TASK("ann@example.org", "envoy@example.org", "a@x"),
                 TRUST_PRINCIPAL, MSG_STORED);
    mine = w->id;
    work_take_in(w, "envoy", TASK("bob@else.example", "envoy@example.org", "b2@else"),
                 TRUST_ANYONE, MSG_STORED);
    work_take_in(w, "envoy", TASK("carl@else.example", "envoy@example.org", "c@else"),
                 TRUST_ANYONE, MSG_STORED);
    put_note(w, "of/ann", (JobId){0});
    put_note(w, "of/job", mine);
    put_note(w, "of/other", other);
    put_note(w, "of/both", mine);
    put_note(w, "of/both", other);
    put_note(w, "envoy/own", (JobId){0});
    put_note(w, "scribe/own", (JobId){0});
    work_claim(w);
}

static void
test_notes(TestWork *w, gconstpointer data)
{
    static const struct {
        const char *to, *key;
        VerdictKind want;
    } cases[] = {
        {"ann@example.org", "of/ann", VERDICT_ALLOWED},
        {"ann@example.org", "envoy/own", VERDICT_ALLOWED},
        {"scribe@example.org", "of/ann", VERDICT_ALLOWED},
        {"scribe@example.org", "envoy/own", VERDICT_HELD},
        {"ann@example.org", "scribe/own", VERDICT_REFUSED},
        {"bob@else.example", "of/job", VERDICT_ALLOWED},
        {"bob@else.example", "of/other", VERDICT_ALLOWED},
        {"bob@else.example", "of/both", VERDICT_ALLOWED},
        {"bob@else.example", "of/ann", VERDICT_HELD},
        {"carl@else.example", "of/job", VERDICT_ALLOWED},
        {"carl@else.example", "of/other", VERDICT_HELD},
        {"carl@else.example", "of/both", VERDICT_HELD},
    };

    g_autoptr(GBytes) body = g_bytes_new_static("text\n", 5);

    g_assert_cmpint(mine.v, !=, other.v);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
        ProposedMail *mail = proposal_add_mail(p);
        g_autoptr(GArray) verdicts = NULL;
        g_autoptr(GError) error = NULL;

        g_test_message("%s to %s", cases[i].key, cases[i].to);
        g_ptr_array_add(mail->to, g_strdup(cases[i].to));
        mail->body = g_strdup("Here.");
        proposed_mail_attach(mail, "note", "text/plain", body);
        g_clear_pointer(&mail->files->pdata[0]->content, g_bytes_unref);
        mail->files->pdata[0]->note_key = g_strdup(cases[i].key);
        policy_check(&w->engine, w->job, &w->in, p, &verdicts, &error);
        g_assert_no_error(error);
        const Verdict *v = &g_array_index(verdicts, Verdict, 0);
        g_test_message("%s", v->why ? v->why : "allowed");
        g_assert_cmpint(v->kind, ==, cases[i].want);
        if (v->kind == VERDICT_HELD)
            g_assert_nonnull(strstr(v->why, "is not for"));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/policy/notes", TestWork, NULL, world_open, test_notes, work_close);
    return g_test_run();
}
