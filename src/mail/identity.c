#include "mail/identity.h"
#include "mail/mime/header.h"
#include "mail/quote.h"

#define CONTENT "content-"

/* In the order in which they are digested. */
static const char *const names[] = {"from",        "sender",     "reply-to",    "to",
                                    "cc",          "date",       "subject",     "message-id",
                                    "in-reply-to", "references", "mime-version"};

static void
add_collapsed(GString *out, const char *value)
{
    for (const char *c = value; *c; c++) {
        bool blank = *c == ' ' || *c == '\t';
        if (!blank)
            g_string_append_c(out, *c);
        else if (out->str[out->len - 1] != ' ')
            g_string_append_c(out, ' ');
    }
}

/* A value holds no line end, so one field can't be read as two. */
static void
add_named(GString *out, const GPtrArray *headers, const char *name)
{
    LIST_EACH(const MsgHeader, h, headers) {
        if ((h->name[0] | 0x20) != name[0] || g_ascii_strcasecmp(h->name, name) != 0)
            continue;
        g_string_append(out, name);
        g_string_append_c(out, ':');
        add_collapsed(out, h->value);
        g_string_append_c(out, '\n');
    }
}

static void
add_content(GString *out, const GPtrArray *headers)
{
    LIST_EACH(const MsgHeader, h, headers) {
        if (g_ascii_strncasecmp(h->name, CONTENT, strlen(CONTENT)) != 0)
            continue;
        gsize at = out->len;
        g_string_append(out, h->name);
        for (; at < out->len; at++)
            out->str[at] = g_ascii_tolower(out->str[at]);
        g_string_append_printf(out, ":%s\n", h->value);
    }
}

void
identity_of(const GPtrArray *headers, const Digest *body, Digest *ret)
{
    g_autoptr(GString) text = g_string_sized_new(1024);

    for (size_t i = 0; headers && i < G_N_ELEMENTS(names); i++)
        add_named(text, headers, names[i]);
    if (headers)
        add_content(text, headers);
    g_string_append_c(text, '\n');
    g_string_append_len(text, (const char *)body->v, sizeof body->v);
    digest_of(text->str, text->len, ret);
}

void
identity_of_bytes(const void *raw, size_t len, Digest *ret)
{
    HeaderBlock block;
    Digest body;

    header_split(raw, len, NULL, &block);
    g_autoptr(GPtrArray) headers = block.headers;
    header_body_digest((const char *)raw + block.body, len - block.body, &body);
    identity_of(headers, &body, ret);
}

static bool
line_has_begun(const GString *out)
{
    return out->len > 0 && out->str[out->len - 1] != '\n';
}

/* Lines without blank ones, white space as one blank; each line ends in LF. */
static char *
plain_words(const char *text)
{
    g_autofree char *own = quote_own_text(text);
    g_autoptr(GString) out = g_string_sized_new(strlen(own) + 1);
    bool gap = false;

    for (const char *c = own; *c; c++) {
        bool ends = *c == '\r' || *c == '\n';
        bool blank = ends || *c == ' ' || *c == '\t' || *c == '\f' || *c == '\v';
        if ((ends || (gap && !blank)) && line_has_begun(out))
            g_string_append_c(out, ends ? '\n' : ' ');
        if (!blank)
            g_string_append_c(out, *c);
        gap = blank && !ends;
    }
    if (line_has_begun(out))
        g_string_append_c(out, '\n');
    return g_string_free(g_steal_pointer(&out), FALSE);
}

bool
identity_same_words(const char *a, const char *b)
{
    g_autofree char *x = plain_words(a), *y = plain_words(b);

    if (!*x || !*y)
        return *x == *y;
    return g_str_has_prefix(x, y) || g_str_has_prefix(y, x);
}
