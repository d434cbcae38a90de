#include "store/migrate.h"
#include "base/crash.h"
#include "base/file.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/sqlite_late.h"
#include <fcntl.h>

bool
migrate_version(sqlite3 *handle, int newest, int *ret_version, GError **error)
{
    int64_t application, version, tables;

    if (!sql_pragma_int(handle, "PRAGMA application_id", &application, error) ||
        !sql_pragma_int(handle, "PRAGMA user_version", &version, error) ||
        !sql_pragma_int(handle, "SELECT count(*) FROM sqlite_master", &tables, error))
        return false;
    /* An empty file holds nothing of anybody's: a crash came between making the file and its
     * first commit. */
    bool empty = application == 0 && version == 0 && tables == 0;
    if (!empty && (application != SCHEMA_APPLICATION_ID || version < 1))
        return err_set(error, ERR_DAMAGE, "it belongs to another program");
    if (version > newest)
        return err_set(error, ERR_NEVER,
                       "made by a newer postrider (schema %" PRId64 ", this one knows %d)",
                       version, newest);
    *ret_version = (int)version;
    return true;
}

static bool
copy_pages(sqlite3 *from, sqlite3 *to, GError **error)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");

    if (!backup)
        return sql_error_handle(to, error, "copying the store");
    (void)sqlite3_backup_step(backup, -1);
    if (sqlite3_backup_finish(backup) != SQLITE_OK)
        return sql_error_handle(to, error, "copying the store");
    return true;
}

/* The copy is new and nobody reads it yet: no journal, and one flush at the end. */
static bool
copy_into(sqlite3 *handle, const char *dest, GError **error)
{
    SqlConn to = {0};
    bool ok;

    if (sqlite3_open_v2(dest, &to.handle, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        ok = sql_error_handle(to.handle, error, "copying the store");
    else
        ok = sql_exec(to.handle, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", error,
                      "copying the store") &&
             copy_pages(handle, to.handle, error);
    sql_conn_clear(&to);
    return ok;
}

bool
migrate_copy(sqlite3 *handle, const char *dest, GError **error)
{
    auto_fd fd = open(dest, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_set_errno(error, errno, "making '%s'", dest);
    bool ok = copy_into(handle, dest, error);
    if (ok && file_sync(fd) < 0)
        ok = err_set_errno(error, errno, "flushing '%s'", dest);
    if (!ok)
        (void)unlink(dest);
    return ok;
}

static bool
keep_copy(sqlite3 *handle, const Home *home, int version, GError **error)
{
    g_autofree char *tmp = g_strdup_printf("%s/state/.postrider-tmp-before-%d.%d", home->path,
                                           version, (int)getpid());
    g_autofree char *dest =
        g_strdup_printf("%s/state/postrider.db.before-%d", home->path, version);

    (void)unlink(tmp); /* of an earlier process with our pid */
    if (!migrate_copy(handle, tmp, error))
        return false;
    if (rename(tmp, dest) < 0) {
        int errnum = errno;
        (void)unlink(tmp);
        return err_set_errno(error, errnum, "making '%s'", dest);
    }
    CRASH_POINT("migrate-copied");
    return dir_flush(home->state_fd, error);
}

static bool
put_meta(SqlConn *conn, const char *key, const char *value, GError **error)
{
    return sql_conn_run(conn, "INSERT INTO meta (key, value) VALUES (?, ?)", error, "ss", key,
                        value);
}

static char *
role_names(const Config *config)
{
    g_autoptr(GString) names = g_string_new(NULL);

    for (unsigned i = 0; i < config->n_roles; i++)
        g_string_append_printf(names, "%s%s", i ? " " : "", config->roles[i].name);
    return g_string_free(g_steal_pointer(&names), FALSE);
}

/* Writes the rows that a new store begins with. The last migration makes rows of the roles. */
static bool
put_birth(SqlConn *conn, const Home *home, GError **error)
{
    int64_t now = home_now(home);
    Random random = home->random;
    uint64_t id[2];

    random_bytes(&random, id, sizeof id);
    g_autofree char *home_id = g_strdup_printf("%016" PRIx64 "%016" PRIx64, id[0], id[1]);
    g_autofree char *created = g_strdup_printf("%" PRId64, now);
    g_autofree char *roles = role_names(home->config);
    g_autofree char *generation = g_strdup_printf("%" PRId64, now / USEC_PER_MSEC);

    return put_meta(conn, "home-id", home_id, error) &&
           put_meta(conn, "created", created, error) &&
           put_meta(conn, "first-roles", roles, error) &&
           put_meta(conn, "generation", generation, error);
}

static bool
step(SqlConn *conn, const Home *home, const MigrateList *list, int version, GError **error)
{
    g_autofree char *mark =
        g_strdup_printf("PRAGMA user_version = %d; PRAGMA application_id = %d", version + 1,
                        SCHEMA_APPLICATION_ID);

    return sql_exec(conn->handle, list->sql[version], error, "making tables") &&
           sql_exec(conn->handle, mark, error, "making tables") &&
           (version > 0 || put_birth(conn, home, error));
}

static bool
step_once(SqlConn *conn, const Home *home, const MigrateList *list, int version, GError **error)
{
    if (!sql_exec(conn->handle, "BEGIN IMMEDIATE", error, "making tables"))
        return false;
    if (!step(conn, home, list, version, error) ||
        !sql_exec(conn->handle, "COMMIT", error, "making tables")) {
        (void)sqlite3_exec(conn->handle, "ROLLBACK", NULL, NULL, NULL);
        return err_prefix(error, "bringing the store from schema %d to %d", version,
                          version + 1);
    }
    CRASH_POINT("migrate-step");
    return true;
}

bool
migrate_run(SqlConn *conn, const Home *home, const MigrateList *list, GError **error)
{
    int version;

    if (!migrate_version(conn->handle, list->newest, &version, error))
        return false;
    if (version > 0 && version < list->newest && !keep_copy(conn->handle, home, version, error))
        return false;
    for (; version < list->newest; version++)
        if (!step_once(conn, home, list, version, error))
            return false;
    return true;
}
