#include "engine/check/task_check.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "brain/program.h"
#include "engine/mail_load.h"
#include "engine/people/words.h"
#include "engine/run/orphans.h"
#include "engine/wall/wall.h"
#include "mail/address.h"
#include "mail/quote.h"
#include "store/job/steering.h"
#include <signal.h>
#include <sys/signalfd.h>

#define LINE_BEGINS "check:"
#define MAILS_READ 50u /* of a round, newest first */
#define SPARE_US (60 * USEC_PER_SEC)

void
task_check_clear(TaskCheck *check)
{
    g_clear_pointer(&check->command, g_free);
    g_clear_pointer(&check->refused, g_free);
}

/* --- whose word it is --- */

/* The command of the check line in a mail's text; lines that the mail quotes or forwards do not
 * count. Caller frees; NULL: there is no such line. */
static char *
task_check_line(const char *text)
{
    g_autofree char *own = text ? quote_own_text(text) : NULL;
    g_auto(GStrv) lines = own ? g_strsplit(own, "\n", -1) : NULL;
    for (char **line = lines; line && *line; line++) {
        const char *words = g_strstrip(*line);
        if (!g_str_has_prefix(words, LINE_BEGINS))
            continue;
        words += strlen(LINE_BEGINS);
        words += strspn(words, " \t");
        if (*words && strlen(words) <= LIMIT_CHECK_COMMAND)
            return g_strdup(words);
    }
    return NULL;
}

/* Why the line of this mail does not count; NULL: it does. */
static const char *
refuse(Engine *engine, const MsgRow *row, const Message *m)
{
    if (row->trust < TRUST_PRINCIPAL ||
        !(rights_of(engine->home->config, row->from, row->trust) & MAY_STEER))
        return WORDS_CHECK_NOT_YOURS;
    if (row->floor < TRUST_ROLE)
        return WORDS_CHECK_FOREIGN;
    return digest_equal(&row->body, &m->body) ? NULL : WORDS_CHECK_CHANGED;
}

/* *ret is left alone by a mail without such a line. */
static bool
read_mail(Engine *engine, const MsgRow *row, TaskCheck *ret, GError **error)
{
    g_autoptr(Message) m = NULL;
    if (!mail_load(engine, row, MESSAGE_TEXT, &m, error))
        return false;
    g_autofree char *command = m ? task_check_line(m->text) : NULL;
    const char *why = command ? refuse(engine, row, m) : NULL;
    if (why)
        ret->refused = g_strdup_printf(WORDS_CHECK_REFUSED, command, why);
    else
        ret->command = g_steal_pointer(&command);
    return true;
}

/* A fork goes on with a mail that is another job's. */
static bool
read_original(Engine *engine, const Job *job, TaskCheck *ret, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    if (!job->original_msgid || !*job->original_msgid)
        return true;
    if (!messages_find(engine->db, &VIEWER_OPERATOR, job->original_msgid, &row, error))
        return false;
    return !row || row->job.v == job->id.v || !row->job.v || read_mail(engine, row, ret, error);
}

bool
task_check_find(Engine *engine, const Job *job, TaskCheck *ret, GError **error)
{
    const MsgQuery q = {.job = job->id, .taken_in = true, .limit = MAILS_READ};
    g_autoptr(MsgRows) rows = NULL;
    if (!messages_list(engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const MsgRow, row, rows) {
        bool ours = row->round == job->round &&
                    (row->state == MSG_SHOWN || row->state == MSG_HANDLED) &&
                    (row->class == MSG_TASK || row->class == MSG_REPLY);
        if (ours && !ret->command && !ret->refused && !read_mail(engine, row, ret, error))
            return false;
    }
    return ret->command || ret->refused || read_original(engine, job, ret, error);
}

static bool
is_asker(const GPtrArray *askers, const char *spec)
{
    for (guint i = 0; i < askers->len; i++) {
        if (address_equal(g_ptr_array_index(askers, i), spec))
            return true;
    }
    return false;
}

static bool
goes_to_askers(const GPtrArray *askers, const ProposedMail *mail)
{
    bool found = mail->to->len == 0;
    for (guint i = 0; i < mail->to->len; i++)
        found |= is_asker(askers, g_ptr_array_index(mail->to, i));
    for (guint i = 0; i < mail->cc->len; i++)
        found |= is_asker(askers, g_ptr_array_index(mail->cc, i));
    return found;
}

/* Everybody who waits for the answer, also those who asked in an earlier step of the round. */
static GPtrArray *
askers_of(const Job *job, const StepInput *in)
{
    GPtrArray *askers = step_askers(job, in);
    g_ptr_array_add(askers, job->asker);
    return askers;
}

bool
task_check_answers(const Job *job, const StepInput *in, const Proposal *p)
{
    g_autoptr(GPtrArray) askers = askers_of(job, in);
    LIST_EACH(const ProposedMail, mail, p->mails)
        if (goes_to_askers(askers, mail))
            return true;
    return false;
}

/* --- running it --- */

typedef struct Loop {
    const TaskCheckRun *run;
    Proc *proc;
    bool lost;
    int64_t drain_us; /* when it must have ended, on the monotonic clock; USEC_NEVER */
} Loop;

/* The claim is ours for as long as the check and one more question may take. */
static bool
set_deadline(const TaskCheckRun *run, GError **error)
{
    int64_t now = home_now(run->engine->home);
    if (run->in->deadline_us != USEC_NEVER)
        run->in->deadline_us = MAX(run->in->deadline_us, now + CHECK_US + SPARE_US);
    g_auto(Txn) txn = {.db = run->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, run->claim, run->in->deadline_us, error);
    return txn.done;
}

static char **
make_env(const TaskCheckRun *run, const char *work)
{
    g_autofree char *job = g_strdup_printf("%" G_GINT64_FORMAT, run->job->id.v);
    char **env = program_own_env(run->brain);
    env = g_environ_setenv(env, "POSTRIDER_JOB", job, TRUE);
    env = g_environ_setenv(env, "POSTRIDER_ROLE", run->role->name, TRUE);
    return g_environ_setenv(env, "POSTRIDER_WORK", work, TRUE);
}

static void
read_signals(Loop *loop)
{
    struct signalfd_siginfo info;
    const TaskCheckRun *run = loop->run;
    bool ours;
    while (read(run->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGUSR1)
            loop->lost |=
                job_claim_holds(run->engine->db, run->claim, &ours, NULL) && !ours;
        else if (*run->draining) /* asked twice: at once */
            loop->drain_us = 0;
        else
            *run->draining = true;
    }
    if (*run->draining && loop->drain_us == USEC_NEVER)
        loop->drain_us = clock_mono_us() + run->engine->home->config->drain_us;
}

/* Does one round of poll(2). True once the command has ended. */
static bool
turn(Loop *loop, GError **error)
{
    struct pollfd fds[4 + 1];
    int64_t wait_us = USEC_NEVER;
    unsigned n = proc_poll(loop->proc, fds, &wait_us);
    fds[n] = (struct pollfd){.fd = loop->run->signal_fd, .events = POLLIN};
    if (loop->drain_us != USEC_NEVER)
        wait_us = MIN(wait_us, MAX(0, loop->drain_us - clock_mono_us()));
    int ready = poll(fds, n + 1, wait_us == USEC_NEVER ? -1 : (int)(wait_us / USEC_PER_MSEC) + 1);
    if (ready < 0 && errno != EINTR)
        return err_set_errno(error, errno, "poll");
    if (ready > 0 && fds[n].revents)
        read_signals(loop);
    return proc_work(loop->proc);
}

static bool
wait_for_end(Loop *loop, TaskCheckEnd *ret, GError **error)
{
    for (bool ending = false;;) {
        g_autoptr(GError) failed = NULL;
        bool done = turn(loop, &failed);
        if (failed)
            return err_pass(error, g_steal_pointer(&failed));
        if (done)
            break;
        if (!ending && (loop->lost || loop->drain_us <= clock_mono_us())) {
            ending = true;
            proc_end(loop->proc);
            loop->drain_us = USEC_NEVER;
            *ret = loop->lost ? TASK_CHECK_LOST : TASK_CHECK_DRAINED;
        }
    }
    if (loop->lost)
        *ret = TASK_CHECK_LOST;
    return true;
}

static char *
folder_of(const TaskCheckRun *run, GError **error)
{
    const Home *home = run->engine->home;
    if (run->place)
        return g_strdup(run->place->path);
    g_autofree char *path = workplace_path(home, run->job);
    return dir_make(home->fd, path + strlen(home->path) + 1, 0700, error)
               ? g_steal_pointer(&path)
               : NULL;
}

/* Behind the same wall as the job's program: what the command starts, the agent may have
 * written. */
static bool
start(const TaskCheckRun *run, const char *work, Proc **ret, GError **error)
{
    g_auto(GStrv) wall = NULL, env = make_env(run, work);
    g_autofree char *forbidden = wall_forbids(run->role, run->in->floor);
    const char *cwd = run->place ? run->place->cwd : *run->role->workdir ? run->role->workdir : work;
    const WallView view = {.engine = run->engine,
                           .job = run->job,
                           .role = run->role,
                           .brain = run->brain,
                           .work = work,
                           .cwd = cwd};
    if (forbidden)
        return err_set(error, ERR_NEVER, "%s", forbidden);
    if (!wall_argv(&view, &wall, error))
        return false;
    const CheckSpec check = {.command = run->command,
                             .cwd = cwd,
                             .env = (const char *const *)env,
                             .wall = (const char *const *)wall};
    return check_start(&check, ret, error);
}

bool
task_check_run(const TaskCheckRun *run, TaskCheckEnd *ret_end, CheckEnd *ret, GError **error)
{
    g_autoptr(Proc) proc = NULL;
    g_autoptr(GError) unstarted = NULL;
    g_autofree char *work = folder_of(run, error);
    if (!work || !set_deadline(run, error))
        return false;
    (void)orphans_end(work); /* of one that was killed */
    CRASH_POINT("check-before");
    *ret_end = TASK_CHECK_FAILED;
    if (!start(run, work, &proc, &unstarted)) {
        ret->why = g_strdup_printf("it can't be run: %s", unstarted->message);
        ret->output = g_strdup("");
        return true;
    }
    Loop loop = {.run = run, .proc = proc, .drain_us = USEC_NEVER};
    if (*run->draining)
        loop.drain_us = clock_mono_us() + run->engine->home->config->drain_us;
    if (!wait_for_end(&loop, ret_end, error))
        return false;
    (void)orphans_end(work);
    check_end(proc, ret);
    CRASH_POINT("check-after");
    if (*ret_end == TASK_CHECK_FAILED && !ret->why)
        *ret_end = TASK_CHECK_PASSED;
    log_event(LOG_INFO, "a check ran", "command", run->command, "why",
              ret->why ? ret->why : "exit 0", NULL);
    return true;
}

/* --- what is said of it --- */

char *
task_check_why(const char *command, const CheckEnd *end)
{
    g_auto(GStrv) lines = g_strsplit(end->output, "\n", -1);
    g_autofree char *output = g_strjoinv("\n    ", lines);
    return g_strdup_printf(WORDS_CHECK_FAILED, command, end->why, *output ? "\n\n    " : "",
                           output);
}

void
task_check_tell(const Job *job, const StepInput *in, Proposal *p, const char *words)
{
    g_autoptr(GPtrArray) askers = askers_of(job, in);
    LIST_EACH(ProposedMail, mail, p->mails) {
        g_autofree char *body = g_steal_pointer(&mail->body);
        mail->body = goes_to_askers(askers, mail)
                         ? g_strdup_printf("%s\n\n%s", body ? body : "", words)
                         : g_steal_pointer(&body);
    }
}
