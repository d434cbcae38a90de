/* Who hears of mail that did not arrive, and in whose name. */
#include "engine/people/delivery_failure.h"
#include "base/config/config.h"
#include "store/out/outbox.h"
#include "store/sql.h"
#include "testwork.h"

#define OUTSIDE "bob@far.example"

static const char task[] =
    "From: Cat <cat@example.net>\nTo: envoy@example.org\nSubject: s\nMessage-ID: <a@x>\n\nGo.\n";

/* In the first place a person, who speaks for nobody. */
static const char conf[] = "[postrider]\nowner = ann@example.org\ndomain = example.org\n"
                           "[brain default]\nkind = script\n[role dora]\nperson = yes\n"
                           "[role scribe]\n[role envoy]\n";

typedef struct Case {
    const char *name;
    bool of_job;             /* the mail that was lost is of envoy's job, which cat asked for */
    const char *recipients[3];
    const char *want_to, *want_from; /* of the one notice; NULL: nobody hears */
} Case;

static const Case cases[] = {
    {"of a job: the owner", true, {OUTSIDE}, "ann@example.org", "envoy@example.org"},
    {"of a job, to the owner: who asked", true, {"ann@example.org"}, "cat@example.net", "envoy@example.org"},
    {"of a job, to both", true, {"ann@example.org", "cat@example.net"}, NULL, NULL},
    {"of no job: the first agent says it", false, {OUTSIDE}, "ann@example.org", "scribe@example.org"},
    {"of no job, to the owner", false, {"ann@example.org"}, NULL, NULL},
    {"nothing was lost", true, {NULL}, NULL, NULL},
};

static void
open_work(TestWork *w, gconstpointer data)
{
    g_autoptr(GError) error = NULL;

    work_open(w, data);
    g_clear_pointer(&w->home->config, config_free);
    config_parse(conf, strlen(conf), "postrider.conf", &w->home->config, &error);
    g_assert_no_error(error);
    work_take_in(w, "envoy", task, TRUST_PRINCIPAL, MSG_STORED);
}

static GArray *
lost_of(const Case *c)
{
    GArray *lost = g_array_new(FALSE, FALSE, sizeof(DeliveryFailure));

    for (const char *const *to = c->recipients; *to; to++) {
        const DeliveryFailure one = {*to, "550 5.1.1 no such mailbox"};
        g_array_append_val(lost, one);
    }
    return lost;
}

/* The mail that is lost, as the outbox has it. */
static OutId
put(TestWork *w, const Case *c)
{
    static const char raw[] = "From: envoy@example.org\nTo: bob@far.example\nSubject: an offer\nMessage-ID: <1.1.a@x>\n\nHello.\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = g_bytes_new_static(raw, strlen(raw));
    const OutTo to = {.address = OUTSIDE, .folder = "", .account = "main"};
    const OutMail mail = {.msgid = "1.1.a@x",
                          .from = "envoy@example.org",
                          .subject = "an offer",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .job = c->of_job ? w->id : (JobId){0},
                          .round = 1,
                          .to = &to,
                          .n_to = 1};
    Txn txn = test_begin(w->engine.db);
    OutId id;

    g_assert_true(outbox_next(&txn, &id, &error) && outbox_put(&txn, id, &mail, &error));
    test_commit(&txn);
    return id;
}

/* "TO from FROM" of what was written after a mail; caller frees. */
static char *
written(TestWork *w, OutId after)
{
    g_autoptr(GError) error = NULL;
    char *is = NULL;

    sql_string(w->engine.db,
               "SELECT group_concat(d.address || ' from ' || o.from_spec) FROM outbox o JOIN delivery d ON d.outbox = o.id "
               "WHERE d.folder <> 'Sent' AND o.id > ?",
               &is, &error, "i", after.v);
    g_assert_no_error(error);
    return is;
}

static void
test_case(TestWork *w, gconstpointer data, bool ask)
{
    const Case *c = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) lost = lost_of(c);
    OutRow mail = {.id = put(w, c),
                   .msgid = (char *)"1.1.a@x",
                   .subject = (char *)"an offer",
                   .job = c->of_job ? w->id : (JobId){0},
                   .round = 1};
    g_autofree char *want = c->want_to ? g_strdup_printf("%s from %s", c->want_to, c->want_from) : NULL;
    Txn txn = test_begin(w->engine.db);

    if (ask)
        delivery_failure_ask(&w->engine, &txn, &mail, lost, &error);
    else
        delivery_failure_tell(&w->engine, &txn, &mail, lost, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    g_autofree char *is = written(w, mail.id);
    g_assert_cmpstr(is, ==, want);
}

static void
test_tell(TestWork *w, gconstpointer data)
{
    test_case(w, data, false);
}

/* Of doubt only the owner is asked. */
static void
test_ask(TestWork *w, gconstpointer data)
{
    Case c = *(const Case *)data;

    if (g_strcmp0(c.want_to, "ann@example.org") != 0)
        c.want_to = NULL;
    test_case(w, &c, true);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *tell = g_strconcat("/delivery-failure/tell/", cases[i].name, NULL);
        g_autofree char *ask = g_strconcat("/delivery-failure/ask/", cases[i].name, NULL);
        g_test_add(tell, TestWork, &cases[i], open_work, test_tell, work_close);
        g_test_add(ask, TestWork, &cases[i], open_work, test_ask, work_close);
    }
    return g_test_run();
}
