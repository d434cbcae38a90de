#include "engine/checkpoint/history.h"
#include "base/crash.h"
#include "base/log.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/proof.h"
#include "engine/checkpoint/refetch.h"
#include "engine/face.h"
#include "engine/in/judge.h"
#include "engine/in/mail_in.h"
#include "engine/in/quotes.h"
#include "engine/out/namesake.h"
#include "engine/out/outward.h"
#include "mail/message.h"
#include "notes/first_notes.h"
#include "notes/notes.h"
#include "store/job/role_rows.h"
#include "store/mail/copies.h"
#include "store/mail/mailbox_visit.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"

#define HISTORY_BATCH 500
#define AHEAD_US (60 * USEC_PER_SEC) /* clocks of a file server may differ by as much */

/* The mailbox that is looked at, what was found in it, and where its past ends. */
typedef struct Past {
    const RoleMailbox *box;
    GHashTable *answered; /* ids that an answer in Sent settles -> TRUE: that ended its job */
    Said said;            /* of Sent, where it was read for Done */
    int64_t born_us;      /* the store */
    int64_t ends_us;
    bool came_later; /* the role, than the store */
    unsigned n;      /* mails taken */
    Txn *txn;        /* of an old store: in which they are */
} Past;

static void
past_clear(Past *past)
{
    g_clear_pointer(&past->answered, g_hash_table_unref);
    said_clear(&past->said);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Past, past_clear)

/* *ret_checkpoint: only where it is a checkpoint mail of ours. */
static Message *
parse_mail(const Past *past, GBytes *bytes, Continuation **ret_checkpoint)
{
    MailIn in;
    mail_in_parse(&past->box->engine->home->key, bytes, &in);
    g_clear_pointer(&in.document, g_bytes_unref);
    *ret_checkpoint = in.checkpoint;
    return in.mail;
}

static size_t
max_bytes(const Past *past)
{
    return past->box->engine->home->config->max_message;
}

static Message *
read_mail(const Past *past, const MaildirEntry *e, Continuation **ret_checkpoint)
{
    g_autoptr(GBytes) bytes = NULL;
    return maildir_read(past->box->md, e, max_bytes(past), &bytes, NULL) && bytes
               ? parse_mail(past, bytes, ret_checkpoint)
               : NULL;
}

/* A mail that is taken in as what it was. */
static MsgNew
new_of(const Past *past, const MaildirEntry *e, const Message *m)
{
    return (MsgNew){.role = past->box->role->name,
                    .account = past->box->account->name,
                    .folder = e->folder,
                    .file = e->base,
                    .mail = m,
                    .trust = TRUST_ANYONE,
                    .class = MSG_HISTORY,
                    .floor = TRUST_ANYONE};
}

/* A role that the store was born with has had its mail watched, or owed, since then. The
 * mailbox of one that came later brings its past along, up to now. */
static bool
find_end(Past *past, GError **error)
{
    Db *db = past->box->engine->db;
    g_autofree char *born = NULL;
    bool first;
    past->born_us = past->ends_us = home_now(past->box->engine->home);
    if (!meta_get(db, "created", &born, error) ||
        !role_was_first(db, past->box->role->name, &first, error))
        return false;
    if (born)
        (void)text_parse_int(born, 0, past->born_us, &past->born_us);
    past->came_later = !first;
    if (!past->came_later)
        past->ends_us = past->born_us;
    return true;
}

/* Did it come after that moment? A time that has not come yet says nothing, and then it is
 * better to ask a person once too often than to answer a mail twice. */
static bool
is_after(const MaildirEntry *e, int64_t moment_us)
{
    return e->mtime_us >= moment_us && e->mtime_us <= g_get_real_time() + AHEAD_US;
}

/* Mail that this home filed there itself since the store was born is no past. */
static bool
is_ours(const Past *past, const MaildirEntry *e, const Message *m)
{
    Judgement j;
    judge(past->box->engine->home, past->box->role, m, true, &j);
    return j.proved && is_after(e, past->born_us);
}

/* --- what the role had written --- */

static void
add_answered(Past *past, const Message *m)
{
    bool ends = true, sure;
    Minted minted;
    g_autofree char *token = proof_token_of(m, &ends);
    if (!token || !namesake_minted(past->box->engine->home, m, &minted, &sure) ||
        minted.kind != MAIL_ANSWER)
        ends = true;
    g_autoptr(GPtrArray) settled = proof_read(past->box->engine->home, m);
    for (guint i = 0; i < settled->len; i++) {
        char *id = g_ptr_array_index(settled, i);
        if (ends || !g_hash_table_contains(past->answered, id))
            g_hash_table_insert(past->answered, g_strdup(id), GINT_TO_POINTER(ends));
    }
}

/* Mail that the role wrote to itself arrived in this mailbox too, and counts as mail that
 * came. */
static bool
came_back(const Past *past, const Message *m)
{
    const Config *config = past->box->engine->home->config;
    return m->from && outward_means(config, past->box->role, m->from->spec) &&
           (outward_names(config, past->box->role, m->to) ||
            outward_names(config, past->box->role, m->cc));
}

static bool
is_known(const Past *past, const Message *m, bool *ret, GError **error)
{
    Db *db = past->box->engine->db;
    g_autoptr(OutRow) out = NULL;
    MsgKnown in;
    if (!messages_known(db, past->box->role->name, m, &in, error) ||
        !outbox_find(db, &VIEWER_OPERATOR, m->id, &out, error))
        return false;
    *ret = in.id.v || out;
    return true;
}

/* Takes in a mail that the role wrote, so that it can be found again. Its origin line proves
 * who wrote it and what the writer had read; without proof it counts as anybody's. */
static bool
take_written(Past *past, Txn *txn, const MaildirEntry *e, const Message *m, GError **error)
{
    MsgNew in = new_of(past, e, m);
    g_auto(OriginClaim) origin = {in.trust, in.floor, NULL};
    MsgId id;
    bool known, is_new;
    add_answered(past, m);
    if (is_after(e, past->ends_us) || came_back(past, m))
        return true;
    if (!is_known(past, m, &known, error))
        return false;
    in.state = MSG_HANDLED;
    in.why = "history: written before";
    (void)origin_check(&past->box->engine->home->key, m, in.role, &origin);
    in.trust = origin.level;
    in.floor = origin.floor;
    in.space = origin.space;
    return known || (messages_thread(txn, m, &in.thread, error) &&
                     messages_store(txn, &in, &id, &is_new, error));
}

/* --- what came --- */

static bool
is_filed(const char *folder)
{
    return g_str_equal(folder, "Done") || g_str_equal(folder, "Archive");
}

/* An answer names an id. The mail that it answered is the one mail with that id, or the one
 * that is filed as done. Where several mails with that id are still open, nothing says whose
 * words were answered: all of them are left for a person, who loses nothing and gets no answer
 * twice. */
static bool
classify_answered(Past *past, Txn *txn, MsgNew *in, GError **error)
{
    static const char doubt[] = "history: its id was answered, and several mails have it";
    g_autoptr(MsgRows) rows = NULL;
    MsgKnown known;
    if (!messages_known(past->box->engine->db, in->role, in->mail, &known, error) ||
        !copies_under(past->box->engine->db, in->role, in->mail->id, &rows, error))
        return false;
    bool alone = known.id.v || rows->len == 0;
    in->state = alone ? MSG_HANDLED : MSG_IGNORED;
    in->why = alone ? "history: answered by a mail in Sent" : doubt;
    for (guint i = 0; !alone && i < rows->len; i++) {
        const MsgRow *row = g_ptr_array_index(rows, i);
        if (row->class == MSG_HISTORY && row->state == MSG_HANDLED && !is_filed(row->folder) &&
            !messages_set_state(txn, row->id, MSG_IGNORED, doubt, error))
            return false;
    }
    return true;
}

/* NULL: not so; else Done has it, and its answer was lost with the store. */
static const char *
why_unsaid(const Past *past, const MsgNew *in, const char *flags)
{
    return g_str_equal(in->folder, "Done")
               ? said_lost(&past->said, in->mail->id, strchr(flags, 'R') != NULL)
               : NULL;
}

static bool
classify(Past *past, Txn *txn, MsgNew *in, const char *flags, GError **error)
{
    in->class = MSG_HISTORY;
    if (is_filed(in->folder)) {
        const char *unsaid = why_unsaid(past, in, flags);
        in->state = unsaid ? MSG_IGNORED : MSG_HANDLED;
        in->why = unsaid ? unsaid : "history: filed as done";
        return true;
    }
    /* A mail that a question settled lies in Active. Its job waits and comes back from its
     * checkpoint; if the job does not come back, it had gone on, and the mail was in hand. */
    bool active = g_str_equal(in->folder, "Active");
    if (active ? g_hash_table_lookup(past->answered, in->mail->id) != NULL
               : g_hash_table_contains(past->answered, in->mail->id))
        return classify_answered(past, txn, in, error);
    in->state = MSG_IGNORED;
    in->why = active ? "history: was in hand" : "history";
    return true;
}

/* The job that came back from its checkpoint and that this mail is of: its original, or what
 * else was in hand for it. */
static bool
find_restored(Engine *engine, const MsgNew *in, JobId *ret, bool *ret_original, GError **error)
{
    g_autoptr(Job) job = NULL;
    if (!job_find_restored(engine->db, in->role, in->mail->id, ret, error))
        return false;
    *ret_original = ret->v != 0;
    if (ret->v || !g_str_equal(in->folder, "Active"))
        return true;
    if (!messages_find_job(engine->db, in->role, in->mail, ret, error) ||
        (ret->v && !job_load(engine->db, &VIEWER_OPERATOR, *ret, &job, error)))
        return false;
    if (!job || job->state == JOB_DONE || job->state == JOB_FAILED ||
        job->state == JOB_CANCELLED)
        ret->v = 0;
    return true;
}

/* Open again, unless it is filed as done: its job goes on with it. */
static bool
give_to_job(const Past *past, MsgNew *in, JobId job, GError **error)
{
    g_autoptr(Job) row = NULL;
    Judgement j;
    if (!job_load(past->box->engine->db, &VIEWER_OPERATOR, job, &row, error))
        return false;
    judge(past->box->engine->home, past->box->role, in->mail, true, &j);
    in->trust = j.trust;
    in->floor = j.floor;
    in->job = job;
    in->round = row->round;
    in->class = MSG_TASK;
    if (row->state == JOB_CANCELLED) {
        in->state = MSG_IGNORED;
        in->why = "cancelled";
    } else if (!is_filed(in->folder)) {
        in->state = MSG_SHOWN;
        in->why = "its job came back from a checkpoint mail";
    }
    return true;
}

static bool
take_mail(Past *past, Txn *txn, MsgNew *in, const char *flags, GError **error)
{
    MsgId id;
    JobId job;
    bool is_new, original;
    g_auto(OriginClaim) origin = {0}; /* nothing of it counts but the wall that it is behind */
    (void)origin_check(&past->box->engine->home->key, in->mail, in->role, &origin);
    in->space = origin.space;
    return classify(past, txn, in, flags, error) &&
           find_restored(past->box->engine, in, &job, &original, error) &&
           (!job.v || give_to_job(past, in, job, error)) &&
           messages_thread(txn, in->mail, &in->thread, error) &&
           quotes_lower_floor(past->box->engine, in, job, error) &&
           messages_store(txn, in, &id, &is_new, error) &&
           (!original || job_set_original(txn, job, id, error));
}

/* A checkpoint in Sent is a copy of one that lay in INBOX, and answers nothing. */
static bool
take_one(Past *past, Txn *txn, const MaildirEntry *e, GError **error)
{
    g_autoptr(Continuation) checkpoint = NULL;
    g_autoptr(Message) m = read_mail(past, e, &checkpoint);
    bool foreign = true, moves;
    if (m && g_str_equal(e->folder, "Sent"))
        return checkpoint || take_written(past, txn, e, m, error);
    if (!m || is_ours(past, e, m))
        return true;
    MsgNew in = new_of(past, e, m);
    past->n++;
    if (checkpoint &&
        !checkpoint_take(past->box->engine, txn, &in, checkpoint, &foreign, &moves, error))
        return false;
    return !foreign || take_mail(past, txn, &in, e->flags, error);
}

static bool
take_batch(Past *past, const GPtrArray *entries, guint from, guint to, GError **error)
{
    g_auto(Txn) txn = {.db = past->box->engine->db, .flush = TXN_DURABLE};
    unsigned before = past->n;
    while (txn_again(&txn, error)) {
        past->n = before;
        for (guint i = from; i < to; i++)
            if (!take_one(past, &txn, g_ptr_array_index(entries, i), error))
                return false;
        CRASH_POINT("history-before-commit");
        txn.ok = true;
    }
    return txn.done;
}

/* A mail in Sent counts as an answer whatever its date is. */
static bool
add_folder(const Past *past, const char *folder, GPtrArray *entries, GError **error)
{
    g_autoptr(GPtrArray) all = NULL;
    if (!maildir_scan(past->box->md, folder, false, &all, NULL, error))
        return false;
    for (guint i = 0; i < all->len; i++) {
        MaildirEntry *e = g_ptr_array_index(all, i);
        if (g_str_equal(folder, "Sent") || !is_after(e, past->ends_us))
            g_ptr_array_add(entries, g_steal_pointer(&g_ptr_array_index(all, i)));
    }
    return true;
}

static int
compare_times(gconstpointer a, gconstpointer b)
{
    const MaildirEntry *x = *(const MaildirEntry *const *)a,
                       *y = *(const MaildirEntry *const *)b;
    return (x->mtime_us > y->mtime_us) - (x->mtime_us < y->mtime_us);
}

/* In the order of time, which is that of a list or a search. */
static bool
take_folders(Past *past, const char *const *folders, GError **error)
{
    g_autoptr(GPtrArray) old =
        g_ptr_array_new_with_free_func((GDestroyNotify)maildir_entry_free);
    for (; *folders; folders++) {
        if (!add_folder(past, *folders, old, error))
            return false;
    }
    g_ptr_array_sort(old, compare_times);
    for (guint i = 0; i < old->len; i += HISTORY_BATCH)
        if (!take_batch(past, old, i, MIN(i + HISTORY_BATCH, old->len), error))
            return false;
    return true;
}

/* A role that came to the settings after `init` gets the notes that init gives. A role that the
 * store was born with has had its own: in the files, where the store was lost. */
static bool
set_known(const Past *past, GError **error)
{
    Engine *engine = past->box->engine;
    g_autoptr(GError) unwritten = NULL;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = mailbox_set_visited(&txn, past->box->role->name, error) &&
                 (!past->came_later || notes_write_first(&txn, past->box->role->name, error));
    if (!txn.done)
        return false;
    /* The files follow: now, else when a run ends. */
    if (past->came_later && !notes_sync(engine->home, engine->db, NULL, &unwritten))
        log_event(LOG_WARN, "the first notes of a role are not written yet", "role",
                  past->box->role->name, "why", unwritten->message, NULL);
    return true;
}

static bool
restore_role(Engine *engine, const ConfRole *role, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    unsigned n;
    return maildir_open(engine->home->mail_fd, role->name, true, &md, error) &&
           checkpoints_restore(engine, role, md, &n, error);
}

/* Jobs come back from all mailboxes before anything else is read: numbers that new jobs would
 * take are theirs. */
static bool
restore_all(Engine *engine, const ConfRole *role, GError **error)
{
    const Config *config = engine->home->config;
    g_autofree char *done = NULL;
    if (!meta_get(engine->db, "checkpoints-read", &done, error))
        return false;
    if (done)
        return restore_role(engine, role, error);
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (!config->roles[i].person && !restore_role(engine, &config->roles[i], error))
            return false;
    }
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = meta_set(&txn, "checkpoints-read", "1", error);
    return txn.done;
}

static bool
hear(void *user, const MaildirEntry *e, GBytes *bytes, GError **error)
{
    Past *past = user;
    g_autoptr(Continuation) checkpoint = NULL;
    g_autoptr(Message) m = parse_mail(past, bytes, &checkpoint);
    if (checkpoint)
        return true;
    add_answered(past, m);
    said_add(&past->said, past->box->engine->home, m);
    return true;
}

/* Reads what was written, and stores nothing of it. */
static bool
read_sent(Past *past, GError **error)
{
    said_init(&past->said);
    return maildir_each(past->box->md, "Sent", max_bytes(past), hear, past, error);
}

/* Only where mail lies in Done it matters what was said before it is read. */
static bool
read_sent_for_done(Past *past, GError **error)
{
    g_autoptr(GPtrArray) done = NULL;
    return maildir_scan(past->box->md, "Done", false, &done, NULL, error) &&
           (done->len == 0 || read_sent(past, error));
}

bool
history_take(const RoleMailbox *box, unsigned *ret_n, GError **error)
{
    /* The mail in Sent says which of the open mail was answered. */
    static const char *const filed[] = {"Done", "Archive", "Sent", NULL};
    static const char *const open[] = {"", "Active", NULL};
    g_auto(Past) past = {.box = box};
    bool known;
    unsigned looked;
    if (!mailbox_visited(box->engine->db, box->role->name, &known, error))
        return false;
    if (!known) {
        past.answered = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        if (!restore_all(box->engine, box->role, error) ||
            !faces_look(box->engine, &looked, error) || !find_end(&past, error) ||
            !read_sent_for_done(&past, error) || !take_folders(&past, filed, error) ||
            !take_folders(&past, open, error) || !refetch_gathered(box, error) ||
            !set_known(&past, error))
            return false;
        db_hint(box->engine->db); /* a job that came back may be due */
    }
    *ret_n = past.n;
    return true;
}

/* --- an old store --- */

/* Which of the mail that the store does not know is taken in. */
static bool
is_wanted(const Past *past, const MsgNew *in, const char *flags, JobId restored)
{
    if (g_str_equal(in->folder, "Done"))
        return why_unsaid(past, in, flags) && !restored.v;
    return *in->folder || restored.v || g_hash_table_contains(past->answered, in->mail->id);
}

static bool
take_unknown(void *user, const MaildirEntry *e, GBytes *bytes, GError **error)
{
    Past *past = user;
    g_autoptr(Continuation) checkpoint = NULL;
    g_autoptr(Message) m = parse_mail(past, bytes, &checkpoint);
    bool known;
    JobId job;
    if (checkpoint)
        return true;
    MsgNew in = new_of(past, e, m);
    if (!is_known(past, m, &known, error) ||
        !job_find_restored(past->box->engine->db, in.role, m->id, &job, error))
        return false;
    return known || !is_wanted(past, &in, e->flags, job) ||
           take_mail(past, past->txn, &in, e->flags, error);
}

bool
history_catch_up(const RoleMailbox *box, GError **error)
{
    static const char *const folders[] = {"Active", "", "Done"};
    g_auto(Past) past = {.box = box};
    g_auto(Txn) txn = {.db = box->engine->db, .flush = TXN_DURABLE};
    past.answered = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (!read_sent(&past, error))
        return false;
    while (txn_again(&txn, error)) {
        past.txn = &txn;
        for (size_t k = 0; k < G_N_ELEMENTS(folders); k++)
            if (!maildir_each(box->md, folders[k], max_bytes(&past), take_unknown, &past,
                              error))
                return false;
        txn.ok = true;
    }
    return txn.done;
}
