/* Any mail: what DATA sends ends once, has no line end but CRLF, and is the mail again without
 * its dots. Any text: an address that is taken is one word of a command. */
#include "wire/smtp_text.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As a server reads it: up to the line that is a dot, other first dots taken off. */
static size_t
unstuff(const GByteArray *wire, GByteArray *ret)
{
    const guint8 *p = wire->data, *end = p + wire->len;

    while (p < end) {
        const guint8 *lf = memchr(p, '\n', (size_t)(end - p));
        g_assert_true(lf && lf > p && lf[-1] == '\r');
        g_assert_true(memchr(p, '\r', (size_t)(lf - p)) == lf - 1);
        if (lf - p == 2 && *p == '.')
            return (size_t)(lf + 1 - wire->data);
        p += *p == '.';
        g_byte_array_append(ret, p, (guint)(lf + 1 - p));
        p = lf + 1;
    }
    return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GByteArray) wire = smtp_encode(data, size), mail = g_byte_array_new();
    g_autofree char *text = g_strndup(size > 0 ? (const char *)data : "", size);

    g_assert_cmpuint(unstuff(wire, mail), ==, wire->len);
    g_assert_cmpuint(smtp_needs_of(data, size).size, ==, mail->len);
    g_autoptr(GByteArray) again = smtp_encode(mail->data, mail->len);
    g_assert_cmpmem(again->data, again->len, wire->data, wire->len);

    if (smtp_address_valid(text)) {
        g_autofree char *spec = smtp_address_wire(text);
        g_assert_true(smtp_address_valid(spec));
        g_assert_null(strpbrk(spec, " \t\r\n<>"));
    }
    g_autofree char *xtext = smtp_xtext(text);
    g_assert_true(g_str_is_ascii(xtext) && !strpbrk(xtext, " \t\r\n="));
    return 0;
}
