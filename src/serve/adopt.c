/*
 * Runs and accounts outlive the master that started them: each is in a group of its own. So a
 * master looks who lives before it starts anybody. Who owns a job stands in the store, with pid
 * and start time; who holds a lock stands in the lock's file, and the kernel says whether it is
 * held.
 */
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "serve/master.h"
#include "store/job/jobs.h"

static Child *
find_child(const Master *m, pid_t pid)
{
    LIST_EACH(Child, child, m->children)
        if (child->pid == pid)
            return child;
    return NULL;
}

static void
note_adopted(Master *m, Child *child)
{
    g_autofree char *title = part_title(child->part);
    g_autofree char *pid = g_strdup_printf("%d", (int)child->pid);

    g_ptr_array_add(m->children, child);
    log_event(LOG_DEBUG, "watching what lives already", "part", title, "child", pid, NULL);
}

/* The span is taken when a deadline is first seen, and counted by a clock that does not jump:
 * setting the wall clock kills nobody. */
static void
note_claim(const Master *m, Child *child, const Job *job)
{
    bool same = child->job.v == job->id.v && child->deadline_us == job->deadline_us;

    if (same)
        return;
    child->job = job->id;
    child->deadline_us = job->deadline_us;
    child->overdue_us = USEC_NEVER;
    if (job->deadline_us != USEC_NEVER)
        child->overdue_us = m->now_us + job->deadline_us - m->wall_us;
}

static bool
owns_one_of(const Child *child, const Jobs *jobs)
{
    LIST_EACH(const Job, job, jobs)
        if (job->owner.pid == child->pid)
            return true;
    return false;
}

bool
adopt_owners(Master *m, Adopted *count, GError **error)
{
    g_autoptr(Jobs) jobs = NULL;

    if (!jobs_running(m->db, &jobs, error))
        return false;
    LIST_EACH(Child, child, m->children) {
        if (child->job.v && !owns_one_of(child, jobs))
            child->job = (JobId){0};
    }
    LIST_EACH(const Job, job, jobs) {
        Child *child = find_child(m, job->owner.pid);
        if (!child && (child = child_adopt(m->run, &job->owner, staff_ended, m))) {
            note_adopted(m, child);
            count->runs++;
        }
        if (child)
            note_claim(m, child, job);
    }
    return true;
}

/* The pid in the file may be that of somebody who is long gone, and be given out again since:
 * only a lock that can't be had is held. */
bool
adopt_holder(Master *m, Part *part, Adopted *count)
{
    ProcIdent ident;
    pid_t pid = part->lock ? lock_holder(m->home->state_fd, part->lock) : 0;

    if (pid == 0 || pid == getpid() || !proc_ident_of(pid, &ident) ||
        !lock_is_held(m->home->state_fd, part->lock))
        return false;
    if (find_child(m, pid))
        return true;
    Child *child = child_adopt(part, &ident, staff_ended, m);
    if (!child)
        return false;
    note_adopted(m, child);
    count->accounts += part->stays;
    return true;
}
