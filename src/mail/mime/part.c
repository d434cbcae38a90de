#include "mail/mime/part.h"

#include "mail/mime/base64.h"
#include "mail/mime/bodytext.h"
#include "mail/mime/charset.h"
#include "mail/mime/filename.h"
#include "mail/mime/htmltext.h"
#include "mail/mime/mediatype.h"
#include "mail/mime/param.h"
#include "mail/mime/uuencode.h"

typedef enum Encoding { ENC_NONE, ENC_BASE64, ENC_QP, ENC_UU } Encoding;
typedef enum TextKind { TEXT_NOT, TEXT_PLAIN, TEXT_HTML } TextKind;

/* The data from which the text of a leaf is made, once all leaves are known. */
typedef struct Pending {
    MsgPart *part;
    const char *data;
    size_t len;
    Encoding encoding;
    TextKind kind;
    unsigned group;
    bool flowed, delsp;
} Pending;

struct PartList {
    bool keep;
    size_t max_text;
    PartOpen *open;
    void *user;
    MsgParts *parts;
    MsgParts *files;   /* those in texts, and in the end all */
    GArray *pending;   /* of Pending: texts */
    GArray *named;     /* of Pending: texts that are listed as files, and are not to be saved */
    GHashTable *names; /* file names in use, with the number of the last copy */
    GByteArray *scratch; /* decoded bytes that nobody keeps */
    unsigned flags;
};

static void
part_clear(gpointer data)
{
    MsgPart *p = data;

    free_all(p->filename, p->content_type, p->charset);
    g_clear_pointer(&p->content, g_bytes_unref);
    message_free(p->mail);
}

void
msg_part_unref(MsgPart *part)
{
    g_rc_box_release_full(part, part_clear);
}

PartList *
partlist_new(bool keep, size_t max_text, PartOpen *open, void *user)
{
    PartList *list = g_new0(PartList, 1);

    list->keep = keep;
    list->max_text = max_text;
    list->open = open;
    list->user = user;
    list->parts = msg_parts_new();
    list->files = msg_parts_new();
    list->pending = g_array_new(FALSE, FALSE, sizeof(Pending));
    list->named = g_array_new(FALSE, FALSE, sizeof(Pending));
    return list;
}

void
partlist_free(PartList *list)
{
    if (!list)
        return;
    g_clear_pointer(&list->files, msg_parts_free);
    g_clear_pointer(&list->parts, msg_parts_free);
    g_array_unref(list->pending);
    g_array_unref(list->named);
    g_clear_pointer(&list->names, g_hash_table_unref);
    g_clear_pointer(&list->scratch, g_byte_array_unref);
    g_free(list);
}

/* ---- decoding ---- */

/* An unknown encoding is no encoding (RFC 2045 6.4 would have it opaque; readers disagree). */
static Encoding
read_encoding(const char *value)
{
    static const struct {
        const char *name;
        Encoding encoding;
    } names[] = {{"base64", ENC_BASE64}, {"quoted-printable", ENC_QP},
                 {"x-uuencode", ENC_UU}, {"uuencode", ENC_UU},
                 {"x-uue", ENC_UU},      {"uue", ENC_UU}};

    if (!value)
        return ENC_NONE;
    value += strspn(value, " \t\"");
    size_t len = strcspn(value, " \t\";(");
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (len == strlen(names[i].name) && !g_ascii_strncasecmp(value, names[i].name, len))
            return names[i].encoding;
    return ENC_NONE;
}

/* The lines of data, with their begin and end or without. */
static size_t
decode_uu(const char *data, size_t len, uint8_t *out, bool *damaged)
{
    UuFile file;

    if (!uu_find(data, len, &file))
        return uu_decode(data, len, out, damaged);
    return uu_decode(file.data, (size_t)(file.data_end - file.data), out, damaged);
}

/* Decodes into out, which is made large enough; returns the length. */
static size_t
decode_into(PartList *list, Encoding encoding, const char *data, size_t len, GByteArray *out)
{
    bool damaged = false;
    size_t n;

    g_byte_array_set_size(out, (guint)(len + 3));
    if (encoding == ENC_BASE64)
        n = base64_decode(data, len, out->data, &damaged);
    else if (encoding == ENC_UU)
        n = decode_uu(data, len, out->data, &damaged);
    else
        n = qp_decode(data, len, out->data, &damaged);
    if (damaged)
        list->flags |= MSG_DAMAGED;
    return n;
}

static GByteArray *
scratch(PartList *list)
{
    if (!list->scratch)
        list->scratch = g_byte_array_new();
    return list->scratch;
}

/* Can it be read as text? What says that it is text may be in a charset that nobody named. */
static bool
is_legible(const MsgPart *part, const char *bytes, size_t len)
{
    bool bad = false;

    if (bodytext_is_plain(bytes, len) ||
        (g_str_has_prefix(part->content_type, "text/") && !bodytext_has_controls(bytes, len)))
        return true;
    if (part->charset[0] == '\0')
        return false;
    g_autofree char *text = charset_decode(part->charset, bytes, len, 0, &bad, NULL);
    return !bad && bodytext_is_plain(text, strlen(text));
}

static bool
is_mail(const MsgPart *part)
{
    return g_str_equal(part->content_type, "message/rfc822") ||
           g_str_equal(part->content_type, "message/global");
}

/* Size of a part that is no text of the message, its content where it is wanted, and what it
 * is. */
static void
decode_attachment(PartList *list, MsgPart *part, Encoding encoding, const Leaf *leaf)
{
    const char *bytes = leaf->data;
    GByteArray *own = NULL;

    part->size = leaf->len;
    if (encoding != ENC_NONE) {
        GByteArray *out = list->keep ? (own = g_byte_array_new()) : scratch(list);
        part->size = decode_into(list, encoding, leaf->data, leaf->len, out);
        g_byte_array_set_size(out, (guint)part->size);
        bytes = (const char *)out->data;
    }
    part->legible = is_legible(part, bytes, part->size);
    if (own)
        part->content = g_byte_array_free_to_bytes(own);
    else if (list->keep)
        part->content = g_bytes_new(bytes, part->size);
    if (is_mail(part) && part->size > 0)
        part->mail = list->open(list->user, bytes, part->size);
}

/* ---- what a leaf is ---- */

static TextKind
text_kind(const char *content_type)
{
    static const char *const plain[] = {"text/plain",   "text/markdown", "text/x-markdown",
                                        "text/x-patch", "text/x-diff",   NULL};

    if (strcmp(content_type, "text/html") == 0)
        return TEXT_HTML;
    return g_strv_contains(plain, content_type) ? TEXT_PLAIN : TEXT_NOT;
}

/* "type/subtype"; what is none is text (RFC 2045 5.2). */
static char *
clean_type(const char *value)
{
    const char *slash = strchr(value, '/');

    if (!slash || slash == value || slash[1] == '\0' || strlen(value) > 127)
        return g_strdup("text/plain");
    for (const char *c = value; *c; c++)
        if (!g_ascii_isgraph(*c) || (*c == '/' && c != slash))
            return g_strdup("text/plain");
    return g_strdup(value);
}

/* A name that no other part of this message has. */
static char *
unique_name(PartList *list, char *name)
{
    if (!list->names)
        list->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    unsigned copies = GPOINTER_TO_UINT(g_hash_table_lookup(list->names, name));
    if (copies > 0) {
        g_hash_table_insert(list->names, g_strdup(name), GUINT_TO_POINTER(copies + 1));
        g_autofree char *old = name;
        return unique_name(list, filename_numbered(old, copies + 1));
    }
    g_hash_table_insert(list->names, g_strdup(name), GUINT_TO_POINTER(1));
    return name;
}

/* The name that stands in the data itself; NULL. Caller frees. */
static char *
name_in_data(Encoding encoding, const Leaf *leaf)
{
    UuFile file;

    if (encoding != ENC_UU || !uu_find(leaf->data, leaf->len, &file))
        return NULL;
    return charset_guess(file.name, file.name_len);
}

/* Names that were given come first, so that none of them changes for one that is made up. */
static void
set_name(PartList *list,
         MsgPart *part,
         const Params *type,
         const Params *disposition,
         const char *in_data)
{
    const char *given = params_find(disposition, "filename");

    if (!given)
        given = params_find(type, "name");
    if (!given)
        given = in_data;
    part->attachment = given || strcmp(disposition->value, "attachment") == 0;
    part->filename = given ? filename_clean(given) : NULL;
    part->made = !part->filename;
    if (part->filename)
        part->filename = unique_name(list, part->filename);
}

static void
note_params(PartList *list, const Params *p)
{
    if (p->repeated)
        list->flags |= MSG_AMBIGUOUS;
    if (p->conflict)
        list->flags |= MSG_NAME_CONFLICT;
    if (p->too_many)
        list->flags |= MSG_AMBIGUOUS | MSG_DAMAGED;
    if (p->bad_charset)
        list->flags |= MSG_BAD_CHARSET;
}

static bool
param_is(const Params *p, const char *name, const char *value)
{
    const char *v = params_find(p, name);

    return v && g_ascii_strcasecmp(v, value) == 0;
}

static MsgPart *
new_part(const char *type, const char *charset)
{
    MsgPart *part = g_rc_box_new0(MsgPart);

    part->content_type = clean_type(type);
    part->charset = g_strdup(charset ? charset : "");
    return part;
}

void
partlist_add(PartList *list, const Leaf *leaf)
{
    g_autoptr(Params) type = params_parse(leaf->type);
    g_autoptr(Params) disposition = params_parse(leaf->disposition);
    Encoding encoding = read_encoding(leaf->encoding);
    g_autofree char *in_data = name_in_data(encoding, leaf);
    MsgPart *part = new_part(type->value, params_find(type, "charset"));

    msg_parts_add(list->parts, part);
    note_params(list, type);
    note_params(list, disposition);
    set_name(list, part, type, disposition, in_data);
    Pending p = {.part = part,
                 .data = leaf->data,
                 .len = leaf->len,
                 .encoding = encoding,
                 .kind = text_kind(part->content_type),
                 .group = leaf->group,
                 .flowed = param_is(type, "format", "flowed"),
                 .delsp = param_is(type, "delsp", "yes")};
    if (p.kind != TEXT_NOT && !part->attachment) {
        part->legible = true;
        g_array_append_val(list->pending, p);
        return;
    }
    if (p.kind != TEXT_NOT && strcmp(disposition->value, "attachment") != 0)
        g_array_append_val(list->named, p);
    part->attachment = true;
    decode_attachment(list, part, encoding, leaf);
}

/* ---- the text ---- */

static bool
is_blank(const char *text)
{
    while (g_ascii_isspace(*text) || g_str_has_prefix(text, "\xC2\xA0"))
        text = g_utf8_next_char(text);
    return *text == '\0';
}

/* A file in uuencode that stands in a text. */
static void
add_uu_file(PartList *list, const UuFile *file)
{
    g_autofree char *said = charset_guess(file->name, file->name_len);
    g_autofree char *name = filename_clean(said);
    const char *type = mediatype_of(name ? name : "");
    MsgPart *part = new_part(type ? type : "application/octet-stream", NULL);
    const Leaf leaf = {.data = file->data, .len = (size_t)(file->data_end - file->data)};

    part->attachment = true;
    part->filename = name ? unique_name(list, g_steal_pointer(&name)) : NULL;
    part->made = !part->filename;
    decode_attachment(list, part, ENC_UU, &leaf);
    msg_parts_add(list->files, part);
}

/* The text without the files in it, which become files of the message; NULL: there are none. */
static GString *
take_out_uu(PartList *list, const char *text, size_t len)
{
    UuFile file;

    if (!uu_find(text, len, &file))
        return NULL;
    g_autofree char *copy = g_memdup2(text, len); /* files are decoded where the text may be */
    const char *p = copy, *end = copy + len;
    GString *rest = g_string_new(NULL);
    while (uu_find(p, (size_t)(end - p), &file)) {
        g_string_append_len(rest, p, file.begin - p);
        add_uu_file(list, &file);
        p = file.end;
    }
    return g_string_append_len(rest, p, end - p);
}

/* The leaf's bytes as text in UTF-8, at most max bytes. */
static char *
decode_text(PartList *list, const Pending *p, size_t max)
{
    const char *bytes = p->data;
    bool bad = false, cut = false;
    size_t len = p->len;

    if (p->encoding != ENC_NONE) {
        len = decode_into(list, p->encoding, p->data, p->len, scratch(list));
        bytes = (const char *)scratch(list)->data;
    }
    p->part->size = len;
    if (list->keep && !p->part->content)
        p->part->content = g_bytes_new(bytes, len);
    GString *rest = p->kind == TEXT_PLAIN ? take_out_uu(list, bytes, len) : NULL;
    char *text = charset_decode(p->part->charset, rest ? rest->str : bytes,
                                rest ? rest->len : len, max, &bad, &cut);
    if (rest)
        g_string_free(rest, TRUE);
    if (bad)
        list->flags |= MSG_BAD_CHARSET;
    if (cut)
        list->flags |= MSG_TEXT_CUT;
    bodytext_lines(text);
    return text;
}

static char *
read_plain(PartList *list, const Pending *p, size_t max)
{
    g_autofree char *text = decode_text(list, p, max);

    return p->flowed ? bodytext_unflow(text, p->delsp) : g_steal_pointer(&text);
}

static char *
read_html(PartList *list, const Pending *p, size_t max)
{
    bool cut = false, hidden = false;
    /* All of it: a style sheet may be longer than any text. */
    g_autofree char *html = decode_text(list, p, 0);
    char *text = htmltext_read(html, max, &cut, &hidden);

    if (cut)
        list->flags |= MSG_TEXT_CUT;
    if (hidden)
        list->flags |= MSG_INVISIBLE;
    list->flags |= MSG_HTML_ONLY;
    return text;
}

/* Appends what is more than white space. A page that shows no text is a file. */
static void
add_text(PartList *list, GString *all, const Pending *p, char *text)
{
    if (bodytext_strip_invisible(text))
        list->flags |= MSG_INVISIBLE;
    p->part->text = !is_blank(text);
    p->part->attachment |= !p->part->text && p->kind == TEXT_HTML && p->part->size > 0;
    if (!p->part->text)
        return;
    if (all->len > 0)
        g_string_append(all, all->str[all->len - 1] == '\n' ? "\n" : "\n\n");
    if (all->len < list->max_text)
        g_string_append(all, text);
    else
        list->flags |= MSG_TEXT_CUT;
}

/* Alternatives in which plain text was found, each with it (borrowed); in them the HTML is not
 * shown. */
static GHashTable *
plain_groups(PartList *list, char **texts)
{
    GHashTable *groups = g_hash_table_new(NULL, NULL);

    for (unsigned i = 0; i < list->pending->len; i++) {
        const Pending *p = &g_array_index(list->pending, Pending, i);
        if (p->kind != TEXT_PLAIN)
            continue;
        texts[i] = read_plain(list, p, list->max_text);
        if (p->group != 0 && !is_blank(texts[i]))
            g_hash_table_insert(groups, GUINT_TO_POINTER(p->group), texts[i]);
    }
    return groups;
}

/* Enough to know that two texts are not one, and no more: every mail pays for it. */
#define TWIN_TEXT 2048u

/* HTML beside its plain twin: how large it is, and whether a person who sees it reads what the
 * model does. Where the two say other things the HTML is a file. */
static void
compare_twin(PartList *list, const Pending *p, const char *plain)
{
    bool cut = false, hidden = false;
    unsigned unshown = (MSG_BAD_CHARSET | MSG_TEXT_CUT) & ~list->flags;

    g_autofree char *html = decode_text(list, p, TWIN_TEXT * 16);
    list->flags &= ~unshown;
    g_autofree char *text = htmltext_read(html, TWIN_TEXT, &cut, &hidden);
    g_autofree char *beginning = g_strndup(plain, TWIN_TEXT);
    p->part->attachment = !bodytext_same(beginning, text);
    if (p->part->attachment)
        list->flags |= MSG_ALT_MISMATCH;
}

/* The text that these leaves make. Caller frees. */
static char *
read_texts(PartList *list)
{
    g_autofree char **found = g_new0(char *, list->pending->len + 1);
    g_autoptr(GHashTable) groups = plain_groups(list, found);
    GString *all = g_string_new(NULL);

    for (unsigned i = 0; i < list->pending->len; i++) {
        const Pending *p = &g_array_index(list->pending, Pending, i);
        size_t room = list->max_text > all->len ? list->max_text - all->len : 0;
        const char *plain = g_hash_table_lookup(groups, GUINT_TO_POINTER(p->group));
        if (p->kind == TEXT_HTML && plain) {
            compare_twin(list, p, plain);
            continue;
        }
        if (!found[i]) /* what is plain was read before */
            found[i] = read_html(list, p, room);
        add_text(list, all, p, found[i]);
    }
    for (unsigned i = 0; i < list->pending->len; i++)
        g_free(found[i]);
    return g_string_free(all, FALSE);
}

/* A mail that has no other text is the text that it names as a file, unless that is to be
 * saved. */
static char *
choose_text(PartList *list)
{
    g_autofree char *text = read_texts(list);

    if (list->named->len > 0 && is_blank(text)) {
        g_clear_pointer(&text, g_free);
        g_array_set_size(list->pending, 0);
        g_array_append_vals(list->pending, list->named->data, list->named->len);
        text = read_texts(list);
    }
    size_t keep = text_cut_at(text, list->max_text);
    if (text[keep])
        list->flags |= MSG_TEXT_CUT;
    text[keep] = '\0';
    return g_steal_pointer(&text);
}

/* ---- the list ---- */

/* A file, and behind a forwarded mail what that one has: "part-2.1.png" is the first part of
 * the mail that is the second part. */
static void
list_file(PartList *list, MsgPart *part, unsigned number)
{
    const MsgParts *inner = part->mail ? part->mail->files : NULL;

    msg_parts_add(list->files, g_rc_box_acquire(part));
    for (guint i = 0; inner && i < inner->len; i++) {
        MsgPart *file = g_ptr_array_index(inner, i);
        g_autofree char *name = file->filename;
        const char *behind = file->made ? name + strlen(FILENAME_MADE) : NULL;
        file->filename = behind ? g_strdup_printf(FILENAME_MADE "%u.%s", number, behind)
                                : g_steal_pointer(&name);
        file->filename = unique_name(list, file->filename);
        if (!file->within)
            file->within = part;
        msg_parts_add(list->files, g_rc_box_acquire(file));
    }
}

/* Names first, of all parts: what a forwarded mail has changes none of them. */
static void
list_files(PartList *list)
{
    g_autoptr(MsgParts) in_text = list->files;
    g_autoptr(MsgParts) all = msg_parts_new_view();

    list->files = msg_parts_new();
    g_ptr_array_extend(LIST_ARRAY(all), LIST_ARRAY(list->parts), NULL, NULL);
    g_ptr_array_extend(LIST_ARRAY(all), LIST_ARRAY(in_text), NULL, NULL);
    for (guint i = 0; i < all->len; i++) {
        MsgPart *part = g_ptr_array_index(all, i);
        part->attachment |= part->text && list->flags & MSG_TEXT_CUT;
        if (part->made)
            part->filename = filename_make_up(i + 1, part->content_type);
        if (part->made && part->attachment)
            part->filename = unique_name(list, part->filename);
    }
    for (guint i = 0; i < all->len; i++) {
        MsgPart *part = g_ptr_array_index(all, i);
        if (part->attachment)
            list_file(list, part, i + 1);
    }
}

void
partlist_finish(PartList *list, Message *m)
{
    m->text = choose_text(list);
    list_files(list);
    m->parts = g_steal_pointer(&list->parts);
    m->files = g_steal_pointer(&list->files);
    m->flags |= list->flags;
}
