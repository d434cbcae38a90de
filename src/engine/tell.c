#include "engine/tell.h"
#include "base/banned.h"
#include "base/err.h"
#include "store/messages.h"
#include "store/outbox.h"
#include "store/steps.h"

static char *
since(const Home *home, int64_t then_us)
{
    return clock_format_span(MAX(0, home_now(home) - then_us));
}

char *
tell_job(Db *db, JobId id, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(Job) job = NULL;
    unsigned open;
    g_autoptr(GPtrArray) unsent = NULL;
    OutQuery q = {.job = id};
    if (!job_load(db, &viewer, id, &job, error))
        return NULL;
    if (!job) {
        err_set(error, ERR_NEVER, "there is no job %" G_GINT64_FORMAT, id.v);
        return NULL;
    }
    if (!messages_count_open(db, id, &open, error) ||
        !outbox_list(db, &viewer, &q, &unsent, error))
        return NULL;

    g_autofree char *ago = since(db_home(db), job->updated_us);
    g_autoptr(GString) s = g_string_new(NULL);
    g_string_append_printf(s, "Job %" G_GINT64_FORMAT " (%s) is %s since %s", id.v,
                           job->subject, job_state_words(job->state), ago);
    if (job->why && *job->why)
        g_string_append_printf(s, ": %s", job->why);
    g_string_append_printf(s, ".\nRound %d, %d steps so far", job->round, job->steps);
    if (open)
        g_string_append_printf(s, ", %u mail%s to answer", open, open == 1 ? "" : "s");
    if (unsent->len)
        g_string_append_printf(s, ", %u mail%s not sent yet", unsent->len,
                               unsent->len == 1 ? "" : "s");
    g_string_append(s, ".\n");
    if (job->state == JOB_STOPPED || job->state == JOB_FAILED)
        g_string_append(s, "Reply CONTINUE to go on.\n");
    return g_string_free(g_steal_pointer(&s), FALSE);
}

char *
tell_why(Db *db, JobId id, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(GPtrArray) steps = NULL;
    g_autofree char *status = tell_job(db, id, error);
    if (!status || !steps_list(db, &viewer, id, &steps, error))
        return NULL;
    g_autoptr(GString) s = g_string_new(status);
    if (steps->len == 0)
        g_string_append(s, "\nNo step is finished yet.\n");
    else
        g_string_append(s, "\nWhat it did:\n");
    for (guint i = steps->len > 20 ? steps->len - 20 : 0; i < steps->len; i++) {
        const Step *step = g_ptr_array_index(steps, i);
        g_autofree char *at = clock_format_iso(step->at_us);
        g_string_append_printf(s, "  %d. %s %s%s%s\n", step->n, at, step->did,
                               step->because ? ", because " : "",
                               step->because ? step->because : "");
    }
    return g_string_free(g_steal_pointer(&s), FALSE);
}

/* STATUS without a job: everything of this role that is alive. */
char *
tell_role(Db *db, const char *role, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(GPtrArray) jobs = NULL;
    JobQuery q = {.role = role, .live_only = true};
    if (!jobs_list(db, &viewer, &q, &jobs, error))
        return NULL;
    if (jobs->len == 0)
        return g_strdup("Nothing is going on.\n");
    g_autoptr(GString) s = g_string_new("What is going on:\n\n");
    for (guint i = 0; i < jobs->len; i++) {
        const Job *job = g_ptr_array_index(jobs, i);
        g_autofree char *ago = since(db_home(db), job->updated_us);
        g_string_append_printf(s, "  job %" G_GINT64_FORMAT ": %s, %s since %s\n", job->id.v,
                               job->subject, job_state_words(job->state), ago);
    }
    return g_string_free(g_steal_pointer(&s), FALSE);
}
