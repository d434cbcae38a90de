#include "wire/imap_name.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";

static bool
is_plain(gunichar c)
{
    return c >= 0x20 && c < 0x7f;
}

/* --- UTF-8 to the wire --- */

typedef struct Bits {
    uint32_t bits;
    unsigned n; /* bits that wait; < 6 between calls */
} Bits;

static void
put_unit(GString *out, Bits *b, uint16_t unit)
{
    b->bits = (b->bits << 16) | unit;
    for (b->n += 16; b->n >= 6; b->n -= 6)
        g_string_append_c(out, digits[(b->bits >> (b->n - 6)) & 63]);
}

static void
put_char(GString *out, Bits *b, gunichar c)
{
    if (c < 0x10000) {
        put_unit(out, b, (uint16_t)c);
    } else {
        put_unit(out, b, (uint16_t)(0xd800 + ((c - 0x10000) >> 10)));
        put_unit(out, b, (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff)));
    }
}

/* The characters from p on that are not plain; returns what follows. */
static const char *
put_run(GString *out, const char *p)
{
    Bits b = {0};

    g_string_append_c(out, '&');
    for (; *p && !is_plain(g_utf8_get_char(p)); p = g_utf8_next_char(p))
        put_char(out, &b, g_utf8_get_char(p));
    if (b.n > 0)
        g_string_append_c(out, digits[(b.bits << (6 - b.n)) & 63]);
    g_string_append_c(out, '-');
    return p;
}

static bool
is_name(const char *utf8)
{
    if (!*utf8 || !g_utf8_validate(utf8, -1, NULL))
        return false;
    for (const char *p = utf8; *p; p = g_utf8_next_char(p))
        if (g_unichar_iscntrl(g_utf8_get_char(p)))
            return false;
    return true;
}

char *
imap_name_encode(const char *utf8, GError **error)
{
    if (!is_name(utf8)) {
        err_set(error, ERR_NEVER, "no name for a folder");
        return NULL;
    }
    GString *out = g_string_new(NULL);
    for (const char *p = utf8; *p;) {
        if (!is_plain((guchar)*p)) {
            p = put_run(out, p);
            continue;
        }
        g_string_append_c(out, *p);
        if (*p == '&')
            g_string_append_c(out, '-');
        p++;
    }
    return g_string_free(out, false);
}

/* --- and back --- */

/* The run behind "&" up to "-" as UTF-16; returns what follows, NULL: no such run. */
static const char *
get_run(const char *p, GString *out)
{
    g_autoptr(GArray) units = g_array_new(false, false, sizeof(gunichar2));
    uint32_t bits = 0;
    unsigned n = 0;

    for (; *p != '-'; p++) {
        const char *digit = *p ? strchr(digits, *p) : NULL;
        if (!digit)
            return NULL;
        bits = (bits << 6) | (uint32_t)(digit - digits);
        n += 6;
        if (n >= 16) {
            n -= 16;
            gunichar2 unit = (gunichar2)(bits >> n);
            g_array_append_val(units, unit);
        }
    }
    if (units->len == 0)
        return NULL;
    g_autofree char *utf8 = g_utf16_to_utf8((const gunichar2 *)(void *)units->data,
                                            (glong)units->len, NULL, NULL, NULL);
    if (!utf8)
        return NULL;
    g_string_append(out, utf8);
    return p + 1;
}

char *
imap_name_decode(const char *wire)
{
    g_autoptr(GString) out = g_string_new(NULL);

    for (const char *p = wire; p && *p;) {
        if (*p != '&') {
            g_string_append_c(out, *p++);
        } else if (p[1] == '-') {
            g_string_append_c(out, '&');
            p += 2;
        } else if (!(p = get_run(p + 1, out))) {
            return NULL;
        }
    }
    /* The one form that we would write: so a name leads to the folder that it came from. */
    g_autofree char *again = is_name(out->str) ? imap_name_encode(out->str, NULL) : NULL;
    if (g_strcmp0(again, wire) != 0)
        return NULL;
    return g_string_free(g_steal_pointer(&out), false);
}
