/*
 * One batch is, for each mailbox: files, flushed; then one unflushed transaction, inside of
 * which they get their names and which marks them sent. Whoever dies in between leaves mail
 * that is there and rows that do not say so. That is harmless as long as the next one looks for
 * the file first, wherever a mail client has moved it by then; but looking means to list the
 * whole mailbox, so it is done only where it can be so:
 *
 *   state/deliver.mark   "BOOT-ID N"  who delivered last ended well, in this boot of the
 *                                     machine; N was the newest row that it began
 *                        "- N"        somebody is at it, or died at it
 *
 * (1) The mark says "-" before the first file is made, and a boot id only after the last
 *     transaction: without a power loss what the kernel was told is what the next process sees.
 * (2) After a power loss the boot id is another one, so everything is looked for.
 * (3) A store that was put back has rows up to N once more, which are looked for too.
 *
 * Who takes mail back meanwhile (STOP, CANCEL, hold-all) is obeyed up to the last moment: files
 * are written and flushed first, which takes long, and in the transaction each row is asked for
 * once more. What a committed STOP took back does not appear. The transaction holds up other
 * writers for one flush of a folder, as long as a commit of theirs takes. Copies in Sent come
 * last, and only of mail that did.
 */
#include "engine/out/deliver.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/living.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/proc.h"
#include "engine/out/attempt.h"
#include "mail/maildir.h"
#include "mail/origin.h"
#include "store/mail/mailboxes.h"
#include "store/out/outbox.h"
#include <fcntl.h>

#define LOCK_NAME "deliver.lock"
#define MARK_NAME "deliver.mark"
#define MARK_MAX 128
#define MARK_DIRTY "-"
#define BATCH_DEFAULT 50
/* When hundreds of runs are answered at the same moment, the turn to write comes late. Mail
 * that is put off instead waits for minutes. */
#define GATE_WAIT_MS 300000

typedef struct Pass {
    const Home *home;
    Db *db;
    GHashTable *mailboxes; /* name -> Maildir, as long as the pass lasts */
    int64_t tried;         /* rows up to this one may have been delivered already */
    int64_t highest;       /* that we or others began */
    bool begun;            /* the mark says so */
    Txn gate;              /* open while files get their names */
    bool shut;             /* it could not be had or kept: no use to wait for it again */
    MaildirGate at_rename;
    const GArray *drops; /* of Drop: what was read of the outbox; borrowed */
    DeliverStats stats;
} Pass;

static void
pass_clear(Pass *p)
{
    txn_clear(&p->gate);
    g_clear_pointer(&p->mailboxes, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pass, pass_clear)

/* A row of the outbox on its way into a Maildir. */
typedef struct Drop {
    const OutRow *row;
    char *base, *head;
    char *failed; /* why; NULL: it is there, unless it was taken back */
    bool filed, taken_back;
} Drop;

static void
drop_clear(gpointer data)
{
    Drop *d = data;

    free_all(d->base, d->head, d->failed);
}

/* Where the last deliverer left off. A mark that can't be read is that of one who died. */
static void
mark_load(Pass *p, bool redo)
{
    g_autoptr(GBytes) bytes = NULL;

    (void)file_read(p->home->state_fd, MARK_NAME, MARK_MAX, &bytes, NULL);
    g_autofree char *text = text_from_bytes(bytes);
    g_auto(GStrv) words = g_strsplit(g_strchomp(text), " ", 2);
    bool whole =
        g_strv_length(words) == 2 && text_parse_int(words[1], 0, INT64_MAX, &p->highest);
    bool clean = whole && g_str_equal(words[0], proc_boot_id());

    p->tried = clean && !redo ? p->highest : INT64_MAX;
}

/* Opening empties it, and an empty mark is a dirty one: nothing that goes wrong after that can
 * make it say too much. */
static bool
mark_save(const Pass *p, const char *boot_id, GError **error)
{
    g_autofree char *text = g_strdup_printf("%s %" PRId64 "\n", boot_id, p->highest);
    auto_fd fd = file_open_beneath(p->home->state_fd, MARK_NAME, O_WRONLY | O_CREAT | O_TRUNC,
                                   0600, error);

    if (fd < 0)
        return false;
    (void)file_write_all(fd, text, strlen(text), NULL);
    return true;
}

static Maildir *
get_mailbox(Pass *p, const char *name, GError **error)
{
    Maildir *md = g_hash_table_lookup(p->mailboxes, name);

    if (md)
        return md;
    if (!maildir_open(p->home->mail_fd, name, true, &md, error))
        return NULL;
    maildir_set_redo(md, p->tried == INT64_MAX);
    maildir_set_gate(md, &p->at_rename);
    g_hash_table_insert(p->mailboxes, g_strdup(name), md);
    return md;
}

static bool
is_copy(const OutRow *row)
{
    return g_str_equal(row->folder, "Sent");
}

/* True when the mail of this copy was filed a moment ago. The copy then tells the truth,
 * whatever was decided since. */
static bool
has_left(const Pass *p, const OutRow *copy)
{
    for (guint i = 0; i < p->drops->len; i++) {
        const Drop *d = &g_array_index(p->drops, Drop, i);
        if (d->filed && d->row->id.v == copy->id.v && !is_copy(d->row))
            return true;
    }
    return false;
}

/* Marked before it is there: the mark counts only when everything is. */
static bool
mark_sent(Pass *p, MaildirItem *item, GError **error)
{
    Drop *d = item->user;
    bool due = false;

    if (!outbox_sent_if_due(&p->gate, d->row->delivery, &due, error))
        return false;
    bool is_there = item->was_there || (is_copy(d->row) && has_left(p, d->row));
    d->taken_back = item->skip = !due && !is_there;
    return due || !is_there || outbox_sent(&p->gate, d->row->delivery, NULL, error);
}

static bool
gate_open(void *data, MaildirItem *items, size_t n, GError **error)
{
    Pass *p = data;

    if (p->shut)
        return err_set(error, ERR_LATER, "the store can't be asked");
    if (!txn_begin(p->db, TXN_LAZY, GATE_WAIT_MS, &p->gate, error)) {
        p->shut = true;
        return false;
    }
    for (size_t i = 0; i < n; i++)
        if (!mark_sent(p, &items[i], error)) {
            txn_clear(&p->gate);
            return false;
        }
    return true;
}

static bool
gate_close(void *data, MaildirItem *items, size_t n, bool ok, GError **error)
{
    Pass *p = data;

    CRASH_POINT("deliver-filed");
    if (ok && !txn_commit(&p->gate, error)) {
        p->shut = true;
        ok = false;
    }
    txn_clear(&p->gate);
    for (size_t i = 0; ok && i < n; i++) {
        Drop *d = items[i].user;
        d->filed = !d->taken_back;
        p->stats.sent += d->filed;
    }
    return ok;
}

static bool
file_drops(Maildir *md, Drop *const *drops, size_t n, GError **error)
{
    g_autofree MaildirItem *items = g_new0(MaildirItem, n);

    for (size_t i = 0; i < n; i++) {
        const OutRow *row = drops[i]->row;
        gsize len;
        const void *bytes = g_bytes_get_data(row->bytes, &len);

        items[i] = (MaildirItem){.folder = row->folder,
                                 .base = drops[i]->base,
                                 .flags = row->flags,
                                 .head = drops[i]->head,
                                 .bytes = bytes,
                                 .len = len,
                                 .user = drops[i]};
    }
    return maildir_deliver_many(md, items, n, error);
}

static void
fail_drops(Drop *const *drops, size_t n, const GError *why)
{
    for (size_t i = 0; i < n; i++)
        drops[i]->failed = g_strdup(why->message);
}

/* All of one mailbox. What fails together is tried one by one: one bad row stops no other. Some
 * of it may be there by then, and moved on. */
static void
file_mailbox(Pass *p, const char *name, Drop *const *drops, size_t n)
{
    g_autoptr(GError) error = NULL;
    bool was_redo = p->tried == INT64_MAX, redo = was_redo;
    Maildir *md = get_mailbox(p, name, &error);

    if (!md) {
        fail_drops(drops, n, error);
        return;
    }
    for (size_t i = 0; i < n; i++)
        redo |= drops[i]->row->delivery <= p->tried || drops[i]->row->attempts > 0;
    if (redo != was_redo)
        maildir_set_redo(md, redo);
    if (!file_drops(md, drops, n, &error)) {
        redo = true;
        maildir_set_redo(md, redo);
        for (size_t i = 0; i < n; i++) {
            g_clear_error(&error);
            if (!drops[i]->filed && !file_drops(md, &drops[i], 1, &error))
                fail_drops(&drops[i], 1, error);
        }
    }
    if (redo != was_redo)
        maildir_set_redo(md, was_redo);
}

/* Copies behind all others; then by mailbox. */
static int
compare_drops(gconstpointer a, gconstpointer b)
{
    const Drop *x = *(const Drop *const *)a, *y = *(const Drop *const *)b;
    int order = is_copy(x->row) - is_copy(y->row);

    if (order == 0)
        order = strcmp(x->row->mailbox, y->row->mailbox);
    return order
               ? order
               : (x->row->delivery > y->row->delivery) - (x->row->delivery < y->row->delivery);
}

static void
file_all(Pass *p, Drop *drops, size_t n_drops)
{
    g_autoptr(GPtrArray) order = g_ptr_array_new();

    for (size_t i = 0; i < n_drops; i++) {
        if (drops[i].row->bytes)
            g_ptr_array_add(order, &drops[i]);
        else
            drops[i].failed = g_strdup("its text is gone from the store");
    }
    g_ptr_array_sort(order, compare_drops);
    for (guint i = 0, n; i < order->len; i += n) {
        Drop *const *first = (Drop *const *)&order->pdata[i];
        const char *name = (*first)->row->mailbox;

        n = 1;
        while (i + n < order->len && g_str_equal(first[n]->row->mailbox, name) &&
               is_copy(first[n]->row) == is_copy((*first)->row))
            n++;
        file_mailbox(p, name, first, n);
    }
}

static bool
mark_failed(Pass *p, Txn *txn, const Drop *d, GError **error)
{
    bool given_up;
    if (!attempt_failed(txn, d->row, !d->row->bytes, d->failed, &given_up, error))
        return false;
    p->stats.failed += given_up;
    p->stats.retried += !given_up;
    return true;
}

static bool
mark_all_failed(Pass *p, const Drop *drops, size_t n, GError **error)
{
    g_auto(Txn) txn = {.db = p->db, .flush = TXN_LAZY};
    size_t failed = 0;

    for (size_t i = 0; i < n; i++)
        failed += drops[i].failed != NULL;
    const DeliverStats before = p->stats;
    while (failed > 0 && txn_again(&txn, error)) {
        p->stats = before;
        for (size_t i = 0; i < n; i++)
            if (drops[i].failed && !mark_failed(p, &txn, &drops[i], error))
                return false;
        txn.ok = true;
    }
    return failed == 0 || txn.done;
}

static bool
begin(Pass *p, const OutRows *rows, GError **error)
{
    for (guint i = 0; i < rows->len; i++)
        p->highest = MAX(p->highest, ((const OutRow *)rows->pdata[i])->delivery);
    if (p->begun)
        return true;
    p->begun = mark_save(p, MARK_DIRTY, error);
    return p->begun;
}

/* All at once, while the code for it is at hand: between two flushes it would cost twice. */
static GArray *
make_drops(const Pass *p, const OutRows *rows)
{
    GArray *drops = g_array_sized_new(FALSE, TRUE, sizeof(Drop), rows->len);

    g_array_set_clear_func(drops, drop_clear);
    for (guint i = 0; i < rows->len; i++) {
        const OutRow *row = rows->pdata[i];
        Drop d = {.row = row, .base = out_row_file(row)};
        gsize len = 0;
        const void *bytes = row->bytes ? g_bytes_get_data(row->bytes, &len) : "";

        const OriginClaim origin = {row->level, row->floor, row->space};
        d.head = origin_line(&p->home->key, bytes, len, &origin, row->mailbox);
        g_array_append_val(drops, d);
    }
    return drops;
}

static bool
deliver_batches(Pass *p, const OutRows *rows, unsigned batch, GError **error)
{
    g_autoptr(GArray) drops = make_drops(p, rows);
    bool ok = true;

    p->drops = drops;
    for (guint i = 0; ok && i < drops->len && !proc_asked_to_stop(); i += batch) {
        Drop *first = &g_array_index(drops, Drop, i);
        size_t n = MIN(batch, drops->len - i);

        file_all(p, first, n);
        ok = mark_all_failed(p, first, n, error);
    }
    p->drops = NULL;
    return ok;
}

/* Under the lock. */
static bool
deliver_due(
    const Home *home, Db *db, unsigned batch, bool redo, DeliverStats *ret, GError **error)
{
    g_auto(Pass) p = {
        .home = home,
        .db = db,
        .mailboxes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify)maildir_close),
    };

    if (!living_check(home, false, error))
        return false;
    p.at_rename = (MaildirGate){.open = gate_open, .close = gate_close, .data = &p};
    mark_load(&p, redo);
    batch = batch ? batch : BATCH_DEFAULT;
    while (!proc_asked_to_stop()) {
        g_autoptr(OutRows) rows = NULL; /* none while everything is held */

        if (!outbox_due(db, home_now(home), true, MAX(batch, BATCH_DEFAULT), &rows, error))
            return false;
        if (rows->len == 0)
            break;
        if (!begin(&p, rows, error) || !deliver_batches(&p, rows, batch, error))
            return false;
    }
    if (p.begun && !mark_save(&p, proc_boot_id(), error))
        return false;
    *ret = p.stats;
    return true;
}

bool
deliver_pass(
    const Home *home, Db *db, unsigned batch, bool redo, DeliverStats *ret, GError **error)
{
    auto_fd lock = -1;

    return lock_take(home->state_fd, LOCK_NAME, DB_WAIT_MS, &lock, error) &&
           deliver_due(home, db, batch, redo, ret, error);
}

static void
say_what_failed(const DeliverStats *stats)
{
    if (stats->retried)
        log_say(LOG_WARN,
                "%u deliveries failed, trying again later; see: postrider outbox list",
                stats->retried);
    if (stats->failed)
        log_say(LOG_WARN, "%u deliveries failed for good; see: postrider outbox list",
                stats->failed);
    log_say(LOG_DEBUG, "delivered %u", stats->sent);
}

/* True when there is nothing left for us: delivered, or somebody else is at it. */
static bool
deliver_once(Home *home, Db *db, bool *ret_done, GError **error)
{
    g_autoptr(OutRows) left = NULL;
    DeliverStats stats = {0};
    auto_fd lock = -1;

    *ret_done = true;
    if (!lock_take(home->state_fd, LOCK_NAME, 0, &lock, error)) {
        if (!err_is(*error, ERR_LATER))
            return false;
        g_clear_error(error);
        return true;
    }
    if (!deliver_due(home, db, 0, false, &stats, error))
        return false;
    say_what_failed(&stats);
    /* A process that found the lock taken has gone away and relies on us, so we look once more
     * after we let go of the lock. */
    cleanup_fd(&lock);
    lock = -1;
    if (proc_asked_to_stop())
        return true;
    if (!outbox_due(db, home_now(home), true, 1, &left, error))
        return false;
    *ret_done = left->len == 0;
    return true;
}

int
deliver_main(Home *home, Db *db)
{
    g_autoptr(GError) error = NULL;
    bool done = false;
    proc_hold_stop();
    while (!done)
        if (!mailboxes_unwatched(db, &error) || !deliver_once(home, db, &done, &error)) {
            log_event(LOG_ERROR, "delivering failed", "error", error->message, NULL);
            return err_exit_status(error);
        }
    return EXIT_SUCCESS;
}
