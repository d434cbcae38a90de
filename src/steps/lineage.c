#include "steps/lineage.h"
#include "base/banned.h"
#include "store/forks.h"

/* More than anybody forks a fork of a fork; a circle can't be, but a store may be damaged. */
#define DEPTH_MAX 64

/* The jobs that this one comes from, nearest first, and until when. Elements are ForkPoint. */
static bool
find_ancestors(Db *db, JobId job, GArray **ret, GError **error)
{
    g_autoptr(GArray) ancestors = g_array_new(FALSE, FALSE, sizeof(ForkPoint));
    ForkPoint from = {.job = job};
    while (ancestors->len < DEPTH_MAX) {
        if (!fork_of(db, from.job, &from, error))
            return false;
        if (from.job.v == 0)
            break;
        g_array_append_val(ancestors, from);
    }
    *ret = g_steal_pointer(&ancestors);
    return true;
}

/* Mail that an ancestor took in until then, and that was its work. */
static bool
add_in(Db *db,
       const Viewer *viewer,
       const MsgQuery *q,
       const ForkPoint *from,
       GPtrArray *all,
       GError **error)
{
    g_autoptr(GPtrArray) rows = NULL;
    MsgQuery theirs = *q;
    theirs.job = from->job;
    theirs.state = NULL;
    if (!messages_list(db, viewer, &theirs, &rows, error))
        return false;
    while (rows->len > 0) {
        MsgRow *row = g_ptr_array_steal_index(rows, rows->len - 1);
        bool work =
            row->class == MSG_TASK || row->class == MSG_REPLY || row->class == MSG_EVENT;
        if (work && row->received_us <= from->at_us)
            g_ptr_array_add(all, row);
        else
            msg_row_free(row);
    }
    return true;
}

bool
lineage_mail_in(
    Db *db, const Viewer *viewer, const MsgQuery *q, GPtrArray **ret, GError **error)
{
    g_autoptr(GArray) ancestors = NULL;
    g_autoptr(GPtrArray) all = NULL;
    if (!find_ancestors(db, q->job, &ancestors, error) ||
        !messages_list(db, viewer, q, &all, error))
        return false;
    for (guint i = 0; i < ancestors->len; i++) {
        const ForkPoint *from = &g_array_index(ancestors, ForkPoint, i);
        if (!add_in(db, viewer, q, from, all, error))
            return false;
    }
    *ret = g_steal_pointer(&all);
    return true;
}

static bool
add_out(Db *db,
        const Viewer *viewer,
        const OutQuery *q,
        const ForkPoint *from,
        GPtrArray *all,
        GError **error)
{
    g_autoptr(GPtrArray) rows = NULL;
    OutQuery theirs = *q;
    theirs.job = from->job;
    if (!outbox_list(db, viewer, &theirs, &rows, error))
        return false;
    while (rows->len > 0) {
        OutRow *row = g_ptr_array_steal_index(rows, rows->len - 1);
        if (row->created_us <= from->at_us)
            g_ptr_array_add(all, row);
        else
            out_row_free(row);
    }
    return true;
}

bool
lineage_mail_out(
    Db *db, const Viewer *viewer, const OutQuery *q, GPtrArray **ret, GError **error)
{
    g_autoptr(GArray) ancestors = NULL;
    g_autoptr(GPtrArray) all = NULL;
    if (!find_ancestors(db, q->job, &ancestors, error) ||
        !outbox_list(db, viewer, q, &all, error))
        return false;
    for (guint i = 0; i < ancestors->len; i++) {
        const ForkPoint *from = &g_array_index(ancestors, ForkPoint, i);
        if (!add_out(db, viewer, q, from, all, error))
            return false;
    }
    *ret = g_steal_pointer(&all);
    return true;
}
