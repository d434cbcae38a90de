#include "store/job/step_rows.h"
#include "base/banned.h"
#include "base/json.h"
#include "store/mail/messages.h"
#include "store/sql.h"

#define RESULTS_MAX (32u << 20)

void
step_free(Step *s)
{
    if (!s)
        return;
    g_free(s->phase);
    g_free(s->brain);
    g_free(s->did);
    g_free(s->because);
    g_clear_pointer(&s->answer, g_bytes_unref);
    g_clear_pointer(&s->manifest, g_bytes_unref);
    g_clear_pointer(&s->state, g_bytes_unref);
    g_free(s->results);
    g_free(s);
}

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
                   NULL, error, "iiiiiisssbbdbss", s->job.v, (int64_t)s->n, (int64_t)s->round,
                   s->at_us, s->took_us, s->cost_micro, s->phase ? s->phase : "",
                   s->did ? s->did : "", s->because, s->answer, s->manifest, &s->context,
                   s->state, s->results, s->brain);
}

static Step *
read_step(SqlStmt *st)
{
    Step *s = g_new0(Step, 1);

    s->job.v = sql_col_int(st, 0);
    s->n = (int)sql_col_int(st, 1);
    s->round = (int)sql_col_int(st, 2);
    s->at_us = sql_col_int(st, 3);
    s->took_us = sql_col_int(st, 4);
    s->cost_micro = sql_col_int(st, 5);
    s->phase = sql_text(st, 6);
    s->did = sql_text(st, 7);
    s->because = sql_text_null(st, 8);
    s->answer = sql_bytes(st, 9);
    s->manifest = sql_bytes(st, 10);
    sql_digest(st, 11, &s->context);
    s->state = sql_bytes(st, 12);
    s->results = sql_text_null(st, 13);
    s->brain = sql_text_null(st, 14);
    return s;
}

#define COLUMNS                                                                                \
    "s.job, s.n, s.round, s.at_us, s.took_us, s.cost_micro, s.phase, s.did, s.because, "       \
    "s.answer, s.manifest, s.context, s.state, s.results, s.brain "

bool
step_last(Db *db, JobId job, Step **ret, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT " COLUMNS
                          "FROM step s WHERE s.job = ? ORDER BY s.n DESC, s.id DESC LIMIT 1",
                          error);

    if (!st)
        return false;
    sql_bind(st, "i", job.v);
    int rc = sql_next(st, error);
    if (rc < 0)
        return false;
    *ret = rc == 1 ? read_step(st) : NULL;
    sql_reset(st);
    return true;
}

bool
steps_mark(Db *db, int64_t *ret, GError **error)
{
    return sql_int(db, "SELECT max(id) FROM step", 0, ret, error, "");
}

bool
steps_list(Db *db, const Viewer *viewer, JobId job, Steps **ret, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT " COLUMNS "FROM step s "
                          "JOIN job j ON j.id = s.job "
                          "WHERE s.job = ? AND (? OR j.role = ?) ORDER BY s.n, s.id",
                          error);
    g_autoptr(Steps) steps = steps_new();
    int rc = 0;

    if (!st)
        return false;
    sql_bind(st, "iis", job.v, (int64_t)viewer->operator, viewer->role);
    while ((rc = sql_next(st, error)) == 1)
        steps_add(steps, read_step(st));
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&steps);
    return true;
}

static void
free_note(gpointer data)
{
    StepNote *n = data;

    g_free(n->key);
    g_free(n);
}

bool
step_notes(Db *db, JobId job, int n, GPtrArray **ret, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT key, version, body IS NULL FROM note_version "
                          "WHERE job = ? AND step = ? ORDER BY id",
                          error);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(free_note);
    int rc = 0;

    if (!st)
        return false;
    sql_bind(st, "ii", job.v, (int64_t)n);
    while ((rc = sql_next(st, error)) == 1) {
        StepNote *note = g_new0(StepNote, 1);
        note->key = sql_text(st, 0);
        note->version = sql_col_int(st, 1);
        note->deleted = sql_col_int(st, 2) != 0;
        g_ptr_array_add(notes, note);
    }
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&notes);
    return true;
}
