/* The worktree of a job: rows, what a crash leaves, and from where its work counts. git
 * itself is the oracle. */
#include "engine/tree/tree.h"
#include "engine/tree/tree_apply.h"
#include "base/err.h"
#include "base/proc.h"
#include "engine/run/workplace.h"
#include "testwork.h"

static void
git(const char *repo, const char *const *args)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Proc) proc = NULL;
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    const char *const begin[] = {
        "git", "-C", repo, "-c", "user.name=Ann", "-c", "user.email=ann@example.org"};

    for (size_t i = 0; i < G_N_ELEMENTS(begin); i++)
        g_ptr_array_add(argv, (void *)begin[i]);
    for (; *args; args++)
        g_ptr_array_add(argv, (void *)*args);
    g_ptr_array_add(argv, NULL);
    const ProcSpec spec = {.argv = (const char *const *)argv->pdata};
    g_assert_true(proc_run(&spec, &proc, &error));
    g_assert_cmpstr(proc_result(proc)->why, ==, NULL);
}

typedef struct Bench {
    TestWork w;
    char *repo;
    ConfRole role;
} Bench;

/* A repository in the home with one commit, and a claimed job of a role that works there. */
static void
bench_open(Bench *b, gconstpointer data)
{
    work_open(&b->w, data);
    b->repo = g_build_filename(b->w.home->path, "repo", NULL);
    g_assert_cmpint(g_mkdir(b->repo, 0700), ==, 0);
    test_write(b->repo, "a.txt", "one\n");
    git(b->repo, GIT_ARGS("init", "-q", "-b", "main"));
    git(b->repo, GIT_ARGS("add", "-A"));
    git(b->repo, GIT_ARGS("commit", "-q", "-m", "First"));
    work_take_in(&b->w, "envoy",
                 "From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Please\n"
                 "Message-ID: <a@b>\nDate: Tue, 17 Nov 2026 10:00:00 +0000\n\nx\n",
                 TRUST_PRINCIPAL, MSG_STORED);
    work_claim(&b->w);
    b->role = *work_role(&b->w);
    b->role.workdir = b->repo;
    b->role.commit = true;
}

static void
bench_close(Bench *b, gconstpointer data)
{
    work_close(&b->w, data);
    g_free(b->repo);
}

static Workplace *
open_place(Bench *b)
{
    g_autoptr(GError) error = NULL;
    Workplace *place = NULL;

    workplace_open(&b->w.engine, b->w.job, &b->role, &b->w.claim, &place, &error);
    g_assert_no_error(error);
    return place;
}

static TreeRow *
load_row(Bench *b)
{
    g_autoptr(GError) error = NULL;
    TreeRow *row = NULL;

    g_assert_true(tree_find(b->w.engine.db, b->w.id, &row, &error));
    return row;
}

static void
save_row(Bench *b, const TreeRow *row)
{
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = test_begin(b->w.engine.db);

    g_assert_true(tree_save(&txn, b->w.id, row, &error));
    test_commit(&txn);
}

static void
test_made(Bench *b, gconstpointer data)
{
    g_autoptr(TreeRow) none = load_row(b);
    g_assert_null(none);
    g_autoptr(Workplace) place = open_place(b);
    g_autoptr(TreeRow) row = load_row(b);

    g_assert_nonnull(place->tree);
    g_assert_cmpstr(place->cwd, ==, place->tree->path);
    g_assert_cmpstr(row->branch, ==, "postrider/1");
    g_assert_cmpint(row->state, ==, TREE_MADE);
    g_assert_true(row->ours);
    g_assert_null(row->told);
    g_autofree char *file = g_build_filename(place->cwd, "a.txt", NULL), *text = NULL;
    g_assert_true(g_file_get_contents(file, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "one\n");
}

/* Each state that a crash may leave, and files that are half there. */
static void
test_unfinished(Bench *b, gconstpointer data)
{
    static const struct {
        bool ours, worktree, branch;
    } crashes[] = {
        {false, false, false}, {false, false, true}, {false, true, true}, {true, true, true}};

    g_autoptr(Workplace) first = open_place(b);
    g_autoptr(TreeRow) row = load_row(b);
    g_autofree char *tree = g_strdup(first->tree->path);
    g_autofree char *lock = g_strconcat(first->tree->index, ".lock", NULL);
    g_clear_pointer(&first, workplace_close);
    for (size_t i = 0; i < G_N_ELEMENTS(crashes); i++) {
        if (!crashes[i].worktree)
            git(b->repo, GIT_ARGS("worktree", "remove", "-f", tree));
        else
            g_assert_true(g_file_set_contents(lock, "", 0, NULL));
        if (!crashes[i].branch)
            git(b->repo, GIT_ARGS("branch", "-q", "-D", "postrider/1"));
        row->ours = crashes[i].ours;
        row->state = TREE_BEGUN;
        save_row(b, row);
        g_autoptr(Workplace) again = open_place(b);
        g_autofree char *file = g_build_filename(tree, "a.txt", NULL);
        g_assert_true(g_file_test(file, G_FILE_TEST_EXISTS));
        g_assert_cmpstr(again->tree->row->branch, ==, "postrider/1");
        g_assert_cmpint(again->tree->row->state, ==, TREE_MADE);
    }
}

static void
test_commit_left(Bench *b, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(b);
    Tree *t = place->tree;
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    ProposedMail *mail = proposal_add_mail(p);
    g_autoptr(GError) error = NULL;

    mail->body = g_strdup("Done.");
    tree_commit(t, b->w.job, &b->role);
    g_assert_null(t->left);
    g_assert_cmpstr(t->head, ==, t->row->base);
    tree_report(t, b->w.job, &b->role, mail);
    g_assert_cmpstr(mail->body, ==, "Done.");
    g_assert_cmpuint(mail->files->len, ==, 0);

    test_write(t->path, "new.txt", "x\n");
    tree_commit(t, b->w.job, &b->role);
    g_assert_null(t->left);
    g_assert_cmpstr(t->head, !=, t->row->base);
    tree_report(t, b->w.job, &b->role, mail);
    g_assert_nonnull(strstr(mail->body, "1 commit on branch `postrider/1`:\n\n    "));
    g_assert_cmpuint(mail->files->len, ==, 1);
    g_assert_true(tree_told(t, &error));
    g_autoptr(TreeRow) row = load_row(b);
    g_assert_cmpstr(row->told, ==, t->head);
}

static void
test_apply(Bench *b, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(b);
    g_autofree char *file = g_build_filename(b->repo, "new.txt", NULL), *text = NULL;
    g_auto(TreeApplied) first = {0}, again = {0};
    g_autoptr(GError) error = NULL;

    test_write(place->tree->path, "new.txt", "x\n");
    tree_commit(place->tree, b->w.job, &b->role);
    g_autoptr(TreeRow) row = load_row(b);
    bool ok = tree_apply(b->w.home, b->repo, row, &first, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_assert_cmpstr(first.into, ==, "main");
    g_assert_cmpstr(first.before, ==, row->base);
    g_assert_cmpstr(first.after, ==, place->tree->head);
    g_assert_true(g_file_get_contents(file, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "x\n");

    g_assert_true(tree_apply(b->w.home, b->repo, row, &again, &error));
    g_assert_cmpstr(again.before, ==, again.after);
}

/* The oldest of many commits are counted, the newest are named. */
static void
test_many_commits(Bench *b, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(b);
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    ProposedMail *mail = proposal_add_mail(p);

    mail->body = g_strdup("Done.");
    for (unsigned i = 1; i <= 21; i++) {
        g_autofree char *subject = g_strdup_printf("Commit %u.", i);
        git(place->tree->path, GIT_ARGS("commit", "-q", "--allow-empty", "-m", subject));
    }
    tree_commit(place->tree, b->w.job, &b->role);
    tree_report(place->tree, b->w.job, &b->role, mail);
    g_assert_nonnull(strstr(mail->body, "21 commits on branch `postrider/1`:\n\n    … 1 older\n"));
    g_assert_null(strstr(mail->body, " Commit 1.\n"));
    g_assert_nonnull(strstr(mail->body, " Commit 2.\n"));
    g_assert_nonnull(strstr(mail->body, " Commit 21.\n"));
    /* Nothing is in them: there is no patch, and what was said stands. */
    g_assert_true(g_str_has_suffix(mail->body, "`git merge postrider/1` takes it over."));
    g_assert_cmpuint(mail->files->len, ==, 0);
}

/* Somebody has removed the worktree: it is made again, with all that was committed. */
static void
test_removed(Bench *b, gconstpointer data)
{
    g_autoptr(Workplace) first = open_place(b);
    g_autofree char *tree = g_strdup(first->tree->path), *text = NULL;

    test_write(tree, "new.txt", "x\n");
    tree_commit(first->tree, b->w.job, &b->role);
    g_clear_pointer(&first, workplace_close);
    git(b->repo, GIT_ARGS("worktree", "remove", "-f", tree));

    g_autoptr(Workplace) again = open_place(b);
    g_autofree char *file = g_build_filename(again->tree->path, "new.txt", NULL);
    g_assert_true(g_file_get_contents(file, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "x\n");
    g_assert_cmpint(again->tree->row->state, ==, TREE_MADE);
}

/* Somebody has merged the work and removed the branch: what comes now is told as new work. */
static void
test_begun_again(Bench *b, gconstpointer data)
{
    g_autoptr(Workplace) first = open_place(b);
    g_autofree char *tree = g_strdup(first->tree->path);
    g_autoptr(GError) error = NULL;

    test_write(tree, "new.txt", "x\n");
    tree_commit(first->tree, b->w.job, &b->role);
    g_assert_true(tree_told(first->tree, &error));
    g_clear_pointer(&first, workplace_close);
    git(b->repo, GIT_ARGS("merge", "-q", "postrider/1"));
    git(b->repo, GIT_ARGS("worktree", "remove", "-f", tree));
    git(b->repo, GIT_ARGS("branch", "-q", "-D", "postrider/1"));

    g_autoptr(Workplace) again = open_place(b);
    g_autoptr(TreeRow) row = load_row(b);
    g_assert_cmpstr(again->tree->row->branch, ==, "postrider/1");
    g_assert_true(row->ours);
    g_assert_null(row->told);
}

static void
test_lost(Bench *b, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(b);
    g_autofree char *aside = g_strconcat(b->repo, ".moved", NULL);

    /* The repository goes while the program works: its answer is told all the same. */
    test_write(place->tree->path, "new.txt", "x\n");
    g_assert_cmpint(g_rename(b->repo, aside), ==, 0);
    tree_commit(place->tree, b->w.job, &b->role);
    g_assert_nonnull(place->tree->left);
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    ProposedMail *mail = proposal_add_mail(p);
    mail->body = g_strdup("Done.");
    tree_report(place->tree, b->w.job, &b->role, mail);
    g_assert_true(g_str_has_prefix(mail->body, "Done.\n\n(Not committed: "));
    g_assert_nonnull(strstr(mail->body, "what it left stays in its worktree: git rev-parse"));
}

static void
test_plain(Bench *b, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Workplace) second = NULL;

    b->role.workdir = "mail";
    g_autoptr(Workplace) first = open_place(b);
    g_assert_null(first->tree);
    g_assert_false(first->busy);
    g_assert_true(
        workplace_open(&b->w.engine, b->w.job, &b->role, &b->w.claim, &second, &error));
    g_assert_true(second->busy);
    g_clear_pointer(&first, workplace_close);
    g_clear_pointer(&second, workplace_close);
    second = open_place(b);
    g_assert_false(second->busy);
}

#define ADD(name, call) g_test_add("/tree/" name, Bench, NULL, bench_open, call, bench_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_setenv("GIT_CONFIG_GLOBAL", "/dev/null", TRUE);
    g_autofree char *program = g_find_program_in_path("git");
    if (!program) {
        g_test_message("no git");
        return g_test_run();
    }
    ADD("made", test_made);
    ADD("unfinished", test_unfinished);
    ADD("commit", test_commit_left);
    ADD("apply", test_apply);
    ADD("many-commits", test_many_commits);
    ADD("removed", test_removed);
    ADD("begun-again", test_begun_again);
    ADD("lost", test_lost);
    ADD("plain", test_plain);
    return g_test_run();
}
