#pragma once

/*
 * A store in a home of its own, with a clock that stands still; a fixture for g_test_add(). The
 * short calls wrap what nearly every test does and fail the test where that fails.
 */
#include "store/job/jobs.h"
#include "store/mail/messages.h"
#include "store/sql.h"
#include "testhome.h"
#include <unistd.h>

typedef struct TempStore {
    Home *home;
    Db *db;
} TempStore;

static inline void
temp_store_open(TempStore *s, gconstpointer data)
{
    (void)data;
    s->home = test_home_new();
    s->db = test_db_open(s->home, DB_WRITE);
}

static inline void
temp_store_close(TempStore *s, gconstpointer data)
{
    (void)data;
    db_close(s->db);
    test_home_free(s->home);
}

static inline int64_t
temp_now(const TempStore *s)
{
    return home_now(s->home);
}

static inline void
temp_pass(TempStore *s, int64_t us)
{
    s->home->clock.fixed_wall_us += us;
}

static inline JobId
temp_job(TempStore *s, const char *role)
{
    const JobNew in = {.role = role,
                       .face = "steps",
                       .subject = "Budget",
                       .asker = "ann@example.org",
                       .original_msgid = "first@example.org",
                       .thread = {1},
                       .original = {1}};
    g_autoptr(GError) error = NULL;
    JobId id = {0};
    g_auto(Txn) txn = test_begin(s->db);

    job_create(&txn, &in, &id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}

static inline Job *
temp_load(TempStore *s, JobId id)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(GError) error = NULL;
    Job *job = NULL;

    job_load(s->db, &all, id, &job, &error);
    g_assert_no_error(error);
    g_assert_nonnull(job);
    return job;
}

/* Claims it; false when it is not ready. */
static inline bool
temp_claim(TempStore *s, JobId want, JobClaim *ret)
{
    g_autoptr(GError) error = NULL;
    bool got = false;
    g_auto(Txn) txn = test_begin(s->db);

    job_claim(&txn, want, TEST_NOW, JOB_NO_MARK, ret, &got, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return got;
}

/* A row of `message` that belongs to the job, without any mail behind it. */
static inline MsgId
temp_message(Txn *txn, JobId job, const char *state)
{
    g_autoptr(GError) error = NULL;
    const Digest none = {0};
    int64_t id = 0;

    sql_int(txn->db, "SELECT coalesce(max(id), 0) + 1 FROM message", &id, &error, "");
    g_assert_no_error(error);
    g_autofree char *msgid = g_strdup_printf("m%d@example.org", (int)id);
    sql_run(
        txn,
        "INSERT INTO message (id, role, account, folder, file, msgid, from_spec, to_specs, "
        "subject, date_us, received_us, size, flags, body, thread, job, round, class, trust, "
        "state) VALUES (?, 'envoy', 'main', '', ?, ?, 'bob@example.org', '', 's', 0, 0, 1, "
        "0, ?, 1, ?, 1, 'task', 'principal', ?)",
        &error, "issdis", id, msgid, msgid, &none, job.v, state);
    g_assert_no_error(error);
    return (MsgId){id};
}

/* One number out of the store. */
static inline int64_t
temp_int(TempStore *s, const char *sql, int64_t id)
{
    g_autoptr(GError) error = NULL;
    int64_t n = 0;

    sql_int(s->db, sql, &n, &error, "i", id);
    g_assert_no_error(error);
    return n;
}
