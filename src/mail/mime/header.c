#include "mail/mime/header.h"

#include "base/digest.h"
#include "base/limits.h"
#include "mail/mime/charset.h"
#include "mail/mime/encword.h"

#define BOM "\xEF\xBB\xBF"
#define LOOK_AHEAD 4096u /* bytes of a part in which a field must follow nonsense */

MessageLimits
header_limits(const MessageLimits *limits)
{
    MessageLimits l = limits ? *limits : (MessageLimits){0};

    if (l.max_depth == 0)
        l.max_depth = LIMIT_MIME_DEPTH;
    if (l.max_parts == 0)
        l.max_parts = LIMIT_MIME_PARTS;
    if (l.max_headers == 0)
        l.max_headers = LIMIT_HEADERS;
    if (l.max_header_block == 0)
        l.max_header_block = LIMIT_HEADER_BLOCK;
    if (l.max_header_line == 0)
        l.max_header_line = LIMIT_HEADER_LINE;
    if (l.max_text == 0)
        l.max_text = LIMIT_TEXT_BYTES;
    return l;
}

static void
header_free(MsgHeader *h)
{
    free_all(h->name, h->value, h);
}

const char *
header_find(const GPtrArray *headers, const char *name)
{
    LIST_EACH(const MsgHeader, h, headers) {
        if (g_ascii_strcasecmp(h->name, name) == 0)
            return h->value;
    }
    return NULL;
}

/*
 * The lines of a block: where this one begins, where its text ends, where the next begins. The
 * next CR and LF are kept, so that a block that has only one of them is looked through once for
 * the other, not once a line.
 */
typedef struct Lines {
    const char *p, *end;
    const char *text_end, *next;
    const char *cr, *lf; /* at or behind p; end: none */
    const char *field;   /* a field is known to begin here; NULL: none was looked for */
    bool bare_cr;
} Lines;

static const char *
find_byte(const char *p, const char *end, char byte)
{
    const char *at = p < end ? memchr(p, byte, (size_t)(end - p)) : NULL;

    return at ? at : end;
}

static void
lines_look(Lines *l)
{
    if (!l->cr || l->cr < l->p)
        l->cr = find_byte(l->p, l->end, '\r');
    if (!l->lf || l->lf < l->p)
        l->lf = find_byte(l->p, l->end, '\n');
    l->text_end = MIN(l->cr, l->lf);
    l->next = l->text_end < l->end ? l->text_end + 1 : l->end;
    if (l->cr >= l->lf)
        return;
    if (l->lf == l->cr + 1 && l->lf < l->end)
        l->next++;
    else
        l->bare_cr = true;
}

/* End of the name at the start of a line, NULL when the line is no field. Blanks between the
 * name and the colon are tolerated (RFC 7103 7.1.4). */
static const char *
name_end(const char *line, const char *end)
{
    const char *p = line;

    while (p < end && (unsigned char)*p > 32 && *p != ':' && *p != 127)
        p++;
    const char *stop = p;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return stop > line && p < end && *p == ':' ? stop : NULL;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* True for a line of blanks alone, with at least one. */
static bool
is_blank_line(const Lines *l)
{
    const char *p = l->p;

    while (p < l->text_end && is_blank(*p))
        p++;
    return p > l->p && p == l->text_end;
}

/* From p, the line in hand, to the next empty line or, in a part, to what may be its boundary:
 * is there a field? Where it begins is kept, so that a block of nonsense is looked through
 * once. */
static bool
field_follows(Lines *l, bool in_part)
{
    Lines ahead = *l;

    if (l->field && l->field >= l->p)
        return true;
    for (; ahead.p < ahead.end; ahead.p = ahead.next) {
        lines_look(&ahead);
        if (ahead.text_end == ahead.p ||
            (in_part && ahead.text_end - ahead.p > 2 && memcmp(ahead.p, "--", 2) == 0))
            return false;
        if (name_end(ahead.p, ahead.text_end)) {
            l->field = ahead.p;
            return true;
        }
    }
    return false;
}

/*
 * Where the body begins, when it begins here though no empty line says so; else NULL. It does
 * where a line of blanks stands in place of the empty line, or nothing at all, and what follows
 * can't be read as fields: base64 right behind the header, a text that has no header.
 */
static const char *
find_unsaid_body(Lines *l, bool in_part)
{
    Lines at = *l;

    lines_look(&at);
    if (is_blank_line(&at))
        at.p = at.next;
    if (at.p >= at.end || is_blank(*at.p) || *at.p == '\r' || *at.p == '\n')
        return NULL;
    lines_look(&at);
    if (at.next == at.text_end && !memchr(at.p, ' ', (size_t)(at.text_end - at.p)))
        return NULL; /* cut off within the name of a field */
    const char *found = field_follows(&at, in_part) ? NULL : at.p;
    l->field = at.field;
    return found;
}

const char *
header_part_body(const char *line, const char *end, const char **field)
{
    Lines l = {.p = line, .end = line + MIN((size_t)(end - line), LOOK_AHEAD), .field = *field};
    const char *found = find_unsaid_body(&l, true);

    *field = l.field;
    return found;
}

char *
header_unfold(const char *value, size_t len)
{
    g_autofree char *joined = NULL;
    const char *p = value, *end = value + len;

    while (p < end && (is_blank(*p) || *p == '\r' || *p == '\n'))
        p++;
    while (end > p && (is_blank(end[-1]) || end[-1] == '\r' || end[-1] == '\n'))
        end--;
    len = (size_t)(end - p);
    if (memchr(p, '\n', len) || memchr(p, '\r', len)) {
        size_t n = 0;
        joined = g_malloc(len);
        for (size_t i = 0; i < len; i++)
            if (p[i] != '\r' && p[i] != '\n')
                joined[n++] = p[i];
        p = joined;
        len = n;
    }
    if (memmem(p, len, "=?", 2) && !g_utf8_validate_len(p, len, NULL)) {
        g_autofree char *escaped = encword_escape(p, len);
        return charset_guess(escaped, strlen(escaped));
    }
    return charset_guess(p, len);
}

static void
add_field(HeaderBlock *b, const char *line, const char *line_end, const char *colon_from)
{
    const char *colon = memchr(colon_from, ':', (size_t)(line_end - colon_from));
    MsgHeader *h = g_new(MsgHeader, 1);

    h->name = charset_guess(line, (size_t)(colon_from - line));
    h->value = header_unfold(colon + 1, (size_t)(line_end - colon - 1));
    g_ptr_array_add(b->headers, h);
    if (g_ascii_strcasecmp(h->name, "Received") == 0)
        b->received++;
}

/* Ends the block where the body begins without an empty line; false: the block goes on. */
static bool
end_unsaid(HeaderBlock *b, Lines *l)
{
    const char *body = find_unsaid_body(l, false);

    if (body)
        l->p = body;
    b->damaged = body != NULL;
    return b->damaged;
}

/* Takes one field with its continuation lines; false when a limit is met. */
static bool
take_field(HeaderBlock *b, Lines *l, const MessageLimits *limits)
{
    const char *line = l->p;

    if ((size_t)(l->text_end - line) >= 3 && memcmp(line, BOM, 3) == 0)
        line += 3;
    const char *name = name_end(line, l->text_end), *stop = l->text_end;
    if (!name && b->headers->len > 0 && end_unsaid(b, l))
        return true;
    for (l->p = l->next; l->p < l->end && is_blank(*l->p); l->p = l->next) {
        lines_look(l);
        if (is_blank_line(l) && end_unsaid(b, l))
            break;
        stop = l->text_end;
        if ((size_t)(stop - line) > limits->max_header_line)
            return false;
    }
    if ((size_t)(stop - line) > limits->max_header_line)
        return false;
    if (name && b->headers->len >= limits->max_headers)
        return false;
    if (name)
        add_field(b, line, stop, name);
    return true;
}

/* Fields until the blank line. */
static void
split(HeaderBlock *b, Lines *l, const char *raw, const MessageLimits *limits)
{
    while (l->p < l->end && !b->damaged) {
        lines_look(l);
        if (l->text_end == l->p) {
            l->p = l->next;
            return;
        }
        if (!take_field(b, l, limits) || (size_t)(l->p - raw) > limits->max_header_block) {
            b->problem = "too_complex";
            return;
        }
    }
}

void
header_split(const void *raw, size_t len, const MessageLimits *asked, HeaderBlock *ret)
{
    MessageLimits limits = header_limits(asked);
    const char *p = len > 0 ? raw : "";
    /* A block that is too long need not be read to its end: one byte more than allowed will do.
     */
    size_t look = MIN(len, limits.max_header_block + 2);
    Lines l = {.p = p, .end = p + look};

    *ret =
        (HeaderBlock){.headers = g_ptr_array_new_with_free_func((GDestroyNotify)header_free)};
    if (len == 0) {
        ret->problem = "empty";
        return;
    }
    split(ret, &l, p, &limits);
    ret->body = (size_t)(l.p - p);
    ret->bare_cr = l.bare_cr;
    if (!ret->problem && ret->headers->len == 0) {
        ret->problem = "no_headers";
        ret->body = 0;
    }
}

void
header_body_digest(const void *body, size_t len, Digest *ret)
{
    const char *p = body, *end = p + len;
    const char *cr = len > 0 ? memchr(p, '\r', len) : NULL;

    if (!cr) {
        digest_of(body, len, ret);
        return;
    }
    /* With CRs in every line, small updates would cost more than the copy. */
    g_autofree char *lf = g_malloc(len);
    size_t n = 0;
    while (cr) {
        memcpy(lf + n, p, (size_t)(cr - p));
        n += (size_t)(cr - p);
        lf[n++] = '\n';
        p = cr + 1;
        if (p < end && *p == '\n')
            p++;
        cr = p < end ? memchr(p, '\r', (size_t)(end - p)) : NULL;
    }
    memcpy(lf + n, p, (size_t)(end - p));
    digest_of(lf, n + (size_t)(end - p), ret);
}
