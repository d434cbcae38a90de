#include "mail/bodytext.h"

#include "base/banned.h"
#include <glib.h>

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
