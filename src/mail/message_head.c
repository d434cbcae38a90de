#include "mail/message_head.h"

#include "base/digest.h"
#include "base/limits.h"
#include "mail/maildate.h"
#include "mail/mime/bodytext.h"
#include "mail/mime/encword.h"
#include "mail/msgid.h"

/* A field that means something to us. */
typedef struct Seen {
    const char *first; /* NULL: none */
    unsigned count;
} Seen;

typedef struct Head {
    Message *m;
    Seen from, sender, reply_to, to, cc, date, subject, message_id, in_reply_to, references;
    Seen content_type, content_encoding, return_path, auto_submitted, precedence;
    Seen auto_suppress, autoreply, autorespond, list;
    bool bad_charset;
} Head;

typedef struct Known {
    const char *name;
    size_t at;   /* its Seen in the Head */
    bool single; /* RFC 5322 3.6: at most one. Two are a way to show two readers two mails. */
} Known;

static const Known known[] = {
    {"From", offsetof(Head, from), true},
    {"Sender", offsetof(Head, sender), true},
    {"Reply-To", offsetof(Head, reply_to), true},
    {"To", offsetof(Head, to), false},
    {"Cc", offsetof(Head, cc), false},
    {"Date", offsetof(Head, date), true},
    {"Subject", offsetof(Head, subject), true},
    {"Message-ID", offsetof(Head, message_id), true},
    {"In-Reply-To", offsetof(Head, in_reply_to), true},
    {"References", offsetof(Head, references), true},
    {"Content-Type", offsetof(Head, content_type), true},
    {"Content-Transfer-Encoding", offsetof(Head, content_encoding), true},
    {"Return-Path", offsetof(Head, return_path), false},
    {"Auto-Submitted", offsetof(Head, auto_submitted), false},
    {"Precedence", offsetof(Head, precedence), false},
    {"X-Auto-Response-Suppress", offsetof(Head, auto_suppress), false},
    {"X-Autoreply", offsetof(Head, autoreply), false},
    {"X-Autorespond", offsetof(Head, autorespond), false},
    {"List-", offsetof(Head, list), false}, /* any of them */
};

static bool
is_field(const char *name, const Known *k)
{
    /* The first letter decides nearly always, and a call costs more. */
    if ((name[0] | 0x20) != (k->name[0] | 0x20))
        return false;
    return k->at == offsetof(Head, list) ? g_ascii_strncasecmp(name, k->name, 5) == 0
                                         : g_ascii_strcasecmp(name, k->name) == 0;
}

/* All in one pass. */
static void
collect(Head *h)
{
    LIST_EACH(const MsgHeader, field, h->m->headers) {
        for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
            if (!is_field(field->name, &known[i]))
                continue;
            Seen *seen = (void *)((char *)h + known[i].at);
            if (seen->count++ == 0)
                seen->first = field->value;
            else if (known[i].single)
                h->m->flags |= MSG_AMBIGUOUS;
            break;
        }
    }
}

/* All fields of that name as one list. */
static Addresses *
read_addresses(const Head *h, const Seen *seen, const char *name)
{
    if (seen->count == 0)
        return addresses_new();
    if (seen->count == 1)
        return address_parse_list(seen->first);
    g_autoptr(GString) all = g_string_new(NULL);
    LIST_EACH(const MsgHeader, field, h->m->headers)
        if (g_ascii_strcasecmp(field->name, name) == 0)
            g_string_append_printf(all, "%s, ", field->value);
    return address_parse_list(all->str);
}

static void
read_from(Head *h)
{
    Message *m = h->m;

    if (h->from.count > 1)
        m->flags |= MSG_TWO_FROM;
    g_autoptr(Addresses) list = address_parse_list(h->from.first ? h->from.first : "");
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
    const char *value = h->return_path.first;

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
    const char *refs = h->references.first;

    m->in_reply_to = first_id(h->in_reply_to.first);
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

    m->id = first_id(h->message_id.first);
    if (!m->id) {
        Digest digest;

        digest_of(raw, len, &digest);
        g_autofree char *token = digest_token(&digest, 26);
        m->id = g_strdup_printf("%s@no-id.invalid", token);
        m->flags |= MSG_NO_ID;
    }
    read_references(h);
}

/* ---- was it a person? ---- */

/* The keyword of RFC 3834, whatever stands behind it. Two fields are not what a person's client
 * writes. */
static bool
says_automatic(const Head *h)
{
    const char *value = h->auto_submitted.first;

    if (!value)
        return false;
    value += strspn(value, " \t");
    size_t len = strcspn(value, " \t;(");
    bool no = len == 0 || (len == 2 && g_ascii_strncasecmp(value, "no", 2) == 0);
    return !no || h->auto_submitted.count > 1;
}

static bool
is_report(const Head *h)
{
    return h->content_type.first &&
           g_ascii_strncasecmp(h->content_type.first, "multipart/report", 16) == 0;
}

static bool
is_bulk(const Head *h)
{
    const char *value = h->precedence.first;

    return value && (g_ascii_strncasecmp(value, "bulk", 4) == 0 ||
                     g_ascii_strncasecmp(value, "junk", 4) == 0 ||
                     g_ascii_strncasecmp(value, "list", 4) == 0);
}

static bool
is_machine(const Head *h)
{
    const char *suppress = h->auto_suppress.first;

    if (suppress && g_ascii_strcasecmp(suppress, "none") != 0)
        return true;
    return h->autoreply.count > 0 || h->autorespond.count > 0 ||
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
    if (h->list.count > 0)
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
    m->to = read_addresses(&h, &h.to, "To");
    m->cc = read_addresses(&h, &h.cc, "Cc");
    m->reply_to = read_addresses(&h, &h.reply_to, "Reply-To");
    read_return_path(&h);
    read_ids(&h, raw, len);
    m->subject = encword_decode(h.subject.first ? h.subject.first : "", &h.bad_charset);
    if (bodytext_strip_invisible(m->subject))
        m->flags |= MSG_INVISIBLE;
    if (!h.date.first || !maildate_parse(h.date.first, &m->date_us))
        m->flags |= MSG_NO_DATE;
    if (h.bad_charset)
        m->flags |= MSG_BAD_CHARSET;
    m->automatic = classify(&h);
}
