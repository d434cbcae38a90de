#include "mail/mime/encword.h"

#include "mail/mime/base64.h"
#include "mail/mime/charset.h"

#define CHARSET_MAX 40

typedef struct Word {
    char charset[CHARSET_MAX + 1];
    char encoding; /* 'B' or 'Q' */
    const char *text, *text_end;
    const char *next; /* behind "?=" */
} Word;

/* Reads the encoded word that begins at p. Its text ends at the first "?", so that looking
 * further never begins anew: the whole decoder stays linear. */
static bool
read_word(const char *p, Word *ret)
{
    if (p[0] != '=' || p[1] != '?')
        return false;
    const char *charset = p + 2;
    size_t n = strcspn(charset, "?*= \t\"");
    if (n == 0 || n > CHARSET_MAX)
        return false;
    p = charset + n;
    if (*p == '*') /* RFC 2231 puts a language here */
        p += strcspn(p, "? ");
    if (p[0] != '?' || p[1] == '\0' || !strchr("BbQq", p[1]) || p[2] != '?')
        return false;
    ret->text = p + 3;
    ret->text_end = ret->text + strcspn(ret->text, "?");
    if (ret->text_end[0] != '?' || ret->text_end[1] != '=')
        return false;
    memcpy(ret->charset, charset, n);
    ret->charset[n] = '\0';
    ret->encoding = g_ascii_toupper(p[1]);
    ret->next = ret->text_end + 2;
    return true;
}

/* Neighbours of one charset are collected as bytes and converted together. */
typedef struct Pending {
    char charset[CHARSET_MAX + 1];
    GByteArray *bytes;
    bool bad;
} Pending;

static void
flush(Pending *pend, GString *out)
{
    if (pend->bytes->len == 0)
        return;
    g_autofree char *text =
        charset_decode(pend->charset, pend->bytes->data, pend->bytes->len, 0, &pend->bad, NULL);
    g_string_append(out, text);
    g_byte_array_set_size(pend->bytes, 0);
}

static void
collect(Pending *pend, const Word *w, GString *out)
{
    size_t len = (size_t)(w->text_end - w->text);
    bool damaged = false;

    if (g_ascii_strcasecmp(pend->charset, w->charset) != 0) {
        flush(pend, out);
        g_strlcpy(pend->charset, w->charset, sizeof pend->charset);
    }
    unsigned old = pend->bytes->len;
    g_byte_array_set_size(pend->bytes, old + (unsigned)(len + 3));
    uint8_t *to = pend->bytes->data + old;
    size_t n = w->encoding == 'B' ? base64_decode(w->text, len, to, &damaged)
                                  : qp_decode_word(w->text, len, to, &damaged);
    g_byte_array_set_size(pend->bytes, old + (unsigned)n);
}

static void
decode_into(const char *p, Pending *pend, GString *out)
{
    Word w;

    while (*p) {
        if (read_word(p, &w)) {
            collect(pend, &w, out);
            /* White space between two words is no text. */
            const char *gap = w.next + strspn(w.next, " \t");
            p = gap > w.next && gap[0] == '=' && gap[1] == '?' && read_word(gap, &w) ? gap
                                                                                     : w.next;
            continue;
        }
        flush(pend, out);
        size_t plain = 1 + strcspn(p + 1, "=");
        g_string_append_len(out, p, (gssize)plain);
        p += plain;
    }
    flush(pend, out);
}

/* Decoded text may hold anything; a header is one line. */
static void
tidy(GString *s)
{
    for (size_t i = 0; i < s->len; i++)
        if ((unsigned char)s->str[i] < 32 || s->str[i] == 127)
            s->str[i] = ' ';
    size_t front = strspn(s->str, " "), end = s->len;
    while (end > front && s->str[end - 1] == ' ')
        end--;
    g_string_truncate(s, end);
    g_string_erase(s, 0, (gssize)front);
}

char *
encword_decode(const char *value, bool *bad)
{
    GString *out = g_string_sized_new(strlen(value));

    if (strstr(value, "=?")) {
        Pending pend = {.bytes = g_byte_array_new()};
        decode_into(value, &pend, out);
        g_byte_array_unref(pend.bytes);
        if (bad)
            *bad |= pend.bad;
    } else {
        g_string_append(out, value);
    }
    tidy(out);
    return g_string_free(out, FALSE);
}

char *
encword_escape(const char *value, size_t len)
{
    g_autofree char *in = g_malloc(len + 1);
    GString *out = g_string_sized_new(len);
    Word w = {.text_end = in};
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        if (value[i])
            in[n++] = value[i];
    in[n] = '\0';
    for (const char *p = in; *p; p++) {
        if (p >= w.text_end)
            (void)read_word(p, &w);
        if (p < w.text_end && w.encoding == 'Q' && (unsigned char)*p >= 0x80)
            g_string_append_printf(out, "=%02X", (unsigned char)*p);
        else
            g_string_append_c(out, *p);
    }
    return g_string_free(out, FALSE);
}
