/* Mail to people outside: what is sending, in doubt, bounced, paused. */
#include "store/out/outbox_smtp.h"
#include "temp_store.h"

#define OUTSIDE "bob@far.example"

/* One mail of job to OUTSIDE and a second address there; *ret are the deliveries. */
static OutId
put(TempStore *s, JobId job, int64_t ret[2])
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = g_bytes_new_static("x", 1);
    const OutTo to[] = {{.address = OUTSIDE, .folder = "", .account = "main"},
                        {.address = "cat@far.example", .folder = "", .account = "main"}};
    OutMail mail = {.msgid = "1.1.a@x",
                    .from = "envoy@example.org",
                    .bytes = bytes,
                    .level = TRUST_ROLE,
                    .job = job,
                    .round = 1,
                    .to = to,
                    .n_to = 2};
    const Viewer all = VIEWER_OPERATOR;
    const OutQuery q = {.all = true};
    g_autoptr(OutRows) rows = NULL;
    g_auto(Txn) txn = {0};
    OutId id;

    txn_begin(s->db, TXN_LAZY, 0, &txn, &error);
    outbox_next(&txn, &id, &error);
    outbox_put(&txn, id, &mail, &error);
    g_assert_no_error(error);
    sql_run(&txn, "UPDATE delivery SET state = 'ready', why = NULL", &error, "");
    txn_commit(&txn, &error);
    outbox_list(s->db, &all, &q, &rows, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rows->len, ==, 2);
    for (guint i = 0; i < 2; i++)
        ret[i] = ((OutRow *)rows->pdata[1 - i])->delivery;
    return id;
}

static char *
states(TempStore *s)
{
    const Viewer all = VIEWER_OPERATOR;
    const OutQuery q = {.all = true};
    g_autoptr(OutRows) rows = NULL;
    GString *text = g_string_new(NULL);

    outbox_list(s->db, &all, &q, &rows, NULL);
    for (guint i = rows->len; i-- > 0;)
        g_string_append_printf(text, "%s%s", text->len ? " " : "",
                               out_state_name(((OutRow *)rows->pdata[i])->state));
    return g_string_free(text, FALSE);
}

typedef enum Act {
    SENDING,
    DOUBT,
    ARRIVED,
    BOUNCED,
    BOUNCED_OTHER,
    AGAIN,
    PAUSED,
    TRY_BOTH,    /* with copy 7 */
    TRY_FIRST,   /* bob alone, with copy 8 */
    COPY_BOTH,   /* comes */
    COPY_FIRST,  /* comes */
    COPY_OF_ANY, /* comes, and does not say which it is */
    N_STEPS
} Act;

static void
step(TempStore *s, Act what, OutId id, const int64_t ids[2])
{
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = {0};
    bool flag;
    unsigned n, after;
    int64_t delivery;

    txn_begin(s->db, TXN_LAZY, 0, &txn, &error);
    switch (what) {
    case SENDING:
        outbox_sending(&txn, ids, 2, &flag, &error);
        break;
    case DOUBT:
        outbox_doubt(&txn, ids[0], "no answer", USEC_NEVER, &error);
        break;
    case ARRIVED:
        outbox_arrived(&txn, id, "x", &n, &error);
        break;
    case BOUNCED:
        outbox_bounced(&txn, id, "bob@FAR.example", "550", &delivery, &error);
        break;
    case BOUNCED_OTHER:
        outbox_bounced(&txn, id, "eve@far.example", "550", &delivery, &error);
        g_assert_cmpint(delivery, ==, 0);
        break;
    case AGAIN:
        (void)outbox_again(&txn, id, NULL);
        break;
    case PAUSED:
        outbox_pause_account(&txn, "main", temp_now(s) + 1, "login", &flag, &error);
        break;
    case TRY_BOTH:
    case TRY_FIRST:
        outbox_sending(&txn, ids, what == TRY_BOTH ? 2 : 1, &flag, &error);
        g_assert_true(outbox_probes(s->db, id, &n, &error));
        outbox_set_probe(&txn, id, ids, what == TRY_BOTH ? 2 : 1, what == TRY_BOTH ? 7 : 8,
                         &error);
        g_assert_true(outbox_probes(s->db, id, &after, &error));
        g_assert_cmpuint(after, ==, n + 1);
        break;
    case COPY_BOTH:
    case COPY_FIRST:
    case COPY_OF_ANY:
        outbox_copy_came(&txn, id,
                         what == COPY_BOTH    ? 7
                         : what == COPY_FIRST ? 8
                                              : 0,
                         &n, &error);
        break;
    case N_STEPS:
        break;
    }
    g_assert_no_error(error);
    txn_commit(&txn, &error);
    g_assert_no_error(error);
}

static const struct {
    const char *name;
    Act steps[8];
    const char *want;
} cases[] = {
    {"sending is for all", {SENDING, N_STEPS}, "sending sending"},
    {"lost", {SENDING, DOUBT, N_STEPS}, "in_doubt sending"},
    {"only what is sending is in doubt", {DOUBT, N_STEPS}, "ready ready"},
    {"arrived after all", {SENDING, DOUBT, ARRIVED, N_STEPS}, "sent sending"},
    {"arrived is for doubt", {ARRIVED, N_STEPS}, "ready ready"},
    {"once more", {SENDING, DOUBT, AGAIN, N_STEPS}, "ready sending"},
    {"bounced", {SENDING, DOUBT, BOUNCED, N_STEPS}, "failed sending"},
    {"a bounce of what has not left", {BOUNCED, N_STEPS}, "ready ready"},
    {"a bounce for somebody else",
     {SENDING, DOUBT, BOUNCED_OTHER, N_STEPS},
     "in_doubt sending"},
    {"a copy of the try", {TRY_BOTH, DOUBT, COPY_BOTH, N_STEPS}, "sent sent"},
    {"a copy before the answer", {TRY_BOTH, COPY_BOTH, DOUBT, N_STEPS}, "sent sent"},
    {"a copy of another try", {TRY_BOTH, DOUBT, COPY_FIRST, N_STEPS}, "in_doubt sending"},
    {"a copy that says nothing, of one try",
     {TRY_BOTH, DOUBT, COPY_OF_ANY, N_STEPS},
     "sent sent"},
    {"or of two",
     {TRY_FIRST, DOUBT, AGAIN, TRY_BOTH, DOUBT, COPY_OF_ANY, N_STEPS},
     "in_doubt sending"},
    {"the earlier of two",
     {TRY_FIRST, DOUBT, AGAIN, TRY_BOTH, DOUBT, COPY_FIRST, N_STEPS},
     "in_doubt sending"},
    {"a copy of what was not sent", {COPY_OF_ANY, N_STEPS}, "ready ready"},
    {"paused", {PAUSED, N_STEPS}, "retry retry"},
    {"paused leaves what is under way", {SENDING, PAUSED, N_STEPS}, "sending sending"},
};

static void
test_steps(TempStore *s, gconstpointer data)
{
    size_t c = GPOINTER_TO_SIZE(data);
    int64_t ids[2];
    OutId id = put(s, (JobId){0}, ids);

    for (size_t i = 0; cases[c].steps[i] != N_STEPS; i++)
        step(s, cases[c].steps[i], id, ids);
    g_autofree char *got = states(s);
    g_assert_cmpstr(got, ==, cases[c].want);
}

/* STOP came between: nothing is marked, so nothing is sent. */
static void
test_taken_back(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = {0};
    int64_t ids[2];
    bool all = true;

    put(s, (JobId){0}, ids);
    txn_begin(s->db, TXN_LAZY, 0, &txn, &error);
    sql_run(&txn, "UPDATE delivery SET state = 'held' WHERE id = ?", &error, "i", ids[1]);
    outbox_sending(&txn, ids, 2, &all, &error);
    txn_commit(&txn, &error);
    g_assert_no_error(error);
    g_assert_false(all);
    g_autofree char *got = states(s);
    g_assert_cmpstr(got, ==, "ready held");
}

static void
test_news(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    JobId job = temp_job(s, "envoy");
    int64_t ids[2];
    OutId id = put(s, job, ids);

    step(s, SENDING, id, ids);
    step(s, DOUBT, id, ids);
    step(s, BOUNCED, id, ids);
    for (int told = 0; told < 2; told++) {
        g_autoptr(OutNewsList) news = NULL;
        g_auto(Txn) txn = {0};
        outbox_news(s->db, job, &news, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(news->len, ==, told ? 0 : 1);
        if (!told)
            g_assert_cmpstr(((OutNews *)news->pdata[0])->address, ==, OUTSIDE);
        txn_begin(s->db, TXN_LAZY, 0, &txn, &error);
        outbox_news_told(&txn, ids, 2, &error);
        txn_commit(&txn, &error);
    }
}

/* Whoever is paused is not asked again and again; what a person mends is tried at once. */
static void
test_pause(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *why = NULL, *after = NULL;
    int64_t ids[2], until;
    bool ready = true;
    OutId id = put(s, (JobId){0}, ids);
    g_auto(Txn) txn = {0};

    step(s, PAUSED, id, ids);
    outbox_smtp_ready(s->db, temp_now(s), &ready, &error);
    g_assert_false(ready);
    outbox_account_paused(s->db, "main", &until, &why, &error);
    g_assert_cmpstr(why, ==, "login");
    g_assert_cmpint(until, ==, temp_now(s) + 1);
    txn_begin(s->db, TXN_LAZY, 0, &txn, &error);
    outbox_resume_account(&txn, "main", &error);
    txn_commit(&txn, &error);
    outbox_smtp_ready(s->db, temp_now(s), &ready, &error);
    outbox_account_paused(s->db, "main", &until, &after, &error);
    g_assert_no_error(error);
    g_assert_true(ready);
    g_assert_null(after);
}

static void
test_counts(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    JobId job = temp_job(s, "envoy");
    int64_t ids[2];
    unsigned round, few, to, anybody, later;

    const Job of = {.id = job, .round = 1, .role = (char *)"envoy"};
    put(s, job, ids);
    outbox_count_round(s->db, &of, 1, &round, &error);
    outbox_count_round(s->db, &of, 50, &few, &error);
    outbox_count_to(s->db, OUTSIDE, temp_now(s) - 1, &to, &error);
    outbox_count_to(s->db, NULL, temp_now(s) - 1, &anybody, &error);
    outbox_count_to(s->db, OUTSIDE, temp_now(s) + 1, &later, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(round, ==, 1);
    g_assert_cmpuint(few, <=, 1);
    g_assert_cmpuint(to, ==, 1);
    g_assert_cmpuint(anybody, ==, 1);
    g_assert_cmpuint(later, ==, 0);
}

/* Nobody is asked before the time, and then once. */
static void
test_ask(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    int64_t ids[2], deadline = 0, at = temp_now(s) + 100;
    OutId id = put(s, (JobId){0}, ids);
    static const struct {
        int64_t pass_us;
        bool want;
    } rows[] = {{0, false}, {99, false}, {1, true}, {50, true}};

    step(s, SENDING, id, ids);
    Txn txn = test_begin(s->db);
    outbox_doubt(&txn, ids[0], "no answer", at, &error);
    outbox_doubt(&txn, ids[1], "no answer", USEC_NEVER, &error);
    test_commit(&txn);
    db_next_deadline(s->db, &deadline, &error);
    g_assert_cmpint(deadline, ==, at);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GArray) mails = NULL;
        bool ready;
        temp_pass(s, rows[i].pass_us);
        outbox_to_ask(s->db, temp_now(s), &mails, &error);
        outbox_smtp_ready(s->db, temp_now(s), &ready, &error);
        g_assert_no_error(error);
        g_assert_cmpint(mails->len, ==, rows[i].want);
        g_assert_true(ready == rows[i].want);
    }
    txn = test_begin(s->db);
    outbox_asked(&txn, id, &error);
    test_commit(&txn);
    g_autoptr(GArray) after = NULL;
    outbox_to_ask(s->db, temp_now(s), &after, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(after->len, ==, 0);
    db_next_deadline(s->db, &deadline, &error);
    g_assert_cmpint(deadline, ==, USEC_NEVER);
}

/* Copies wait for one who has the mail, and end with the last who could have had it. */
static void
test_copies(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *name, *bob, *cat, *copy;
        const char *want;
    } rows[] = {
        {"one may still get it", "failed", "retry", "waiting", "waiting"},
        {"one is in doubt", "failed", "in_doubt", "waiting", "waiting"},
        {"nobody got it", "failed", "failed", "waiting", "failed"},
        {"what was to be filed on the server", "failed", "failed", "ready", "failed"},
        {"one has it", "failed", "sent", "ready", "ready"},
        {"what is filed stays", "failed", "failed", "sent", "sent"},
        {"what is held stays", "failed", "failed", "held", "held"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        int64_t ids[2];
        TempStore t;

        g_test_message("%s", rows[i].name);
        temp_store_open(&t, NULL);
        OutId id = put(&t, (JobId){0}, ids);
        Txn txn = test_begin(t.db);
        sql_run(&txn, "UPDATE delivery SET state = ? WHERE id = ?", &error, "si", rows[i].bob,
                ids[0]);
        sql_run(&txn, "UPDATE delivery SET state = ? WHERE id = ?", &error, "si", rows[i].cat,
                ids[1]);
        sql_run(&txn,
                "INSERT INTO delivery (outbox, address, mailbox, folder, state, next_us, "
                "after_effect) VALUES (?, 'e@x', 'envoy', 'Sent', ?, 0, -2)",
                &error, "is", id.v, rows[i].copy);
        outbox_end_copies(&txn, id, &error);
        g_assert_no_error(error);
        test_commit(&txn);
        g_assert_cmpint(temp_int(&t,
                                 "SELECT count(*) FROM delivery WHERE outbox = ? AND "
                                 "folder = 'Sent'",
                                 id.v),
                        ==, 1);
        g_autofree char *sql = g_strdup_printf("SELECT count(*) FROM delivery WHERE outbox = ? "
                                               "AND folder = 'Sent' AND state = '%s'",
                                               rows[i].want);
        g_assert_cmpint(temp_int(&t, sql, id.v), ==, 1);
        temp_store_close(&t, NULL);
    }
}

#define ADD(path, function)                                                                    \
    g_test_add("/outbox-smtp/" path, TempStore, NULL, temp_store_open, function,               \
               temp_store_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/outbox-smtp/%s", cases[i].name);
        g_test_add(path, TempStore, GSIZE_TO_POINTER(i), temp_store_open, test_steps,
                   temp_store_close);
    }
    ADD("taken back", test_taken_back);
    ADD("news", test_news);
    ADD("pause", test_pause);
    ADD("counts", test_counts);
    ADD("ask", test_ask);
    ADD("copies", test_copies);
    return g_test_run();
}
