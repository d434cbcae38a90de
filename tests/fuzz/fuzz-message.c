/* Any bytes are a message; what comes out is valid UTF-8 and within its limits. */
#include "base/limits.h"
#include "mail/message.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const MessageLimits small = {.max_depth = 5, .max_parts = 20, .max_text = 1000};
    g_autoptr(Message) m = message_parse(data, len, MESSAGE_CONTENT, NULL);
    g_autoptr(Message) tight = message_parse(data, len, MESSAGE_TEXT, &small);
    g_autofree char *base = message_base_subject(m->subject, NULL);

    g_assert_true(g_utf8_validate(m->text, -1, NULL));
    g_assert_true(g_utf8_validate(m->subject, -1, NULL));
    g_assert_true(g_utf8_validate(base, -1, NULL));
    g_assert_cmpuint(strlen(m->text), <=, LIMIT_TEXT_BYTES);
    g_assert_cmpuint(strlen(tight->text), <=, 1000);
    for (unsigned i = 0; i < m->parts->len; i++) {
        const MsgPart *p = m->parts->pdata[i];
        g_assert_true(g_utf8_validate(p->filename, -1, NULL));
        g_assert_null(strpbrk(p->filename, "/\\\r\n"));
    }
    return 0;
}
