#include "store/job/pauses.h"
#include "base/banned.h"
#include "base/home.h"
#include "base/text.h"
#include "store/due.h"
#include "store/sql.h"
#include <inttypes.h>
#include <sys/stat.h>

#define GATE_WAIT_MS 5000
#define MINUTE_US (60 * USEC_PER_SEC)
#define HOUR_US (60 * MINUTE_US)
#define AWAY "away" /* behind the time since when: nobody has said until when */

void
pause_clear(Pause *p)
{
    g_clear_pointer(&p->why, g_free);
}

static char *
key_of(const char *what, const char *brain)
{
    return g_strdup_printf("%s:%s", what, brain);
}

/* "NUMBER REST": a number and what stands behind it. */
static bool
set_number(Txn *txn,
           const char *what,
           const char *brain,
           int64_t number,
           const char *rest,
           GError **error)
{
    g_autofree char *key = key_of(what, brain);
    g_autofree char *value = g_strdup_printf("%" PRId64 " %s", number, rest);

    return meta_set(txn, key, value, error);
}

/* *ret_rest is NULL where there is none. */
static bool
get_number(
    Db *db, const char *what, const char *brain, int64_t *ret, char **ret_rest, GError **error)
{
    g_autofree char *key = key_of(what, brain), *value = NULL;

    *ret = 0;
    *ret_rest = NULL;
    if (!meta_get(db, key, &value, error))
        return false;
    char *blank = value ? strchr(value, ' ') : NULL;
    if (!blank)
        return true;
    *blank = '\0';
    if (text_parse_int(value, 0, INT64_MAX, ret))
        *ret_rest = g_strdup(blank + 1);
    return true;
}

/* The same with a time (store/due.h). */
static bool
set_until(
    Txn *txn, const char *what, const char *brain, Due until, const char *rest, GError **error)
{
    return set_number(txn, what, brain, due_keeps(txn->db, until), rest, error);
}

static bool
get_until(Db *db,
          const char *what,
          const char *brain,
          Due *ret_until,
          char **ret_rest,
          GError **error)
{
    int64_t kept;

    if (!get_number(db, what, brain, &kept, ret_rest, error))
        return false;
    *ret_until = *ret_rest ? due_read(db, kept) : (Due){0};
    return true;
}

static bool
has_key(Db *db, const char *what, const char *brain, bool *ret, GError **error)
{
    g_autofree char *key = key_of(what, brain), *value = NULL;

    if (!meta_get(db, key, &value, error))
        return false;
    *ret = value != NULL;
    return true;
}

/* That something began now. */
static bool
set_since(Txn *txn, const char *what, const char *brain, GError **error)
{
    return set_until(txn, what, brain, (Due){.us = txn_now(txn)}, "", error);
}

static char *
file_mark(const Home *home, const char *path)
{
    struct stat st;

    if (fstatat(home->fd, path, &st, 0) < 0)
        return g_strdup("none");
    return g_strdup_printf("%" PRId64 ".%09ld.%" PRId64, (int64_t)st.st_mtim.tv_sec,
                           st.st_mtim.tv_nsec, (int64_t)st.st_size);
}

/* Another text after every change of the settings, or of the key that they name. settings: those
 * that were in force, or those of now. */
static char *
settings_mark(const Home *home, uint64_t settings, const char *brain)
{
    const ConfBrain *conf = home->config ? config_brain(home->config, brain) : NULL;
    bool has_key = conf && conf->key_file && *conf->key_file;
    g_autofree char *key = has_key ? file_mark(home, conf->key_file) : NULL;

    return g_strdup_printf("%" PRIx64 "%s%s", settings, key ? " " : "", key ? key : "");
}

/* Whoever asked did so by the settings that they had read: these may be old by now. */
static char *
mark_asked(const Home *home, const char *brain)
{
    return settings_mark(home, home->settings_mark, brain);
}

static char *
mark_now(const Home *home, const char *brain)
{
    return settings_mark(home, home_mark_settings(home), brain);
}

bool
brain_set_broken(Txn *txn,
                 const char *brain,
                 int64_t until_us,
                 const char *why,
                 bool *ret_first,
                 GError **error)
{
    g_autofree char *key = key_of("broken", brain), *before = NULL;
    g_autofree char *mark = mark_asked(db_home(txn->db), brain);

    if (!meta_get(txn->db, key, &before, error))
        return false;
    *ret_first = before == NULL;
    return meta_set(txn, key, why, error) &&
           set_until(txn, "broken-until", brain, (Due){.us = until_us}, mark, error);
}

/* Nobody is believed for longer than a day. In meta: that the owner was asked about it. */
static bool
shorten_wait(Txn *txn, const char *brain, Due *until, bool *ret_ask, GError **error)
{
    int64_t last = txn_now(txn) + BRAIN_MOST_US;
    bool asked;

    *ret_ask = false;
    if (until->us <= last)
        return true;
    *until = (Due){.us = last};
    if (!has_key(txn->db, "limited-asked", brain, &asked, error))
        return false;
    *ret_ask = !asked;
    return asked || set_since(txn, "limited-asked", brain, error);
}

int64_t
brain_next_try(int64_t since_us, int64_t now_us)
{
    int64_t next = now_us + CLAMP(now_us - since_us, MINUTE_US, HOUR_US);
    int64_t news = since_us + BRAIN_LONG_US;

    return now_us < news ? MIN(next, news) : next;
}

bool
brain_set_limited(
    Txn *txn, const char *brain, Due *until, const char *why, bool *ret_ask, GError **error)
{
    g_autofree char *mark = mark_asked(db_home(txn->db), brain), *rest = NULL;
    int64_t now = txn_now(txn);
    Due since;

    /* One that is tried between two pauses, in vain, was paused all the time. */
    if (!get_until(txn->db, "limited-since", brain, &since, &rest, error))
        return false;
    since = (Due){.us = rest ? MIN(since.us, now) : now};
    if (!set_until(txn, "limited-since", brain, since, until->us ? "" : AWAY, error))
        return false;
    if (until->us == 0)
        *until = (Due){.us = brain_next_try(since.us, now)};
    return shorten_wait(txn, brain, until, ret_ask, error) &&
           set_until(txn, "limited", brain, *until, why, error) &&
           set_until(txn, "limited-under", brain, *until, mark, error);
}

/* In meta: since when, and who was told: "WHEN a@x b@y". */
bool
brain_tell(Txn *txn, const char *brain, const char *address, bool *ret_tell, GError **error)
{
    int64_t now = txn_now(txn);
    g_autofree char *told = NULL;
    Due last;

    *ret_tell = false;
    if (!get_until(txn->db, "limited-told", brain, &last, &told, error))
        return false;
    bool old = !told || now - last.us >= 24 * HOUR_US;
    g_auto(GStrv) list = g_strsplit(old ? "" : told, " ", -1);
    if (g_strv_contains((const char *const *)list, address))
        return true;
    g_autofree char *more = old ? g_strdup(address) : g_strjoin(" ", told, address, NULL);
    *ret_tell = true;
    return set_until(txn, "limited-told", brain, old ? (Due){.us = now} : last, more, error);
}

/* Was it paused under other settings? *ret_there: there is such a pause, also one that is over. */
static bool
is_outdated(
    Db *db, const char *what, const char *brain, bool *ret, bool *ret_there, GError **error)
{
    g_autofree char *mark = NULL;
    Due until;

    if (!get_until(db, what, brain, &until, &mark, error))
        return false;
    g_autofree char *now = mark ? mark_now(db_home(db), brain) : NULL;
    *ret = mark && !g_str_equal(mark, now);
    *ret_there = mark != NULL;
    return true;
}

bool
brain_broken_why(Db *db, const char *brain, char **ret, bool *ret_untried, GError **error)
{
    g_autofree char *key = key_of("broken", brain);
    bool outdated, there;

    if (!is_outdated(db, "broken-until", brain, &outdated, &there, error))
        return false;
    *ret_untried = outdated || !there;
    return meta_get(db, key, ret, error);
}

bool
brain_pause(Db *db, const char *brain, Pause *ret, GError **error)
{
    int64_t now = home_now(db_home(db));
    Due broken, limited, since;
    bool untried, changed, there;
    g_autofree char *mark = NULL, *broken_why = NULL, *limit_why = NULL, *kind = NULL;

    *ret = (Pause){.until = DUE_NEVER};
    if (!get_until(db, "broken-until", brain, &broken, &mark, error) ||
        !brain_broken_why(db, brain, &broken_why, &untried, error) ||
        !get_until(db, "limited", brain, &limited, &limit_why, error) ||
        !get_until(db, "limited-since", brain, &since, &kind, error) ||
        !is_outdated(db, "limited-under", brain, &changed, &there, error))
        return false;
    if (broken.us > now && !untried)
        *ret = (Pause){PAUSE_BROKEN, broken, g_steal_pointer(&broken_why), false};
    else if (limited.us > now && !changed)
        *ret = (Pause){PAUSE_LIMITED, limited, g_steal_pointer(&limit_why),
                       g_strcmp0(kind, AWAY) == 0};
    return true;
}

static bool
forget(Txn *txn, const char *what, const char *brain, GError **error)
{
    g_autofree char *key = key_of(what, brain);

    return meta_set(txn, key, NULL, error);
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
                     "UPDATE job SET ready_us = steady(?1), updated_us = ?1 WHERE state = "
                     "'queued' AND "
                     "ready_us > steady(?1) AND role = ?2",
                     NULL, error, "is", now, role->name))
            return false;
    }
    return true;
}

bool
brain_try_now(Txn *txn, const char *brain, GError **error)
{
    bool broken, limited, told;

    if (!has_key(txn->db, "broken-until", brain, &broken, error) ||
        !has_key(txn->db, "limited", brain, &limited, error) ||
        !has_key(txn->db, "limited-told", brain, &told, error))
        return false;
    if (!broken && !limited && !told)
        return true;
    return forget(txn, "broken-until", brain, error) && forget(txn, "limited", brain, error) &&
           forget(txn, "limited-under", brain, error) &&
           forget(txn, "limited-since", brain, error) &&
           forget(txn, "limited-told", brain, error) &&
           forget(txn, "limited-asked", brain, error) && release_jobs(txn, brain, error);
}

bool
brain_worked(Db *db, const char *brain, GError **error)
{
    bool broken, limited, told;

    if (!has_key(db, "broken", brain, &broken, error) ||
        !has_key(db, "limited", brain, &limited, error) ||
        !has_key(db, "limited-told", brain, &told, error))
        return false;
    if (!broken && !limited && !told)
        return true;
    g_auto(Txn) txn = {0};
    return txn_begin(db, TXN_LAZY, GATE_WAIT_MS, &txn, error) &&
           forget(&txn, "broken", brain, error) && brain_try_now(&txn, brain, error) &&
           txn_commit(&txn, error);
}

bool
brain_lacks(Db *db, const char *brain, unsigned *ret, GError **error)
{
    g_autofree char *mark = NULL;
    int64_t lacks;

    if (!get_number(db, "lacks", brain, &lacks, &mark, error))
        return false;
    g_autofree char *now = mark ? mark_now(db_home(db), brain) : NULL;
    *ret = mark && g_str_equal(mark, now) ? (unsigned)lacks : 0;
    return true;
}

bool
brain_set_lacks(Db *db, const char *brain, unsigned lacks, GError **error)
{
    g_autofree char *mark = mark_asked(db_home(db), brain);
    g_auto(Txn) txn = {0};

    return txn_begin(db, TXN_LAZY, GATE_WAIT_MS, &txn, error) &&
           set_number(&txn, "lacks", brain, lacks, mark, error) && txn_commit(&txn, error);
}

static bool
try_one(Db *db, const char *brain, GError **error)
{
    g_auto(Txn) txn = {0};

    return txn_begin(db, TXN_DURABLE, GATE_WAIT_MS, &txn, error) &&
           brain_try_now(&txn, brain, error) && txn_commit(&txn, error);
}

bool
brains_recheck(Db *db, GError **error)
{
    const Config *config = db_home(db)->config;

    for (unsigned i = 0; i < config->n_brains; i++) {
        const char *brain = config->brains[i].name;
        bool broken, limited, there;
        if (!is_outdated(db, "broken-until", brain, &broken, &there, error) ||
            !is_outdated(db, "limited-under", brain, &limited, &there, error))
            return false;
        if ((broken || limited) && !try_one(db, brain, error))
            return false;
    }
    return true;
}
