#include "mail/charset.h"

#include "base/banned.h"
#include "base/text.h"
#include <errno.h>
#include <glib.h>
#include <iconv.h>
#include <stdint.h>

#define REPLACEMENT "\xEF\xBF\xBD"

/* All bytes are ASCII and none is NUL. */
static bool
is_plain(const void *in, size_t len)
{
    const uint8_t *p = in, *end = p + len;
    uint64_t word;

    /* Eight bytes at a time: the first term finds bytes above 127, the second finds NULs. */
    for (; end - p >= 8; p += 8) {
        memcpy(&word, p, 8);
        if ((word | (word - UINT64_C(0x0101010101010101))) & UINT64_C(0x8080808080808080))
            return false;
    }
    for (; p < end; p++)
        if (*p == 0 || *p > 127)
            return false;
    return true;
}

/* Bytes that hold no NUL as a string. */
static char *
copy_text(const void *in, size_t len)
{
    char *text = g_malloc(len + 1);

    if (len > 0)
        memcpy(text, in, len);
    text[len] = '\0';
    return text;
}

/* The upper half of windows-1252 that is not Latin-1; 0 where the code has no character. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178,
};

static char *
from_latin1(const uint8_t *in, size_t len, bool *bad)
{
    GString *out = g_string_sized_new(len + len / 8);

    for (size_t i = 0; i < len; i++) {
        gunichar c = in[i];
        if (c >= 0x80 && c < 0xA0)
            c = windows_1252[c - 0x80];
        if (c == 0 && in[i] != 0) {
            c = 0xFFFD;
            *bad = true;
        }
        if (c < 0x80 && c != 0)
            g_string_append_c(out, (char)c);
        else if (c != 0)
            g_string_append_unichar(out, c);
    }
    return g_string_free(out, FALSE);
}

static char *
from_unknown(const uint8_t *in, size_t len)
{
    GString *out = g_string_sized_new(len);

    for (size_t i = 0; i < len; i++) {
        if (in[i] >= 0x80)
            g_string_append(out, REPLACEMENT);
        else if (in[i] != 0)
            g_string_append_c(out, (char)in[i]);
    }
    return g_string_free(out, FALSE);
}

/* Converts until the input ends or out holds max bytes. */
static void
convert(iconv_t cd, const char *in, size_t len, size_t max, GString *out, bool *bad)
{
    char buf[4096];

    while (len > 0 && (max == 0 || out->len <= max)) {
        char *o = buf;
        size_t room = sizeof buf;
        size_t rc = iconv(cd, (char **)&in, &len, &o, &room);
        int err = errno;
        g_string_append_len(out, buf, o - buf);
        if (rc != (size_t)-1 || err == E2BIG)
            continue;
        g_string_append(out, REPLACEMENT);
        *bad = true;
        in += 1;
        len -= 1;
        if (err == EINVAL) /* cut inside a character: the rest of it is no news */
            break;
    }
}

static char *
from_iconv(const char *charset, const uint8_t *in, size_t len, size_t max, bool *bad)
{
    iconv_t cd = iconv_open("UTF-8", charset);

    if (cd == (iconv_t)-1)
        return NULL;
    g_autoptr(GString) out = g_string_sized_new(len + len / 2);
    convert(cd, (const char *)in, len, max, out, bad);
    iconv_close(cd);
    return text_make_valid(out->str, (gssize)out->len);
}

static bool
is_any_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (g_ascii_strcasecmp(name, *names) == 0)
            return true;
    return false;
}

static bool
is_utf8(const char *charset)
{
    static const char *const names[] = {"utf-8", "utf8", "x-utf-8", NULL};

    return is_any_of(charset, names);
}

/* The default of MIME, so written on anything: as good as no label. */
static bool
is_unlabelled(const char *charset)
{
    static const char *const names[] = {"", "us-ascii", "ascii", NULL};

    return is_any_of(charset, names);
}

static bool
is_latin1(const char *charset)
{
    static const char *const names[] = {"iso-8859-1",   "iso8859-1", "iso_8859-1", "latin1",
                                        "windows-1252", "cp1252",    NULL};

    return is_any_of(charset, names);
}

/* Names that go to iconv: no "//TRANSLIT", no surprises. */
static bool
is_name(const char *charset)
{
    for (const char *c = charset; *c; c++)
        if (!g_ascii_isalnum(*c) && !strchr("-_.:+()", *c))
            return false;
    return strlen(charset) < 64;
}

/* Cuts valid text to max bytes, between characters. */
static void
shorten(char *text, size_t max, bool *cut)
{
    if (max == 0 || strlen(text) <= max)
        return;
    while (max > 0 && ((uint8_t)text[max] & 0xC0) == 0x80)
        max--;
    text[max] = '\0';
    if (cut)
        *cut = true;
}

/* Without the limit. */
static char *
decode(const char *charset, const char *in, size_t len, size_t max, bool *bad)
{
    bool valid = g_utf8_validate_len(in, len, NULL);
    char *text;

    if (is_utf8(charset)) {
        *bad |= !valid && memchr(in, 0, len) == NULL;
        return valid ? copy_text(in, len) : text_make_valid(in, (gssize)len);
    }
    if (is_latin1(charset))
        return from_latin1((const uint8_t *)in, len, bad);
    if (is_unlabelled(charset)) {
        *bad |= !valid;
        return valid ? copy_text(in, len) : from_latin1((const uint8_t *)in, len, bad);
    }
    if (is_name(charset) && (text = from_iconv(charset, (const uint8_t *)in, len, max, bad)))
        return text;
    *bad = true;
    return valid ? copy_text(in, len) : from_unknown((const uint8_t *)in, len);
}

/* ASCII means itself in these. */
static bool
is_superset(const char *charset)
{
    return is_unlabelled(charset) || is_utf8(charset) || is_latin1(charset);
}

char *
charset_decode(
    const char *charset, const void *in, size_t len, size_t max, bool *bad, bool *cut)
{
    char *text;

    if (len == 0)
        return g_strdup("");
    bool much = max > 0 && len / 8 > max; /* eight bytes make at least one of UTF-8 */
    if (much)
        len = max * 8;
    if (is_plain(in, len) && is_superset(charset))
        text = copy_text(in, len);
    else
        text = decode(charset, in, len, max, bad);
    shorten(text, max, cut);
    if (much && cut)
        *cut = true;
    return text;
}

/* Is there a well-formed character beyond ASCII? */
static bool
has_utf8(const char *in, size_t len)
{
    for (const char *p = in, *end = in + len; p < end;) {
        gunichar c = (uint8_t)*p < 0x80 ? 0 : g_utf8_get_char_validated(p, end - p);
        if (c != 0 && c != (gunichar)-1 && c != (gunichar)-2)
            return true;
        p++;
    }
    return false;
}

char *
charset_guess(const void *in, size_t len)
{
    bool bad = false;

    if (is_plain(in, len))
        return copy_text(in, len);
    if (g_utf8_validate_len(in, len, NULL) || has_utf8(in, len))
        return text_make_valid(in, (gssize)len);
    return from_latin1(in, len, &bad);
}
