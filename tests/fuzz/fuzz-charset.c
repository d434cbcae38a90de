/* The first line is a label, the rest is text in that charset: what comes out is valid UTF-8, and a
 * limit only shortens it. */
#include "mail/mime/charset.h"
#include <glib.h>
#include <stdint.h>

#define LABEL_MAX 80
#define SHORT 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *in = len > 0 ? (const char *)data : "";
    const char *line = memchr(in, '\n', len);
    size_t n = line ? (size_t)(line - in) : 0;
    g_autofree char *label = g_strndup(in, MIN(n, LABEL_MAX));
    bool bad = false, cut = false;

    if (line)
        n++;
    g_autofree char *all = charset_decode(label, in + n, len - n, 0, &bad, NULL);
    g_autofree char *some = charset_decode(label, in + n, len - n, SHORT, &bad, &cut);
    g_autofree char *guess = charset_guess(in + n, len - n);
    g_assert_true(g_utf8_validate(all, -1, NULL));
    g_assert_true(g_utf8_validate(some, -1, NULL));
    g_assert_true(g_utf8_validate(guess, -1, NULL));
    g_assert_cmpuint(strlen(some), <=, SHORT);
    g_assert_true(g_str_has_prefix(all, some));
    g_assert_true(cut || strcmp(all, some) == 0);
    return 0;
}
