/* Standing permissions, and questions whose yes is used later. */
#include "store/job/permits.h"
#include "store/job/questions.h"
#include "temp_store.h"

#define HOUR_US (3600 * USEC_PER_SEC)

static Permit
permit(const char *role, const char *tool, const char *covers, const char *folder)
{
    return (Permit){.role = (char *)role,
                    .tool = (char *)tool,
                    .what = (char *)"command",
                    .covers = (char *)covers,
                    .folder = (char *)folder,
                    .who = (char *)"ann@x",
                    .until_us = USEC_NEVER,
                    .left = -1};
}

static PermitId
put(TempStore *s, const Permit *p)
{
    g_autoptr(GError) error = NULL;
    PermitId id = {0};
    Txn txn = test_begin(s->db);
    permit_put(&txn, p, &id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}

static bool
use(TempStore *s, const Permit *p)
{
    g_autoptr(GError) error = NULL;
    bool used = false;
    Txn txn = test_begin(s->db);
    permit_use(&txn, p, &used, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return used;
}

static void
test_covers(TempStore *s, gconstpointer data)
{
    const Permit given = permit("envoy", "Bash", "make x", "~/app");
    const Permit others[] = {permit("other", "Bash", "make x", "~/app"),
                             permit("envoy", "Edit", "make x", "~/app"),
                             permit("envoy", "Bash", "make x ", "~/app"),
                             permit("envoy", "Bash", "make", "~/app"),
                             permit("envoy", "Bash", "make x", "~/app/sub"),
                             permit("envoy", "Bash", "make x", "")};
    g_assert_false(use(s, &given));
    (void)put(s, &given);
    g_assert_true(use(s, &given));
    g_assert_true(use(s, &given));
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_false(use(s, &others[i]));
}

static void
test_counted(TempStore *s, gconstpointer data)
{
    Permit p = permit("envoy", "Bash", "make x", "~/app");
    g_autoptr(Permits) held = NULL, all = NULL;
    p.left = 2;
    (void)put(s, &p);
    g_assert_true(use(s, &p));
    g_assert_true(use(s, &p));
    g_assert_false(use(s, &p));
    g_assert_true(permits_list(s->db, false, &held, NULL));
    g_assert_true(permits_list(s->db, true, &all, NULL));
    g_assert_cmpuint(held->len, ==, 0);
    g_assert_cmpuint(all->len, ==, 1);
    g_assert_cmpint(all->pdata[0]->uses, ==, 2);
    g_assert_cmpint(all->pdata[0]->left, ==, 0);
}

static void
test_until(TempStore *s, gconstpointer data)
{
    Permit p = permit("envoy", "Bash", "make x", "~/app");
    p.until_us = TEST_NOW + HOUR_US;
    (void)put(s, &p);
    g_assert_true(use(s, &p));
    s->home->clock.fixed_wall_us = TEST_NOW + HOUR_US;
    g_assert_false(use(s, &p));
}

static void
test_revoke(TempStore *s, gconstpointer data)
{
    const Permit p = permit("envoy", "Bash", "make x", "~/app");
    PermitId id = put(s, &p);
    bool ended = false, again = true;
    Txn txn = test_begin(s->db);
    g_assert_true(permit_revoke(&txn, id, "the operator", &ended, NULL));
    g_assert_true(permit_revoke(&txn, id, "the operator", &again, NULL));
    test_commit(&txn);
    g_assert_true(ended);
    g_assert_false(again);
    g_assert_false(use(s, &p));
}

/* What has come to its end by itself is not ended once more, and keeps saying how it ended. */
static void
test_revoke_what_is_over(TempStore *s, gconstpointer data)
{
    Permit used = permit("envoy", "Bash", "make x", "~/app");
    Permit late = permit("envoy", "Bash", "make y", "~/app");
    g_autoptr(Permits) all = NULL;
    used.left = 1;
    late.until_us = TEST_NOW + HOUR_US;
    const PermitId ids[] = {put(s, &used), put(s, &late)};
    g_assert_true(use(s, &used));
    s->home->clock.fixed_wall_us = TEST_NOW + HOUR_US;
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
        bool ended = true;
        Txn txn = test_begin(s->db);
        g_assert_true(permit_revoke(&txn, ids[i], "the operator", &ended, NULL));
        test_commit(&txn);
        g_assert_false(ended);
    }
    g_assert_true(permits_list(s->db, true, &all, NULL));
    for (guint i = 0; i < all->len; i++)
        g_assert_null(all->pdata[i]->ended_by);
}

/* --- questions --- */

static QuestionId
ask(TempStore *s, JobId job, const char *msgid, int n, uint8_t digest)
{
    const Question q = {.msgid = (char *)msgid,
                        .kind = (char *)"permit",
                        .asks = (char *)"may it?",
                        .payload = (char *)"{}",
                        .job = job,
                        .digest = {{digest}},
                        .later = true,
                        .until_us = USEC_NEVER};
    QuestionId id = {0};
    Txn txn = test_begin(s->db);
    g_assert_true(question_put(&txn, &q, &id, NULL));
    g_assert_true(question_show(&txn, msgid, n, id, NULL));
    test_commit(&txn);
    return id;
}

static void
decide(TempStore *s, QuestionId id, bool approve)
{
    bool closed = false;
    Txn txn = test_begin(s->db);
    g_assert_true(question_decide(&txn, id, approve, "ann", NULL, &closed, NULL));
    test_commit(&txn);
    g_assert_true(closed);
}

static bool
use_answer(TempStore *s, QuestionId id)
{
    bool used = false;
    Txn txn = test_begin(s->db);
    g_assert_true(question_use(&txn, id, &used, NULL));
    test_commit(&txn);
    return used;
}

static void
test_used_once(TempStore *s, gconstpointer data)
{
    QuestionId id = ask(s, temp_job(s, "envoy"), "q@x", 1, 1);
    g_assert_false(use_answer(s, id)); /* nobody said anything */
    decide(s, id, true);
    g_assert_true(use_answer(s, id));
    g_assert_false(use_answer(s, id));
}

static void
test_shown(TempStore *s, gconstpointer data)
{
    JobId job = temp_job(s, "envoy"), other = temp_job(s, "other");
    QuestionId a = ask(s, job, "q@x", 1, 1), b = ask(s, job, "q@x", 2, 2);
    QuestionId c = ask(s, other, "r@x", 1, 1);
    g_autoptr(Questions) shown = NULL, open = NULL, all = NULL, unused = NULL;
    g_autoptr(Question) newest = NULL, none = NULL;
    Txn txn = test_begin(s->db);
    g_assert_true(question_show(&txn, "r@x", 2, a, NULL)); /* shown again */
    test_commit(&txn);
    decide(s, b, false);
    g_assert_true(questions_shown(s->db, "r@x", &shown, NULL));
    g_assert_cmpuint(shown->len, ==, 2);
    g_assert_cmpint(shown->pdata[0]->id.v, ==, c.v);
    g_assert_cmpint(shown->pdata[1]->id.v, ==, a.v);
    g_assert_true(questions_later(s->db, job, NULL, &open, NULL));
    g_assert_cmpuint(open->len, ==, 1);
    g_assert_true(questions_later(s->db, (JobId){0}, "other", &all, NULL));
    g_assert_cmpuint(all->len, ==, 1);
    g_assert_true(questions_unused(s->db, job, &unused, NULL));
    g_assert_cmpuint(unused->len, ==, 1);
    g_assert_true(question_newest(s->db, job, &(Digest){{1}}, &newest, NULL));
    g_assert_cmpint(newest->id.v, ==, a.v);
    g_assert_true(question_newest(s->db, other, &(Digest){{2}}, &none, NULL));
    g_assert_null(none);
}

#define TEST(name, f)                                                                          \
    g_test_add(name, TempStore, NULL, temp_store_open, f, temp_store_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("/permits/covers", test_covers);
    TEST("/permits/counted", test_counted);
    TEST("/permits/until", test_until);
    TEST("/permits/revoke", test_revoke);
    TEST("/permits/revoke-what-is-over", test_revoke_what_is_over);
    TEST("/permits/questions/used-once", test_used_once);
    TEST("/permits/questions/shown", test_shown);
    return g_test_run();
}
