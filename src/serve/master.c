/*
 * The loop. Whatever wakes us (a hint, a child's end, a clock), we do the same: look at the
 * store, start what has work, set the clocks. So a hint that is lost costs time and nothing
 * else, and one look answers any number of hints.
 */
#include "serve/master.h"
#include "base/clock.h"
#include "base/living.h"
#include "base/lock.h"
#include "base/log.h"
#include "serve/notify.h"
#include "serve/serve.h"
#include "serve/wake.h"
#include "store/age.h"
#include "store/due.h"
#include "store/job/jobs.h"
#include "store/job/pauses.h"
#include "store/job/seats.h"
#include "store/job/views.h"
#include "store/mail/mailboxes.h"
#include "store/out/effects.h"
#include "store/out/outbox_smtp.h"
#include "store/tables.h"
#include <glib-unix.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#define SWEEP_EVERY_US (60 * USEC_PER_SEC)
#define GATE_WAIT_MS 2000
/* Whoever only asks whether there is a master holds the lock for a moment. */
#define LOCK_WAIT_MS 200
#define STUCK_FIRST_US USEC_PER_SEC
/* What a killed master has started is known soon: by its lock, by its job, or by its end. */
#define STRAYS_US (10 * USEC_PER_SEC)
#define STRAYS_EVERY_MS 20
/* A file that a person writes is read once it has been left alone for so long. */
#define SETTLE_US (USEC_PER_SEC / 2)

static void
quit(Master *m)
{
    m->over = true;
    g_main_loop_quit(m->loop);
}

static gboolean look_for_strays(gpointer data);

/* Whoever took a lock or a job while the others ended is ended, too, and whoever is about to is
 * waited for: a clean stop leaves nobody. */
static void
quit_when_alone(Master *m)
{
    if (!m->stopping || m->over || m->children->len > 0)
        return;
    staff_end(m);
    if (m->children->len > 0)
        return;
    if (staff_is_gone(m)) {
        quit(m);
    } else if (clock_mono_us() < m->strays_us) {
        (void)g_timeout_add(STRAYS_EVERY_MS, look_for_strays, m);
    } else {
        log_say(LOG_WARN, "somebody whom a killed master had started does not end; it is left");
        quit(m);
    }
}

static gboolean
look_for_strays(gpointer data)
{
    quit_when_alone(data);
    return G_SOURCE_REMOVE;
}

static void
stop(Master *m, int status)
{
    if (m->stopping)
        return;
    m->stopping = true;
    m->strays_us = clock_mono_us() + m->home->config->drain_us + STRAYS_US;
    m->status = status;
    notify_send(m->notify, "STOPPING=1");
    staff_end(m);
    quit_when_alone(m);
}

/* Damage does not pass by waiting, nor does a store that is not there any more. */
static void
survive(Master *m, const GError *error)
{
    if (err_is(error, ERR_DAMAGE) || err_is(error, ERR_CONFIG)) {
        log_event(LOG_ERROR, "can't go on, stopping", "home", m->home->path, "error",
                  error->message, NULL);
        stop(m, err_exit_status(error));
    } else {
        log_event(LOG_WARN, "can't read the store, trying again within a minute", "error",
                  error->message, NULL);
    }
}

static bool
note_effects(Master *m, GError **error)
{
    unsigned n = 0;

    g_autoptr(Views) views = NULL;

    if (!effects_count(m->db, false, &n, error) || !views_list(m->db, false, &views, error))
        return false;
    m->effects_owed = n > 0 || views->len > 0;
    return true;
}

bool
master_reap(Master *m, unsigned *ret_n, GError **error)
{
    g_auto(Txn) txn = {.db = m->db, .flush = TXN_DURABLE, .wait_ms = GATE_WAIT_MS};

    while (txn_again(&txn, error))
        txn.ok = job_reap(&txn, ret_n, error);
    return txn.done && note_effects(m, error);
}

/* What is due and stays due is something that nobody here can take (or that somebody is about
 * to): we look again soon, then less and less often. */
static void
note_stuck(Master *m, int64_t deadline)
{
    if (deadline != m->stuck_us)
        m->stuck_delay_us = STUCK_FIRST_US;
    else if (m->now_us >= m->stuck_look_us)
        m->stuck_delay_us = MIN(m->stuck_delay_us * 2, SWEEP_EVERY_US);
    else
        return;
    m->stuck_us = deadline;
    m->stuck_look_us = m->now_us + m->stuck_delay_us;
}

static bool
set_clocks(Master *m, GError **error)
{
    int64_t next = MIN(m->sweep_us, staff_next_us(m)), deadline = USEC_NEVER;

    next = MIN(next, m->settings_us);

    if (!m->stopping && !db_next_deadline(m->db, &deadline, error))
        return false;
    if (deadline <= m->wall_us) {
        note_stuck(m, deadline);
        next = MIN(next, m->stuck_look_us);
        deadline = USEC_NEVER;
    }
    alarm_set_mono(&m->alarm, next);
    alarm_set_wall(&m->alarm, deadline == USEC_NEVER ? USEC_NEVER : deadline - m->wall_us);
    return true;
}

static void
note_moment(Master *m)
{
    m->now_us = clock_mono_us();
    m->wall_us = home_now(m->home);
}

/* A folder that was deleted, restored or mounted over: what we do there nobody would see. A
 * lock whose name leads elsewhere keeps no second master away. */
static bool
check_in_place(const Master *m, GError **error)
{
    g_autofree char *path = g_build_filename(m->home->path, "state", NULL);
    struct stat ours, named;

    if (fstat(m->home->state_fd, &ours) < 0 || stat(path, &named) < 0 ||
        ours.st_dev != named.st_dev || ours.st_ino != named.st_ino)
        return err_set(error, ERR_DAMAGE, "'%s' was moved away under a running master", path);
    if (!lock_holds(m->home->state_fd, MASTER_LOCK, m->lock_fd))
        return err_set(error, ERR_DAMAGE, "'%s/" MASTER_LOCK "' was replaced under its holder",
                       path);
    return living_holds(m->home, m->start, error);
}

/* Said by the master alone: of its parts each would say it again. */
static void
open_log(const Home *home)
{
    g_autofree char *file = home_log_file(home);

    if (!home_log(home, "serve", false))
        log_event(LOG_WARN, "the log can't be written, and goes to stderr alone", "file", file,
                  "error", g_strerror(errno), NULL);
}

static void
log_warnings(const Home *home)
{
    for (const char *const *line = home->config->warnings; *line; line++)
        log_say(LOG_WARN, "%s", *line);
}

/* The folders of faces, at a start and with new settings: then they are looked at, too. */
static bool
watch_folders(Master *m, GError **error)
{
    g_autoptr(GPtrArray) paths = NULL;

    if (!watches_list(m->db, &paths, error))
        return false;
    for (guint i = 0; m->edits_fd >= 0 && i < paths->len; i++)
        wake_watch(m->edits_fd, m->home, paths->pdata[i]);
    m->look_wanted |= paths->len > 0;
    return true;
}

static void
read_settings(Master *m)
{
    g_autoptr(GError) error = NULL;

    m->settings_us = USEC_NEVER;
    if (!home_reload(m->home, &error)) {
        log_event(LOG_ERROR, "the new settings are refused, the old ones stay", "error",
                  error->message, NULL);
        return;
    }
    open_log(m->home);
    log_event(LOG_INFO, "settings read again", "home", m->home->path, NULL);
    log_warnings(m->home);
    if (!brains_recheck(m->db, &error) || !seats_refresh(m->db, &error) ||
        !outbox_resume_all(m->db, &error) || !mailboxes_begin(m->db, false, &error) ||
        !watch_folders(m, &error))
        survive(m, error);
    staff_reload(m);
}

/* Everybody else reads the settings when they start. A role that a person wrote into them would
 * be known to whoever mails it, but not to the account that takes its mail in, until somebody
 * remembers SIGHUP. */
static void
look_at_settings(Master *m)
{
    uint64_t mark = home_mark_settings(m->home);

    if (m->stopping || mark == 0 || mark == m->home->settings_mark) {
        m->settings_us = USEC_NEVER;
    } else if (mark != m->settings_seen || m->settings_us == USEC_NEVER) {
        m->settings_seen = mark;
        m->settings_us = m->now_us + SETTLE_US;
    } else if (m->now_us >= m->settings_us) {
        read_settings(m);
    }
}

static void
look(Master *m)
{
    g_autoptr(GError) error = NULL;
    Adopted count = {0};

    note_moment(m);
    look_at_settings(m);
    if (!m->stopping && (!check_in_place(m, &error) || !adopt_owners(m, &count, &error) ||
                         !staff_fill(m, &error)))
        survive(m, error);
    g_clear_error(&error);
    staff_patience(m);
    if (!set_clocks(m, &error))
        alarm_set_mono(&m->alarm, m->sweep_us);
}

void
master_child_ended(Master *m)
{
    quit_when_alone(m);
    look(m);
}

/* Once a minute: what no hint told us. */
static void
sweep(Master *m)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;

    m->sweep_us = clock_mono_us() + SWEEP_EVERY_US;
    notify_send(m->notify, "WATCHDOG=1");
    if (m->stopping)
        return;
    due_look(m->db);
    if (!master_reap(m, &n, &error)) {
        survive(m, error);
        return;
    }
    if (n > 0)
        log_say(LOG_WARN, "%u jobs had lost their owner; they go on", n);
    if (m->index_wanted && m->index->live == 0 && part_may_start(m->index, clock_mono_us())) {
        m->index_wanted = false;
        staff_start(m, m->index);
    }
}

static gboolean
on_mono(gint fd, GIOCondition condition, gpointer data)
{
    Master *m = data;

    alarm_drain(fd);
    if (clock_mono_us() >= m->sweep_us)
        sweep(m);
    look(m);
    return G_SOURCE_CONTINUE;
}

static gboolean
on_wall(gint fd, GIOCondition condition, gpointer data)
{
    alarm_drain(fd);
    look(data);
    return G_SOURCE_CONTINUE;
}

static gboolean
on_hint(gint fd, GIOCondition condition, gpointer data)
{
    Master *m = data;

    if (wake_drain(fd)) {
        m->index_wanted = true;
        look(m);
    }
    return G_SOURCE_CONTINUE;
}

static gboolean
on_edit(gint fd, GIOCondition condition, gpointer data)
{
    Master *m = data;

    m->look_wanted |= wake_drain_edits(fd, m->edits_home);
    look(m);
    return G_SOURCE_CONTINUE;
}

static void
reload(Master *m)
{
    if (m->stopping)
        return;
    read_settings(m);
    look(m);
}

static void
ask_to_stop(Master *m)
{
    unsigned n = m->children->len - m->spare->live;

    if (!m->stopping) {
        stop(m, EXIT_SUCCESS);
        log_say(LOG_INFO, "stopping: %u at work", n); /* all of whom have been asked to end */
        look(m);
        return;
    }
    log_say(LOG_WARN, "stopping at once: %u at work are killed", n);
    staff_kill(m);
    quit(m);
}

static gboolean
on_signal(gint fd, GIOCondition condition, gpointer data)
{
    struct signalfd_siginfo info;

    while (read(fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGHUP)
            reload(data);
        else
            ask_to_stop(data);
    }
    return G_SOURCE_CONTINUE;
}

static bool
open_signals(Master *m, GError **error)
{
    static const int ours[] = {SIGTERM, SIGINT, SIGHUP};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < G_N_ELEMENTS(ours); i++) {
        sigaddset(&set, ours[i]);
        (void)signal(ours[i], SIG_DFL); /* a shell's & and nohup leave some ignored */
    }
    sigprocmask(SIG_BLOCK, &set, NULL);
    m->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return m->signal_fd >= 0 || err_set_errno(error, errno, "watching for signals");
}

/* Each run that we watch takes a descriptor, and a soft limit of 1,024 is usual. */
static void
raise_open_files(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* The lock first: whoever holds it is the one who may touch the rest. But who is seen to hold it
 * may be sent a SIGHUP. */
static bool
master_open(Master *m, bool *ret_unclean, GError **error)
{
    raise_open_files();
    if (!open_signals(m, error))
        return false;
    if (!lock_take(m->home->state_fd, MASTER_LOCK, LOCK_WAIT_MS, &m->lock_fd, error)) {
        bool held = error && err_is(*error, ERR_LATER);
        return err_prefix(error, held ? "another master serves '%s'" : "'%s'", m->home->path);
    }
    if (!lock_share(m->home->state_fd, PARTS_LOCK, &m->parts_fd, error))
        return false;
    open_log(m->home);
    if (m->take_over && (!db_open(m->home, DB_WRITE, &m->db, error) ||
                         !mailboxes_before_take_over(m->db, error)))
        return false;
    if (!living_begin(m->home, m->start, m->take_over, error) ||
        (!m->db && !db_open(m->home, DB_WRITE, &m->db, error)) ||
        !mailboxes_begin(m->db, m->take_over, error) || !seats_refresh(m->db, error) ||
        !alarm_open(&m->alarm, error) || !wake_open(m->home, &m->wake_fd, ret_unclean, error))
        return false;
    (void)g_unix_fd_add(m->signal_fd, G_IO_IN, on_signal, m);
    (void)g_unix_fd_add(m->wake_fd, G_IO_IN, on_hint, m);
    m->edits_fd = wake_open_edits(m->home, &m->edits_home);
    if (m->edits_fd >= 0)
        (void)g_unix_fd_add(m->edits_fd, G_IO_IN, on_edit, m);
    (void)g_unix_fd_add(m->alarm.mono_fd, G_IO_IN, on_mono, m);
    (void)g_unix_fd_add(m->alarm.wall_fd, G_IO_IN, on_wall, m);
    staff_reload(m);
    return watch_folders(m, error);
}

static void
master_clear(Master *m)
{
    g_clear_pointer(&m->children, g_ptr_array_unref);
    g_clear_pointer(&m->accounts, g_ptr_array_unref);
    g_clear_pointer(&m->run, part_free);
    g_clear_pointer(&m->timers, part_free);
    g_clear_pointer(&m->spare, part_free);
    g_clear_pointer(&m->deliver, part_free);
    g_clear_pointer(&m->submit, part_free);
    g_clear_pointer(&m->index, part_free);
    g_clear_pointer(&m->loop, g_main_loop_unref);
    g_clear_pointer(&m->db, db_close);
    free_all(m->notify, m->start);
    alarm_close(&m->alarm);
    cleanup_fd(&m->wake_fd);
    cleanup_fd(&m->edits_fd);
    cleanup_fd(&m->signal_fd);
    cleanup_fd(&m->parts_fd);
    cleanup_fd(&m->lock_fd);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Master, master_clear)

static void
append_count(GString *text, const char *does, unsigned n, const char *thing)
{
    if (n > 0)
        g_string_append_printf(text, "%s%s %u %s%s", text->len ? ", " : "", does, n, thing,
                               n == 1 ? "" : "s");
}

/* NULL: there was nothing. */
static char *
say_recovered(bool unclean, unsigned reaped, const Adopted *count)
{
    g_autoptr(GString) text = g_string_new(NULL);

    append_count(text, "gave back", reaped, "job");
    append_count(text, "adopted", count->runs, "living run");
    append_count(text, "adopted", count->accounts, "living account");
    if (text->len == 0 && unclean)
        g_string_append(text, "the last master was killed; nothing was unfinished");
    return text->len ? g_strdup(text->str) : NULL;
}

static char *
say_roles(const Config *config)
{
    GString *names = g_string_new(NULL);

    for (unsigned i = 0; i < config->n_roles; i++)
        g_string_append_printf(names, "%s%s", i ? "," : "", config->roles[i].name);
    return g_string_free(names, FALSE);
}

/* What an earlier master left is taken over before anything is started; the first line says
 * so. */
static bool
take_over(Master *m, bool unclean, GError **error)
{
    Adopted count = {0};
    unsigned reaped = 0;

    note_moment(m);
    if (!age_check(m->db, error) || !master_reap(m, &reaped, error) ||
        !adopt_owners(m, &count, error))
        return false;
    for (guint i = 0; i < m->accounts->len; i++)
        (void)adopt_holder(m, m->accounts->pdata[i], &count);

    g_autofree char *roles = say_roles(m->home->config);
    g_autofree char *recovered = say_recovered(unclean, reaped, &count);
    g_autofree char *hold = db_hold_all(m->db);
    log_event(LOG_INFO, "serving", "home", m->home->path, "roles", roles, "recovered",
              recovered, NULL);
    log_warnings(m->home);
    if (hold)
        log_event(LOG_WARN,
                  "nothing runs or leaves until a person decides; see: postrider status", "why",
                  hold, NULL);
    return true;
}

static bool
serve(Master *m, GError **error)
{
    bool unclean = false;

    if (!master_open(m, &unclean, error) || !take_over(m, unclean, error))
        return false;
    due_look(m->db);
    m->sweep_us = clock_mono_us() + SWEEP_EVERY_US;
    look(m);
    notify_send(m->notify, "READY=1");
    if (!m->over)
        g_main_loop_run(m->loop);
    /* Else it is another master's. */
    if (lock_holds(m->home->state_fd, MASTER_LOCK, m->lock_fd))
        wake_remove(m->home);
    log_say(LOG_INFO, "stopped");
    return true;
}

int
serve_main(
    Home *home, const char *self, ServeProgram *program, int max_iterations, bool take_over)
{
    g_autoptr(GError) error = NULL;
    g_auto(Master) m = {
        .home = home,
        .self = self,
        .program = program,
        .loop = g_main_loop_new(NULL, FALSE),
        .lock_fd = -1,
        .parts_fd = -1,
        .signal_fd = -1,
        .wake_fd = -1,
        .edits_fd = -1,
        .alarm = {-1, -1},
        .notify = notify_take(),
        .start = living_start(),
        .take_over = take_over,
        .run = part_new("run", NULL, NULL, false),
        .timers = part_new("run", NULL, NULL, false),
        .spare = part_new("run", NULL, NULL, false),
        .deliver = part_new("deliver", NULL, "deliver.lock", false),
        .submit = part_new("submit", NULL, "submit.lock", false),
        .index = part_new("index", NULL, "follow.lock", false),
        .accounts = g_ptr_array_new_with_free_func((GDestroyNotify)part_free),
        .children = g_ptr_array_new_with_free_func((GDestroyNotify)child_free),
        .index_wanted = true,
        .settings_us = USEC_NEVER,
    };

    m.timers->option = g_strdup("--timers");
    m.spare->spare = true;
    if (max_iterations > 0) {
        m.run->option = g_strdup_printf("--max-iterations=%d", max_iterations);
        m.spare->option = g_strdup(m.run->option);
    }
    if (!serve(&m, &error)) {
        g_printerr("postrider: serve: %s\n", error->message);
        return err_exit_status(error);
    }
    return m.status;
}
