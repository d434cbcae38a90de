#include "engine/people/repliers.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"

/* Deliveries that are looked at; the last mail is among the newest. */
#define LOOK_MAX 200

void
repliers_clear(Repliers *a)
{
    g_clear_pointer(&a->to, g_ptr_array_unref);
    g_clear_pointer(&a->msgid, g_free);
}

/* Did the job itself write this, in this round, to somebody else, and has it left or will it?
 */
static bool
counts(const OutRow *row, const Job *job)
{
    return row->round == job->round && row->step > 0 && row->state != OUT_HELD &&
           row->state != OUT_FAILED && g_ascii_strcasecmp(row->from, row->address) != 0;
}

/* The last mail. One to the owner alone is passed over when the same step wrote to others: then
 * it is the report of that. */
static const OutRow *
find_last(const OutRows *rows, const Job *job, const char *owner)
{
    const OutRow *last = NULL;
    LIST_EACH(const OutRow, row, rows) {
        if (!counts(row, job))
            continue;
        if (last && row->step != last->step)
            break;
        if (!last)
            last = row;
        if (g_ascii_strcasecmp(row->address, owner) != 0)
            return row;
    }
    return last;
}

bool
repliers_load(Db *db, const Job *job, Repliers *ret, GError **error)
{
    const OutQuery q = {.job = job->id, .all = true, .limit = LOOK_MAX};
    g_autoptr(OutRows) rows = NULL;
    if (!outbox_list(db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    const OutRow *last = find_last(rows, job, db_home(db)->config->owner);
    *ret = (Repliers){.to = g_ptr_array_new_with_free_func(g_free),
                      .msgid = last ? g_strdup(last->msgid) : NULL,
                      .since_us = last ? last->created_us : job->updated_us};
    LIST_EACH(const OutRow, row, rows)
        if (last && row->id.v == last->id.v && counts(row, job))
            g_ptr_array_insert(ret->to, 0, g_strdup(row->address));
    if (ret->to->len == 0)
        g_ptr_array_add(ret->to, g_strdup(job->asker));
    return true;
}

char *
repliers_names(const Repliers *a)
{
    GString *names = g_string_new(NULL);
    LIST_EACH(const char, to, a->to)
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", to);
    return g_string_free(names, FALSE);
}
