/*
 * Collecting what is to stand in a mail, each value checked when it is set, so that writing it
 * down (compose_format.c) can't fail by what it says.
 */
#include "mail/compose.h"
#include "base/limits.h"
#include "mail/compose_internal.h"
#include "mail/mime/encode.h"
#include "mail/mime/mediatype.h"

#define SUBJECT_MAX 4000  /* bytes */
#define REPLY_SUBJECT 200 /* characters of a stranger's subject that we repeat */
#define FILENAME_MAX_BYTES 255

static void
field_free(Field *f)
{
    free_all(f->name, f->value, f);
}

static void
attachment_free(Attachment *a)
{
    g_bytes_unref(a->content);
    free_all(a->filename, a->content_type, a);
}

Compose *
compose_new(void)
{
    Compose *c = g_new0(Compose, 1);

    c->to = addresses_new();
    c->cc = addresses_new();
    c->answered_too = g_ptr_array_new_with_free_func(g_free);
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
    addresses_free(c->to);
    addresses_free(c->cc);
    g_ptr_array_unref(c->answered_too);
    g_ptr_array_unref(c->references);
    g_ptr_array_unref(c->fields);
    g_ptr_array_unref(c->attachments);
    free_all(c->subject, c->in_reply_to, c->msgid, c->text, c->html, c->event_role, c->mark, c);
}

/* ---- Setting ---- */

static bool
check_clean(const char *what, const char *value, GError **error)
{
    if (encode_is_clean(value))
        return true;
    return err_set(error, ERR_NEVER, "control character in %s '%s'", what, value);
}

/* Makes an address of a header. A header must be 7 bit, so mail can't be written to an address
 * beyond ASCII. */
static Address *
make_address(const char *name, const char *spec, GError **error)
{
    if (name && !check_clean("name", name, error))
        return NULL;
    if (!address_spec_valid(spec)) {
        err_set(error, ERR_NEVER, "'%s' is no mail address", spec);
        return NULL;
    }
    if (!g_str_is_ascii(spec)) {
        err_set(error, ERR_NEVER, "'%s': addresses beyond ASCII are not supported", spec);
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
has_spec(const Addresses *list, const char *spec)
{
    LIST_EACH(const Address, a, list)
        if (address_equal(a->spec, spec))
            return true;
    return false;
}

static bool
add_recipient(Compose *c, Addresses *list, const char *name, const char *spec, GError **error)
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
    addresses_add(list, a);
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
    return msgid_is_plain(id) || err_set(error, ERR_NEVER, "'%s' is no message id", id);
}

static bool
is_answered(const Compose *c, const char *id)
{
    return g_strcmp0(c->in_reply_to, id) == 0 ||
           g_ptr_array_find_with_equal_func(c->answered_too, id, g_str_equal, NULL);
}

void
compose_cut_references(Compose *c, unsigned most)
{
    unsigned kept = 0; /* of the oldest */

    while (kept < c->references->len && is_answered(c, c->references->pdata[kept]))
        kept++;
    kept++;
    while (c->references->len > most && kept < c->references->len)
        if (is_answered(c, c->references->pdata[kept]))
            kept++;
        else
            g_ptr_array_remove_index(c->references, kept);
}

/* One header holds them, and the mail's own id behind them. */
static void
fit_references(Compose *c)
{
    size_t len = LIMIT_MSGID_WRITTEN;
    unsigned n = 1;

    for (guint i = c->references->len; i > 0 && len < LIMIT_HEADER_WRITTEN; i--, n++)
        len += strlen(c->references->pdata[i - 1]) + strlen("\n <>");
    compose_cut_references(c, MIN(n, LIMIT_REFERENCES) - 1);
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
    g_ptr_array_set_size(c->answered_too, 0);
    g_ptr_array_set_size(c->references, 0);
    for (unsigned i = 0; references && i < references->len; i++)
        g_ptr_array_add(c->references, g_strdup(references->pdata[i]));
    fit_references(c);
    return true;
}

#define LINE_MOST 998u /* RFC 5322, 2.1.1 */

bool
compose_answer_too(Compose *c, const char *id, GError **error)
{
    size_t len =
        strlen("In-Reply-To: <>") + strlen(c->in_reply_to) + strlen(" <>") + strlen(id);

    if (!check_msgid(id, error))
        return false;
    LIST_EACH(const char, other, c->answered_too)
        len += strlen(" <>") + strlen(other);
    if (len > LINE_MOST)
        return err_set(error, ERR_LIMIT, "the ids of what it answers do not fit on one line");
    g_ptr_array_add(c->answered_too, g_strdup(id));
    return true;
}

void
compose_msgid(Compose *c, const char *msgid)
{
    g_free(c->msgid);
    c->msgid = g_strdup(msgid);
}

bool
compose_brings_msgid(const Compose *c)
{
    return c->msgid != NULL;
}

void
compose_event(Compose *c, const char *role, const char *mark)
{
    free_all(c->event_role, c->mark);
    c->event_role = g_strdup(role);
    c->mark = g_strdup(mark);
}

void
compose_refer_to_self(Compose *c)
{
    c->to_self = true;
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
    if (!header_name_is_valid(name))
        return err_set(error, ERR_NEVER, "'%s' is no name of a header", name);
    if (header_name_is_ours(name))
        return err_set(error, ERR_NEVER, "header '%s' can't be set this way", name);
    if (!check_clean("header", value, error))
        return false;
    if (strlen(value) > LIMIT_HEADER_WRITTEN)
        return err_set(error, ERR_LIMIT, "header '%s' longer than %u bytes", name,
                       LIMIT_HEADER_WRITTEN);
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

void
compose_html(Compose *c, const char *html)
{
    g_free(c->html);
    c->html = g_strdup(html);
}

/* ---- Attachments ---- */

const char *
compose_type_of(const char *filename)
{
    const char *type = mediatype_of(filename);

    return type ? type : "text/plain";
}

/* A message or a multipart inside must not be encoded, and ours is: it goes as a plain file. So
 * does what looks like text by its name but is not UTF-8. */
static char *
choose_type(const char *filename, const char *content_type, GBytes *content)
{
    gsize len;
    const char *data = g_bytes_get_data(content, &len);
    bool is_text = len == 0 || g_utf8_validate(data, (gssize)len, NULL);
    const char *type = content_type ? content_type : mediatype_of(filename);

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
    g_autofree char *type = content_type ? mediatype_parse(content_type) : NULL;

    if (!check_clean("file name", filename, error))
        return false;
    if (!filename[0] || g_str_has_suffix(filename, "/") || strcmp(base, ".") == 0 ||
        strcmp(base, "..") == 0 || strlen(base) > FILENAME_MAX_BYTES)
        return err_set(error, ERR_NEVER, "'%s' is no name for an attachment", filename);
    if (content_type && !type)
        return err_set(error, ERR_NEVER, "'%s' is no content type", content_type);
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

/* ---- What was set ---- */

const GPtrArray *
compose_get_references(const Compose *c)
{
    return c->references;
}

const char *
compose_get_parent(const Compose *c)
{
    return c->in_reply_to || c->references->len ? c->in_reply_to : "";
}

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

    LIST_EACH(const Address, a, c->to)
        g_ptr_array_add(specs, g_strdup(a->spec));
    LIST_EACH(const Address, a, c->cc)
        g_ptr_array_add(specs, g_strdup(a->spec));
    return specs;
}
