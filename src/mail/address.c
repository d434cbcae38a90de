/* Reads the list in one pass, one byte at a time, with the state of the entry that is being
 * read. Quotes, comments and angle brackets are honoured while looking for the separators, so a
 * comma in a name separates nothing. An addr-spec comes from angle brackets, or from an entry
 * that is nothing but an addr-spec; never from a name, a comment or an encoded word. */
#include "mail/address.h"

#include "base/limits.h"
#include "mail/mime/encode.h"
#include "mail/mime/encword.h"

Address *
address_new(const char *name, const char *spec)
{
    Address *a = g_new(Address, 1);

    a->name = g_strdup(name ? name : "");
    a->spec = g_strdup(spec);
    return a;
}

Address *
address_copy(const Address *a)
{
    return address_new(a->name, a->spec);
}

void
address_free(Address *a)
{
    if (!a)
        return;
    free_all(a->name, a->spec, a);
}

/* Atom characters of RFC 5322, and all of UTF-8 as RFC 6532 has it. */
static bool
is_atext(char c)
{
    return g_ascii_isalnum(c) || (unsigned char)c >= 0x80 ||
           (c != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

static bool
is_dot_atom(const char *p, size_t len)
{
    if (len == 0 || p[0] == '.' || p[len - 1] == '.')
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_atext(p[i]) && (p[i] != '.' || p[i + 1] == '.'))
            return false;
    return true;
}

static bool
is_quoted(const char *p, size_t len)
{
    if (len < 3 || p[0] != '"' || p[len - 1] != '"')
        return false;
    for (size_t i = 1; i < len - 1; i++) {
        if ((unsigned char)p[i] <= 32 || p[i] == 127 || strchr("\"<>", p[i]))
            return false;
        if (p[i] == '\\' && (++i == len - 1 || (unsigned char)p[i] < 33 || strchr("<>", p[i])))
            return false;
    }
    return true;
}

static bool
is_literal(const char *domain, size_t len)
{
    if (len < 3 || domain[0] != '[' || domain[len - 1] != ']')
        return false;
    for (size_t i = 1; i < len - 1; i++)
        if (!g_ascii_isxdigit(domain[i]) && !strchr(".:ipv", g_ascii_tolower(domain[i])))
            return false;
    return true;
}

static bool
is_domain(const char *p, size_t len)
{
    if (len == 0 || len > LIMIT_ADDR_DOMAIN)
        return false;
    if (is_literal(p, len))
        return true;
    for (size_t i = 0; i < len; i++) {
        bool edge = i == 0 || p[i - 1] == '.' || i + 1 == len || p[i + 1] == '.';
        if (p[i] == '.' ? edge && (i == 0 || i + 1 == len || p[i - 1] == '.')
                        : !g_ascii_isalnum(p[i]) && (unsigned char)p[i] < 0x80 &&
                              (edge || !strchr("-_", p[i])))
            return false;
    }
    return true;
}

bool
address_spec_valid(const char *spec)
{
    const char *at = strrchr(spec, '@');

    if (!at || !g_utf8_validate(spec, -1, NULL))
        return false;
    size_t local = (size_t)(at - spec);
    return local <= LIMIT_ADDR_LOCAL && (is_dot_atom(spec, local) || is_quoted(spec, local)) &&
           is_domain(at + 1, strlen(at + 1));
}

char *
address_normalise(const char *spec)
{
    if (!address_spec_valid(spec))
        return NULL;
    char *copy = g_strdup(spec);
    for (char *c = strrchr(copy, '@'); *c; c++)
        *c = g_ascii_tolower(*c);
    return copy;
}

static bool
is_equal(const char *a, const char *b, bool any_case)
{
    const char *at_a = strrchr(a, '@'), *at_b = strrchr(b, '@');

    if (!at_a || !at_b || at_a - a != at_b - b ||
        (any_case ? g_ascii_strncasecmp : strncmp)(a, b, (size_t)(at_a - a)) != 0)
        return false;
    if (g_ascii_strcasecmp(at_a, at_b) == 0)
        return true;
    if (!g_hostname_is_non_ascii(at_a + 1) && !g_hostname_is_non_ascii(at_b + 1))
        return false;
    g_autofree char *host_a = g_hostname_to_ascii(at_a + 1);
    g_autofree char *host_b = g_hostname_to_ascii(at_b + 1);
    return host_a && host_b && g_ascii_strcasecmp(host_a, host_b) == 0;
}

bool
address_equal(const char *a, const char *b)
{
    return is_equal(a, b, false);
}

bool
address_in(const GPtrArray *specs, const char *spec)
{
    LIST_EACH(const char, one, specs)
        if (address_equal(one, spec))
            return true;
    return false;
}

bool
address_is_ours(const char *spec, const char *ours)
{
    return is_equal(spec, ours, true);
}

void
address_split_tag(const char *spec, char **ret_base, char **ret_tag)
{
    const char *at = strrchr(spec, '@'), *plus = strchr(spec, '+');

    if (!at || !plus || plus > at || plus == spec) {
        *ret_base = g_strdup(spec);
        *ret_tag = NULL;
        return;
    }
    *ret_base = g_strdup_printf("%.*s%s", (int)(plus - spec), spec, at);
    *ret_tag = g_strndup(plus + 1, (size_t)(at - plus - 1));
}

/* A phrase: quoted where a character needs it. */
static char *
format_name(const char *name)
{
    bool plain = true;
    g_autofree char *encoded = encode_phrase(name);

    if (strcmp(encoded, name) != 0)
        return g_steal_pointer(&encoded);
    for (const char *c = name; *c; c++)
        plain = plain && (is_atext(*c) || *c == ' ');
    if (plain)
        return g_steal_pointer(&encoded);
    g_autofree char *escaped = text_escape(name);
    return g_strdup_printf("\"%s\"", escaped);
}

char *
address_format(const char *name, const char *spec)
{
    if (!name || name[0] == '\0')
        return g_strdup(spec);
    g_autofree char *phrase = format_name(name);
    return g_strdup_printf("%s <%s>", phrase, spec);
}

char *
address_show(const char *name, const char *spec)
{
    return name && *name ? g_strdup_printf("%s <%s>", name, spec) : g_strdup(spec);
}

char *
address_show_list(const Addresses *list)
{
    GString *all = g_string_new(NULL);

    for (guint i = 0; i < list->len; i++) {
        const Address *a = g_ptr_array_index(list, i);
        g_autofree char *one = address_show(a->name, a->spec);
        g_string_append_printf(all, "%s%s", i ? ", " : "", one);
    }
    return g_string_free(all, FALSE);
}

bool
address_is_machine(const char *spec)
{
    static const char *const whole[] = {
        "mailer-daemon", "postmaster",   "no-reply", "noreply",   "no_reply",
        "donotreply",    "do-not-reply", "listserv", "majordomo", NULL};
    const char *at = strrchr(spec, '@');
    g_autofree char *local = g_ascii_strdown(spec, at ? at - spec : -1);
    char *plus = strchr(local, '+');

    if (g_str_has_prefix(local, "owner-") || g_str_has_prefix(local, "bounce") ||
        g_str_has_suffix(local, "-request") || g_str_has_suffix(local, "-bounces") ||
        g_str_has_suffix(local, "-owner"))
        return true;
    if (plus)
        *plus = '\0';
    return g_strv_contains(whole, local) || g_str_has_suffix(local, "-noreply") ||
           g_str_has_suffix(local, "-no-reply");
}

/* An entry of a list while it is read. */
typedef struct Entry {
    GString *phrase; /* everything outside angle brackets and comments, unquoted */
    GString *bare;   /* the same with its quotes: a bare addr-spec? */
    GString *angle;  /* inside angle brackets */
    bool has_angle;
    bool literal; /* between the brackets of a domain literal */
} Entry;

static void
entry_reset(Entry *e)
{
    g_string_truncate(e->phrase, 0);
    g_string_truncate(e->bare, 0);
    g_string_truncate(e->angle, 0);
    e->has_angle = e->literal = false;
}

/* "<@relay,@relay:local@domain>": the route of RFC 822 says nothing today. */
static const char *
skip_route(const char *angle)
{
    const char *colon = angle[0] == '@' ? strchr(angle, ':') : NULL;

    return colon ? colon + 1 : angle;
}

static void
entry_finish(Entry *e, Addresses *list)
{
    GString *text = e->has_angle ? e->angle : e->bare;

    if (text->len > 0 && text->str[text->len - 1] == ' ')
        g_string_truncate(text, text->len - 1);
    g_autofree char *spec =
        list->len < LIMIT_ADDRESSES ? address_normalise(skip_route(text->str)) : NULL;

    if (spec) {
        g_autofree char *name = encword_decode(e->has_angle ? e->phrase->str : "", NULL);
        addresses_add(list, address_new(name, spec));
    }
    entry_reset(e);
}

/* Steps over "(…)" with nesting. Depth is a number, not recursion. */
static const char *
skip_comment(const char *p)
{
    unsigned depth = 1;

    for (p++; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '(')
            depth++;
        else if (*p == ')' && --depth == 0)
            return p + 1;
    }
    return p;
}

/* Reads a quoted string; raw keeps it as it stands, text without quotes and backslashes. */
static const char *
read_quoted(const char *p, GString *raw, GString *text)
{
    g_string_append_c(raw, '"');
    for (p++; *p && *p != '"'; p++) {
        if (*p == '\\' && p[1])
            g_string_append_c(raw, *p++);
        g_string_append_c(raw, *p);
        if (text)
            g_string_append_c(text, *p);
    }
    g_string_append_c(raw, '"');
    return *p ? p + 1 : p;
}

/*
 * A character of what may be an addr-spec. White space around "." and "@" is allowed there and
 * means nothing; anywhere else it stays, and makes the text no addr-spec: two words never grow
 * together into an address.
 */
static void
add_spec(GString *spec, char c)
{
    char last = spec->len > 0 ? spec->str[spec->len - 1] : '.';

    if (c == '\t')
        c = ' ';
    if (c == ' ' && (last == '.' || last == '@' || last == ' '))
        return;
    if ((c == '.' || c == '@') && last == ' ')
        g_string_truncate(spec, spec->len - 1);
    g_string_append_c(spec, c);
}

static const char *
read_angle(const char *p, Entry *e)
{
    /* A second pair of brackets makes an entry that nobody should believe. */
    if (e->has_angle)
        g_string_append(e->angle, "<>");
    e->has_angle = true;
    for (p++; *p && *p != '>';) {
        if (*p == '"') {
            p = read_quoted(p, e->angle, NULL);
        } else if (*p == '(') {
            p = skip_comment(p);
        } else {
            add_spec(e->angle, *p++);
        }
    }
    return *p ? p + 1 : p;
}

static void
add_plain(Entry *e, char c)
{
    g_string_append_c(e->phrase, c);
    add_spec(e->bare, c);
    if (c == '[' || c == ']')
        e->literal = c == '[';
}

static void
read_list(const char *p, Entry *e, Addresses *list)
{
    while (*p) {
        if (*p == '"') {
            p = read_quoted(p, e->bare, e->phrase);
        } else if (*p == '(') {
            p = skip_comment(p);
        } else if (*p == '<') {
            p = read_angle(p, e);
        } else if (*p == ',' || *p == ';') {
            entry_finish(e, list);
            p++;
        } else if (*p == ':' && !e->has_angle && !e->literal) {
            entry_reset(e); /* that was the name of a group */
            p++;
        } else {
            add_plain(e, *p++);
        }
    }
    entry_finish(e, list);
}

Addresses *
address_parse_list(const char *header)
{
    Addresses *list = addresses_new();
    Entry e = {
        .phrase = g_string_new(NULL), .bare = g_string_new(NULL), .angle = g_string_new(NULL)};

    read_list(header, &e, list);
    g_string_free(e.phrase, TRUE);
    g_string_free(e.bare, TRUE);
    g_string_free(e.angle, TRUE);
    return list;
}
