#include "mail/message_head.h"

#include "base/digest.h"
#include "base/limits.h"
#include "mail/maildate.h"
#include "mail/mime/bodytext.h"
#include "mail/mime/encword.h"
#include "mail/msgid.h"

/* The fields that mean something to us, found in one pass. */
typedef enum Field {
    F_FROM,
    F_SENDER,
    F_REPLY_TO,
    F_TO,
    F_CC,
    F_DATE,
    F_SUBJECT,
    F_MESSAGE_ID,
    F_IN_REPLY_TO,
    F_REFERENCES,
    F_CONTENT_TYPE,
    F_CONTENT_ENCODING,
    F_RETURN_PATH,
    F_AUTO_SUBMITTED,
    F_PRECEDENCE,
    F_AUTO_SUPPRESS,
    F_AUTOREPLY,
    F_AUTORESPOND,
    F_LIST,
    F_N
} Field;

static const struct {
    const char *name;
    bool single; /* RFC 5322 3.6: at most one. Two are a way to show two readers two mails. */
} fields[F_N] = {
    [F_FROM] = {"From", true},
    [F_SENDER] = {"Sender", true},
    [F_REPLY_TO] = {"Reply-To", true},
    [F_TO] = {"To", false},
    [F_CC] = {"Cc", false},
    [F_DATE] = {"Date", true},
    [F_SUBJECT] = {"Subject", true},
    [F_MESSAGE_ID] = {"Message-ID", true},
    [F_IN_REPLY_TO] = {"In-Reply-To", true},
    [F_REFERENCES] = {"References", true},
    [F_CONTENT_TYPE] = {"Content-Type", true},
    [F_CONTENT_ENCODING] = {"Content-Transfer-Encoding", true},
    [F_RETURN_PATH] = {"Return-Path", false},
    [F_AUTO_SUBMITTED] = {"Auto-Submitted", false},
    [F_PRECEDENCE] = {"Precedence", false},
    [F_AUTO_SUPPRESS] = {"X-Auto-Response-Suppress", false},
    [F_AUTOREPLY] = {"X-Autoreply", false},
    [F_AUTORESPOND] = {"X-Autorespond", false},
    [F_LIST] = {"List-", false}, /* any of them */
};

typedef struct Head {
    Message *m;
    const char *first[F_N]; /* NULL: none */
    unsigned count[F_N];
    bool bad_charset;
} Head;

static bool
is_field(const char *name, Field f)
{
    /* One letter decides nearly always, and a call costs more. */
    if ((name[0] | 0x20) != (fields[f].name[0] | 0x20))
        return false;
    return f == F_LIST ? g_ascii_strncasecmp(name, "List-", 5) == 0
                       : g_ascii_strcasecmp(name, fields[f].name) == 0;
}

static void
collect(Head *h)
{
    LIST_EACH(const MsgHeader, field, h->m->headers) {
        for (Field f = 0; f < F_N; f++) {
            if (!is_field(field->name, f))
                continue;
            if (h->count[f]++ == 0)
                h->first[f] = field->value;
            break;
        }
    }
    for (Field f = 0; f < F_N; f++)
        if (fields[f].single && h->count[f] > 1)
            h->m->flags |= MSG_AMBIGUOUS;
}

/* All fields of that name as one list. */
static Addresses *
read_addresses(const Head *h, Field f)
{
    if (h->count[f] == 0)
        return addresses_new();
    if (h->count[f] == 1)
        return address_parse_list(h->first[f]);
    g_autoptr(GString) all = g_string_new(NULL);
    LIST_EACH(const MsgHeader, field, h->m->headers) {
        if (is_field(field->name, f))
            g_string_append_printf(all, "%s, ", field->value);
    }
    return address_parse_list(all->str);
}

static void
read_from(Head *h)
{
    Message *m = h->m;

    if (h->count[F_FROM] > 1)
        m->flags |= MSG_TWO_FROM;
    g_autoptr(Addresses) list = address_parse_list(h->first[F_FROM] ? h->first[F_FROM] : "");
    if (list->len > 1)
        m->flags |= MSG_TWO_FROM | MSG_AMBIGUOUS;
    if (list->len > 0)
        m->from = address_copy(list->pdata[0]);
    else
        m->flags |= MSG_NO_FROM;
}

static void
read_return_path(Head *h)
{
    const char *value = h->first[F_RETURN_PATH];

    if (!value)
        return;
    g_autoptr(Addresses) list = address_parse_list(value);
    if (list->len > 0)
        h->m->return_path = g_strdup(((Address *)list->pdata[0])->spec);
    else if (value[0] == '\0' ||
             (value[0] == '<' && value[1 + strspn(value + 1, " \t")] == '>'))
        h->m->return_path = g_strdup("");
}

static char *
first_id(const char *header)
{
    if (!header)
        return NULL;
    g_autoptr(GPtrArray) ids = msgid_parse_list(header, 1);
    return ids->len > 0 ? g_strdup(ids->pdata[0]) : NULL;
}

/* RFC 5256: References where it has a valid id, else the first of In-Reply-To. A mail is not
 * its own ancestor. */
static void
read_references(Head *h)
{
    Message *m = h->m;
    const char *refs = h->first[F_REFERENCES];

    m->in_reply_to = first_id(h->first[F_IN_REPLY_TO]);
    m->references = msgid_parse_list(refs ? refs : "", LIMIT_REFERENCES);
    if (m->references->len == 0 && m->in_reply_to)
        g_ptr_array_add(m->references, g_strdup(m->in_reply_to));
    for (unsigned i = m->references->len; i-- > 0;)
        if (strcmp(m->references->pdata[i], m->id) == 0)
            g_ptr_array_remove_index(m->references, i);
}

static void
read_ids(Head *h, const void *raw, size_t len)
{
    Message *m = h->m;

    m->id = first_id(h->first[F_MESSAGE_ID]);
    if (!m->id) {
        Digest digest;

        digest_of(raw, len, &digest);
        g_autofree char *token = digest_token(&digest, 26);
        m->id = g_strdup_printf("%s@no-id.invalid", token);
        m->flags |= MSG_NO_ID;
    }
    read_references(h);
}

static void
read_subject(Head *h)
{
    h->m->subject =
        encword_decode(h->first[F_SUBJECT] ? h->first[F_SUBJECT] : "", &h->bad_charset);
    if (bodytext_strip_invisible(h->m->subject))
        h->m->flags |= MSG_INVISIBLE;
}

/* ---- was it a person? ---- */

/* The keyword of RFC 3834, whatever stands behind it. Two fields are not what a person's client
 * writes. */
static bool
says_automatic(const Head *h)
{
    const char *value = h->first[F_AUTO_SUBMITTED];

    if (!value)
        return false;
    value += strspn(value, " \t");
    size_t len = strcspn(value, " \t;(");
    bool no = len == 0 || (len == 2 && g_ascii_strncasecmp(value, "no", 2) == 0);
    return !no || h->count[F_AUTO_SUBMITTED] > 1;
}

static bool
is_report(const Head *h)
{
    return h->first[F_CONTENT_TYPE] &&
           g_ascii_strncasecmp(h->first[F_CONTENT_TYPE], "multipart/report", 16) == 0;
}

static bool
is_bulk(const Head *h)
{
    const char *value = h->first[F_PRECEDENCE];

    return value && (g_ascii_strncasecmp(value, "bulk", 4) == 0 ||
                     g_ascii_strncasecmp(value, "junk", 4) == 0 ||
                     g_ascii_strncasecmp(value, "list", 4) == 0);
}

static bool
is_machine(const Head *h)
{
    const char *suppress = h->first[F_AUTO_SUPPRESS];

    if (suppress && g_ascii_strcasecmp(suppress, "none") != 0)
        return true;
    return h->count[F_AUTOREPLY] > 0 || h->count[F_AUTORESPOND] > 0 ||
           (h->m->from && address_is_machine(h->m->from->spec)) ||
           (h->m->return_path && address_is_machine(h->m->return_path));
}

static MsgAuto
classify(const Head *h)
{
    if ((h->m->return_path && h->m->return_path[0] == '\0') || is_report(h))
        return MSG_AUTO_BOUNCE;
    if (says_automatic(h))
        return MSG_AUTO_SUBMITTED;
    if (h->count[F_LIST] > 0)
        return MSG_AUTO_LIST;
    if (is_bulk(h))
        return MSG_AUTO_BULK;
    return is_machine(h) ? MSG_AUTO_MACHINE : MSG_AUTO_NO;
}

void
message_head_read(Message *m, const void *raw, size_t len)
{
    Head h = {.m = m};

    collect(&h);
    read_from(&h);
    m->to = read_addresses(&h, F_TO);
    m->cc = read_addresses(&h, F_CC);
    m->reply_to = read_addresses(&h, F_REPLY_TO);
    read_return_path(&h);
    read_ids(&h, raw, len);
    read_subject(&h);
    if (!h.first[F_DATE] || !maildate_parse(h.first[F_DATE], &m->date_us))
        m->flags |= MSG_NO_DATE;
    if (h.bad_charset)
        m->flags |= MSG_BAD_CHARSET;
    m->automatic = classify(&h);
}
