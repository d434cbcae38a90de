/* A statement that the store refuses, whichever it is, leaves a decision whole: all of it is there, or nothing and an error. */
#include "base/config/config.h"
#include "engine/in/intake.h"
#include "engine/people/waits.h"
#include "engine/run/settle.h"
#include "store/job/budget.h"
#include "store/mail/mailbox_visit.h"
#include "store/mail/mailboxes.h"
#include "store/out/outbox_smtp.h"
#include "store/sql.h"
#include "testwork.h"
#include <sqlite3.h>

typedef struct Rig {
    TestWork w;
    Intake *intake;
    sqlite3 *handle;
    unsigned left; /* statements until the one that is refused; 0: none is */
    bool refused;
    unsigned files;
} Rig;

static const char task[] =
    "From: Ann <ann@example.org>\nTo: envoy@example.org\nSubject: a plan\nMessage-ID: <m1@x>\n\nmake one\n";
static const char order[] = "From: Ann <ann@example.org>\nTo: envoy@example.org\nSubject: Re: a plan\nMessage-ID: <m2@x>\n"
                            "In-Reply-To: <m1@x>\n\nSTOP\n";
static const char more[] = "From: Ann <ann@example.org>\nTo: envoy@example.org\nSubject: Re: a plan\nMessage-ID: <m3@x>\n"
                           "In-Reply-To: <m1@x>\n\nmake it short\n";

static const char yes[] = "From: Ann <ann@example.org>\nTo: envoy@example.org\nSubject: Re: may it?\nMessage-ID: <m4@x>\n"
                          "In-Reply-To: <nobody@knows>\n\nAPPROVE\n";

static const char alone[] =
    "From: Ann <ann@example.org>\nTo: envoy@example.org\nSubject: may it?\nMessage-ID: <m5@x>\n\nAPPROVE\n";

/* What SQLite begins for itself, such as a trigger's statements, has a comment for its text. */
static int
on_statement(unsigned what, void *data, void *statement, void *text)
{
    static const char *const frame[] = {"--", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"};
    Rig *r = data;

    for (size_t i = 0; i < G_N_ELEMENTS(frame); i++)
        if (g_str_has_prefix(text, frame[i]))
            return 0;
    if (r->left > 0 && --r->left == 0) {
        r->refused = true;
        g_test_message("refused: %.150s", (const char *)text);
        sqlite3_interrupt(r->handle);
    }
    return 0;
}

static void
rig_open(Rig *r)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Maildir) md = NULL;

    *r = (Rig){0};
    work_open(&r->w, NULL);
    ((Config *)r->w.home->config)->require_auth = AUTH_NONE;
    g_assert_true(maildir_open(r->w.home->mail_fd, "envoy", true, &md, &error));
    Txn txn = test_begin(r->w.engine.db);
    g_assert_true(mailbox_set_visited(&txn, "envoy", &error));
    test_commit(&txn);
    intake_open(&r->w.engine, &r->w.home->config->accounts[0], 0, &r->intake, &error);
    g_assert_no_error(error);
    r->handle = sql_handle(r->w.engine.db);
    sqlite3_trace_v2(r->handle, SQLITE_TRACE_STMT, on_statement, r);
}

static void
rig_close(Rig *r)
{
    intake_close(r->intake);
    work_close(&r->w, NULL);
}

/* The newest file of the mailbox, as inotify names it. */
static bool
take_in(Rig *r, GError **error)
{
    g_autofree char *name = g_strdup_printf("new/test.%u", r->files);
    g_autoptr(GPtrArray) files = g_ptr_array_new();
    IntakeStats stats = {0};

    g_ptr_array_add(files, name);
    return intake_files(r->intake, work_role(&r->w), files, &stats, error) && stats.left == 0;
}

static void
put(Rig *r, const char *raw)
{
    g_autofree char *dir = g_build_filename(r->w.home->path, "mail", "envoy", NULL);
    g_autofree char *name = g_strdup_printf("new/test.%u", ++r->files);

    test_write(dir, name, raw);
}

static void
put_task(Rig *r)
{
    put(r, task);
}

static void
take_task(Rig *r)
{
    g_autoptr(GError) error = NULL;

    put(r, task);
    g_assert_true(take_in(r, &error));
}

static void
put_order(Rig *r)
{
    take_task(r);
    put(r, order);
}

static void
put_more(Rig *r)
{
    take_task(r);
    put(r, more);
}

static void
put_yes(Rig *r)
{
    put(r, yes);
}

static void
put_alone(Rig *r)
{
    put(r, alone);
}

static void
begin_step(Rig *r)
{
    take_task(r);
    r->w.id = (JobId){1};
    work_claim(&r->w);
    r->w.in.iterations_left = 3;
}

/* A note that is attached to the answer, and the end. */
static bool
commit(Rig *r, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};
    g_autoptr(GBytes) answer = g_bytes_new_static("{}", 2);
    ProposedMail *mail = proposal_add_mail(p);
    ProposedNote *note = proposal_add_note(p, NOTE_REPLACE, "a/b");
    ProposedFile *file = g_new0(ProposedFile, 1);

    note->body = g_bytes_new("text", 4);
    mail->body = g_strdup("here it is");
    file->filename = g_strdup("b.txt");
    file->note_key = g_strdup("a/b");
    proposed_files_add(mail->files, file);
    ProposedMove *move = g_new0(ProposedMove, 1);
    move->msgid = g_strdup("m1@x");
    move->folder = g_strdup("Archive");
    proposed_moves_add(p->moves, move);
    r->w.in.answer = answer;
    bool ok = policy_check(&r->w.engine, r->w.job, &r->w.in, p, &verdicts, error) &&
              step_commit(&r->w.engine, &r->w.claim, &r->w.in, p, verdicts, &result, error);
    r->w.in.answer = NULL;
    return ok;
}

/* At a limit: a checkpoint mail, and the job waits. */
static bool
park(Rig *r, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_PARK);
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};

    p->resume = (Due){.us = TEST_NOW + 60 * USEC_PER_SEC};
    r->w.in.bare = true;
    return policy_check(&r->w.engine, r->w.job, &r->w.in, p, &verdicts, error) &&
           step_commit(&r->w.engine, &r->w.claim, &r->w.in, p, verdicts, &result, error);
}

/* It waits for an answer of hers, and the time for that has passed. */
static void
wait_too_long(Rig *r)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Proposal) p = proposal_new(PROPOSE_PARK);
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};

    begin_step(r);
    proposal_add_mail(p)->body = g_strdup("Which one?");
    p->resume = (Due){.us = TEST_NOW + 60 * USEC_PER_SEC};
    p->wait_then = WAIT_REMIND;
    p->waiting_for = g_strdup("a reply");
    g_assert_true(policy_check(&r->w.engine, r->w.job, &r->w.in, p, &verdicts, &error) &&
                  step_commit(&r->w.engine, &r->w.claim, &r->w.in, p, verdicts, &result, &error));
    r->w.home->clock.fixed_wall_us += 3600 * USEC_PER_SEC;
}

static bool
remind(Rig *r, GError **error)
{
    unsigned n;

    return waits_act(&r->w.engine, &n, error);
}

static void
commit_step(Rig *r)
{
    g_autoptr(GError) error = NULL;

    begin_step(r);
    commit(r, &error);
    g_assert_no_error(error);
}

/* The task goes to Done, the note to its file: one effect after the other. */
static bool
settle(Rig *r, GError **error)
{
    unsigned n;

    return settle_local(&r->w.engine, &n, error);
}

/* One decision; what it tells is whether it was made. */
static bool
decide(Rig *r, bool (*does)(Rig *r, Txn *txn, GError **error), GError **error)
{
    g_auto(Txn) txn = {.db = r->w.engine.db, .flush = TXN_LAZY};

    while (txn_again(&txn, error))
        txn.ok = does(r, &txn, error);
    return txn.done;
}

static bool
does_reserve(Rig *r, Txn *txn, GError **error)
{
    bool got;

    return budget_reserve(txn, &r->w.claim, 5, true, &got, error);
}

static bool
reserve(Rig *r, GError **error)
{
    return decide(r, does_reserve, error);
}

static void
send_outside(Rig *r)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = g_bytes_new_static("x", 1);
    const OutTo to = {.address = "bob@far.example", .folder = "", .account = "main"};
    const OutMail mail = {.msgid = "1.1.a@x",
                          .from = "envoy@example.org",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .to = &to,
                          .n_to = 1};
    OutId id;
    Txn txn = test_begin(r->w.engine.db);

    g_assert_true(outbox_next(&txn, &id, &error) && outbox_put(&txn, id, &mail, &error));
    g_assert_true(sql_run(&txn, "UPDATE delivery SET state = 'sent', why = NULL", &error, ""));
    test_commit(&txn);
}

static bool
does_bounce(Rig *r, Txn *txn, GError **error)
{
    int64_t delivery;

    return outbox_bounced(txn, (OutId){1}, "bob@far.example", "550", &delivery, error);
}

static bool
bounce(Rig *r, GError **error)
{
    return decide(r, does_bounce, error);
}

static void
nothing(Rig *r)
{
}

static bool
leave_mailbox(Rig *r, GError **error)
{
    return mailbox_set_state(r->w.engine.db, &r->w.home->config->accounts[0], MAILBOX_REFUSED, 0, error);
}

#define MAILS "SELECT group_concat(class || ' ' || state || ' ' || coalesce(job, '-')) FROM message"
#define JOBS "SELECT group_concat(state || ' ' || seq || ' ' || epoch) FROM job"
#define SENT                                                                                                       \
    "SELECT (SELECT count(*) FROM outbox) || ' ' || (SELECT count(*) FROM note_version) || ' ' || "               \
    "(SELECT group_concat(state) FROM job)"

static const struct {
    const char *name;
    void (*before)(Rig *r);
    bool (*act)(Rig *r, GError **error);
    const char *sql; /* what shows that it happened */
    bool in_parts;   /* it may stop in the middle, or put it off, and goes on there */
} acts[] = {
    {"a task is taken in", put_task, take_in, MAILS},
    {"an order is taken in", put_order, take_in, JOBS},
    {"more for a job is taken in", put_more, take_in, MAILS},
    {"a yes to no question is taken in", put_yes, take_in, MAILS},
    {"a yes that is no reply is taken in", put_alone, take_in, MAILS},
    {"a step is committed", begin_step, commit, SENT},
    {"a job parks", begin_step, park, SENT},
    {"somebody is reminded", wait_too_long, remind, SENT, true},
    {"files follow", commit_step, settle, "SELECT count(*) FROM effect", true},
    {"money is set aside", begin_step, reserve, "SELECT count(*) FROM asking"},
    {"a mail comes back", send_outside, bounce, "SELECT state || coalesce(why, '') FROM delivery"},
    {"a mailbox is another home's", nothing, leave_mailbox, "SELECT state FROM mailbox"},
};

static char *
look(Rig *r, const char *sql)
{
    g_autoptr(GError) error = NULL;
    char *is = NULL;

    sql_string(r->w.engine.db, sql, &is, &error, "");
    g_assert_no_error(error);
    return is ? is : g_strdup("");
}

static void
test_act(gconstpointer data)
{
    size_t i = GPOINTER_TO_SIZE(data);
    g_autofree char *whole = NULL;
    unsigned statements = 0, failed = 0;
    bool again = true;
    Rig r;

    rig_open(&r);
    acts[i].before(&r);
    g_assert_true(acts[i].act(&r, NULL));
    whole = look(&r, acts[i].sql);
    rig_close(&r);
    while (again) {
        rig_open(&r);
        acts[i].before(&r);
        g_autofree char *before = look(&r, acts[i].sql);
        g_assert_cmpstr(before, !=, whole);
        for (bool ok = false; !ok && again;) {
            g_autoptr(GError) error = NULL;
            r.refused = false;
            r.left = ++statements;
            ok = acts[i].act(&r, &error);
            r.left = 0;
            again = r.refused;
            failed += !ok;
            g_autofree char *after = look(&r, acts[i].sql);
            g_test_message("%u: %s", statements, ok ? "done" : error ? error->message : "left for later");
            g_assert_true(ok || again);
            g_assert_true(!ok || !error);
            if (!again || !acts[i].in_parts)
                g_assert_cmpstr(after, ==, ok ? whole : before);
        }
        rig_close(&r);
    }
    g_test_message("%u of %u statements can fail it", failed, statements - 1);
    g_assert_cmpuint(failed, >, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(acts); i++) {
        g_autofree char *path = g_strconcat("/refused/", acts[i].name, NULL);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_act);
    }
    return g_test_run();
}
