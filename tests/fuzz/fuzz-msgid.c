/* Ids that are read are safe to write, and come back the same. */
#include "mail/msgid.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const Key key = {.n = 1, .v = {{1}}};
    g_autofree char *text = g_strndup(len > 0 ? (const char *)data : "", len);
    g_autoptr(GPtrArray) ids = msgid_parse_list(text, 1000);
    Minted minted;

    for (unsigned i = 0; i < ids->len; i++) {
        const char *id = ids->pdata[i];
        g_autofree char *formatted = msgid_format(id);
        g_autofree char *back = msgid_parse(formatted);
        g_assert_cmpstr(back, ==, id);
        g_assert_null(strpbrk(id, " \t\r\n<>"));
        g_assert_false(msgid_read(&key, id, "x", &minted));
    }
    g_autoptr(GPtrArray) answer = msgid_answer_references(ids, NULL, "me@x");
    g_assert_cmpuint(answer->len, <=, 30);
    return 0;
}
