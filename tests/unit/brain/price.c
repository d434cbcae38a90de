/* The price table: reading it, finding a model, reckoning. */
#include "brain/price.h"
#include "../base/tmpdir.h"
#include "base/err.h"

const BrainOps *const brain_kinds[] = {NULL};

static const char table_text[] = "# model up-to in out write read\n"
                                 "m      -     1.00  10.00  1.25  0.10\n"
                                 "m-5    100k  0.10   0.50  0.125 0.01 # small prompts\n"
                                 "m-5\t-\t0.50 2.50 0.625 0.05\r\n"
                                 "\n"
                                 "*      -    10     50     12.5  1\n";

static const struct {
    const char *name, *model;
    bool reckon;
    BrainUsage usage;
    int64_t want_micro;
} costs[] = {
    {"input", "m", true, {.input = 1000000}, 1000000},
    {"output", "m", true, {.output = 1000000}, 10000000},
    {"cache", "m", true, {.cache_write = 1000000, .cache_read = 1000000}, 1350000},
    {"all", "m", true, {1000, 100, 10000, 2000}, 1000 + 1000 + 1000 + 2500},
    {"longest beginning", "m-5-20261007", true, {.input = 1000000 / 10}, 10000},
    {"at the limit", "m-5", true, {.input = 60000, .cache_read = 40000}, 6000 + 400},
    {"above the limit", "m-5", true, {.input = 60001, .cache_read = 40000}, 30001 + 2000},
    {"rounded up once", "m-5", true, {.input = 1, .output = 1}, 1},
    {"nothing", "m", true, {0}, 0},
    {"unknown", "other", true, {.input = 1000000, .output = 1000000}, 60000000},
    {"unknown, a server of one's own", "other", false, {.input = 1000000}, 0},
    {"known, a server of one's own", "m", false, {.input = 1000000}, 1000000},
    {"no model", "", true, {.input = 1000000}, 10000000},
    {"absurd counts",
     "m",
     true,
     {.input = INT64_C(1) << 40, .output = -5},
     INT64_C(1000000000)},
};

static void
test_costs(void)
{
    g_autoptr(PriceTable) table = NULL;

    g_assert_true(price_parse(table_text, strlen(table_text), "t", &table, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(costs); i++) {
        g_test_message("%s", costs[i].name);
        g_assert_cmpint(price_cost(table, costs[i].model, costs[i].reckon, &costs[i].usage), ==,
                        costs[i].want_micro);
    }
}

static void
test_mistakes(void)
{
    static const char *const wrong[] = {
        "m - 1 1 1\n",          "m - 1 1 1 1 1\n", "m 0 1 1 1 1\n",    "m 1x 1 1 1 1\n",
        "m - -1 1 1 1\n",       "m - $1 1 1 1\n",  "m - 1e3 1 1 1\n",  "m\n",
        "m - 99999999 1 1 1\n", "m k 1 1 1 1\n",   "m - 1,00 1 1 1\n",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *text = g_strconcat("# a\n", wrong[i], NULL);
        g_autoptr(PriceTable) table = NULL;
        g_autoptr(GError) error = NULL;

        g_test_message("%s", wrong[i]);
        g_assert_false(price_parse(text, strlen(text), "prices", &table, &error));
        g_assert_true(err_is(error, ERR_CONFIG));
        g_assert_true(g_str_has_prefix(error->message, "prices:2: "));
    }
}

/* The table that is shipped, and a home's own in front of it. */
static void
test_load(void)
{
    g_auto(TmpDir) home = tmpdir_new();
    const BrainUsage million = {.input = 1000000};
    g_autoptr(PriceTable) shipped = NULL, own = NULL, wrong = NULL;
    g_autoptr(GError) error = NULL;

    price_load(home.path, &shipped, &error);
    g_assert_no_error(error);
    g_assert_cmpint(price_cost(shipped, "claude-opus-5-5", true, &million), ==, 4000000);
    g_assert_cmpint(price_cost(shipped, "claude-opus-5", true, &million), ==, 5000000);
    g_assert_cmpint(price_cost(shipped, "claude-opus-4-8-20260101", true, &million), ==,
                    5000000);
    g_assert_cmpint(price_cost(shipped, "claude-haiku-5-5", true, &million), ==, 500000);
    g_assert_cmpint(price_cost(shipped, "gpt-6-luna", true, &million), ==, 200000);
    g_assert_cmpint(price_cost(shipped, "no-such-model", true, &million), ==, 10000000);

    tmpdir_write(&home, "prices", "claude- - 7 7 7 7\nmine - 3 3 3 3\n", 0600);
    g_assert_true(price_load(home.path, &own, NULL));
    g_assert_cmpint(price_cost(own, "claude-opus-5-5", true, &million), ==, 7000000);
    g_assert_cmpint(price_cost(own, "mine-7b", false, &million), ==, 3000000);
    g_assert_cmpint(price_cost(own, "gpt-6-luna", true, &million), ==, 200000);
    g_assert_cmpint(price_cost(own, "no-such-model", true, &million), ==, 10000000);

    tmpdir_write(&home, "prices", "claude\n", 0600);
    g_assert_false(price_load(home.path, &wrong, &error));
    g_assert_true(err_is(error, ERR_CONFIG));
    g_assert_nonnull(strstr(error->message, "/prices:1: "));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/brain/price/costs", test_costs);
    g_test_add_func("/brain/price/mistakes", test_mistakes);
    g_test_add_func("/brain/price/load", test_load);
    return g_test_run();
}
