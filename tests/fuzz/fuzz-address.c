/* Every address that is read may be written to, and is read again from what we write. */
#include "mail/address.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    g_autofree char *raw = g_strndup(len > 0 ? (const char *)data : "", len);
    g_autofree char *text = g_utf8_make_valid(raw, -1);
    g_autoptr(Addresses) list = address_parse_list(text);

    for (unsigned i = 0; i < list->len; i++) {
        const Address *a = list->pdata[i];
        g_autofree char *line = address_format(a->name, a->spec);
        g_assert_true(address_spec_valid(a->spec));
        g_assert_true(g_utf8_validate(a->name, -1, NULL));
        g_assert_null(strpbrk(line, "\r\n"));
        g_autoptr(Addresses) back = address_parse_list(line);
        g_assert_cmpuint(back->len, ==, 1);
        g_assert_cmpstr(((Address *)back->pdata[0])->spec, ==, a->spec);
        (void)address_is_machine(a->spec);
    }
    return 0;
}
