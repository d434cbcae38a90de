#include "show/talk.h"
#include "engine/mail_load.h"
#include "mail/parents.h"
#include "mail/thread.h"
#include "store/workflow.h"

#define THREAD_MAX 1000

/* One mail of the conversation, however many roles have it. */
typedef struct Leaf {
    const MsgRow *in; /* or */
    OutRow *out;      /* owned */
    GPtrArray *refs;
    GPtrArray *parents; /* ids of what it answers; NULL: nobody asked */
} Leaf;

static void
leaf_free(gpointer data)
{
    Leaf *leaf = data;
    out_row_free(leaf->out);
    g_ptr_array_unref(leaf->refs);
    g_clear_pointer(&leaf->parents, g_ptr_array_unref);
    g_free(leaf);
}

typedef struct Talk {
    Engine *engine;
    GPtrArray *leaves; /* of Leaf */
    GHashTable *by_id; /* borrowed from leaves */
} Talk;

static const char *
id_of(const Leaf *leaf)
{
    return leaf->in ? leaf->in->msgid : leaf->out->msgid;
}

static void
add_leaf(Talk *t, const MsgRow *in, OutRow *take_out)
{
    Leaf *leaf = g_new0(Leaf, 1);
    *leaf = (Leaf){in, take_out, g_ptr_array_new_with_free_func(g_free), NULL};
    g_ptr_array_add(t->leaves, leaf);
    g_hash_table_insert(t->by_id, (char *)id_of(leaf), leaf);
}

/* NULL: the mail can't be read. */
static Message *
read_head(Talk *t, const Leaf *leaf)
{
    g_autoptr(GBytes) bytes = NULL;
    return (leaf->in ? mail_bytes(t->engine, leaf->in, &bytes, NULL)
                     : mail_bytes_out(t->engine, leaf->out, NULL, &bytes, NULL)) &&
                   bytes
               ? message_parse_bytes(bytes, MESSAGE_HEADERS)
               : NULL;
}

/* References as the mail itself has them. A mail that can't be read has none. */
static void
read_refs(Talk *t, Leaf *leaf)
{
    g_autoptr(Message) m = read_head(t, leaf);
    if (!m)
        return;
    g_ptr_array_set_size(leaf->refs, 0);
    LIST_EACH(const char, id, m->references)
        g_ptr_array_add(leaf->refs, g_strdup(id));
}

static bool
add_sent(Talk *t, JobId job, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    OutQuery q = {.job = job, .all = true, .limit = THREAD_MAX};
    if (!outbox_list(t->engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const OutRow, row, rows) {
        OutRow *whole = NULL;
        if (g_hash_table_contains(t->by_id, row->msgid))
            continue;
        if (!outbox_whole(t->engine->db, &VIEWER_OPERATOR, row->id, &whole, error))
            return false;
        if (whole)
            add_leaf(t, NULL, whole);
    }
    return true;
}

static bool
add_sent_of_jobs(Talk *t, const MsgRows *rows, GError **error)
{
    g_autoptr(GHashTable) jobs = g_hash_table_new(g_int64_hash, g_int64_equal);
    LIST_EACH(MsgRow, row, rows)
        if (row->job.v && g_hash_table_add(jobs, &row->job.v) && !add_sent(t, row->job, error))
            return false;
    return true;
}

/* The row knows a mail's parent; only where that parent is not here, or the row is older than what
 * it knows, is the mail itself looked at. */
static void
look_up_parents(Talk *t)
{
    LIST_EACH(Leaf, leaf, t->leaves) {
        const char *parent = leaf->in ? leaf->in->in_reply_to : leaf->out->in_reply_to;
        if (parent && *parent)
            g_ptr_array_add(leaf->refs, g_strdup(parent));
        if (parent ? *parent && !g_hash_table_contains(t->by_id, parent) : leaf->out != NULL)
            read_refs(t, leaf);
    }
}

/* Where the mail can't be read, the row still knows the first of its parents. */
static void
read_parents(Talk *t, Leaf *leaf)
{
    const char *first = leaf->in ? leaf->in->in_reply_to : leaf->out->in_reply_to;
    g_autoptr(Message) m = read_head(t, leaf);
    leaf->parents = m ? parents_of(m) : g_ptr_array_new_with_free_func(g_free);
    if (leaf->parents->len == 0 && first && *first)
        g_ptr_array_add(leaf->parents, g_strdup(first));
}

/* --- the tree --- */

static json_t *
ids_json(const GPtrArray *ids)
{
    json_t *array = json_array();
    LIST_EACH(const char, id, ids) {
        g_autofree char *bracketed = g_strdup_printf("<%s>", id);
        json_array_append_new(array, json_string(bracketed));
    }
    return array;
}

/* What closed the review that it asked for, or answered its question; "": that is open. */
static void
add_resolution(const Talk *t, const Leaf *leaf, json_t *mail)
{
    g_autofree char *by = NULL;
    if (!cycle_resolved_by(t->engine->db, id_of(leaf), &by, NULL) || !by)
        return;
    g_autofree char *id = *by ? g_strdup_printf("<%s>", by) : g_strdup("");
    json_object_set_new(mail, "resolved_by", json_string(id));
}

static json_t *
nodes_json(const Talk *t, const ThreadNode *node)
{
    json_t *array = json_array();
    for (; node; node = node->next) {
        const Leaf *leaf = node->mail >= 0 ? t->leaves->pdata[node->mail] : NULL;
        json_t *mail = leaf ? mail_json(leaf->in, leaf->out) : json_pack("{s:n}", "message_id");
        if (leaf)
            add_resolution(t, leaf, mail);
        if (leaf && leaf->parents)
            json_object_set_new(mail, "parents", ids_json(leaf->parents));
        json_object_set_new(mail, "replies", nodes_json(t, node->child));
        json_array_append_new(array, mail);
    }
    return array;
}

static json_t *
tree_json(const Talk *t)
{
    g_autofree ThreadMail *mails = g_new0(ThreadMail, MAX(t->leaves->len, 1));
    for (guint i = 0; i < t->leaves->len; i++) {
        const Leaf *leaf = g_ptr_array_index(t->leaves, i);
        const MsgRow *in = leaf->in;
        mails[i].id = id_of(leaf);
        mails[i].refs = leaf->refs;
        mails[i].date_us = !in           ? leaf->out->created_us
                           : in->date_us ? in->date_us
                                         : in->received_us;
    }
    g_autoptr(ThreadForest) forest = thread_references(mails, t->leaves->len, false);
    return nodes_json(t, thread_roots(forest));
}

/* The thread of mail that we sent is that of its job; {0}: nobody here has any other mail of it. */
static bool
thread_of(Db *db, const MsgRow *in, const OutRow *out, ThreadId *ret, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    MsgQuery q = {.limit = 1};
    *ret = in ? in->thread : (ThreadId){0};
    if (in || !out->job.v)
        return true;
    q.job = out->job;
    if (!messages_list(db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    if (rows->len > 0)
        *ret = rows->pdata[0]->thread;
    return true;
}

bool
talk_json(Engine *engine,
          const MsgRow *in,
          OutRow *take_out,
          bool parents,
          json_t **ret_tree,
          GError **error)
{
    g_autoptr(OutRow) out = take_out;
    g_autoptr(GPtrArray) leaves = g_ptr_array_new_with_free_func(leaf_free);
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(MsgRows) rows = NULL;
    Talk t = {.engine = engine, .leaves = leaves, .by_id = by_id};
    MsgQuery q = {.oldest_first = true, .limit = THREAD_MAX};
    if (!thread_of(engine->db, in, out, &q.thread, error))
        return false;
    if (!q.thread.v) {
        add_leaf(&t, NULL, g_steal_pointer(&out));
    } else {
        if (!messages_list(engine->db, &VIEWER_OPERATOR, &q, &rows, error))
            return false;
        LIST_EACH(const MsgRow, row, rows)
            if (!g_hash_table_contains(t.by_id, row->msgid))
                add_leaf(&t, row, NULL);
        if (!add_sent_of_jobs(&t, rows, error))
            return false;
        look_up_parents(&t);
    }
    for (guint i = 0; parents && i < leaves->len; i++)
        read_parents(&t, leaves->pdata[i]);
    *ret_tree = tree_json(&t);
    return true;
}
