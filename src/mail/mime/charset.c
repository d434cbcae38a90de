#include "mail/mime/charset.h"

#include <iconv.h>

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

/* ---- labels ---- */

/*
 * Labels that iconv does not know, and labels that programs write on more than they name:
 * Windows extended most standards and kept the standard's label, so gb2312 is read as GB18030
 * and shift_jis as CP932. This is what the table of the WHATWG encoding standard says too.
 * Labels stand here in lower case, without "x-" and without punctuation. The name "" is for
 * labels that say nothing, as MIME's default does. For names with "=" see escapes[].
 */
static const struct {
    const char *name, *labels;
} aliases[] = {
    {"", "ascii usascii ansix341968 unknown unknown8bit"},
    {"UTF-8", "utf8 unicode11utf8 unicode20utf8"},
    {"CP1252", "cp1252 windows1252 iso88591 iso885911987 latin1 l1 isoir100 csisolatin1 cp819 "
               "ibm819"},
    {"CP1254", "iso88599 iso885991989 latin5 l5 isoir148 csisolatin5"},
    {"CP874", "iso885911 tis620"},
    {"CP932", "shiftjis sjis csshiftjis mskanji"},
    {"CP949", "euckr cseuckr ksc5601 ksc56011987 ksc56011989 csksc56011987 korean isoir149"},
    {"GB18030", "gb2312 gbk gb231280 csgb2312 csiso58gb231280 chinese isoir58 euccn"},
    {"BIG5-HKSCS", "big5 cnbig5 csbig5"},
    {"EUC-JP-MS", "eucjp cseucpkdfmtjapanese"},
    {"=EUC-JP-MS", "iso2022jp csiso2022jp iso2022jpms cp50220 cp50221 cp50222"},
    {"=GB18030", "hz hzgb2312"},
    {"ISO-2022-JP-2", "iso2022jp1"},
    {"ISO-8859-6", "iso88596e iso88596i csiso88596e csiso88596i"},
    {"ISO-8859-7", "suneugreek"},
    {"ISO-8859-8", "iso88598e iso88598i csiso88598e csiso88598i visual logical"},
    {"ISO-8859-15", "csisolatin9 l9"},
    {"KOI8-R", "koi koi8"},
    {"MACINTOSH", "macroman"},
    {"UTF-7", "unicode11utf7 csunicode11utf7"},
    {"UTF-16", "unicode csunicode ucs2 iso10646ucs2 unicodefeff"},
    {"UTF-16BE", "unicodefffe"},
};

#define LABEL_MAX 64

/* True when the word is one of these words, which have one blank between them. */
static bool
is_among(const char *word, const char *words)
{
    size_t len = strlen(word);

    for (const char *p = words; (p = strstr(p, word)); p += len)
        if ((p == words || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
            return true;
    return false;
}

/* The label as it stands in aliases[]; false when it has nothing or too much to say. */
static bool
squeeze(const char *label, char ret[LABEL_MAX])
{
    size_t n = 0;

    for (; *label && n + 1 < LABEL_MAX; label++)
        if (g_ascii_isalnum(*label))
            ret[n++] = g_ascii_tolower(*label);
    ret[n] = '\0';
    return n > 0 && *label == '\0';
}

static const char *
skip_x(const char *label)
{
    return g_ascii_strncasecmp(label, "x-", 2) == 0 ? label + 2 : label;
}

/* The name that aliases[] has for a label; NULL: none. */
static const char *
find_alias(const char *label)
{
    char word[LABEL_MAX];

    if (label[0] == '\0')
        return "";
    if (!squeeze(skip_x(skip_x(label)), word))
        return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
        if (is_among(word, aliases[i].labels))
            return aliases[i].name;
    return NULL;
}

/* iconv's names may hold these; a "//TRANSLIT" may not go there. */
static iconv_t
open_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!g_ascii_isalnum(*c) && !strchr("-_.:+()", *c))
            return (iconv_t)-1;
    return iconv_open("UTF-8", name);
}

/* A label without an alias: as it stands, without "x-" and punctuation, "win-1251" as
 * CP1251. */
static iconv_t
open_label(const char *label)
{
    char word[LABEL_MAX], page[LABEL_MAX];
    iconv_t cd = (iconv_t)-1;

    if (!squeeze(skip_x(label), word))
        return cd;
    (void)g_snprintf(page, sizeof page, "CP%s", word + strcspn(word, "0123456789"));
    cd = open_name(skip_x(label));
    if (cd == (iconv_t)-1)
        cd = iconv_open("UTF-8", word);
    if (cd == (iconv_t)-1 && (g_str_has_prefix(word, "win") || g_str_has_prefix(word, "dos")))
        cd = iconv_open("UTF-8", page);
    return cd;
}

/* ---- converting ---- */

/* An open iconv and what it makes. */
typedef struct Conversion {
    iconv_t cd;
    size_t unit; /* bytes to step over where nothing can be read */
    size_t max;
    GString *out;
    bool bad;
} Conversion;

/* Without NULs, which do not count for the limit. */
static void
append_text(GString *out, const char *text, size_t len)
{
    while (len > 0) {
        size_t n = strnlen(text, len);
        g_string_append_len(out, text, (gssize)n);
        n += n < len;
        text += n;
        len -= n;
    }
}

/* Converts until the input ends or out holds max bytes. */
static void
convert(Conversion *c, const char *in, size_t len)
{
    char buf[4096];

    while (len > 0 && (c->max == 0 || c->out->len <= c->max)) {
        char *o = buf;
        size_t room = sizeof buf;
        size_t rc = iconv(c->cd, (char **)&in, &len, &o, &room);
        int err = errno;
        append_text(c->out, buf, (size_t)(o - buf));
        if (rc != (size_t)-1 || err == E2BIG)
            continue;
        g_string_append(c->out, REPLACEMENT);
        c->bad = true;
        if (err == EINVAL) /* cut inside a character: the rest of it is no news */
            break;
        in += MIN(len, c->unit);
        len -= MIN(len, c->unit);
    }
    /* Some charsets hold a letter back until they know that no accent follows. */
    char *o = buf;
    size_t room = sizeof buf;
    if (iconv(c->cd, NULL, NULL, &o, &room) != (size_t)-1)
        append_text(c->out, buf, (size_t)(o - buf));
}

/*
 * Two charsets of seven bits, in which escapes say what the bytes behind them mean:
 * "=EUC-JP-MS" is ISO-2022-JP, "=GB18030" is HZ. Their pairs are those of the named charset
 * without the eighth bit. iconv knows no HZ, and its ISO-2022-JP lacks the circled digits that
 * Windows writes.
 */
typedef enum Shift { SHIFT_ASCII, SHIFT_ROMAN, SHIFT_KANA, SHIFT_PAIRS } Shift;

static const struct {
    const char *text;
    Shift shift;
} escapes[] = {{"\x1b(B", SHIFT_ASCII}, {"\x1b(J", SHIFT_ROMAN}, {"\x1b(I", SHIFT_KANA},
               {"\x1b$@", SHIFT_PAIRS}, {"\x1b$B", SHIFT_PAIRS}, {"~{", SHIFT_PAIRS},
               {"~}", SHIFT_ASCII},     {"~\n", SHIFT_ASCII}};

/* Reads an escape; returns its length, 0 when there is none. */
static size_t
read_escape(const char *in, size_t len, Shift *shift)
{
    for (size_t i = 0; i < G_N_ELEMENTS(escapes); i++) {
        size_t n = strlen(escapes[i].text);
        if (len >= n && memcmp(in, escapes[i].text, n) == 0) {
            *shift = escapes[i].shift;
            return n;
        }
    }
    return 0;
}

/* Appends one character with its eighth bits; returns how many bytes it took. */
static size_t
unshift(Shift shift, const char *in, size_t len, GString *euc)
{
    size_t n = shift == SHIFT_PAIRS && len > 1 ? 2 : 1;

    if (shift < SHIFT_KANA || (uint8_t)*in < 33) {
        g_string_append_c(euc, *in);
        return 1;
    }
    if (shift == SHIFT_KANA)
        g_string_append_c(euc, '\x8E');
    for (size_t i = 0; i < n; i++)
        g_string_append_c(euc, (char)(in[i] | 0x80));
    return n;
}

static void
convert_shifted(Conversion *c, char lead, const char *in, size_t len)
{
    g_autoptr(GString) euc = g_string_sized_new(len);
    Shift shift = SHIFT_ASCII;

    for (size_t n; len > 0; in += n, len -= n) {
        n = *in == lead ? read_escape(in, len, &shift) : 0;
        if (n > 0)
            continue;
        if (lead == '~' && len > 1 && in[0] == '~' && in[1] == '~') { /* HZ's tilde */
            g_string_append_c(euc, '~');
            n = 2;
            continue;
        }
        c->bad |= (*in & 0x80) != 0;
        if (shift == SHIFT_ROMAN && (*in == '\\' || *in == '~')) { /* yen and overline */
            convert(c, euc->str, euc->len);
            g_string_truncate(euc, 0);
            g_string_append(c->out, *in == '~' ? "\xE2\x80\xBE" : "\xC2\xA5");
            n = 1;
            continue;
        }
        n = unshift(shift, in, len, euc);
        if (*in == '\n') /* a line begins as ASCII, whatever the one before forgot */
            shift = SHIFT_ASCII;
    }
    convert(c, euc->str, euc->len);
}

/* NULL when iconv does not know the charset. alias may be NULL. */
static char *
from_iconv(
    const char *charset, const char *alias, const char *in, size_t len, size_t max, bool *bad)
{
    bool shifted = alias && alias[0] == '=';
    bool wide = g_ascii_strncasecmp(alias ? alias : charset, "UTF-16", 6) == 0;
    iconv_t cd = alias ? open_name(shifted ? alias + 1 : alias) : open_label(charset);

    if (cd == (iconv_t)-1)
        return NULL;
    g_autoptr(GString) out = g_string_sized_new(len + len / 2);
    Conversion c = {.cd = cd, .unit = wide ? 2 : 1, .max = max, .out = out};
    if (shifted)
        convert_shifted(&c, strcmp(alias, "=GB18030") == 0 ? '~' : '\x1b', in, len);
    else
        convert(&c, in, len);
    iconv_close(cd);
    *bad |= c.bad;
    return text_make_valid(out->str, (gssize)out->len);
}

/* Cuts valid text to max bytes, between characters. */
static void
shorten(char *text, size_t max, bool *cut)
{
    size_t keep = max ? text_cut_at(text, max) : strlen(text);

    if (cut && text[keep])
        *cut = true;
    text[keep] = '\0';
}

/* Reads text without a label that is not UTF-8 as Windows-1252. */
static char *
from_windows(const char *in, size_t len, size_t max, bool *bad)
{
    char *text = from_iconv("", "CP1252", in, len, max, bad);

    return text ? text : text_make_valid(in, (gssize)len); /* a system without that table */
}

/* Without the limit. NULs are dropped before anything is decided by the bytes. */
static char *
decode(
    const char *charset, const char *alias, const char *in, size_t len, size_t max, bool *bad)
{
    bool utf8 = alias && strcmp(alias, "UTF-8") == 0, unsaid = alias && alias[0] == '\0';
    char *text = utf8 || unsaid ? NULL : from_iconv(charset, alias, in, len, max, bad);

    if (text)
        return text;
    g_autoptr(GString) bare = g_string_sized_new(len);
    append_text(bare, in, len);
    bool valid = g_utf8_validate_len(bare->str, bare->len, NULL);
    *bad |= !valid || (!utf8 && !unsaid);
    if (valid)
        return g_strdup(bare->str);
    if (utf8)
        return text_make_valid(bare->str, (gssize)bare->len);
    return unsaid ? from_windows(bare->str, bare->len, max, bad)
                  : from_iconv("", "US-ASCII", bare->str, bare->len, max, bad);
}

char *
charset_decode(
    const char *charset, const void *in, size_t len, size_t max, bool *bad, bool *cut)
{
    const char *alias = find_alias(charset);
    char *text;

    if (len == 0)
        return g_strdup("");
    /* ASCII means itself in these. */
    bool superset = alias && (alias[0] == '\0' || is_among(alias, "UTF-8 CP1252"));
    if (superset && is_plain(in, len))
        text = copy_text(in, len);
    else
        text = decode(charset, alias, in, len, max, bad);
    shorten(text, max, cut);
    return text;
}

/* True when there is a well-formed character beyond ASCII. */
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
    return from_windows(in, len, 0, &bad);
}
