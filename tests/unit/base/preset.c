#include "base/preset.h"
#include "base/config/config.h"
#include <glib.h>

/* What a preset says could stand in the file. */
static void
test_values(void)
{
    for (const Preset *p = presets; p->name; p++) {
        g_assert_true(preset_find(p->name) == p);
        g_assert_true(p->about && *p->about && p->login && *p->login && p->authserv_id);
        for (const PresetKey *k = p->keys; k->key; k++) {
            g_autoptr(GError) error = NULL;
            (void)config_check("account x", k->key, k->value, &error);
            g_assert_no_error(error);
        }
        g_assert_nonnull(preset_value(p, "host"));
        g_assert_nonnull(preset_value(p, "smtp-host"));
        g_assert_null(preset_value(p, "user"));
    }
    g_assert_null(preset_find(""));
    g_assert_null(preset_value(NULL, "host"));
}

/* In the settings: a line of the file counts before the preset, the preset before the default.
 */
static void
test_in_config(void)
{
    static const struct {
        const char *text;
        const char *want_host;
        ConfTls want_tls;
        int want_port;
        ConfSentCopy want_sent_copy;
        const char *want_error;
    } tests[] = {
        {"preset = gmail", "smtp.gmail.com", CONF_TLS_IMPLICIT, 465, CONF_SENT_COPY_SERVER, NULL},
        {"preset = outlook", "smtp.office365.com", CONF_TLS_STARTTLS, 587, CONF_SENT_COPY_SERVER, NULL},
        {"preset = outlook\nsmtp-host = smtp-mail.outlook.com", "smtp-mail.outlook.com",
         CONF_TLS_STARTTLS, 587, CONF_SENT_COPY_SERVER, NULL},
        {"preset = gmail\nsent-copy = append\nsmtp-port = 587\nsmtp-tls = starttls",
         "smtp.gmail.com", CONF_TLS_STARTTLS, 587, CONF_SENT_COPY_APPEND, NULL},
        {"preset = fastmail", "smtp.fastmail.com", CONF_TLS_IMPLICIT, 465, CONF_SENT_COPY_APPEND, NULL},
        {"preset =", "", CONF_TLS_IMPLICIT, 0, CONF_SENT_COPY_APPEND, NULL},
        {"preset = gmial", NULL, 0, 0, 0,
         "x:3: *no preset 'gmial'; did you mean 'gmail'?"},
        {"preset = my-provider", NULL, 0, 0, 0, "x:3: *no preset 'my-provider'"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(Config) config = NULL;
        g_autofree char *text =
            g_strdup_printf("[account m]\nkind = imap\n%s\n[brain default]\n", tests[i].text);
        bool ok = config_parse(text, strlen(text), "x", &config, &error);
        g_assert_true(ok == !tests[i].want_error);
        if (!ok) {
            g_assert_true(g_pattern_match_simple(tests[i].want_error, error->message));
            continue;
        }
        const ConfAccount *a = config_account(config, "m");
        g_assert_cmpstr(a->smtp.host, ==, tests[i].want_host);
        g_assert_cmpint(a->smtp.tls, ==, tests[i].want_tls);
        g_assert_cmpint(a->smtp.port, ==, tests[i].want_port);
        g_assert_cmpint(a->sent_copy, ==, tests[i].want_sent_copy);
    }
}

static void
test_check(void)
{
    static const struct {
        const char *section, *key, *value;
        const char *want; /* NULL: fine */
    } tests[] = {
        {"role envoy", "max-cost", "2.50", NULL},
        {"role envoy", "max-cost", "two", "*expected an amount*"},
        {"role envoy", "workdir", "", NULL},
        {"role envoy", "colour", "red", "*no such key"},
        {"postrider", "owner", "nobody", "*expected an address*"},
        {"account x", "tls", "ssl", "*"},
        {"account x", "port", "70000", "*expected a number in 0..65535"},
        {"account x", "token-command", "sh -c 'x", "*expected a command*"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
        g_autoptr(GError) error = NULL;
        bool ok = config_check(tests[i].section, tests[i].key, tests[i].value, &error);
        g_assert_true(ok == !tests[i].want);
        if (!ok)
            g_assert_true(g_pattern_match_simple(tests[i].want, error->message));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/preset/values", test_values);
    g_test_add_func("/preset/in-config", test_in_config);
    g_test_add_func("/preset/check", test_check);
    return g_test_run();
}
