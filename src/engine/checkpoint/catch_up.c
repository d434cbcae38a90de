#include "engine/checkpoint/catch_up.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/history.h"
#include "engine/checkpoint/proof.h"
#include "engine/checkpoint/trail.h"
#include "engine/in/intake.h"
#include "engine/out/namesake.h"
#include "store/job/accept.h"
#include "store/mail/mailboxes.h"
#include "store/out/outbox.h"

#define OPEN_MAX 100000

typedef struct Catching {
    Engine *engine;
    Txn *txn;
    const char *mailbox; /* whose Sent folder is read */
    CatchUp n;
    uint64_t newest;     /* generation seen */
    GHashTable *before;  /* jobs that had open mail, by number */
    GHashTable *unsaid;  /* jobs that ended or asked, with no trace of it here; by number */
    Said said;           /* of Sent */
    GPtrArray *approved; /* ids of mail that a person let go, char * */
} Catching;

static void
catching_clear(Catching *c)
{
    g_clear_pointer(&c->before, g_hash_table_unref);
    g_clear_pointer(&c->unsaid, g_hash_table_unref);
    said_clear(&c->said);
    g_clear_pointer(&c->approved, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Catching, catching_clear)

/* --- mails --- */

static void
add_job(GHashTable *set, JobId id)
{
    g_hash_table_add(set, g_memdup2(&id.v, sizeof id.v));
}

static bool
settle_row(Catching *c, const MsgRow *row, const char *why, GError **error)
{
    if (row->state != MSG_STORED && row->state != MSG_SHOWN && row->state != MSG_DEAD)
        return true;
    c->n.answered++;
    if (row->job.v)
        add_job(c->before, row->job);
    return messages_set_state(c->txn, row->id, MSG_HANDLED, why, error);
}

/* Did another job than the mail's own ask something about it, and go on to wait? A copy of this
 * home did, whose job had no number yet when it was copied: nobody here waits for the reply. */
static bool
is_asked_elsewhere(Catching *c, const MsgRow *row, const Message *m, bool *ret, GError **error)
{
    g_autoptr(Job) job = NULL;
    bool ends = true;
    g_autofree char *token = proof_token_of(m, &ends);
    *ret = false;
    if (!token || ends || !row->job.v)
        return true;
    if (!job_load(c->engine->db, &VIEWER_OPERATOR, row->job, &job, error))
        return false;
    g_autofree char *ours = job ? proof_token(c->engine->home, job->id, job->created_us) : NULL;
    *ret = ours && !g_str_equal(ours, token);
    return true;
}

static bool
settle_answered(Catching *c, const char *msgid, const Message *m, GError **error)
{
    const Viewer viewer = {.role = c->mailbox};
    g_autoptr(MsgRow) row = NULL;
    bool elsewhere = false;
    if (!messages_find(c->engine->db, &viewer, msgid, &row, error) ||
        (row && !is_asked_elsewhere(c, row, m, &elsewhere, error)))
        return false;
    if (elsewhere)
        add_job(c->unsaid, row->job);
    return !row || elsewhere ||
           settle_row(c, row, "answered after the backup, by a mail in Sent", error);
}

/* REJECT was said to held mail; what APPROVE set free lies in Sent, or nobody knows. */
static bool
decide_again(Catching *c, const Message *m, GError **error)
{
    g_auto(OrderMail) o = {0};
    if (!order_mail_read(c->engine->home, m, &o))
        return true;
    bool approved = g_str_equal(o.word, "APPROVE");
    if (!approved && !g_str_equal(o.word, "REJECT"))
        return true;
    for (guint i = 0; i < o.mails->len; i++) {
        if (approved) {
            g_ptr_array_add(c->approved, g_strdup(g_ptr_array_index(o.mails, i)));
            continue;
        }
        g_autoptr(OutRow) row = NULL;
        if (!outbox_find(c->engine->db, &VIEWER_OPERATOR, g_ptr_array_index(o.mails, i), &row,
                         error) ||
            (row && row->state == OUT_HELD &&
             (!outbox_decide(c->txn, row->id, false, ACCEPT_WHO, error) ||
              !accept_question(c->txn, row->id, false, error))))
            return false;
    }
    return true;
}

/* Counts approved mail that may have left without a copy in Sent: only a person can say whether
 * such a mail is to be sent. */
static bool
count_held(Catching *c, GError **error)
{
    for (guint i = 0; i < c->approved->len; i++) {
        g_autoptr(OutRow) row = NULL;
        if (!outbox_find(c->engine->db, &VIEWER_OPERATOR, g_ptr_array_index(c->approved, i),
                         &row, error))
            return false;
        c->n.held += row && row->state == OUT_HELD;
    }
    return true;
}

/* Only mail that the store does not know speaks of a time after it. */
static bool
take_sent(void *user, const MaildirEntry *e, GBytes *bytes, GError **error)
{
    Catching *c = user;
    g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_HEADERS);
    g_autoptr(OutRow) known = NULL;
    Minted minted;
    bool sure;
    unsigned n;
    if (!namesake_minted(c->engine->home, m, &minted, &sure))
        return true;
    c->newest = MAX(c->newest, minted.generation);
    if (!outbox_find(c->engine->db, &VIEWER_OPERATOR, m->id, &known, error) ||
        !accept_sent(c->txn, m->id, &n, error))
        return false;
    c->n.delivered += n;
    said_add(&c->said, c->engine->home, m);
    if (known)
        return true;
    g_autoptr(GPtrArray) settled = proof_read(c->engine->home, m);
    for (guint i = 0; i < settled->len; i++)
        if (!settle_answered(c, g_ptr_array_index(settled, i), m, error))
            return false;
    return minted.kind != MAIL_ORDER || decide_again(c, m, error);
}

static bool
read_sent(Catching *c, const char *mailbox, Maildir *md, GError **error)
{
    c->mailbox = mailbox;
    return maildir_each(md, "Sent", c->engine->home->config->max_message, take_sent, c,
                        error) ||
           err_prefix(error, "reading what %s has sent", mailbox);
}

/* Mail that lies in Done by now was settled, even if no mail of ours says so, unless its answer
 * had not left yet. */
static bool
settle_filed(Catching *c, const ConfRole *role, Maildir *md, MsgState state, GError **error)
{
    const Viewer viewer = {.role = role->name};
    const MsgQuery q = {.role = role->name, .state = msg_state_name(state), .limit = OPEN_MAX};
    g_autoptr(MsgRows) rows = NULL;
    if (!messages_list(c->engine->db, &viewer, &q, &rows, error))
        return false;
    LIST_EACH(const MsgRow, row, rows) {
        g_autoptr(MaildirEntry) at = NULL;
        if (g_str_equal(row->folder, "Done"))
            continue;
        if (!maildir_find(md, row->file, &at, error))
            return false;
        if (!at || !g_str_equal(at->folder, "Done"))
            continue;
        if (said_lost(&c->said, row->msgid, strchr(at->flags, 'R') != NULL))
            add_job(c->unsaid, row->job);
        else if (!settle_row(c, row, "filed as done after the backup", error))
            return false;
    }
    return true;
}

/* --- jobs --- */

static bool
stop_job(Catching *c, const Job *job, const char *why, GError **error)
{
    bool changed;
    c->n.stopped++;
    return job_stop(c->txn, job->id, why, &changed, error);
}

static bool
obey(Catching *c, const Job *job, const OrderMail *order, GError **error)
{
    bool changed;
    if (g_str_equal(order->word, "STOP"))
        return stop_job(c, job, "stopped after the backup", error);
    c->n.ended++;
    return job_cancel(c->txn, job->id, "cancelled after the backup", &changed, error);
}

/* *ret is true when the job has no open mail left. */
static bool
is_settled(Catching *c, const Job *job, bool *ret, GError **error)
{
    unsigned n;
    *ret = false;
    if (!g_hash_table_contains(c->before, &job->id.v))
        return true;
    if (!messages_count_open(c->engine->db, job->id, &n, error))
        return false;
    *ret = n == 0;
    return true;
}

/* The first rule that holds: see the header. */
static bool
decide_job(Catching *c, const Job *job, const TrailJob *t, GError **error)
{
    bool waits = t->inbox && t->inbox->seq >= job->seq && !trail_is_past(t);
    int64_t seq = MAX(t->done_seq, t->most ? t->most->seq : 0), epoch = job->epoch;
    if (t->halted)
        seq = MAX(seq, t->halted->seq);
    bool settled;
    if (waits)
        epoch = MAX(epoch, t->inbox->epoch);
    if (t->most && t->most->seq > job->seq)
        epoch = MAX(epoch, t->most->epoch);
    const OrderMail *order = trail_order(t, epoch);
    if (order)
        return obey(c, job, order, error);
    if (waits && t->inbox->seq > job->seq) {
        c->n.parked++;
        return checkpoint_put_back(c->engine, c->txn, job->id, t->inbox, error);
    }
    if (g_hash_table_contains(c->unsaid, &job->id.v))
        return stop_job(c, job,
                        "it ended or asked after the backup, and nobody here has its answer or "
                        "waits for one: CONTINUE works on its mail again, CANCEL does not",
                        error);
    if (waits)
        return true; /* the store knows all: the mail may be settled, by a question */
    if (!is_settled(c, job, &settled, error))
        return false;
    /* A job that parked behind its newest mail has asked, and not ended. */
    bool asked = t->wrote && t->most && minted_compare(&t->most_id, &t->last) > 0;
    if ((settled && !asked) || trail_has_ended(t)) {
        c->n.ended++;
        return accept_ended(c->txn, job->id, "it had ended after the backup", error);
    }
    if (job->state == JOB_STOPPED || job->state == JOB_FAILED || (!t->wrote && seq <= job->seq))
        return true;
    return stop_job(c, job,
                    "it went on after the backup, and nothing says how far: look at its mail, "
                    "then say CONTINUE or CANCEL",
                    error);
}

/* All jobs of the role that have not ended. They are listed before any of them changes. */
static bool
list_unfinished(Db *db, const char *role, Jobs *ret, GError **error)
{
    static const JobState unfinished[] = {JOB_QUEUED, JOB_RUNNING, JOB_PARKED, JOB_STOPPED,
                                          JOB_FAILED};
    for (size_t i = 0; i < G_N_ELEMENTS(unfinished); i++) {
        const JobQuery q = {
            .role = role, .state = job_state_name(unfinished[i]), .limit = OPEN_MAX};
        g_autoptr(Jobs) some = NULL;
        if (!jobs_list(db, &VIEWER_OPERATOR, &q, &some, error))
            return false;
        for (guint k = 0; k < some->len; k++)
            jobs_add(ret, g_steal_pointer(&some->pdata[k]));
    }
    return true;
}

static bool
decide_jobs(Catching *c, const ConfRole *role, Maildir *md, GError **error)
{
    g_auto(Trail) trail = {0};
    g_autoptr(Jobs) jobs = jobs_new();
    if (!trail_read(c->engine, role, md, &trail, error) ||
        !list_unfinished(c->engine->db, role->name, jobs, error))
        return false;
    LIST_EACH(const Job, job, jobs) {
        const TrailJob *t = trail_of(&trail, c->engine->home, job->id, job->created_us);
        if (!decide_job(c, job, t, error))
            return false;
    }
    return true;
}

/* --- all of it --- */

static bool
catch_up_role(Catching *c, const ConfRole *role, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    return maildir_open(c->engine->home->mail_fd, role->name, true, &md, error) &&
           read_sent(c, role->name, md, error) &&
           settle_filed(c, role, md, MSG_STORED, error) &&
           settle_filed(c, role, md, MSG_SHOWN, error) && decide_jobs(c, role, md, error);
}

static bool
catch_up_persons(Catching *c, GError **error)
{
    const Config *config = c->engine->home->config;
    for (unsigned i = 0; i < config->n_persons; i++) {
        const char *name = config->persons[i].name;
        g_autoptr(Maildir) md = NULL;
        if (config->persons[i].local &&
            (!maildir_open(c->engine->home->mail_fd, name, true, &md, error) ||
             !read_sent(c, name, md, error)))
            return false;
    }
    return true;
}

/* True when the role's mail lies on this server; with server NULL, when its mail lies on no
 * server. */
static bool
is_of(const Config *config, const ConfRole *role, const ConfAccount *server)
{
    const ConfAccount *of = config_account_of(config, role);
    return !role->person && (of && config_is_imap(of) ? of : NULL) == server;
}

/* The account's process must learn what happened to the mail on its server before any job of
 * that mail runs. */
static bool
owe_servers(Txn *txn, const Config *config, GError **error)
{
    for (unsigned i = 0; i < config->n_accounts; i++) {
        const ConfAccount *account = &config->accounts[i];
        if (config_is_imap(account) && !mailbox_owe_backup(txn, account, error))
            return false;
    }
    return true;
}

/* The line is drawn with the roles of no server; a generation above all that a server knows may
 * be needed later. */
static bool
draw_line(Catching *c, const ConfAccount *server, GError **error)
{
    const Config *config = c->engine->home->config;
    if (server)
        return accept_jobs(c->txn, server->name, error) &&
               (c->newest < db_generation(c->engine->db) ||
                accept_backup(c->txn, c->newest, error));
    return owe_servers(c->txn, config, error) && accept_jobs(c->txn, "", error) &&
           accept_backup(c->txn, c->newest, error);
}

static bool
decide(Catching *c, const ConfAccount *server, GError **error)
{
    const Config *config = c->engine->home->config;
    if (!server && !catch_up_persons(c, error))
        return false;
    for (unsigned i = 0; i < config->n_roles; i++)
        if (is_of(config, &config->roles[i], server) &&
            !catch_up_role(c, &config->roles[i], error))
            return false;
    return count_held(c, error) && draw_line(c, server, error);
}

static bool
decide_all(Engine *engine, const ConfAccount *server, CatchUp *ret, GError **error)
{
    const CatchUp before = *ret;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        g_auto(Catching)
            c = {.engine = engine,
                 .txn = &txn,
                 .n = before,
                 .unsaid = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
                 .approved = g_ptr_array_new_with_free_func(g_free),
                 .before = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
        said_init(&c.said);
        txn.ok = decide(&c, server, error);
        *ret = c.n;
    }
    return txn.done;
}

/* Jobs that began after the backup and are parked come back; what they had in hand is
 * theirs. */
static bool
bring_back(Engine *engine,
           const ConfAccount *account,
           const ConfAccount *server,
           GError **error)
{
    const Config *config = engine->home->config;
    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];
        g_autoptr(Maildir) md = NULL;
        unsigned n;
        if (!is_of(config, role, server))
            continue;
        if (!maildir_open(engine->home->mail_fd, role->name, true, &md, error) ||
            !checkpoints_restore(engine, role, md, &n, error) ||
            !history_catch_up(&(RoleMailbox){engine, account, role, md}, error))
            return false;
    }
    return true;
}

/* Mail in INBOX has to be taken in before a mail in Sent can say that it was answered. A
 * running process of the account has done that already. */
static bool
take_in(Engine *engine, const ConfAccount *account, GError **error)
{
    g_autoptr(Intake) intake = NULL;
    g_autoptr(GError) why = NULL;
    IntakeStats stats = {0};
    if (intake_open(engine, account, 0, &intake, &why))
        return intake_pass(intake, &stats, error);
    if (err_is(why, ERR_LATER))
        return true;
    return err_pass(error, g_steal_pointer(&why));
}

bool
catch_up(Engine *engine, CatchUp *ret, GError **error)
{
    const Config *config = engine->home->config;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        const ConfAccount *account = &config->accounts[i];
        if (!config_is_imap(account) &&
            (!bring_back(engine, account, NULL, error) || !take_in(engine, account, error)))
            return false;
    }
    return decide_all(engine, NULL, ret, error);
}

bool
catch_up_server(Engine *engine, const ConfAccount *server, CatchUp *ret, GError **error)
{
    return bring_back(engine, server, server, error) && decide_all(engine, server, ret, error);
}
