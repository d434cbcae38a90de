#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "serve/master.h"
#include "store/job/jobs.h"
#include "store/job/timers.h"
#include "store/mail/server_mail.h"
#include "store/out/outbox_smtp.h"
#include <signal.h>

/* A run that was just started is about to take a job: no second one is started for that job. */
#define YOUNG_US USEC_PER_SEC
/* Of a thousand that start at once most would only wait for each other at the store, some of them too long. Claims
 * wake nobody, so whether there may be more is looked at soon. */
#define COMING_MAX 16
#define MORE_US (20 * USEC_PER_MSEC)

static void
log_child(LogLevel level, const char *msg, const Child *child, const char *next)
{
    g_autofree char *title = part_title(child->part);
    g_autofree char *pid = g_strdup_printf("%d", (int)child->pid);
    g_autofree char *job =
        child->job.v ? g_strdup_printf("%" G_GINT64_FORMAT, child->job.v) : NULL;

    log_event(level, msg, "part", title, "child", pid, "job", job, "why", child->why, "next",
              next, NULL);
}

void
staff_start(Master *m, Part *part)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *title = part_title(part);
    const char *name = m->program(part->verb, m->home->config, part->name);
    g_autofree char *program = name ? proc_helper_path(name, NULL) : NULL;
    Child *child = child_start(part, program ? program : m->self, m->home->path, m->parts_fd,
                               staff_ended, m, &error);

    if (!child) {
        log_event(LOG_WARN, "can't start a part, trying again later", "part", title, "error",
                  error->message, NULL);
        return;
    }
    g_ptr_array_add(m->children, child);
    log_child(LOG_DEBUG, "started", child, NULL);
}

/* An account that went away with a word that only a person can answer (`status` has it) is left
 * alone until the settings are read again, or the word is taken back. */
static bool
is_left_alone(const Master *m, Part *part)
{
    g_autofree char *why = NULL;

    if (!part->refused)
        return false;
    part->refused = remote_trouble(m->db, part->name, &why, NULL) && why;
    return part->refused;
}

static void
fill_accounts(Master *m)
{
    Adopted count = {0};

    LIST_EACH(Part, part, m->accounts)
        if (part->wanted && part->live == 0 && part_may_start(part, m->now_us) &&
            !is_left_alone(m, part) && !adopt_holder(m, part, &count))
            staff_start(m, part);
}

static unsigned
count_about_to_claim(const Master *m)
{
    unsigned n = 0;

    LIST_EACH(const Child, child, m->children)
        n += child->part == m->run && !child->adopted && child->job.v == 0 &&
             m->now_us - child->born_us < YOUNG_US;
    return n;
}

/* What the clock says does not wait until one of the runs, which are all at work, is free. */
static bool
fill_timers(Master *m, GError **error)
{
    unsigned due;

    if (!timers_ready(m->db, m->wall_us, &due, error))
        return false;
    if (due == 0)
        part_rests(m->timers);
    else if (m->timers->live == 0 && part_may_start(m->timers, m->now_us))
        staff_start(m, m->timers);
    return true;
}

static bool
may_start_run(const Master *m)
{
    return m->run->live < (unsigned)m->home->config->workers &&
           part_may_start(m->run, m->now_us);
}

static bool
fill_runs(Master *m, GError **error)
{
    unsigned workers = (unsigned)m->home->config->workers;
    unsigned ready, coming = count_about_to_claim(m);

    if (!jobs_ready(m->db, m->wall_us, &ready, error))
        return false;
    if (ready == 0)
        part_rests(m->run);
    for (; ready > coming && coming < COMING_MAX && may_start_run(m); coming++)
        spare_or_start(m);
    m->more_us = ready > coming && may_start_run(m) ? m->now_us + MORE_US : 0;
    if (m->run->live >= workers && !fill_timers(m, error))
        return false;
    if (m->look_wanted && m->timers->live == 0 && part_may_start(m->timers, m->now_us)) {
        m->look_wanted = false;
        staff_start(m, m->timers);
    }
    /* A run that finds no job settles what others left behind, and ends. */
    if (m->effects_owed && m->run->live == 0 && part_may_start(m->run, m->now_us)) {
        m->effects_owed = false;
        spare_or_start(m);
    }
    return true;
}

static bool
poke_account(const Master *m, const Child *child, GError **error)
{
    const Part *part = child->part;
    const ConfAccount *account =
        part->stays && part->name ? config_account(m->home->config, part->name) : NULL;
    bool work = false;

    if (!account || !config_is_imap(account))
        return true;
    if (!remote_has_work(m->db, account->name, m->wall_us, &work, error))
        return false;
    if (work)
        (void)kill(child->pid, SIGURG); /* ignored by one that is not ready for it yet */
    return true;
}

/* An account that sleeps on its server is told when something is owed there. */
static bool
poke_accounts(const Master *m, GError **error)
{
    for (guint i = 0; i < m->children->len; i++)
        if (!poke_account(m, m->children->pdata[i], error))
            return false;
    return true;
}

/* One that takes all that is due, and ends. */
static void
fill_part(Master *m, Part *part, bool due)
{
    Adopted count = {0};

    if (!due)
        part_rests(part);
    else if (part_may_start(part, m->now_us) && !adopt_holder(m, part, &count))
        staff_start(m, part);
}

static bool
fill_posts(Master *m, GError **error)
{
    g_autoptr(OutRows) due = NULL;
    bool ready = false;

    if (!m->deliver->live) {
        if (!outbox_due(m->db, m->wall_us, true, 1, &due, error))
            return false;
        fill_part(m, m->deliver, due->len > 0);
    }
    if (!m->submit->live) {
        if (!outbox_smtp_ready(m->db, m->wall_us, &ready, error))
            return false;
        fill_part(m, m->submit, ready);
    }
    return true;
}

bool
staff_fill(Master *m, GError **error)
{
    fill_accounts(m);
    if (!fill_runs(m, error) || !fill_posts(m, error) || !poke_accounts(m, error))
        return false;
    spare_fill(m);
    return true;
}

static Part *
find_account(const Master *m, const char *name)
{
    LIST_EACH(Part, part, m->accounts)
        if (g_str_equal(part->name, name))
            return part;
    return NULL;
}

static void
end_accounts(Master *m)
{
    int64_t kill = clock_mono_us() + GRACE_US;

    LIST_EACH(Child, child, m->children)
        if (child->part->stays)
            child_end(child, kill);
}

void
staff_reload(Master *m)
{
    const Config *config = m->home->config;
    Part *const others[] = {m->run, m->timers, m->spare, m->deliver, m->submit, m->index};

    /* What made a part fail may be what was changed. */
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        part_forgive(others[i]);
    for (guint i = 0; i < m->accounts->len; i++)
        ((Part *)m->accounts->pdata[i])->wanted = false;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        const char *name = config->accounts[i].name;
        Part *part = find_account(m, name);
        if (!part) {
            g_autofree char *lock = g_strdup_printf("account-%s.lock", name);
            part = part_new("account", name, lock, true);
            g_ptr_array_add(m->accounts, part);
        }
        part->wanted = true;
        part_forgive(part);
    }
    end_accounts(m);
    spare_reload(m);
}

/* Whoever delivers by hand is not ours to stop, and loses nothing when we go. Where somebody of a
 * killed master lives, it may be that one. */
static bool
is_guest(const Master *m, const Child *child)
{
    return !m->strays && child->adopted && child->part->lock && !child->part->stays;
}

/* One that a killed master had just started was not seen yet when we looked last, or holds the lock that
 * our own child waits for. What is another master's by now is not ours to end. */
static void
find_left(Master *m)
{
    Adopted count = {0};

    if (!lock_holds(m->home->state_fd, MASTER_LOCK, m->lock_fd))
        return;
    for (guint i = 0; i < m->accounts->len; i++)
        (void)adopt_holder(m, m->accounts->pdata[i], &count);
    for (Part **part = (Part *[]){m->deliver, m->submit, m->index, NULL}; m->strays && *part;
         part++)
        (void)adopt_holder(m, *part, &count);
    (void)adopt_owners(m, &count, NULL); /* the store may be what we stop for */
}

void
staff_end(Master *m)
{
    int64_t kill = clock_mono_us() + m->home->config->drain_us + GRACE_US;

    find_left(m);
    for (guint i = m->children->len; i > 0; i--) {
        Child *child = m->children->pdata[i - 1];
        if (is_guest(m, child))
            g_ptr_array_remove_index(m->children, i - 1);
        else
            child_end(child, kill);
    }
}

bool
staff_is_gone(Master *m)
{
    cleanup_fd(&m->parts_fd);
    m->strays = lock_holds(m->home->state_fd, MASTER_LOCK, m->lock_fd) &&
                lock_is_shared(m->home->state_fd, PARTS_LOCK);
    return !m->strays;
}

void
staff_kill(Master *m)
{
    for (guint i = 0; i < m->children->len; i++)
        child_kill(m->children->pdata[i]);
}

/* A run that died with a job in its hands says something about that job, which waits the longer
 * the more often it happens; one that died without any says something about all runs. */
static void
reap_after(Master *m, const Child *child)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;

    if (child->part != m->run || (!child->why && !child->adopted))
        return;
    if (!master_reap(m, &n, &error))
        log_event(LOG_WARN, "can't give jobs back, trying again within a minute", "error",
                  error->message, NULL);
    else if (n > 0)
        part_forgive(m->run);
}

static void
log_end(const Master *m, const Child *child)
{
    int64_t wait = child->part->not_before_us - clock_mono_us();
    g_autofree char *span = wait > 0 ? clock_format_span(wait + USEC_PER_SEC - 1) : NULL;
    g_autofree char *next = span ? g_strdup_printf("starting again in %s", span) : NULL;

    if (child->part->refused && is_left_alone(m, child->part))
        log_child(LOG_WARN, "ended, and should not have", child,
                  "it stays down until SIGHUP; 'postrider status' says why");
    else if (!child->failed)
        log_child(LOG_DEBUG, "ended", child, NULL);
    else if (!next && child->part == m->run)
        log_child(LOG_WARN, "died at work", child, "its job goes on");
    else
        log_child(LOG_WARN, "ended, and should not have", child, next);
}

void
staff_ended(Child *child, void *data)
{
    Master *m = data;
    guint i;

    if (g_ptr_array_find(m->children, child, &i))
        (void)g_ptr_array_steal_index_fast(m->children, i);
    reap_after(m, child);
    log_end(m, child);
    child_free(child);
    master_child_ended(m);
}

static void
end_overdue(Child *child, int64_t now_us)
{
    if (!child->job.v || child->kill_us || now_us < child->overdue_us)
        return;
    log_child(LOG_WARN, "run is past its deadline", child, "ending it, its job goes on later");
    child_end(child, now_us + GRACE_US);
}

void
staff_patience(Master *m)
{
    for (guint i = 0; i < m->children->len; i++) {
        end_overdue(m->children->pdata[i], m->now_us);
        child_kill_if_due(m->children->pdata[i], m->now_us);
    }
}

static int64_t
earlier(const Master *m, int64_t a, int64_t b)
{
    return b > m->now_us && b < a ? b : a;
}

int64_t
staff_next_us(const Master *m)
{
    int64_t next = earlier(m, USEC_NEVER, m->run->not_before_us);

    next = earlier(m, next, m->more_us);
    next = earlier(m, next, m->timers->not_before_us);
    next = earlier(m, next, m->spare->not_before_us);
    next = earlier(m, next, m->deliver->not_before_us);
    next = earlier(m, next, m->submit->not_before_us);
    for (guint i = 0; i < m->accounts->len; i++)
        next = earlier(m, next, ((const Part *)m->accounts->pdata[i])->not_before_us);
    LIST_EACH(const Child, child, m->children) {
        next = earlier(m, next, child->kill_us);
        if (child->job.v && !child->kill_us)
            next = earlier(m, next, child->overdue_us);
    }
    return next;
}
