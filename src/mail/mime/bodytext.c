#include "mail/mime/bodytext.h"

void
bodytext_lines(char *text)
{
    char *in = strchr(text, '\r'), *out = in;

    if (!in)
        return;
    while (*in) {
        if (in[0] == '\r' && in[1] == '\n')
            in++;
        *out++ = *in == '\r' ? '\n' : *in;
        in++;
    }
    *out = '\0';
}

typedef struct Range {
    gunichar first, last;
    bool honest; /* has a use in ordinary text */
} Range;

/* In order. */
static const Range invisible[] = {
    {0x00AD, 0x00AD, true},    /* soft hyphen */
    {0x034F, 0x034F, false},   /* grapheme joiner */
    {0x061C, 0x061C, false},   /* Arabic letter mark */
    {0x115F, 0x1160, false},   /* Hangul fillers */
    {0x17B4, 0x17B5, false},   /* Khmer inherent vowels */
    {0x180B, 0x180E, false},   /* Mongolian selectors */
    {0x200B, 0x200B, false},   /* zero width space */
    {0x200C, 0x200D, true},    /* joiners */
    {0x200E, 0x200F, false},   /* marks of direction */
    {0x202A, 0x202E, false},   /* embeddings and overrides */
    {0x2060, 0x206F, false},   /* word joiner, invisible operators, isolates */
    {0x3164, 0x3164, false},   /* Hangul filler */
    {0xE000, 0xF8FF, false},   /* private use */
    {0xFE00, 0xFE0D, false},   /* variation selectors */
    {0xFE0E, 0xFE0F, true},    /* text or emoji */
    {0xFEFF, 0xFEFF, true},    /* BOM */
    {0xFFA0, 0xFFA0, false},   /* half width Hangul filler */
    {0xFFF9, 0xFFFB, false},   /* annotations */
    {0x1D173, 0x1D17A, false}, /* musical controls */
    {0xE0000, 0xE0FFF, false}, /* tags, more selectors */
    {0xF0000, 0x10FFFF, false} /* private planes */
};

static const Range *
find_invisible(gunichar c)
{
    for (size_t i = 0; i < G_N_ELEMENTS(invisible) && invisible[i].first <= c; i++)
        if (c <= invisible[i].last)
            return &invisible[i];
    return NULL;
}

/* First bytes of the characters in the table: most letters are done with after one look. */
static bool
may_be_invisible(unsigned char lead)
{
    return lead == 0xC2 || lead == 0xCD || lead == 0xD8 || (lead >= 0xE1 && lead <= 0xE3) ||
           lead >= 0xEE;
}

static const Range *
look(const char *p)
{
    return may_be_invisible((unsigned char)*p) ? find_invisible(g_utf8_get_char(p)) : NULL;
}

bool
bodytext_strip_invisible(char *text)
{
    bool found = false;
    char *out = text;

    while (*out && ((unsigned char)*out < 0x80 || !look(out)))
        out++;
    for (const char *p = out; *p;) {
        const Range *r = look(p);
        if (r) {
            found |= !r->honest;
            p = g_utf8_next_char(p);
        } else {
            *out++ = *p++;
        }
    }
    *out = '\0';
    return found;
}

/* Begins an output line of this quote depth. */
static void
open_line(GString *out, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        g_string_append_c(out, '>');
    if (depth > 0)
        g_string_append_c(out, ' ');
}

char *
bodytext_unflow(const char *text, bool delsp)
{
    GString *out = g_string_sized_new(strlen(text));
    bool open = false; /* the line before ended softly */
    unsigned depth = 0;

    while (*text) {
        const char *end = text + strcspn(text, "\n"), *p = text;
        unsigned d = (unsigned)strspn(p, ">");
        p += d;
        if (*p == ' ')
            p++;
        size_t len = (size_t)(end - p);
        bool signature = len == 3 && memcmp(p, "-- ", 3) == 0;
        bool soft = len > 0 && p[len - 1] == ' ' && !signature;
        if (open && (d != depth || signature)) {
            g_string_append_c(out, '\n');
            open = false;
        }
        if (!open)
            open_line(out, d);
        g_string_append_len(out, p, (gssize)(len - (soft && delsp ? 1 : 0)));
        if (!soft && *end)
            g_string_append_c(out, '\n');
        open = soft;
        depth = d;
        text = *end ? end + 1 : end;
    }
    if (open)
        g_string_append_c(out, '\n');
    return g_string_free(out, FALSE);
}

/* ---- comparing ---- */

#define WORD_BITS 16
#define WORDS_SAID 8u /* fewer words say nothing */

/* The words of a text as bits; two that share one are rare enough. */
typedef struct Words {
    uint8_t seen[(1u << WORD_BITS) / 8];
} Words;

/* The next word of three letters or more, as a number; -1: no more. Addresses of pages are no
 * words: HTML does not show them. */
static int
next_word(const char **text)
{
    const char *p = *text;
    uint32_t hash = 0;

    for (size_t len = 0;; p++) {
        bool letter = g_ascii_isalnum(*p) || (*p & 0x80);
        if (letter) {
            hash = (hash ^ (uint8_t)g_ascii_tolower(*p)) * 16777619u + 11u;
            len++;
            continue;
        }
        if (strncmp(p, "://", 3) == 0) {
            p += strcspn(p, " \n\t<>\"");
            len = 0;
        }
        if (len >= 3 || *p == '\0') {
            *text = *p ? p + 1 : p;
            return len >= 3 ? (int)((hash ^ hash >> WORD_BITS) & ((1u << WORD_BITS) - 1)) : -1;
        }
        hash = 0;
        len = 0;
    }
}

/* True when at most half of the text is missing from these words. */
static bool
mostly_in(const Words *words, const char *text)
{
    unsigned n = 0, missing = 0;
    int word;

    while ((word = next_word(&text)) >= 0) {
        n++;
        missing += !(words->seen[word / 8] & 1u << word % 8);
    }
    return n < WORDS_SAID || missing * 2 <= n;
}

static void
read_words(const char *text, Words *ret)
{
    int word;

    *ret = (Words){0};
    while ((word = next_word(&text)) >= 0)
        ret->seen[word / 8] |= (uint8_t)(1u << word % 8);
}

bool
bodytext_same(const char *a, const char *b)
{
    Words words;

    read_words(a, &words);
    if (!mostly_in(&words, b))
        return false;
    read_words(b, &words);
    return mostly_in(&words, a);
}

/* ---- is it text? ---- */

bool
bodytext_has_controls(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if ((c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 0x7F)
            return true;
    }
    return false;
}

/* U+0080 to U+009F, in UTF-8. */
static bool
has_c1(const char *bytes, size_t len)
{
    const char *end = bytes + len, *p = bytes;

    while (p + 1 < end && (p = memchr(p, 0xC2, (size_t)(end - p - 1)))) {
        if ((unsigned char)p[1] < 0xA0)
            return true;
        p++;
    }
    return false;
}

bool
bodytext_is_plain(const char *bytes, size_t len)
{
    return !bodytext_has_controls(bytes, len) &&
           (len == 0 || g_utf8_validate(bytes, (gssize)len, NULL)) && !has_c1(bytes, len);
}
