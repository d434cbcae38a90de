#include "engine/context/conversation.h"
#include "base/clock.h"
#include "engine/in/mail_in.h"
#include "engine/mail_load.h"
#include "engine/context/lineage.h"
#include "mail/address.h"
#include "mail/message.h"
#include "store/out/outbox.h"

#define ROWS_MAX 400u /* of each kind that are looked at, the newest */
#define WHOLE_MAX 50u /* mails that are shown in full at most */
#define HEADS_MAX 15u /* mails that are shown by their headers alone */
#define FROM_IN "earlier"
#define FROM_IN_HEAD "earlier-head"
#define FROM_OUT "sent"
#define FROM_OUT_HEAD "sent-head"

/* One mail of the conversation. Rows are borrowed. */
typedef struct Item {
    int64_t at_us;
    const MsgRow *in;   /* taken in; NULL: written by the job */
    const OutRow *out;  /* one of its deliveries */
    const OutRow *copy; /* its place in Sent; NULL: none */
    char *text;         /* headers, and the body where there was room; NULL: not shown */
    bool whole;         /* text has the body */
    bool gone;          /* it would have, but the mail's file is not there */
} Item;

typedef struct Thread {
    MsgRows *in; /* these three own their rows */
    OutRows *out;
    MsgRows *past;    /* of mail from before the job */
    GPtrArray *items; /* of Item, oldest first */
    GHashTable *seen; /* Message-IDs that are passed over; NULL: none; borrowed */
} Thread;

static void
item_free(gpointer p)
{
    Item *item = p;
    free_all(item->text, item);
}

static void
thread_clear(Thread *t)
{
    g_clear_pointer(&t->items, g_ptr_array_unref);
    g_clear_pointer(&t->in, msg_rows_free);
    g_clear_pointer(&t->out, out_rows_free);
    g_clear_pointer(&t->past, msg_rows_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Thread, thread_clear)

static const char *
item_msgid(const Item *item)
{
    return item->in ? item->in->msgid : item->out->msgid;
}

static int
item_compare(gconstpointer a, gconstpointer b)
{
    const Item *x = *(const Item *const *)a, *y = *(const Item *const *)b;
    return (x->at_us > y->at_us) - (x->at_us < y->at_us);
}

/* --- one mail as text --- */

static char *
format_head(
    const char *from, const char *to, int64_t date_us, const char *subject, const char *msgid)
{
    g_autofree char *date = date_us ? clock_format_mail(date_us) : g_strdup("unknown");
    return g_strdup_printf("From: %s\nTo: %s\nDate: %s\nSubject: %s\nMessage-ID: <%s>\n\n",
                           from, to, date, subject, msgid);
}

char *
conversation_head(const MsgRow *row)
{
    g_autofree char *from = address_show(row->from_name, row->from);
    return format_head(from, row->to, row->date_us, row->subject, row->msgid);
}

static char *
item_head(const Item *item)
{
    const OutRow *out = item->out;
    return item->in ? conversation_head(item->in)
                    : format_head(out->from, out->address, out->created_us, out->subject,
                                  out->msgid);
}

/* Who somebody of this level is, and what their words are worth, for a brain. */
static const char *
level_words(Trust level)
{
    static const char *const words[TRUST_N] = {
        [TRUST_ANYONE] = "a stranger: information only",
        [TRUST_KNOWN] = "known, but nobody you work for: information only",
        [TRUST_ROLE] = "another agent",
        [TRUST_PRINCIPAL] = "somebody you work for",
        [TRUST_OPERATOR] = "your operator",
    };
    return words[level];
}

char *
conversation_sender(const MsgRow *row)
{
    const char *who = level_words(row->trust);
    const char *did = row->trust > TRUST_ROLE ? "QUOTES" : "HAD READ";
    return row->floor < row->trust
               ? g_strdup_printf("SENDER IS %s, WHO %s %s", who, did, level_words(row->floor))
               : g_strdup_printf("SENDER IS %s", who);
}

char *
conversation_head_inside(const Message *m)
{
    g_autofree char *from =
        m->from ? address_show(m->from->name, m->from->spec) : g_strdup("unknown");
    g_autofree char *to = address_show_list(m->to);
    return format_head(from, to, m->date_us, m->subject, m->id);
}

void
conversation_add_text(GString *out, const Message *m)
{
    const char *p = m->text;
    while (g_ascii_isspace(*p))
        p++;
    if (*p) {
        g_string_append(out, m->text);
        return;
    }
    g_string_append_printf(out, "%s%s(%s", m->subject, *m->subject ? "\n" : "",
                           message_header(m, MAIL_LARGE_HEADER)
                               ? "This mail is too large: only its headers were read."
                               : "This mail has no text.");
    for (guint i = 0; i < m->files->len; i++) {
        const MsgPart *part = g_ptr_array_index(m->files, i);
        g_autofree char *size = text_format_size(part->size);
        g_string_append_printf(out, "%s%s (%s, %s)", i ? ", " : " It holds: ", part->filename,
                               part->content_type, size);
    }
    g_string_append(out, m->files->len ? ".)\n" : ")\n");
}

/* Lists the files that a mail has attached, among its headers. */
static void
add_files(GString *out, const Message *m)
{
    LIST_EACH(const MsgPart, part, m->files) {
        g_autofree char *size = text_format_size(part->size);
        g_string_append_printf(out, "attached: %s (%s, %s)\n", part->filename,
                               part->content_type, size);
    }
}

/* The line that ends our mails is for people (engine/out/role_mail.h). */
static void
drop_footer(GString *out)
{
    char *mark = g_strrstr(out->str, "\n-- \njob ");
    if (!mark)
        return;
    g_string_truncate(out, (gsize)(mark - out->str));
    while (out->len > 0 && g_ascii_isspace(out->str[out->len - 1]))
        g_string_truncate(out, out->len - 1);
}

/* Headers and body; the headers alone when the file is gone. */
static bool
read_item(Engine *engine, const Job *job, Item *item, char **ret, GError **error)
{
    g_autoptr(Message) m = NULL;
    g_autofree char *head = item_head(item);
    bool read = item->in ? mail_load(engine, item->in, MESSAGE_TEXT, &m, error)
                         : mail_load_out(engine, item->out, job->role, MESSAGE_TEXT, &m, error);
    if (!read)
        return false;
    item->gone = !m;
    if (!m) {
        *ret = g_strconcat(head, "(The text of this mail is gone.)", NULL);
        return true;
    }
    GString *out = g_string_new_len(head, (gssize)strlen(head) - 1);
    add_files(out, m);
    g_string_append_c(out, '\n');
    conversation_add_text(out, m);
    if (item->out)
        drop_footer(out);
    *ret = g_string_free(out, FALSE);
    return true;
}

/* --- which mails --- */

/* True when the resumed session knows this mail already. step: the step of the job that settled
 * or wrote the mail; 0: none did. */
static bool
is_known(const StepInput *in, int step, int64_t at_us)
{
    if (!in->resumed)
        return false;
    return step ? step <= in->session->step : at_us <= in->session->told_us;
}

static bool
add_taken_in(Engine *engine, const Job *job, const StepInput *in, Thread *t, GError **error)
{
    const MsgQuery query = {.job = job->id, .state = "handled", .limit = ROWS_MAX};

    if (!lineage_mail_in(engine->db, &VIEWER_OF(job->role), &query, &t->in, error))
        return false;
    LIST_EACH(const MsgRow, row, t->in) {
        if (row->class == MSG_CHECKPOINT || msg_rows_have(in->shown, row->id) ||
            (t->seen && g_hash_table_contains(t->seen, row->msgid)) ||
            is_known(in, row->step, row->received_us))
            continue;
        Item *item = g_new0(Item, 1);
        item->in = row;
        item->at_us = row->received_us;
        g_ptr_array_add(t->items, item);
    }
    return true;
}

/* Adds mail of the thread from before its first mail reached us, as far as it could be fetched
 * (engine/run/demand.h). */
static bool
add_past(Engine *engine, const Job *job, const StepInput *in, Thread *t, GError **error)
{
    const MsgQuery query = {
        .thread = job->thread, .state = "handled", .history_only = true, .limit = ROWS_MAX};

    if (!messages_list(engine->db, &VIEWER_OF(job->role), &query, &t->past, error))
        return false;
    LIST_EACH(const MsgRow, row, t->past) {
        if ((t->seen && g_hash_table_contains(t->seen, row->msgid)) ||
            is_known(in, 0, row->received_us))
            continue;
        Item *item = g_new0(Item, 1);
        item->in = row;
        item->at_us = row->date_us ? MIN(row->date_us, row->received_us) : row->received_us;
        g_ptr_array_add(t->items, item);
    }
    return true;
}

/* Adds one of the rows of a mail that the job wrote. */
static void
add_row(Item *item, const OutRow *row)
{
    if (g_str_equal(row->folder, "Sent"))
        item->copy = row;
    if (!item->out || item->out == item->copy)
        item->out = row;
}

/* A mail has a row for each recipient and one for the copy in Sent. */
static bool
add_written(Engine *engine, const Job *job, const StepInput *in, Thread *t, GError **error)
{
    const OutQuery query = {.job = job->id, .all = true, .copies = true, .limit = ROWS_MAX};
    g_autoptr(GHashTable) known = g_hash_table_new(g_int64_hash, g_int64_equal);

    if (!lineage_mail_out(engine->db, &VIEWER_OF(job->role), &query, &t->out, error))
        return false;
    LIST_EACH(const OutRow, row, t->out) {
        Item *item = g_hash_table_lookup(known, &row->id.v);
        if (is_known(in, row->step, row->created_us))
            continue;
        if (!item) {
            item = g_new0(Item, 1);
            item->at_us = row->created_us;
            g_ptr_array_add(t->items, item);
            g_hash_table_insert(known, (gpointer)&row->id.v, item);
        }
        add_row(item, row);
    }
    return true;
}

/* Mail to itself is a checkpoint: the brain has what it says from its state. */
static void
drop_checkpoints(Thread *t)
{
    for (guint i = t->items->len; i-- > 0;) {
        const Item *item = g_ptr_array_index(t->items, i);
        const OutRow *out = item->out;
        if (out && out != item->copy && address_equal(out->from, out->address))
            g_ptr_array_remove_index(t->items, i);
    }
}

/* The mail that the newest open mail answers; if there is none, the newest mail of all. */
static Item *
find_parent(const Thread *t, const StepInput *in)
{
    const MsgRow *newest =
        in->shown->len ? g_ptr_array_index(in->shown, in->shown->len - 1) : NULL;

    for (guint i = t->items->len; newest && newest->in_reply_to && i-- > 0;) {
        Item *item = g_ptr_array_index(t->items, i);
        if (g_str_equal(item_msgid(item), newest->in_reply_to))
            return item;
    }
    return t->items->len ? g_ptr_array_index(t->items, t->items->len - 1) : NULL;
}

/* --- what fits --- */

typedef struct Fit {
    size_t room;
    bool spent; /* one did not fit: all older ones come as headers */
    unsigned wholes, heads, unseen;
} Fit;

static size_t
cost(const char *text)
{
    return strlen(text) + CONTEXT_FRAME;
}

static bool
fit_item(Engine *engine, const Job *job, Item *item, Fit *fit, GError **error)
{
    g_autofree char *text = NULL;

    if (!fit->spent) {
        if (!read_item(engine, job, item, &text, error))
            return false;
        fit->spent = cost(text) > fit->room || ++fit->wholes > WHOLE_MAX;
    }
    if (fit->spent) {
        g_clear_pointer(&text, g_free);
        if (fit->heads++ < HEADS_MAX)
            text = item_head(item);
    }
    if (!text || cost(text) > fit->room) {
        fit->unseen++;
        return true;
    }
    fit->room -= cost(text);
    item->whole = !fit->spent;
    item->text = g_steal_pointer(&text);
    return true;
}

static bool
fit_all(
    Engine *engine, const Job *job, const StepInput *in, Thread *t, Fit *fit, GError **error)
{
    Item *parent = find_parent(t, in);

    if (parent && !fit_item(engine, job, parent, fit, error))
        return false;
    for (guint i = t->items->len; i-- > 0;) {
        Item *item = g_ptr_array_index(t->items, i);
        if (item != parent && !fit_item(engine, job, item, fit, error))
            return false;
    }
    return true;
}

static const Trust *
item_floor(const Item *item)
{
    return item->in ? &item->in->floor : &item->out->floor;
}

/* Caller frees. */
static char *
item_title(const Item *item)
{
    Trust floor = *item_floor(item);
    bool low = floor < (item->in ? item->in->trust : item->out->level);
    if (item->in) {
        g_autofree char *sender = conversation_sender(item->in);
        return g_strconcat("EARLIER MAIL, ", sender, item->whole ? NULL : ", HEADERS ONLY",
                           NULL);
    }
    /* No step wrote it: a word of the runtime to somebody who waits. */
    const char *who = item->out->step > 0 ? "YOU WROTE" : "SENT IN YOUR NAME";
    return g_strconcat(who, low ? ", AFTER READING " : "", low ? level_words(floor) : "",
                       item->whole ? NULL : ", HEADERS ONLY", NULL);
}

/* The name of the item's source in the manifest; NULL: nothing of the item can be found
 * later. */
static const char *
item_from(const Item *item)
{
    if (item->whole && item->gone)
        return NULL;
    if (item->whole)
        return item->in ? FROM_IN : FROM_OUT;
    return item->in ? FROM_IN_HEAD : FROM_OUT_HEAD;
}

static void
show_items(const Thread *t, const StepInput *in, const Fit *fit, Context *c)
{
    if (t->items->len > 0)
        context_say(c, in->resumed ? "\nWhat was said since your last turn, oldest first:"
                                   : "\nThe conversation so far, oldest first:");
    if (fit->unseen) {
        bool more = t->in->len == ROWS_MAX || t->out->len == ROWS_MAX;
        g_autofree char *older =
            g_strdup_printf("(%u mails%s are not shown.)", fit->unseen, more ? " or more" : "");
        context_say(c, older);
    }
    LIST_EACH(const Item, item, t->items) {
        g_autofree char *title = item_title(item);
        const ContextPart part = {.title = title,
                                  .from = item_from(item),
                                  .id = item_msgid(item),
                                  .floor = item_floor(item)};
        if (item->text && context_show_part(c, &part, item->text) && item->whole && t->seen)
            g_hash_table_add(t->seen, g_strdup(item_msgid(item)));
    }
}

static bool
show_thread(Engine *engine,
            const Job *job,
            const StepInput *in,
            GHashTable *seen,
            Context *c,
            GError **error)
{
    g_auto(Thread) t = {.items = g_ptr_array_new_with_free_func(item_free), .seen = seen};
    Fit fit = {.room = context_room(c)};

    if (!add_taken_in(engine, job, in, &t, error) || !add_past(engine, job, in, &t, error) ||
        !add_written(engine, job, in, &t, error))
        return false;
    drop_checkpoints(&t);
    g_ptr_array_sort(t.items, item_compare);
    if (!fit_all(engine, job, in, &t, &fit, error))
        return false;
    show_items(&t, in, &fit, c);
    return true;
}

bool
conversation_show(
    Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error)
{
    return show_thread(engine, job, in, NULL, c, error);
}

bool
conversation_show_unseen(Engine *engine,
                         const Job *job,
                         const StepInput *in,
                         GHashTable *seen,
                         Context *c,
                         GError **error)
{
    return show_thread(engine, job, in, seen, c, error);
}

/* --- one mail --- */

/* item borrows from rows; it is left empty where the role wrote no such mail. */
static bool
find_written(Engine *engine,
             const Job *job,
             const char *msgid,
             OutRows **ret_rows,
             Item *item,
             GError **error)
{
    g_autoptr(OutRow) found = NULL;

    if (!outbox_find(engine->db, &VIEWER_OF(job->role), msgid, &found, error))
        return false;
    if (!found)
        return true;
    const OutQuery query = {.id = found->id, .all = true, .copies = true, .limit = ROWS_MAX};
    if (!outbox_list(engine->db, &VIEWER_OF(job->role), &query, ret_rows, error))
        return false;
    LIST_EACH(const OutRow, row, *ret_rows)
        add_row(item, row);
    return true;
}

bool
conversation_show_written(Engine *engine,
                          const Job *job,
                          const char *msgid,
                          GHashTable *seen,
                          Context *c,
                          GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    g_autofree char *text = NULL;
    Item item = {.whole = true};

    if (!find_written(engine, job, msgid, &rows, &item, error))
        return false;
    if (!item.out || !g_hash_table_add(seen, g_strdup(item_msgid(&item))))
        return true;
    if (!read_item(engine, job, &item, &text, error))
        return false;
    g_autofree char *title = item_title(&item);
    const ContextPart part = {.title = title,
                              .from = item_from(&item),
                              .id = item_msgid(&item),
                              .floor = item_floor(&item)};
    context_show_part_cut(c, &part, text);
    return true;
}

/* --- later --- */

bool
conversation_shows(const char *from)
{
    static const char *const names[] = {FROM_IN, FROM_IN_HEAD, FROM_OUT, FROM_OUT_HEAD, NULL};
    return g_strv_contains(names, from);
}

static bool
recall_item(Recall *r, const ContextPart *part, Item *item, char **ret, GError **error)
{
    g_autofree char *text = NULL;

    if (!item->in && !item->out)
        return true;
    if (g_str_has_suffix(part->from, "-head")) {
        *ret = item_head(item);
        return true;
    }
    if (!read_item(r->engine, r->job, item, &text, error))
        return false;
    *ret = item->gone ? NULL : g_steal_pointer(&text);
    return true;
}

static bool
recall_written(Recall *r, const ContextPart *part, char **ret, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    Item item = {0};

    return find_written(r->engine, r->job, part->id, &rows, &item, error) &&
           recall_item(r, part, &item, ret, error);
}

bool
conversation_recall(Recall *r, const ContextPart *part, char **ret, GError **error)
{
    g_autoptr(MsgRow) row = NULL;

    *ret = NULL;
    if (g_str_has_prefix(part->from, FROM_OUT))
        return recall_written(r, part, ret, error);
    if (!messages_find(r->engine->db, &VIEWER_OF(r->job->role), part->id, &row, error))
        return false;
    Item item = {.in = row};
    return recall_item(r, part, &item, ret, error);
}
