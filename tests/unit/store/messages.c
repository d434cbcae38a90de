#include "store/mail/messages.h"
#include "base/err.h"
#include "mail/msgid.h"
#include "store/sql.h"
#include "testmail.h"

static const Viewer envoy = {"envoy", false};

static void
set_job(Db *db, MsgId id, JobId job)
{
    Txn txn = test_begin(db);

    g_assert_true(messages_set_job(&txn, id, job, 1, NULL));
    test_commit(&txn);
}

static MsgRow *
load(Db *db, MsgId id)
{
    g_autoptr(GError) error = NULL;
    MsgRow *row = NULL;

    messages_load(db, &VIEWER_OPERATOR, id, &row, &error);
    g_assert_no_error(error);
    g_assert_nonnull(row);
    return row;
}

static void
test_once(void)
{
    static const struct {
        const char *name, *role, *id, *from, *text;
        bool want_known, want_taken;
    } cases[] = {
        {"same", "envoy", "a@x", "ann@example.org", "hello", true, true},
        {"another role", "scribe", "a@x", "ann@example.org", "hello", false, false},
        {"another id", "envoy", "b@x", "ann@example.org", "hello", false, false},
        {"another body", "envoy", "a@x", "ann@example.org", "bye", false, true},
        {"another sender", "envoy", "a@x", "bob@example.org", "hello", false, true},
        {"no sender", "envoy", "a@x", NULL, "hello", false, true},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(Message) first = test_mail("a@x", "ann@example.org", NULL, NULL, "hello");
    MsgNew in = test_msg_new("envoy", "file-1", first);

    test_store(db, &in);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Message) m = test_mail(cases[i].id, cases[i].from, NULL, NULL, cases[i].text);
        MsgKnown known;

        g_test_message("%s", cases[i].name);
        g_assert_true(messages_known(db, cases[i].role, m, &known, NULL));
        g_assert_cmpint(known.id.v != 0, ==, cases[i].want_known);
        g_assert_cmpint(known.id_taken, ==, cases[i].want_taken);
    }
    db_close(db);
    test_home_free(home);
}

/* What the writer had read is kept where it is less than who they are. */
static void
test_floor(void)
{
    static const struct {
        const char *id;
        Trust trust, floor, want;
    } cases[] = {
        {"same", TRUST_ROLE, TRUST_ROLE, TRUST_ROLE},
        {"lower", TRUST_ROLE, TRUST_ANYONE, TRUST_ANYONE},
        {"higher", TRUST_ROLE, TRUST_PRINCIPAL, TRUST_ROLE},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Message) m =
            test_mail(cases[i].id, "ann@example.org", "envoy@example.org", NULL, "hi");
        MsgNew in = test_msg_new("envoy", cases[i].id, m);
        in.trust = cases[i].trust;
        in.floor = cases[i].floor;
        g_autoptr(MsgRow) row = load(db, test_store(db, &in));
        g_assert_cmpint(row->trust, ==, cases[i].trust);
        g_assert_cmpint(row->floor, ==, cases[i].want);
    }
    db_close(db);
    test_home_free(home);
}

static void
test_store_again(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(Message) m = test_mail("a@x", "ann@example.org", "envoy@example.org", NULL, "hi");
    MsgNew in = test_msg_new("envoy", "file-1", m);
    MsgId first = test_store(db, &in), second = {0};
    bool is_new = true, has;

    in.file = "file-2";
    in.folder = "Done";
    in.state = MSG_HELD;
    Txn txn = test_begin(db);
    g_assert_true(messages_store(&txn, &in, &second, &is_new, NULL));
    test_commit(&txn);
    g_assert_false(is_new);
    g_assert_cmpint(first.v, ==, second.v);
    g_autoptr(MsgRow) row = load(db, first);
    g_assert_cmpstr(row->file, ==, "file-1");
    g_assert_cmpstr(row->folder, ==, "");
    g_assert_cmpint(row->state, ==, MSG_STORED);
    g_assert_cmpint(row->received_us, ==, TEST_NOW);
    g_assert_cmpstr(row->to, ==, "envoy@example.org");
    g_assert_true(messages_has_file(db, "envoy", "file-1", &has, NULL));
    g_assert_true(has);
    g_assert_true(messages_has_file(db, "envoy", "file-2", &has, NULL));
    g_assert_true(has);
    g_assert_true(messages_has_file(db, "scribe", "file-2", &has, NULL));
    g_assert_false(has);
    db_close(db);
    test_home_free(home);
}

static int64_t
make_job(Db *db, const char *role)
{
    Txn txn = test_begin(db);
    int64_t id;

    g_assert_true(
        sql_insert(&txn,
                   "INSERT INTO job (role, face, thread, state, subject, asker, original, "
                   "original_msgid, ready_us, created_us, updated_us) "
                   "VALUES (?, '', 1, 'queued', '', '', 1, '', 1, 1, 1)",
                   &id, NULL, "s", role));
    test_commit(&txn);
    return id;
}

static char *
send_mail(Db *db, const Home *home, int64_t job, const char *to)
{
    Txn txn = test_begin(db);
    int64_t number;

    g_assert_true(
        sql_int(db, "SELECT coalesce(max(id), 0) + 1 FROM outbox", &number, NULL, ""));
    char *id = msgid_mint(&home->key, MAIL_ANSWER, db_generation(db), number, "x", 1,
                          home->config->domain);
    g_assert_true(sql_run(&txn,
                          "INSERT INTO outbox (id, msgid, from_spec, subject, level, job, "
                          "round, step, created_us) "
                          "VALUES (?, ?, 'envoy@example.org', '', 'role', ?, 1, 1, 1)",
                          NULL, "isi", number, id, job));
    g_assert_true(sql_run(&txn,
                          "INSERT INTO delivery (outbox, address, folder, state, next_us) "
                          "VALUES (?, ?, '', 'sent', 0)",
                          NULL, "is", number, to));
    test_commit(&txn);
    return id;
}

/* Jobs 1 and 2 are envoy's and hold one@x and two@x; job 3 is scribe's, holds one@x too, and
 * sent S; job 1 sent E. */
static void
test_find_job(void)
{
    static const struct {
        const char *name, *role, *refs, *in_reply_to;
        int64_t want;
    } cases[] = {
        {"none named", "envoy", NULL, NULL, 0},
        {"unknown id", "envoy", "zero@x", NULL, 0},
        {"taken in", "envoy", "one@x", NULL, 1},
        {"by In-Reply-To", "envoy", NULL, "two@x", 2},
        {"nearest is last", "envoy", "one@x two@x", NULL, 2},
        {"nearest that is known", "envoy", "one@x zero@x", NULL, 1},
        {"References before In-Reply-To", "envoy", "one@x", "two@x", 1},
        {"each role its own", "scribe", "one@x", NULL, 3},
        {"sent", "envoy", "E", NULL, 1},
        {"sent by another role's job", "envoy", "S", NULL, 0},
        {"sent by this role's job", "scribe", "one@x S", NULL, 3},
        {"not ours though it looks so", "envoy", "1800000000.1.aaaa@example.org", NULL, 0},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(Message) one = test_mail("one@x", "ann@example.org", NULL, NULL, "1");
    g_autoptr(Message) two = test_mail("two@x", "ann@example.org", NULL, NULL, "2");
    MsgNew mails[] = {test_msg_new("envoy", "1", one), test_msg_new("envoy", "2", two),
                      test_msg_new("scribe", "3", one)};

    for (size_t i = 0; i < G_N_ELEMENTS(mails); i++) {
        mails[i].job.v = make_job(db, mails[i].role);
        mails[i].round = 1;
        test_store(db, &mails[i]);
    }
    g_autofree char *sent = send_mail(db, home, 1, "ann@example.org");
    g_autofree char *other = send_mail(db, home, 3, "ann@example.org");

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) refs = g_string_new(cases[i].refs);
        g_string_replace(refs, "E", sent, 0);
        g_string_replace(refs, "S", other, 0);
        g_autoptr(Message) m = test_mail("new@x", NULL, NULL, refs->str, NULL);
        JobId job;

        m->in_reply_to = g_strdup(cases[i].in_reply_to);
        g_test_message("%s", cases[i].name);
        g_assert_true(messages_find_job(db, cases[i].role, m, &job, NULL));
        g_assert_cmpint(job.v, ==, cases[i].want);
    }
    db_close(db);
    test_home_free(home);
}

/* Job 1 holds one@x and two@x, which answer mail that nobody here has; job 2 holds four@x of
 * another thread, until a mail that names both joins them. */
static void
test_find_job_thread(void)
{
    static const struct {
        const char *name, *role, *id, *refs;
        int64_t want, want_joined;
    } cases[] = {
        {"a new mail", "envoy", "new@x", NULL, 0, 0},
        {"names what was only named", "envoy", "new@x", "lost@x", 1, 2},
        {"is what was only named", "envoy", "lost@x", NULL, 1, 2},
        {"the nearest held id wins", "envoy", "new@x", "four@x lost@x", 2, 2},
        {"a held id wins over the thread", "envoy", "new@x", "two@x", 1, 1},
        {"another role's", "scribe", "new@x", "lost@x", 0, 0},
        {"an unknown thread", "envoy", "new@x", "unknown@x", 0, 0},
    };
    static const char *const held[][2] = {{"one@x", "lost@x"},
                                          {"two@x", "lost@x"},
                                          {"four@x", "far@x"},
                                          {"joins@x", "lost@x far@x"}};
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    int64_t first = make_job(db, "envoy"), second = make_job(db, "envoy");

    for (size_t h = 0; h < G_N_ELEMENTS(held); h++) {
        bool joins = h == 3;
        g_autoptr(Message) taken =
            test_mail(held[h][0], "ann@example.org", NULL, held[h][1], "");
        g_autofree char *file = g_strdup_printf("%zu", h);
        MsgNew in = test_msg_new(joins ? "scribe" : "envoy", file, taken);

        in.job.v = joins ? 0 : h == 2 ? second : first;
        in.round = 1;
        Txn txn = test_begin(db);
        g_assert_true(messages_thread(&txn, taken, &in.thread, NULL));
        test_commit(&txn);
        test_store(db, &in);
        for (size_t i = 0; h >= 2 && i < G_N_ELEMENTS(cases); i++) {
            g_autoptr(Message) m = test_mail(cases[i].id, NULL, NULL, cases[i].refs, NULL);
            JobId job;

            g_test_message("%s%s", cases[i].name, joins ? ", joined" : "");
            g_assert_true(messages_find_job(db, cases[i].role, m, &job, NULL));
            g_assert_cmpint(job.v, ==, joins ? cases[i].want_joined : cases[i].want);
        }
    }
    db_close(db);
    test_home_free(home);
}

static void
test_takes_part(void)
{
    static const struct {
        const char *spec;
        bool want, want_believed;
    } cases[] = {
        {"ann@example.org", true, true},
        {"ann@EXAMPLE.ORG", true, true},
        {"envoy@example.org", true, true},
        {"cc@example.org", true, true},
        {"asked@example.org", true, true},
        {"unknown@example.org", true, false},
        {"named@example.org", true, false},
        {"nn@example.org", false, false},
        {"ann@example.or", false, false},
        {"stranger@example.org", false, false},
        {"", false, false},
        {"held@example.org", false, false},
        {"failed@example.org", false, false},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(Message) m = test_mail("a@x", "ann@example.org", "envoy@example.org", NULL, "");
    g_autoptr(Message) other = test_mail("b@x", "stranger@example.org", NULL, NULL, "");
    g_autoptr(Message) low =
        test_mail("c@x", "unknown@example.org", "named@example.org", NULL, "");
    MsgNew in = test_msg_new("envoy", "1", m), far = test_msg_new("envoy", "2", other);
    MsgNew anyones = test_msg_new("envoy", "3", low);

    addresses_add(m->cc, address_new("", "cc@example.org"));
    in.job.v = make_job(db, "envoy");
    far.job.v = make_job(db, "envoy");
    anyones.job = in.job;
    anyones.trust = TRUST_ANYONE;
    test_store(db, &in);
    test_store(db, &far);
    test_store(db, &anyones);
    g_free(send_mail(db, home, in.job.v, "asked@example.org"));
    g_free(send_mail(db, home, in.job.v, "held@example.org"));
    g_free(send_mail(db, home, in.job.v, "failed@example.org"));
    Txn txn = test_begin(db);
    g_assert_true(sql_run(&txn,
                          "UPDATE delivery SET state = substr(address, 1, instr(address, '@') "
                          "- 1) WHERE address LIKE 'held@%' OR address LIKE 'failed@%'",
                          NULL, ""));
    test_commit(&txn);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool takes;

        g_assert_true(messages_takes_part(db, in.job, cases[i].spec, false, &takes, NULL));
        g_assert_cmpint(takes, ==, cases[i].want);
        g_assert_true(messages_takes_part(db, in.job, cases[i].spec, true, &takes, NULL));
        g_assert_cmpint(takes, ==, cases[i].want_believed);
    }
    db_close(db);
    test_home_free(home);
}

static void
test_settle(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    JobId job = {make_job(db, "envoy")}, other = {make_job(db, "envoy")};
    MsgId ids[3];
    g_autoptr(GError) error = NULL;
    unsigned n;

    for (int i = 0; i < 3; i++) {
        g_autofree char *id = g_strdup_printf("m%d@x", i);
        g_autoptr(Message) m = test_mail(id, "ann@example.org", NULL, NULL, id);
        MsgNew in = test_msg_new("envoy", id, m);

        ids[i] = test_store(db, &in);
        set_job(db, ids[i], i < 2 ? job : other);
    }
    Txn txn = test_begin(db);
    g_assert_true(messages_mark_shown(&txn, ids, 1, NULL));
    test_commit(&txn);
    g_assert_true(messages_count_open(db, job, &n, NULL));
    g_assert_cmpuint(n, ==, 2);
    g_autoptr(MsgRows) open = NULL;
    g_assert_true(messages_open(db, job, &open, NULL));
    g_assert_cmpuint(open->len, ==, 2);
    g_assert_cmpint(((MsgRow *)open->pdata[0])->id.v, ==, ids[0].v);
    g_assert_cmpint(((MsgRow *)open->pdata[0])->state, ==, MSG_SHOWN);

    /* All or none: the third is another job's. */
    txn = test_begin(db);
    g_assert_false(messages_settle(&txn, job, 1, ids, 3, &error));
    g_assert_true(err_is(error, ERR_NEVER));
    txn_clear(&txn);
    g_assert_true(messages_count_open(db, job, &n, NULL));
    g_assert_cmpuint(n, ==, 2);

    txn = test_begin(db);
    g_assert_true(messages_settle(&txn, job, 4, ids, 2, NULL));
    test_commit(&txn);
    g_autoptr(MsgRow) row = load(db, ids[1]);
    g_assert_cmpint(row->state, ==, MSG_HANDLED);
    g_assert_cmpint(row->step, ==, 4);

    g_clear_error(&error);
    txn = test_begin(db);
    g_assert_false(messages_settle(&txn, job, 5, ids, 1, &error));
    g_assert_nonnull(strstr(error->message, "answered already"));
    txn_clear(&txn);
    db_close(db);
    test_home_free(home);
}

static void
check_trace(Db *db, MsgId id, const char *want)
{
    g_autoptr(TraceRows) rows = NULL;
    g_autoptr(GString) got = g_string_new(NULL);

    g_assert_true(messages_trace_list(db, id, &rows, NULL));
    for (guint i = 0; i < rows->len; i++) {
        const TraceRow *t = rows->pdata[i];

        g_string_append_printf(got, "%s(%s) ", t->what, t->why ? t->why : "");
    }
    g_assert_cmpstr(g_strchomp(got->str), ==, want);
}

static void
test_trace(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(Message) a = test_mail("a@x", "ann@example.org", NULL, NULL, "a");
    g_autoptr(Message) b = test_mail("b@x", "eve@example.net", NULL, NULL, "b");
    MsgNew plain = test_msg_new("envoy", "1", a), held = test_msg_new("envoy", "2", b);
    JobId job = {make_job(db, "envoy")};

    held.state = MSG_HELD;
    held.why = "stranger";
    held.class = MSG_STRANGER;
    held.trust = TRUST_ANYONE;
    MsgId first = test_store(db, &plain), second = test_store(db, &held);
    check_trace(db, first, "received(task, trust principal, now stored)");
    check_trace(db, second, "received(stranger, trust anyone, now held) held(stranger)");

    Txn txn = test_begin(db);
    g_assert_true(messages_set_state(&txn, second, MSG_STORED, "released", NULL));
    g_assert_true(messages_set_job(&txn, second, job, 1, NULL));
    g_assert_true(messages_mark_shown(&txn, &second, 1, NULL));
    g_assert_true(messages_mark_shown(&txn, &second, 1, NULL)); /* no second line */
    g_assert_true(messages_end_job(&txn, job, MSG_DEAD, "cancelled", NULL));
    g_assert_true(messages_end_job(&txn, job, MSG_DEAD, "cancelled", NULL));
    test_commit(&txn);
    check_trace(db, second,
                "received(stranger, trust anyone, now dead) held(stranger) stored(released) "
                "shown() dead(cancelled)");
    db_close(db);
    test_home_free(home);
}

static void
test_missing(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(GError) error = NULL;
    MsgRow *row = (MsgRow *)1;
    Txn txn = test_begin(db);

    g_assert_false(messages_set_state(&txn, (MsgId){7}, MSG_DEAD, "x", &error));
    g_assert_true(err_is(error, ERR_NEVER));
    g_clear_error(&error);
    g_assert_false(messages_set_place(&txn, (MsgId){7}, "Done", &error));
    txn_clear(&txn);
    g_assert_true(messages_load(db, &VIEWER_OPERATOR, (MsgId){7}, &row, NULL));
    g_assert_null(row);
    g_assert_true(messages_find(db, &VIEWER_OPERATOR, "no@x", &row, NULL));
    g_assert_null(row);
    db_close(db);
    test_home_free(home);
}

/* Mails 1 to 6; odd ones are envoy's, even ones scribe's. */
static void
make_mails(Db *db)
{
    for (int i = 1; i <= 6; i++) {
        g_autofree char *id = g_strdup_printf("m%d@x", i);
        g_autofree char *from = g_strdup_printf("p%d@example.org", i);
        g_autoptr(Message) m = test_mail(id, from, NULL, i == 3 ? "m1@x" : NULL, id);
        MsgNew in = test_msg_new(i % 2 ? "envoy" : "scribe", id, m);

        g_free(m->from->name);
        m->from->name = g_strdup(i == 2 ? "Ärger Öl" : "Nobody");
        m->date_us = i == 6 ? 0 : TEST_NOW - (10 - i) * USEC_PER_SEC;
        in.folder = i > 4 ? "Done" : "";
        in.state = i == 4 ? MSG_HELD : i == 5 ? MSG_IGNORED : MSG_STORED;
        in.why = i == 4 ? "stranger" : i == 5 ? "history: old" : NULL;
        if (i == 5)
            in.class = MSG_HISTORY;
        test_store(db, &in);
    }
}

static void
test_list(void)
{
    static const Viewer operator= {NULL, true}, nobody = {NULL, false};
    static const struct {
        const char *name;
        const Viewer *viewer;
        MsgQuery q;
        const char *want; /* ids in order */
    } cases[] = {
        {"all", &operator, {0}, "654321"},
        {"nobody sees nothing", &nobody, {0}, ""},
        {"a role sees its own", &envoy, {0}, "531"},
        {"and no other's", &envoy, {.role = "scribe"}, ""},
        {"role", &operator, {.role = "scribe"}, "642"},
        {"oldest first", &operator, {.oldest_first = true}, "123456"},
        {"limit", &operator, {.limit = 2}, "65"},
        {"page", &operator, {.limit = 2, .below_id = 5}, "43"},
        {"inbox", &operator, {.folder = ""}, "4321"},
        {"folder", &operator, {.folder = "Done", .role = "envoy"}, "5"},
        {"state", &operator, {.state = "held"}, "4"},
        {"open", &operator, {.open_only = true}, "64321"},
        {"history", &operator, {.history_only = true}, "5"},
        {"since", &operator, {.since_us = TEST_NOW - 6 * USEC_PER_SEC}, "654"},
        {"before", &operator, {.before_us = TEST_NOW - 7 * USEC_PER_SEC}, "21"},
        {"thread", &operator, {.thread = {1}}, "31"},
        {"no such thread", &operator, {.thread = {99}}, ""},
        {"no such job", &operator, {.job = {99}}, ""},
        {"from", &operator, {.from = "P3@"}, "3"},
        {"from, by name, in any case", &operator, {.from = "ÖL"}, "2"},
        {"subject", &operator, {.subject = "about M"}, "654321"},
        {"a per cent sign is itself", &operator, {.subject = "%"}, ""},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    make_mails(db);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(MsgRows) rows = NULL;
        g_autoptr(GString) got = g_string_new(NULL);

        g_test_message("%s", cases[i].name);
        g_assert_true(messages_list(db, cases[i].viewer, &cases[i].q, &rows, NULL));
        for (guint k = 0; k < rows->len; k++)
            g_string_append_printf(got, "%d", (int)((MsgRow *)rows->pdata[k])->id.v);
        g_assert_cmpstr(got->str, ==, cases[i].want);
    }
    db_close(db);
    test_home_free(home);
}

static void
test_find(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(MsgRow) ours = NULL, theirs = NULL, all = NULL;

    make_mails(db);
    g_assert_true(messages_find(db, &envoy, "m1@x", &ours, NULL));
    g_assert_cmpint(ours->id.v, ==, 1);
    g_assert_true(messages_find(db, &envoy, "m2@x", &theirs, NULL));
    g_assert_null(theirs);
    g_assert_true(messages_find(db, &VIEWER_OPERATOR, "m2@x", &all, NULL));
    g_assert_cmpint(all->id.v, ==, 2);
    db_close(db);
    test_home_free(home);
}

/* Mail 7 is the copy of mail 2 in the Sent folder of envoy, who had written it. */
static void
test_copy(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(MsgRow) ours = NULL, all = NULL;
    g_autoptr(MsgRows) rows = NULL, taken_in = NULL;
    g_autoptr(Message) m = test_mail("m2@x", "p2@example.org", NULL, NULL, "m2@x");
    MsgNew in = test_msg_new("envoy", "copy", m);
    bool came;

    make_mails(db);
    in.folder = "Sent";
    in.class = MSG_HISTORY;
    test_store(db, &in);
    g_assert_true(messages_find(db, &envoy, "m2@x", &ours, NULL));
    g_assert_cmpint(ours->id.v, ==, 7);
    g_assert_true(messages_find(db, &VIEWER_OPERATOR, "m2@x", &all, NULL));
    g_assert_cmpint(all->id.v, ==, 2);
    g_assert_true(messages_came(db, &envoy, "m2@x", &came, NULL));
    g_assert_false(came);
    g_assert_true(messages_came(db, &VIEWER_OPERATOR, "m2@x", &came, NULL));
    g_assert_true(came);
    g_assert_true(messages_list(db, &envoy, &(MsgQuery){0}, &rows, NULL));
    g_assert_cmpint(rows->len, ==, 4);
    g_assert_true(messages_list(db, &envoy, &(MsgQuery){.taken_in = true}, &taken_in, NULL));
    g_assert_cmpint(taken_in->len, ==, 3);
    db_close(db);
    test_home_free(home);
}

static void
test_count(void)
{
    static const struct {
        MsgState state;
        const char *prefix;
        int64_t want;
    } cases[] = {
        {MSG_STORED, NULL, 4},       {MSG_HELD, NULL, 1}, {MSG_HELD, "history", 0},
        {MSG_IGNORED, "history", 1}, {MSG_DEAD, NULL, 0},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    make_mails(db);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t n;

        g_assert_true(messages_count_state(db, cases[i].state, cases[i].prefix, &n, NULL));
        g_assert_cmpint(n, ==, cases[i].want);
    }
    db_close(db);
    test_home_free(home);
}

static void
test_names(void)
{
    MsgState state;

    for (int i = 0; i < MSG_N_STATES; i++) {
        g_assert_true(msg_state_parse(msg_state_name((MsgState)i), &state));
        g_assert_cmpint(state, ==, i);
    }
    g_assert_false(msg_state_parse("odd", &state));
    g_assert_false(msg_state_parse(NULL, &state));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/messages/floor", test_floor);
    g_test_add_func("/messages/once", test_once);
    g_test_add_func("/messages/store-again", test_store_again);
    g_test_add_func("/messages/find-job", test_find_job);
    g_test_add_func("/messages/find-job-thread", test_find_job_thread);
    g_test_add_func("/messages/takes-part", test_takes_part);
    g_test_add_func("/messages/settle", test_settle);
    g_test_add_func("/messages/trace", test_trace);
    g_test_add_func("/messages/missing", test_missing);
    g_test_add_func("/messages/list", test_list);
    g_test_add_func("/messages/find", test_find);
    g_test_add_func("/messages/copy", test_copy);
    g_test_add_func("/messages/count", test_count);
    g_test_add_func("/messages/names", test_names);
    return g_test_run();
}
