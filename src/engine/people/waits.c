#include "engine/people/waits.h"
#include "base/crash.h"
#include "base/log.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/continuation.h"
#include "engine/face.h"
#include "engine/out/post.h"
#include "engine/people/hold.h"
#include "engine/people/notice.h"
#include "engine/people/progress.h"
#include "engine/people/repliers.h"
#include "engine/people/words.h"
#include "engine/role.h"
#include "engine/run/settle.h"
#include "store/job/step_rows.h"
#include "store/job/timers.h"
#include "store/out/outbox.h"

/* A job whose time has come. It is loaded before the transaction begins, since files are read
 * for it. */
typedef struct Awake {
    Engine *engine;
    Job *job;
    const ConfRole *role;
    Repliers awaited;
    OutRow *asked;       /* the mail that was not answered; NULL */
    Message *asked_head; /* NULL: its bytes are gone */
} Awake;

static void
due_clear(Awake *d)
{
    g_clear_pointer(&d->job, job_free);
    repliers_clear(&d->awaited);
    g_clear_pointer(&d->asked, out_row_free);
    g_clear_pointer(&d->asked_head, message_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Awake, due_clear)

static bool
due_load(Awake *d, JobId id, GError **error)
{
    Db *db = d->engine->db;
    if (!job_load(db, &VIEWER_OPERATOR, id, &d->job, error))
        return false;
    d->role = d->job ? role_find(d->engine, d->job->role) : NULL;
    if (!d->role)
        return true;
    if (!repliers_load(db, d->job, &d->awaited, error) ||
        (d->awaited.msgid &&
         !outbox_find(db, &VIEWER_OPERATOR, d->awaited.msgid, &d->asked, error)))
        return false;
    if (d->asked && d->asked->bytes)
        d->asked_head = message_parse_bytes(d->asked->bytes, MESSAGE_HEADERS);
    return true;
}

/* --- the letters --- */

/* In the thread of the mail that was not answered. */
static RoleMailParent
asked_of(const Awake *d)
{
    if (!d->asked)
        return role_mail_original(d->job);
    return (RoleMailParent){.msgid = d->asked->msgid,
                            .subject = d->asked->subject,
                            .in_reply_to = d->asked_head ? d->asked_head->in_reply_to : NULL,
                            .references = d->asked_head ? d->asked_head->references : NULL};
}

static bool
remind(const Awake *d, Txn *txn, GError **error)
{
    const GPtrArray *to = d->awaited.to;
    RoleMailParent parent = asked_of(d);
    g_autofree char *at = clock_format_iso(d->awaited.since_us);
    g_autoptr(GPtrArray) others = g_ptr_array_new();
    for (guint i = 1; i < to->len; i++)
        g_ptr_array_add(others, g_ptr_array_index(to, i));
    const Notice notice = {.role = d->role,
                           .job = d->job,
                           .to = g_ptr_array_index(to, 0),
                           .others = others,
                           .parent = &parent};
    return notice_say(d->engine, txn, &notice, error, WORDS_WAIT_REMINDER, at);
}

static bool
ask_owner(const Awake *d, Txn *txn, GError **error)
{
    g_autofree char *at = clock_format_iso(d->awaited.since_us);
    g_autofree char *names = repliers_names(&d->awaited);
    const Notice notice = {.role = d->role, .job = d->job};
    return notice_say(d->engine, txn, &notice, error, WORDS_WAIT_ESCALATED, at, d->job->id.v,
                      d->job->subject, names);
}

/* --- the checkpoint that knows of it --- */

/* The old one goes to Done: from it alone the job would act once more. */
static bool
file_checkpoint(const Awake *d, Txn *txn, GError **error)
{
    const RoleMailParent original = role_mail_original(d->job);
    g_autoptr(Job) now = NULL;
    g_autoptr(Step) last = NULL;
    g_autoptr(Compose) mail = NULL;
    if (!job_load(d->engine->db, &VIEWER_OPERATOR, d->job->id, &now, error) ||
        !step_last(d->engine->db, d->job->id, &last, error))
        return false;
    g_autoptr(GPtrArray) results = step_results_parse(last ? last->results : NULL);
    CheckpointInput in = {.job = now,
                          .role = d->role,
                          .state = last ? last->state : NULL,
                          .results = results,
                          .original = &original};
    Post post = post_of_job(now);
    post.floor = &now->floor;
    return job_file_checkpoints(txn, now->id, error) &&
           continuation_compose(d->engine, &in, &mail, error) &&
           post_compose(d->engine, txn, MAIL_CHECKPOINT, mail, &post, NULL, NULL, error);
}

/* --- the act --- */

/* An address that can't be written to will not be one later: the job goes on waiting for mail.
 */
static bool
give_up(Engine *engine, const Timer *t, const GError *why, GError **error)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, t->job.v);
    bool was;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    log_event(LOG_WARN, "a timer was dropped: what it asks for can't be done", "job", number,
              "timer", t->purpose, "why", why->message, NULL);
    while (txn_again(&txn, error))
        txn.ok = timer_take(&txn, t, &was, error);
    return txn.done;
}

static bool
act(Engine *engine, JobId id, bool *ret_did, GError **error)
{
    g_auto(Awake) d = {.engine = engine};
    WaitThen did = WAIT_CONTINUE;
    *ret_did = false;
    if (!due_load(&d, id, error))
        return false;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        txn.ok = d.role ? job_wait_over(&txn, id, &did, error) &&
                              (did == WAIT_CONTINUE ||
                               ((did == WAIT_REMIND ? remind : ask_owner)(&d, &txn, error) &&
                                file_checkpoint(&d, &txn, error)))
                        : timer_drop(&txn, id, TIMER_WAIT, error);
        CRASH_POINT("wait-composed");
    }
    if (!txn.done)
        return false;
    CRASH_POINT("wait-acted");
    *ret_did = did != WAIT_CONTINUE;
    if (*ret_did) {
        g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, id.v);
        log_event(LOG_INFO, "nobody answered a job", "job", number, "then", wait_then_name(did),
                  NULL);
    }
    return true;
}

/* A timer of a face. One whose face this program does not know is dropped: its rows are
 * nobody's. */
static bool
act_by_face(Engine *engine, const Timer *t, bool *ret_did, GError **error)
{
    g_autofree char *name = g_strndup(t->purpose, strcspn(t->purpose, ":"));
    const FaceOps *face = engine_face(engine, name);
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    unsigned looked = 0;
    bool looks = face && face->look && g_str_has_suffix(t->purpose, TIMER_LOOK);
    if (looks && !face->look(engine, &looked, error))
        return false;
    if (!looks && (!face || !face->due))
        log_event(LOG_WARN, "a timer that nobody acts on was dropped", "timer", t->purpose,
                  NULL);
    while (txn_again(&txn, error))
        txn.ok = timer_take(&txn, t, ret_did, error) &&
                 (!*ret_did || !face || !face->due || face->due(engine, &txn, t, error));
    if (!txn.done)
        return false;
    CRASH_POINT("timer-acted");
    return true;
}

typedef bool (*TimerAct)(Engine *engine, JobId job, bool *ret_did, GError **error);

static const struct {
    const char *purpose;
    TimerAct act;
} acts[] = {{TIMER_WAIT, act},
            {TIMER_PROGRESS, progress_say},
            {TIMER_CHECKPOINT, checkpoint_look_again}};

static bool
dispatch(Engine *engine, const Timer *t, bool *ret_did, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(acts); i++) {
        if (g_str_equal(t->purpose, acts[i].purpose))
            return acts[i].act(engine, t->job, ret_did, error);
    }
    if (g_str_equal(t->purpose, TIMER_PERMIT))
        return hold_remind(engine, t, ret_did, error);
    return act_by_face(engine, t, ret_did, error);
}

static bool
act_on(Engine *engine, const Timer *t, unsigned *n, GError **error)
{
    g_autoptr(GError) failed = NULL;
    bool did = false;
    if (dispatch(engine, t, &did, &failed)) {
        *n += did;
        return true;
    }
    if (err_is(failed, ERR_NEVER))
        return give_up(engine, t, failed, error);
    g_propagate_prefixed_error(error, g_steal_pointer(&failed), "job %" G_GINT64_FORMAT ": ",
                               t->job.v);
    return false;
}

/* Acts on every timer that is due; a timer that fails does not keep back the others. */
static bool
act_all(Engine *engine, unsigned *n, GError **error)
{
    g_autoptr(Timers) timers = NULL;
    if (!timers_due(engine->db, home_now(engine->home), &timers, error))
        return false;
    bool ok = true;
    for (guint i = 0; i < timers->len; i++)
        ok = act_on(engine, g_ptr_array_index(timers, i), n, ok ? error : NULL) && ok;
    return ok;
}

bool
waits_act(Engine *engine, unsigned *ret_n, GError **error)
{
    g_autofree char *hold = db_hold_all(engine->db);
    *ret_n = 0;
    if (hold)
        return true;
    bool all = act_all(engine, ret_n, error);
    if (*ret_n == 0)
        return all;
    db_hint(engine->db);
    return settle_local(engine, NULL, all ? error : NULL) && all;
}
