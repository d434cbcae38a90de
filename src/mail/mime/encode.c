/* See the header. Plain headers fold at RFC 5322's 78; lines of encoded words, parameters and
 * encoded bodies keep to 76. */
#include "mail/mime/encode.h"

#define FOLD_AT 78
#define WORD_LINE 76
#define WORD_FRAME                                                                             \
    strlen("=?utf-8?q?"                                                                        \
           "?=")
#define QP_LINE 76
#define LONGEST_7BIT 990

bool
encode_is_clean(const char *value)
{
    if (!g_utf8_validate(value, -1, NULL))
        return false;
    for (const char *p = value; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return false;
    return true;
}

/* Between two tokens of a structured header. Inside a display name a fold is allowed too, but
 * GMime shows it. */
static bool
splits_tokens(const char *word, char before)
{
    return word[0] == '<' || before == ',' || g_str_has_prefix(word, "=?");
}

/* "Name: value" over as many lines as it takes. The first word of a text stays with the name:
 * Python reads a fold there as part of the text. */
static void
append_folded(GString *out, const char *name, const char *value, bool structured)
{
    bool quoted = false;

    g_string_append(out, name);
    g_string_append_c(out, ':');
    size_t col = strlen(name) + 1 + 1;
    for (const char *p = value; *p;) {
        size_t gap = strspn(p, " "), word = strcspn(p + gap, " ");
        bool first = p == value;
        bool may_fold =
            structured ? !quoted && splits_tokens(p + gap, first ? ':' : p[-1]) : !first;
        if (may_fold && col + gap + word > FOLD_AT) {
            g_string_append_c(out, '\n');
            col = first ? 1 : 0;
        }
        if (first)
            g_string_append_c(out, ' ');
        g_string_append_len(out, p, (gssize)(gap + word));
        for (size_t i = gap; i < gap + word; i++)
            quoted ^= p[i] == '"' && (i == 0 || p[i - 1] != '\\');
        col += gap + word;
        p += gap + word;
    }
    g_string_append_c(out, '\n');
}

void
encode_structured(GString *out, const char *name, const char *value)
{
    append_folded(out, name, value, true);
}

/* Plain text stands in a header as it is and comes back as it was. */
static bool
is_plain(const char *text, size_t max_word)
{
    size_t word = 0;

    if (strstr(text, "=?"))
        return false;
    for (const char *p = text; *p; p++) {
        word = *p == ' ' ? 0 : word + 1;
        if ((unsigned char)*p >= 0x80 || word > max_word)
            return false;
    }
    return true;
}

static bool
is_word_safe(unsigned char c)
{
    return g_ascii_isalnum(c) || (c && strchr("!*+-/.,:;", c));
}

/* Length of these bytes in a Q word. A space is "_". */
static size_t
q_length(const char *s, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += is_word_safe((unsigned char)s[i]) || s[i] == ' ' ? 1 : 3;
    return n;
}

static size_t
b_length(size_t len)
{
    return (len + 2) / 3 * 4;
}

static void
append_word(GString *out, const char *s, size_t len, bool as_b)
{
    g_string_append(out, as_b ? "=?utf-8?b?" : "=?utf-8?q?");
    if (as_b) {
        g_autofree char *b = g_base64_encode((const guchar *)s, len);
        g_string_append(out, b);
    }
    for (size_t i = 0; i < len && !as_b; i++) {
        if (is_word_safe((unsigned char)s[i]))
            g_string_append_c(out, s[i]);
        else if (s[i] == ' ')
            g_string_append_c(out, '_');
        else
            g_string_append_printf(out, "=%02X", (unsigned char)s[i]);
    }
    g_string_append(out, "?=");
}

/* How many bytes of whole characters fit into a word that is at most room long. In base64 a
 * word that is not the last one ends without padding where it can: GMime takes padding for the
 * end of all words. */
static size_t
fitting(const char *text, size_t room, bool as_b)
{
    const char *p = text;
    size_t unpadded = 0;

    while (*p) {
        size_t len = (size_t)(g_utf8_next_char(p) - text);
        if (WORD_FRAME + (as_b ? b_length(len) : q_length(text, len)) > room)
            break;
        p = text + len;
        if (len % 3 == 0)
            unpadded = len;
    }
    return as_b && *p && unpadded ? unpadded : (size_t)(p - text);
}

/* Encoded words with sep between them; the first has less room than the others. */
static void
append_words(GString *out, const char *text, size_t first_room, const char *sep, bool as_b)
{
    size_t room = first_room;

    for (;;) {
        size_t len = fitting(text, room, as_b);
        append_word(out, text, len, as_b);
        text += len;
        if (!*text)
            return;
        g_string_append(out, sep);
        room = WORD_LINE - 1;
    }
}

void
encode_text(GString *out, const char *name, const char *text, size_t max_word)
{
    if (is_plain(text, max_word)) {
        append_folded(out, name, text, false);
        return;
    }
    bool as_b = b_length(strlen(text)) < q_length(text, strlen(text));
    size_t room = WORD_LINE - MIN(strlen(name) + 2, WORD_LINE / 2);
    g_string_append_printf(out, "%s: ", name);
    append_words(out, text, room, "\n ", as_b);
    g_string_append_c(out, '\n');
}

/* Always in base64: of what is safe in a text, RFC 2047 allows less in a phrase. */
char *
encode_phrase(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    if (encode_is_clean(text) && is_plain(text, G_MAXSIZE))
        return g_steal_pointer(&valid);
    GString *out = g_string_new(NULL);
    append_words(out, valid, WORD_LINE - 1, " ", true);
    return g_string_free(out, FALSE);
}

/* RFC 2231's attribute-char, and less: what no reader takes for anything else. */
static bool
is_attribute_char(unsigned char c)
{
    return g_ascii_isalnum(c) || (c && strchr(".-_+", c));
}

/* ;
 *  name*0*=utf-8''Gr%C3%BC;
 *  name*1*=%C3%9Fe  */
static void
append_extended(GString *out, const char *name, const char *value)
{
    g_autoptr(GString) line = g_string_new(NULL);
    unsigned n = 0;

    while (*value || n == 0) {
        g_string_printf(line, " %s*%u*=%s", name, n, n == 0 ? "utf-8''" : "");
        while (*value) {
            size_t len = (size_t)(g_utf8_next_char(value) - value);
            if (line->len + 3 * len + 1 > WORD_LINE)
                break;
            for (; len > 0; len--, value++)
                if (is_attribute_char((unsigned char)*value))
                    g_string_append_c(line, *value);
                else
                    g_string_append_printf(line, "%%%02X", (unsigned char)*value);
        }
        g_string_append_printf(out, ";\n%s", line->str);
        n++;
    }
}

void
encode_param(GString *out, const char *name, const char *value)
{
    bool plain = strlen(name) + strlen(value) + 5 <= WORD_LINE;

    for (const char *p = value; *p && plain; p++)
        plain = is_attribute_char((unsigned char)*p) || strchr(" ()=,", *p);
    if (plain && value[0] && !strstr(value, "=?"))
        g_string_append_printf(out, ";\n %s=\"%s\"", name, value);
    else
        append_extended(out, name, value);
}

bool
encode_fits_7bit(const char *text, size_t len)
{
    size_t col = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x7f || (c < 0x20 && c != '\n' && c != '\t'))
            return false;
        if (col == 0 && len - i >= 5 && memcmp(text + i, "From ", 5) == 0)
            return false;
        col = c == '\n' ? 0 : col + 1;
        if (col >= LONGEST_7BIT)
            return false;
    }
    return true;
}

/* At the start of a line a dot upsets SMTP senders and "From " mbox files; at its end white
 * space gets lost. */
static bool
qp_must_escape(const char *text, size_t i, size_t len, size_t col)
{
    unsigned char c = (unsigned char)text[i];

    if (c == ' ' || c == '\t')
        return i + 1 == len || text[i + 1] == '\n';
    if (col == 0 && (c == '.' || (len - i >= 5 && memcmp(text + i, "From ", 5) == 0)))
        return true;
    return c == '=' || c < 0x20 || c >= 0x7f;
}

void
encode_quoted_printable(GString *out, const char *text, size_t len)
{
    size_t col = 0;

    for (size_t i = 0; i < len;) {
        if (text[i] == '\n') {
            g_string_append_c(out, '\n');
            col = 0;
            i++;
            continue;
        }
        size_t n = (size_t)(g_utf8_next_char(text + i) - (text + i));
        bool escape = qp_must_escape(text, i, len, col);
        size_t width = escape ? 3 * n : n;
        bool last = i + n == len || text[i + n] == '\n';
        if (col + width > QP_LINE - (last ? 0 : 1)) {
            g_string_append(out, "=\n");
            col = 0;
            continue; /* what starts a line may need another form */
        }
        for (size_t k = 0; k < n; k++)
            if (escape)
                g_string_append_printf(out, "=%02X", (unsigned char)text[i + k]);
            else
                g_string_append_c(out, text[i + k]);
        col += width;
        i += n;
    }
}

void
encode_base64(GString *out, const void *data, size_t len)
{
    int state = 0, save = 0;
    size_t at = out->len;

    /* The bound is GLib's own: 4/3, a newline per line, and what is left at the end. */
    g_string_set_size(out, at + (len / 3 + 1) * 4 + 4 + ((len / 3 + 1) * 4 + 4) / 72 + 1);
    at += g_base64_encode_step(data, len, TRUE, out->str + at, &state, &save);
    at += g_base64_encode_close(TRUE, out->str + at, &state, &save);
    g_string_truncate(out, at);
}
