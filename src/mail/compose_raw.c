/*
 * A person's own mail, as mutt hands it to sendmail -t. It stays as it is, but for what must
 * not leave: Bcc, and headers that only we may write. Our own reader also takes a lone CR for a
 * line end and looks past a BOM, so a header block with such things is refused here: nothing
 * that we let through may be read as a field that we did not see.
 */
#include "mail/compose.h"

#include "base/limits.h"
#include "mail/mime/encode.h"
#include "mail/msgid.h"

typedef struct RawMail {
    GString *rest;
    Addresses *bcc;
    char *msgid;
    ComposeWho *who; /* NULL: bare names stay */
    void *who_data;
} RawMail;

static GString *
with_unix_lines(const char *raw, size_t len)
{
    GString *out = g_string_sized_new(len);

    while (len > 0) {
        const char *cr = memchr(raw, '\r', len);
        size_t upto = cr ? (size_t)(cr - raw) : len;
        g_string_append_len(out, raw, (gssize)upto);
        if (cr && (upto + 1 == len || cr[1] != '\n'))
            g_string_append_c(out, '\r');
        raw += upto + (cr ? 1 : 0);
        len -= upto + (cr ? 1 : 0);
    }
    return out;
}

/* Behind the newline of the field that begins here, its continuation lines included. */
static const char *
field_end(const char *field, const char *end)
{
    const char *p = field;

    do {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline)
            return end;
        p = newline + 1;
    } while (p < end && (*p == ' ' || *p == '\t'));
    return p;
}

/* Length of the field's name; 0 when the line is no field. */
static size_t
field_name_length(const char *field, const char *end)
{
    size_t n = 0;

    while (field + n < end && field[n] > ' ' && field[n] < 0x7f && field[n] != ':')
        n++;
    const char *p = field + n;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p < end && *p == ':' ? n : 0;
}

static bool
name_is(const char *field, size_t len, const char *name)
{
    return strlen(name) == len && g_ascii_strncasecmp(field, name, len) == 0;
}

static char *
unfolded_value(const char *field, const char *end)
{
    const char *colon = memchr(field, ':', (size_t)(end - field));
    g_autofree char *value = text_make_valid(colon + 1, end - colon - 1);

    for (char *p = value; *p; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    return g_strstrip(g_steal_pointer(&value));
}

/* ---- Bare names ---- */

/* The end of the list's first entry: a comma that stands in no quotes, brackets or comment. */
static const char *
entry_end(const char *p)
{
    char closing = '\0';

    for (; *p && (closing || *p != ','); p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (closing)
            closing = *p == closing ? '\0' : closing;
        else
            closing = *p == '"' ? '"' : *p == '(' ? ')' : *p == '<' ? '>' : '\0';
    }
    return p;
}

/* "root", "root (Cron Daemon)", "Cron Daemon <root>": false for anything but one bare word. */
static bool
split_bare(const char *entry, char **ret_word, char **ret_name)
{
    const char *open = strpbrk(entry, "(<"),
               *close = open ? strchr(open, *open == '(' ? ')' : '>') : NULL;
    if (open && !close)
        return false;
    g_autofree char *outside =
        g_strstrip(g_strndup(entry, open ? (size_t)(open - entry) : strlen(entry)));
    g_autofree char *inside =
        open ? g_strstrip(g_strndup(open + 1, (size_t)(close - open - 1))) : g_strdup("");
    bool angle = open && *open == '<';
    char **word = angle ? &inside : &outside, **name = angle ? &outside : &inside;

    if (!**word || (*word)[strcspn(*word, " \t@\"()<>:;,")] ||
        (close && close[1 + strspn(close + 1, " \t")]))
        return false;
    *ret_word = g_steal_pointer(word);
    *ret_name = g_steal_pointer(name);
    return true;
}

/* The list with an address for each bare name; caller frees. */
static char *
with_addresses(const RawMail *mail, const char *field, const char *list, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);

    for (const char *p = list, *end; *p; p = *end ? end + 1 : end) {
        end = entry_end(p);
        g_autofree char *entry = g_strstrip(g_strndup(p, (size_t)(end - p)));
        g_autofree char *word = NULL, *name = NULL;
        if (split_bare(entry, &word, &name)) {
            g_autofree char *spec = mail->who(mail->who_data, field, word, error);
            if (!spec)
                return NULL;
            g_free(entry);
            entry = address_format(name, spec);
        }
        g_string_append_printf(out, "%s%s", out->len ? ", " : "", entry);
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* Replaces *value, which is that of an address field, where it holds a bare name. */
static bool
fill_names(RawMail *mail,
           const char *field,
           size_t len,
           char **value,
           bool *ret_changed,
           GError **error)
{
    static const char *const fields[] = {"from", "to", "cc", "bcc"};

    *ret_changed = false;
    for (size_t i = 0; mail->who && i < G_N_ELEMENTS(fields); i++) {
        if (!name_is(field, len, fields[i]))
            continue;
        g_autofree char *filled = with_addresses(mail, fields[i], *value, error);
        if (!filled)
            return false;
        *ret_changed = strcmp(filled, *value) != 0;
        g_free(*value);
        *value = g_steal_pointer(&filled);
    }
    return true;
}

/* ---- Fields ---- */

/* True for a header that only this home writes: our own, and those of the workflow, which are
 * copies of rows. */
static bool
is_not_theirs(const char *field, size_t len)
{
    static const char prefix[] = "X-Postrider-";

    return g_ascii_strncasecmp(field, prefix, strlen(prefix)) == 0 ||
           name_is(field, len, "X-Event-Type") || name_is(field, len, "X-Artifacts") ||
           name_is(field, len, "X-Workflow-State") || name_is(field, len, "X-Session-Id");
}

static bool
take_field(RawMail *mail, const char *field, const char *end, GError **error)
{
    size_t len = field_name_length(field, end);
    g_autofree char *value = len > 0 ? unfolded_value(field, end) : NULL;

    if (len == 0 || memchr(field, '\r', (size_t)(end - field)) ||
        memchr(field, '\0', (size_t)(end - field))) {
        g_autofree char *line = g_strndup(field, strcspn(field, "\n"));
        g_autofree char *vis = text_vis(line, false);
        g_autofree char *shown = text_shorten(vis, 100);
        return err_set(error, ERR_NEVER, "'%s' is no header line", shown);
    }
    bool changed;
    if (!fill_names(mail, field, len, &value, &changed, error))
        return false;
    if (name_is(field, len, "Bcc") || name_is(field, len, "Resent-Bcc")) {
        g_ptr_array_extend_and_steal(LIST_ARRAY(mail->bcc),
                                     LIST_ARRAY(address_parse_list(value)));
    } else if (name_is(field, len, "Message-ID")) {
        if (!mail->msgid)
            mail->msgid = msgid_parse(value);
    } else if (changed) {
        g_autofree char *name = g_strndup(field, len);
        encode_structured(mail->rest, name, value);
    } else if (!is_not_theirs(field, len)) {
        g_string_append_len(mail->rest, field, end - field);
        if (end[-1] != '\n')
            g_string_append_c(mail->rest, '\n');
    }
    return true;
}

static bool
take_all(RawMail *mail, const char *p, const char *end, GError **error)
{
    const char *start = p;

    if (end - p >= 5 && memcmp(p, "From ", 5) == 0) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        p = newline ? newline + 1 : end;
    }
    bool has_headers = p < end && *p != '\n' && (!mail->who || field_name_length(p, end) > 0);
    if (!has_headers && !mail->who)
        return err_set(error, ERR_NEVER, "the mail has no headers");
    if (!has_headers) {
        g_string_append_printf(mail->rest,
                               "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
                               "Content-Transfer-Encoding: 8bit\n%s",
                               p < end && *p == '\n' ? "" : "\n");
        g_string_append_len(mail->rest, p, end - p);
        return true;
    }
    while (p < end && *p != '\n') {
        const char *next = field_end(p, end);
        if (next - start > (ptrdiff_t)LIMIT_HEADER_BLOCK)
            return err_set(error, ERR_LIMIT, "headers larger than %u bytes",
                           LIMIT_HEADER_BLOCK);
        if (!take_field(mail, p, next, error))
            return false;
        p = next;
    }
    if (p == end)
        g_string_append_c(mail->rest, '\n');
    g_string_append_len(mail->rest, p, end - p);
    return true;
}

bool
compose_raw(const void *raw,
            size_t len,
            ComposeWho *who,
            void *data,
            GBytes **ret_rest,
            char **ret_msgid,
            Addresses **ret_bcc,
            GError **error)
{
    if (len > LIMIT_MESSAGE_BYTES)
        return err_set(error, ERR_LIMIT, "the mail is larger than %u bytes",
                       LIMIT_MESSAGE_BYTES);

    GString *text = with_unix_lines(raw, len);
    RawMail mail = {.rest = g_string_sized_new(text->len),
                    .bcc = addresses_new(),
                    .who = who,
                    .who_data = data};
    bool ok = take_all(&mail, text->str, text->str + text->len, error);
    g_string_free(text, TRUE);
    if (!ok) {
        g_string_free(mail.rest, TRUE);
        addresses_free(mail.bcc);
        g_free(mail.msgid);
        return false;
    }
    *ret_rest = g_string_free_to_bytes(mail.rest);
    *ret_msgid = mail.msgid;
    *ret_bcc = mail.bcc;
    return true;
}
