#include "mail/dsn.h"

#include "base/limits.h"
#include "mail/mime/header.h"
#include "mail/mime/param.h"
#include "mail/msgid.h"

#define DIAGNOSTIC_CHARS 400u
#define GROUPS_MAX 1000u /* blank-line separated, of a delivery-status */

static const char *const action_names[] = {
    [DSN_UNKNOWN] = "unknown",     [DSN_FAILED] = "failed",   [DSN_DELAYED] = "delayed",
    [DSN_DELIVERED] = "delivered", [DSN_RELAYED] = "relayed", [DSN_EXPANDED] = "expanded"};
_Static_assert(G_N_ELEMENTS(action_names) == DSN_N_ACTIONS, "name every DsnAction");

static void
rcpt_free(DsnRcpt *r)
{
    if (!r)
        return;
    free_all(r->address, r->final, r->status, r->diagnostic, r);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DsnRcpt, rcpt_free)

void
dsn_free(Dsn *dsn)
{
    if (!dsn)
        return;
    g_ptr_array_unref(dsn->ids);
    g_ptr_array_unref(dsn->recipients);
    free_all(dsn->envid, dsn->reporter, dsn);
}

static Dsn *
dsn_new(bool standard)
{
    Dsn *dsn = g_new0(Dsn, 1);

    dsn->standard = standard;
    dsn->ids = g_ptr_array_new_with_free_func(g_free);
    dsn->recipients = g_ptr_array_new_with_free_func((GDestroyNotify)rcpt_free);
    return dsn;
}

/* ---- values ---- */

/* The value as one safe line; NULL when nothing is left. Caller frees. */
static char *
clean(const char *value)
{
    g_autofree char *copy = g_strstrip(g_strdup(value));
    g_autofree char *safe = text_vis(copy, false);

    return *safe ? text_shorten(safe, DIAGNOSTIC_CHARS) : NULL;
}

/* Behind the type of "rfc822; ann@x", "dns; mx.y", "smtp; 550 …". */
static const char *
behind_type(const char *value)
{
    const char *semicolon = strchr(value, ';');

    return semicolon ? semicolon + 1 + strspn(semicolon + 1, " \t") : value;
}

static int
hex_of(const char *p)
{
    int high = g_ascii_xdigit_value(p[0]), low = high < 0 ? -1 : g_ascii_xdigit_value(p[1]);

    return low < 0 ? -1 : high * 16 + low;
}

/* Original-Recipient is in xtext (RFC 3461 4). A "+" that is none stays: plus tags are common,
 * and not everybody encodes them. */
static char *
from_xtext(const char *value)
{
    GString *out = g_string_new(NULL);

    for (const char *p = value; *p; p++) {
        int c = *p == '+' ? hex_of(p + 1) : -1;
        bool encoded = c > ' ' && (p[1] < 'a' && p[2] < 'a'); /* its letters are capitals */
        g_string_append_c(out, encoded ? (char)c : *p);
        p += encoded ? 2 : 0;
    }
    return g_string_free(out, FALSE);
}

/* NULL for what is no addr-spec. Caller frees. */
static char *
spec_of(const char *text)
{
    g_autoptr(Addresses) list = address_parse_list(text);

    return list->len == 1 ? g_strdup(((Address *)list->pdata[0])->spec) : NULL;
}

static DsnAction
action_of(const char *value)
{
    size_t len = strcspn(value, " \t(;");

    for (DsnAction a = DSN_FAILED; a < DSN_N_ACTIONS; a++) {
        if (strlen(action_names[a]) == len &&
            g_ascii_strncasecmp(value, action_names[a], len) == 0)
            return a;
    }
    return DSN_UNKNOWN;
}

/* "5.1.1" of "5.1.1 (no such user)"; NULL. Caller frees. */
static char *
status_of(const char *value)
{
    const char *p = value;

    if (!strchr("245", *p) || *p == '\0')
        return NULL;
    p++;
    for (int part = 0; part < 2; part++) {
        size_t digits = *p == '.' ? strspn(p + 1, "0123456789") : 0;
        if (digits < 1 || digits > 3)
            return NULL;
        p += 1 + digits;
    }
    return g_strndup(value, (size_t)(p - value));
}

/* ---- message/delivery-status ---- */

/* A recipient while its fields are read. */
typedef struct Reading {
    Dsn *dsn;
    DsnRcpt *rcpt; /* NULL: still the fields of the whole mail */
    char *original;
} Reading;

static void
end_rcpt(Reading *r)
{
    g_autoptr(DsnRcpt) rcpt = g_steal_pointer(&r->rcpt);
    g_autofree char *original = g_steal_pointer(&r->original);

    if (!rcpt)
        return;
    rcpt->address = original ? g_steal_pointer(&original) : g_steal_pointer(&rcpt->final);
    if (rcpt->final && address_equal(rcpt->final, rcpt->address))
        g_clear_pointer(&rcpt->final, g_free);
    if (rcpt->action == DSN_UNKNOWN && rcpt->status)
        rcpt->action = rcpt->status[0] == '5'   ? DSN_FAILED
                       : rcpt->status[0] == '4' ? DSN_DELAYED
                                                : DSN_UNKNOWN;
    if (rcpt->address && r->dsn->recipients->len < LIMIT_RECIPIENTS)
        g_ptr_array_add(r->dsn->recipients, g_steal_pointer(&rcpt));
}

/* A second one of these without a blank line between is the next recipient all the same. */
static void
read_recipient(Reading *r, bool original, const char *value)
{
    bool have = r->rcpt && (original ? r->original || r->rcpt->action : r->rcpt->final != NULL);

    if (have)
        end_rcpt(r);
    if (!r->rcpt)
        r->rcpt = g_new0(DsnRcpt, 1);
    if (original) {
        g_autofree char *decoded = from_xtext(behind_type(value));
        r->original = spec_of(decoded);
    } else {
        r->rcpt->final = spec_of(behind_type(value));
    }
}

/* Keeps the first of two. */
static void
keep(char **at, char *take_value)
{
    if (*at)
        g_free(take_value);
    else
        *at = take_value;
}

static void
read_field(Reading *r, const MsgHeader *h)
{
    if (g_ascii_strcasecmp(h->name, "Original-Recipient") == 0)
        read_recipient(r, true, h->value);
    else if (g_ascii_strcasecmp(h->name, "Final-Recipient") == 0)
        read_recipient(r, false, h->value);
    else if (g_ascii_strcasecmp(h->name, "Original-Envelope-Id") == 0) {
        g_autofree char *decoded = from_xtext(h->value);
        keep(&r->dsn->envid, clean(decoded));
    } else if (g_ascii_strcasecmp(h->name, "Reporting-MTA") == 0)
        keep(&r->dsn->reporter, clean(behind_type(h->value)));
    if (!r->rcpt)
        return;
    if (g_ascii_strcasecmp(h->name, "Action") == 0 && r->rcpt->action == DSN_UNKNOWN)
        r->rcpt->action = action_of(h->value);
    else if (g_ascii_strcasecmp(h->name, "Status") == 0)
        keep(&r->rcpt->status, status_of(h->value));
    else if (g_ascii_strcasecmp(h->name, "Diagnostic-Code") == 0)
        keep(&r->rcpt->diagnostic, clean(behind_type(h->value)));
}

/* Groups of fields with blank lines between, the first about the whole mail. */
static void
read_status(Dsn *dsn, GBytes *content)
{
    Reading r = {.dsn = dsn};
    gsize len;
    const char *data = g_bytes_get_data(content, &len);
    const char *p = len > 0 ? data : "", *end = p + len;

    for (unsigned n = 0; p < end && n < GROUPS_MAX; n++) {
        HeaderBlock block;
        header_split(p, (size_t)(end - p), NULL, &block);
        for (guint i = 0; i < block.headers->len; i++)
            read_field(&r, block.headers->pdata[i]);
        end_rcpt(&r);
        g_ptr_array_unref(block.headers);
        if (block.problem && !g_str_equal(block.problem, "no_headers"))
            return;
        /* A block without fields is a blank line, or a line that is none. */
        const char *line = memchr(p, '\n', (size_t)(end - p));
        p = block.body > 0 ? p + block.body : line ? line + 1 : end;
    }
}

/* ---- which mail ---- */

static void
add_ids(Dsn *dsn, const char *value)
{
    g_autoptr(GPtrArray) found = msgid_parse_list(value ? value : "", 5);

    LIST_EACH(const char, id, found)
        if (!g_ptr_array_find_with_equal_func(dsn->ids, id, g_str_equal, NULL))
            g_ptr_array_add(dsn->ids, g_strdup(id));
}

/* The header of the mail that came back, whole or only its header. */
static void
read_returned(Dsn *dsn, const void *bytes, size_t len)
{
    HeaderBlock block;

    header_split(bytes, len, NULL, &block);
    add_ids(dsn, header_find(block.headers, "X-Microsoft-Original-Message-ID"));
    add_ids(dsn, header_find(block.headers, "Message-ID"));
    g_ptr_array_unref(block.headers);
}

static bool
is_returned(const char *type)
{
    static const char *const types[] = {"message/rfc822",         "text/rfc822-headers",
                                        "message/rfc822-headers", "message/global",
                                        "message/global-headers", NULL};

    return g_strv_contains(types, type);
}

static Dsn *
finish(Dsn *take_dsn, const Message *m)
{
    g_autoptr(Dsn) dsn = take_dsn;

    /* If no mail came back with the bounce, the ids are those of the mail that the bounce
     * answers. */
    add_ids(dsn, message_header(m, "In-Reply-To"));
    add_ids(dsn, message_header(m, "References"));
    return dsn->recipients->len > 0 ? g_steal_pointer(&dsn) : NULL;
}

static Dsn *
read_standard(const Message *m)
{
    Dsn *dsn = dsn_new(true);

    LIST_EACH(const MsgPart, part, m->parts) {
        gsize len;
        if (!part->content)
            continue;
        if (g_str_equal(part->content_type, "message/delivery-status") ||
            g_str_equal(part->content_type, "message/global-delivery-status")) {
            read_status(dsn, part->content);
        } else if (is_returned(part->content_type)) {
            const void *bytes = g_bytes_get_data(part->content, &len);
            read_returned(dsn, bytes, len);
        }
    }
    return finish(dsn, m);
}

/* ---- the others ---- */

static void
add_failed(Dsn *dsn, const char *spec, char *take_diagnostic)
{
    DsnRcpt *rcpt = g_new0(DsnRcpt, 1);

    rcpt->address = g_strdup(spec);
    rcpt->action = DSN_FAILED;
    rcpt->diagnostic = take_diagnostic;
    if (dsn->recipients->len < LIMIT_RECIPIENTS)
        g_ptr_array_add(dsn->recipients, rcpt);
    else
        rcpt_free(rcpt);
}

/* The returned mail in a text, behind a line that both programs write. */
static void
read_copy(Dsn *dsn, const char *text)
{
    static const char *const marks[] = {"--- Below this line is a copy of the message.",
                                        "------ This is a copy of the message",
                                        "------ This is a copy of your message"};

    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        const char *mark = strstr(text, marks[i]);
        const char *line = mark ? strchr(mark, '\n') : NULL;
        if (line) {
            line += strspn(line, "\n");
            read_returned(dsn, line, strlen(line));
        }
    }
}

/* Exim: the header names whom, the text says why. */
static Dsn *
read_exim(const Message *m)
{
    const char *failed = message_header(m, "X-Failed-Recipients");

    if (!failed)
        return NULL;
    Dsn *dsn = dsn_new(false);
    g_autoptr(Addresses) list = address_parse_list(failed);
    LIST_EACH(const Address, a, list)
        add_failed(dsn, a->spec, NULL);
    read_copy(dsn, m->text);
    return finish(dsn, m);
}

/* qmail: paragraphs "<ann@x>:", then the reason, up to the line before the copy. */
static Dsn *
read_qmail(const Message *m)
{
    if (!g_str_has_prefix(m->text, "Hi. This is the "))
        return NULL;
    Dsn *dsn = dsn_new(false);
    g_auto(GStrv) lines = g_strsplit(m->text, "\n", -1);

    for (char **line = lines; *line && !g_str_has_prefix(*line, "---"); line++) {
        size_t len = strlen(*line);
        if ((*line)[0] != '<' || len < 4 || !g_str_has_suffix(*line, ">:"))
            continue;
        g_autofree char *inside = g_strndup(*line + 1, len - 3);
        if (address_spec_valid(inside))
            add_failed(dsn, inside, line[1] ? clean(line[1]) : NULL);
    }
    read_copy(dsn, m->text);
    return finish(dsn, m);
}

static bool
is_report(const Message *m)
{
    g_autoptr(Params) type = params_parse(message_header(m, "Content-Type"));
    const char *report = params_find(type, "report-type");

    return g_str_equal(type->value, "multipart/report") &&
           (!report || g_ascii_strcasecmp(report, "delivery-status") == 0);
}

Dsn *
dsn_read(const Message *m)
{
    if (m->problem || m->flags & MSG_AMBIGUOUS)
        return NULL;
    if (is_report(m))
        return read_standard(m);
    /* Only what a server sends, with nobody to answer to. */
    if (m->automatic != MSG_AUTO_BOUNCE && m->automatic != MSG_AUTO_MACHINE &&
        m->automatic != MSG_AUTO_SUBMITTED)
        return NULL;
    Dsn *dsn = read_exim(m);
    return dsn ? dsn : read_qmail(m);
}
