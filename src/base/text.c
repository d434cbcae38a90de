#include "base/text.h"
#include "base/clock.h"

/* How many bytes of a malformed sequence one U+FFFD stands for: the longest start of something
 * that could have become a character, as Unicode recommends and Python does. */
static size_t
bad_length(const uint8_t *s, size_t len)
{
    uint8_t low = 0x80, high = 0xbf;
    size_t want, n = 1;

    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        want = 2;
    else if (s[0] >= 0xe0 && s[0] <= 0xef)
        want = 3;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4)
        want = 4;
    else
        return 1;
    if (s[0] == 0xe0)
        low = 0xa0;
    else if (s[0] == 0xed)
        high = 0x9f;
    else if (s[0] == 0xf0)
        low = 0x90;
    else if (s[0] == 0xf4)
        high = 0x8f;
    while (n < want - 1 && n < len && s[n] >= low && s[n] <= high) {
        low = 0x80;
        high = 0xbf;
        n++;
    }
    return n;
}

/* Bytes of ASCII at the beginning, none of them NUL; not always all. Most text is nothing else, and eight
 * bytes at a time are an eighth of the work. */
static size_t
ascii_run(const char *s, size_t len)
{
    size_t n = 0;
    uint64_t eight;

    for (; n + sizeof eight <= len; n += sizeof eight) {
        memcpy(&eight, s + n, sizeof eight);
        if ((eight | (eight - 0x0101010101010101u)) & 0x8080808080808080u)
            break;
    }
    return n;
}

char *
text_make_valid(const char *s, gssize len)
{
    size_t left = len < 0 ? strlen(s) : (size_t)len;
    GString *out = g_string_sized_new(left);

    while (left > 0) {
        size_t ascii = ascii_run(s, left);
        const char *end;

        (void)g_utf8_validate_len(s + ascii, left - ascii, &end);
        g_string_append_len(out, s, end - s);
        left -= (size_t)(end - s);
        s = end;
        if (left == 0)
            break;

        size_t skip = bad_length((const uint8_t *)s, left);
        if (*s != '\0')
            g_string_append(out, "\357\277\275");
        s += skip;
        left -= skip;
    }
    return g_string_free(out, FALSE);
}

char *
text_valid_bytes(GBytes *bytes)
{
    gsize len = 0;
    const char *data = bytes ? g_bytes_get_data(bytes, &len) : NULL;

    return text_make_valid(data ? data : "", (gssize)len);
}

char *
text_from_bytes(GBytes *bytes)
{
    gsize len = 0;
    const char *data = bytes ? g_bytes_get_data(bytes, &len) : NULL;

    return g_strndup(data ? data : "", len);
}

/* What a reader would not see, or what would make them see something else. Format characters
 * are the bidi controls, zero widths, soft hyphen and tags; the rest are fillers and selectors
 * that draw nothing. U+FE0F stays: every second emoji ends with it. */
static bool
is_unsafe(gunichar c)
{
    switch (g_unichar_type(c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
        return true;
    default:
        return c == 0x034f || c == 0x115f || c == 0x1160 || c == 0x17b4 || c == 0x17b5 ||
               (c >= 0x180b && c <= 0x180f) || (c >= 0x2060 && c <= 0x206f) || c == 0x3164 ||
               (c >= 0xfe00 && c <= 0xfe0e) || c == 0xfeff || c == 0xffa0 ||
               (c >= 0xfff0 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff) ||
               (c & 0xfffe) == 0xfffe;
    }
}

size_t
text_plain_run(const char *s)
{
    size_t n = 0;

    while (s[n] >= 0x20 && s[n] < 0x7f)
        n++;
    return n;
}

char *
text_vis(const char *s, bool keep_lines)
{
    GString *out = g_string_new(NULL);

    for (;;) {
        size_t plain = text_plain_run(s);
        g_string_append_len(out, s, (gssize)plain);
        s += plain;
        if (!*s)
            break;
        gunichar c = g_utf8_get_char_validated(s, -1);

        if (c == (gunichar)-1 || c == (gunichar)-2) {
            g_string_append_printf(out, "\\x%02x", (uint8_t)*s++);
            continue;
        }
        if (keep_lines && (c == '\n' || c == '\t'))
            g_string_append_c(out, (char)c);
        else if (c < 0x20 || c == 0x7f)
            g_string_append_printf(out, "\\x%02x", c);
        else if (is_unsafe(c))
            g_string_append_printf(out, "\\u{%x}", c);
        else
            g_string_append_unichar(out, c);
        s = g_utf8_next_char(s);
    }
    return g_string_free(out, FALSE);
}

int
text_compare(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **
text_words(const char *s, const char *separators)
{
    g_auto(GStrv) parts = g_strsplit_set(s, separators, -1);
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();

    for (char **part = parts; *part; part++) {
        if (**part)
            g_strv_builder_add(words, *part);
    }
    return g_strv_builder_end(words);
}

char *
text_escape(const char *s)
{
    GString *out = g_string_new(NULL);

    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *s);
    }
    return g_string_free(out, FALSE);
}

char *
text_shorten(const char *s, size_t max_chars)
{
    g_autofree char *valid = text_make_valid(s, -1);

    if (text_chars(valid) <= max_chars)
        return g_steal_pointer(&valid);
    if (max_chars == 0)
        return g_strdup("");

    g_autofree char *head = g_utf8_substring(valid, 0, (glong)max_chars - 1);
    return g_strconcat(head, "…", NULL);
}

#define WORD_MAX 64

/* Three rows of the matrix are enough: a swap looks back two. */
unsigned
text_distance(const char *a, const char *b, unsigned max)
{
    size_t n_a = strlen(a), n_b = strlen(b);
    unsigned rows[3][WORD_MAX + 1];

    if (n_a > WORD_MAX || n_b > WORD_MAX)
        return max + 1;
    for (unsigned j = 0; j <= n_b; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= n_a; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        char c = g_ascii_tolower(a[i - 1]);

        row[0] = i;
        for (unsigned j = 1; j <= n_b; j++) {
            char d = g_ascii_tolower(b[j - 1]);

            row[j] = MIN(MIN(above[j], row[j - 1]) + 1, above[j - 1] + (c != d));
            if (i > 1 && j > 1 && c == g_ascii_tolower(b[j - 2]) &&
                d == g_ascii_tolower(a[i - 2]))
                row[j] = MIN(row[j], above2[j - 2] + 1);
        }
    }
    return MIN(rows[n_a % 3][n_b], max + 1);
}

const char *
text_nearest(const char *word, const char *const *names)
{
    unsigned best = strlen(word) <= 4 ? 1 : 2;
    const char *nearest = NULL;

    for (; *names; names++) {
        unsigned distance = text_distance(word, *names, best);

        /* A word that would have to change throughout is not a misspelling of this one. */
        if (distance >= strlen(word) || distance > best || (nearest && distance == best))
            continue;
        best = distance;
        nearest = *names;
    }
    return nearest;
}

char *
text_did_you_mean(const char *word, const char *const *names)
{
    const char *nearest = text_nearest(word, names);

    return nearest ? g_strdup_printf("; did you mean '%s'?", nearest) : g_strdup("");
}

/* Digits only, no sign, no space; moves on behind them. */
static bool
take_number(const char **p, uint64_t *ret)
{
    uint64_t value = 0;

    if (!g_ascii_isdigit(**p))
        return false;
    for (; g_ascii_isdigit(**p); (*p)++) {
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (unsigned)(**p - '0'), &value))
            return false;
    }
    *ret = value;
    return true;
}

bool
text_parse_span(const char *s, int64_t *ret_us)
{
    static const struct {
        const char *unit;
        int64_t seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    uint64_t number;
    int64_t us;

    if (!take_number(&s, &number))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (!g_str_equal(s, units[i].unit))
            continue;
        if (__builtin_mul_overflow(number, units[i].seconds * USEC_PER_SEC, &us))
            return false;
        *ret_us = us;
        return true;
    }
    return false;
}

bool
text_parse_size(const char *s, uint64_t *ret_bytes)
{
    static const struct {
        const char *unit;
        unsigned shift;
    } units[] = {{"", 0}, {"k", 10}, {"m", 20}, {"g", 30}};
    uint64_t number;

    if (!take_number(&s, &number))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (g_ascii_strcasecmp(s, units[i].unit) != 0)
            continue;
        return !__builtin_mul_overflow(number, UINT64_C(1) << units[i].shift, ret_bytes);
    }
    return false;
}

bool
text_parse_int(const char *s, int64_t min, int64_t max, int64_t *ret)
{
    bool negative = *s == '-';
    uint64_t number;
    int64_t value;

    if (negative)
        s++;
    if (!take_number(&s, &number) || *s)
        return false;
    if (negative ? __builtin_sub_overflow(0, number, &value)
                 : __builtin_add_overflow(0, number, &value))
        return false;
    if (value < min || value > max)
        return false;
    *ret = value;
    return true;
}

bool
text_parse_money(const char *s, int64_t *ret_micro)
{
    uint64_t whole;
    int64_t micro, unit = 100000;

    if (!take_number(&s, &whole) || __builtin_mul_overflow(whole, 1000000, &micro))
        return false;
    if (*s == '.') {
        if (!g_ascii_isdigit(*++s))
            return false;
        for (; g_ascii_isdigit(*s) && unit > 0; s++, unit /= 10) {
            if (__builtin_add_overflow(micro, unit * (*s - '0'), &micro))
                return false;
        }
    }
    if (*s)
        return false;
    *ret_micro = micro;
    return true;
}

char *
text_money(int64_t micro)
{
    if (micro > 0 && micro < 100)
        return g_strdup("<$0.0001");
    if (micro >= 1000000 || micro % 10000 == 0)
        return g_strdup_printf("$%" G_GINT64_FORMAT ".%02d", micro / 1000000,
                               (int)(micro % 1000000 / 10000));
    return g_strdup_printf("$0.%04d", (int)(micro / 100));
}

char *
text_format_size(uint64_t bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    unsigned i = 0;

    while (i + 1 < G_N_ELEMENTS(units) && bytes >> (10 * i) >= 1024)
        i++;

    uint64_t unit = UINT64_C(1) << (10 * i), whole = bytes / unit;
    unsigned tenth = (unsigned)(bytes % unit * 10 / unit);

    if (whole < 10 && tenth > 0)
        return g_strdup_printf("%u.%u %s", (unsigned)whole, tenth, units[i]);
    return g_strdup_printf("%u %s", (unsigned)whole, units[i]);
}

bool
text_name_valid(const char *s)
{
    size_t len = strlen(s);

    if (len < 1 || len > 64 || strstr(s, ".."))
        return false;
    return (g_ascii_islower(s[0]) || g_ascii_isdigit(s[0])) &&
           strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789._-") == len;
}

size_t
text_cut_at(const char *s, size_t max)
{
    size_t len = strlen(s);

    if (len <= max)
        return len;
    while (max > 0 && ((uint8_t)s[max] & 0xc0) == 0x80)
        max--;
    return max;
}

size_t
text_chars(const char *s)
{
    return (size_t)g_utf8_strlen(s, -1);
}
