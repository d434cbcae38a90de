#pragma once

/*
 * The tables, as numbered migrations: schema_sql[n] takes a store from version n to n + 1. A
 * migration that has been released is never changed. PRAGMA user_version holds the number,
 * PRAGMA application_id says that the file is ours.
 */
#define SCHEMA_APPLICATION_ID 0x706f7374 /* "post" */
extern const char *const schema_sql[];
extern const int schema_version; /* number of migrations */
