/*
 * Debian's GMime drops the last bytes of base64 without padding and stops at the first "=" of
 * concatenated chunks, so decoding is done here.
 */
#include "mail/mime/base64.h"

/* clang-format off */
enum { SP = 0x40, PD = 0x41, XX = 0x42 }; /* white space, "=", junk; below are digits */
static const uint8_t digit[256] = {
    XX, XX, XX, XX, XX, XX, XX, XX, XX, SP, SP, XX, XX, SP, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    SP, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, 62, XX, XX, XX, 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, XX, XX, XX, PD, XX, XX,
    XX,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, XX, XX, XX, XX, XX,
    XX, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
};
/* clang-format on */

/* Writes the bytes that n digits, too few for a group of four, still hold; returns the number
 * of bytes. */
static size_t
flush_group(uint32_t group, unsigned n, uint8_t *out, bool *damaged)
{
    if (n == 1)
        *damaged = true;
    if (n < 2)
        return 0;
    group <<= 6 * (4 - n);
    out[0] = (uint8_t)(group >> 16);
    if (n == 3)
        out[1] = (uint8_t)(group >> 8);
    return n - 1;
}

size_t
base64_decode(const void *in, size_t len, uint8_t *out, bool *damaged)
{
    const uint8_t *p = in, *end = p + len;
    uint8_t *o = out;
    uint32_t group = 0;
    unsigned n = 0, pads = 0; /* digits in group; "=" that may follow yet */

    while (p < end) {
        /* Whole groups at once, which is nearly all of them: lines hold a multiple of four. */
        while (n == 0 && end - p >= 4) {
            uint8_t a = digit[p[0]], b = digit[p[1]], c = digit[p[2]], e = digit[p[3]];
            if ((a | b | c | e) >= SP)
                break;
            uint32_t all = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | e;
            o[0] = (uint8_t)(all >> 16);
            o[1] = (uint8_t)(all >> 8);
            o[2] = (uint8_t)all;
            o += 3;
            p += 4;
            pads = 0;
        }
        if (p == end)
            break;
        uint8_t v = digit[*p++];
        if (v < SP) {
            group = group << 6 | v;
            pads = 0;
            if (++n == 4) {
                *o++ = (uint8_t)(group >> 16);
                *o++ = (uint8_t)(group >> 8);
                *o++ = (uint8_t)group;
                group = n = 0;
            }
        } else if (v == PD && n > 0) {
            o += flush_group(group, n, o, damaged);
            pads = n == 2 ? 1 : 0;
            group = n = 0;
        } else if (v == PD && pads > 0) {
            pads--;
        } else if (v != SP) {
            *damaged = true;
        }
    }
    if (n > 0 || pads > 0)
        *damaged = true;
    o += flush_group(group, n, o, damaged);
    return (size_t)(o - out);
}

/* The value of a hex digit; above 15 for anything else. */
static inline unsigned
hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10u : 16;
}

/* The byte that "=XX" at p stands for, -1 when there is no escape. */
static inline int
qp_escape(const uint8_t *p, const uint8_t *end)
{
    if (end - p < 3)
        return -1;
    unsigned high = hex_value(p[1]), low = hex_value(p[2]);
    return high > 15 || low > 15 ? -1 : (int)(high << 4 | low);
}

/* Decodes one line without its end; the line may lie at o itself. Soft breaks are left to the
 * caller. */
static uint8_t *
qp_line(const uint8_t *p, const uint8_t *end, uint8_t *o, bool *damaged)
{
    while (p < end) {
        const uint8_t *eq = memchr(p, '=', (size_t)(end - p));
        size_t plain = (size_t)((eq ? eq : end) - p);
        memmove(o, p, plain);
        o += plain;
        if (!eq)
            break;
        int byte = qp_escape(eq, end);
        *o++ = byte < 0 ? '=' : (uint8_t)byte;
        p = eq + (byte < 0 ? 1 : 3);
        *damaged |= byte < 0;
    }
    return o;
}

size_t
qp_decode(const void *in, size_t len, uint8_t *out, bool *damaged)
{
    const uint8_t *p = in, *end = p + len;
    uint8_t *o = out;

    while (p < end) {
        const uint8_t *nl = memchr(p, '\n', (size_t)(end - p));
        const uint8_t *next = nl ? nl + 1 : end, *stop = nl ? nl : end;
        bool cr = nl && nl > p && nl[-1] == '\r';
        if (cr)
            stop--;
        while (stop > p && (stop[-1] == ' ' || stop[-1] == '\t'))
            stop--;
        bool soft = stop > p && stop[-1] == '=';
        o = qp_line(p, soft ? stop - 1 : stop, o, damaged);
        if (nl && !soft) {
            if (cr)
                *o++ = '\r';
            *o++ = '\n';
        }
        p = next;
    }
    return (size_t)(o - out);
}

size_t
qp_decode_word(const void *in, size_t len, uint8_t *out, bool *damaged)
{
    memcpy(out, in, len);
    for (size_t i = 0; i < len; i++)
        if (out[i] == '_')
            out[i] = ' ';
    return (size_t)(qp_line(out, out + len, out, damaged) - out);
}
