#include "base/clock.h"
#include <glib.h>

#define NOV_15 (INT64_C(1794735000) * USEC_PER_SEC) /* 2026-11-15T09:30:00Z */

static const struct {
    const char *env;
    Clock want;
} envs[] = {
    {"@1794735000", {.fixed_wall_us = NOV_15}},
    {"+60", {.shift_us = 60 * USEC_PER_SEC}},
    {"", {0}},
    {"@", {0}},
    {"@x", {0}},
    {"60", {0}},
    {"@99999999999999999999", {0}},
};

static void
test_env(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(envs); i++) {
        g_setenv("POSTRIDER_CLOCK", envs[i].env, TRUE);
        Clock clock = clock_from_env();
        g_assert_cmpint(clock.fixed_wall_us, ==, envs[i].want.fixed_wall_us);
        g_assert_cmpint(clock.shift_us, ==, envs[i].want.shift_us);
    }
    g_unsetenv("POSTRIDER_CLOCK");
}

static void
test_wall(void)
{
    Clock fixed = {.fixed_wall_us = 5}, ahead = {.shift_us = 3600 * USEC_PER_SEC}, real = {0};

    g_assert_cmpint(clock_wall_us(&fixed), ==, 5);
    g_assert_cmpint(clock_wall_us(&ahead), >, clock_wall_us(&real) + 3500 * USEC_PER_SEC);
    g_assert_cmpint(ABS(clock_wall_us(&real) - g_get_real_time()), <, 60 * USEC_PER_SEC);

    int64_t before = clock_mono_us();
    g_assert_cmpint(clock_mono_us(), >=, before);
}

static const struct {
    int64_t us;
    const char *want_iso, *want_mail;
} formats[] = {
    {0, "1970-01-01T00:00:00Z", "Thu, 1 Jan 1970 00:00:00 +0000"},
    {NOV_15, "2026-11-15T09:30:00Z", "Sun, 15 Nov 2026 09:30:00 +0000"},
    {NOV_15 + 999999, "2026-11-15T09:30:00Z", "Sun, 15 Nov 2026 09:30:00 +0000"},
    {-1, "1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 +0000"},
    {INT64_C(951782400) * USEC_PER_SEC, "2000-02-29T00:00:00Z",
     "Tue, 29 Feb 2000 00:00:00 +0000"},
};

static void
test_format(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_autofree char *iso = clock_format_iso(formats[i].us);
        g_autofree char *mail = clock_format_mail(formats[i].us);

        g_assert_cmpstr(iso, ==, formats[i].want_iso);
        g_assert_cmpstr(mail, ==, formats[i].want_mail);
    }
}

static const struct {
    const char *text;
    bool want_ok;
    int64_t want_us;
} parses[] = {
    {"2026-11-15T09:30:00Z", true, NOV_15},
    {"2026-11-15T09:30:00", true, NOV_15},
    {"2026-11-15T09:30:00.25Z", true, NOV_15 + 250000},
    {"2026-11-15T09:30:00.1234567", true, NOV_15 + 123456},
    {"2026-11-15T10:30:00+01:00", true, NOV_15},
    {"2026-11-15T04:00:00-05:30", true, NOV_15},
    {"2026-11-15", true, NOV_15 - 34200 * USEC_PER_SEC},
    {"2000-02-29", true, INT64_C(951782400) * USEC_PER_SEC},
    {"1900-02-29", false, 0},
    {"2026-13-01", false, 0},
    {"2026-00-01", false, 0},
    {"2026-11-31", false, 0},
    {"0000-01-01", false, 0},
    {"2026-11-15 09:30:00", false, 0},
    {"2026-11-15T24:00:00Z", false, 0},
    {"2026-11-15T09:60:00Z", false, 0},
    {"2026-11-15T09:30Z", false, 0},
    {"2026-11-15T09:30:00.Z", false, 0},
    {"2026-11-15T09:30:00+24:00", false, 0},
    {"2026-11-15T09:30:00+0100", false, 0},
    {"2026-11-15T09:30:00Zx", false, 0},
    {"2026-11-1", false, 0},
    {"tomorrow", false, 0},
    {"", false, 0},
};

static void
test_parse(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(parses); i++) {
        int64_t us = -7;

        g_test_message("'%s'", parses[i].text);
        g_assert_true(clock_parse_iso(parses[i].text, &us) == parses[i].want_ok);
        g_assert_cmpint(us, ==, parses[i].want_ok ? parses[i].want_us : -7);
    }
}

static const struct {
    int64_t us;
    const char *want;
} spans[] = {
    {0, "0 s"},
    {-5, "0 s"},
    {200 * USEC_PER_MSEC, "200 ms"},
    {4 * USEC_PER_SEC, "4 s"},
    {90 * USEC_PER_SEC, "90 s"},
    {12 * 60 * USEC_PER_SEC, "12 min"},
    {3 * 3600 * USEC_PER_SEC, "3 h"},
    {INT64_C(5) * 86400 * USEC_PER_SEC, "5 d"},
    {USEC_NEVER, "106751991 d"},
};

static void
test_span(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(spans); i++) {
        g_autofree char *span = clock_format_span(spans[i].us);
        g_assert_cmpstr(span, ==, spans[i].want);
    }
}

static void
test_random(void)
{
    Random a = {.seed = 42}, b = {.seed = 42}, real = {0};
    uint8_t x[37], y[37], z[37] = {0}, zero[37] = {0};

    random_bytes(&a, x, sizeof x);
    random_bytes(&b, y, sizeof y);
    g_assert_cmpmem(x, sizeof x, y, sizeof y);
    random_bytes(&b, y, sizeof y);
    g_assert_true(memcmp(x, y, sizeof x) != 0);
    random_bytes(&real, z, sizeof z);
    g_assert_true(memcmp(z, zero, sizeof z) != 0);
}

static void
test_backoff(void)
{
    static const struct {
        int64_t first, max;
        int nth;
        int64_t want;
    } rows[] = {{1, 60, 0, 1},
                {1, 60, 1, 2},
                {1, 60, 5, 32},
                {1, 60, 6, 60},
                {1, 60, 99, 60},
                {90, 60, 0, 60},
                {1, INT64_MAX / 2, 99, INT64_MAX / 2}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        g_assert_cmpint(clock_backoff(rows[i].first, rows[i].max, rows[i].nth), ==,
                        rows[i].want);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clock/env", test_env);
    g_test_add_func("/clock/wall", test_wall);
    g_test_add_func("/clock/format", test_format);
    g_test_add_func("/clock/parse", test_parse);
    g_test_add_func("/clock/span", test_span);
    g_test_add_func("/clock/backoff", test_backoff);
    g_test_add_func("/clock/random", test_random);
    return g_test_run();
}
