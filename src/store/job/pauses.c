#include "store/job/pauses.h"
#include "base/home.h"
#include "store/due.h"
#include "store/sql.h"
#include "store/told.h"
#include <sys/stat.h>

#define GATE_WAIT_MS 5000
#define MINUTE_US (60 * USEC_PER_SEC)
#define HOUR_US (60 * MINUTE_US)
#define PROGRAM_WAIT_US (5 * MINUTE_US)
/* What people were told of a brain (store/told.h): that its jobs wait, and that its jobs would
 * wait for more than a day. */
#define LIMITED "limited"
#define LIMITED_FAR "limited-far"

void
pause_clear(Pause *p)
{
    g_clear_pointer(&p->why, g_free);
}

/* A row of the table brain; a brain that was always well has none. */
typedef struct Known {
    char *broken_why, *broken_mark, *limited_why, *limited_mark, *lacks_mark;
    Due broken_until, limited_until, limited_since;
    bool away; /* nobody has said until when */
    int64_t lacks;
} Known;

static void
known_clear(Known *k)
{
    free_all(k->broken_why, k->broken_mark, k->limited_why, k->limited_mark, k->lacks_mark);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Known, known_clear)

static bool
load(Db *db, const char *brain, Known *ret, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT broken_why, broken_mark, broken_until_us, limited_why, "
                          "limited_mark, limited_until_us, limited_since_us, away, lacks, "
                          "lacks_mark FROM brain WHERE name = ?",
                          error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "s", brain);
    while ((rc = sql_next(st, error)) == 1)
        *ret = (Known){.broken_why = sql_text_null(st, 0),
                       .broken_mark = sql_text_null(st, 1),
                       .broken_until = due_read(db, sql_col_int(st, 2)),
                       .limited_why = sql_text_null(st, 3),
                       .limited_mark = sql_text_null(st, 4),
                       .limited_until = due_read(db, sql_col_int(st, 5)),
                       .limited_since = due_read(db, sql_col_int(st, 6)),
                       .away = sql_col_int(st, 7) != 0,
                       .lacks = sql_col_int(st, 8),
                       .lacks_mark = sql_text_null(st, 9)};
    return rc == 0;
}

static char *
key_mark(const Home *home, const char *path)
{
    struct stat st;

    if (fstatat(home->fd, path, &st, 0) < 0)
        return g_strdup("none");
    return g_strdup_printf("%" PRId64 ".%09ld.%" PRId64, (int64_t)st.st_mtim.tv_sec,
                           st.st_mtim.tv_nsec, (int64_t)st.st_size);
}

/* Another text after every change of the settings, or of the key that they name. settings:
 * those that were in force, or those of now. */
static char *
settings_mark(const Home *home, uint64_t settings, const char *brain)
{
    const ConfBrain *conf = home->config ? config_brain(home->config, brain) : NULL;
    bool has_key = conf && conf->key_file && *conf->key_file;
    g_autofree char *key = has_key ? key_mark(home, conf->key_file) : NULL;

    return g_strdup_printf("%" PRIx64 "%s%s", settings, key ? " " : "", key ? key : "");
}

/* The mark of the settings that the caller had read when it asked the brain. They may be old by
 * now. */
static char *
mark_asked(const Home *home, const char *brain)
{
    return settings_mark(home, home->settings_mark, brain);
}

bool
brain_set_broken(Txn *txn,
                 const char *brain,
                 int64_t until_us,
                 const char *why,
                 bool *ret_first,
                 GError **error)
{
    g_autofree char *mark = mark_asked(db_home(txn->db), brain);
    g_auto(Known) k = {0};

    if (!load(txn->db, brain, &k, error))
        return false;
    *ret_first = !k.broken_why;
    return sql_run(txn,
                   "INSERT INTO brain (name, broken_why, broken_mark, broken_until_us) "
                   "VALUES (?, ?, ?, steady(?)) ON CONFLICT (name) DO UPDATE SET "
                   "broken_why = excluded.broken_why, broken_mark = excluded.broken_mark, "
                   "broken_until_us = excluded.broken_until_us",
                   error, "sssi", brain, why, mark, until_us);
}

/* Shortens a wait to a day at most, whatever the provider says. */
static bool
shorten_wait(Txn *txn, const char *brain, Due *until, bool *ret_ask, GError **error)
{
    int64_t last = txn_now(txn) + BRAIN_MOST_US;

    *ret_ask = false;
    if (until->us <= last)
        return true;
    *until = (Due){.us = last};
    return told_first(txn, LIMITED_FAR, brain, "", 0, ret_ask, error);
}

int64_t
brain_next_try(int64_t since_us, int64_t now_us)
{
    int64_t next = now_us + CLAMP(now_us - since_us, MINUTE_US, HOUR_US);
    int64_t news = since_us + BRAIN_LONG_US;

    return now_us < news ? MIN(next, news) : next;
}

/* A program is more to start than a question is to ask. */
static int64_t
look_again(Db *db, const char *brain, int64_t since_us, int64_t now_us)
{
    const Config *config = db_home(db)->config;
    const ConfBrain *conf = config ? config_brain(config, brain) : NULL;
    int64_t next = brain_next_try(since_us, now_us);

    return conf && config_is_program(conf) ? MAX(next, now_us + PROGRAM_WAIT_US) : next;
}

bool
brain_set_limited(
    Txn *txn, const char *brain, Due *until, const char *why, bool *ret_ask, GError **error)
{
    g_autofree char *mark = mark_asked(db_home(txn->db), brain);
    int64_t now = txn_now(txn), away = until->us == 0;
    g_auto(Known) k = {0};

    if (!load(txn->db, brain, &k, error))
        return false;
    /* A brain that was tried between two pauses, in vain, counts as paused all the time. */
    int64_t since = k.limited_why ? MIN(k.limited_since.us, now) : now;
    if (away)
        *until = (Due){.us = look_again(txn->db, brain, since, now)};
    return shorten_wait(txn, brain, until, ret_ask, error) &&
           sql_run(txn,
                   "INSERT INTO brain (name, limited_why, limited_mark, limited_until_us, "
                   "limited_since_us, away) VALUES (?, ?, ?, ?, steady(?), ?) "
                   "ON CONFLICT (name) DO UPDATE SET limited_why = excluded.limited_why, "
                   "limited_mark = excluded.limited_mark, "
                   "limited_until_us = excluded.limited_until_us, "
                   "limited_since_us = excluded.limited_since_us, away = excluded.away",
                   error, "sssiii", brain, why, mark, due_keeps(txn->db, *until), since, away);
}

bool
brain_tell(Txn *txn, const char *brain, const char *address, bool *ret_tell, GError **error)
{
    return told_first(txn, LIMITED, brain, address, txn_now(txn) - 24 * HOUR_US + 1, ret_tell,
                      error);
}

bool
brain_untell(Txn *txn, const char *brain, const char *address, bool *ret_was, GError **error)
{
    return told_take_back(txn, LIMITED, brain, address, ret_was, error);
}

/* Was this learnt under other settings? */
static bool
is_outdated(Db *db, const char *brain, const char *mark)
{
    const Home *home = db_home(db);

    if (!mark)
        return false;
    g_autofree char *now = settings_mark(home, home_mark_settings(home), brain);
    return !g_str_equal(mark, now);
}

bool
brain_broken_why(Db *db, const char *brain, char **ret, bool *ret_untried, GError **error)
{
    g_auto(Known) k = {0};

    if (!load(db, brain, &k, error))
        return false;
    *ret_untried = !k.broken_mark || is_outdated(db, brain, k.broken_mark);
    *ret = g_steal_pointer(&k.broken_why);
    return true;
}

bool
brain_pause(Db *db, const char *brain, Pause *ret, GError **error)
{
    int64_t now = home_now(db_home(db));
    g_auto(Known) k = {0};

    if (!load(db, brain, &k, error))
        return false;
    *ret = (Pause){.until = DUE_NEVER};
    if (k.broken_mark && k.broken_until.us > now && !is_outdated(db, brain, k.broken_mark))
        *ret = (Pause){PAUSE_BROKEN, k.broken_until, g_steal_pointer(&k.broken_why), false};
    else if (k.limited_why && k.limited_until.us > now &&
             !is_outdated(db, brain, k.limited_mark))
        *ret = (Pause){PAUSE_LIMITED, k.limited_until, g_steal_pointer(&k.limited_why), k.away};
    return true;
}

static bool
release_jobs(Txn *txn, const char *brain, GError **error)
{
    const Config *config = db_home(txn->db)->config;
    int64_t now = txn_now(txn);

    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];
        if (g_str_equal(role->brain, brain) &&
            !sql_run(txn,
                     "UPDATE job SET ready_us = steady(?1), updated_us = ?1 "
                     "WHERE state = 'queued' AND ready_us > steady(?1) AND role = ?2",
                     error, "is", now, role->name))
            return false;
    }
    return true;
}

bool
brain_try_now(Txn *txn, const char *brain, GError **error)
{
    bool paused, told, far;

    return sql_changed(
               txn,
               "UPDATE brain SET broken_mark = NULL, limited_why = NULL, limited_mark = NULL "
               "WHERE name = ? AND (broken_mark IS NOT NULL OR limited_why IS NOT NULL)",
               &paused, error, "s", brain) &&
           told_forget(txn, LIMITED, brain, &told, error) &&
           told_forget(txn, LIMITED_FAR, brain, &far, error) &&
           ((!paused && !told) || release_jobs(txn, brain, error));
}

bool
brain_worked(Db *db, const char *brain, GError **error)
{
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY, .wait_ms = GATE_WAIT_MS};
    bool ill;

    if (!sql_bool(db,
                  "SELECT EXISTS (SELECT 1 FROM brain WHERE name = ?1 AND "
                  "(broken_why IS NOT NULL OR limited_why IS NOT NULL)) OR "
                  "EXISTS (SELECT 1 FROM told WHERE what = '" LIMITED "' AND subject = ?1)",
                  &ill, error, "s", brain))
        return false;
    while (ill && txn_again(&txn, error))
        txn.ok = sql_run(&txn, "UPDATE brain SET broken_why = NULL WHERE name = ?", error, "s",
                         brain) &&
                 brain_try_now(&txn, brain, error);
    return !ill || txn.done;
}

bool
brain_lacks(Db *db, const char *brain, unsigned *ret, GError **error)
{
    g_auto(Known) k = {0};

    if (!load(db, brain, &k, error))
        return false;
    *ret = is_outdated(db, brain, k.lacks_mark) ? 0 : (unsigned)k.lacks;
    return true;
}

bool
brain_set_lacks(Db *db, const char *brain, unsigned lacks, GError **error)
{
    g_autofree char *mark = mark_asked(db_home(db), brain);
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY, .wait_ms = GATE_WAIT_MS};
    while (txn_again(&txn, error))
        txn.ok = sql_run(&txn,
                         "INSERT INTO brain (name, lacks, lacks_mark) VALUES (?, ?, ?) "
                         "ON CONFLICT (name) DO UPDATE SET lacks = excluded.lacks, "
                         "lacks_mark = excluded.lacks_mark",
                         error, "sus", brain, lacks, mark);
    return txn.done;
}

bool
brains_recheck(Db *db, GError **error)
{
    const Config *config = db_home(db)->config;

    for (unsigned i = 0; i < config->n_brains; i++) {
        const char *brain = config->brains[i].name;
        g_auto(Known) k = {0};
        g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE, .wait_ms = GATE_WAIT_MS};
        if (!load(db, brain, &k, error))
            return false;
        bool other =
            is_outdated(db, brain, k.broken_mark) || is_outdated(db, brain, k.limited_mark);
        while (other && txn_again(&txn, error))
            txn.ok = brain_try_now(&txn, brain, error);
        if (other && !txn.done)
            return false;
    }
    return true;
}
