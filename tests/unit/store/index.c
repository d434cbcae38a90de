#include "store/index/index.h"
#include "base/err.h"
#include "base/text.h"
#include "store/job/jobs.h"
#include "store/mail/query.h"
#include "testmail.h"
#include <sqlite3.h>

static const struct {
    const char *role, *from, *to, *subject, *text, *folder;
} mails[] = {
    {"envoy", "ann@example.org", "envoy@example.org", "Budget for May",
     "We need a bigger budget.", ""},
    {"envoy", "bob@example.org", "envoy@example.org", "Lunch", "Pizza or soup? Ask Ann.",
     "Done"},
    {"scribe", "ann@example.org", "scribe@example.org", "Größe", "Die Übung macht den Meister.",
     ""},
    {"envoy", "eve@example.net", "envoy@example.org", "budget",
     "A phrase about the big picture.", ""},
};

static Index *
open_index(const Home *home, bool want_fresh)
{
    g_autoptr(GError) error = NULL;
    Index *ix = NULL;
    bool fresh;

    index_open(home, &ix, &fresh, &error);
    g_assert_no_error(error);
    g_assert_cmpint(fresh, ==, want_fresh);
    return ix;
}

static void
store_mails(Db *db)
{
    for (size_t i = 0; i < G_N_ELEMENTS(mails); i++) {
        g_autofree char *id = g_strdup_printf("m%zu@x", i);
        g_autoptr(Message) m = test_mail(id, mails[i].from, mails[i].to, NULL, mails[i].text);
        MsgNew in = test_msg_new(mails[i].role, id, m);

        g_free(m->subject);
        m->subject = g_strdup(mails[i].subject);
        m->date_us = TEST_NOW + (int64_t)i * 86400 * USEC_PER_SEC;
        in.folder = mails[i].folder;
        test_store(db, &in);
    }
}

/* What an indexer does: from the mark on, until nothing is behind it. */
static unsigned
follow(Index *ix, Db *db)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(MsgRows) rows = NULL;
    int64_t last;

    index_mark(ix, INDEX_IN, &last, &error);
    g_assert_no_error(error);
    g_assert_true(index_behind(db, last, 100, &rows, NULL));
    if (rows->len == 0)
        return 0;
    index_begin(ix, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < rows->len; i++) {
        const MsgRow *row = rows->pdata[i];

        const IndexText mail = {row->from, row->to, row->subject, mails[row->id.v - 1].text, row->role};
        index_add(ix, INDEX_IN, row->id.v, &mail, &error);
        g_assert_no_error(error);
        last = row->id.v;
    }
    index_commit(ix, INDEX_IN, last, &error);
    g_assert_no_error(error);
    return rows->len;
}

static char *
search(Index *ix, Db *db, const Viewer *viewer, const char *query)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(IndexHits) rows = NULL;
    GString *got = g_string_new(NULL);

    index_search(ix, db, viewer, query, 10, &rows, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < rows->len; i++) {
        const IndexHit *hit = rows->pdata[i];

        g_assert_true(!hit->in != !hit->out);
        if (hit->in)
            g_string_append_printf(got, "%d", (int)hit->in->id.v);
        else
            g_string_append_c(got, (char)('a' + hit->out->id.v - 1));
    }
    return g_string_free(got, FALSE);
}

/* What was written: by a job of envoy, by nobody's, and the mail that is m0@x for whoever took
 * it in. */
static const struct {
    const char *msgid, *text;
    bool job;
    int64_t day;
} written[] = {
    {"5.1.t@x", "The budget is fine.", true, 0},
    {"5.2.t@x", "Notice of pizza.", false, 1},
    {"m0@x", "We need a bigger budget.", true, 0},
};

static void
write_mails(Home *home, Db *db)
{
    const JobNew job = {.role = "envoy",
                        .face = "",
                        .subject = "s",
                        .asker = "ann@example.org",
                        .original_msgid = "m0@x",
                        .thread = {1},
                        .original = {1}};
    const OutTo to[] = {{"ann@example.org", "ann", "", NULL},
                        {"bob@example.org", "bob", "", NULL}};
    JobId id;

    for (size_t i = 0; i < G_N_ELEMENTS(written); i++) {
        home->clock.fixed_wall_us = TEST_NOW + written[i].day * 86400 * USEC_PER_SEC - 1;
        Txn txn = test_begin(db);
        OutMail mail = {.msgid = written[i].msgid,
                        .from = "envoy@example.org",
                        .subject = "Answer",
                        .level = TRUST_ROLE,
                        .to = to,
                        .n_to = G_N_ELEMENTS(to)};

        if (i == 0)
            g_assert_true(job_create(&txn, &job, &id, NULL));
        if (written[i].job)
            mail.job = id;
        g_assert_true(outbox_put(&txn, (OutId){(int64_t)i + 1}, &mail, NULL));
        test_commit(&txn);
    }
}

static void
follow_written(Index *ix, Db *db)
{
    g_autoptr(OutRows) rows = NULL;
    int64_t last;

    g_assert_true(index_mark(ix, INDEX_OUT, &last, NULL));
    g_assert_true(index_behind_out(db, last, 100, &rows, NULL));
    g_assert_true(index_begin(ix, NULL));
    for (guint i = 0; i < rows->len; i++) {
        const OutRow *row = rows->pdata[i];

        last = row->id.v;
        const IndexText mail = {row->from, row->address, row->subject, written[last - 1].text, row->role};
        g_assert_true(index_add(ix, INDEX_OUT, last, &mail, NULL));
    }
    g_assert_true(index_commit(ix, INDEX_OUT, last, NULL));
}

static void
test_search(void)
{
    static const Viewer operator= {NULL, true}, envoy = {"envoy", false};
    static const struct {
        const char *query;
        const Viewer *viewer;
        const char *want;
    } cases[] = {
        {"budget", &operator, "41" },
         {"BUDGET", &operator, "41" },
          {"budget bigger", &operator, "1" },
           {"\"big picture\"", &operator, "4" },
            {"\"picture big\"", &operator, "" },
             {"picture big", &operator, "4" },
              {"ubung", &operator, "3" },
               {"Übung", &operator, "3" }, {"Übung", &envoy, ""},
                {"from:ann", &operator, "31" },
                 {"from:ann@example.org", &operator, "31" },
                  {"from:ann role:envoy", &operator, "1" },
                   {"ann", &operator, "321" },
                    {"to:scribe", &operator, "3" },
                     {"subject:budget", &operator, "41" },
                      {"subject:bigger", &operator, "" },
                       {"folder:Done", &operator, "2" },
                        {"folder:inbox budget", &operator, "41" },
                         {"since:2027-01-16", &operator, "432" },
                          {"since:2027-01-16 before:2027-01-17 pizza", &operator, "2" },
                           {"since:yesterday", &operator, "" },
                            {"state:stored", &operator, "4321" },
                             {"state:odd", &operator, "" }, {"role:scribe", &envoy, ""},
                              {"", &operator, "4321" },
                               {"from:", &operator, "" },
                                {"\"from:ann\"", &operator, "" },
                                 {"\"", &operator, "" },
                                  {"budget \"", &operator, "41" },
                                   {"budget --", &operator, "41" },
                                    {"budget AND OR NOT (", &operator, "" },
                                     {"* ^ ( ) { } : + - NEAR(a b)", &operator, "" },
                                      {"body:budget", &operator, "" },
                                       {"'; DROP TABLE mail; --", &operator, "" },
                                        {
                                            "\xff\xfe budget",
                                            &operator,
                                            "41" },
                                       };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    Index *ix = open_index(home, true);

    store_mails(db);
    g_assert_cmpuint(follow(ix, db), ==, G_N_ELEMENTS(mails));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = search(ix, db, cases[i].viewer, cases[i].query);

        g_autofree char *shown = text_vis(cases[i].query, false);

        g_test_message("%s", shown);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
    index_close(ix);
    db_close(db);
    test_home_free(home);
}

/* Mail that was written is found beside what came in, once each, by who may see it. */
/* --- what a search costs --- */

static unsigned rows_read; /* from all connections, since somebody set it to 0 */

static int
count_row(unsigned what, void *context, void *statement, void *unused)
{
    rows_read++;
    return 0;
}

static int
watch(sqlite3 *db, char **ret_error, const struct sqlite3_api_routines *api)
{
    return sqlite3_trace_v2(db, SQLITE_TRACE_ROW, count_row, NULL);
}

/* Mails to another role with the word that is looked for. */
static void
fill(Index *ix, Db *db, unsigned n)
{
    const IndexText text = {"ann@example.org", "scribe@example.org", "Budget", "A budget of others.", "scribe"};
    g_autoptr(MsgRows) rows = NULL;
    int64_t last;

    for (unsigned i = 0; i < n; i++) {
        g_autofree char *id = g_strdup_printf("f%u@x", i);
        g_autoptr(Message) m = test_mail(id, text.from, text.to, NULL, text.text);
        MsgNew in = test_msg_new("scribe", id, m);
        test_store(db, &in);
    }
    g_assert_true(index_mark(ix, INDEX_IN, &last, NULL) && index_behind(db, last, n, &rows, NULL));
    g_assert_true(index_begin(ix, NULL));
    LIST_EACH(const MsgRow, row, rows) {
        g_assert_true(index_add(ix, INDEX_IN, row->id.v, &text, NULL));
        last = row->id.v;
    }
    g_assert_true(index_commit(ix, INDEX_IN, last, NULL));
}

/* A role's search reads no row of what others have; a few more of the index itself, as that grows. */
static void
test_cost(void)
{
    static const Viewer all = {NULL, true}, envoy = {"envoy", false};

    Home *home = test_home_new();

    g_assert_cmpint(sqlite3_auto_extension((void (*)(void))watch), ==, SQLITE_OK);
    Db *db = test_db_open(home, DB_WRITE);
    Index *ix = open_index(home, true);

    store_mails(db);
    g_assert_cmpuint(follow(ix, db), ==, G_N_ELEMENTS(mails));
    rows_read = 0;
    g_autofree char *before = search(ix, db, &envoy, "budget");
    unsigned few = rows_read;
    fill(ix, db, 200);
    rows_read = 0;
    g_autofree char *after = search(ix, db, &envoy, "budget");
    g_assert_cmpstr(before, ==, "41");
    g_assert_cmpstr(after, ==, before);
    g_assert_cmpuint(few, >, 0);
    g_assert_cmpuint(rows_read, <, few + 20);
    rows_read = 0;
    g_autofree char *owners = search(ix, db, &all, "budget");
    g_assert_cmpuint(rows_read, >, few);
    index_close(ix);
    db_close(db);
    test_home_free(home);
    sqlite3_reset_auto_extension();
}

static void
test_written(void)
{
    static const Viewer all = {NULL, true}, envoy = {"envoy", false},
                        scribe = {"scribe", false};
    static const struct {
        const char *query;
        const Viewer *viewer;
        const char *want;
    } cases[] = {
        {"budget", &all, "41a"},
        {"budget", &envoy, "41a"},
        {"budget", &scribe, ""},
        {"folder:Sent budget", &all, "ca"},
        {"state:ready budget", &all, "ca"},
        {"state:stored budget", &all, "41"},
        {"state:sent budget", &all, ""},
        {"pizza", &all, "b2"},
        {"pizza", &envoy, "2"},
        {"to:bob", &all, "cba"},
        {"from:envoy subject:answer", &all, "cba"},
        {"folder:Sent", &all, "cba"},
        {"folder:Sent", &envoy, "ca"},
        {"folder:Sent", &scribe, ""},
        {"folder:Sent role:envoy", &all, "ca"},
        {"folder:Sent since:2027-01-16", &all, "b"},
        {"", &scribe, "3"},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    Index *ix = open_index(home, true);

    write_mails(home, db);
    store_mails(db);
    follow(ix, db);
    follow_written(ix, db);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = search(ix, db, cases[i].viewer, cases[i].query);

        g_test_message("%s", cases[i].query);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
    index_close(ix);
    db_close(db);
    test_home_free(home);
}

/* From before the store was made: scribe has got what envoy wrote, copies follow. */
static void
test_copies(void)
{
    static const Viewer all = {NULL, true}, envoy = {.role = "envoy"};
    static const struct {
        const char *query;
        const Viewer *viewer;
        guint want_sent, want_came;
    } cases[] = {
        {"", &all, 0, 10},
        {"role:envoy", &all, 10, 0},
        {"folder:Sent", &all, 10, 0},
        {"role:scribe", &all, 0, 10},
        {"", &envoy, 10, 0},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(Index) ix = open_index(home, true);

    for (int i = 0; i < 30; i++) {
        g_autofree char *id = g_strdup_printf("c%d@x", i % 15);
        g_autoptr(Message) m = test_mail(id, "envoy@x", "scribe@x", NULL, id);
        MsgNew in = test_msg_new(i < 15 ? "scribe" : "envoy", id, m);

        in.folder = i < 15 ? "Done" : "Sent";
        in.class = MSG_HISTORY;
        test_store(db, &in);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(IndexHits) hits = NULL;
        guint sent = 0;

        g_test_message("%s", cases[i].query);
        g_assert_true(index_search(ix, db, cases[i].viewer, cases[i].query, 10, &hits, NULL));
        for (guint k = 0; k < hits->len; k++)
            sent += g_str_equal(hits->pdata[k]->in->folder, "Sent");
        g_assert_cmpuint(sent, ==, cases[i].want_sent);
        g_assert_cmpuint(hits->len - sent, ==, cases[i].want_came);
    }
    db_close(db);
    test_home_free(home);
}

static void
test_mark(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    Index *ix = open_index(home, true);
    g_autofree char *got = NULL;
    int64_t last;

    store_mails(db);
    /* What is not committed is not there. */
    g_assert_true(index_begin(ix, NULL));
    g_assert_true(index_add(ix, INDEX_IN, 1, &(IndexText){"a", "b", "c", "budget", NULL}, NULL));
    index_close(ix);
    ix = open_index(home, false);
    g_assert_true(index_mark(ix, INDEX_IN, &last, NULL));
    g_assert_cmpint(last, ==, 0);
    g_assert_cmpuint(follow(ix, db), ==, 4);
    g_assert_cmpuint(follow(ix, db), ==, 0);
    /* What another process has added already is passed over. */
    g_assert_true(index_begin(ix, NULL));
    g_assert_true(index_add(ix, INDEX_IN, 2, &(IndexText){.text = "budget"}, NULL));
    g_assert_true(index_commit(ix, INDEX_IN, 2, NULL));
    g_assert_true(index_mark(ix, INDEX_IN, &last, NULL));
    g_assert_cmpint(last, ==, 4);
    got = search(ix, db, &VIEWER_OPERATOR, "budget");
    g_assert_cmpstr(got, ==, "41");
    index_close(ix);
    db_close(db);
    test_home_free(home);
}

/* Deleted under a running program, in the middle and between: the same answers come back. */
static void
test_deleted(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    Index *ix = open_index(home, true);
    g_autoptr(GError) error = NULL;
    g_autofree char *before = NULL, *empty = NULL, *after = NULL;

    store_mails(db);
    follow(ix, db);
    before = search(ix, db, &VIEWER_OPERATOR, "budget");
    g_assert_true(index_delete(home, NULL));
    g_assert_false(index_begin(ix, &error));
    g_assert_true(err_is(error, ERR_AGAIN));
    empty = search(ix, db, &VIEWER_OPERATOR, "budget");
    g_assert_cmpstr(empty, ==, "");
    g_assert_cmpuint(follow(ix, db), ==, 4);
    after = search(ix, db, &VIEWER_OPERATOR, "budget");
    g_assert_cmpstr(after, ==, before);
    index_close(ix);
    db_close(db);
    test_home_free(home);
}

/* Everything into the file itself, then junk into the given part of it. */
static void
damage(const Home *home, off_t offset, size_t len)
{
    g_autofree char *path = g_build_filename(home->path, "state", "index.db", NULL);
    g_autofree char *junk = g_strnfill(len, 'j');
    sqlite3 *handle = NULL;

    g_assert_cmpint(sqlite3_open(path, &handle), ==, SQLITE_OK);
    g_assert_cmpint(sqlite3_exec(handle, "SELECT * FROM mark; PRAGMA wal_checkpoint(TRUNCATE)",
                                 NULL, NULL, NULL),
                    ==, SQLITE_OK);
    sqlite3_close(handle);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    g_assert_cmpint(pwrite(fd, junk, len, offset), ==, (ssize_t)len);
    close(fd);
}

static void
test_damaged(void)
{
    static const struct {
        const char *name;
        off_t offset;
        size_t len;
        bool want_fresh; /* seen when it is opened, else when it is used */
    } cases[] = {
        {"no database", 0, 4096, true},
        {"broken inside", 4096, 8192, false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        Db *db = test_db_open(home, DB_WRITE);
        Index *ix = open_index(home, true);
        g_autoptr(IndexHits) rows = NULL;
        g_autoptr(GError) error = NULL;
        g_autofree char *got = NULL;

        g_test_message("%s", cases[i].name);
        store_mails(db);
        follow(ix, db);
        index_close(ix);
        damage(home, cases[i].offset, cases[i].len);
        ix = open_index(home, cases[i].want_fresh);
        if (!cases[i].want_fresh) {
            g_assert_false(index_search(ix, db, &VIEWER_OPERATOR, "budget", 10, &rows, &error));
            g_assert_true(err_is(error, ERR_AGAIN));
        }
        g_assert_cmpuint(follow(ix, db), ==, 4);
        got = search(ix, db, &VIEWER_OPERATOR, "budget");
        g_assert_cmpstr(got, ==, "41");
        index_close(ix);
        db_close(db);
        test_home_free(home);
    }
}

/* Ids of a new store mean other mail: the index of the old one is not used. */
static void
test_other_store(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    Index *ix = open_index(home, true);
    g_autofree char *path = g_build_filename(home->path, "state", "postrider.db", NULL);
    g_autofree char *log = g_strconcat(path, "-wal", NULL);
    g_autofree char *shm = g_strconcat(path, "-shm", NULL);

    store_mails(db);
    follow(ix, db);
    index_close(ix);
    db_close(db);
    g_unlink(path);
    g_unlink(log);
    g_unlink(shm);
    db = test_db_open(home, DB_WRITE);
    ix = open_index(home, true);
    index_close(ix);
    db_close(db);
    test_home_free(home);
}

#define IN_MAIL "{sender recipients subject body} : "

static void
test_parse(void)
{
    static const struct {
        const char *query, *want_words;
    } cases[] = {
        {"", NULL},
        {"   ", NULL},
        {"a b", IN_MAIL "\"a\" " IN_MAIL "\"b\""},
        {"from:a", "sender : \"a\""},
        {"from:\"a b\" c", "sender : \"a b\" " IN_MAIL "\"c\""},
        {"\"a b", IN_MAIL "\"a b\""},
        {"role:x", NULL},
        {"since:2026-01-01", NULL},
        {"http://x/y", IN_MAIL "\"http://x/y\""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Query) q;

        query_parse(cases[i].query, &q);
        g_assert_cmpstr(q.words, ==, cases[i].want_words);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/index/parse", test_parse);
    g_test_add_func("/index/search", test_search);
    g_test_add_func("/index/cost", test_cost);
    g_test_add_func("/index/written", test_written);
    g_test_add_func("/index/copies", test_copies);
    g_test_add_func("/index/mark", test_mark);
    g_test_add_func("/index/deleted", test_deleted);
    g_test_add_func("/index/damaged", test_damaged);
    g_test_add_func("/index/other-store", test_other_store);
    return g_test_run();
}
