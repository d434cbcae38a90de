/* Any bytes are a mail. Its identity is that of the parsed mail; it stays when servers add fields,
 * fold and end lines in other ways; it changes with every byte of a listed field or of the body.
 * Whoever says something says the same as himself, and two say the same of each other. */
#include "mail/mime/header.h"
#include "mail/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define ADDED "Received: from a by b; c\nDelivered-To: x@y\nX-Score: 1\nList-Id: <l>\n"

static const char *const listed[] = {"from",        "sender",       "reply-to",    "to",
                                     "cc",          "date",         "subject",     "message-id",
                                     "in-reply-to", "mime-version", "references",  "content-id",
                                     "content-",    "content-type", "content-base"};

typedef struct Mail {
    const GPtrArray *headers;
    const char *body;
    size_t body_len;
} Mail;

static bool
is_listed(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(listed); i++) {
        if (g_ascii_strcasecmp(name, listed[i]) == 0)
            return true;
    }
    return g_ascii_strncasecmp(name, "content-", 8) == 0;
}

/* added: fields in front; changed: the number of the field whose value goes on by a letter. */
static GString *
write_mail(const Mail *m, guint changed, const char *added, bool folded)
{
    g_autoptr(GString) out = g_string_new(added);

    for (guint i = 0; i < m->headers->len; i++) {
        const MsgHeader *h = g_ptr_array_index(m->headers, i);
        g_string_append_printf(out, "%s: ", h->name);
        for (const char *c = h->value; *c; c++) {
            /* A line of blanks alone ends the headers. */
            if (folded && *c == ' ' && c[1] && !g_ascii_isspace(c[1]))
                g_string_append_c(out, '\n');
            g_string_append_c(out, *c);
        }
        g_string_append(out, i == changed ? "x\n" : "\n");
    }
    g_string_append_c(out, '\n');
    g_string_append_len(out, m->body, (gssize)m->body_len);
    return g_steal_pointer(&out);
}

/* The same text, where every line ends like this. */
static GString *
with_line_ends(const GString *text, const char *end)
{
    g_autoptr(GString) out = g_string_sized_new(text->len);

    for (gsize i = 0; i < text->len; i++) {
        if (text->str[i] == '\n' && i > 0 && text->str[i - 1] == '\r')
            continue;
        if (text->str[i] == '\n' || text->str[i] == '\r')
            g_string_append(out, end);
        else
            g_string_append_c(out, text->str[i]);
    }
    return g_steal_pointer(&out);
}

static bool
has_identity(const GString *text, const Digest *want)
{
    Digest got;

    identity_of_bytes(text->str, text->len, &got);
    return digest_equal(&got, want);
}

static void
check_same(const Mail *m, const Digest *identity)
{
    static const char *const ends[] = {"\n", "\r\n", "\r"};

    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        g_autoptr(GString) text = write_mail(m, G_MAXUINT, i ? ADDED : "", i != 1);
        g_autoptr(GString) ended = with_line_ends(text, ends[i]);
        g_assert_true(has_identity(ended, identity));
    }
}

static void
check_other(const Mail *m, const Digest *identity, size_t seed)
{
    g_autofree char *field = g_strdup_printf("%s: x\n", listed[seed % G_N_ELEMENTS(listed)]);
    g_autoptr(GString) more = write_mail(m, G_MAXUINT, field, false);
    g_assert_false(has_identity(more, identity));

    for (guint i = 0; i < m->headers->len; i++) {
        const MsgHeader *h = g_ptr_array_index(m->headers, i);
        g_autoptr(GString) changed = write_mail(m, i, "", false);
        g_assert_cmpint(has_identity(changed, identity), ==, !is_listed(h->name));
    }
    g_autoptr(GString) other = write_mail(m, G_MAXUINT, "", false);
    if (m->body_len > 0) {
        char *byte = other->str + other->len - m->body_len + seed % m->body_len;
        *byte = *byte == 'x' ? 'y' : 'x';
    } else {
        g_string_append_c(other, 'x');
    }
    g_assert_false(has_identity(other, identity));
}

static void
check_words(const char *data, size_t len)
{
    g_autofree char *a = g_utf8_make_valid(data, (gssize)len);
    const char *half = g_utf8_offset_to_pointer(a, g_utf8_strlen(a, -1) / 2);

    g_assert_true(identity_same_words(a, a));
    g_assert_cmpint(identity_same_words(a, half), ==, identity_same_words(half, a));
}

/* A BOM in front of a field is left out, and so would be a second one when it is written again. */
static bool
has_bom(const GPtrArray *headers)
{
    for (guint i = 0; i < headers->len; i++) {
        if (g_str_has_prefix(((const MsgHeader *)g_ptr_array_index(headers, i))->name,
                             "\xEF\xBB\xBF"))
            return true;
    }
    return false;
}

/* What is guessed from bytes that are no text may be guessed otherwise when it is written again. */
static bool
is_text(const char *raw, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (g_ascii_iscntrl(raw[i]) && !strchr("\t\r\n", raw[i]))
            return false;
    }
    return g_utf8_validate_len(raw, len, NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *raw = len > 0 ? (const char *)data : "";
    MessageLimits limits = header_limits(NULL);
    HeaderBlock block;
    Digest identity, parsed;

    identity_of_bytes(raw, len, &identity);
    g_autoptr(Message) m = message_parse(raw, len, MESSAGE_HEADERS, NULL);
    identity_of(m->headers, &m->body, &parsed);
    g_assert_true(digest_equal(&identity, &parsed));
    check_words(raw, len);
    header_split(raw, len, &limits, &block);
    g_autoptr(GPtrArray) headers = block.headers;
    const Mail mail = {headers, raw + block.body, len - block.body};
    if (len > 20000 || block.problem || has_bom(headers) || !is_text(raw, block.body))
        return 0;
    check_same(&mail, &identity);
    check_other(&mail, &identity, len);
    return 0;
}
