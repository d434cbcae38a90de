#include "store/out/outbox.h"
#include "base/err.h"
#include "store/out/effects.h"
#include "temp_store.h"
#include <sqlite3.h>

static const OutTo local = {"bob@example.org", "bob", "", NULL};
static const OutTo remote = {"eve@elsewhere.example", NULL, "", NULL};
static const OutTo copy = {"envoy@example.org", "envoy", "Sent", "S"};

typedef struct Put {
    const char *held;
    int64_t after, job;
    const OutTo *to[3];
    const Trust *floor;
} Put;

static OutId
put_in(Txn *txn, const Put *p)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static("Subject: s\n\nhello\n", 18);
    g_autoptr(GError) error = NULL;
    OutTo to[G_N_ELEMENTS(p->to)];
    size_t n = 0;
    OutId id = {0};

    outbox_next(txn, &id, &error);
    g_assert_no_error(error);
    for (; n < G_N_ELEMENTS(p->to) && p->to[n]; n++)
        to[n] = *p->to[n];
    g_autofree char *msgid = g_strdup_printf("5.%d.tag@example.org", (int)id.v);
    const OutMail mail = {.msgid = msgid,
                          .from = "envoy@example.org",
                          .subject = "s",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .floor = p->floor,
                          .job = {p->job},
                          .round = 1,
                          .step = 2,
                          .after = {p->after},
                          .held = p->held,
                          .to = to,
                          .n_to = n};
    outbox_put(txn, id, &mail, &error);
    g_assert_no_error(error);
    return id;
}

static OutId
put(TempStore *s, const Put *p)
{
    Txn txn = test_begin(s->db);
    OutId id = put_in(&txn, p);

    test_commit(&txn);
    return id;
}

/* "ready held ": the states of a mail's deliveries in order. */
static char *
states(TempStore *s, OutId id)
{
    const Viewer all = VIEWER_OPERATOR;
    const OutQuery query = {.id = id, .all = true, .copies = true};
    g_autoptr(OutRows) rows = NULL;
    g_autoptr(GError) error = NULL;
    GString *text = g_string_new(NULL);

    outbox_list(s->db, &all, &query, &rows, &error);
    g_assert_no_error(error);
    for (guint i = rows->len; i > 0; i--) {
        const OutRow *r = rows->pdata[i - 1];
        g_string_append_printf(text, "%s%s", out_state_name(r->state), i > 1 ? " " : "");
    }
    return g_string_free(text, FALSE);
}

static void
assert_states(TempStore *s, OutId id, const char *want)
{
    g_autofree char *got = states(s, id);

    g_assert_cmpstr(got, ==, want);
}

static int64_t
delivery_of(TempStore *s, OutId id)
{
    return temp_int(s, "SELECT min(id) FROM delivery WHERE outbox = ?", id.v);
}

/* What was queued while the notes were written waits for those that follow. */
static void
test_after_notes(TempStore *s, gconstpointer data)
{
    const Put waits = {.after = OUTBOX_AFTER_NOTES.v, .to = {&local}};
    OutId first = put(s, &waits), newest, second;
    g_autoptr(GError) error = NULL;

    g_assert_true(outbox_after_notes(s->db, &newest, &error));
    g_assert_cmpint(newest.v, ==, first.v);
    second = put(s, &waits);
    Txn txn = test_begin(s->db);
    outbox_notes_done(&txn, newest, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    assert_states(s, first, "ready");
    assert_states(s, second, "waiting");
}

static void
test_first_state(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *name;
        Put put;
        const char *want;
    } cases[] = {
        {"local", {.to = {&local}}, "ready"},
        {"with a copy", {.to = {&local, &copy}}, "ready ready"},
        {"a reason to hold", {.held = "policy", .to = {&local, &copy}}, "held held"},
        {"behind an effect", {.after = 3, .to = {&local, &copy}}, "waiting waiting"},
        {"no transport", {.to = {&remote, &copy}}, "held held"},
        {"no transport for one", {.to = {&local, &remote, &copy}}, "ready held ready"},
        {"no transport, behind an effect", {.after = 3, .to = {&remote}}, "held"},
        {"filed for oneself", {.to = {&copy}}, "ready"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].name);
        assert_states(s, put(s, &cases[i].put), cases[i].want);
    }
}

static void
test_row(TempStore *s, gconstpointer data)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(OutRow) row = NULL;
    g_autoptr(OutRow) none = NULL;
    g_autoptr(GError) error = NULL;
    OutId id = put(s, &(Put){.to = {&copy, &remote}});

    g_assert_true(outbox_find(s->db, &all, "5.1.tag@example.org", &row, &error));
    g_assert_nonnull(row);
    g_assert_cmpint(row->id.v, ==, id.v);
    g_assert_cmpstr(row->address, ==, remote.address); /* the recipient, not the copy */
    g_assert_null(row->mailbox);
    g_assert_cmpint(row->level, ==, TRUST_ROLE);
    g_assert_cmpint(row->round, ==, 1);
    g_assert_cmpint(row->step, ==, 2);
    g_assert_cmpint(row->created_us, ==, TEST_NOW);
    g_assert_cmpuint(g_bytes_get_size(row->bytes), ==, 18);
    g_assert_nonnull(strstr(row->why, "no way to send"));
    g_assert_true(outbox_find(s->db, &all, "5.2.tag@example.org", &none, &error));
    g_assert_null(none);
    g_assert_true(outbox_find(s->db, &all, "5.1.other@example.org", &none, &error));
    g_assert_null(none);
    g_assert_true(outbox_find(s->db, &all, "no number", &none, &error));
    g_assert_null(none);
}

/* What its writer had read; our own words are as good as their level. */
static void
test_floor(TempStore *s, gconstpointer data)
{
    static const Trust anyone = TRUST_ANYONE, oper = TRUST_OPERATOR;
    static const struct {
        const Trust *floor;
        Trust want;
    } cases[] = {{NULL, TRUST_ROLE}, {&anyone, TRUST_ANYONE}, {&oper, TRUST_OPERATOR}};
    const Viewer all = VIEWER_OPERATOR, nobody = {.role = "scribe"};
    g_autoptr(GError) error = NULL;
    Trust floor;

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(OutRow) row = NULL;
        OutId id = put(s, &(Put){.to = {&local}, .floor = cases[i].floor});
        g_assert_true(outbox_load(s->db, id, &row, &error));
        g_assert_cmpint(row->floor, ==, cases[i].want);
        g_assert_true(outbox_floor(s->db, &all, row->msgid, &floor, &error));
        g_assert_cmpint(floor, ==, cases[i].want);
        g_assert_true(outbox_floor(s->db, &nobody, row->msgid, &floor, &error));
        g_assert_cmpint(floor, ==, TRUST_OPERATOR);
    }
    g_assert_true(outbox_floor(s->db, &all, "somebody@else", &floor, &error));
    g_assert_cmpint(floor, ==, TRUST_OPERATOR);
}

static void
test_file_name(void)
{
    g_autofree char *longest = g_strnfill(500, 'x');
    const struct {
        const char *name;
        OutRow row;
        const char *want; /* NULL: only the general rules */
    } cases[] = {
        {"plain",
         {.msgid = (char *)"5.12.tag@d", .delivery = 3, .created_us = TEST_NOW},
         "1800000000.5.12.tag.3"},
        {"odd", {.msgid = (char *)"a/b:c d\n\xc3\xa4@d", .delivery = 3}, "0.a_b_c_d___.3"},
        {"no domain", {.msgid = (char *)"ab", .delivery = 9}, "0.ab.9"},
        {"dots", {.msgid = (char *)"../..@d", .delivery = 9}, "0..._...9"},
        {"long", {.msgid = longest, .delivery = INT64_MAX, .created_us = TEST_NOW}, NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = out_row_file(&cases[i].row);
        g_autofree char *again = out_row_file(&cases[i].row);
        g_test_message("%s", cases[i].name);
        g_assert_cmpstr(got, ==, again);
        g_assert_cmpuint(strlen(got), <=, 200);
        g_assert_null(strpbrk(got, ":/"));
        g_assert_true(g_ascii_isdigit(got[0]));
        if (cases[i].want)
            g_assert_cmpstr(got, ==, cases[i].want);
        else
            g_assert_true(g_str_has_suffix(got, ".9223372036854775807"));
    }
}

static unsigned
count_due(TempStore *s, bool is_local)
{
    g_autoptr(OutRows) rows = NULL;
    g_autoptr(GError) error = NULL;

    outbox_due(s->db, temp_now(s), is_local, 100, &rows, &error);
    g_assert_no_error(error);
    return rows->len;
}

static void
test_due(TempStore *s, gconstpointer data)
{
    g_autoptr(OutRows) rows = NULL;
    g_autoptr(GError) error = NULL;
    OutId first = put(s, &(Put){.to = {&local}});
    OutId second = put(s, &(Put){.to = {&local}});
    unsigned n = 0;

    put(s, &(Put){.after = 1, .to = {&local}});
    Txn txn = test_begin(s->db);
    outbox_retry(&txn, delivery_of(s, first), TEST_NOW + 60, "disk full", &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_assert_cmpuint(count_due(s, true), ==, 1);
    g_assert_cmpuint(count_due(s, false), ==, 0);

    temp_pass(s, 60);
    outbox_due(s->db, temp_now(s), true, 100, &rows, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rows->len, ==, 2);
    const OutRow *oldest = rows->pdata[0], *newest = rows->pdata[1];
    g_assert_cmpint(oldest->id.v, ==, second.v);
    g_assert_cmpint(newest->attempts, ==, 1);
    g_assert_cmpint(newest->state, ==, OUT_RETRY);
    g_assert_nonnull(newest->bytes);
    outbox_count_due(s->db, temp_now(s), &n, &error);
    g_assert_cmpuint(n, ==, 2);

    txn = test_begin(s->db);
    meta_set(&txn, "hold-all", "an old copy", &error);
    test_commit(&txn);
    g_assert_cmpuint(count_due(s, true), ==, 0);
    outbox_count_due(s->db, temp_now(s), &n, &error);
    g_assert_cmpuint(n, ==, 0);
}

/* What is due is found by its index and comes in order, however many rows are long sent. */
static void
test_due_uses_index(TempStore *s, gconstpointer data)
{
    g_autoptr(OutRows) rows = NULL;
    g_autoptr(GString) plan = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    sqlite3 *handle = sql_handle(s->db);
    sqlite3_stmt *st = NULL;
    const char *text = NULL;

    outbox_due(s->db, 0, true, 1, &rows, &error); /* prepares its statement */
    g_assert_no_error(error);
    while ((st = sqlite3_next_stmt(handle, st))) {
        text = sqlite3_sql(st);
        if (strstr(text, "FROM delivery d") && strstr(text, "o.bytes"))
            break;
    }
    g_assert_nonnull(st);
    g_autofree char *explain = g_strconcat("EXPLAIN QUERY PLAN ", text, NULL);
    g_assert_cmpint(sqlite3_prepare_v2(handle, explain, -1, &st, NULL), ==, SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW)
        g_string_append_printf(plan, "%s\n", (const char *)sqlite3_column_text(st, 3));
    sqlite3_finalize(st);
    g_test_message("%s", plan->str);
    g_assert_nonnull(strstr(plan->str, "USING INDEX delivery_due (next_us<?)"));
    g_assert_null(strstr(plan->str, "SCAN d")); /* "mb" has a row per role */
    g_assert_null(strstr(plan->str, "SCAN o"));
    g_assert_null(strstr(plan->str, "TEMP B-TREE"));
}

typedef enum Mark {
    MARK_SENT,
    MARK_RETRY,
    MARK_FAIL,
    MARK_HOLD,
    MARK_EFFECT_DONE,
    MARK_EFFECT_FAILED,
    MARK_APPROVE,
    MARK_REJECT,
    MARK_AGAIN,
    MARK_TAKE_BACK,
    MARK_N
} Mark;

/* One mail with one local recipient, of job 1, behind effect 3. */
static bool
mark(TempStore *s, OutId id, Mark m, GError **error)
{
    int64_t row = delivery_of(s, id);
    unsigned n = 0;
    bool ok = false;
    Txn txn = test_begin(s->db);

    switch (m) {
    case MARK_SENT:
        ok = outbox_sent(&txn, row, "filed", error);
        break;
    case MARK_RETRY:
        ok = outbox_retry(&txn, row, TEST_NOW + 1, "busy", error);
        break;
    case MARK_FAIL:
        ok = outbox_fail(&txn, row, "gave up", error);
        break;
    case MARK_HOLD:
        ok = outbox_hold(&txn, id, "wait", error);
        break;
    case MARK_EFFECT_DONE:
        ok = outbox_effect_done(&txn, (EffectId){3}, true, NULL, error);
        break;
    case MARK_EFFECT_FAILED:
        ok = outbox_effect_done(&txn, (EffectId){3}, false, "moved away", error);
        break;
    case MARK_APPROVE:
        ok = outbox_decide(&txn, id, true, "ann", error);
        break;
    case MARK_REJECT:
        ok = outbox_decide(&txn, id, false, "ann", error);
        break;
    case MARK_AGAIN:
        ok = outbox_again(&txn, id, error);
        break;
    case MARK_TAKE_BACK:
        ok = outbox_take_back(&txn, (JobId){1}, "stopped", &n, error);
        break;
    case MARK_N:
        g_assert_not_reached();
    }
    test_commit(&txn);
    return ok;
}

/* Every state by every call; '!' is ERR_NEVER. */
static const struct {
    const char *name;
    Mark mark;
    const char *want[7]; /* from waiting, ready, sent, retry, held, failed, rejected */
} marks[MARK_N] = {
    {"sent", MARK_SENT, {"sent", "sent", "sent", "sent", "sent", "sent", "sent"}},
    {"retry", MARK_RETRY, {"waiting", "retry", "sent", "retry", "held", "failed", "failed"}},
    {"fail", MARK_FAIL, {"waiting", "failed", "sent", "failed", "held", "failed", "failed"}},
    {"hold", MARK_HOLD, {"held", "held", "sent", "held", "held", "failed", "failed"}},
    {"effect done",
     MARK_EFFECT_DONE,
     {"ready", "ready", "sent", "retry", "held", "failed", "failed"}},
    {"effect failed",
     MARK_EFFECT_FAILED,
     {"held", "ready", "sent", "retry", "held", "failed", "failed"}},
    {"approve", MARK_APPROVE, {"!", "!", "!", "!", "ready", "!", "!"}},
    {"reject", MARK_REJECT, {"!", "!", "!", "!", "failed", "!", "!"}},
    {"again", MARK_AGAIN, {"!", "!", "!", "ready", "!", "ready", "!"}},
    {"take back", MARK_TAKE_BACK, {"held", "held", "sent", "held", "held", "failed", "failed"}},
};

static OutId
mail_in_state(TempStore *s, int state)
{
    static const Mark way[7][2] = {{MARK_N, MARK_N},
                                   {MARK_EFFECT_DONE, MARK_N},
                                   {MARK_EFFECT_DONE, MARK_SENT},
                                   {MARK_EFFECT_DONE, MARK_RETRY},
                                   {MARK_HOLD, MARK_N},
                                   {MARK_EFFECT_DONE, MARK_FAIL},
                                   {MARK_HOLD, MARK_REJECT}};
    OutId id = put(s, &(Put){.after = 3, .job = 1, .to = {&local}});

    for (int i = 0; i < 2 && way[state][i] != MARK_N; i++) {
        g_autoptr(GError) error = NULL;
        mark(s, id, way[state][i], &error);
        g_assert_no_error(error);
    }
    return id;
}

static void
test_transition(TempStore *s, gconstpointer data)
{
    const int m = GPOINTER_TO_INT(data);

    for (int from = 0; from < 7; from++) {
        g_autoptr(GError) error = NULL;
        OutId id = mail_in_state(s, from);
        g_autofree char *before = states(s, id);
        bool want_refused = strcmp(marks[m].want[from], "!") == 0;

        g_test_message("%s while %s", marks[m].name, before);
        g_assert_cmpint(mark(s, id, marks[m].mark, &error), ==, !want_refused);
        if (want_refused)
            g_assert_error(error, ERR_DOMAIN, ERR_NEVER);
        assert_states(s, id, want_refused ? before : marks[m].want[from]);
    }
}

/* The mail left for one recipient: the copy in Sent stays true, the rest is taken back. */
static void
test_take_back_copy(TempStore *s, gconstpointer data)
{
    OutId unsent = put(s, &(Put){.job = 1, .to = {&local, &copy}});
    OutId half = put(s, &(Put){.job = 1, .to = {&local, &local, &copy}});
    OutId other = put(s, &(Put){.job = 2, .to = {&local}});
    OutId none = put(s, &(Put){.to = {&local}});
    g_autoptr(GError) error = NULL;
    unsigned n = 0;
    Txn txn = test_begin(s->db);

    outbox_sent(&txn, delivery_of(s, half), NULL, &error);
    outbox_take_back(&txn, (JobId){1}, "cancelled", &n, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_assert_cmpuint(n, ==, 2);
    assert_states(s, unsent, "held held");
    assert_states(s, half, "sent held ready");
    assert_states(s, other, "ready");
    txn = test_begin(s->db);
    outbox_take_back(&txn, (JobId){0}, "no job is not a job", &n, &error);
    test_commit(&txn);
    assert_states(s, none, "ready");
}

static void
test_approve(TempStore *s, gconstpointer data)
{
    const Effect owed = {.kind = EFFECT_MAIL_MOVE,
                         .job = {1},
                         .account = "",
                         .subject = "envoy/1",
                         .args = "Done"};
    g_autoptr(GError) error = NULL;
    EffectId effect = {0};
    Txn txn = test_begin(s->db);

    effect_put(&txn, &owed, &effect, &error);
    test_commit(&txn);
    const struct {
        const char *name;
        Put put;
        bool want_refused;
        const char *want;
    } cases[] = {
        {"all", {.held = "policy", .to = {&local, &copy}}, false, "ready ready"},
        {"some", {.held = "policy", .to = {&local, &remote, &copy}}, false, "ready held ready"},
        {"none", {.held = "policy", .to = {&remote, &copy}}, true, "held held"},
        {"effect owed",
         {.held = "policy", .job = 1, .after = effect.v, .to = {&local}},
         false,
         "waiting"},
        {"that number is another job's by now",
         {.held = "policy", .job = 2, .after = effect.v, .to = {&local}},
         false,
         "ready"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) refused = NULL;
        OutId id = put(s, &cases[i].put);
        g_test_message("%s", cases[i].name);
        g_assert_cmpint(mark(s, id, MARK_APPROVE, &refused), ==, !cases[i].want_refused);
        assert_states(s, id, cases[i].want);
    }
}

static void
test_prune(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    OutId sent = put(s, &(Put){.to = {&local}});
    OutId half = put(s, &(Put){.to = {&local, &copy}});
    Txn txn = test_begin(s->db);

    outbox_sent(&txn, delivery_of(s, sent), NULL, &error);
    outbox_sent(&txn, delivery_of(s, half), NULL, &error);
    outbox_prune(&txn, TEST_NOW, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    const char *kept = "SELECT bytes IS NOT NULL FROM outbox WHERE id = ?";
    g_assert_cmpint(temp_int(s, kept, sent.v), ==, 1); /* not old enough */
    txn = test_begin(s->db);
    outbox_prune(&txn, TEST_NOW + 1, &error);
    test_commit(&txn);
    g_assert_cmpint(temp_int(s, kept, sent.v), ==, 0);
    g_assert_cmpint(temp_int(s, kept, half.v), ==, 1);
}

static void
test_lists(TempStore *s, gconstpointer data)
{
    const Viewer all = VIEWER_OPERATOR, envoy = {"envoy", false}, clerk = {"clerk", false};
    JobId job = temp_job(s, "envoy");
    const struct {
        const char *name;
        const Viewer *viewer;
        OutQuery query;
        unsigned want_n;
    } cases[] = {
        {"what is not sent", &all, {0}, 2},
        {"everything", &all, {.all = true}, 3},
        {"copies too", &all, {.all = true, .copies = true}, 4},
        {"by state", &all, {.state = "sent"}, 1},
        {"by job", &all, {.job = job, .all = true}, 2},
        {"limit", &all, {.limit = 1}, 1},
        {"a role's own", &envoy, {.all = true}, 2},
        {"another role", &clerk, {.all = true}, 0},
    };
    OutId sent = put(s, &(Put){.job = job.v, .to = {&local, &copy}});
    g_autoptr(GError) error = NULL;

    put(s, &(Put){.job = job.v, .to = {&remote}});
    put(s, &(Put){.to = {&local}});
    mark(s, sent, MARK_SENT, &error);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(OutRows) rows = NULL;
        outbox_list(s->db, cases[i].viewer, &cases[i].query, &rows, &error);
        g_assert_no_error(error);
        g_test_message("%s", cases[i].name);
        g_assert_cmpuint(rows->len, ==, cases[i].want_n);
        for (guint k = 0; k < rows->len; k++)
            g_assert_null(((OutRow *)rows->pdata[k])->bytes);
    }
}

/* One mail, however many have it: the state that counts is that of who is furthest from it. */
static void
test_whole(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *bob, *ann, *want;
    } cases[] = {
        {"sent", "sent", "sent"},       {"sent", "ready", "ready"},
        {"failed", "sent", "failed"},   {"retry", "failed", "failed"},
        {"held", "ready", "held"},      {"in_doubt", "sending", "in_doubt"},
        {"waiting", "sent", "waiting"}, {"an odd word", "sent", "held"},
    };
    static const OutTo ann = {"ann@example.org", "ann", "", NULL};
    const Viewer all = VIEWER_OPERATOR, envoy = {"envoy", false}, clerk = {"clerk", false};
    OutId id = put(s, &(Put){.job = temp_job(s, "envoy").v, .to = {&local, &ann, &copy}});
    OutId filed = put(s, &(Put){.to = {&copy}});
    g_autoptr(GError) error = NULL;
    g_autoptr(OutRow) none = NULL, only = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(OutRow) row = NULL;
        Txn txn = test_begin(s->db);

        g_assert_true(sql_run(&txn,
                              "UPDATE delivery SET state = iif(folder = 'Sent', 'failed', "
                              "iif(mailbox = 'bob', ?, ?)), why = mailbox",
                              NULL, "ss", cases[i].bob, cases[i].ann));
        test_commit(&txn);
        outbox_whole(s->db, i % 2 ? &all : &envoy, id, &row, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(out_state_name(row->state), ==, cases[i].want);
        g_assert_cmpstr(row->address, ==, "bob@example.org ann@example.org");
        g_assert_cmpstr(row->role, ==, "envoy");
        if (!g_str_equal(cases[i].bob, cases[i].ann))
            g_assert_cmpstr(row->why, ==,
                            g_str_equal(cases[i].ann, cases[i].want) ? "ann" : "bob");
        g_assert_null(row->bytes);
    }
    outbox_whole(s->db, &clerk, id, &none, &error);
    g_assert_no_error(error);
    g_assert_null(none);
    outbox_whole(s->db, &all, filed, &only, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(only->address, ==, "envoy@example.org");
    g_assert_null(only->role);
}

#define ADD(path, function)                                                                    \
    g_test_add("/outbox/" path, TempStore, NULL, temp_store_open, function, temp_store_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (int i = 0; i < MARK_N; i++) {
        g_autofree char *path = g_strdup_printf("/outbox/transition/%s", marks[i].name);
        g_assert_cmpint(marks[i].mark, ==, i);
        g_test_add(path, TempStore, GINT_TO_POINTER(i), temp_store_open, test_transition,
                   temp_store_close);
    }
    ADD("first-state", test_first_state);
    ADD("row", test_row);
    ADD("after-notes", test_after_notes);
    ADD("due", test_due);
    ADD("due-uses-index", test_due_uses_index);
    ADD("take-back-copy", test_take_back_copy);
    ADD("approve", test_approve);
    ADD("prune", test_prune);
    ADD("lists", test_lists);
    ADD("whole", test_whole);
    ADD("floor", test_floor);
    g_test_add_func("/outbox/file-name", test_file_name);
    return g_test_run();
}
