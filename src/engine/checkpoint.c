#include "engine/checkpoint.h"
#include "base/banned.h"
#include "base/err.h"
#include "base/log.h"
#include "base/text.h"
#include "mail/msgid.h"
#include "store/budget.h"
#include "store/effects.h"
#include "store/steps.h"

static bool
count_one(Txn *txn, const char *name, GError **error)
{
    g_autofree char *text = NULL;
    int64_t n = 0;
    if (!meta_get(txn->db, name, &text, error))
        return false;
    if (text)
        (void)text_parse_int(text, 0, INT64_MAX - 1, &n);
    g_autofree char *more = g_strdup_printf("%" G_GINT64_FORMAT, n + 1);
    return meta_set(txn, name, more, error);
}

bool
checkpoint_count_forged(Txn *txn, GError **error)
{
    return count_one(txn, CHECKPOINT_FORGED, error);
}

/* --- one mail --- */

static bool
hold_all(Txn *txn, const Continuation *c, GError **error)
{
    g_autofree char *held = NULL;
    if (!meta_get(txn->db, "hold-all", &held, error))
        return false;
    if (held)
        return true;
    g_autofree char *why = g_strdup_printf(
        "the store is older than the mail: checkpoint %" G_GINT64_FORMAT
        " of job %" G_GINT64_FORMAT
        " was written, and the store does not know it; look at what happened since the "
        "backup, then run: postrider doctor --accept-backup",
        c->seq, c->job.v);
    log_event(LOG_ERROR, why, NULL);
    return meta_set(txn, "hold-all", why, error);
}

static bool
move_to_done(Txn *txn, MsgId id, const MsgNew *in, GError **error)
{
    g_autofree char *subject = g_strdup_printf("%s/%s", in->role, in->file);
    Effect e = {.kind = EFFECT_MAIL_MOVE,
                .job = in->job,
                .message = id,
                .account = "",
                .subject = subject,
                .args = "Done"};
    EffectId effect;
    return g_str_equal(in->folder, "Done") || effect_put(txn, &e, &effect, error);
}

/* The same mail may come again (resume): only its place is news then. */
static bool
store_row(Txn *txn, MsgNew *in, MsgId *ret_id, bool *ret_new, GError **error)
{
    in->class = MSG_CHECKPOINT;
    in->state = MSG_HANDLED;
    return messages_thread(txn, in->mail, &in->thread, error) &&
           messages_store(txn, in, ret_id, ret_new, error) &&
           (*ret_new || (messages_set_job(txn, *ret_id, in->job, in->round, error) &&
                         messages_trace(txn, *ret_id, "checkpoint", in->why, error)));
}

/* Ours come once, under the id that we gave them. */
static bool
is_replayed(const Home *home, const char *msgid, bool is_new)
{
    uint64_t generation;
    int64_t number;
    return !is_new ||
           !msgid_is_minted(&home->key, msgid, home->config->domain, &generation, &number);
}

bool
checkpoint_take(Engine *engine,
                Txn *txn,
                MsgNew *in,
                const Continuation *c,
                bool *ret_forged,
                bool *ret_moves,
                GError **error)
{
    ContinuationFate fate;
    MsgId id;
    bool matched, is_new;
    *ret_forged = *ret_moves = false;
    if (!continuation_judge(engine->db, c, in->role, home_now(engine->home), &fate, &in->why,
                            error))
        return false;
    if (fate == CONT_FOREIGN) {
        *ret_forged = true;
        return true;
    }
    if (fate != CONT_RESTORES) { /* a job that stays unknown: its number may become another's */
        in->job = c->job;
        in->round = c->round;
    }
    if (!store_row(txn, in, &id, &is_new, error))
        return false;
    switch (fate) {
    case CONT_WAKES:
    case CONT_EARLY:
        return job_seen(txn, c->job, c->epoch, c->seq, &matched, error);
    case CONT_AHEAD:
        return hold_all(txn, c, error);
    case CONT_STALE:
    case CONT_RESTORES: /* restored before, or not worth it: a copy in Done is as new */
        log_event(LOG_INFO, "a checkpoint mail is filed", "message", in->mail->id, "why",
                  in->why, NULL);
        *ret_moves = true;
        if (fate == CONT_STALE && is_replayed(engine->home, in->mail->id, is_new) &&
            !count_one(txn, CHECKPOINT_STALE, error))
            return false;
        return move_to_done(txn, id, in, error);
    case CONT_FOREIGN:
        break;
    }
    return true;
}

/* --- jobs that come back --- */

/* The step that the next one goes on from. */
static bool
put_state(Engine *engine, Txn *txn, JobId job, const Continuation *c, GError **error)
{
    Step s = {.job = job,
              .n = c->steps,
              .round = c->round,
              .at_us = home_now(engine->home),
              .phase = c->phase,
              .did = (char *)"came back from its checkpoint mail",
              .state = c->state,
              .results = c->results};
    return step_put(txn, &s, error);
}

static char *
asker_of(const Engine *engine, const Continuation *c)
{
    g_autoptr(Addresses) from = address_parse_list(c->original_from);
    const Address *first = from && from->len ? g_ptr_array_index(from, 0) : NULL;
    return g_strdup(first ? first->spec : engine->home->config->owner);
}

/* A thread is a set of ids: the original's is enough to find it again. */
static bool
thread_of(Txn *txn, const char *msgid, ThreadId *ret, GError **error)
{
    g_autofree char *head = g_strdup_printf("Message-ID: <%s>\n\n", msgid);
    g_autoptr(Message) m = message_parse(head, strlen(head), MESSAGE_HEADERS, NULL);
    return messages_thread(txn, m, ret, error);
}

static bool
restore(Engine *engine,
        Txn *txn,
        const char *role,
        const Continuation *c,
        JobId *ret,
        GError **error)
{
    g_autofree char *asker = asker_of(engine, c);
    JobRestore in = {.id = c->job,
                     .role = role,
                     .face = c->face ? c->face : "steps",
                     .phase = c->phase,
                     .subject = c->original_subject,
                     .asker = asker,
                     .original_msgid = c->original_msgid,
                     .waiting_for = c->waiting_for,
                     .round = MAX(c->round, 1),
                     .total_iterations = c->total_iterations,
                     .steps = c->steps,
                     .step_limit = c->step_limit,
                     .epoch = MAX(c->epoch, 1),
                     .seq = c->seq,
                     .created_us = c->born_us,
                     .round_cost_micro = c->round_cost_micro,
                     .floor = c->floor,
                     .may = c->may,
                     .resume_us = c->resume_us,
                     .wait_then = c->wait_then};
    return thread_of(txn, c->original_msgid, &in.thread, error) &&
           job_restore(txn, &in, ret, error) && put_state(engine, txn, *ret, c, error);
}

bool
checkpoint_adopt(Engine *engine,
                 Txn *txn,
                 const char *role,
                 const Continuation *c,
                 JobId *ret,
                 GError **error)
{
    const Viewer viewer = {.role = role};
    g_autoptr(MsgRow) original = NULL;
    Continuation fresh = *c;
    fresh.job = (JobId){1}; /* the first number that is free */
    fresh.born_us = fresh.resume_us = home_now(engine->home);
    return restore(engine, txn, role, &fresh, ret, error) &&
           messages_find(engine->db, &viewer, c->original_msgid, &original, error) &&
           (!original || job_set_original(txn, *ret, original->id, error));
}

/* Of one job: what lies in INBOX, and how far any copy got. */
typedef struct Lost {
    Continuation *inbox; /* the highest seq there; NULL: none */
    Continuation *most;  /* the highest seq anywhere */
    int64_t done_seq;
} Lost;

static void
lost_free(gpointer p)
{
    Lost *l = p;
    continuation_free(l->inbox);
    continuation_free(l->most);
    g_free(l);
}

static Continuation *
read_file(const Home *home, Maildir *md, const MaildirEntry *e)
{
    g_autoptr(GBytes) bytes = NULL;
    Continuation *c = NULL;
    if (!maildir_read(md, e, home->config->max_message, &bytes, NULL) || !bytes)
        return NULL;
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    if (!memmem(data, len, CONTINUATION_FILE, strlen(CONTINUATION_FILE)))
        return NULL; /* most mail is none, and needs no parsing */
    g_autoptr(Message) m = message_parse(data, len, MESSAGE_CONTENT, NULL);
    return continuation_read(&home->key, m, &c) == CONT_SIGNED ? c : NULL;
}

static void
keep_highest(Continuation **slot, Continuation *c)
{
    if (*slot && (*slot)->seq >= c->seq) {
        continuation_free(c);
        return;
    }
    continuation_free(*slot);
    *slot = c;
}

static bool
collect(Engine *engine,
        const ConfRole *role,
        Maildir *md,
        const char *folder,
        GHashTable *lost,
        int64_t *spent,
        GError **error)
{
    g_autoptr(GPtrArray) entries = NULL;
    if (!maildir_scan(md, folder, false, &entries, NULL, error))
        return false;
    for (guint i = 0; i < entries->len; i++) {
        Continuation *c = read_file(engine->home, md, g_ptr_array_index(entries, i));
        if (!c)
            continue;
        if (budget_is_today(engine->home, c->written_us))
            *spent = MAX(*spent, c->day_cost_micro);
        if (!g_str_equal(c->role, role->name)) {
            continuation_free(c);
            continue;
        }
        g_autofree char *key =
            g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, c->job.v, c->born_us);
        Lost *l = g_hash_table_lookup(lost, key);
        if (!l) {
            l = g_new0(Lost, 1);
            g_hash_table_insert(lost, g_steal_pointer(&key), l);
        }
        if (g_str_equal(folder, "Done"))
            l->done_seq = MAX(l->done_seq, c->seq);
        keep_highest(!*folder ? &l->inbox : &l->most, c);
    }
    return true;
}

/* A mail can't lower a counter: the highest in any copy counts. */
static void
raise_counters(Lost *l)
{
    Continuation *c = l->inbox;
    const Continuation *most = l->most;
    if (!most)
        return;
    c->steps = MAX(c->steps, most->steps);
    c->epoch = MAX(c->epoch, most->epoch);
    if (c->round == most->round) {
        c->total_iterations = MAX(c->total_iterations, most->total_iterations);
        c->round_cost_micro = MAX(c->round_cost_micro, most->round_cost_micro);
        c->floor = MIN(c->floor, most->floor);
        c->may &= most->may;
    }
}

static bool
restore_lost(
    Engine *engine, Txn *txn, const ConfRole *role, Lost *l, bool *ret_did, GError **error)
{
    const char *why;
    ContinuationFate fate;
    JobId job;
    *ret_did = false;
    if (!l->inbox || l->done_seq >= l->inbox->seq)
        return true;
    if (!continuation_judge(engine->db, l->inbox, role->name, 0, &fate, &why, error))
        return false;
    if (fate != CONT_RESTORES)
        return true;
    raise_counters(l);
    if (!restore(engine, txn, role->name, l->inbox, &job, error))
        return false;
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, job.v);
    log_event(LOG_WARN, "the store had lost a job; it came back from its checkpoint mail",
              "job", number, "role", role->name, NULL);
    *ret_did = true;
    return true;
}

bool
checkpoints_restore(
    Engine *engine, const ConfRole *role, Maildir *md, unsigned *ret_n, GError **error)
{
    static const char *const folders[] = {"", "Done", "Sent"};
    g_autoptr(GHashTable) lost =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, lost_free);
    int64_t spent = 0; /* today, by all jobs */
    *ret_n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        if (!collect(engine, role, md, folders[i], lost, &spent, error))
            return false;
    }
    if (g_hash_table_size(lost) == 0)
        return true;
    g_auto(Txn) txn = {0};
    GHashTableIter iter;
    gpointer value;
    if (!txn_begin(engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        !budget_recall(&txn, spent, error))
        return false;
    g_hash_table_iter_init(&iter, lost);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        bool did;
        if (!restore_lost(engine, &txn, role, value, &did, error))
            return false;
        *ret_n += did;
    }
    return txn_commit(&txn, error);
}
