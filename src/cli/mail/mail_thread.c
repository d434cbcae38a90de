/*
 * `mail thread`: a conversation as a tree. For display only: which mail belongs together was
 * decided by ids in the store; the shape below comes from RFC 5256's algorithm over it.
 */
#include "base/json.h"
#include "cli/cmds.h"
#include "cli/mail/mail_view.h"
#include "mail/message.h"
#include "mail/thread.h"
#include "port/port_client.h"

#define THREAD_MAX 1000

/* One mail of the conversation, however many roles have it. */
typedef struct Leaf {
    json_t *mail;
    char *id, *subject;
    GPtrArray *refs;
    int64_t date_us;
} Leaf;

static void
leaf_free(gpointer data)
{
    Leaf *leaf = data;
    json_decref(leaf->mail);
    g_free(leaf->id);
    g_free(leaf->subject);
    g_ptr_array_unref(leaf->refs);
    g_free(leaf);
}

typedef struct Talk {
    Cli *cli;
    GPtrArray *leaves;
    GHashTable *by_id; /* borrowed from leaves */
} Talk;

static Leaf *
add_leaf(Talk *t, const char *id, const char *subject, int64_t date_us, json_t *take_mail)
{
    Leaf *leaf = g_new0(Leaf, 1);
    *leaf = (Leaf){.mail = take_mail,
                   .id = g_strdup(id),
                   .subject = g_strdup(subject),
                   .refs = g_ptr_array_new_with_free_func(g_free),
                   .date_us = date_us};
    g_ptr_array_add(t->leaves, leaf);
    g_hash_table_insert(t->by_id, leaf->id, leaf);
    return leaf;
}

/* References as the mail itself has them. A mail that can't be read has none. */
static void
read_refs(Talk *t, Leaf *leaf, const MailFound *found)
{
    g_autoptr(GBytes) bytes = NULL;
    if (!mail_read(t->cli, found, &bytes, NULL) || !bytes)
        return;
    g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_HEADERS);
    g_ptr_array_set_size(leaf->refs, 0);
    for (guint i = 0; i < m->references->len; i++)
        g_ptr_array_add(leaf->refs, g_strdup(g_ptr_array_index(m->references, i)));
}

/* The row knows a mail's parent; only where that parent is not here is the file looked at. */
static void
add_taken_in(Talk *t, MsgRows *rows)
{
    LIST_EACH(const MsgRow, row, rows) {
        if (g_hash_table_contains(t->by_id, row->msgid))
            continue;
        Leaf *leaf =
            add_leaf(t, row->msgid, row->subject,
                     row->date_us ? row->date_us : row->received_us, mail_json(row, NULL));
        if (row->in_reply_to)
            g_ptr_array_add(leaf->refs, g_strdup(row->in_reply_to));
    }
}

static bool
add_sent(Talk *t, JobId job, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    OutQuery q = {.job = job, .all = true, .limit = THREAD_MAX};
    if (!outbox_list(t->cli->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const OutRow, row, rows) {
        g_auto(MailFound) found = {0};
        if (g_hash_table_contains(t->by_id, row->msgid))
            continue;
        if (!outbox_whole(t->cli->db, &VIEWER_OPERATOR, row->id, &found.out, error))
            return false;
        const OutRow *whole = found.out ? found.out : row;
        Leaf *leaf =
            add_leaf(t, row->msgid, row->subject, row->created_us, mail_json(NULL, whole));
        read_refs(t, leaf, &found);
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

static void
look_up_parents(Talk *t, MsgRows *rows)
{
    LIST_EACH(MsgRow, row, rows) {
        Leaf *leaf = g_hash_table_lookup(t->by_id, row->msgid);
        MailFound found = {.in = row};
        if (row->in_reply_to && !g_hash_table_contains(t->by_id, row->in_reply_to))
            read_refs(t, leaf, &found);
    }
}

static bool
collect(Talk *t, ThreadId thread, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    MsgQuery q = {.thread = thread, .oldest_first = true, .limit = THREAD_MAX};
    if (!messages_list(t->cli->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    add_taken_in(t, rows);
    if (!add_sent_of_jobs(t, rows, error))
        return false;
    look_up_parents(t, rows);
    return true;
}

/* --- the tree --- */

/* json_t of a node and all below it; a mail that nobody has is null but for its replies. */
static json_t *
tree_json(const Talk *t, const ThreadNode *node)
{
    json_t *array = json_array();
    for (; node; node = node->next) {
        const Leaf *leaf =
            node->mail >= 0 ? g_ptr_array_index(t->leaves, (guint)node->mail) : NULL;
        json_t *mail = leaf ? json_copy(leaf->mail) : json_pack("{s:n}", "message_id");
        json_object_set_new(mail, "replies", tree_json(t, node->child));
        json_array_append_new(array, mail);
    }
    return array;
}

static void
print_node(const Talk *t, const ThreadNode *node, const char *prefix)
{
    Cli *cli = t->cli;
    if (node->mail < 0) {
        cli_print(cli, "%20s  %s(a mail that is not here)\n", "", prefix);
        return;
    }
    const json_t *mail = ((const Leaf *)g_ptr_array_index(t->leaves, (guint)node->mail))->mail;
    const char *date = json_string_value(json_object_get(mail, "date"));
    cli_print(cli, "%-20s  %s", date ? date : "", prefix);
    cli_print_vis(cli, json_string_value(json_object_get(mail, "from")), false);
    cli_print(cli, ": ");
    cli_print_vis(cli, json_string_value(json_object_get(mail, "subject")), false);
    cli_print(cli, " [%s]\n", json_string_value(json_object_get(mail, "state")));
}

/* indent is what stands before the children of this level. */
static void
print_tree(const Talk *t, const ThreadNode *node, const char *indent, bool root)
{
    for (; node; node = node->next) {
        g_autofree char *prefix = g_strconcat(indent,
                                              root         ? ""
                                              : node->next ? "├─ "
                                                           : "└─ ",
                                              NULL);
        g_autofree char *below = g_strconcat(indent,
                                             root         ? ""
                                             : node->next ? "│  "
                                                          : "   ",
                                             NULL);
        print_node(t, node, prefix);
        print_tree(t, node->child, below, false);
    }
}

static void
print_talk(const Talk *t)
{
    g_autofree ThreadMail *mails = g_new0(ThreadMail, MAX(t->leaves->len, 1));
    for (guint i = 0; i < t->leaves->len; i++) {
        const Leaf *leaf = g_ptr_array_index(t->leaves, i);
        mails[i] = (ThreadMail){.id = leaf->id,
                                .refs = leaf->refs,
                                .subject = leaf->subject,
                                .date_us = leaf->date_us};
    }
    g_autoptr(ThreadForest) forest = thread_references(mails, t->leaves->len, false);
    if (t->cli->json)
        cli_print_json(t->cli, tree_json(t, thread_roots(forest)));
    else
        print_tree(t, thread_roots(forest), "", true);
}

/* --- the verb --- */

/* The thread of mail that we sent is that of its job; {0}: nobody here has any other mail of it. */
static int
thread_of(Cli *cli, const MailFound *found, ThreadId *ret)
{
    GError *error = NULL;
    g_autoptr(MsgRows) rows = NULL;
    MsgQuery q = {.limit = 1};
    if (found->in) {
        *ret = found->in->thread;
        return 0;
    }
    q.job = found->out->job;
    if (q.job.v && !messages_list(cli->db, &VIEWER_OPERATOR, &q, &rows, &error))
        return cli_error(0, error);
    if (rows && rows->len > 0)
        *ret = ((const MsgRow *)g_ptr_array_index(rows, 0))->thread;
    return 0;
}

static int
thread_home(Cli *cli, const char *id)
{
    GError *error = NULL;
    g_auto(MailFound) found = {0};
    ThreadId thread = {0};
    int status = cli_db(cli, DB_READ);
    if (status || (status = mail_find(cli, cli->db, id, &found)) ||
        (status = thread_of(cli, &found, &thread)))
        return status;
    g_autoptr(GPtrArray) leaves = g_ptr_array_new_with_free_func(leaf_free);
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_str_hash, g_str_equal);
    Talk talk = {.cli = cli, .leaves = leaves, .by_id = by_id};
    if (!thread.v)
        add_leaf(&talk, found.out->msgid, found.out->subject, found.out->created_us,
                 mail_json(NULL, found.out));
    else if (!collect(&talk, thread, &error))
        return cli_error(0, error);
    print_talk(&talk);
    return 0;
}

/* A run has one conversation, so there is nothing to name. */
static int
thread_port(Cli *cli)
{
    GError *error = NULL;
    g_autoptr(json_t) answer = NULL;
    int status = 0;
    if (!port_call(port_client_path(), json_pack("{s:s}", "verb", "mail.thread"), &answer,
                   &status, &error))
        return cli_error(status, error);
    mail_print_list(cli, json_incref(json_object_get(answer, "mails")));
    return 0;
}

int
cmd_mail_thread(Cli *cli, int argc, char **argv)
{
    if (cli_in_agent())
        return argc == 1 ? thread_port(cli)
                         : cli_usage(cli, "inside a program agent, thread takes no ID: it is "
                                          "that of the job");
    if (argc != 2)
        return cli_usage(cli, "thread needs one ID");
    return thread_home(cli, argv[1]);
}
