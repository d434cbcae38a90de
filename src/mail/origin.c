/*
 * Both sides build the text under the MAC from the same things: the fields as header_split()
 * gives them and the digest of the body. A mailbox, a level and a value hold no line ends, so
 * one line each can't be read as another.
 */
#include "mail/origin.h"

#include "mail/mime/header.h"

#define NAME "X-Postrider-Origin"
#define USE "origin 1"
#define FLOOR " floor="
#define SPACE " space="

const char *const trust_names[TRUST_N] = {
    [TRUST_ANYONE] = "anyone",       [TRUST_KNOWN] = "known",       [TRUST_ROLE] = "role",
    [TRUST_PRINCIPAL] = "principal", [TRUST_OPERATOR] = "operator",
};

const char *
trust_name(Trust t)
{
    return trust_names[t];
}

bool
trust_parse(const char *name, Trust *ret)
{
    for (unsigned t = 0; t < TRUST_N; t++)
        if (strcmp(name, trust_names[t]) == 0) {
            *ret = (Trust)t;
            return true;
        }
    return false;
}

static bool
is_covered(const char *name)
{
    static const char *const names[] = {"Message-ID", "From", "To", "Cc", "Subject"};

    if (g_ascii_strncasecmp(name, "X-", 2) == 0)
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_ascii_strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

void
origin_claim_clear(OriginClaim *o)
{
    g_clear_pointer(&o->space, g_free);
}

/* "role", "role floor=anyone" where the floor is below, and " space=NAME" where there is one;
 * caller frees. */
static char *
format_said(const OriginClaim *o)
{
    bool low = o->floor < o->level;

    return g_strconcat(trust_name(o->level), low ? FLOOR : "",
                       low ? trust_name(o->floor) : "", o->space ? SPACE : "",
                       o->space ? o->space : "", NULL);
}

/* The text under the MAC; own is the origin field itself, which is left out. */
static GString *
covered_text(const GPtrArray *headers,
             const MsgHeader *own,
             const Digest *body,
             const char *said,
             const char *mailbox)
{
    GString *text = g_string_new(NULL);
    g_autofree char *hex = digest_hex(body);

    g_string_append_printf(text, "%s\n%s\n%s\n", said, mailbox, hex);
    LIST_EACH(const MsgHeader, h, headers) {
        if (h == own || !is_covered(h->name))
            continue;
        g_autofree char *name = g_ascii_strdown(h->name, -1);
        g_string_append_printf(text, "%s:%s\n", name, h->value);
    }
    return text;
}

/* Everything in front of the MAC. The address is for people who read the file: "-" where there
 * is none that fits into a word. */
static char *
format_claim(const GPtrArray *headers, const char *said, const char *mailbox)
{
    const char *from = header_find(headers, "From");
    g_autoptr(Addresses) list = address_parse_list(from ? from : "");
    const char *spec = list->len > 0 ? ((Address *)list->pdata[0])->spec : "-";

    return g_strdup_printf("v1 from=%s level=%s to=%s", spec, said, mailbox);
}

char *
origin_line(
    const Key *key, const void *raw, size_t len, const OriginClaim *origin, const char *mailbox)
{
    HeaderBlock block;
    Digest body, mac;

    header_split(raw, len, NULL, &block);
    g_autoptr(GPtrArray) headers = block.headers;
    header_body_digest((const char *)raw + block.body, len - block.body, &body);
    g_autofree char *said = format_said(origin);
    g_autofree char *claim = format_claim(headers, said, mailbox);
    g_autoptr(GString) text = covered_text(headers, NULL, &body, said, mailbox);
    key_mac(key, USE, text->str, text->len, &mac);
    g_autofree char *hex = digest_hex(&mac);
    return g_strdup_printf(NAME ": %s mac=%s\n", claim, hex);
}

static const MsgHeader *
find_own(const GPtrArray *headers)
{
    LIST_EACH(const MsgHeader, h, headers) {
        if (g_ascii_strcasecmp(h->name, NAME) == 0)
            return h;
    }
    return NULL;
}

/* The name of a level that text begins with. */
static bool
read_trust(const char *text, Trust *ret)
{
    g_autofree char *name = g_strndup(text, strcspn(text, " "));
    return trust_parse(name, ret);
}

/* Takes what is claimed and the MAC out of a value; the claim is everything in front of the
 * MAC. */
static bool
read_value(const char *value, char **ret_claim, OriginClaim *ret, Digest *ret_mac)
{
    const char *mac = g_strrstr(value, " mac=");
    const char *level = strstr(value, " level=");

    if (!mac || !level || level > mac || !digest_parse_hex(mac + 5, ret_mac))
        return false;
    level += strlen(" level=");
    if (!read_trust(level, &ret->level))
        return false;
    const char *rest = level + strcspn(level, " ");
    ret->floor = ret->level;
    if (g_str_has_prefix(rest, FLOOR)) {
        rest += strlen(FLOOR);
        if (!read_trust(rest, &ret->floor))
            return false;
        rest += strcspn(rest, " ");
    }
    if (g_str_has_prefix(rest, SPACE)) {
        rest += strlen(SPACE);
        ret->space = g_strndup(rest, strcspn(rest, " "));
    }
    *ret_claim = g_strndup(value, (size_t)(mac - value));
    return true;
}

OriginSeen
origin_check(const Key *key, const Message *m, const char *mailbox, OriginClaim *ret)
{
    const MsgHeader *own = find_own(m->headers);
    g_autofree char *claim = NULL;
    g_auto(OriginClaim) origin = {0};
    Digest mac;

    if (!own)
        return ORIGIN_NONE;
    if (!read_value(own->value, &claim, &origin, &mac))
        return ORIGIN_FORGED;
    g_autofree char *said = format_said(&origin);
    g_autofree char *want = format_claim(m->headers, said, mailbox);
    g_autoptr(GString) text = covered_text(m->headers, own, &m->body, said, mailbox);
    if (strcmp(claim, want) != 0 || !key_verify(key, USE, text->str, text->len, &mac))
        return ORIGIN_FORGED;
    *ret = origin;
    origin.space = NULL;
    return ORIGIN_PROVED;
}
