#include "wire/smtp_text.h"
#include "base/limits.h"

#define SMTP_PATH_MAX 254u /* 256 with its brackets */

/* A dot-atom in the wide sense, or a quoted string: nothing that a program which reads address
 * lists could take for two. */
static bool
is_local(const char *p, size_t len)
{
    if (p[0] != '"')
        return strcspn(p, "(),:;@[\\]\"") >= len;
    if (len < 3 || p[len - 1] != '"')
        return false;
    for (size_t i = 1; i < len - 1; i++) {
        if (p[i] == '"' || (p[i] == '\\' && ++i == len - 1))
            return false;
    }
    return true;
}

static bool
is_domain(const char *p)
{
    for (; *p; p++) {
        if (!g_ascii_isalnum(*p) && (unsigned char)*p < 0x80 && !strchr("-._[]:", *p))
            return false;
    }
    return true;
}

bool
smtp_address_valid(const char *spec)
{
    const char *at = strrchr(spec, '@');

    if (!at || at == spec || !at[1] || strlen(spec) > SMTP_PATH_MAX ||
        !g_utf8_validate(spec, -1, NULL))
        return false;
    if ((size_t)(at - spec) > LIMIT_ADDR_LOCAL || !is_local(spec, (size_t)(at - spec)) ||
        !is_domain(at + 1))
        return false;
    for (const char *p = spec; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (c <= ' ' || c == '<' || c == '>' || g_unichar_isspace(c) || g_unichar_iscntrl(c))
            return false;
    }
    return true;
}

char *
smtp_address_wire(const char *spec)
{
    const char *at = strrchr(spec, '@');

    if (g_str_is_ascii(at))
        return g_strdup(spec);
    g_autofree char *domain = g_hostname_to_ascii(at + 1);
    if (!domain)
        return g_strdup(spec);
    g_autofree char *wire = g_strdup_printf("%.*s@%s", (int)(at - spec), spec, domain);
    /* Normalising a name may bring forth any character; it must stay one address. */
    return smtp_address_valid(wire) ? g_steal_pointer(&wire) : g_strdup(spec);
}

char *
smtp_xtext(const char *value)
{
    GString *out = g_string_new(NULL);

    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c > ' ' && *c < 127 && *c != '+' && *c != '=')
            g_string_append_c(out, (char)*c);
        else
            g_string_append_printf(out, "+%02X", *c);
    }
    return g_string_free(out, FALSE);
}

/* Length of the line end at p; 0: none. */
static size_t
line_end_len(const char *p, const char *end)
{
    if (*p == '\n')
        return 1;
    if (*p != '\r')
        return 0;
    return p + 1 < end && p[1] == '\n' ? 2 : 1;
}

SmtpNeeds
smtp_needs_of(const void *mail, size_t len)
{
    const char *p = len > 0 ? mail : "", *end = p + len;
    bool header = true, line_start = true;
    SmtpNeeds n = {0};

    while (p < end) {
        size_t ends = line_end_len(p, end);
        if (ends > 0) {
            header = header && !line_start;
            n.size += 2;
        } else {
            bool high = (unsigned char)*p >= 0x80;
            n.eight_bit = n.eight_bit || high;
            n.utf8_header = n.utf8_header || (high && header);
            n.nul = n.nul || *p == '\0';
            n.size++;
        }
        line_start = ends > 0;
        p += ends > 0 ? ends : 1;
    }
    n.size += line_start ? 0 : 2;
    return n;
}

GByteArray *
smtp_encode(const void *mail, size_t len)
{
    GByteArray *out =
        g_byte_array_sized_new((guint)MIN(len + len / 32 + 64, LIMIT_MESSAGE_BYTES));
    const char *p = len > 0 ? mail : "", *end = p + len;

    while (p < end) {
        const char *line = p;
        if (*p == '.')
            g_byte_array_append(out, (const guint8 *)".", 1);
        while (p < end && *p != '\n' && *p != '\r')
            p++;
        g_byte_array_append(out, (const guint8 *)line, (guint)(p - line));
        g_byte_array_append(out, (const guint8 *)"\r\n", 2);
        p += p < end ? line_end_len(p, end) : 0;
    }
    g_byte_array_append(out, (const guint8 *)".\r\n", 3);
    return out;
}
