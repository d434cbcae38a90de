/* Whatever is accepted must come out the same after one more round, and be what jansson alone reads. */
#include "base/json.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(json_t) value = NULL, again = NULL;
    g_autoptr(GError) error = NULL;

    if (!json_parse((const char *)data, size, 0, &value, &error)) {
        g_assert_true(g_utf8_validate(error->message, -1, NULL));
        return 0;
    }
    g_autofree char *text = json_format(value);
    g_autoptr(json_t) want =
        json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);

    g_assert_true(json_equal(value, want));
    g_assert_true(json_parse(text, strlen(text), SIZE_MAX, &again, NULL));
    g_assert_true(json_equal(value, again));
    return 0;
}
