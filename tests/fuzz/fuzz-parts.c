/*
 * The leaves of any multipart: what is listed has a safe name of its own, does not depend on
 * whether content is kept, and no byte of a leaf is from outside the message.
 */
#include "base/limits.h"
#include "mail/mime/bodytext.h"
#include "mail/message.h"
#include "mail/mime/uuencode.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_files(const Message *m, const Message *lean, size_t len)
{
    g_assert_cmpuint(m->files->len, ==, lean->files->len);
    g_assert_cmpuint(m->files->len, <=, 3 * LIMIT_MIME_PARTS);
    for (guint i = 0; i < m->files->len; i++) {
        const MsgPart *p = g_ptr_array_index(m->files, i);
        const MsgPart *q = g_ptr_array_index(lean->files, i);
        g_assert_cmpstr(p->filename, ==, q->filename);
        g_assert_cmpstr(p->content_type, ==, q->content_type);
        g_assert_cmpuint(p->size, ==, q->size);
        g_assert_cmpint(p->legible, ==, q->legible);
        g_assert_cmpuint(g_bytes_get_size(p->content), ==, p->size);
        g_assert_cmpuint(p->size, <=, len);
        g_assert_true(message_file(m, p->filename) == p);
        g_assert_true(*p->filename && g_utf8_validate(p->filename, -1, NULL));
        g_assert_null(strpbrk(p->filename, "/\\\r\n"));
        g_assert_cmpuint(strlen(p->filename), <, 256);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    /* A header in front, so that more inputs are multiparts. */
    static const char head[] = "From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n";
    g_autoptr(GString) raw = g_string_new(head);
    UuFile uu;

    g_string_append_len(raw, (const char *)data, (gssize)len);
    g_autoptr(Message) m = message_parse(raw->str, raw->len, MESSAGE_CONTENT, NULL);
    g_autoptr(Message) lean = message_parse(raw->str, raw->len, MESSAGE_TEXT, NULL);
    g_assert_cmpstr(m->text, ==, lean->text);
    g_assert_cmphex(m->flags, ==, lean->flags);
    check_files(m, lean, raw->len);
    if (uu_find((const char *)data, len, &uu)) {
        g_autofree uint8_t *out = g_malloc((size_t)(uu.data_end - uu.data) + 1);
        bool damaged = false;
        (void)uu_decode(uu.data, (size_t)(uu.data_end - uu.data), out, &damaged);
        g_assert_true(uu.end <= (const char *)data + len);
    }
    return 0;
}
