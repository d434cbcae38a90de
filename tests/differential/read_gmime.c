/* What GMime reads by itself, with its own charsets and decoders. */
#include "reader.h"
#include <gmime/gmime.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeStream, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeParser, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeMessage, g_object_unref)

/* Text that jansson takes. */
static char *
valid(const char *text)
{
    return g_utf8_make_valid(text ? text : "", -1);
}

static void
add_addresses(json_t *to, InternetAddressList *list)
{
    for (int i = 0; list && i < internet_address_list_length(list); i++) {
        InternetAddress *a = internet_address_list_get_address(list, i);
        if (INTERNET_ADDRESS_IS_GROUP(a)) {
            add_addresses(to, internet_address_group_get_members(INTERNET_ADDRESS_GROUP(a)));
            continue;
        }
        g_autofree char *name = valid(internet_address_get_name(a));
        g_autofree char *spec =
            valid(internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(a)));
        json_array_append_new(to, json_pack("[ss]", name, spec));
    }
}

static GBytes *
decode(GMimePart *part)
{
    GMimeDataWrapper *content = g_mime_part_get_content(part);
    g_autoptr(GMimeStream) stream = g_mime_stream_mem_new();

    if (content)
        (void)g_mime_data_wrapper_write_to_stream(content, stream);
    GByteArray *bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
    return g_bytes_new(bytes->data, bytes->len);
}

static void
add_leaf(GMimeObject *parent, GMimeObject *object, gpointer data)
{
    json_t *parts = data;
    GMimeContentType *type = g_mime_object_get_content_type(object);
    g_autofree char *mime = g_mime_content_type_get_mime_type(type);
    g_autofree char *lower = g_ascii_strdown(mime, -1);
    g_autofree char *text = NULL, *name = NULL;

    if (GMIME_IS_PART(object)) {
        g_autoptr(GBytes) content = decode(GMIME_PART(object));
        const char *given = g_mime_part_get_filename(GMIME_PART(object));
        name = given ? valid(given) : NULL;
        if (GMIME_IS_TEXT_PART(object)) {
            g_autofree char *raw = g_mime_text_part_get_text(GMIME_TEXT_PART(object));
            text = valid(raw);
        }
        json_array_append_new(parts, reader_part(lower, name, content, text));
    } else if (GMIME_IS_MESSAGE_PART(object)) {
        GMimeMessage *inner = g_mime_message_part_get_message(GMIME_MESSAGE_PART(object));
        json_array_append_new(parts, json_pack("[s n n n]", lower));
        if (inner)
            g_mime_message_foreach(inner, add_leaf, parts);
    }
}

json_t *
read_message(const char *raw, size_t len)
{
    g_autoptr(GMimeStream) stream = g_mime_stream_mem_new_with_buffer(raw, len);
    g_autoptr(GMimeParser) parser = g_mime_parser_new_with_stream(stream);
    g_autoptr(GMimeMessage) m = g_mime_parser_construct_message(parser, NULL);
    json_t *to = json_array(), *parts = json_array();

    if (!m)
        return json_pack("{ss so sn so}", "subject", "", "to", to, "date", "parts", parts);
    g_autofree char *subject = valid(g_mime_message_get_subject(m));
    GDateTime *date = g_mime_message_get_date(m);
    add_addresses(to, g_mime_message_get_to(m));
    g_mime_message_foreach(m, add_leaf, parts);
    return json_pack("{ss so so so}", "subject", subject, "to", to, "date",
                     date ? json_integer(g_date_time_to_unix(date)) : json_null(), "parts",
                     parts);
}

int
main(int argc, char **argv)
{
    g_mime_init();
    return reader_main(argc, argv);
}
