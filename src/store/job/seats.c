#include "store/job/seats.h"
#include "base/home.h"
#include "base/workdir.h"
#include "store/due.h"
#include "store/job/role_pauses.h"
#include "store/mail/mailboxes.h"
#include "store/sql.h"

#define GATE_WAIT_MS 5000

/* How many jobs of one role, the first by their turn, are looked at to find the asker who has
 * the fewest jobs at work. */
#define LOOK_AT "16"

/* Jobs that only need a run and a place. ?1 is now, ?2 the mark behind which nothing parked is
 * taken. */
#define QUEUED_READY "state = 'queued' AND " SQL_IS_DUE("ready_us", "?1") " "
#define PARKED_READY                                                                           \
    "state = 'parked' AND wakes_us IS NOT NULL AND " SQL_IS_DUE(                               \
        "wakes_us", "?1") " AND parked_step <= ?2 "

/* NULL: the role's brain, if it has one, has no limit. */
static const ConfBrain *
limited_brain(const Config *config, const ConfRole *role)
{
    const ConfBrain *brain = role->person ? NULL : config_brain(config, role->brain);

    return brain && brain->at_once ? brain : NULL;
}

/* The folder that one job at a time works in; NULL: each has its own. Caller frees. */
static char *
shared_place(const Home *home, const ConfRole *role)
{
    g_autofree char *folder =
        role->mode == MODE_PROGRAM ? workdir_path(home, role) : NULL;
    return folder && !workdir_in_git(folder) ? g_steal_pointer(&folder) : NULL;
}

static bool
is_saved(Db *db, bool *ret, GError **error)
{
    const Config *config = db_home(db)->config;
    g_autoptr(GPtrArray) saved = NULL;
    guint n = 0;

    if (!sql_strings(db,
                     "SELECT role || ' ' || brain || ' ' || at_once || ' ' || coalesce(place, '') "
                     "FROM seat ORDER BY id",
                     &saved, error, ""))
        return false;
    *ret = true;
    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfBrain *brain = limited_brain(config, &config->roles[i]);
        if (!brain)
            continue;
        g_autofree char *place = shared_place(db_home(db), &config->roles[i]);
        g_autofree char *want =
            g_strdup_printf("%s %s %" PRId64 " %s", config->roles[i].name, brain->name,
                            (int64_t)brain->at_once, place ? place : "");
        *ret = *ret && n < saved->len && g_str_equal(saved->pdata[n++], want);
    }
    *ret = *ret && n == saved->len;
    return true;
}

static bool
save(Txn *txn, GError **error)
{
    const Config *config = db_home(txn->db)->config;

    if (!sql_run(txn, "DELETE FROM seat", error, ""))
        return false;
    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfBrain *brain = limited_brain(config, &config->roles[i]);
        g_autofree char *place = shared_place(db_home(txn->db), &config->roles[i]);
        if (brain &&
            !sql_run(txn, "INSERT INTO seat (role, brain, at_once, place) VALUES (?, ?, ?, ?)",
                     error, "ssis", config->roles[i].name, brain->name, brain->at_once, place))
            return false;
    }
    return true;
}

bool
seats_save(Txn *txn, GError **error)
{
    bool saved;

    return is_saved(txn->db, &saved, error) && (saved || save(txn, error));
}

bool
seats_refresh(Db *db, GError **error)
{
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY, .wait_ms = GATE_WAIT_MS};
    bool saved;

    if (!is_saved(db, &saved, error))
        return false;
    while (!saved && txn_again(&txn, error))
        txn.ok = save(&txn, error);
    return saved || txn.done;
}

/* clang-format off */

/* `waiting` walks from one role with queued jobs to the next by the index, so that a role with
 * 10,000 of them costs no more than one with a single job. */
static const char next_sql[] =
    SEATS_TABLES ", "
    "waiting(role) AS ("
        "SELECT min(role) FROM job WHERE state = 'queued' UNION ALL "
        "SELECT (SELECT min(j.role) FROM job j WHERE j.state = 'queued' AND j.role > w.role) "
        "FROM waiting w WHERE w.role IS NOT NULL), "
    "first(id) AS ("
        "SELECT (SELECT k.id FROM (SELECT id, asker, turn_us FROM job "
            "WHERE role = w.role AND " QUEUED_READY "ORDER BY turn_us, id LIMIT " LOOK_AT ") AS k "
            "ORDER BY (SELECT count(*) FROM busy b WHERE b.asker = k.asker), k.turn_us, k.id LIMIT 1) "
        "FROM waiting w WHERE w.role IS NOT NULL "
        "AND " SEAT_IS_FREE("w.role") "AND " MAILBOX_LETS_WORK("w.role")
        "AND " ROLE_IS_AWAKE("w.role") "), "
    "ready AS ("
        "SELECT j.id, j.role, j.asker, wall(j.turn_us) AS due FROM first f JOIN job j ON j.id = f.id "
        "UNION ALL SELECT * FROM (SELECT id, role, asker, wall(wakes_us) FROM job "
            "WHERE " PARKED_READY "AND " SEAT_IS_FREE("job.role") "AND " MAILBOX_LETS_WORK("job.role")
            "AND " ROLE_IS_AWAKE("job.role")
            "ORDER BY wakes_us, id LIMIT " LOOK_AT ") AS p) "
    "SELECT r.id FROM ready r ORDER BY "
        "(SELECT count(*) FROM busy b WHERE b.role = r.role), "
        "(SELECT count(*) FROM busy b WHERE b.asker = r.asker), r.due, r.id LIMIT 1";

/* The roles with ready jobs: for each brain as many jobs as it has places, and all jobs whose
 * brain has no limit. */
static const char ready_sql[] =
    SEATS_TABLES ", "
    "ready(role) AS ("
        "SELECT role FROM job WHERE " QUEUED_READY "UNION ALL "
        "SELECT role FROM job WHERE " PARKED_READY "), "
    "brain_ready AS ("
        "SELECT count(*) AS n, (SELECT max(t.at_once) - (SELECT count(*) FROM busy b "
            "JOIN seat o ON o.role = b.role WHERE o.brain = s.brain) "
            "FROM seat t WHERE t.brain = s.brain) AS places "
        "FROM ready r LEFT JOIN seat s ON s.role = r.role "
        "WHERE " SEAT_IS_FREE("r.role") "AND " MAILBOX_LETS_WORK("r.role")
        "AND " ROLE_IS_AWAKE("r.role") "GROUP BY s.brain) "
    "SELECT sum(CASE WHEN places < n THEN places ELSE n END) FROM brain_ready";

/* clang-format on */

bool
seats_next(Db *db, int64_t now_us, int64_t mark, JobId *ret, GError **error)
{
    return sql_int(db, next_sql, &ret->v, error, "ii", now_us, mark);
}

bool
seats_ready(Db *db, int64_t now_us, int64_t *ret_n, GError **error)
{
    return sql_int(db, ready_sql, ret_n, error, "ii", now_us, JOB_NO_MARK);
}

/* Jobs at work whose roles share the brain, or the folder. "3, 4". */
static bool
name_busy(Db *db, const char *brain, const char *place, char **ret, GError **error)
{
    g_autoptr(GPtrArray) ids = NULL;

    if (!sql_strings(db,
                     "SELECT j.id FROM job j JOIN seat s ON s.role = j.role "
                     "WHERE j.state = 'running' AND (s.brain = ? OR s.place = ?) ORDER BY j.id",
                     &ids, error, "ss", brain, place))
        return false;
    g_ptr_array_add(ids, NULL);
    *ret = g_strjoinv(", ", (char **)ids->pdata);
    return true;
}

/* The folder that the role waits for; NULL: none. */
static bool
busy_place(Db *db, const char *role, char **ret, GError **error)
{
    return sql_string(db,
                      "SELECT s.place FROM seat s WHERE s.role = ? AND s.place IN (SELECT o.place "
                      "FROM job j JOIN seat o ON o.role = j.role WHERE j.state = 'running')",
                      ret, error, "s", role);
}

bool
seat_wait(Db *db, const Job *job, char **ret, GError **error)
{
    g_autofree char *brain = NULL, *place = NULL, *jobs = NULL;

    *ret = NULL;
    if (job->state != JOB_QUEUED || job->ready_us > home_now(db_home(db)))
        return true;
    if (!sql_string(db,
                    SEATS_TABLES "SELECT s.brain FROM seat s JOIN full_role f "
                                 "ON f.role = s.role WHERE s.role = ?",
                    &brain, error, "s", job->role) ||
        (brain && !busy_place(db, job->role, &place, error)) ||
        (brain && !name_busy(db, place ? NULL : brain, place, &jobs, error)))
        return false;
    const char *many = jobs && strchr(jobs, ',') ? "s" : "";
    if (place)
        *ret = g_strdup_printf("its turn in '%s', behind job%s %s", place, many, jobs);
    else if (brain)
        *ret = g_strdup_printf("a place at brain %s, behind job%s %s", brain, many, jobs);
    return true;
}
