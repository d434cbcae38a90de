#include "engine/context/lineage.h"
#include "store/job/forks.h"

/* A list that is being made. The query decides which mail of an ancestor belongs to the
 * list. */
typedef struct Search {
    Db *db;
    const Viewer *viewer;
    const void *query; /* MsgQuery or OutQuery */
    GPtrArray *all;
} Search;

/* Adds what an ancestor has from before the fork. */
typedef bool AddUntil(const Search *s, const ForkPoint *from, GError **error);

/* From the jobs that this one comes from, nearest first. */
static bool
add_ancestors(const Search *s, JobId job, AddUntil *add, GError **error)
{
    ForkPoint from = {.job = job};
    for (unsigned i = 0; i < FORK_DEPTH_MAX; i++) {
        if (!fork_of(s->db, from.job, &from, error))
            return false;
        if (from.job.v == 0)
            return true;
        if (!add(s, &from, error))
            return false;
    }
    return true;
}

/* Mail that was work, whatever became of it. */
static bool
add_in(const Search *s, const ForkPoint *from, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    MsgQuery theirs = *(const MsgQuery *)s->query;
    theirs.job = from->job;
    theirs.state = NULL;
    if (!messages_list(s->db, s->viewer, &theirs, &rows, error))
        return false;
    while (rows->len > 0) {
        g_autoptr(MsgRow) row = g_ptr_array_steal_index(LIST_ARRAY(rows), rows->len - 1);
        bool work =
            row->class == MSG_TASK || row->class == MSG_REPLY || row->class == MSG_EVENT;
        if (work && row->received_us <= from->at_us)
            g_ptr_array_add(s->all, g_steal_pointer(&row));
    }
    return true;
}

bool
lineage_mail_in(Db *db, const Viewer *viewer, const MsgQuery *q, MsgRows **ret, GError **error)
{
    g_autoptr(MsgRows) all = NULL;
    if (!messages_list(db, viewer, q, &all, error))
        return false;
    const Search s = {.db = db, .viewer = viewer, .query = q, .all = LIST_ARRAY(all)};
    if (!add_ancestors(&s, q->job, add_in, error))
        return false;
    *ret = g_steal_pointer(&all);
    return true;
}

static bool
add_out(const Search *s, const ForkPoint *from, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    OutQuery theirs = *(const OutQuery *)s->query;
    theirs.job = from->job;
    if (!outbox_list(s->db, s->viewer, &theirs, &rows, error))
        return false;
    while (rows->len > 0) {
        g_autoptr(OutRow) row = g_ptr_array_steal_index(LIST_ARRAY(rows), rows->len - 1);
        if (row->created_us <= from->at_us)
            g_ptr_array_add(s->all, g_steal_pointer(&row));
    }
    return true;
}

bool
lineage_mail_out(Db *db, const Viewer *viewer, const OutQuery *q, OutRows **ret, GError **error)
{
    g_autoptr(OutRows) all = NULL;
    if (!outbox_list(db, viewer, q, &all, error))
        return false;
    const Search s = {.db = db, .viewer = viewer, .query = q, .all = LIST_ARRAY(all)};
    if (!add_ancestors(&s, q->job, add_out, error))
        return false;
    *ret = g_steal_pointer(&all);
    return true;
}
