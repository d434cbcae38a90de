#include "store/mail/demands.h"
#include "store/mail/server_mail.h"
#include "temp_store.h"

#define NO_ERROR g_autoptr(GError) error = NULL
#define DAY_US (24 * 3600 * USEC_PER_SEC)

static char envoy[] = "envoy", id[] = "old@example.org", nowhere[] = "";
static const Demand want = {envoy, id, nowhere};

static void
ask(TempStore *s, bool again)
{
    NO_ERROR;
    Txn txn = test_begin(s->db);

    demand_put(&txn, "work", want.role, want.msgid, want.folder, again, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static void
answer(TempStore *s, bool found)
{
    NO_ERROR;
    Txn txn = test_begin(s->db);

    if (found)
        demand_met(&txn, "work", &want, &error);
    else
        demand_absent(&txn, "work", &want, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static bool
waits(TempStore *s, const char *role)
{
    bool wait;
    NO_ERROR;

    demands_wait(s->db, "work", role, &wait, &error);
    g_assert_no_error(error);
    return wait;
}

/* Who asks, who answers, and whether somebody still waits then. */
static void
test_life(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *name;
        enum { ASK, ASK_AGAIN, FOUND, ABSENT, NEXT_DAY } what;
        bool want_wait;
    } cases[] = {
        {"asked", ASK, true},
        {"once more is the same", ASK, true},
        {"found", FOUND, false},
        {"asked anew", ASK, true},
        {"not there", ABSENT, false},
        {"not asked for every time", ASK, false},
        {"but when somebody insists", ASK_AGAIN, true},
        {"still not there", ABSENT, false},
        {"a day later", NEXT_DAY, false},
        {"it may be there", ASK, true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (cases[i].what == ASK || cases[i].what == ASK_AGAIN)
            ask(s, cases[i].what == ASK_AGAIN);
        else if (cases[i].what == NEXT_DAY)
            temp_pass(s, DAY_US + 1);
        else
            answer(s, cases[i].what == FOUND);
        g_test_message("%s", cases[i].name);
        g_assert_true(waits(s, "envoy") == cases[i].want_wait);
        g_assert_false(waits(s, "clerk"));
    }
}

/* The account's process is woken for it. */
static void
test_is_work(TempStore *s, gconstpointer data)
{
    g_autoptr(GPtrArray) open = NULL;
    bool work;
    NO_ERROR;

    ask(s, false);
    remote_has_work(s->db, "work", temp_now(s), &work, &error);
    g_assert_no_error(error);
    g_assert_true(work);
    demands_open(s->db, "work", 10, &open, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(open->len, ==, 1);
    g_assert_cmpstr(((Demand *)open->pdata[0])->msgid, ==, id);
    answer(s, false);
    remote_has_work(s->db, "work", temp_now(s), &work, &error);
    g_assert_no_error(error);
    g_assert_false(work);
}

#define ADD(path, test)                                                                        \
    g_test_add(path, TempStore, NULL, temp_store_open, test, temp_store_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/store/demands/life", test_life);
    ADD("/store/demands/is-work", test_is_work);
    return g_test_run();
}
