#include "engine/out/deliver.h"
#include "../store/testhome.h"
#include "../store/testmount.h"
#include "base/cleanup.h"
#include "base/crash.h"
#include "base/err.h"
#include "base/lock.h"
#include "base/proc.h"
#include "mail/maildir.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"
#include "store/sql.h"
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#define MARK "deliver.mark"
#define DAY_US (86400 * USEC_PER_SEC)

static const char raw[] = "Message-ID: <1.1.aa@example.org>\r\nFrom: ann@example.org\r\n"
                          "To: envoy@example.org\r\nSubject: hello\r\n\r\nbody\r\n";

static OutId
put_to(Db *db, const OutTo *to, size_t n_to)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(raw, strlen(raw));
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(db);
    OutId id;

    g_assert_true(outbox_next(&txn, &id, NULL));
    g_autofree char *msgid = g_strdup_printf("1.%d.aa@example.org", (int)id.v);
    const OutMail mail = {.msgid = msgid,
                          .from = "ann@example.org",
                          .subject = "hello",
                          .bytes = bytes,
                          .level = TRUST_PRINCIPAL,
                          .to = to,
                          .n_to = n_to};
    outbox_put(&txn, id, &mail, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}

static OutId
put(Db *db, const char *mailbox)
{
    const OutTo to = {.address = "envoy@example.org", .mailbox = mailbox, .folder = ""};

    return put_to(db, &to, 1);
}

static void
put_many(Db *db, const char *mailbox, int n)
{
    for (int i = 0; i < n; i++)
        (void)put(db, mailbox);
}

static DeliverStats
deliver(Home *home, Db *db, unsigned batch, bool redo)
{
    g_autoptr(GError) error = NULL;
    DeliverStats stats = {0};

    deliver_pass(home, db, batch, redo, &stats, &error);
    g_assert_no_error(error);
    return stats;
}

/* All mails of a mailbox, INBOX and the folders. */
static GPtrArray *
list(Home *home, const char *mailbox)
{
    static const char *const folders[] = {"", "Sent", "Done", "Archive"};
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)maildir_entry_free);
    g_autoptr(Maildir) md = NULL;

    if (!maildir_open(home->mail_fd, mailbox, false, &md, NULL))
        return all;
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        GPtrArray *some = NULL;
        unsigned foreign;
        g_assert_true(maildir_scan(md, folders[i], false, &some, &foreign, NULL));
        g_ptr_array_extend_and_steal(all, some);
    }
    return all;
}

static unsigned
count(Home *home, const char *mailbox)
{
    g_autoptr(GPtrArray) all = list(home, mailbox);

    return all->len;
}

static OutRow *
first_row(Db *db, OutId id)
{
    const Viewer everyone = VIEWER_OPERATOR;
    const OutQuery q = {.id = id, .all = true, .copies = true};
    g_autoptr(OutRows) rows = NULL;

    g_assert_true(outbox_list(db, &everyone, &q, &rows, NULL));
    g_assert_cmpuint(rows->len, >=, 1);
    return g_ptr_array_steal_index(LIST_ARRAY(rows), 0);
}

static char *
read_mark(Home *home)
{
    g_autofree char *path = g_build_filename(home->path, "state", MARK, NULL);
    char *text = NULL;

    (void)g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

static void
test_files(void)
{
    static const OutTo to[] = {
        {.address = "envoy@example.org", .mailbox = "envoy", .folder = ""},
        {.address = "ann@example.org", .mailbox = "ann", .folder = "Sent", .flags = "S"},
        {.address = "far@elsewhere.net", .mailbox = NULL, .folder = ""},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    OutId id = put_to(db, to, G_N_ELEMENTS(to));

    DeliverStats stats = deliver(home, db, 0, false);
    g_assert_cmpuint(stats.sent, ==, 2);
    g_assert_cmpuint(stats.retried + stats.failed, ==, 0);

    g_autoptr(GPtrArray) inbox = list(home, "envoy"), sent = list(home, "ann");
    g_assert_cmpuint(inbox->len, ==, 1);
    g_assert_cmpuint(sent->len, ==, 1);
    const MaildirEntry *in = inbox->pdata[0], *copy = sent->pdata[0];
    g_assert_true(in->in_new);
    g_assert_cmpstr(in->folder, ==, "");
    g_assert_false(copy->in_new);
    g_assert_cmpstr(copy->folder, ==, "Sent");
    g_assert_cmpstr(copy->flags, ==, "S");

    g_autoptr(Maildir) md = NULL;
    g_autoptr(GBytes) bytes = NULL;
    g_assert_true(maildir_open(home->mail_fd, "envoy", false, &md, NULL));
    g_assert_true(maildir_read(md, in, 1 << 20, &bytes, NULL));
    g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
    g_assert_true(g_str_has_prefix(text, "X-Postrider-Origin: v1 "));
    g_assert_true(g_str_has_suffix(text, raw));

    g_autoptr(OutRows) due = NULL;
    g_assert_true(outbox_due(db, home_now(home), true, 10, &due, NULL));
    g_assert_cmpuint(due->len, ==, 0);
    g_autoptr(OutRow) row = first_row(db, id);
    g_assert_cmpint(row->id.v, ==, id.v);
    db_close(db);
    test_home_free(home);
}

static void
test_batches(void)
{
    static const struct {
        unsigned batch;
        int n, mailboxes;
    } cases[] = {{1, 3, 1}, {2, 5, 2}, {0, 120, 2}, {50, 50, 1}, {500, 120, 2}};
    static const char *const names[] = {"envoy", "scribe"};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        Db *db = test_db_open(home, DB_WRITE);
        for (int k = 0; k < cases[i].n; k++)
            (void)put(db, names[k % cases[i].mailboxes]);
        DeliverStats stats = deliver(home, db, cases[i].batch, false);
        g_assert_cmpuint(stats.sent, ==, cases[i].n);
        g_assert_cmpuint(count(home, "envoy") + count(home, "scribe"), ==, cases[i].n);
        db_close(db);
        test_home_free(home);
    }
}

/* A process of its own delivers, and dies at a point. */
static void
deliver_and_die(const Home *home, const char *point)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        g_setenv("POSTRIDER_DIE_AT", point, TRUE);
        crash_armed = -1;
        Home *own = test_home_at(home->path);
        Db *db = test_db_open(own, DB_WRITE);
        (void)deliver(own, db, 0, false);
        _exit(1);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* What a mail client may do with mail that is there, while nobody has marked it as sent. */
static void
leave(Home *home, MaildirEntry *e)
{
}

static void
see(Home *home, MaildirEntry *e)
{
    g_autoptr(Maildir) md = NULL;

    g_assert_true(maildir_open(home->mail_fd, "envoy", false, &md, NULL));
    g_assert_true(maildir_flag(md, e->base, "S", "", NULL));
}

static void
file_away(Home *home, MaildirEntry *e)
{
    g_autoptr(Maildir) md = NULL;

    g_assert_true(maildir_open(home->mail_fd, "envoy", false, &md, NULL));
    g_assert_true(maildir_flag(md, e->base, "RS", "", NULL));
    g_assert_true(maildir_move(md, e->base, "Archive", NULL));
}

static void
test_lost_mark(void)
{
    static const struct {
        const char *name, *point;
        void (*client)(Home *home, MaildirEntry *e);
    } cases[] = {
        {"left in new", "deliver-filed", leave},
        {"seen", "deliver-filed", see},
        {"filed away", "deliver-filed", file_away},
        {"in the commit", "txn-before-commit", file_away},
        {"before the folder is flushed", "maildir-renamed", see},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        Db *db = test_db_open(home, DB_WRITE);
        put_many(db, "envoy", 3);
        db_close(db);
        deliver_and_die(home, cases[i].point);
        g_autoptr(GPtrArray) there = list(home, "envoy");
        g_assert_cmpuint(there->len, ==, 3);
        cases[i].client(home, there->pdata[1]);

        db = test_db_open(home, DB_WRITE);
        put_many(db, "envoy", 1);
        DeliverStats stats = deliver(home, db, 2, false);
        g_test_message("%s", cases[i].name);
        g_assert_cmpuint(stats.sent, ==, 4);
        g_assert_cmpuint(count(home, "envoy"), ==, 4);
        db_close(db);
        test_home_free(home);
    }
}

/* The mark of who ended well saves the listing; anything else does not. */
static void
test_mark(void)
{
    static const struct {
        const char *name, *mark; /* %s: this boot; NULL: no mark */
        bool redo;
        unsigned want_mails; /* the mail that is there under another name, and the row's own */
    } cases[] = {
        {"none", NULL, false, 1},
        {"somebody died", "- 1\n", false, 1},
        {"another boot", "11111111-2222-3333-4444-555555555555 1\n", false, 1},
        {"ended well, row was begun", "%s 1\n", false, 1},
        {"ended well, row is new", "%s 0\n", false, 2},
        {"asked for", "%s 0\n", true, 1},
        {"cut off", "%s", false, 1},
        {"empty", "", false, 1},
        {"nonsense", "%s many\n", false, 1},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        Db *db = test_db_open(home, DB_WRITE);
        g_autofree char *state = g_build_filename(home->path, "state", NULL);
        OutId id = put(db, "envoy");
        g_autoptr(OutRow) row = first_row(db, id);
        g_autofree char *base = out_row_file(row);
        g_autoptr(Maildir) md = NULL;

        /* As a client leaves it, where only a listing finds it. */
        g_assert_true(maildir_open(home->mail_fd, "envoy", true, &md, NULL));
        g_assert_true(
            maildir_deliver(md, "Archive", base, "S", "", raw, strlen(raw), NULL, NULL));
        if (cases[i].mark) {
            g_auto(GStrv) parts = g_strsplit(cases[i].mark, "%s", 2);
            g_autofree char *text = g_strjoinv(proc_boot_id(), parts);
            test_write(state, MARK, text);
        }
        g_test_message("%s", cases[i].name);
        g_assert_cmpuint(deliver(home, db, 0, cases[i].redo).sent, ==, 1);
        g_assert_cmpuint(count(home, "envoy"), ==, cases[i].want_mails);

        g_autofree char *mark = read_mark(home);
        g_autofree char *want = g_strdup_printf("%s 1\n", proc_boot_id());
        g_assert_cmpstr(mark, ==, want);
        db_close(db);
        test_home_free(home);
    }
}

static void
test_idle_writes_nothing(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    g_assert_cmpuint(deliver(home, db, 0, false).sent, ==, 0);
    g_autofree char *mark = read_mark(home);
    g_assert_null(mark);
    db_close(db);
    test_home_free(home);
}

/* A mailbox that can't be: others go on, this one waits longer each time, then fails. A clock that
 * is set by a year makes no mail older or younger. */
static void
test_broken_mailbox(void)
{
    static const struct {
        int64_t after_us, set_us, want_wait_us;
        OutState want;
    } tries[] = {
        {0, 0, 300 * USEC_PER_SEC, OUT_RETRY},
        {300 * USEC_PER_SEC, 0, 600 * USEC_PER_SEC, OUT_RETRY},
        {600 * USEC_PER_SEC, 365 * DAY_US, 1200 * USEC_PER_SEC, OUT_RETRY},
        {1200 * USEC_PER_SEC, -2 * 365 * DAY_US, 2400 * USEC_PER_SEC, OUT_RETRY},
        {5 * DAY_US, 0, 0, OUT_FAILED},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *mail = g_build_filename(home->path, "mail", NULL);
    OutId bad;

    home->clock.boot = "a";
    home->clock.boot_us = DAY_US;
    test_write(mail, "scribe", "a file where a folder should be");
    bad = put(db, "scribe");
    put_many(db, "envoy", 2);
    for (size_t i = 0; i < G_N_ELEMENTS(tries); i++) {
        home->clock.fixed_wall_us += tries[i].after_us + tries[i].set_us;
        home->clock.boot_us += tries[i].after_us;
        DeliverStats stats = deliver(home, db, 0, false);
        g_autoptr(OutRow) row = first_row(db, bad);
        g_assert_cmpuint(stats.sent, ==, i == 0 ? 2 : 0);
        g_assert_cmpint(row->state, ==, tries[i].want);
        g_assert_cmpuint(stats.retried, ==, tries[i].want == OUT_RETRY);
        g_assert_cmpuint(stats.failed, ==, tries[i].want == OUT_FAILED);
        g_assert_nonnull(strstr(row->why, "scribe"));
        if (tries[i].want_wait_us)
            g_assert_cmpint(row->next_us - home_now(home), ==, tries[i].want_wait_us);
        g_assert_cmpuint(deliver(home, db, 0, false).sent, ==, 0); /* not due yet */
    }
    db_close(db);
    test_home_free(home);
}

static void
test_mended_mailbox(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *path = g_build_filename(home->path, "mail", "scribe", NULL);
    g_autofree char *mail = g_path_get_dirname(path);

    test_write(mail, "scribe", "");
    put_many(db, "scribe", 2);
    g_assert_cmpuint(deliver(home, db, 0, false).retried, ==, 2);
    g_assert_cmpint(g_unlink(path), ==, 0);
    home->clock.fixed_wall_us += 300 * USEC_PER_SEC;
    g_assert_cmpuint(deliver(home, db, 0, false).sent, ==, 2);
    g_assert_cmpuint(count(home, "scribe"), ==, 2);
    db_close(db);
    test_home_free(home);
}

/* One bad row does not keep the others of its mailbox and batch. */
static void
test_bad_row(void)
{
    static const OutTo bad = {
        .address = "envoy@example.org", .mailbox = "envoy", .folder = "../x"};
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    put_many(db, "envoy", 2);
    (void)put_to(db, &bad, 1);
    put_many(db, "envoy", 2);
    DeliverStats stats = deliver(home, db, 0, false);
    g_assert_cmpuint(stats.sent, ==, 4);
    g_assert_cmpuint(stats.retried, ==, 1);
    g_assert_cmpuint(count(home, "envoy"), ==, 4);
    db_close(db);
    test_home_free(home);
}

static void
on_full_disk(Home *home)
{
    g_autofree char *ballast = g_build_filename(home->path, "mail", "scribe", "ballast", NULL);
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(Maildir) md = NULL;
    g_autoptr(OutRow) row = NULL;
    static const char block[4096] = "x";
    OutId id;

    g_assert_true(maildir_open(home->mail_fd, "scribe", true, &md, NULL));
    auto_fd fd = open(ballast, O_WRONLY | O_CREAT, 0600);
    while (write(fd, block, sizeof block) > 0)
        ;
    id = put(db, "scribe");
    put_many(db, "envoy", 1);
    DeliverStats stats = deliver(home, db, 0, false);
    row = first_row(db, id);
    g_assert_cmpuint(stats.sent, ==, 1);
    g_assert_cmpuint(stats.retried, ==, 1);
    g_assert_cmpuint(count(home, "scribe"), ==, 0);
    g_assert_nonnull(strstr(row->why, g_strerror(ENOSPC)));

    g_assert_cmpint(g_unlink(ballast), ==, 0);
    g_assert_cmpint(ftruncate(fd, 0), ==, 0);
    home->clock.fixed_wall_us += 300 * USEC_PER_SEC;
    g_assert_cmpuint(deliver(home, db, 0, false).sent, ==, 1);
    g_assert_cmpuint(count(home, "scribe"), ==, 1);
    db_close(db);
}

static void
test_full_disk(void)
{
    test_in_mount("mail/scribe", "size=64k", on_full_disk);
}

static void
test_hold_all(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    put_many(db, "envoy", 2);
    Txn txn = test_begin(db);
    g_assert_true(meta_set(&txn, "hold-all", "an old backup", NULL));
    test_commit(&txn);
    g_assert_cmpuint(deliver(home, db, 0, false).sent, ==, 0);
    g_assert_cmpint(deliver_main(home, db), ==, 0);
    g_assert_cmpuint(count(home, "envoy"), ==, 0);

    txn = test_begin(db);
    g_assert_true(meta_set(&txn, "hold-all", NULL, NULL));
    test_commit(&txn);
    g_assert_cmpuint(deliver(home, db, 0, false).sent, ==, 2);
    db_close(db);
    test_home_free(home);
}

static int
refuse(void *commits)
{
    return ++*(unsigned *)commits > 0; /* the commit is a rollback then */
}

/* What the store does not take as sent is not counted so, and there is still one of each. */
static void
test_no_commit(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    DeliverStats stats = {0};
    unsigned commits = 0;

    put_many(db, "envoy", 3);
    sqlite3_commit_hook(sql_handle(db), refuse, &commits);
    g_assert_false(deliver_pass(home, db, 0, false, &stats, NULL));
    g_assert_cmpuint(commits, >, 0);
    sqlite3_commit_hook(sql_handle(db), NULL, NULL);
    home->clock.fixed_wall_us += DAY_US;
    g_assert_cmpuint(deliver(home, db, 0, false).sent, ==, 3);
    g_assert_cmpuint(count(home, "envoy"), ==, 3);
    db_close(db);
    test_home_free(home);
}

/* Whoever finds the lock taken goes away in peace. */
static void
test_lock(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    int lock = -1;

    put_many(db, "envoy", 1);
    g_assert_true(lock_take(home->state_fd, "deliver.lock", 0, &lock, NULL));
    g_assert_cmpint(deliver_main(home, db), ==, 0);
    g_assert_cmpuint(count(home, "envoy"), ==, 0);
    cleanup_fd(&lock);
    g_assert_cmpint(deliver_main(home, db), ==, 0);
    g_assert_cmpuint(count(home, "envoy"), ==, 1);
    db_close(db);
    test_home_free(home);
}

/* TERM: what was begun is marked, the rest stays. */
static void
test_term(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    int status;

    put_many(db, "envoy", 2);
    db_close(db);
    pid_t pid = fork();
    if (pid == 0) {
        Home *own = test_home_at(home->path);
        sigset_t term;
        sigemptyset(&term);
        sigaddset(&term, SIGTERM);
        sigprocmask(SIG_BLOCK, &term, NULL);
        (void)raise(SIGTERM);
        _exit(deliver_main(own, test_db_open(own, DB_WRITE)));
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
    g_assert_cmpuint(count(home, "envoy"), ==, 0);
    test_home_free(home);
}

static unsigned
count_tmp(Home *home, const char *mailbox)
{
    g_autofree char *path = g_build_filename(home->path, "mail", mailbox, "tmp", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    unsigned n = 0;

    while (dir && g_dir_read_name(dir))
        n++;
    return n;
}

/* While the files of a batch are written somebody takes one mail back: it does not appear, nor
 * does its copy, and the others do. The deliverer waits at the gate, which we hold. */
static void
test_taken_back(void)
{
    static const OutTo to[] = {
        {.address = "envoy@example.org", .mailbox = "envoy", .folder = ""},
        {.address = "ann@example.org", .mailbox = "ann", .folder = "Sent", .flags = "S"},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    OutId ids[3];
    int status, go[2];

    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++)
        ids[i] = put_to(db, to, G_N_ELEMENTS(to));
    g_assert_cmpint(pipe(go), ==, 0);
    pid_t pid = fork();
    if (pid == 0) {
        g_assert_cmpint(read(go[0], &status, 1), ==, 1);
        Home *own = test_home_at(home->path);
        Db *other = test_db_open(own, DB_WRITE);
        DeliverStats stats = deliver(own, other, 0, false);
        _exit(stats.sent == 4 && stats.retried + stats.failed == 0 ? 0 : 1);
    }
    Txn txn = test_begin(db);
    g_assert_cmpint(write(go[1], "", 1), ==, 1);
    /* Then it waits for the gate, and tells nobody. */
    while (count_tmp(home, "envoy") < G_N_ELEMENTS(ids))
        g_usleep(1000);
    g_assert_cmpuint(count(home, "envoy"), ==, 0);
    g_assert_true(outbox_hold(&txn, ids[1], "stopped", NULL));
    test_commit(&txn);
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(go[0]);
    close(go[1]);
    g_assert_cmpuint(count(home, "envoy"), ==, 2);
    g_assert_cmpuint(count(home, "ann"), ==, 2);
    g_assert_cmpuint(count_tmp(home, "envoy"), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
        g_autoptr(OutRow) row = first_row(db, ids[i]);
        g_assert_cmpstr(out_state_name(row->state), ==, i == 1 ? "held" : "sent");
    }
    db_close(db);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/deliver/files", test_files);
    g_test_add_func("/deliver/batches", test_batches);
    g_test_add_func("/deliver/lost-mark", test_lost_mark);
    g_test_add_func("/deliver/mark", test_mark);
    g_test_add_func("/deliver/idle-writes-nothing", test_idle_writes_nothing);
    g_test_add_func("/deliver/broken-mailbox", test_broken_mailbox);
    g_test_add_func("/deliver/mended-mailbox", test_mended_mailbox);
    g_test_add_func("/deliver/bad-row", test_bad_row);
    g_test_add_func("/deliver/full-disk", test_full_disk);
    g_test_add_func("/deliver/hold-all", test_hold_all);
    g_test_add_func("/deliver/no-commit", test_no_commit);
    g_test_add_func("/deliver/lock", test_lock);
    g_test_add_func("/deliver/term", test_term);
    g_test_add_func("/deliver/taken-back", test_taken_back);
    return g_test_run();
}
