#include "mail/part.h"

#include "base/banned.h"
#include "mail/base64.h"
#include "mail/bodytext.h"
#include "mail/charset.h"
#include "mail/filename.h"
#include "mail/htmltext.h"
#include "mail/param.h"

typedef enum Encoding { ENC_NONE, ENC_BASE64, ENC_QP } Encoding;
typedef enum TextKind { TEXT_NOT, TEXT_PLAIN, TEXT_HTML } TextKind;

/* What is needed to make text from a leaf, once all leaves are known. */
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
    GPtrArray *parts;    /* of MsgPart */
    GArray *pending;     /* of Pending */
    GHashTable *names;   /* file names in use, with the number of the last copy */
    GByteArray *scratch; /* decoded bytes that nobody keeps */
    unsigned flags;
};

static void
part_free(MsgPart *p)
{
    if (!p)
        return;
    g_free(p->filename);
    g_free(p->content_type);
    g_free(p->charset);
    g_clear_pointer(&p->content, g_bytes_unref);
    g_free(p);
}

PartList *
partlist_new(bool keep, size_t max_text)
{
    PartList *list = g_new0(PartList, 1);

    list->keep = keep;
    list->max_text = max_text;
    list->parts = g_ptr_array_new_with_free_func((GDestroyNotify)part_free);
    list->pending = g_array_new(FALSE, FALSE, sizeof(Pending));
    return list;
}

void
partlist_free(PartList *list)
{
    if (!list)
        return;
    g_clear_pointer(&list->parts, g_ptr_array_unref);
    g_array_unref(list->pending);
    g_clear_pointer(&list->names, g_hash_table_unref);
    g_clear_pointer(&list->scratch, g_byte_array_unref);
    g_free(list);
}

/* ---- decoding ---- */

/* An unknown encoding is no encoding (RFC 2045 6.4 would have it opaque; readers disagree). */
static Encoding
read_encoding(const char *value)
{
    if (!value)
        return ENC_NONE;
    value += strspn(value, " \t\"");
    size_t len = strcspn(value, " \t\";(");
    if (len == 6 && g_ascii_strncasecmp(value, "base64", 6) == 0)
        return ENC_BASE64;
    if (len == 16 && g_ascii_strncasecmp(value, "quoted-printable", 16) == 0)
        return ENC_QP;
    return ENC_NONE;
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

/* Size of an attachment, and its content where it is wanted. */
static void
decode_attachment(PartList *list, MsgPart *part, Encoding encoding, const Leaf *leaf)
{
    part->size = leaf->len;
    if (encoding == ENC_NONE && list->keep) {
        part->content = g_bytes_new(leaf->data, leaf->len);
    } else if (encoding != ENC_NONE && list->keep) {
        GByteArray *own = g_byte_array_new();
        part->size = decode_into(list, encoding, leaf->data, leaf->len, own);
        g_byte_array_set_size(own, (guint)part->size);
        part->content = g_byte_array_free_to_bytes(own);
    } else if (encoding != ENC_NONE) {
        part->size = decode_into(list, encoding, leaf->data, leaf->len, scratch(list));
    }
}

/* ---- what a leaf is ---- */

static TextKind
text_kind(const char *content_type)
{
    static const char *const plain[] = {"text/plain", "text/markdown", "text/x-markdown",
                                        "text/x-patch", "text/x-diff"};

    if (strcmp(content_type, "text/html") == 0)
        return TEXT_HTML;
    for (size_t i = 0; i < G_N_ELEMENTS(plain); i++)
        if (strcmp(content_type, plain[i]) == 0)
            return TEXT_PLAIN;
    return TEXT_NOT;
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

static void
set_name(PartList *list, MsgPart *part, const Params *type, const Params *disposition)
{
    const char *given = params_find(disposition, "filename");

    if (!given)
        given = params_find(type, "name");
    char *name = given ? filename_clean(given) : NULL;
    if (!name)
        name = filename_make_up(list->parts->len, part->content_type);
    part->attachment = given || strcmp(disposition->value, "attachment") == 0 ||
                       g_str_has_prefix(part->content_type, "message/");
    part->filename = part->attachment ? unique_name(list, name) : name;
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

void
partlist_add(PartList *list, const Leaf *leaf)
{
    g_autoptr(Params) type = params_parse(leaf->type);
    g_autoptr(Params) disposition = params_parse(leaf->disposition);
    const char *charset = params_find(type, "charset");
    Encoding encoding = read_encoding(leaf->encoding);
    MsgPart *part = g_new0(MsgPart, 1);

    g_ptr_array_add(list->parts, part);
    note_params(list, type);
    note_params(list, disposition);
    part->content_type = clean_type(type->value);
    part->charset = g_strdup(charset ? charset : "");
    set_name(list, part, type, disposition);
    TextKind kind = part->attachment ? TEXT_NOT : text_kind(part->content_type);
    if (kind == TEXT_NOT) {
        decode_attachment(list, part, encoding, leaf);
        return;
    }
    g_array_append_val(list->pending, ((Pending){.part = part,
                                                 .data = leaf->data,
                                                 .len = leaf->len,
                                                 .encoding = encoding,
                                                 .kind = kind,
                                                 .group = leaf->group,
                                                 .flowed = param_is(type, "format", "flowed"),
                                                 .delsp = param_is(type, "delsp", "yes")}));
}

/* ---- the text ---- */

static bool
is_blank(const char *text)
{
    while (g_ascii_isspace(*text) || strncmp(text, "\xC2\xA0", 2) == 0)
        text++;
    return *text == '\0';
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
    char *text = charset_decode(p->part->charset, bytes, len, max, &bad, &cut);
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
    /* Markup is most of the bytes; 16 times the text is more than any honest page has. */
    g_autofree char *html = decode_text(list, p, max * 16);
    char *text = htmltext_read(html, max, &cut, &hidden);

    if (cut)
        list->flags |= MSG_TEXT_CUT;
    if (hidden)
        list->flags |= MSG_INVISIBLE;
    list->flags |= MSG_HTML_ONLY;
    return text;
}

/* Appends what is more than white space. */
static void
add_text(PartList *list, GString *all, const Pending *p, char *text)
{
    if (bodytext_strip_invisible(text))
        list->flags |= MSG_INVISIBLE;
    p->part->text = !is_blank(text);
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
 * model does. */
static void
compare_twin(PartList *list, const Pending *p, const char *plain)
{
    Leaf leaf = {.data = p->data, .len = p->len};
    bool cut = false, hidden = false;
    unsigned unshown = (MSG_BAD_CHARSET | MSG_TEXT_CUT) & ~list->flags;

    if (!plain) {
        decode_attachment(list, p->part, p->encoding, &leaf);
        return;
    }
    g_autofree char *html = decode_text(list, p, TWIN_TEXT * 16);
    list->flags &= ~unshown;
    g_autofree char *text = htmltext_read(html, TWIN_TEXT, &cut, &hidden);
    g_autofree char *beginning = g_strndup(plain, TWIN_TEXT);
    if (!bodytext_same(beginning, text))
        list->flags |= MSG_ALT_MISMATCH;
}

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
        if (p->kind == TEXT_HTML && (room == 0 || plain)) {
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

static void
cut_text(char *text, size_t max, unsigned *flags)
{
    if (strlen(text) <= max)
        return;
    while (max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80)
        max--;
    text[max] = '\0';
    *flags |= MSG_TEXT_CUT;
}

void
partlist_finish(PartList *list, Message *m)
{
    m->text = read_texts(list);
    cut_text(m->text, list->max_text, &list->flags);
    m->parts = g_steal_pointer(&list->parts);
    m->flags |= list->flags;
}
