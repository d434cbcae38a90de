#include "store/job/trees.h"
#include "store/sql.h"

/* In the order of TreeState. */
static const char *const states[] = {"begun", "made", "over"};

void
tree_row_free(TreeRow *r)
{
    if (!r)
        return;
    free_all(r->repo, r->prefix, r->branch, r->base, r->told);
    g_free(r);
}

static TreeState
parse_state(const char *word)
{
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++) {
        if (g_strcmp0(word, states[i]) == 0)
            return (TreeState)i;
    }
    return TREE_OVER; /* made anew */
}

bool
tree_find(Db *db, JobId job, TreeRow **ret, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT repo, prefix, branch, base, told, ours, state FROM tree "
                          "WHERE job = ?",
                          error);
    int rc;

    *ret = NULL;
    if (!st)
        return false;
    sql_bind(st, "i", job.v);
    while ((rc = sql_next(st, error)) == 1) {
        *ret = g_new0(TreeRow, 1);
        **ret = (TreeRow){.repo = sql_text(st, 0),
                          .prefix = sql_text(st, 1),
                          .branch = sql_text(st, 2),
                          .base = sql_text(st, 3),
                          .told = sql_text_null(st, 4),
                          .ours = sql_col_int(st, 5) != 0,
                          .state = parse_state(sql_col_text(st, 6))};
    }
    if (rc == 0)
        return true;
    g_clear_pointer(ret, tree_row_free);
    return false;
}

bool
tree_save(Txn *txn, JobId job, const TreeRow *r, GError **error)
{
    return sql_run(
        txn,
        "INSERT INTO tree (job, host, repo, prefix, branch, base, told, ours, state) "
        "VALUES (?, '', ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job) DO UPDATE SET "
        "repo = excluded.repo, prefix = excluded.prefix, branch = excluded.branch, "
        "base = excluded.base, told = excluded.told, ours = excluded.ours, "
        "state = excluded.state",
        error, "isssssns", job.v, r->repo, r->prefix, r->branch, r->base, r->told, r->ours,
        states[r->state]);
}

bool
tree_set_told(Txn *txn, JobId job, const char *commit, GError **error)
{
    return sql_run(txn, "UPDATE tree SET told = ? WHERE job = ?", error, "si", commit, job.v);
}

bool
tree_set_over(Txn *txn, JobId job, GError **error)
{
    return sql_run(txn, "UPDATE tree SET state = 'over' WHERE job = ?", error, "i", job.v);
}
