#include "engine/keep.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/log.h"
#include "engine/tree/tree.h"
#include "store/job/old_jobs.h"

#define LOOK_EVERY_US (3600 * USEC_PER_SEC)
#define LOOK_META "kept"
/* In one look. */
#define STEPS_MAX 500u
#define FOLDERS_MAX 20u
#define FILES_MAX 20000u

#define WORK "work"
#define GONE WORK "/.gone"

typedef struct Kept Kept;

typedef struct Look {
    Engine *engine;
    const Kept *kept;
    int64_t before_us; /* jobs that ended later keep it */
    bool count;        /* only */
    unsigned n;        /* that are there, or that went */
} Look;

typedef bool Looks(Look *look, GError **error);
static Looks look_at_steps, look_at_work;

struct Kept {
    const char *setting; /* in [keep] */
    size_t span;         /* in Config */
    const char *what;
    Looks *look;
    unsigned max; /* that go in one look */
    OldPart part; /* of steps */
};
static const Kept kept[] = {
    {"contexts", offsetof(Config, keep_contexts_us), "contexts of steps", look_at_steps,
     STEPS_MAX, OLD_CONTEXT},
    {"done", offsetof(Config, keep_done_us), "answers of steps", look_at_steps, STEPS_MAX,
     OLD_ANSWER},
    {"work", offsetof(Config, keep_work_us), "work folders", look_at_work, FOLDERS_MAX, 0},
};

static bool
look_at_steps(Look *look, GError **error)
{
    const Kept *k = look->kept;

    if (look->count)
        return old_steps_count(look->engine->db, k->part, look->before_us, &look->n, error);
    g_auto(Txn) txn = {.db = look->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = old_steps_forget(&txn, k->part, look->before_us, k->max, &look->n, error);
    return txn.done;
}

/* Behind the gate, so that nobody claims the job meanwhile. A folder that can't be moved
 * stays. */
static bool
move_away(Look *look, JobId job, const char *role, GError **error)
{
    int home = look->engine->home->fd;
    g_autofree char *from = g_strdup_printf(WORK "/%s/%" PRId64, role, job.v);
    g_autofree char *to = g_strdup_printf(GONE "/%s.%" PRId64, role, job.v);
    g_auto(Txn) txn = {.db = look->engine->db, .flush = TXN_LAZY};

    while (txn_again(&txn, error)) {
        bool old = false;
        txn.ok = old_job(txn.db, job, role, look->before_us, &old, error);
        look->n += old && renameat(home, from, home, to) == 0;
    }
    CRASH_POINT("keep-moved");
    return txn.done;
}

static bool
look_at_role(Look *look, const char *role, GError **error)
{
    g_autofree char *path = g_build_filename(look->engine->home->path, WORK, role, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    JobId job;

    while (dir && (look->count || look->n < FOLDERS_MAX) && (name = g_dir_read_name(dir))) {
        bool old = false;
        if (text_parse_int(name, 1, INT64_MAX, &job.v) &&
            !old_job(look->engine->db, job, role, look->before_us, &old, error))
            return false;
        if (look->count)
            look->n += old;
        else if (old && !move_away(look, job, role, error))
            return false;
    }
    return true;
}

/* The repository forgets the worktree of a job whose folder is here: behind the gate, so
 * that no run makes it anew meanwhile. A repository that can't be reached forgets it by its
 * own housekeeping. */
static bool
forget_tree(Look *look, JobId job, const char *role, GError **error)
{
    Db *db = look->engine->db;
    g_autoptr(TreeRow) row = NULL;
    g_autoptr(GError) why = NULL;
    bool old = false;

    if (!tree_find(db, job, &row, error))
        return false;
    if (!row || row->state == TREE_OVER)
        return true;
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};
    while (txn_again(&txn, error)) {
        txn.ok = old_job(txn.db, job, role, look->before_us, &old, error);
        if (txn.ok && old) {
            g_clear_error(&why);
            (void)tree_forget(look->engine, job, role, &why);
            txn.ok = tree_set_over(&txn, job, error);
        }
    }
    if (why)
        log_event(LOG_WARN, "a worktree stays listed in its repository", "why", why->message,
                  NULL);
    return txn.done;
}

/* Names in work/.gone are ROLE.JOB. They stay there until what is in them is removed, so
 * whoever comes after a crash sees them again. */
static bool
forget_trees(Look *look, GError **error)
{
    g_autofree char *path = g_build_filename(look->engine->home->path, GONE, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    JobId job;

    while (dir && (name = g_dir_read_name(dir))) {
        const char *dot = strrchr(name, '.');
        if (!dot || !text_parse_int(dot + 1, 1, INT64_MAX, &job.v))
            continue;
        g_autofree char *role = g_strndup(name, (size_t)(dot - name));
        if (!forget_tree(look, job, role, error))
            return false;
    }
    CRASH_POINT("keep-forgotten");
    return true;
}

/* Roles that the settings do not name any more count too. */
static bool
look_at_work(Look *look, GError **error)
{
    const Home *home = look->engine->home;
    g_autofree char *path = g_build_filename(home->path, WORK, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *role;

    if (!dir)
        return true;
    if (!look->count && !dir_make(home->fd, GONE, 0700, error))
        return false;
    while ((role = g_dir_read_name(dir)))
        if (*role != '.' && !look_at_role(look, role, error))
            return false;
    if (!look->count && !forget_trees(look, error))
        return false;
    if (!look->count && dir_remove(home->fd, GONE, FILES_MAX) >= FILES_MAX)
        look->n = look->kept->max;
    return true;
}

/* Things that may go: none where they are kept for ever. */
static bool
look_at(
    Engine *engine, const Kept *k, int64_t since_us, bool count, unsigned *ret, GError **error)
{
    int64_t span = G_STRUCT_MEMBER(int64_t, engine->home->config, k->span);
    Look look = {.engine = engine, .kept = k, .before_us = since_us - span, .count = count};

    if (span > 0 && !k->look(&look, error))
        return false;
    *ret = look.n;
    return true;
}

bool
keep_prune(Engine *engine, GError **error)
{
    int64_t now = home_now(engine->home), last;
    g_autofree char *held = db_hold_all(engine->db);
    bool more = false;

    if (held)
        return true;
    if (!meta_get_time(engine->db, LOOK_META, now, &last, error))
        return false;
    if (now - last < LOOK_EVERY_US)
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++) {
        unsigned n;
        if (!look_at(engine, &kept[i], last, false, &n, error))
            return false;
        more |= n >= kept[i].max;
    }
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
    while (!more && txn_again(&txn, error))
        txn.ok = meta_set_time(&txn, LOOK_META, now, error);
    return more || txn.done;
}

bool
keep_count(Engine *engine, GPtrArray *lines, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++) {
        unsigned n;
        if (!look_at(engine, &kept[i], home_now(engine->home), true, &n, error))
            return false;
        if (n > 0)
            g_ptr_array_add(lines,
                            g_strdup_printf("of jobs that have ended, older than [keep] %s; "
                                            "serve lets them go by and by: %u %s",
                                            kept[i].setting, n, kept[i].what));
    }
    return true;
}
