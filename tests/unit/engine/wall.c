/* Of which roles `status` and `doctor` say that their programs have no wall. */
#include "engine/wall/wall.h"
#include "../store/testhome.h"

static const char settings[] =
    "[postrider]\nowner = ann@example.org\ndomain = example.org\n"
    "[brain model]\nkind = script\n[brain program]\nkind = command\ncommand = true\n"
    "[role clerk]\nbrain = model\n[role coder]\nbrain = program\nsandbox = off\n"
    "[role guard]\nbrain = program\nsandbox = required\n";

static void
test_check(void)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    Config *config = NULL;

    g_unsetenv("POSTRIDER_TEST_SANDBOX");
    g_setenv("PATH", "/nowhere", TRUE); /* no bubblewrap either */
    g_assert_true(config_parse(settings, strlen(settings), "t", &config, &error));
    wall_check(config, lines);
    g_assert_cmpuint(lines->len, ==, 2);
    g_assert_true(g_str_has_prefix(lines->pdata[0],
                                   "programs of the role 'coder' have no sandbox "
                                   "('sandbox = off' is set): "));
    g_assert_true(g_str_has_prefix(lines->pdata[1], "the role 'guard' starts no program: "));
    config_free(config);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wall/check", test_check);
    return g_test_run();
}
