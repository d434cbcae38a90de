#include "engine/history.h"
#include "base/banned.h"
#include "base/text.h"
#include "engine/known.h"
#include "mail/message.h"
#include "store/messages.h"

#define HISTORY_BATCH 500

static Message *
read_headers(const Home *home, Maildir *md, const MaildirEntry *e)
{
    g_autoptr(GBytes) bytes = NULL;
    if (!maildir_read(md, e, home->config->max_message, &bytes, NULL) || !bytes)
        return NULL;
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    return message_parse(data, len, MESSAGE_TEXT, NULL);
}

/* Every id that a mail in Sent names as its parent or ancestor: those were answered. */
static bool
answered_ids(Engine *engine, Maildir *md, GHashTable *answered, GError **error)
{
    g_autoptr(GPtrArray) sent = NULL;
    if (!maildir_scan(md, "Sent", false, &sent, NULL, error))
        return false;
    for (guint i = 0; i < sent->len; i++) {
        g_autoptr(Message) m = read_headers(engine->home, md, g_ptr_array_index(sent, i));
        if (!m)
            continue;
        if (m->in_reply_to)
            g_hash_table_add(answered, g_strdup(m->in_reply_to));
        for (guint k = 0; k < m->references->len; k++)
            g_hash_table_add(answered, g_strdup(g_ptr_array_index(m->references, k)));
    }
    return true;
}

static void
classify(MsgNew *in, const char *folder, GHashTable *answered)
{
    in->class = MSG_HISTORY;
    if (g_str_equal(folder, "Done") || g_str_equal(folder, "Archive")) {
        in->state = MSG_HANDLED;
        in->why = "history: filed as done";
    } else if (g_hash_table_contains(answered, in->mail->id)) {
        in->state = MSG_HANDLED;
        in->why = "history: answered by a mail in Sent";
    } else {
        in->state = MSG_IGNORED;
        in->why = g_str_equal(folder, "Active") ? "history: was in hand" : "history";
    }
}

static bool
take_one(Engine *engine,
         Txn *txn,
         MsgNew *in,
         Maildir *md,
         const MaildirEntry *e,
         GHashTable *answered,
         GError **error)
{
    g_autoptr(Message) m = read_headers(engine->home, md, e);
    if (!m)
        return true;
    MsgId id;
    bool is_new;
    in->mail = m;
    in->folder = e->folder;
    in->file = e->base;
    classify(in, e->folder, answered);
    return messages_thread(txn, m, &in->thread, error) &&
           messages_store(txn, in, &id, &is_new, error);
}

static bool
take_batch(Engine *engine,
           const ConfAccount *account,
           const ConfRole *role,
           Maildir *md,
           const GPtrArray *entries,
           guint from,
           guint to,
           GHashTable *answered,
           GError **error)
{
    g_auto(Txn) txn = {0};
    if (!txn_begin(engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error))
        return false;
    for (guint i = from; i < to; i++) {
        MsgNew in = {.role = role->name, .account = account->name, .trust = TRUST_ANYONE};
        if (!take_one(engine, &txn, &in, md, g_ptr_array_index(entries, i), answered, error))
            return false;
    }
    return txn_commit(&txn, error);
}

static bool
take_folder(Engine *engine,
            const ConfAccount *account,
            const ConfRole *role,
            Maildir *md,
            const char *folder,
            int64_t before_us,
            GHashTable *answered,
            unsigned *n,
            GError **error)
{
    g_autoptr(GPtrArray) all = NULL;
    if (!maildir_scan(md, folder, false, &all, NULL, error))
        return false;
    g_autoptr(GPtrArray) old = g_ptr_array_new();
    for (guint i = 0; i < all->len; i++) {
        MaildirEntry *e = g_ptr_array_index(all, i);
        if (e->mtime_us < before_us)
            g_ptr_array_add(old, e);
    }
    for (guint i = 0; i < old->len; i += HISTORY_BATCH) {
        if (!take_batch(engine, account, role, md, old, i, MIN(i + HISTORY_BATCH, old->len),
                        answered, error))
            return false;
    }
    *n += old->len;
    return true;
}

static int64_t
store_made_us(Engine *engine)
{
    g_autofree char *made = NULL;
    int64_t us;
    if (meta_get(engine->db, "created", &made, NULL) && made &&
        text_parse_int(made, 0, INT64_MAX, &us))
        return us;
    return home_now(engine->home);
}

bool
history_take(Engine *engine,
             const ConfAccount *account,
             const ConfRole *role,
             Maildir *md,
             unsigned *ret_n,
             GError **error)
{
    static const char *const folders[] = {"", "Active", "Done", "Archive"};
    bool known;
    unsigned n = 0;
    if (!known_get(engine->db, role->name, &known, error))
        return false;
    if (known) {
        *ret_n = 0;
        return true;
    }

    g_autoptr(GHashTable) answered =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (!answered_ids(engine, md, answered, error))
        return false;
    int64_t before_us = store_made_us(engine);
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        if (!take_folder(engine, account, role, md, folders[i], before_us, answered, &n, error))
            return false;
    }
    g_auto(Txn) txn = {0};
    if (!txn_begin(engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        !known_set(&txn, role->name, error) || !txn_commit(&txn, error))
        return false;
    *ret_n = n;
    return true;
}
