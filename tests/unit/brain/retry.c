/* The table of retries. */
#include "brain/retry.h"
#include "base/clock.h"

#define SEC USEC_PER_SEC
#define NOW (INT64_C(1800000000) * SEC)
#define AWAY (-NOW) /* later, and nobody knows when */

static const struct {
    const char *name;
    RetryCase given;
    BrainEnd want;
    int64_t want_us; /* the wait, or how long from now; 0: not looked at */
} cases[] = {
    {"429 with a wait", {.status = 429, .after_us = 20 * SEC}, BRAIN_OK, 20 * SEC},
    {"429 with a wait of a minute", {.status = 429, .after_us = 60 * SEC}, BRAIN_OK, 60 * SEC},
    {"429 with a longer one", {.status = 429, .after_us = 61 * SEC}, BRAIN_LIMITED, 61 * SEC},
    {"429 with a reset soon", {.status = 429, .reset_us = NOW + 5 * SEC}, BRAIN_OK, 5 * SEC},
    {"429 with a reset far off",
     {.status = 429, .reset_us = NOW + 7200 * SEC},
     BRAIN_LIMITED,
     7200 * SEC},
    {"429 with a reset in the past", {.status = 429, .reset_us = NOW - SEC}, BRAIN_OK, SEC / 2},
    {"429 that says nothing", {.status = 429}, BRAIN_OK, SEC / 2},
    {"429 again", {.status = 429, .retries = 1}, BRAIN_OK, SEC},
    {"429 too often", {.status = 429, .retries = 2}, BRAIN_LIMITED, AWAY},
    {"429 of money", {.status = 429, .spent = true}, BRAIN_BROKEN, 0},
    {"400 of money", {.status = 400, .spent = true}, BRAIN_BROKEN, 0},
    {"money until a day",
     {.status = 400, .spent = true, .reset_us = NOW + 86400 * SEC},
     BRAIN_LIMITED,
     86400 * SEC},
    {"a wait of a year",
     {.status = 429, .after_us = 366 * 86400 * SEC},
     BRAIN_LIMITED,
     31 * 86400 * SEC},
    {"400", {.status = 400}, BRAIN_REFUSED, 0},
    {"401", {.status = 401}, BRAIN_BROKEN, 0},
    {"402", {.status = 402}, BRAIN_BROKEN, 0},
    {"403", {.status = 403}, BRAIN_BROKEN, 0},
    {"404", {.status = 404}, BRAIN_BROKEN, 0},
    {"408", {.status = 408}, BRAIN_OK, 0},
    {"409", {.status = 409}, BRAIN_OK, 0},
    {"413", {.status = 413}, BRAIN_LARGE, 0},
    {"400 too long", {.status = 400, .large = true}, BRAIN_LARGE, 0},
    {"400 too long, of money", {.status = 400, .large = true, .spent = true}, BRAIN_BROKEN, 0},
    {"too long, but cut", {.end = HTTP_CUT, .status = 400, .large = true}, BRAIN_OK, 0},
    {"422", {.status = 422}, BRAIN_REFUSED, 0},
    {"redirect", {.status = 302}, BRAIN_BROKEN, 0},
    {"500", {.status = 500}, BRAIN_OK, SEC / 2},
    {"500 to the end", {.status = 500, .retries = 2}, BRAIN_STALLED, 0},
    {"501", {.status = 501}, BRAIN_REFUSED, 0},
    {"504 to the end", {.status = 504, .retries = 2}, BRAIN_STALLED, 0},
    {"408 to the end", {.status = 408, .retries = 2}, BRAIN_STALLED, 0},
    {"520 to the end", {.status = 520, .retries = 2}, BRAIN_STALLED, 0},
    {"522 to the end", {.status = 522, .retries = 2}, BRAIN_LIMITED, AWAY},
    {"503 to the end", {.status = 503, .retries = 2}, BRAIN_LIMITED, AWAY},
    {"529", {.status = 529}, BRAIN_OK, SEC / 2},
    {"529 to the end", {.status = 529, .retries = 2}, BRAIN_LIMITED, AWAY},
    {"told not to", {.status = 500, .should = -2}, BRAIN_STALLED, 0},
    {"told not to, a limit",
     {.status = 429, .should = -2, .after_us = 9 * SEC},
     BRAIN_LIMITED,
     AWAY},
    {"told to", {.status = 400, .should = 1}, BRAIN_OK, SEC / 2},
    {"told to, to the end", {.status = 400, .should = 1, .retries = 2}, BRAIN_REFUSED, 0},
    {"nobody there", {.end = HTTP_UNREACHED}, BRAIN_OK, SEC / 2},
    {"nobody there to the end", {.end = HTTP_UNREACHED, .retries = 2}, BRAIN_LIMITED, AWAY},
    {"cut", {.end = HTTP_CUT, .status = 200}, BRAIN_OK, SEC / 2},
    {"cut to the end", {.end = HTTP_CUT, .status = 200, .retries = 2}, BRAIN_STALLED, 0},
    {"silence", {.end = HTTP_SLOW}, BRAIN_OK, 0},
    {"the time is over", {.end = HTTP_SLOW, .left_us = -1}, BRAIN_STALLED, 0},
    {"too little time", {.status = 500, .left_us = SEC / 10}, BRAIN_STALLED, 0},
    {"too little time, a limit",
     {.status = 429, .after_us = 9 * SEC, .left_us = SEC},
     BRAIN_LIMITED,
     AWAY},
    {"too large", {.end = HTTP_LARGE, .status = 200}, BRAIN_REFUSED, 0},
    {"foreign certificate", {.end = HTTP_UNTRUSTED}, BRAIN_BROKEN, 0},
    {"no answer in it", {.status = 200, .garbled = true}, BRAIN_OK, SEC / 2},
    {"no answer to the end", {.status = 200, .garbled = true, .retries = 2}, BRAIN_STALLED, 0},
};

static void
test_plans(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        RetryCase given = cases[i].given;
        /* In the table 0 is "nothing", so that most rows need not say so. */
        given.should = given.should == 0 ? -1 : given.should == -2 ? 0 : given.should;
        given.left_us = given.left_us ? given.left_us : USEC_NEVER;
        given.now_us = NOW;
        RetryPlan plan = retry_plan(&given);
        int64_t us = plan.end == BRAIN_LIMITED ? plan.at.us - NOW : plan.wait_us;

        g_test_message("%s", cases[i].name);
        g_assert_cmpint(plan.end, ==, cases[i].want);
        if (cases[i].want_us)
            g_assert_cmpint(us, ==, cases[i].want_us);
    }
}

/* Never longer than the doubled wait, never less than three quarters of it. */
static void
test_jitter(void)
{
    for (uint32_t random = 0; random < 5000; random += 7) {
        RetryPlan plan = retry_plan(&(RetryCase){.status = 500,
                                                 .should = -1,
                                                 .retries = 1,
                                                 .now_us = NOW,
                                                 .left_us = USEC_NEVER,
                                                 .random = random});
        g_assert_cmpint(plan.wait_us, <=, SEC);
        g_assert_cmpint(plan.wait_us, >=, SEC * 3 / 4);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/brain/retry/plans", test_plans);
    g_test_add_func("/brain/retry/jitter", test_jitter);
    return g_test_run();
}
