#include "engine/mail_content.h"
#include "base/json.h"
#include "engine/checkpoint/continuation.h"
#include "engine/in/mail_in.h"
#include "mail/address.h"
#include "mail/mime/part_json.h"

/* What a checkpoint mail says, without its MAC, and whether the MAC is right. Nothing is read
 * from a forged one. NULL: the mail is no checkpoint. */
static json_t *
continuation_json(const Home *home, GBytes *raw, const Message *head)
{
    static const char *const names[] = {[CONT_FORGED] = "forged",
                                        [CONT_AMBIGUOUS] = "ambiguous",
                                        [CONT_UNSIGNED] = "unsigned",
                                        [CONT_SIGNED] = "signed"};
    g_autoptr(Continuation) c = NULL;
    json_t *document = NULL;
    if (!continuation_possible(head))
        return NULL;
    g_autoptr(Message) m = message_parse_bytes(raw, MESSAGE_CONTENT);
    ContinuationSeen seen = continuation_read(&home->key, m, &c);
    if (seen == CONT_NOT_ONE)
        return NULL;
    gsize len = 0;
    GBytes *part = continuation_part(m);
    const char *data = part ? g_bytes_get_data(part, &len) : NULL;
    if (data && (seen == CONT_SIGNED || seen == CONT_UNSIGNED))
        (void)json_parse_bytes(part, 0, &document, NULL);
    json_t *o = json_is_object(document) ? json_incref(document) : json_object();
    g_clear_pointer(&document, json_decref);
    json_object_del(o, "mac");
    json_object_set_new(o, "seen", json_string(names[seen]));
    json_object_set_new(o, "mac_holds", json_boolean(seen == CONT_SIGNED));
    return o;
}

void
mail_add_content(
    json_t *mail, const Home *home, GBytes *raw, MailReadable *readable, unsigned takes)
{
    json_t *attachments = json_array();

    json_object_set_new(mail, "text", json_null());
    json_object_set_new(mail, "available_attachments", attachments);
    json_object_set_new(mail, "continuation", json_null());
    if (!raw)
        return;
    g_autoptr(Message) m = message_parse_bytes(raw, MESSAGE_TEXT);
    g_autofree char *to = address_show_list(m->to);
    g_autofree char *cc = address_show_list(m->cc);
    json_object_set_new(mail, "to", json_string(to));
    json_object_set_new(mail, "cc", json_string(cc));
    if (!message_header(m, MAIL_LARGE_HEADER))
        json_object_set_new(mail, "text", json_string(m->text));
    LIST_EACH(const MsgPart, part, m->files)
        json_array_append_new(attachments,
                              part_format_json(part, !readable || readable(part, takes)));
    json_t *continuation = continuation_json(home, raw, m);
    if (continuation)
        json_object_set_new(mail, "continuation", continuation);
}
