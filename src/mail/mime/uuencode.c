#include "mail/mime/uuencode.h"

/* A line: its text without CR and LF, and where the next line begins. */
typedef struct Line {
    const char *p, *next;
    size_t len;
} Line;

static Line
read_line(const char *p, const char *end)
{
    const char *lf = memchr(p, '\n', (size_t)(end - p));
    const char *stop = lf ? lf : end;

    if (stop > p && stop[-1] == '\r')
        stop--;
    return (Line){.p = p, .next = lf ? lf + 1 : end, .len = (size_t)(stop - p)};
}

static unsigned
value_of(char c)
{
    return ((unsigned char)c - 32u) & 63u;
}

/* The number of bytes that a line of data holds; -1: it is no such line. Behind its data a line
 * may have a check character. */
static int
data_bytes(const Line *line)
{
    size_t n = line->len > 0 ? value_of(line->p[0]) : 0;

    if (line->len > 1 + (n + 2) / 3 * 4 + 1)
        return -1;
    for (size_t i = 0; i < line->len; i++)
        if (line->p[i] < ' ' || line->p[i] > '`')
            return -1;
    return (int)n;
}

static bool
is_word(const Line *line, const char *word)
{
    return line->len == strlen(word) && memcmp(line->p, word, line->len) == 0;
}

/* "begin 644 NAME" */
static bool
read_begin(const Line *line, UuFile *ret)
{
    size_t mode = 0, i = strlen("begin ");

    if (line->len <= i || memcmp(line->p, "begin ", i) != 0)
        return false;
    for (; i < line->len && line->p[i] >= '0' && line->p[i] <= '7'; i++)
        mode++;
    if (mode < 3 || mode > 4 || i + 1 >= line->len || line->p[i] != ' ')
        return false;
    ret->name = line->p + i + 1;
    ret->name_len = line->len - i - 1;
    return true;
}

/* Behind its begin line: data and an end line. */
static bool
read_rest(const char *p, const char *end, UuFile *ret)
{
    Line line;

    ret->data = p;
    for (; p < end; p = line.next) {
        line = read_line(p, end);
        if (is_word(&line, "end")) {
            ret->data_end = p;
            ret->end = line.next;
            return p > ret->data;
        }
        if (data_bytes(&line) < 0)
            return false;
    }
    return false;
}

bool
uu_find(const char *text, size_t len, UuFile *ret)
{
    const char *end = text + len, *p = text;

    while (p < end && (p = memmem(p, (size_t)(end - p), "begin ", 6))) {
        Line line = read_line(p, end);
        ret->begin = p;
        if ((p == text || p[-1] == '\n') && read_begin(&line, ret) &&
            read_rest(line.next, end, ret))
            return true;
        p += 6;
    }
    return false;
}

static void
decode_line(const Line *line, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = 1 + i / 3 * 4 + i % 3;
        unsigned a = at < line->len ? value_of(line->p[at]) : 0;
        unsigned b = at + 1 < line->len ? value_of(line->p[at + 1]) : 0;
        unsigned shift = 2 * (unsigned)(i % 3) + 2;
        out[i] = (uint8_t)(a << shift | b >> (6 - shift));
    }
}

size_t
uu_decode(const char *data, size_t len, uint8_t *out, bool *damaged)
{
    const char *end = data + len;
    size_t total = 0;
    Line line;

    for (const char *p = data; p < end; p = line.next) {
        line = read_line(p, end);
        int n = data_bytes(&line);
        if (n < 0 || (size_t)n > len - total) {
            *damaged = true;
            continue;
        }
        decode_line(&line, (size_t)n, out + total);
        total += (size_t)n;
    }
    return total;
}
