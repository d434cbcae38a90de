/* A mailbox that a new store has never looked into: what each mail of the past counts as. */
#include "engine/checkpoint/history.h"
#include "testwork.h"
#include <utime.h>

static void
file_old(TestWork *w, const char *folder, const char *id, time_t mtime)
{
    const struct utimbuf when = {mtime, mtime};
    g_autofree char *raw =
        g_strdup_printf("From: %s@example.org\nTo: %s@example.org\nSubject: s\n"
                        "Message-ID: <%s>\n\n%s\n",
                        g_str_equal(folder, "Sent") ? "envoy" : "ann",
                        g_str_equal(folder, "Sent") ? "ann" : "envoy", id, id);
    g_autoptr(GError) error = NULL;
    g_autoptr(Maildir) md = NULL;
    static unsigned n;
    g_autofree char *base = g_strdup_printf("%u.old", ++n);
    g_autofree char *dot = *folder ? g_strconcat(".", folder, NULL) : NULL;
    g_autofree char *path =
        dot ? g_build_filename(w->home->path, "mail/envoy", dot, "new", base, NULL)
            : g_build_filename(w->home->path, "mail/envoy/new", base, NULL);

    g_assert_true(maildir_open(w->home->mail_fd, "envoy", true, &md, &error));
    g_assert_true(maildir_deliver(md, folder, base, NULL, "", raw, strlen(raw), NULL, &error));
    g_assert_cmpint(utime(path, &when), ==, 0);
}

static unsigned
take(TestWork *w)
{
    static const ConfAccount account = {.name = (char *)"main"};
    g_autoptr(Maildir) md = NULL;
    g_autoptr(GError) error = NULL;
    unsigned n = 99;

    g_assert_true(maildir_open(w->home->mail_fd, "envoy", true, &md, &error));
    const RoleMailbox box = {&w->engine, &account, work_role(w), md};
    bool ok = history_take(&box, &n, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    return n;
}

static void
test_past(TestWork *w, gconstpointer data)
{
    static const struct {
        const char *id;
        MsgState want;
        const char *want_why;
    } cases[] = {
        {"late@x", MSG_IGNORED, "history"},
        {"early@x", MSG_IGNORED, "history"},
        {"done@x", MSG_HANDLED, "history: filed as done"},
        {"kept@x", MSG_HANDLED, "history: filed as done"},
        {"active@x", MSG_IGNORED, "history: was in hand"},
        {"sent@x", MSG_HANDLED, "history: written before"},
    };
    int64_t ids[G_N_ELEMENTS(cases)];

    file_old(w, "", "late@x", 2000);
    file_old(w, "", "early@x", 1000);
    file_old(w, "Done", "done@x", 1000);
    file_old(w, "Archive", "kept@x", 1000);
    file_old(w, "Active", "active@x", 3000);
    file_old(w, "Sent", "sent@x", 1000);
    g_assert_cmpuint(take(w), ==, 5); /* and one that was written */
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(MsgRow) row = NULL;
        g_test_message("%s", cases[i].id);
        g_assert_true(messages_find(w->engine.db, &VIEWER_OPERATOR, cases[i].id, &row, NULL));
        g_assert_cmpint(row->class, ==, MSG_HISTORY);
        g_assert_cmpint(row->state, ==, cases[i].want);
        g_assert_cmpstr(row->why, ==, cases[i].want_why);
        g_assert_cmpint(row->job.v, ==, 0);
        ids[i] = row->id.v;
    }
    g_assert_cmpint(ids[1], <, ids[0]); /* as time goes, which is the order of lists */
    g_assert_cmpuint(take(w), ==, 0);
}

/* The same where each transaction loses once and is run again. */
static void
test_past_again(void)
{
    g_setenv("POSTRIDER_TEST_RETRY", "1", TRUE);
    g_test_trap_subprocess("/history/past", 0, 0);
    g_unsetenv("POSTRIDER_TEST_RETRY");
    g_test_trap_assert_passed();
}

/* Mail in hand goes on with the job that it answers, unless that job is over. */
static void
test_in_hand(TestWork *w, gconstpointer data)
{
    static const char task[] =
        "From: ann@example.org\nTo: envoy@example.org\nSubject: s\nMessage-ID: <a@x>\n\nGo.\n";
    bool over = data != NULL;
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(GError) error = NULL;

    work_take_in(w, "envoy", task, TRUST_PRINCIPAL, MSG_STORED);
    work_claim(w);
    if (over) {
        proposal_add_mail(p)->body = g_strdup("Done.");
        g_assert_true(policy_check(&w->engine, w->job, &w->in, p, &verdicts, &error));
        bool ok = step_commit(&w->engine, &w->claim, &w->in, p, verdicts, &result, &error);
        g_assert_no_error(error);
        g_assert_true(ok);
    }
    file_old(w, "Active", "more@x>\nIn-Reply-To: <a@x", 1000);
    (void)take(w);
    g_assert_true(messages_find(w->engine.db, &VIEWER_OPERATOR, "more@x", &row, &error));
    g_assert_cmpint(row->job.v, ==, over ? 0 : w->id.v);
    g_assert_cmpint(row->state, ==, over ? MSG_IGNORED : MSG_SHOWN);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/history/past", TestWork, NULL, work_open, test_past, work_close);
    g_test_add_func("/history/past-again", test_past_again);
    g_test_add("/history/in-hand", TestWork, NULL, work_open, test_in_hand, work_close);
    g_test_add("/history/in-hand-over", TestWork, "over", work_open, test_in_hand, work_close);
    return g_test_run();
}
