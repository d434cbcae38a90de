#include "store/job/step_rows.h"
#include "base/json.h"
#include "store/mail/messages.h"
#include "store/rows.h"

#define RESULTS_MAX (32u << 20)

GPtrArray *
step_results_parse(const char *results)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(json_t) list = NULL;
    size_t i;
    const json_t *line;

    if (!results || !json_parse(results, strlen(results), RESULTS_MAX, &list, NULL))
        return lines;
    json_array_foreach(list, i, line)
    {
        if (json_is_string(line))
            g_ptr_array_add(lines, g_strdup(json_string_value(line)));
    }
    return lines;
}

char *
step_results_format(const GPtrArray *lines)
{
    g_autoptr(json_t) list = json_array();

    if (lines->len == 0)
        return NULL;
    for (guint i = 0; i < lines->len; i++)
        json_array_append_new(list, json_string(g_ptr_array_index(lines, i)));
    return json_format(list);
}

bool
step_put(Txn *txn, const Step *s, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO step (job, n, round, at_us, took_us, cost_micro, phase, did, "
                   "because, answer, manifest, context, state, results, brain) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   error, "inniiisssbbdbss", s->job.v, s->n, s->round, s->at_us, s->took_us,
                   s->cost_micro, s->phase ? s->phase : "", s->did ? s->did : "", s->because,
                   s->answer, s->manifest, &s->context, s->state, s->results, s->brain);
}

bool
step_last(Db *db, JobId job, Step **ret, GError **error)
{
    return rows_first(db, &step_whole,
                      "FROM step s WHERE s.job = ? ORDER BY s.n DESC, s.id DESC LIMIT 1", ret,
                      error, "i", job.v);
}

bool
steps_mark(Db *db, int64_t *ret, GError **error)
{
    return sql_int(db, "SELECT max(id) FROM step", ret, error, "");
}

#define OF_JOB "FROM step s JOIN job j ON j.id = s.job WHERE s.job = ? AND (? OR j.role = ?) "
#define OLDEST_FIRST "ORDER BY s.n, s.id"

bool
step_upto(Db *db, const Viewer *viewer, JobId job, int n, Step **ret, GError **error)
{
    return rows_first(db, &step_whole,
                      OF_JOB "AND s.n <= ? ORDER BY s.n DESC, s.id DESC LIMIT 1", ret, error,
                      "insn", job.v, viewer->operator, viewer->role, n);
}

bool
steps_list(Db *db, const Viewer *viewer, JobId job, int behind, Steps **ret, GError **error)
{
    return rows_list(db, &step_shape, OF_JOB "AND s.n > ? " OLDEST_FIRST, ret, error, "insn",
                     job.v, viewer->operator, viewer->role, behind);
}

bool
steps_list_whole(Db *db, const Viewer *viewer, JobId job, Steps **ret, GError **error)
{
    return rows_list(db, &step_whole, OF_JOB OLDEST_FIRST, ret, error, "ins", job.v,
                     viewer->operator, viewer->role);
}

bool
step_notes(Db *db, JobId job, int n, Notes **ret, GError **error)
{
    return rows_list(db, &note_shape,
                     "FROM note_version v WHERE v.job = ? AND v.step = ? ORDER BY v.id", ret,
                     error, "in", job.v, n);
}
