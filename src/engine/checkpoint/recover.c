#include "engine/checkpoint/recover.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "engine/run/settle.h"
#include "mail/maildir.h"
#include "store/due.h"
#include "store/job/jobs.h"
#include "store/job/pauses.h"
#include "store/note/note_readers.h"
#include "store/note/note_versions.h"
#include "store/out/outbox.h"

#define DAY_US (24 * 3600 * USEC_PER_SEC)
/* Tidying lists every mailbox and every note, so not every start does it. */
#define TIDY_EVERY_US (3600 * USEC_PER_SEC)
#define TIDY_META "tidied"

static bool
reap(Engine *engine, unsigned *ret_n, GError **error)
{
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_reap(&txn, ret_n, error);
    return txn.done;
}

/* Looks at note files only where one of them, or a mail, waits for that. */
static bool
settle_owed_notes(Engine *engine, GError **error)
{
    OutId waits;
    bool owed;

    if (!outbox_after_notes(engine->db, &waits, error) ||
        !note_mirrors_owed(engine->db, &owed, error))
        return false;
    return (waits.v == 0 && !owed) || settle_written_notes(engine, error);
}

static void
warn_of_notes(const GError *why)
{
    log_event(LOG_WARN, "notes can't be written to their files, the next sweep tries again",
              "why", why->message, NULL);
}

/* Effects that can't be settled now stay owed, and the next sweep tries them again. A file of a
 * note that can't be written does not stop work on mail. */
static bool
settle(Engine *engine, unsigned *ret_n, GError **error)
{
    g_autoptr(GError) why = NULL, unwritten = NULL;

    if (!settle_owed_notes(engine, &unwritten) && !err_is(unwritten, ERR_LATER))
        warn_of_notes(unwritten);
    if (settle_local(engine, ret_n, &why) || err_is(why, ERR_LATER))
        return true;
    return err_pass(error, g_steal_pointer(&why));
}

/* A mailbox that can't be swept now (no rights, not mounted) is no reason to stop. */
static unsigned
sweep_mailbox(const Home *home, const char *name, int64_t before_us)
{
    g_autoptr(Maildir) md = NULL;
    unsigned n = 0;

    if (!maildir_open(home->mail_fd, name, false, &md, NULL) ||
        !maildir_sweep(md, before_us, &n, NULL))
        return 0;
    return n;
}

static unsigned
sweep_mail(const Home *home, int64_t before_us)
{
    const Config *config = home->config;
    unsigned n = 0;

    for (unsigned i = 0; i < config->n_roles; i++)
        n += sweep_mailbox(home, config->roles[i].name, before_us);
    for (unsigned i = 0; i < config->n_persons; i++)
        if (config->persons[i].local)
            n += sweep_mailbox(home, config->persons[i].name, before_us);
    return n;
}

/* Takes in what people changed in the files of notes while no program of ours ran. */
static void
look_at_notes(Engine *engine)
{
    g_autoptr(GError) why = NULL;

    if (!settle_notes(engine, &why) && !err_is(why, ERR_LATER))
        warn_of_notes(why);
}

static bool
tidy(Engine *engine, unsigned *ret_tmp, GError **error)
{
    const Home *home = engine->home;
    int64_t now = home_now(home), last;
    unsigned in_state = 0;

    if (!meta_get_time(engine->db, TIDY_META, now, &last, error))
        return false;
    *ret_tmp = 0;
    if (now - last < TIDY_EVERY_US)
        return true;
    if (!file_sweep(home->state_fd, DAY_US, &in_state, error))
        return false;
    *ret_tmp = in_state + sweep_mail(home, now - DAY_US);
    look_at_notes(engine);
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = outbox_prune(&txn, now - DAY_US, error) &&
                 meta_set_time(&txn, TIDY_META, now, error);
    return txn.done;
}

/* Once in the life of a store. */
static bool
tell_readers(Engine *engine, GError **error)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    bool first;

    if (!notes_readers_keep(engine->db, &first, error) ||
        (first && !notes_readers_check(engine->db, lines, error)))
        return false;
    for (guint i = 0; i < lines->len; i++)
        log_event(LOG_WARN, g_ptr_array_index(lines, i), NULL);
    return true;
}

bool
recover_sweep(Engine *engine, RecoverStats *ret, GError **error)
{
    RecoverStats stats = {0};

    due_look(engine->db);
    if (!reap(engine, &stats.jobs, error) || !brains_recheck(engine->db, error) ||
        !settle(engine, &stats.effects, error) || !tidy(engine, &stats.tmp, error) ||
        !tell_readers(engine, error))
        return err_prefix(error, "bringing an unfinished past in order");
    *ret = stats;
    return true;
}
