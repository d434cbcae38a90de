#include "store/job/views.h"
#include "store/rows.h"

static const Field fields[] = {
    {NULL, "subject", FIELD_TEXT, offsetof(View, subject)},
    {NULL, "face", FIELD_TEXT, offsetof(View, face)},
    {NULL, "changed", FIELD_INT, offsetof(View, changed)},
    {NULL, "digest", FIELD_TEXT, offsetof(View, digests)},
};
const Shape view_shape = {SHAPE("view", View, views, fields)};

bool
view_raise(Txn *txn, const char *face, const char *subject, JobId job, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO view (subject, face, job, changed, rendered, digest) "
                   "VALUES (?, ?, ?, 1, 0, '') ON CONFLICT (subject) DO UPDATE SET "
                   "face = excluded.face, job = excluded.job, changed = view.changed + 1",
                   error, "ssi", subject, face, job.v);
}

bool
views_raise_job(Txn *txn, JobId job, GError **error)
{
    return sql_run(txn, "UPDATE view SET changed = changed + 1 WHERE job = ? AND job <> 0",
                   error, "i", job.v);
}

bool
views_list(Db *db, bool all, Views **ret, GError **error)
{
    return rows_list(db, &view_shape,
                     all ? "FROM view ORDER BY subject"
                         : "FROM view WHERE changed <> rendered ORDER BY subject",
                     ret, error, "");
}

bool
view_find(Db *db, const char *subject, View **ret, GError **error)
{
    return rows_first(db, &view_shape, "FROM view WHERE subject = ?", ret, error, "s", subject);
}

bool
view_forget(Txn *txn, const char *subject, GError **error)
{
    return sql_run(txn, "UPDATE view SET digest = ' ' || digest WHERE subject = ?", error, "s",
                   subject);
}

bool
view_begin(Txn *txn, const View *v, const char *digest, GError **error)
{
    g_autofree char *both = g_strdup_printf("%s %s", v->digests, digest);

    return sql_run(txn, "UPDATE view SET digest = ? WHERE subject = ?", error, "ss", both,
                   v->subject);
}

bool
view_rendered(Txn *txn, const View *v, const char *digest, GError **error)
{
    /* The view of a job comes up again with the job's next claim. */
    if (!digest)
        return sql_run(txn, "DELETE FROM view WHERE subject = ? AND changed = ? AND job = 0",
                       error, "si", v->subject, v->changed) &&
               sql_run(txn, "UPDATE view SET rendered = ?, digest = '' WHERE subject = ?", error,
                       "is", v->changed, v->subject);
    return sql_run(txn, "UPDATE view SET rendered = ?, digest = ? WHERE subject = ?", error,
                   "iss", v->changed, digest, v->subject);
}
