#pragma once

/*
 * Making a store and bringing an older one up to date. Each migration is one transaction that
 * also sets user_version, so a crash leaves a store of some whole version. Before the first one
 * runs on a store that has data, a flushed copy is kept as postrider.db.before-N.
 *
 * The list is passed in, so that a test can bring one of its own.
 */
#include "base/home.h"

struct sqlite3;
typedef struct SqlConn SqlConn;

typedef struct MigrateList {
    const char *const *sql; /* sql[n] takes version n to n + 1 */
    int newest;             /* how many there are */
} MigrateList;

/* 0: empty, to be made. ERR_DAMAGE: the file belongs to another program, or is broken.
 * ERR_NEVER: made by a newer postrider. */
bool migrate_version(struct sqlite3 *handle, int newest, int *ret_version, GError **error);
/* The caller holds the write gate. */
bool migrate_run(SqlConn *conn, const Home *home, const MigrateList *list, GError **error);
/* A flushed copy of the whole store; dest must not exist. Reads a snapshot, others may write.
 */
bool migrate_copy(struct sqlite3 *handle, const char *dest, GError **error);
