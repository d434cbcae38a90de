#include "engine/in/mail_in.h"
#include "base/crash.h"
#include "base/limits.h"
#include "mail/mime/header.h"

void
mail_in_clear(MailIn *in)
{
    g_clear_pointer(&in->mail, message_free);
    g_clear_pointer(&in->checkpoint, continuation_free);
    g_clear_pointer(&in->document, g_bytes_unref);
}

/*
 * Whether a mail holds a checkpoint is known when its parts are, and then their content has
 * gone by. Keeping the content of every mail would cost memory, parsing twice costs time; so
 * the bytes are looked at first. A mail that says it otherwise ("Application/JSON", a file name
 * alone) is parsed twice.
 */
static bool
looks_like_one(const void *data, size_t len)
{
    static const char type[] = "application/json";
    return len > 0 && memmem(data, len, type, sizeof type - 1) != NULL;
}

static void
read_checkpoint(const Key *key, const Message *m, MailIn *in)
{
    in->seen = continuation_read(key, m, &in->checkpoint);
    GBytes *document = continuation_part(m);
    if (in->seen == CONT_UNSIGNED && document)
        in->document = g_bytes_ref(document);
}

/* Drops the content of all parts, also that of mails inside the mail. */
static void
drop_content(Message *m)
{
    const MsgParts *const lists[] = {m->parts, m->files};

    for (size_t l = 0; l < G_N_ELEMENTS(lists); l++) {
        for (guint i = 0; i < lists[l]->len; i++) {
            MsgPart *part = g_ptr_array_index(lists[l], i);
            g_clear_pointer(&part->content, g_bytes_unref);
            if (part->mail)
                drop_content(part->mail);
        }
    }
}

void
mail_in_parse(const Key *key, GBytes *raw, MailIn *ret)
{
    gsize len;
    const void *data = g_bytes_get_data(raw, &len);
    bool likely = looks_like_one(data, len);

    CRASH_POINT("mail-parse");
    *ret = (MailIn){0};
    ret->mail = message_parse_bytes(raw, likely ? MESSAGE_CONTENT : MESSAGE_TEXT);
    if (!continuation_possible(ret->mail)) {
        if (likely)
            drop_content(ret->mail);
        return;
    }
    if (likely) {
        read_checkpoint(key, ret->mail, ret);
        drop_content(ret->mail);
        return;
    }
    g_autoptr(Message) whole = message_parse_bytes(raw, MESSAGE_CONTENT);
    read_checkpoint(key, whole, ret);
}

/* --- too large --- */

GBytes *
mail_in_large(GBytes *head, uint64_t size)
{
    GString *out = g_string_new(NULL);
    HeaderBlock block;
    gsize len;
    const char *data = g_bytes_get_data(head, &len);

    header_split(data, len, NULL, &block);
    g_ptr_array_unref(block.headers);
    g_string_append_printf(out, MAIL_LARGE_HEADER ": %" PRIu64 "\n", size);
    g_string_append_len(out, data ? data : "", (gssize)block.body);
    return g_string_free_to_bytes(out);
}

bool
mail_in_read_large(Maildir *md, const MaildirEntry *e, GBytes **ret_bytes, GError **error)
{
    g_autoptr(GBytes) head = NULL;

    if (!maildir_read_head(md, e, LIMIT_HEADER_BLOCK, &head, error))
        return false;
    *ret_bytes = head ? mail_in_large(head, (uint64_t)e->size) : NULL;
    return true;
}
