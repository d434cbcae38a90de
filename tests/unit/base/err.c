#include "base/err.h"
#include <errno.h>

static void
test_set(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_false(err_set(&error, ERR_LIMIT, "mail of %d bytes", 7));
    g_assert_true(err_is(error, ERR_LIMIT));
    g_assert_false(err_is(error, ERR_NEVER));
    g_assert_cmpstr(error->message, ==, "mail of 7 bytes");
    g_assert_false(err_prefix(&error, "reading '%s'", "x"));
    g_assert_cmpstr(error->message, ==, "reading 'x': mail of 7 bytes");
}

/* Words of others can't move a cursor or make a second line. */
static void
test_safe(void)
{
    g_autoptr(GError) error = NULL;

    err_set(&error, ERR_NEVER, "no '%s'", "a\033[2J\nb\xff");
    g_assert_cmpstr(error->message, ==, "no 'a\\x1b[2J\\x0ab\\xff'");
    err_prefix(&error, "in '%s'", "c\r");
    g_assert_cmpstr(error->message, ==, "in 'c\\x0d': no 'a\\x1b[2J\\x0ab\\xff'");
}

/* Callers that do not want to know pass NULL. */
static void
test_null(void)
{
    GError *none = NULL;

    g_assert_false(err_set(NULL, ERR_NEVER, "x"));
    g_assert_false(err_set_errno(NULL, ENOSPC, "x"));
    g_assert_false(err_prefix(NULL, "x"));
    g_assert_false(err_prefix(&none, "x"));
    g_assert_null(none);
    g_assert_false(err_is(NULL, ERR_NEVER));
}

static const struct {
    int errnum;
    ErrCode want_code;
} errnos[] = {
    {ENOSPC, ERR_LATER},  {EAGAIN, ERR_LATER}, {EMFILE, ERR_LATER}, {ENFILE, ERR_LATER},
    {ENOMEM, ERR_LATER},  {EDQUOT, ERR_LATER}, {EINTR, ERR_AGAIN},  {EIO, ERR_DAMAGE},
    {EACCES, ERR_NEVER},  {EROFS, ERR_NEVER},  {ENOENT, ERR_NEVER}, {ELOOP, ERR_NEVER},
    {ENOTDIR, ERR_NEVER},
};

static void
test_errno(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(errnos); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *want = g_strconcat("doing 'x': ", g_strerror(errnos[i].errnum), NULL);

        g_assert_false(err_set_errno(&error, errnos[i].errnum, "doing '%s'", "x"));
        g_assert_cmpint(error->code, ==, (int)errnos[i].want_code);
        g_assert_cmpstr(error->message, ==, want);
    }
}

static const struct {
    ErrCode code;
    int want_status;
} statuses[] = {
    {ERR_AGAIN, 75},  {ERR_LATER, 75},  {ERR_NEVER, 65},    {ERR_LIMIT, 65},
    {ERR_DAMAGE, 70}, {ERR_CONFIG, 78}, {ERR_CANCELLED, 1},
};

static void
test_exit_status(void)
{
    g_autoptr(GError) foreign = g_error_new_literal(G_FILE_ERROR, 0, "x");

    for (size_t i = 0; i < G_N_ELEMENTS(statuses); i++) {
        g_autoptr(GError) error = NULL;

        err_set(&error, statuses[i].code, "x");
        g_assert_cmpint(err_exit_status(error), ==, statuses[i].want_status);
    }
    g_assert_cmpint(err_exit_status(foreign), ==, 1);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/err/set", test_set);
    g_test_add_func("/err/safe", test_safe);
    g_test_add_func("/err/null", test_null);
    g_test_add_func("/err/errno", test_errno);
    g_test_add_func("/err/exit-status", test_exit_status);
    return g_test_run();
}
