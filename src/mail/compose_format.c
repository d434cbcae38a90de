/* Writes a mail from what was set, always in one order. Nothing else goes in: no host name, no
 * random boundary, no clock. */
#include "base/clock.h"
#include "base/limits.h"
#include "mail/compose_internal.h"
#include "mail/mime/encode.h"
#include "mail/msgid.h"

#define SUBJECT_WORD_MAX 60 /* fits a line; a longer word is encoded and so cut */
#define VALUE_WORD_MAX 900  /* machines read these: only what no line can hold is encoded */

static void
format_addresses(GString *out, const char *name, const Addresses *list)
{
    g_autoptr(GString) value = g_string_new(NULL);

    for (unsigned i = 0; i < list->len; i++) {
        const Address *a = list->pdata[i];
        g_autofree char *one = address_format(a->name, a->spec);
        g_string_append_printf(value, "%s%s", i ? ", " : "", one);
    }
    if (list->len > 0)
        encode_structured(out, name, value->str);
}

static void
format_ids(GString *out, const char *name, const char *const *ids, unsigned n)
{
    g_autoptr(GString) value = g_string_new(NULL);

    for (unsigned i = 0; i < n; i++) {
        g_string_append(value, i ? " <" : "<");
        g_string_append(value, ids[i]);
        g_string_append_c(value, '>');
    }
    if (n > 0)
        encode_structured(out, name, value->str);
}

/* self: the mail's own id, to stand last; NULL. */
static void
format_references(GString *out, const Compose *c, const char *self)
{
    g_autoptr(GPtrArray) ids = g_ptr_array_new();

    for (unsigned i = 0; i < c->references->len; i++)
        g_ptr_array_add(ids, c->references->pdata[i]);
    if (self)
        g_ptr_array_add(ids, (char *)self);
    format_ids(out, "References", (const char *const *)ids->pdata, ids->len);
}

static void
format_head(GString *out, const Compose *c, const char *self)
{
    g_autofree char *date = clock_format_mail(c->date_us);
    g_autofree char *from = address_format(c->from->name, c->from->spec);

    encode_structured(out, "Date", date);
    encode_structured(out, "From", from);
    format_addresses(out, "To", c->to);
    format_addresses(out, "Cc", c->cc);
    encode_text(out, "Subject", c->subject ? c->subject : "", SUBJECT_WORD_MAX);
    if (c->in_reply_to) { /* on one line: people look for it with grep */
        g_string_append_printf(out, "In-Reply-To: <%s>", c->in_reply_to);
        LIST_EACH(const char, id, c->answered_too)
            g_string_append_printf(out, " <%s>", id);
        g_string_append_c(out, '\n');
    }
    format_references(out, c, self);
    LIST_EACH(const Field, f, c->fields) {
        encode_text(out, f->name, f->value, VALUE_WORD_MAX);
    }
    g_string_append(out, "MIME-Version: 1.0\n");
}

/* The headers and the body of a text part. */
static void
format_text(GString *out, const char *type, const char *text)
{
    size_t len = strlen(text);
    bool plain = encode_fits_7bit(text, len);

    g_string_append_printf(out,
                           "Content-Type: %s; charset=utf-8\n"
                           "Content-Transfer-Encoding: %s\n\n",
                           type, plain ? "7bit" : "quoted-printable");
    if (plain)
        g_string_append(out, text);
    else
        encode_quoted_printable(out, text, len);
}

/* Text may go quoted-printable, so that people can read it in the raw mail; but not with CRs,
 * which line ends on the wire would swallow, and not where that is the longer form. */
static bool
suits_quoted_printable(const Attachment *a)
{
    gsize len;
    const unsigned char *data = g_bytes_get_data(a->content, &len);
    size_t odd = 0;

    if (!g_str_has_prefix(a->content_type, "text/"))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (data[i] < 0x20 && data[i] != '\n' && data[i] != '\t')
            return false;
        odd += data[i] >= 0x7f || data[i] == '=';
    }
    return odd * 6 <= len &&
           (len == 0 || g_utf8_validate((const char *)data, (gssize)len, NULL));
}

static void
format_attachment(GString *out, const Attachment *a)
{
    gsize len;
    const char *data = g_bytes_get_data(a->content, &len);
    bool is_utf8 = len == 0 || g_utf8_validate(data, (gssize)len, NULL);
    bool as_qp = suits_quoted_printable(a);

    g_string_append_printf(out, "Content-Type: %s", a->content_type);
    if (g_str_has_prefix(a->content_type, "text/") && is_utf8)
        encode_param(out, "charset", "utf-8");
    g_string_append(out, "\nContent-Disposition: attachment");
    encode_param(out, "filename", a->filename);
    g_string_append_printf(out, "\nContent-Transfer-Encoding: %s\n\n",
                           as_qp ? "quoted-printable" : "base64");
    if (as_qp)
        encode_quoted_printable(out, data, len);
    else
        encode_base64(out, data, len);
}

/* A line that no part can hold: it is made from what the parts hold, and neither quoted-
 * printable nor base64 ever writes "=_". */
static char *
make_boundary(const GPtrArray *parts)
{
    DigestCtx *ctx = digest_new();
    Digest digest;

    LIST_EACH(const GString, part, parts) {
        digest_update(ctx, part->str, part->len);
        digest_update(ctx, "", 1);
    }
    digest_final(ctx, &digest);
    g_autofree char *token = digest_token(&digest, 32);
    return g_strconcat("=_", token, NULL);
}

static void
free_string(GString *s)
{
    g_string_free(s, TRUE);
}

static void
format_multipart(GString *out, const char *type, const GPtrArray *parts)
{
    g_autofree char *boundary = make_boundary(parts);

    g_string_append_printf(out, "Content-Type: multipart/%s;\n boundary=\"%s\"\n", type,
                           boundary);
    LIST_EACH(const GString, part, parts) {
        g_string_append_printf(out, "\n--%s\n", boundary);
        g_string_append_len(out, part->str, (gssize)part->len);
    }
    g_string_append_printf(out, "\n--%s--\n", boundary);
}

static GPtrArray *
parts_new(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)free_string);
}

static GString *
add_part(GPtrArray *parts)
{
    GString *part = g_string_new(NULL);

    g_ptr_array_add(parts, part);
    return part;
}

/* Writes the part that people read: the text, and its HTML behind it where there is one. */
static void
format_body(GString *out, const Compose *c)
{
    g_autoptr(GPtrArray) parts = parts_new();

    if (!c->html) {
        format_text(out, "text/plain", c->text);
        return;
    }
    format_text(add_part(parts), "text/plain", c->text);
    format_text(add_part(parts), "text/html", c->html);
    format_multipart(out, "alternative", parts);
}

static void
format_content(GString *out, const Compose *c)
{
    g_autoptr(GPtrArray) parts = parts_new();

    if (c->attachments->len == 0) {
        format_body(out, c);
        return;
    }
    format_body(add_part(parts), c);
    for (unsigned i = 0; i < c->attachments->len; i++)
        format_attachment(add_part(parts), c->attachments->pdata[i]);
    format_multipart(out, "mixed", parts);
}

static GBytes *
format_all(const Compose *c, const char *self, GError **error)
{
    if (!c->from || !c->has_date) {
        err_set(error, ERR_NEVER, "the mail has no %s", c->from ? "date" : "sender");
        return NULL;
    }
    GString *out = g_string_new(NULL);
    format_head(out, c, self);
    format_content(out, c);
    if (out->len > LIMIT_MESSAGE_BYTES) {
        g_string_free(out, TRUE);
        err_set(error, ERR_LIMIT, "the mail is larger than %u bytes", LIMIT_MESSAGE_BYTES);
        return NULL;
    }
    return g_string_free_to_bytes(out);
}

GBytes *
compose_format(const Compose *c, GError **error)
{
    return format_all(c, NULL, error);
}

static char *
put_mark(const char *text, const char *mark, const char *value)
{
    GString *s = g_string_new(text);

    g_string_replace(s, mark, value, 0);
    return g_string_free(s, FALSE);
}

bool
compose_freeze(const Compose *c,
               const Key *key,
               MailKind kind,
               uint64_t generation,
               int64_t number,
               const char *domain,
               GBytes **ret_bytes,
               char **ret_msgid,
               GError **error)
{
    g_autoptr(GBytes) rest = compose_format(c, error);
    if (!rest)
        return false;

    gsize len;
    const void *data = g_bytes_get_data(rest, &len);
    g_autofree char *msgid =
        c->msgid        ? g_strdup(c->msgid)
        : c->event_role ? msgid_mint_event(key, c->date_us, c->event_role, generation, number, data,
                                           len, domain)
                        : msgid_mint(key, kind, generation, number, data, len, domain);
    g_autofree char *bracketed = msgid_format(msgid);
    g_autofree char *text =
        c->mark && strstr(c->text, c->mark) ? put_mark(c->text, c->mark, bracketed) : NULL;
    if (c->to_self || text) {
        Compose own = *c;
        if (text)
            own.text = text;
        g_bytes_unref(rest);
        rest = format_all(&own, c->to_self ? msgid : NULL, error);
        if (!rest)
            return false;
        data = g_bytes_get_data(rest, &len);
    }
    GString *out = g_string_sized_new(len + 100);
    g_string_append_printf(out, "Message-ID: %s\n", bracketed);
    g_string_append_len(out, data, (gssize)len);
    *ret_bytes = g_string_free_to_bytes(out);
    *ret_msgid = g_steal_pointer(&msgid);
    return true;
}
