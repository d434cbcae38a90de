#pragma once

/*
 * What a face keeps in the store beside the tables that are everybody's: tables of its own,
 * which it versions by itself, and the folders that the master watches for it. Both are rows
 * that name the face, since not every program that opens the store links it.
 */
#include "store/db.h"

typedef struct SqlPart {
    const char *const *sql; /* sql[n] takes its tables from version n to n + 1 */
    int newest;             /* how many there are */
} SqlPart;

/* Brings the tables of a face up to date, in one transaction. ERR_NEVER: a newer program has
 * made them. */
bool tables_open(Db *db, const char *face, const SqlPart *part, GError **error);

/* Sets the folders that are watched for a face; the list ends with NULL. paths NULL: none. */
bool watches_keep(Db *db, const char *face, const char *const *paths, GError **error);
/* The watched folders of all faces, as paths beneath the home (char *). Caller unrefs. */
bool watches_list(Db *db, GPtrArray **ret, GError **error);
