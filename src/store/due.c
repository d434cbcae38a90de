#include "store/due.h"
#include "base/log.h"
#include "store/sql.h"

/* How old the mark may be when something is written. */
#define FRESH_US USEC_PER_SEC

static ClockMark
mark_now(const Db *db)
{
    const Clock *clock = &db_home(db)->clock;
    ClockMark now = {.wall_us = clock_wall_us(clock)};

    now.boot = clock_boot(clock, &now.boot_us);
    return now;
}

static bool
is_same_boot(const ClockMark *m, const ClockMark *now)
{
    return g_strcmp0(m->boot, now->boot) == 0 && now->boot_us >= m->boot_us;
}

/* By how much the wall clock was set since. Over a boot it can't be told how long that took,
 * but what was due when the other one ended is so. */
static int64_t
set_by(const ClockMark *m, const ClockMark *now)
{
    int64_t passed = now->wall_us - m->wall_us;

    if (!m->boot)
        return 0;
    if (!is_same_boot(m, now))
        return passed < -CLOCK_SLACK_US ? passed - FRESH_US : 0;
    passed -= now->boot_us - m->boot_us;
    return ABS(passed) > CLOCK_SLACK_US ? passed : 0;
}

static bool
is_right(const ClockMark *m, const ClockMark *now)
{
    return m->boot && is_same_boot(m, now) && set_by(m, now) == 0;
}

static bool
read_mark(Db *db, ClockMark *ret, GError **error)
{
    SqlStmt *st = sql_get(db, "SELECT boot, boot_us, wall_us, ahead_us FROM clock", error);
    ClockMark m = {0};
    int rc = -1;

    while (st && (rc = sql_next(st, error)) == 1)
        m = (ClockMark){.boot = g_intern_string(sql_col_text(st, 0)),
                        .boot_us = sql_col_int(st, 1),
                        .wall_us = sql_col_int(st, 2),
                        .ahead_us = sql_col_int(st, 3)};
    if (rc == 0)
        *ret = m;
    return rc == 0;
}

/* Others may have kept it meanwhile; without a store that can be read nothing is due anyway. */
static int64_t
ahead_us(Db *db)
{
    ClockMark *m = db_clock_mark(db), now = mark_now(db);

    if (!is_right(m, &now))
        (void)read_mark(db, m, NULL);
    return m->ahead_us - set_by(m, &now);
}

static bool
is_kept(const ClockMark *m, const ClockMark *now)
{
    return is_right(m, now) && now->boot_us - m->boot_us < FRESH_US;
}

bool
due_begin(Db *db, GError **error)
{
    ClockMark *m = db_clock_mark(db), now = mark_now(db);

    if (is_kept(m, &now))
        return true;
    if (!read_mark(db, m, error))
        return false;
    if (is_kept(m, &now))
        return true;
    int64_t set = set_by(m, &now);
    g_autofree char *span = clock_format_span(ABS(set));
    if (set != 0)
        log_say(LOG_WARN,
                "the clock was set %s by %s: whoever waits for a span goes on with it",
                set < 0 ? "back" : "forward", span);
    now.ahead_us = m->ahead_us - set;
    now.owed = true;
    *m = now;
    return true;
}

bool
due_keep(Txn *txn, GError **error)
{
    ClockMark *m = db_clock_mark(txn->db);

    if (!m->owed)
        return true;
    m->owed = false;
    return sql_run(
        txn,
        "INSERT INTO clock (id, boot, boot_us, wall_us, ahead_us) "
        "VALUES (1, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET boot = excluded.boot, "
        "boot_us = excluded.boot_us, wall_us = excluded.wall_us, "
        "ahead_us = excluded.ahead_us",
        error, "siii", m->boot, m->boot_us, m->wall_us, m->ahead_us);
}

void
due_look(Db *db)
{
    ClockMark *m = db_clock_mark(db), now = mark_now(db);
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};

    if (!is_right(m, &now))
        (void)read_mark(db, m, NULL);
    if (is_right(m, &now))
        return;
    while (txn_again(&txn, &error))
        txn.ok = due_keep(&txn, &error);
    if (!txn.done)
        log_event(LOG_WARN, "can't write down what the clock says", "error", error->message,
                  NULL);
}

int64_t
due_keeps(Db *db, Due due)
{
    return due.us == USEC_NEVER ? USEC_NEVER
                                : due.us + (due.moment ? DUE_MOMENTS : ahead_us(db));
}

Due
due_read(Db *db, int64_t kept)
{
    if (kept == USEC_NEVER)
        return DUE_NEVER;
    bool moment = kept >= DUE_MOMENTS;
    return (Due){kept - (moment ? DUE_MOMENTS : ahead_us(db)), moment};
}
