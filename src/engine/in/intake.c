#include "engine/in/intake.h"
#include "base/crash.h"
#include "base/living.h"
#include "base/lock.h"
#include "base/log.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/history.h"
#include "engine/face.h"
#include "engine/in/intake_internal.h"
#include "engine/in/suspects.h"
#include "engine/run/poke.h"
#include "engine/run/settle.h"
#include "engine/run/view_files.h"

#define BATCH_MAIL 500
#define BATCH_BYTES (64u << 20)

struct Intake {
    Engine *engine;
    const ConfAccount *account;
    int lock;
    GHashTable *seen; /* "role/base": known to the store, no need to ask again */
    /* The mailbox that is looked at. */
    const ConfRole *role;
    Maildir *md;
    IntakeStats *stats;
};

static void
item_clear(gpointer p)
{
    IntakeItem *item = p;
    g_clear_pointer(&item->bytes, g_bytes_unref);
    mail_in_clear(&item->in);
}

bool
intake_open(
    Engine *engine, const ConfAccount *account, int wait_ms, Intake **ret, GError **error)
{
    g_autofree char *name = g_strdup_printf("account-%s.lock", account->name);
    int lock;
    if (!living_check(engine->home, false, error))
        return false;
    if (!lock_take(engine->home->state_fd, name, wait_ms, &lock, error))
        return err_prefix(error, "account '%s'", account->name);
    Intake *in = g_new0(Intake, 1);
    in->engine = engine;
    in->account = account;
    in->lock = lock;
    in->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    *ret = in;
    return true;
}

void
intake_close(Intake *in)
{
    if (!in)
        return;
    close(in->lock);
    g_hash_table_unref(in->seen);
    maildir_close(in->md);
    g_free(in);
}

/* A mail that is not parsed is known by its bytes. */
static void
stand_in(IntakeItem *item, const char *why)
{
    item->unreadable = why;
    item->in.mail = message_parse("", 0, MESSAGE_HEADERS, NULL);
    item->in.mail->size = g_bytes_get_size(item->bytes);
    digest_of_bytes(item->bytes, &item->in.mail->body);
    g_autofree char *token = digest_token(&item->in.mail->body, 26);
    g_free(item->in.mail->id);
    item->in.mail->id = g_strdup_printf("%s@unreadable.invalid", token);
}

/* Reads one file into item; false: it is gone, or not ours to read now. */
static bool
read_item(Intake *in, MaildirEntry *entry, IntakeItem *ret)
{
    IntakeStats *stats = in->stats;
    g_autoptr(GError) error = NULL;
    *ret = (IntakeItem){.entry = entry};
    size_t max = in->engine->home->config->max_message;
    bool unfinished = false;
    if (maildir_read_finished(in->md, entry, max, &unfinished, &ret->bytes, &error)) {
        if (unfinished && stats->unfinished)
            g_ptr_array_add(
                stats->unfinished,
                g_strdup_printf("%s/%s", entry->in_new ? "new" : "cur", entry->name));
        return ret->bytes != NULL;
    }
    if (err_is(error, ERR_LIMIT)) {
        g_clear_error(&error);
        if (mail_in_read_large(in->md, entry, &ret->bytes, &error))
            return ret->bytes != NULL;
    }
    log_event(LOG_WARN, "can't read a mail, leaving it for the next pass", "file", entry->name,
              "why", error->message, NULL);
    stats->left++;
    return false;
}

static void
parse_item(const Home *home, IntakeItem *item, bool suspected)
{
    if (item->in.mail)
        return;
    if (suspected && suspects_convict(home, item->bytes)) {
        stand_in(item, "crashes the parser");
        return;
    }
    mail_in_parse(&home->key, item->bytes, &item->in);
}

/* A checkpoint of a job that the store does not know: the job comes back before its mail is
 * taken in. */
static bool
restore_lost(Intake *in, const GArray *items, GError **error)
{
    bool lost = false;
    for (guint i = 0; i < items->len && !lost; i++) {
        const Continuation *c = g_array_index(items, IntakeItem, i).in.checkpoint;
        ContinuationFate fate = CONT_STALE;
        const char *why;
        if (c && !continuation_judge(in->engine->db, c, in->role->name, 0, &fate, &why, error))
            return false;
        lost = fate == CONT_RESTORES;
    }
    unsigned n;
    return !lost || checkpoints_restore(in->engine, in->role, in->md, &n, error);
}

static bool
try_batch(Intake *in, GArray *items, GError **error)
{
    g_autoptr(GArray) poke = g_array_new(FALSE, FALSE, sizeof(JobId));
    g_autoptr(GArray) fed = g_array_new(FALSE, FALSE, sizeof(JobId));
    g_auto(Txn) txn = {.db = in->engine->db, .flush = TXN_DURABLE};
    IntakeBatch batch;
    while (txn_again(&txn, error)) {
        batch = (IntakeBatch){.engine = in->engine,
                              .account = in->account,
                              .role = in->role,
                              .txn = &txn,
                              .stats = *in->stats,
                              .poke = g_array_set_size(poke, 0),
                              .fed = g_array_set_size(fed, 0)};
        for (guint i = 0; i < items->len; i++) {
            if (!intake_take(&batch, &g_array_index(items, IntakeItem, i), error))
                return false;
        }
        txn.ok = suspects_wipe(&txn, in->role->name, error);
        CRASH_POINT("intake-before-commit");
    }
    if (!txn.done)
        return false;
    CRASH_POINT("intake-committed");
    *in->stats = batch.stats;
    for (guint i = 0; i < items->len; i++)
        g_hash_table_add(in->seen,
                         g_strdup_printf("%s/%s", in->role->name,
                                         g_array_index(items, IntakeItem, i).entry->base));
    for (guint i = 0; i < poke->len; i++)
        poke_run(in->engine->db, g_array_index(poke, JobId, i));
    for (guint i = 0; i < fed->len; i++)
        poke_run(in->engine->db, g_array_index(fed, JobId, i));
    /* What can't be moved now stays owed. */
    if (batch.moves || poke->len > 0)
        (void)settle_local(in->engine, NULL, NULL);
    if (batch.ready)
        db_hint(in->engine->db);
    (void)settle_views(in->engine, NULL); /* likewise */
    return true;
}

/* A face may have to see a file first: nothing was stored then, and it is tried again. */
static bool
commit_batch(Intake *in, GArray *items, GError **error)
{
    g_autoptr(GError) why = NULL;
    bool ok;
    do {
        g_clear_error(&why);
        ok = try_batch(in, items, &why);
    } while (!ok && faces_see(in->engine));
    faces_forget(in->engine);
    if (!ok)
        g_propagate_error(error, g_steal_pointer(&why));
    return ok;
}

static bool
take_batch(
    Intake *in, const GPtrArray *entries, guint *next, guint max, int crashes, GError **error)
{
    g_autoptr(GArray) items = g_array_new(FALSE, TRUE, sizeof(IntakeItem));
    g_array_set_clear_func(items, item_clear);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    size_t bytes = 0;
    while (*next < entries->len && items->len < max && bytes < BATCH_BYTES) {
        IntakeItem item;
        MaildirEntry *entry = g_ptr_array_index(entries, (*next)++);
        if (!read_item(in, entry, &item))
            continue;
        bytes += item.bytes ? g_bytes_get_size(item.bytes) : 0;
        g_array_append_val(items, item);
        g_ptr_array_add(names, entry->base);
    }
    if (items->len == 0)
        return true;
    if (!suspects_mark(in->engine->db, in->role->name, names, crashes, error))
        return false;
    CRASH_POINT("intake-marked");
    for (guint i = 0; i < items->len; i++)
        parse_item(in->engine->home, &g_array_index(items, IntakeItem, i),
                   crashes > SUSPECT_CRASHES);
    return restore_lost(in, items, error) && commit_batch(in, items, error);
}

/* Entries that the store does not know, suspects of an earlier crash apart. */
static bool
find_new(Intake *in,
         GPtrArray *entries,
         const GPtrArray *suspects,
         GPtrArray *fresh,
         GPtrArray *suspected,
         GError **error)
{
    LIST_EACH(MaildirEntry, e, entries) {
        g_autofree char *key = g_strdup_printf("%s/%s", in->role->name, e->base);
        bool has = g_hash_table_contains(in->seen, key);
        if (!has && !messages_has_file(in->engine->db, in->role->name, e->base, &has, error))
            return false;
        if (has)
            g_hash_table_add(in->seen, g_steal_pointer(&key));
        else
            g_ptr_array_add(g_ptr_array_find_with_equal_func((GPtrArray *)suspects, e->base,
                                                             g_str_equal, NULL)
                                ? suspected
                                : fresh,
                            e);
    }
    return true;
}

/* Takes in what is new among the entries, suspects first and each by itself. */
static bool
take_entries(Intake *in, GPtrArray *entries, GError **error)
{
    g_autoptr(GPtrArray) fresh = g_ptr_array_new();
    g_autoptr(GPtrArray) suspected = g_ptr_array_new();
    g_autoptr(GPtrArray) suspects = NULL;
    unsigned crashed;
    in->stats->seen += entries->len;
    if (!suspects_load(in->engine->db, in->role->name, &suspects, &crashed, error) ||
        !find_new(in, entries, suspects, fresh, suspected, error))
        return false;
    int crashes = suspects->len == 1 ? (int)crashed + 1 : 1;
    for (guint next = 0; next < suspected->len;) {
        if (!take_batch(in, suspected, &next, 1, crashes, error))
            return false;
    }
    for (guint next = 0; next < fresh->len;) {
        if (!take_batch(in, fresh, &next, BATCH_MAIL, 0, error))
            return false;
    }
    return true;
}

static bool
open_mailbox(Intake *in, const ConfRole *role, IntakeStats *stats, GError **error)
{
    unsigned old = 0;
    in->role = role;
    in->stats = stats;
    g_clear_pointer(&in->md, maildir_close);
    if (!maildir_open(in->engine->home->mail_fd, role->name, true, &in->md, error) ||
        !history_take(&(RoleMailbox){in->engine, in->account, role, in->md}, &old, error))
        return err_prefix(error, "mailbox '%s'", role->name);
    stats->ignored += old;
    return true;
}

bool
intake_mailbox(Intake *in, const ConfRole *role, IntakeStats *stats, GError **error)
{
    g_autoptr(GPtrArray) entries = NULL;
    unsigned foreign = 0;
    if (!open_mailbox(in, role, stats, error))
        return false;
    if (!maildir_scan(in->md, "", false, &entries, &foreign, error))
        return err_prefix(error, "mailbox '%s'", role->name);
    stats->foreign += foreign;
    return take_entries(in, entries, error) &&
           checkpoints_look(in->engine, role, in->md, error);
}

/* Each mail once: one that came and was moved at once is named twice. */
static bool
look_for_files(Maildir *md, const GPtrArray *files, GPtrArray *entries, GError **error)
{
    g_autoptr(GHashTable) bases = g_hash_table_new(g_str_hash, g_str_equal);
    LIST_EACH(const char, file, files) {
        MaildirEntry *entry;
        if (!maildir_look(md, "", file[0] == 'n', file + strlen("new/"), &entry, error))
            return false;
        if (!entry || g_hash_table_contains(bases, entry->base)) {
            maildir_entry_free(entry);
            continue;
        }
        g_hash_table_add(bases, entry->base);
        g_ptr_array_add(entries, entry);
    }
    return true;
}

bool
intake_files(Intake *in,
             const ConfRole *role,
             const GPtrArray *files,
             IntakeStats *stats,
             GError **error)
{
    g_autoptr(GPtrArray) entries =
        g_ptr_array_new_with_free_func((GDestroyNotify)maildir_entry_free);
    if (!open_mailbox(in, role, stats, error))
        return false;
    if (!look_for_files(in->md, files, entries, error))
        return err_prefix(error, "mailbox '%s'", role->name);
    return take_entries(in, entries, error);
}

bool
intake_pass(Intake *in, IntakeStats *stats, GError **error)
{
    const Config *config = in->engine->home->config;
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (!config->roles[i].person && !intake_mailbox(in, &config->roles[i], stats, error))
            return false;
    }
    return true;
}
