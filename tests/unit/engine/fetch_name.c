/* Files that were fetched say so by their names. */
#include "engine/in/fetch_name.h"
#include "../store/testhome.h"

static const struct {
    const char *base, *want_account;
} cases[] = {
    {"1794821437.V7U12.work", "work"},
    {"0.V1U1.work", "work"},
    {"1794821437.V7U12.other", NULL},     /* no such account */
    {"1794821437.V7U12.main", NULL},      /* not on a server */
    {"1794821437.V7U12.work.more", NULL}, /* nor is this one's name */
    {"1794821437.V7U.work", NULL},        /* no number */
    {"1794821437.VU12.work", NULL},
    {".V7U12.work", NULL},
    {"1794821437.U12V7.work", NULL},
    {"1794821437.M12P7.work", NULL}, /* of another program */
    {"12.abcdef", NULL},             /* of our outbox */
    {"", NULL},
};

static void
test_names(void)
{
    static ConfAccount accounts[] = {{.name = "main", .kind = CONF_ACCOUNT_MAILDIR},
                                     {.name = "work", .kind = CONF_ACCOUNT_IMAP}};
    Config config = {.accounts = accounts, .n_accounts = G_N_ELEMENTS(accounts)};
    g_autofree char *made = fetch_name("", &accounts[1], 7, 12, 1794821437 * USEC_PER_SEC + 5);

    g_assert_cmpstr(made, ==, cases[0].base);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const ConfAccount *from = fetch_name_account(&config, cases[i].base);
        g_test_message("%s", cases[i].base);
        g_assert_cmpstr(from ? from->name : NULL, ==, cases[i].want_account);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/engine/fetched/names", test_names);
    return g_test_run();
}
