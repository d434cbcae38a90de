/* What postrider reads: src/mail as intake uses it. */
#include "mail/message.h"
#include "mail/mime/bodytext.h"
#include "mail/mime/charset.h"
#include "reader.h"

static json_t *
read_part(const MsgPart *p)
{
    g_autofree char *text = NULL;
    bool bad = false;

    if (g_str_has_prefix(p->content_type, "text/")) {
        gsize len;
        const char *bytes = g_bytes_get_data(p->content, &len);
        text = charset_decode(p->charset, bytes, len, 0, &bad, NULL);
        bodytext_lines(text);
    }
    return reader_part(p->content_type, p->filename, p->content, text);
}

/* Leaves, and behind each forwarded mail that was opened its own. */
static void
add_parts(json_t *parts, const Message *m)
{
    for (unsigned i = 0; i < m->parts->len; i++) {
        const MsgPart *p = m->parts->pdata[i];
        json_array_append_new(parts, read_part(p));
        if (p->mail)
            add_parts(parts, p->mail);
    }
}

json_t *
read_message(const char *raw, size_t len)
{
    g_autoptr(Message) m = message_parse(raw, len, MESSAGE_CONTENT, NULL);
    json_t *to = json_array(), *parts = json_array();

    for (unsigned i = 0; i < m->to->len; i++) {
        const Address *a = m->to->pdata[i];
        json_array_append_new(to, json_pack("[ss]", a->name, a->spec));
    }
    add_parts(parts, m);
    return json_pack("{ss so so so ss}", "subject", m->subject, "to", to, "date",
                     m->date_us ? json_integer(m->date_us / G_USEC_PER_SEC) : json_null(),
                     "parts", parts, "text", m->text);
}

int
main(int argc, char **argv)
{
    return reader_main(argc, argv);
}
