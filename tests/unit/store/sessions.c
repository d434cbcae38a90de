/* What a program remembers of a job, and what it says while it works. */
#include "store/job/doings.h"
#include "store/job/sessions.h"
#include "temp_store.h"

static const Session first = {.job = {7},
                              .brain = (char *)"coder",
                              .kind = (char *)"claude",
                              .folder = (char *)"/srv/x",
                              .id = (char *)"s-1",
                              .step = 2,
                              .told_us = 5};

static Session *
load(TempStore *s, int64_t job)
{
    g_autoptr(GError) error = NULL;
    Session *session = NULL;

    session_load(s->db, (JobId){job}, &session, &error);
    g_assert_no_error(error);
    return session;
}

static void
put(TempStore *s, const Session *session)
{
    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(session_put(&txn, session, NULL));
    test_commit(&txn);
}

static void
test_life(TempStore *s, gconstpointer data)
{
    g_assert_null(load(s, 7));
    put(s, &first);
    g_autoptr(Session) minted = load(s, 7);
    g_assert_cmpstr(minted->id, ==, "s-1");
    g_assert_cmpstr(minted->host, ==, "");
    g_assert_false(minted->began);
    g_assert_cmpint(minted->step, ==, 2);

    Session used = first;
    used.id = (char *)"s-2";
    used.input = 10;
    used.output = 20;
    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(session_told(&txn, &first, 3, NULL)); /* it never began */
    g_assert_true(session_began(&txn, first.job, NULL));
    g_assert_true(session_used(&txn, &used, NULL));
    test_commit(&txn);
    g_autoptr(Session) began = load(s, 7);
    g_assert_true(began->began);
    g_assert_cmpint(began->step, ==, 2);
    g_assert_cmpstr(began->id, ==, "s-2");
    g_assert_cmpint(began->input, ==, 10);
    g_assert_cmpint(began->output, ==, 20);

    g_auto(Txn) heard = test_begin(s->db);
    g_assert_true(session_heard(&heard, first.job, " 4 17 ", NULL));
    test_commit(&heard);
    g_autoptr(Session) hears = load(s, 7);
    g_assert_true(session_has_heard(hears, (MsgId){4}));
    g_assert_true(session_has_heard(hears, (MsgId){17}));
    g_assert_false(session_has_heard(hears, (MsgId){7}));

    g_auto(Txn) later = test_begin(s->db);
    g_assert_true(session_told(&later, &first, 4, NULL));
    g_assert_true(session_told(&later, &(Session){.job = {8}}, 4, NULL)); /* has none: harmless */
    test_commit(&later);
    g_autoptr(Session) told = load(s, 7);
    g_assert_cmpint(told->step, ==, 4);
    g_assert_cmpint(told->told_us, ==, temp_now(s));
    g_assert_cmpstr(told->heard, ==, "");
}

static void
test_another_takes_its_place(TempStore *s, gconstpointer data)
{
    Session other = first;
    put(s, &first);
    other.brain = (char *)"deputy";
    other.id = (char *)"s-9";
    other.began = true;
    put(s, &other);
    g_autoptr(Session) now = load(s, 7);
    g_assert_cmpstr(now->brain, ==, "deputy");
    g_assert_cmpstr(now->id, ==, "s-9");
    g_assert_true(now->began);

    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(session_forget(&txn, first.job, NULL));
    test_commit(&txn);
    g_assert_null(load(s, 7));
}

/* --- what it says --- */

static Doing *
line(int64_t job, int64_t fence, const char *said)
{
    Doing *d = g_new0(Doing, 1);
    d->job = (JobId){job};
    d->fence = fence;
    d->at_us = 1;
    d->what = g_strdup("tool");
    d->said = g_strdup(said);
    return d;
}

static void
say(TempStore *s, int64_t job, int64_t fence, unsigned n)
{
    g_autoptr(Doings) all = doings_new();
    for (unsigned i = 0; i < n; i++) {
        g_autofree char *text = g_strdup_printf("line %u", i);
        doings_add(all, line(job, fence, text));
    }
    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(doings_write(&txn, all, NULL));
    test_commit(&txn);
}

static guint
count(TempStore *s, int64_t job, int64_t fence, int64_t above)
{
    g_autoptr(Doings) all = NULL;
    g_assert_true(doings_list(s->db, (JobId){job}, fence, above, &all, NULL));
    return all->len;
}

static void
test_doings(TempStore *s, gconstpointer data)
{
    g_autoptr(Doing) last = NULL;

    say(s, 1, 1, 0);
    g_assert_cmpuint(count(s, 1, 1, 0), ==, 0);
    say(s, 1, 1, 3);
    say(s, 2, 1, 2);
    g_assert_cmpuint(count(s, 1, 1, 0), ==, 3);
    g_assert_true(doing_last(s->db, (JobId){1}, 1, &last, NULL));
    g_assert_cmpstr(last->said, ==, "line 2");
    g_assert_cmpuint(count(s, 1, 1, last->id), ==, 0);
    g_assert_cmpuint(count(s, 1, 2, 0), ==, 0); /* another claim has said nothing yet */

    say(s, 1, 2, 1); /* and what it says takes the place of the first one's */
    g_assert_cmpuint(count(s, 1, 1, 0), ==, 0);
    g_assert_cmpuint(count(s, 1, 2, 0), ==, 1);
    say(s, 1, 2, DOINGS_MAX + 20);
    g_assert_cmpuint(count(s, 1, 2, 0), ==, DOINGS_MAX);
    g_assert_cmpuint(count(s, 2, 1, 0), ==, 2);

    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(doings_forget(&txn, (JobId){1}, NULL));
    test_commit(&txn);
    g_assert_cmpuint(count(s, 1, 2, 0), ==, 0);
    g_assert_cmpuint(count(s, 2, 1, 0), ==, 2);
}

static void
add(const char *path, void (*test)(TempStore *, gconstpointer))
{
    g_test_add(path, TempStore, NULL, temp_store_open, test, temp_store_close);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("/sessions/life", test_life);
    add("/sessions/another", test_another_takes_its_place);
    add("/doings/lines", test_doings);
    return g_test_run();
}
