/*
 * Is the checkpoint of a parked job still there? A scan that does not find a mail proves
 * nothing: clients move and rename mail all the time. So evidence is asked for: the deleted
 * flag, the Trash folder, or two looks through all folders ten seconds apart; and never about
 * more than one mail at a time, since then it is the folder that is gone.
 */
#include "base/banned.h"
#include "base/log.h"
#include "base/text.h"
#include "engine/checkpoint.h"
#include "engine/letter.h"
#include "engine/order_mail.h"
#include "engine/post.h"
#include "store/given.h"

#define LOOK_APART_US (10 * USEC_PER_SEC)
#define PARKED_MAX 10000

typedef enum Found {
    FOUND_THERE,
    FOUND_DELETED,
    FOUND_IN_JUNK,
    FOUND_NOWHERE,
    FOUND_UNKNOWN
} Found;

/* What is done about it: why the job is stopped, and what the owner is told; NULL: nothing. */
typedef struct Finding {
    const char *who, *why, *text;
} Finding;

static const Finding deleted = {
    "whoever deleted its checkpoint mail", "its checkpoint mail was deleted",
    "The checkpoint mail of job %s was deleted, so the job is stopped. Reply CONTINUE to go on "
    "with it."};
static const Finding in_junk = {
    "whoever moved its checkpoint mail to Junk", "held: its checkpoint mail lies in Junk",
    "The checkpoint mail of job %s lies in Junk, so the job is held. Was that meant? Reply "
    "CONTINUE to go on with it, or CANCEL to end it."};

/* The row of the newest checkpoint that was taken in for this job; NULL: none yet. */
static bool
newest_row(Engine *engine, const Job *job, MsgRow **ret, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    const MsgQuery q = {.job = job->id, .role = job->role, .limit = 1000};
    g_autoptr(MsgRows) rows = NULL;
    if (!messages_list(engine->db, &viewer, &q, &rows, error))
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

static bool
look_for(Engine *engine, const Job *job, Maildir *md, Found *ret, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(MaildirEntry) at = NULL;
    if (!newest_row(engine, job, &row, error))
        return false;
    *ret = FOUND_UNKNOWN;
    /* Only the one of this park counts, and a mail that moved to Done was moved by us. */
    if (!row || row->received_us < job->updated_us)
        return true;
    if (!maildir_find(md, row->file, &at, error))
        return false;
    *ret = at ? judge_place(at) : FOUND_NOWHERE;
    return true;
}

static bool
stop(Engine *engine, const ConfRole *role, const Job *job, const Finding *found, GError **error)
{
    LetterParent parent = {.msgid = job->original_msgid, .subject = job->subject};
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, job->id.v);
    g_auto(GStrv) halves = g_strsplit(found->text, "%s", 2);
    g_autofree char *text = g_strjoinv(number, halves);
    g_autoptr(Compose) c = letter_notice(engine->home, role, job, engine->home->config->owner,
                                         NULL, text, &parent, error);
    Post post = {.thread = job->thread, .level = TRUST_ROLE, .mailbox = job->role};
    bool changed;
    g_auto(Txn) txn = {0};
    if (!c || !txn_begin(engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        !job_stop(&txn, job->id, found->why, &changed, error) ||
        (changed &&
         (!given_add(&txn, job->id, found->why, error) ||
          !order_mail_file(engine, &txn, "STOP", found->who, job->id, NULL, NULL, error) ||
          !post_compose(engine, &txn, MAIL_NOTICE, c, &post, NULL, NULL, error))) ||
        !txn_commit(&txn, error))
        return false;
    db_hint(engine->db);
    return true;
}

/* Remembers the first look that did not find it; *ret_twice: this is the second. */
static bool
note_missing(Engine *engine, const Job *job, bool missing, bool *ret_twice, GError **error)
{
    g_autofree char *name = g_strdup_printf("checkpoint-gone:%" G_GINT64_FORMAT, job->id.v);
    g_autofree char *first = NULL;
    int64_t then = 0, now = home_now(engine->home);
    *ret_twice = false;
    if (!meta_get(engine->db, name, &first, error))
        return false;
    if (missing && first && text_parse_int(first, 0, INT64_MAX, &then)) {
        *ret_twice = now - then >= LOOK_APART_US;
        return true;
    }
    if (!missing && !first)
        return true;
    g_autofree char *at = missing ? g_strdup_printf("%" G_GINT64_FORMAT, now) : NULL;
    g_auto(Txn) txn = {0};
    return txn_begin(engine->db, TXN_LAZY, DB_WAIT_MS, &txn, error) &&
           meta_set(&txn, name, at, error) && txn_commit(&txn, error);
}

bool
checkpoints_look(Engine *engine, const ConfRole *role, Maildir *md, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    const JobQuery q = {.role = role->name, .state = "parked", .limit = PARKED_MAX};
    g_autoptr(Jobs) jobs = NULL;
    if (!jobs_list(engine->db, &viewer, &q, &jobs, error))
        return false;
    g_autofree Found *found = g_new0(Found, jobs->len + 1);
    unsigned nowhere = 0;
    for (guint i = 0; i < jobs->len; i++) {
        if (!look_for(engine, g_ptr_array_index(jobs, i), md, &found[i], error))
            return false;
        nowhere += found[i] == FOUND_NOWHERE;
    }
    if (nowhere > 1)
        log_say(LOG_WARN,
                "%u checkpoint mails of role '%s' are gone at once; their jobs stay as they "
                "are: say STOP or CONTINUE to each",
                nowhere, role->name);
    for (guint i = 0; i < jobs->len; i++) {
        const Job *job = g_ptr_array_index(jobs, i);
        bool twice;
        if (!note_missing(engine, job, found[i] == FOUND_NOWHERE && nowhere == 1, &twice,
                          error))
            return false;
        const Finding *what = found[i] == FOUND_DELETED || twice ? &deleted
                              : found[i] == FOUND_IN_JUNK        ? &in_junk
                                                                 : NULL;
        if (what && !stop(engine, role, job, what, error))
            return false;
    }
    return true;
}
