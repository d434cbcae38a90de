/* A Message-ID is read generously (people type them, programs get them wrong), but the result
 * is safe to write into a header: no white space, no control characters, no angle brackets, one
 * "@" at least, valid UTF-8, bounded. */
#include "mail/msgid.h"

#include "base/limits.h"

#define TAG_OWN 13   /* proves generation and number: what can be checked without the bytes */
#define TAG_BYTES 26 /* 130 bits over the bytes */
#define TAG_LEN (TAG_OWN + TAG_BYTES)
#define WHEN_LEN 14 /* of the time in the id of an event */

/*
 * A quoted left side that needs no quotes loses them: <"x"@h> is <x@h>. Returns what follows
 * it; p itself when it stays as it is.
 */
static const char *
read_quoted_left(const char *p, const char *end, GString *out)
{
    g_autoptr(GString) inner = g_string_new(NULL);
    const char *q = p + 1;

    for (; q < end && *q != '"'; q++) {
        if (*q == '\\' && q + 1 < end)
            q++;
        if ((unsigned char)*q < 33 || strchr("()[]:;@\\,\"<>", *q))
            return p;
        g_string_append_c(inner, *q);
    }
    if (inner->len == 0 || end - q < 2 || q[1] != '@')
        return p;
    g_string_append_len(out, inner->str, (gssize)inner->len);
    return q + 1;
}

static bool
is_id(const GString *id)
{
    const char *at = strrchr(id->str, '@');

    if (!at || at == id->str || at[1] == '\0' || id->len > LIMIT_MSGID)
        return false;
    for (const char *c = id->str; *c; c++)
        if ((unsigned char)*c <= 32 || *c == 127 || *c == '<' || *c == '>')
            return false;
    return g_utf8_validate(id->str, (gssize)id->len, NULL);
}

/* The normalised id of the text between the brackets; NULL when it is none. */
static char *
normalise(const char *p, const char *end)
{
    while (p < end && g_ascii_isspace(*p))
        p++;
    while (end > p && g_ascii_isspace(end[-1]))
        end--;
    if (p == end || (size_t)(end - p) > LIMIT_MSGID)
        return NULL;
    GString *id = g_string_sized_new((size_t)(end - p));
    if (*p == '"')
        p = read_quoted_left(p, end, id);
    g_string_append_len(id, p, end - p);
    if (is_id(id))
        return g_string_free(id, FALSE);
    g_string_free(id, TRUE);
    return NULL;
}

/* The next "<…>" from *p on; false at the end. Of "<a <b@c>" it is the inner one. */
static bool
next_bracketed(const char **p, const char **ret_start, const char **ret_end)
{
    const char *open = strchr(*p, '<');

    while (open) {
        const char *close = open + 1 + strcspn(open + 1, "<>");
        if (*close == '\0')
            return false;
        if (*close == '>') {
            *ret_start = open + 1;
            *ret_end = close;
            *p = close + 1;
            return true;
        }
        open = close;
    }
    return false;
}

GPtrArray *
msgid_parse_list(const char *header, unsigned max)
{
    GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    const char *start, *end;

    while (ids->len < max && next_bracketed(&header, &start, &end)) {
        g_autofree char *id = normalise(start, end);
        if (!id || g_hash_table_contains(seen, id))
            continue;
        g_hash_table_add(seen, id);
        g_ptr_array_add(ids, g_steal_pointer(&id));
    }
    return ids;
}

char *
msgid_parse(const char *text)
{
    const char *start, *end;

    if (!strpbrk(text, "<>"))
        return normalise(text, text + strlen(text));
    while (next_bracketed(&text, &start, &end)) {
        char *id = normalise(start, end);
        if (id)
            return id;
    }
    return NULL;
}

char *
msgid_format(const char *id)
{
    return g_strdup_printf("<%s>", id);
}

/* The sub-key of each kind, for key_mac(): "message-id 1 " and the name. */
#define USE "message-id 1"
#define NAME_AT (sizeof USE)
static const char *const uses[] = {
    [MAIL_ANSWER] = USE " answer",     [MAIL_INTERIM] = USE " interim",
    [MAIL_ACK] = USE " ack",           [MAIL_PROGRESS] = USE " progress",
    [MAIL_QUESTION] = USE " question", [MAIL_NOTICE] = USE " notice",
    [MAIL_ORDER] = USE " order",       [MAIL_CHECKPOINT] = USE " checkpoint",
    [MAIL_LETTER] = USE " letter",     [MAIL_EVENT] = USE " event",
    [MAIL_FAILURE] = USE " failure",   [MAIL_UNSAID] = USE,
};
_Static_assert(G_N_ELEMENTS(uses) == MAIL_N_KINDS, "every kind has a sub-key");

const char *
mail_kind_name(MailKind kind)
{
    return kind == MAIL_UNSAID ? "unsaid" : uses[kind] + NAME_AT;
}

/* The tag that proves kind, generation and number under one key; caller frees. */
static char *
own_tag(const Key *key, MailKind kind, const char *stem, const char *domain)
{
    g_autofree char *data = g_strdup_printf("%s@%s", stem, domain);
    Digest mac;

    key_mac(key, uses[kind], data, strlen(data), &mac);
    return digest_token(&mac, TAG_OWN);
}

/* Both parts of the tag over a stem and what stands behind "@"; caller frees. */
static char *
whole_tag(const Key *key,
          MailKind kind,
          const char *stem,
          const char *host,
          const void *bytes,
          size_t len)
{
    g_autofree char *own = own_tag(key, kind, stem, host);
    Digest content, mac;

    digest_of(bytes, len, &content);
    g_autofree char *hex = digest_hex(&content);
    g_autofree char *data = g_strdup_printf("%s@%s %s", stem, host, hex);
    key_mac(key, uses[kind], data, strlen(data), &mac);
    g_autofree char *tag = digest_token(&mac, TAG_BYTES);
    return g_strconcat(own, tag, NULL);
}

char *
msgid_mint(const Key *key,
           MailKind kind,
           uint64_t generation,
           int64_t number,
           const void *bytes,
           size_t len,
           const char *domain)
{
    g_autofree char *stem =
        g_strdup_printf("%" G_GUINT64_FORMAT ".%" G_GINT64_FORMAT, generation, number);
    g_autofree char *host = g_ascii_strdown(domain, -1);
    g_autofree char *tag = whole_tag(key, kind, stem, host, bytes, len);
    return g_strdup_printf("%s.%s@%s", stem, tag, host);
}

char *
msgid_mint_event(const Key *key,
                 int64_t at_us,
                 const char *role,
                 uint64_t generation,
                 int64_t number,
                 const void *bytes,
                 size_t len,
                 const char *domain)
{
    g_autoptr(GDateTime) at = g_date_time_new_from_unix_utc(at_us / G_USEC_PER_SEC);
    g_autofree char *when = g_date_time_format(at, "%Y%m%d%H%M%S");
    g_autofree char *stem = g_strdup_printf("%s.%" G_GUINT64_FORMAT ".%" G_GINT64_FORMAT, when,
                                            generation, number);
    g_autofree char *host = g_ascii_strdown(domain, -1);
    g_autofree char *behind = g_strdup_printf("%s@%s", role, host);
    g_autofree char *tag = whole_tag(key, MAIL_EVENT, stem, behind, bytes, len);
    return g_strdup_printf("%s.%s.%s", stem, tag, behind);
}

/* Same length, every byte looked at. */
static bool
same_tag(const char *a, const char *b, size_t len)
{
    unsigned diff = 0;

    for (size_t i = 0; i < len; i++)
        diff |= (unsigned char)a[i] ^ (unsigned char)b[i];
    return diff == 0;
}

/* "12" and nothing else; "012" is another id. */
static bool
read_number(const char *p, const char *end, uint64_t *ret)
{
    g_autofree char *digits = g_strndup(p, (size_t)(end - p));

    return !(digits[0] == '0' && digits[1]) &&
           g_ascii_string_to_unsigned(digits, 10, 0, G_MAXUINT64, ret, NULL);
}

/* An id that may be one of ours, taken apart. */
typedef struct Parts {
    uint64_t generation, number;
    const char *tag;     /* borrowed */
    char *stem, *behind; /* what stands in front of the tag, and behind "@" */
    bool event;          /* it has the form of an event, else that of any other mail */
} Parts;

static void
parts_clear(Parts *p)
{
    free_all(p->stem, p->behind);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Parts, parts_clear)

/* generation.number.tag, and behind them @domain or, of an event, .role@domain. */
static bool
parts_read(const char *id, const char *domain, Parts *ret)
{
    const char *at = strrchr(id, '@');
    const char *start = strspn(id, "0123456789") == WHEN_LEN && id[WHEN_LEN] == '.'
                            ? id + WHEN_LEN + 1
                            : id;
    const char *dot = strchr(start, '.'), *second = dot ? strchr(dot + 1, '.') : NULL;

    if (!at || !second || at - second < 1 + TAG_LEN || g_ascii_strcasecmp(at + 1, domain) != 0 ||
        !read_number(start, dot, &ret->generation) ||
        !read_number(dot + 1, second, &ret->number) || ret->number > INT64_MAX)
        return false;
    const char *end = second + 1 + TAG_LEN;
    ret->event = start != id;
    if (ret->event ? *end != '.' || end + 1 == at : end != at)
        return false;
    g_autofree char *behind = g_ascii_strdown(ret->event ? end + 1 : at + 1, -1);
    ret->tag = second + 1;
    ret->stem = g_strndup(id, (size_t)(second - id));
    ret->behind = g_steal_pointer(&behind);
    return true;
}

/* The kind whose tag this is, under one key; MAIL_N_KINDS: it is none. */
static MailKind
kind_of_tag(const Key *key, const Parts *p)
{
    MailKind kind = 0;

    for (; kind < MAIL_N_KINDS; kind++) {
        g_autofree char *own = own_tag(key, kind, p->stem, p->behind);
        if ((!p->event || kind == MAIL_EVENT) && same_tag(own, p->tag, TAG_OWN))
            break;
    }
    return kind;
}

bool
msgid_read(const Key *key, const char *id, const char *domain, Minted *ret)
{
    g_auto(Parts) p = {0};

    if (!parts_read(id, domain, &p))
        return false;
    for (size_t i = 0; i < key->n; i++) {
        Key one = {.n = 1};
        memcpy(one.v[0], key->v[i], KEY_SIZE);
        MailKind kind = kind_of_tag(&one, &p);
        if (kind == MAIL_N_KINDS)
            continue;
        *ret = (Minted){kind, p.generation, (int64_t)p.number};
        return true;
    }
    return false;
}

int
minted_compare(const Minted *a, const Minted *b)
{
    if (a->generation != b->generation)
        return a->generation > b->generation ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

bool
msgid_is_plain(const char *id)
{
    const char *p = id;

    while (*p > ' ' && *p < 0x7f && *p != '<' && *p != '>')
        p++;
    return p > id && *p == '\0' && p - id <= (ptrdiff_t)LIMIT_MSGID_WRITTEN;
}

/* ".invalid" is nobody's domain (RFC 2606). */
bool
msgid_is_writable(const char *id)
{
    return msgid_is_plain(id) && !g_str_has_suffix(id, ".invalid");
}

static void
add_writable(GPtrArray *ids, const char *id)
{
    if (msgid_is_writable(id))
        g_ptr_array_add(ids, g_strdup(id));
}

GPtrArray *
msgid_answer_references(const GPtrArray *parent_refs,
                        const char *parent_in_reply_to,
                        const char *parent_id)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

    for (unsigned i = 0; parent_refs && i < parent_refs->len; i++)
        if (strcmp(parent_refs->pdata[i], parent_id) != 0)
            add_writable(all, parent_refs->pdata[i]);
    if (all->len == 0 && parent_in_reply_to && strcmp(parent_in_reply_to, parent_id) != 0)
        add_writable(all, parent_in_reply_to);
    add_writable(all, parent_id);
    return all;
}
