#include "engine/in/quotes.h"
#include "engine/mail_load.h"
#include "mail/quoted.h"
#include "store/out/outbox.h"

#define MAILS_MAX 60 /* of each kind; who quotes older ones quotes somebody unknown */

/* A mail that may have the quoted lines. */
typedef struct Source {
    const MsgRow *in;
    const OutRow *out; /* one of both */
    Trust floor;
    bool parent; /* the mail that is answered */
    int64_t at_us;
} Source;

typedef struct Sources {
    Engine *engine;
    const char *role;
    MsgRows *in; /* own their rows */
    OutRows *out;
    GArray *list; /* of Source */
    guint next;
} Sources;

static void
sources_clear(Sources *s)
{
    g_clear_pointer(&s->in, msg_rows_free);
    g_clear_pointer(&s->out, out_rows_free);
    g_clear_pointer(&s->list, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sources, sources_clear)

/* The best floor first, then what is answered, then the newest. */
static int
source_compare(gconstpointer a, gconstpointer b)
{
    const Source *x = a, *y = b;
    if (x->floor != y->floor)
        return x->floor < y->floor ? 1 : -1;
    if (x->parent != y->parent)
        return x->parent ? -1 : 1;
    return (x->at_us < y->at_us) - (x->at_us > y->at_us);
}

static void
add_source(Sources *s, const Message *m, const char *msgid, Source source)
{
    source.parent = g_strcmp0(m->in_reply_to, msgid) == 0;
    if (source.floor > TRUST_ANYONE)
        g_array_append_val(s->list, source);
}

static void
add_taken_in(Sources *s, const Message *m, Quoted *q)
{
    LIST_EACH(const MsgRow, row, s->in) {
        const Source source = {.in = row, .floor = row->floor, .at_us = row->received_us};
        g_auto(GStrv) to = g_strsplit(row->to, " ", -1);
        add_source(s, m, row->msgid, source);
        if (row->floor == TRUST_ANYONE)
            continue;
        quoted_name(q, row->from_name);
        quoted_name(q, row->from);
        quoted_name(q, row->subject);
        for (char **spec = to; *spec; spec++)
            quoted_name(q, *spec);
    }
}

/* A mail has a row for each recipient. */
static void
add_written(Sources *s, const Message *m, Quoted *q)
{
    const OutRow *last = NULL;
    LIST_EACH(const OutRow, row, s->out) {
        const Source source = {.out = row, .floor = row->floor, .at_us = row->created_us};
        if (row->floor > TRUST_ANYONE)
            quoted_name(q, row->address);
        if (last && last->id.v == row->id.v)
            continue;
        last = row;
        add_source(s, m, row->msgid, source);
        if (row->floor == TRUST_ANYONE)
            continue;
        quoted_name(q, row->from);
        quoted_name(q, row->subject);
    }
}

static bool
find_sources(Sources *s, const MsgNew *in, JobId job, Quoted *q, GError **error)
{
    const Viewer viewer = {.role = s->role};
    const MsgQuery mails = {.thread = in->thread, .limit = MAILS_MAX};
    const OutQuery written = {.job = job, .all = true, .copies = true, .limit = MAILS_MAX};
    const ConfRole *role = config_role(s->engine->home->config, s->role);
    s->list = g_array_new(FALSE, FALSE, sizeof(Source));
    if (!messages_list(s->engine->db, &viewer, &mails, &s->in, error) ||
        (job.v && !outbox_list(s->engine->db, &viewer, &written, &s->out, error)))
        return false;
    add_taken_in(s, in->mail, q);
    if (s->out)
        add_written(s, in->mail, q);
    g_array_sort(s->list, source_compare);
    /* Whom it was sent to, and who sent it, is in its own headers. */
    quoted_name(q, role ? role->display : NULL);
    quoted_name(q, role ? role->address : NULL);
    quoted_name(q, in->mail->from->name);
    quoted_name(q, in->mail->from->spec);
    return true;
}

/* QuotedNext: the next mail whose file can be read. */
static bool
next_text(void *data, char **ret_text, Trust *ret_floor, GError **error)
{
    Sources *s = data;
    g_autoptr(GBytes) raw = NULL;
    const Source *source = NULL;
    while (!raw && s->next < s->list->len) {
        source = &g_array_index(s->list, Source, s->next++);
        bool read = source->in ? mail_bytes(s->engine, source->in, &raw, error)
                               : mail_bytes_out(s->engine, source->out, s->role, &raw, error);
        if (!read)
            return false;
    }
    *ret_text = NULL;
    if (!raw)
        return true;
    g_autoptr(Message) m = message_parse_bytes(raw, MESSAGE_TEXT);
    *ret_text = g_strdup(m->text);
    *ret_floor = source->floor;
    return true;
}

bool
quotes_lower_floor(Engine *engine, MsgNew *in, JobId job, GError **error)
{
    g_auto(Sources) s = {.engine = engine, .role = in->role};
    Trust floor;
    if (in->floor == TRUST_ANYONE || in->trust <= TRUST_ROLE || !in->mail->from)
        return true;
    g_autoptr(Quoted) q = quoted_new(in->mail);
    if (!q)
        return true;
    if (!find_sources(&s, in, job, q, error) || !quoted_floor(q, next_text, &s, &floor, error))
        return false;
    in->floor = MIN(in->floor, floor);
    return true;
}
