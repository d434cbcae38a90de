#pragma once

/*
 * The store: state/postrider.db holds every decision. All writing goes through a Txn; a Txn
 * holds the write gate, an flock on state/write.lock, from before BEGIN to after COMMIT. The
 * gate is why writers queue instead of polling (SQLite's busy handler starves them), and why no
 * checkpoint ever runs beside a commit: SQLite before 3.51.3 can lose pages then ("WAL-reset
 * bug"; Debian 12 has 3.40.1). So autocheckpoint is 0 on every connection, and SQLite's closing
 * does not checkpoint. txn_commit() checkpoints itself, under the gate, when the log is longer
 * than 4 MiB, and so does whoever has made the tables or brought them up to date; db_close()
 * where it is longer than 1 MiB and no master runs, since SQLite reads the whole log whenever a
 * program opens a store that no other has open.
 *
 * (1) Nothing waits for a network, a model, a child or stdout between begin and commit.
 * (2) Nobody else opens the database file in this process: closing it would drop the locks.
 * (3) A read that prints to a pipe reads its rows to the end first.
 * (4) A decision is one transaction that holds every byte the decision creates.
 */
#include "base/home.h"
#include "base/ids.h"

typedef enum TxnFlush {
    TXN_DURABLE, /* flushed before txn_commit() returns: every decision */
    TXN_LAZY,    /* not flushed: only what a redo makes again (marks, "shown") */
} TxnFlush;

/*
 * A decision:
 *
 *     g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};
 *     while (txn_again(&txn, error))
 *         txn.ok = job_check(&txn, …, error) && timer_drop(&txn, …, error);
 *     if (!txn.done)
 *         return false;
 *
 * What stands in the loop is a function of the store alone, and may run twice: it touches no
 * file and no socket, and what it hands to the outside it sets anew each time. Whoever leaves
 * the loop by return or with ok false has decided nothing.
 */
struct Txn {
    Db *db;
    TxnFlush flush;
    int wait_ms; /* for the gate; 0: DB_WAIT_MS */
    bool ok;     /* set in the loop: commit */
    bool done;   /* committed */
    bool open, again;
    int changes; /* that the connection had made before */
};

/* How long a program waits for the gate when it has nothing better to do. */
#define DB_WAIT_MS 20000

typedef enum DbMode {
    DB_WRITE, /* makes and migrates where needed; a copy is kept as postrider.db.before-N first
               */
    DB_READ,  /* no Txn; a missing or older store is ERR_LATER ("run serve, or doctor") */
} DbMode;

/* Opens the store of a home, which must outlive it. ERR_NEVER: the schema is newer than this
 * program. ERR_DAMAGE: the file is not a store, or is damaged; the text names the way back.
 * From now on SIGBUS (SQLite's shared memory on a full disk) ends the process with a line that
 * says so. */
bool db_open(const Home *home, DbMode mode, Db **ret_db, GError **error);
void db_close(Db *db);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Db, db_close)

/* For whoever waits long for something else, such as a model: gives back memory that only makes
 * reads faster. From then on a Txn of this Db waits up to ten minutes for the gate, since
 * hundreds of others may come back at the same moment. Not within a Txn or a Snapshot, nor
 * while rows are read. */
void db_rest(Db *db);

const Home *db_home(const Db *db);
bool db_can_write(const Db *db); /* opened with DB_WRITE */

/* The first time it takes the gate (ERR_LATER names the pid that holds it) and begins; then it
 * commits where ok is set. True: run the loop's body. POSTRIDER_TEST_RETRY=1 in the environment
 * has every body that went well rolled back once and run again. */
bool txn_again(Txn *txn, GError **error);
/* The halves of txn_again(), for delivery alone: files get their names while the gate is held.
 * ret_txn must be zeroed, one transaction of a Db may be open at a time, and wait_ms 0 tries
 * the gate once. */
bool txn_begin(Db *db, TxnFlush flush, int wait_ms, Txn *ret_txn, GError **error);
bool txn_commit(Txn *txn, GError **error);
void txn_clear(Txn *txn); /* rolls back what was not committed */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Txn, txn_clear)
int64_t txn_now(const Txn *txn); /* the wall time of the home's clock */

/* Reads that belong together: all see one moment of the store, and take one lock instead of one
 * each. One that is begun inside of another, or of a transaction, is part of that; a
 * transaction that begins meanwhile ends it, and reads behind that see what is there then. (1)
 * holds here too. Nothing fails: without it reads are slower. */
typedef struct Snapshot {
    Db *db; /* NULL: not ours to end */
} Snapshot;
void snapshot_begin(Db *db, Snapshot *ret);
void snapshot_clear(Snapshot *s);
/* To be called before a wait: ends the one that is open, whoever began it. */
void snapshot_end(Db *db);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Snapshot, snapshot_clear)

/* Tells the master that something became ready: a datagram to state/wake.sock that may be lost.
 */
void db_hint(Db *db);
/* Earliest moment at which anything becomes ready by itself: jobs, deliveries, timers,
 * schedules. USEC_NEVER: none does. */
bool db_next_deadline(Db *db, int64_t *ret_wall_us, GError **error);

/* What there is one of in a home: "home-id", "created" (microseconds), "hold-all", "tidied", …
 * What there are several of has a table. *ret is NULL where absent; caller frees. */
bool meta_get(Db *db, const char *key, char **ret, GError **error);
bool meta_set(Txn *txn, const char *key, const char *value, GError **error); /* NULL deletes */
/* The same for a time. *ret_us is 0 where no time was noted, or a time in the future, which a
 * wrong clock has written. */
bool meta_get_time(Db *db, const char *key, int64_t now_us, int64_t *ret_us, GError **error);
bool meta_set_time(Txn *txn, const char *key, int64_t us, GError **error);

/*
 * The generation stands in every id that we mint. It is the millisecond at which the store was
 * made, so a new store never repeats an id of a lost one; doctor --accept-backup raises it.
 */
uint64_t db_generation(Db *db);
bool db_set_generation(Txn *txn, uint64_t generation, GError **error);
/* Mail shows an id that this home minted (msgid_is_minted). When the store has not given that
 * number out yet it is an old copy of itself: "hold-all" is set, and nothing runs or leaves
 * until a person decides. *ret_went_back tells. */
bool db_note_minted(
    Txn *txn, uint64_t generation, int64_t number, bool *ret_went_back, GError **error);
/* Why nothing may run or leave; NULL: all is well. Caller frees. */
char *db_hold_all(Db *db);

/* Integrity: PRAGMA quick_check (full: integrity_check) and our own rules over rows. Findings
 * are one line each. */
bool db_check(Db *db, bool full, GPtrArray **ret_findings, GError **error);
/* A consistent copy by SQLite's backup API while others work; dest is a path that must not
 * exist. */
bool db_backup(Db *db, const char *dest, GError **error);
const char *db_library_version(void);
int db_schema_version(void);
