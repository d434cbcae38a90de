#include "engine/intake.h"
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/crash.h"
#include "base/err.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "engine/breaker.h"
#include "engine/checkpoint.h"
#include "engine/face.h"
#include "engine/history.h"
#include "engine/judge.h"
#include "engine/letter.h"
#include "engine/mail_in.h"
#include "engine/orders.h"
#include "engine/outward.h"
#include "engine/poke.h"
#include "engine/post.h"
#include "engine/remote.h"
#include "engine/returned.h"
#include "engine/settle.h"
#include "engine/suspects.h"
#include "engine/unproven.h"
#include "mail/maildir.h"
#include "mail/msgid.h"
#include "store/jobs.h"
#include "store/remote.h"

#define BATCH_MAIL 500
#define BATCH_BYTES (64u << 20)
/* Mails between roles on one job without a word of a person: more is a loop. */
#define ROLE_TALK_MAX 8

struct Intake {
    Engine *engine;
    const ConfAccount *account;
    int lock;
    GHashTable *seen; /* "role/base": known to the store, no need to ask again */
};

/* One file on its way in. */
typedef struct Item {
    MaildirEntry *entry; /* borrowed */
    GBytes *bytes;
    MailIn in;
    const char *unreadable; /* why it could not even be read; static */
} Item;

static void
item_clear(gpointer p)
{
    Item *item = p;
    g_clear_pointer(&item->bytes, g_bytes_unref);
    g_clear_pointer(&item->in.mail, message_free);
    g_clear_pointer(&item->in.checkpoint, continuation_free);
    g_clear_pointer(&item->in.document, g_bytes_unref);
}

/* Things to do once the batch is committed. */
typedef struct After {
    GArray *poke; /* of JobId */
    bool ready;
    bool moves; /* mail is to be moved */
} After;

bool
intake_open(
    Engine *engine, const ConfAccount *account, int wait_ms, Intake **ret, GError **error)
{
    g_autofree char *name = g_strdup_printf("account-%s.lock", account->name);
    int lock;
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
    g_free(in);
}

/* --- one mail, inside the batch's transaction --- */

/* An id of ours with a number that the store has not given out: the store is an old copy. */
static bool
note_minted(Engine *engine, Txn *txn, const Message *m, GError **error)
{
    const Home *home = engine->home;
    for (guint i = 0; i <= m->references->len; i++) {
        const char *id = i < m->references->len ? g_ptr_array_index(m->references, i) : m->id;
        uint64_t generation;
        int64_t number;
        bool went_back;
        if (!msgid_is_minted(&home->key, id, home->config->domain, &generation, &number))
            continue;
        if (!db_note_minted(txn, generation, number, &went_back, error))
            return false;
        if (went_back)
            log_event(LOG_ERROR,
                      "the store is older than its mail: nothing runs or leaves until "
                      "'postrider doctor --accept-backup'",
                      "message", id, NULL);
    }
    return true;
}

/* Has this conversation of roles gone on for too long without a person? */
static bool
role_talk(Engine *engine, JobId job, bool *ret_too_long, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(GPtrArray) rows = NULL;
    MsgQuery q = {.job = job, .limit = ROLE_TALK_MAX + 1};
    if (!messages_list(engine->db, &viewer, &q, &rows, error))
        return false;
    unsigned n = 0;
    while (n < rows->len && ((const MsgRow *)g_ptr_array_index(rows, n))->trust <= TRUST_ROLE)
        n++;
    *ret_too_long = n >= ROLE_TALK_MAX;
    return true;
}

static const char *
face_of(const Engine *engine, const MsgNew *in)
{
    const FaceOps *const *f = engine->faces;
    while (f[1] && !(*f)->claims(engine, in, in->mail))
        f++;
    return (*f)->name;
}

/* A stopped job stays stopped; the sender is told once per stop how to go on. */
static bool
say_stopped(Engine *engine, Txn *txn, const Job *job, const Message *m, GError **error)
{
    g_autofree char *name = g_strdup_printf("stopped-said:%" G_GINT64_FORMAT, job->id.v);
    g_autofree char *epoch = g_strdup_printf("%" G_GINT64_FORMAT, job->epoch);
    g_autofree char *said = NULL;
    if (!meta_get(engine->db, name, &said, error))
        return false;
    if (g_strcmp0(said, epoch) == 0)
        return true;
    const ConfRole *role = config_role(engine->home->config, job->role);
    LetterParent parent = {.msgid = m->id,
                           .subject = m->subject,
                           .in_reply_to = m->in_reply_to,
                           .references = m->references};
    g_autofree char *text =
        g_strdup_printf("Job %" G_GINT64_FORMAT " is stopped. Your mail is kept with it. Reply "
                        "CONTINUE to go on, or CANCEL to end the job.",
                        job->id.v);
    g_autoptr(Compose) c =
        letter_notice(engine->home, role, job, m->from->spec, NULL, text, &parent, error);
    Post post = {
        .job = job->id, .thread = job->thread, .level = TRUST_ROLE, .mailbox = job->role};
    return c && post_compose(engine, txn, c, &post, NULL, NULL, error) &&
           meta_set(txn, name, epoch, error);
}

bool
intake_queue(Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error)
{
    const Message *m = in->mail;
    const char *asker = m->from->spec;
    int round = 1;
    if (job.v) {
        const Viewer viewer = VIEWER_OPERATOR;
        g_autoptr(Job) row = NULL;
        if (!job_take_mail(txn, job, id, asker, m->id, &round, error) ||
            !job_load(engine->db, &viewer, job, &row, error))
            return false;
        if (row->state == JOB_STOPPED && in->trust >= TRUST_PRINCIPAL &&
            !say_stopped(engine, txn, row, m, error))
            return false;
    } else {
        JobNew fresh = {.role = in->role,
                        .face = face_of(engine, in),
                        .subject = m->subject,
                        .asker = asker,
                        .original_msgid = m->id,
                        .thread = in->thread,
                        .original = id};
        if (!job_create(txn, &fresh, &job, error))
            return false;
    }
    return messages_set_job(txn, id, job, round, error);
}

static bool
obey(Engine *engine,
     Txn *txn,
     MsgId id,
     const Order *order,
     JobId job,
     const Message *m,
     After *after,
     GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(MsgRow) row = NULL;
    bool poke = false;
    if (!messages_load(engine->db, &viewer, id, &row, error) ||
        !order_apply(engine, txn, order, job, row, m, &poke, error))
        return false;
    if (poke)
        g_array_append_val(after->poke, job);
    after->ready = true;
    return true;
}

/* By the tag of the address that it was sent to, which only somebody who got mail of the job knows;
 * else by what it answers. */
static bool
find_job(Engine *engine, const char *role, const Message *m, JobId *ret, GError **error)
{
    const Viewer viewer = {.role = role};
    g_autoptr(Job) tagged = NULL;
    JobId job = outward_job_of(&engine->home->key, config_role(engine->home->config, role), m);
    if (job.v && !job_load(engine->db, &viewer, job, &tagged, error))
        return false;
    if (!tagged)
        return messages_find_job(engine->db, role, m, ret, error);
    *ret = job;
    return true;
}

/* What a mail that passed the judge becomes: an order, or work, or held after all. */
static bool
direct(Engine *engine,
       const Judgement *j,
       MsgNew *in,
       Order *order,
       JobId *ret_job,
       GError **error)
{
    const Message *m = in->mail;
    JobId job;
    bool takes_part = false;
    if (!find_job(engine, in->role, m, &job, error) ||
        (job.v && !messages_takes_part(engine->db, job, m->from->spec, &takes_part, error)))
        return false;
    if (job.v && !takes_part && j->trust < TRUST_PRINCIPAL)
        job.v = 0;
    *ret_job = job;
    if (job.v)
        in->class = MSG_REPLY;

    if ((j->may & MAY_STEER) || j->trust >= TRUST_PRINCIPAL)
        order_parse(m, job.v != 0, order);
    if (!order_permitted(order, j->may)) {
        order_clear(order);
        order->kind = ORDER_NONE;
    }
    if (order->kind != ORDER_NONE) {
        in->class = MSG_ORDER;
        in->state = MSG_HANDLED;
        in->why = order_why(order);
        return true;
    }
    bool too_long = false, same = false;
    if ((j->trust <= TRUST_ROLE && job.v && !role_talk(engine, job, &too_long, error)) ||
        (!j->proved && job.v && !breaker_in(engine->db, job, m, &same, error)))
        return false;
    if (!(j->may & MAY_ASK) || too_long || same) {
        in->state = MSG_HELD;
        in->why = too_long ? "loop: roles talk without a person"
                  : same   ? "loop: the same text came before"
                           : "the sender may not ask";
    }
    return true;
}

static bool
take_mail(Engine *engine,
          Txn *txn,
          const ConfRole *role,
          MsgNew *in,
          const Judgement *j,
          After *after,
          GError **error)
{
    g_auto(Order) order = {0};
    JobId job = {0};
    MsgId id;
    bool is_new, id_reuse = false;

    in->trust = j->trust;
    in->class = j->class;
    in->state = j->state;
    in->why = j->why;
    if (!messages_known(engine->db, role->name, in->mail, &id, &id_reuse, error))
        return false;
    if (id.v) /* again the same mail: only its place is news */
        return messages_store(txn, in, &id, &is_new, error);
    if (!note_minted(engine, txn, in->mail, error) ||
        !messages_thread(txn, in->mail, &in->thread, error) ||
        (in->state == MSG_STORED && !direct(engine, j, in, &order, &job, error)) ||
        !messages_store(txn, in, &id, &is_new, error))
        return false;
    if (j->forged &&
        !messages_trace(txn, id, "forged", "an origin line that does not hold", error))
        return false;
    if (*j->proof && !messages_trace(txn, id, "auth", j->proof, error))
        return false;
    if (j->unproven && !unproven_tell(engine, txn, role, in->mail, j->proof, error))
        return false;
    after->ready |= j->unproven; /* a word to the owner may be on its way */
    if (id_reuse &&
        !messages_trace(txn, id, "id_reuse", "the same Message-ID on another body", error))
        return false;
    if (order.kind != ORDER_NONE)
        return obey(engine, txn, id, &order, job, in->mail, after, error);
    if (in->state != MSG_STORED)
        return true;
    after->ready = true;
    return intake_queue(engine, txn, id, in, job, error);
}

/* --- a batch --- */

static void
count(IntakeStats *stats, const MsgNew *in)
{
    stats->taken++;
    stats->orders += in->class == MSG_ORDER;
    stats->held += in->state == MSG_HELD;
    stats->ignored += in->state == MSG_IGNORED;
    stats->dead += in->state == MSG_DEAD;
}

/* --- a mail that holds a checkpoint, or says so --- */

static bool
take_checkpoint(Engine *engine,
                Txn *txn,
                MsgNew *fresh,
                const Continuation *c,
                bool *ret_taken,
                After *after,
                GError **error)
{
    bool foreign, moves;
    if (!note_minted(engine, txn, fresh->mail, error) ||
        !checkpoint_take(engine, txn, fresh, c, &foreign, &moves, error))
        return false;
    *ret_taken = !foreign;
    after->moves |= moves;
    after->ready |= !foreign;
    return true;
}

/* The operator vouches for a document of the seed's own form: it begins a job. */
static bool
adopt(Engine *engine, Txn *txn, MsgNew *fresh, GBytes *document, After *after, GError **error)
{
    g_autoptr(Continuation) c = NULL;
    g_autoptr(GError) wrong = NULL;
    gsize len;
    const char *data = g_bytes_get_data(document, &len);
    MsgId id;
    bool is_new;
    fresh->class = MSG_CHECKPOINT;
    fresh->state = MSG_HANDLED;
    fresh->why = "a continuation of the operator";
    if (!continuation_parse_seed(data, len, &c, &wrong)) {
        fresh->state = MSG_HELD;
        fresh->why = wrong->message;
    } else if (!checkpoint_adopt(engine, txn, fresh->role, c, &fresh->job, error)) {
        return false;
    }
    fresh->round = 1;
    after->ready = true;
    bool ok = messages_thread(txn, fresh->mail, &fresh->thread, error) &&
              messages_store(txn, fresh, &id, &is_new, error);
    fresh->why = NULL; /* goes with wrong */
    return ok;
}

static bool
note_forged(Engine *engine, Txn *txn, const MsgNew *fresh, GError **error)
{
    const Viewer viewer = {.role = fresh->role};
    g_autoptr(MsgRow) row = NULL;
    log_event(LOG_WARN, "a mail carries a continuation that is not ours", "message",
              fresh->mail->id, NULL);
    return checkpoint_count_forged(txn, error) &&
           messages_find(engine->db, &viewer, fresh->mail->id, &row, error) &&
           (!row || messages_trace(txn, row->id, "forged",
                                   "a continuation whose MAC does not hold", error));
}

static bool
take_judged(Engine *engine,
            Txn *txn,
            const ConfRole *role,
            const Item *item,
            MsgNew *fresh,
            Judgement *j,
            After *after,
            GError **error)
{
    bool taken = false;
    if (item->in.seen == CONT_SIGNED &&
        !take_checkpoint(engine, txn, fresh, item->in.checkpoint, &taken, after, error))
        return false;
    if (taken)
        return true;
    if (item->in.seen == CONT_UNSIGNED && j->proved && j->trust == TRUST_OPERATOR)
        return adopt(engine, txn, fresh, item->in.document, after, error);
    if (item->in.seen == CONT_AMBIGUOUS) {
        j->state = MSG_HELD;
        j->why = "ambiguous: two continuations in one mail";
    }
    return take_mail(engine, txn, role, fresh, j, after, error) &&
           (item->in.seen == CONT_NOT_ONE || item->in.seen == CONT_AMBIGUOUS ||
            note_forged(engine, txn, fresh, error));
}

/* Mail of ours that comes back says something about the outbox. */
static bool
take_returned(Engine *engine,
              Txn *txn,
              const Item *item,
              const Judgement *j,
              After *after,
              GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    const Message *m = item->in.mail;
    g_autoptr(MsgRow) row = NULL;
    if (item->unreadable || j->proved || j->state != MSG_IGNORED)
        return true;
    if (j->class != MSG_BOUNCE)
        return returned_copy(engine, txn, m, error);
    after->ready = true;
    return messages_find(engine->db, &viewer, m->id, &row, error) &&
           (!row || returned_bounce(engine, txn, row->id, item->bytes, error));
}

static bool
take_item(Intake *in,
          Txn *txn,
          const ConfRole *role,
          const Item *item,
          IntakeStats *stats,
          After *after,
          GError **error)
{
    g_autofree char *remote = NULL; /* whose server it lies on too */
    if (!remote_account_of(in->engine->db, role->name, item->entry->base, &remote, error))
        return false;
    MsgNew fresh = {.role = role->name,
                    .account = remote ? remote : in->account->name,
                    .folder = item->entry->folder,
                    .file = item->entry->base,
                    .mail = item->in.mail};
    Judgement j;
    if (item->unreadable) {
        j = (Judgement){.class = MSG_UNREADABLE,
                        .state =
                            g_str_has_prefix(item->unreadable, "crashes") ? MSG_DEAD : MSG_HELD,
                        .why = item->unreadable};
    } else if (message_header(item->in.mail, REMOTE_LARGE_HEADER)) {
        j = (Judgement){.class = MSG_UNREADABLE, .state = MSG_HELD, .why = "too_large"};
    } else {
        judge(in->engine->home, role, item->in.mail, &j);
    }
    if (!take_judged(in->engine, txn, role, item, &fresh, &j, after, error) ||
        !take_returned(in->engine, txn, item, &j, after, error))
        return err_prefix(error, "taking in '%s/%s'", role->name, item->entry->base);
    count(stats, &fresh);
    return true;
}

/* A mail that is not parsed is known by its bytes, or by its file where those are too many. */
static void
stand_in(Item *item, const char *why)
{
    gsize len = strlen(item->entry->base);
    const void *data = item->bytes ? g_bytes_get_data(item->bytes, &len) : item->entry->base;
    item->unreadable = why;
    item->in.mail = message_parse("", 0, MESSAGE_HEADERS, NULL);
    item->in.mail->size = item->bytes ? len : (size_t)item->entry->size;
    digest_of(data, len, &item->in.mail->body);
    g_autofree char *token = digest_token(&item->in.mail->body, 26);
    g_free(item->in.mail->id);
    item->in.mail->id = g_strdup_printf("%s@unreadable.invalid", token);
}

/* Reads one file into item; false: it is gone, or not ours to read now. */
static bool
read_item(Intake *in, Maildir *md, MaildirEntry *entry, Item *ret, IntakeStats *stats)
{
    g_autoptr(GError) error = NULL;
    *ret = (Item){.entry = entry};
    size_t max = in->engine->home->config->max_message;
    bool unfinished = false;
    if (maildir_read_finished(md, entry, max, &unfinished, &ret->bytes, &error)) {
        if (unfinished && stats->unfinished)
            g_ptr_array_add(
                stats->unfinished,
                g_strdup_printf("%s/%s", entry->in_new ? "new" : "cur", entry->name));
        return ret->bytes != NULL;
    }
    if (err_is(error, ERR_LIMIT)) {
        stand_in(ret, "too_large");
        return true;
    }
    log_event(LOG_WARN, "can't read a mail, leaving it for the next pass", "file", entry->name,
              "why", error->message, NULL);
    stats->left++;
    return false;
}

static void
parse_item(const Key *key, Item *item, bool culprit)
{
    if (item->in.mail)
        return;
    if (culprit) {
        stand_in(item, "crashes the parser");
        return;
    }
    mail_in_parse(key, item->bytes, &item->in);
}

/* A checkpoint of a job that the store does not know: the job comes back before its mail is
 * taken in. */
static bool
restore_lost(Intake *in, const ConfRole *role, Maildir *md, const GArray *items, GError **error)
{
    bool lost = false;
    for (guint i = 0; i < items->len && !lost; i++) {
        const Continuation *c = g_array_index(items, Item, i).in.checkpoint;
        ContinuationFate fate = CONT_STALE;
        const char *why;
        if (c && !continuation_judge(in->engine->db, c, role->name, 0, &fate, &why, error))
            return false;
        lost = fate == CONT_RESTORES;
    }
    unsigned n;
    return !lost || checkpoints_restore(in->engine, role, md, &n, error);
}

static bool
commit_batch(
    Intake *in, const ConfRole *role, GArray *items, IntakeStats *stats, GError **error)
{
    g_autoptr(GArray) poke = g_array_new(FALSE, FALSE, sizeof(JobId));
    After after = {.poke = poke};
    IntakeStats counted = *stats;
    g_auto(Txn) txn = {0};
    if (!txn_begin(in->engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error))
        return false;
    for (guint i = 0; i < items->len; i++) {
        if (!take_item(in, &txn, role, &g_array_index(items, Item, i), &counted, &after, error))
            return false;
    }
    if (!suspects_wipe(&txn, role->name, error))
        return false;
    CRASH_POINT("intake-before-commit");
    if (!txn_commit(&txn, error))
        return false;
    CRASH_POINT("intake-committed");
    *stats = counted;
    for (guint i = 0; i < items->len; i++)
        g_hash_table_add(in->seen, g_strdup_printf("%s/%s", role->name,
                                                   g_array_index(items, Item, i).entry->base));
    for (guint i = 0; i < poke->len; i++)
        poke_run(in->engine->db, g_array_index(poke, JobId, i));
    /* What can't be moved now stays owed. */
    if (after.moves || poke->len > 0)
        (void)settle_local(in->engine, NULL, NULL);
    if (after.ready)
        db_hint(in->engine->db);
    return true;
}

static bool
take_batch(Intake *in,
           const ConfRole *role,
           Maildir *md,
           const GPtrArray *entries,
           guint *next,
           guint max,
           int crashes,
           IntakeStats *stats,
           GError **error)
{
    g_autoptr(GArray) items = g_array_new(FALSE, TRUE, sizeof(Item));
    g_array_set_clear_func(items, item_clear);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    size_t bytes = 0;

    while (*next < entries->len && items->len < max && bytes < BATCH_BYTES) {
        Item item;
        MaildirEntry *entry = g_ptr_array_index(entries, (*next)++);
        if (!read_item(in, md, entry, &item, stats))
            continue;
        bytes += item.bytes ? g_bytes_get_size(item.bytes) : 0;
        g_array_append_val(items, item);
        g_ptr_array_add(names, entry->base);
    }
    if (items->len == 0)
        return true;
    if (!suspects_mark(in->engine, role->name, names, crashes, error))
        return false;
    CRASH_POINT("intake-marked");
    for (guint i = 0; i < items->len; i++)
        parse_item(&in->engine->home->key, &g_array_index(items, Item, i),
                   crashes > SUSPECT_CRASHES);
    return restore_lost(in, role, md, items, error) &&
           commit_batch(in, role, items, stats, error);
}

/* Entries that the store does not know, suspects of an earlier crash apart. */
static bool
find_new(Intake *in,
         const ConfRole *role,
         GPtrArray *entries,
         const Suspects *suspects,
         GPtrArray *fresh,
         GPtrArray *suspected,
         GError **error)
{
    for (guint i = 0; i < entries->len; i++) {
        MaildirEntry *e = g_ptr_array_index(entries, i);
        g_autofree char *key = g_strdup_printf("%s/%s", role->name, e->base);
        bool has = g_hash_table_contains(in->seen, key);
        if (!has && !messages_has_file(in->engine->db, role->name, e->base, &has, error))
            return false;
        if (has)
            g_hash_table_add(in->seen, g_steal_pointer(&key));
        else
            g_ptr_array_add(g_hash_table_contains(suspects->files, e->base) ? suspected : fresh,
                            e);
    }
    return true;
}

/* Takes in what is new among the entries, suspects first and each by itself. */
static bool
take_entries(Intake *in,
             const ConfRole *role,
             Maildir *md,
             GPtrArray *entries,
             IntakeStats *stats,
             GError **error)
{
    g_autoptr(GPtrArray) fresh = g_ptr_array_new();
    g_autoptr(GPtrArray) suspected = g_ptr_array_new();
    g_auto(Suspects) suspects = {0};
    stats->seen += entries->len;
    if (!suspects_load(in->engine, role->name, &suspects, error) ||
        !find_new(in, role, entries, &suspects, fresh, suspected, error))
        return false;
    int crashes = g_hash_table_size(suspects.files) == 1 ? suspects.crashes + 1 : 1;
    for (guint next = 0; next < suspected->len;) {
        if (!take_batch(in, role, md, suspected, &next, 1, crashes, stats, error))
            return false;
    }
    for (guint next = 0; next < fresh->len;) {
        if (!take_batch(in, role, md, fresh, &next, BATCH_MAIL, 0, stats, error))
            return false;
    }
    return true;
}

static bool
open_mailbox(
    Intake *in, const ConfRole *role, Maildir **ret, IntakeStats *stats, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    unsigned old = 0;
    if (!maildir_open(in->engine->home->mail_fd, role->name, true, &md, error) ||
        !history_take(in->engine, in->account, role, md, &old, error))
        return err_prefix(error, "mailbox '%s'", role->name);
    stats->ignored += old;
    *ret = g_steal_pointer(&md);
    return true;
}

bool
intake_mailbox(Intake *in, const ConfRole *role, IntakeStats *stats, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    g_autoptr(GPtrArray) entries = NULL;
    unsigned foreign = 0;
    if (!open_mailbox(in, role, &md, stats, error))
        return false;
    if (!maildir_scan(md, "", false, &entries, &foreign, error))
        return err_prefix(error, "mailbox '%s'", role->name);
    stats->foreign += foreign;
    return take_entries(in, role, md, entries, stats, error) &&
           checkpoints_look(in->engine, role, md, error);
}

/* Each mail once: one that came and was moved at once is named twice. */
static bool
look_for_files(Maildir *md, const GPtrArray *files, GPtrArray *entries, GError **error)
{
    g_autoptr(GHashTable) bases = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
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
    g_autoptr(Maildir) md = NULL;
    g_autoptr(GPtrArray) entries =
        g_ptr_array_new_with_free_func((GDestroyNotify)maildir_entry_free);
    if (!open_mailbox(in, role, &md, stats, error))
        return false;
    if (!look_for_files(md, files, entries, error))
        return err_prefix(error, "mailbox '%s'", role->name);
    return take_entries(in, role, md, entries, stats, error);
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
