#include "wire/smtp_reply.h"
#include "base/secret.h"

void
smtp_reply_clear(SmtpReply *reply)
{
    g_clear_pointer(&reply->status, g_free);
    g_clear_pointer(&reply->text, g_free);
    g_clear_pointer(&reply->lines, g_ptr_array_unref);
}

/* --- one line --- */

/* The code at the start of a line; 0: none. */
static int
code_of(const char *line, size_t len)
{
    if (len < 3 || line[0] < '2' || line[0] > '5' || !g_ascii_isdigit(line[1]) ||
        !g_ascii_isdigit(line[2]))
        return 0;
    if (len > 3 && line[3] != ' ' && line[3] != '-')
        return 0;
    return (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
}

/* Length of the enhanced code at the start of the text; 0: none of this class. */
static size_t
status_len(const char *text, char class)
{
    const char *p = text;

    if (*p++ != class)
        return 0;
    for (int part = 0; part < 2; part++) {
        size_t digits = *p == '.' ? strspn(p + 1, "0123456789") : 0;
        if (digits < 1 || digits > 3)
            return 0;
        p += 1 + digits;
    }
    return *p == '\0' || *p == ' ' ? (size_t)(p - text) : 0;
}

/* --- the whole --- */

/* Where the line that begins at data ends; *ret_next: where the next begins. NULL: not yet. */
static const char *
line_end(const char *data, const char *end, const char **ret_next)
{
    const char *lf = data < end ? memchr(data, '\n', (size_t)(end - data)) : NULL;

    if (!lf)
        return NULL;
    *ret_next = lf + 1;
    return lf > data && lf[-1] == '\r' ? lf - 1 : lf;
}

/* All lines as one: the enhanced code, which most servers repeat on each, once. */
static void
make_text(SmtpReply *r)
{
    g_autoptr(GString) all = g_string_new(NULL);
    char class = (char)('0' + r->code / 100);

    g_string_append_printf(all, "%d", r->code);
    if (r->status)
        g_string_append_printf(all, " %s", r->status);
    for (guint i = 0; i < r->lines->len && all->len < 4 * SMTP_REPLY_TEXT; i++) {
        const char *line = r->lines->pdata[i];
        if (r->status)
            line += status_len(line, class);
        line += strspn(line, " \t");
        if (*line)
            g_string_append_printf(all, " %s", line);
    }
    g_autofree char *hidden = secret_hide(g_strdup(all->str));
    g_autofree char *safe = text_vis(hidden, false);
    r->text = text_shorten(safe, SMTP_REPLY_TEXT);
}

static void
finish(SmtpReply *r)
{
    const char *first = r->lines->pdata[0];
    size_t len = status_len(first, (char)('0' + r->code / 100));

    if (len > 0)
        r->status = g_strndup(first, len);
    make_text(r);
}

static int
bad(GError **error, ErrCode code, const char *what)
{
    err_set(error, code, "%s", what);
    return -1;
}

/* A line that has not ended yet: may it still become one? */
static int
wait_or_refuse(const char *line, const char *end, const char *start, GError **error)
{
    if ((size_t)(end - line) > SMTP_REPLY_LINE || (size_t)(end - start) > SMTP_REPLY_MAX)
        return bad(error, ERR_LIMIT,
                   "the server's reply is larger than 64 KB or its line than 4");
    return 0;
}

int
smtp_reply_parse(const char *data, size_t len, size_t *ret_used, SmtpReply *ret, GError **error)
{
    g_auto(SmtpReply) r = {.lines = g_ptr_array_new_with_free_func(g_free)};
    bool last = false;

    data = len > 0 ? data : "";
    const char *end = data + len, *next = data;
    for (const char *line = data; !last; line = next) {
        const char *stop = line_end(line, end, &next);
        if (!stop || (size_t)(next - line) > SMTP_REPLY_LINE + 2)
            return wait_or_refuse(line, stop ? stop : end, data, error);
        int code = code_of(line, (size_t)(stop - line));
        if (code == 0)
            return bad(error, ERR_LATER, "what the server said is no reply of SMTP");
        if (r.lines->len > 0 && code != r.code)
            return bad(error, ERR_LATER, "the server's reply has two codes");
        r.code = code;
        last = stop - line == 3 || line[3] == ' ';
        const char *text = line + MIN(4, stop - line);
        g_ptr_array_add(r.lines, text_make_valid(text, stop - text));
    }
    if ((size_t)(next - data) > SMTP_REPLY_MAX)
        return wait_or_refuse(data, next, data, error);
    finish(&r);
    *ret_used = (size_t)(next - data);
    *ret = r;
    r = (SmtpReply){0};
    return 1;
}

/* --- EHLO --- */

/* The parameter of the extension when the line offers it, "" when it has none; else NULL. */
static const char *
offers(const char *line, const char *keyword)
{
    size_t len = strlen(keyword);

    if (g_ascii_strncasecmp(line, keyword, len) != 0 || (line[len] != '\0' && line[len] != ' '))
        return NULL;
    return line + len + strspn(line + len, " ");
}

SmtpOffer
smtp_offer_of(const SmtpReply *reply)
{
    SmtpOffer o = {0};

    if (reply->code != 250)
        return o;
    for (guint i = 1; i < reply->lines->len; i++) { /* the first is a greeting */
        const char *line = reply->lines->pdata[i], *size = offers(line, "SIZE");
        int64_t n = 0;

        o.eight_bit = o.eight_bit || offers(line, "8BITMIME");
        o.utf8 = o.utf8 || offers(line, "SMTPUTF8");
        o.dsn = o.dsn || offers(line, "DSN");
        if (size) {
            o.size = true;
            o.max_size = text_parse_int(size, 0, INT64_MAX, &n) ? (uint64_t)n : 0;
        }
    }
    return o;
}
