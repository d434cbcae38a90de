/*
 * A Compose collects checked values; compose_format() writes them down in one order. Nothing
 * but what was set goes in: no host name, no random boundary, no clock.
 */
#include "mail/compose.h"
#include "base/banned.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/text.h"
#include "mail/encode.h"
#include "mail/msgid.h"

#define SUBJECT_MAX 4000    /* bytes */
#define SUBJECT_WORD_MAX 60 /* fits a line; a longer word is encoded and so cut */
#define REPLY_SUBJECT 200   /* characters of a stranger's subject that we repeat */
#define VALUE_MAX 4000      /* bytes of any other header */
#define VALUE_WORD_MAX 900  /* machines read these: only what no line can hold is encoded */
#define FILENAME_MAX_BYTES 255

typedef struct Field {
    char *name, *value;
} Field;

typedef struct Attachment {
    char *filename;
    char *content_type;
    GBytes *content;
} Attachment;

struct Compose {
    Address *from;
    GPtrArray *to, *cc; /* of Address */
    char *subject;
    bool has_date;
    int64_t date_us;
    char *in_reply_to;
    GPtrArray *references;  /* ids */
    GPtrArray *fields;      /* of Field */
    char *text;             /* valid, LF, ends with a newline unless empty */
    GPtrArray *attachments; /* of Attachment */
};

static void
field_free(Field *f)
{
    g_free(f->name);
    g_free(f->value);
    g_free(f);
}

static void
attachment_free(Attachment *a)
{
    g_free(a->filename);
    g_free(a->content_type);
    g_bytes_unref(a->content);
    g_free(a);
}

Compose *
compose_new(void)
{
    Compose *c = g_new0(Compose, 1);

    c->to = g_ptr_array_new_with_free_func((GDestroyNotify)address_free);
    c->cc = g_ptr_array_new_with_free_func((GDestroyNotify)address_free);
    c->references = g_ptr_array_new_with_free_func(g_free);
    c->fields = g_ptr_array_new_with_free_func((GDestroyNotify)field_free);
    c->attachments = g_ptr_array_new_with_free_func((GDestroyNotify)attachment_free);
    c->text = g_strdup("");
    return c;
}

void
compose_free(Compose *c)
{
    if (!c)
        return;
    address_free(c->from);
    g_ptr_array_unref(c->to);
    g_ptr_array_unref(c->cc);
    g_ptr_array_unref(c->references);
    g_ptr_array_unref(c->fields);
    g_ptr_array_unref(c->attachments);
    g_free(c->subject);
    g_free(c->in_reply_to);
    g_free(c->text);
    g_free(c);
}

/* ---- Setting ---- */

static bool
check_clean(const char *what, const char *value, GError **error)
{
    if (encode_is_clean(value))
        return true;
    g_autofree char *shown = text_vis(value, false);
    return err_set(error, ERR_NEVER, "control character in %s '%s'", what, shown);
}

/* What stands in a header must be 7 bit, so an address beyond ASCII can't be written to. */
static Address *
make_address(const char *name, const char *spec, GError **error)
{
    g_autofree char *shown = text_vis(spec, false);

    if (name && !check_clean("name", name, error))
        return NULL;
    if (!address_spec_valid(spec)) {
        err_set(error, ERR_NEVER, "'%s' is no mail address", shown);
        return NULL;
    }
    if (!g_str_is_ascii(spec)) {
        err_set(error, ERR_NEVER, "'%s': addresses beyond ASCII are not supported", shown);
        return NULL;
    }
    g_autofree char *normal = address_normalise(spec);
    return address_new(name ? name : "", normal);
}

bool
compose_from(Compose *c, const char *name, const char *spec, GError **error)
{
    Address *a = make_address(name, spec, error);

    if (!a)
        return false;
    address_free(c->from);
    c->from = a;
    return true;
}

static bool
has_spec(const GPtrArray *list, const char *spec)
{
    for (unsigned i = 0; i < list->len; i++)
        if (address_equal(((const Address *)list->pdata[i])->spec, spec))
            return true;
    return false;
}

static bool
add_recipient(Compose *c, GPtrArray *list, const char *name, const char *spec, GError **error)
{
    Address *a = make_address(name, spec, error);

    if (!a)
        return false;
    if (has_spec(c->to, a->spec) || has_spec(c->cc, a->spec)) {
        address_free(a);
        return true;
    }
    if (c->to->len + c->cc->len >= LIMIT_RECIPIENTS) {
        address_free(a);
        return err_set(error, ERR_LIMIT, "more than %u recipients", LIMIT_RECIPIENTS);
    }
    g_ptr_array_add(list, a);
    return true;
}

bool
compose_to(Compose *c, const char *name, const char *spec, GError **error)
{
    return add_recipient(c, c->to, name, spec, error);
}

bool
compose_cc(Compose *c, const char *name, const char *spec, GError **error)
{
    return add_recipient(c, c->cc, name, spec, error);
}

bool
compose_subject(Compose *c, const char *subject, GError **error)
{
    if (!check_clean("subject", subject, error))
        return false;
    if (strlen(subject) > SUBJECT_MAX)
        return err_set(error, ERR_LIMIT, "subject longer than %d bytes", SUBJECT_MAX);
    g_free(c->subject);
    c->subject = g_strstrip(g_strdup(subject));
    return true;
}

bool
compose_subject_reply(Compose *c, const char *parent_subject, GError **error)
{
    /* Anybody may have written it: what can't stand in a header becomes a space. */
    g_autofree char *valid = text_make_valid(parent_subject, -1);
    for (char *p = valid; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = ' ';
    g_autofree char *parent = text_shorten(g_strstrip(valid), REPLY_SUBJECT);
    bool has_re = g_ascii_strncasecmp(parent, "Re:", 3) == 0;
    g_autofree char *subject = g_strconcat(has_re ? "" : "Re: ", parent, NULL);

    return compose_subject(c, subject, error);
}

void
compose_date(Compose *c, int64_t wall_us)
{
    c->has_date = true;
    c->date_us = wall_us;
}

static bool
check_msgid(const char *id, GError **error)
{
    if (id[0] && strlen(id) <= LIMIT_MSGID_WRITTEN && encode_is_clean(id) &&
        g_str_is_ascii(id) && !strpbrk(id, " <>"))
        return true;
    g_autofree char *shown = text_vis(id, false);
    return err_set(error, ERR_NEVER, "'%s' is no message id", shown);
}

bool
compose_thread(Compose *c, const char *in_reply_to, const GPtrArray *references, GError **error)
{
    if (in_reply_to && !check_msgid(in_reply_to, error))
        return false;
    for (unsigned i = 0; references && i < references->len; i++)
        if (!check_msgid(references->pdata[i], error))
            return false;
    g_free(c->in_reply_to);
    c->in_reply_to = g_strdup(in_reply_to);
    g_ptr_array_set_size(c->references, 0);
    for (unsigned i = 0; references && i < references->len; i++)
        g_ptr_array_add(c->references, g_strdup(references->pdata[i]));
    return true;
}

static bool
header_name_is_ours(const char *name)
{
    static const char *const ours[] = {"From",       "To",          "Cc",         "Bcc",
                                       "Subject",    "Date",        "Message-ID", "In-Reply-To",
                                       "References", "MIME-Version"};

    for (size_t i = 0; i < G_N_ELEMENTS(ours); i++)
        if (g_ascii_strcasecmp(name, ours[i]) == 0)
            return true;
    return g_ascii_strncasecmp(name, "Content-", 8) == 0;
}

static bool
header_name_is_valid(const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < len; i++)
        if (!g_ascii_isalnum(name[i]) && name[i] != '-')
            return false;
    return len > 0 && len <= 60;
}

bool
compose_header(Compose *c, const char *name, const char *value, GError **error)
{
    if (!header_name_is_valid(name)) {
        g_autofree char *shown = text_vis(name, false);
        return err_set(error, ERR_NEVER, "'%s' is no name of a header", shown);
    }
    if (header_name_is_ours(name))
        return err_set(error, ERR_NEVER, "header '%s' can't be set this way", name);
    if (!check_clean("header", value, error))
        return false;
    if (strlen(value) > VALUE_MAX)
        return err_set(error, ERR_LIMIT, "header '%s' longer than %d bytes", name, VALUE_MAX);
    Field *f = g_new0(Field, 1);
    f->name = g_strdup(name);
    f->value = g_strstrip(g_strdup(value));
    g_ptr_array_add(c->fields, f);
    return true;
}

void
compose_text(Compose *c, const char *text)
{
    g_autofree char *valid = text_make_valid(text, -1);
    GString *s = g_string_new(valid);

    g_string_replace(s, "\r\n", "\n", 0);
    if (s->len > 0 && s->str[s->len - 1] != '\n')
        g_string_append_c(s, '\n');
    g_free(c->text);
    c->text = g_string_free(s, FALSE);
}

/* ---- Attachments ---- */

/* NULL: unknown. */
static const char *
type_by_extension(const char *filename)
{
    static const struct {
        const char *ext, *type;
    } known[] = {
        {"c", "text/x-c"},
        {"css", "text/css"},
        {"csv", "text/csv"},
        {"diff", "text/x-diff"},
        {"doc", "application/msword"},
        {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
        {"gif", "image/gif"},
        {"gz", "application/gzip"},
        {"h", "text/x-c"},
        {"html", "text/html"},
        {"ics", "text/calendar"},
        {"jpeg", "image/jpeg"},
        {"jpg", "image/jpeg"},
        {"js", "text/javascript"},
        {"json", "application/json"},
        {"log", "text/plain"},
        {"md", "text/markdown"},
        {"mp3", "audio/mpeg"},
        {"mp4", "video/mp4"},
        {"odt", "application/vnd.oasis.opendocument.text"},
        {"patch", "text/x-diff"},
        {"pdf", "application/pdf"},
        {"png", "image/png"},
        {"py", "text/x-python"},
        {"sh", "text/x-shellscript"},
        {"svg", "image/svg+xml"},
        {"tar", "application/x-tar"},
        {"txt", "text/plain"},
        {"webp", "image/webp"},
        {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
        {"xml", "application/xml"},
        {"yaml", "application/yaml"},
        {"yml", "application/yaml"},
        {"zip", "application/zip"},
    };
    const char *dot = strrchr(filename, '.');

    for (size_t i = 0; dot && i < G_N_ELEMENTS(known); i++)
        if (g_ascii_strcasecmp(dot + 1, known[i].ext) == 0)
            return known[i].type;
    return NULL;
}

const char *
compose_type_of(const char *filename)
{
    const char *type = type_by_extension(filename);

    return type ? type : "text/plain";
}

/* "type/subtype" in lower case, parameters dropped; NULL when it is none. */
static char *
parse_type(const char *text)
{
    g_autofree char *type = g_ascii_strdown(text, (gssize)strcspn(text, ";"));
    g_strchomp(type);
    const char *slash = strchr(type, '/');

    if (!slash || slash == type || !slash[1] || strlen(type) > 127)
        return NULL;
    for (const char *p = type; *p; p++)
        if (!g_ascii_isalnum(*p) && !strchr(".+-_", *p) && p != slash)
            return NULL;
    return g_steal_pointer(&type);
}

/* A message or a multipart inside must not be encoded, and ours is: it goes as a plain file. So
 * does what looks like text by its name but is not UTF-8. */
static char *
choose_type(const char *filename, const char *content_type, GBytes *content)
{
    gsize len;
    const char *data = g_bytes_get_data(content, &len);
    bool is_text = len == 0 || g_utf8_validate(data, (gssize)len, NULL);
    const char *type = content_type ? content_type : type_by_extension(filename);

    if (!type)
        type = is_text ? "text/plain" : "application/octet-stream";
    if (g_str_has_prefix(type, "message/") || g_str_has_prefix(type, "multipart/") ||
        (!content_type && g_str_has_prefix(type, "text/") && !is_text))
        type = "application/octet-stream";
    return g_strdup(type);
}

bool
compose_attach(
    Compose *c, const char *filename, const char *content_type, GBytes *content, GError **error)
{
    g_autofree char *base = g_path_get_basename(filename);
    g_autofree char *type = content_type ? parse_type(content_type) : NULL;

    if (!check_clean("file name", filename, error))
        return false;
    if (!filename[0] || g_str_has_suffix(filename, "/") || strcmp(base, ".") == 0 ||
        strcmp(base, "..") == 0 || strlen(base) > FILENAME_MAX_BYTES)
        return err_set(error, ERR_NEVER, "'%s' is no name for an attachment", filename);
    if (content_type && !type) {
        g_autofree char *shown = text_vis(content_type, false);
        return err_set(error, ERR_NEVER, "'%s' is no content type", shown);
    }
    if (g_bytes_get_size(content) > LIMIT_ATTACHMENT_BYTES)
        return err_set(error, ERR_LIMIT, "'%s' is larger than %u bytes", base,
                       LIMIT_ATTACHMENT_BYTES);
    if (c->attachments->len >= LIMIT_MIME_PARTS / 2)
        return err_set(error, ERR_LIMIT, "more than %u attachments", LIMIT_MIME_PARTS / 2);
    Attachment *a = g_new0(Attachment, 1);
    a->filename = g_steal_pointer(&base);
    a->content_type = choose_type(filename, type, content);
    a->content = g_bytes_ref(content);
    g_ptr_array_add(c->attachments, a);
    return true;
}

/* ---- Formatting ---- */

static void
format_addresses(GString *out, const char *name, const GPtrArray *list)
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
        g_autofree char *id = msgid_format(ids[i]);
        g_string_append_printf(value, "%s%s", i ? " " : "", id);
    }
    if (n > 0)
        encode_structured(out, name, value->str);
}

static void
format_head(GString *out, const Compose *c)
{
    g_autofree char *date = clock_format_mail(c->date_us);
    g_autofree char *from = address_format(c->from->name, c->from->spec);

    encode_structured(out, "Date", date);
    encode_structured(out, "From", from);
    format_addresses(out, "To", c->to);
    format_addresses(out, "Cc", c->cc);
    encode_text(out, "Subject", c->subject ? c->subject : "", SUBJECT_WORD_MAX);
    if (c->in_reply_to)
        format_ids(out, "In-Reply-To", (const char *const *)&c->in_reply_to, 1);
    format_ids(out, "References", (const char *const *)c->references->pdata,
               c->references->len);
    for (unsigned i = 0; i < c->fields->len; i++) {
        const Field *f = c->fields->pdata[i];
        encode_text(out, f->name, f->value, VALUE_WORD_MAX);
    }
    g_string_append(out, "MIME-Version: 1.0\n");
}

/* The headers and the body of the text part. */
static void
format_text(GString *out, const char *text)
{
    size_t len = strlen(text);
    bool plain = encode_fits_7bit(text, len);

    g_string_append_printf(out,
                           "Content-Type: text/plain; charset=utf-8\n"
                           "Content-Transfer-Encoding: %s\n\n",
                           plain ? "7bit" : "quoted-printable");
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

    for (unsigned i = 0; i < parts->len; i++) {
        const GString *part = parts->pdata[i];
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
format_multipart(GString *out, const Compose *c)
{
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func((GDestroyNotify)free_string);

    g_ptr_array_add(parts, g_string_new(NULL));
    format_text(parts->pdata[0], c->text);
    for (unsigned i = 0; i < c->attachments->len; i++) {
        GString *part = g_string_new(NULL);
        format_attachment(part, c->attachments->pdata[i]);
        g_ptr_array_add(parts, part);
    }
    g_autofree char *boundary = make_boundary(parts);
    g_string_append_printf(out, "Content-Type: multipart/mixed;\n boundary=\"%s\"\n", boundary);
    for (unsigned i = 0; i < parts->len; i++) {
        const GString *part = parts->pdata[i];
        g_string_append_printf(out, "\n--%s\n", boundary);
        g_string_append_len(out, part->str, (gssize)part->len);
    }
    g_string_append_printf(out, "\n--%s--\n", boundary);
}

GBytes *
compose_format(const Compose *c, GError **error)
{
    if (!c->from || !c->has_date) {
        err_set(error, ERR_NEVER, "the mail has no %s", c->from ? "date" : "sender");
        return NULL;
    }
    GString *out = g_string_new(NULL);
    format_head(out, c);
    if (c->attachments->len == 0)
        format_text(out, c->text);
    else
        format_multipart(out, c);
    if (out->len > LIMIT_MESSAGE_BYTES) {
        g_string_free(out, TRUE);
        err_set(error, ERR_LIMIT, "the mail is larger than %u bytes", LIMIT_MESSAGE_BYTES);
        return NULL;
    }
    return g_string_free_to_bytes(out);
}

bool
compose_freeze(const Compose *c,
               const Key *key,
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
    g_autofree char *msgid = msgid_mint(key, generation, number, data, len, domain);
    g_autofree char *bracketed = msgid_format(msgid);
    GString *out = g_string_sized_new(len + 100);
    g_string_append_printf(out, "Message-ID: %s\n", bracketed);
    g_string_append_len(out, data, (gssize)len);
    *ret_bytes = g_string_free_to_bytes(out);
    *ret_msgid = g_steal_pointer(&msgid);
    return true;
}

/* ---- What was set ---- */

const char *
compose_get_from(const Compose *c)
{
    return c->from ? c->from->spec : NULL;
}

const char *
compose_get_subject(const Compose *c)
{
    return c->subject ? c->subject : "";
}

GPtrArray *
compose_recipients(const Compose *c)
{
    GPtrArray *specs = g_ptr_array_new_with_free_func(g_free);

    for (unsigned i = 0; i < c->to->len; i++)
        g_ptr_array_add(specs, g_strdup(((const Address *)c->to->pdata[i])->spec));
    for (unsigned i = 0; i < c->cc->len; i++)
        g_ptr_array_add(specs, g_strdup(((const Address *)c->cc->pdata[i])->spec));
    return specs;
}
