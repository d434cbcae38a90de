/*
 * Is the checkpoint of a parked job still there? A scan that does not find a mail proves
 * nothing: clients move and rename mail all the time. So evidence is asked for: the deleted
 * flag, the Trash folder, or two looks through all folders, ten seconds apart or by two
 * processes (as `serve --once` is one each time); and never about more than one mail at a time,
 * since then it is the folder that is gone. From the first of these looks on the job does not
 * go on by its time: the mail says that deleting it stops the job.
 */
#include "base/lock.h"
#include "base/log.h"
#include "base/proc.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/face.h"
#include "engine/in/order_mail.h"
#include "engine/people/notice.h"
#include "engine/people/words.h"
#include "engine/role.h"
#include "store/job/command_orders.h"
#include "store/job/missed.h"
#include "store/job/timers.h"
#include "store/out/outbox.h"

#define LOOK_APART_US (10 * USEC_PER_SEC)
#define PARKED_MAX 10000

typedef enum Found {
    FOUND_THERE,
    FOUND_DELETED,
    FOUND_IN_JUNK,
    FOUND_NOWHERE,
    FOUND_UNKNOWN
} Found;

/* What is done about a missing checkpoint: why the job is stopped, and what the owner is told;
 * NULL: the owner is told nothing. */
typedef struct Finding {
    const char *who, *why, *text;
} Finding;

static const Finding deleted = {"whoever deleted its checkpoint mail",
                                "its checkpoint mail was deleted", WORDS_CHECKPOINT_DELETED};
static const Finding in_junk = {"whoever moved its checkpoint mail to Junk",
                                "held: its checkpoint mail lies in Junk",
                                WORDS_CHECKPOINT_IN_JUNK};

/* The row of the newest checkpoint that was taken in for this job; NULL: none yet. */
static bool
newest_row(Engine *engine, const Job *job, MsgRow **ret, GError **error)
{
    const MsgQuery q = {.job = job->id, .role = job->role, .limit = 1000};
    g_autoptr(MsgRows) rows = NULL;
    if (!messages_list(engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    *ret = NULL;
    for (guint i = 0; i < rows->len && !*ret; i++) {
        const MsgRow *row = g_ptr_array_index(rows, i);
        if (row->class == MSG_CHECKPOINT)
            *ret = g_ptr_array_steal_index(LIST_ARRAY(rows), i);
    }
    return true;
}

static Found
judge_place(const MaildirEntry *at)
{
    static const char *const junk[] = {"Junk", "Spam", NULL};
    if (strchr(at->flags, 'T') || g_str_equal(at->folder, "Trash"))
        return FOUND_DELETED;
    return g_strv_contains(junk, at->folder) ? FOUND_IN_JUNK : FOUND_THERE;
}

/* The checkpoint mail of this park as the outbox has it: *ret its file, once it was delivered;
 * NULL: it is not yet. */
static bool
find_delivered(Engine *engine, const Job *job, char **ret, GError **error)
{
    const OutQuery q = {.job = job->id, .all = true, .limit = 50};
    g_autoptr(OutRows) rows = NULL;
    *ret = NULL;
    if (!outbox_list(engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const OutRow, row, rows)
        if (!*ret && row->created_us >= job->updated_us && row->state == OUT_SENT &&
            row->mailbox && address_equal(row->from, row->address))
            *ret = out_row_file(row);
    return true;
}

static bool
look_for(Engine *engine, const Job *job, Maildir *md, Found *ret, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(MaildirEntry) at = NULL;
    g_autofree char *delivered = NULL;
    if (!newest_row(engine, job, &row, error))
        return false;
    *ret = FOUND_UNKNOWN;
    /* Only the one of this park counts, and a mail that moved to Done was moved by us. One that
     * is still to be delivered is missed by nobody. */
    bool taken_in = row && row->received_us >= job->updated_us;
    if (!taken_in && !find_delivered(engine, job, &delivered, error))
        return false;
    if (!taken_in && !delivered)
        return true;
    if (!maildir_find(md, taken_in ? row->file : delivered, &at, error))
        return false;
    *ret = !at ? FOUND_NOWHERE : taken_in ? judge_place(at) : FOUND_UNKNOWN;
    return true;
}

static bool
stop(Engine *engine, const ConfRole *role, const Job *job, const Finding *found, GError **error)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, job->id.v);
    g_auto(GStrv) halves = g_strsplit(found->text, "%s", 2);
    g_autofree char *text = g_strjoinv(number, halves);
    const Notice notice = {.role = role, .job = job, .apart = true, .text = text};
    bool changed;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = missed_set(&txn, job->id, NULL, error) &&
                 job_stop(&txn, job->id, found->why, &changed, error) &&
                 (!changed || (faces_ordered(engine, &txn, job->id, ORDER_STOP, error) &&
                               command_order_add(&txn, job->id, found->why, error) &&
                               order_mail_file(engine, &txn, "STOP", found->who, job->id, NULL,
                                               NULL, error) &&
                               notice_post(engine, &txn, &notice, NULL, error)));
    if (!txn.done)
        return false;
    db_hint(engine->db);
    return true;
}

/* This process, as the mark names it. */
static char *
name_self(void)
{
    ProcIdent me = {0};
    (void)proc_ident_self(&me);
    return g_strdup_printf("%d.%" G_GINT64_FORMAT, (int)me.pid, me.start_time);
}

/* True when this look is the second one that misses the checkpoint. The processes of a master
 * look whenever they like; without a master each process counts as one look. */
static bool
is_second(const Home *home, int64_t first_us, const char *first_by)
{
    g_autofree char *self = name_self();
    return home_now(home) - first_us >= LOOK_APART_US ||
           (!g_str_equal(first_by, self) && !lock_is_held(home->state_fd, "master.lock"));
}

static bool
set_mark(Engine *engine, const Job *job, bool missing, GError **error)
{
    int64_t now = home_now(engine->home);
    g_autofree char *self = missing ? name_self() : NULL;
    bool did;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = missed_set(&txn, job->id, self, error) &&
                 (missing ? job_unseen(&txn, job->id, job->seq, &did, error) &&
                                timer_set(&txn, job->id, TIMER_CHECKPOINT, now + LOOK_APART_US,
                                          error)
                          : job_seen(&txn, job->id, job->epoch, job->seq, &did, error) &&
                                timer_drop(&txn, job->id, TIMER_CHECKPOINT, error));
    return txn.done;
}

/* Remembers the first look that did not find it; *ret_twice: this is the second. */
static bool
note_missing(Engine *engine, const Job *job, Found found, bool *ret_twice, GError **error)
{
    bool missing = found == FOUND_NOWHERE;
    g_autofree char *first_by = NULL;
    int64_t first_us;
    *ret_twice = false;
    if (found == FOUND_UNKNOWN)
        return true;
    if (!missed_find(engine->db, job->id, &first_us, &first_by, error))
        return false;
    if (missing && first_by)
        *ret_twice = is_second(engine->home, first_us, first_by);
    return missing == (first_by != NULL) || set_mark(engine, job, missing, error);
}

bool
checkpoints_look(Engine *engine, const ConfRole *role, Maildir *md, GError **error)
{
    const JobQuery q = {.role = role->name, .state = "parked", .limit = PARKED_MAX};
    g_autoptr(Jobs) jobs = NULL;
    if (!jobs_list(engine->db, &VIEWER_OPERATOR, &q, &jobs, error))
        return false;
    g_autofree Found *found = g_new0(Found, jobs->len + 1);
    unsigned nowhere = 0;
    for (guint i = 0; i < jobs->len; i++) {
        if (!look_for(engine, g_ptr_array_index(jobs, i), md, &found[i], error))
            return false;
        nowhere += found[i] == FOUND_NOWHERE;
    }
    if (nowhere > 1)
        log_say(
            LOG_WARN,
            "%u checkpoint mails of role '%s' are gone at once; their jobs wait: say STOP or "
            "CONTINUE to each",
            nowhere, role->name);
    for (guint i = 0; i < jobs->len; i++) {
        const Job *job = g_ptr_array_index(jobs, i);
        bool twice;
        if (!note_missing(engine, job, found[i], &twice, error))
            return false;
        bool gone = found[i] == FOUND_DELETED || (twice && nowhere == 1);
        const Finding *what = gone ? &deleted : found[i] == FOUND_IN_JUNK ? &in_junk : NULL;
        if (what && !stop(engine, role, job, what, error))
            return false;
    }
    return true;
}

bool
checkpoint_check(Engine *engine, const Job *job, bool *ret_missed, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    g_autoptr(Job) now = NULL;
    Found found;
    bool twice;
    *ret_missed = false;
    if (!maildir_open(engine->home->mail_fd, job->role, false, &md, error) ||
        !look_for(engine, job, md, &found, error))
        return false;
    if (found != FOUND_NOWHERE)
        return true;
    if (!note_missing(engine, job, found, &twice, error) ||
        !job_load(engine->db, &VIEWER_OPERATOR, job->id, &now, error))
        return false;
    *ret_missed = now && now->wakes_us == USEC_NEVER;
    return true;
}

bool
checkpoint_look_again(Engine *engine, JobId id, bool *ret_did, GError **error)
{
    g_autoptr(Job) job = NULL;
    g_autoptr(Maildir) md = NULL;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
    *ret_did = false;
    while (txn_again(&txn, error))
        txn.ok = timer_drop(&txn, id, TIMER_CHECKPOINT, error);
    if (!txn.done || !job_load(engine->db, &VIEWER_OPERATOR, id, &job, error))
        return false;
    const ConfRole *role = job ? role_find(engine, job->role) : NULL;
    if (!role || job->state != JOB_PARKED)
        return true;
    *ret_did = true;
    return maildir_open(engine->home->mail_fd, job->role, false, &md, error) &&
           checkpoints_look(engine, role, md, error);
}
