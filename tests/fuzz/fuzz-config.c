/* Any bytes either are a config or get one line that says why not, with a line number. */
#include "base/config/config.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
visit(const char *section, const ConfKey *key, const char *value, bool from_file, void *data)
{
    g_assert_true(g_utf8_validate(value, -1, NULL));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(Config) config = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autofree char *with = config_with(text, "role envoy", "brain", "default");

    g_assert_nonnull(strstr(with, "brain = default"));
    if (config_parse((const char *)data, size, "fuzz", &config, &error)) {
        config_visit(config, visit, NULL);
        g_assert_cmpuint(config->n_persons, >, 0);
    } else {
        g_assert_true(g_str_has_prefix(error->message, "fuzz:"));
        g_assert_null(strchr(error->message, '\n'));
    }
    return 0;
}
