#include "engine/session.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/log.h"
#include "engine/face.h"
#include "engine/in/intake.h"
#include "engine/role.h"
#include "engine/run/workplace.h"
#include "engine/wall/wall.h"
#include "mail/compose.h"
#include "mail/maildir.h"
#include "port/port.h"
#include "store/job/budget.h"
#include "store/job/role_pauses.h"
#include <signal.h>
#include <sys/signalfd.h>

#define LOOK_US (500 * USEC_PER_MSEC) /* between two calls of go_on() */

static const int session_signals[] = {SIGTERM, SIGINT, SIGUSR1, 0};

/* --- begin and end --- */

static void
input_clear(StepInput *in)
{
    g_clear_pointer(&in->shown, msg_rows_free);
    g_clear_pointer(&in->answer, g_bytes_unref);
    g_clear_pointer(&in->manifest, g_bytes_unref);
    g_clear_pointer(&in->session, session_free);
    g_clear_pointer(&in->news, g_free);
    g_clear_pointer(&in->heard, g_array_unref);
    g_clear_pointer(&in->lost, g_array_unref);
    *in = (StepInput){.floor = TRUST_OPERATOR, .deadline_us = USEC_NEVER};
}

static JobSession *
session_new(Engine *engine, const char *name)
{
    JobSession *s = g_new0(JobSession, 1);
    s->engine = engine;
    s->name = g_strdup(name);
    s->signal_fd = proc_watch_signals(session_signals, NULL);
    s->own_fd = true;
    input_clear(&s->in);
    return s;
}

JobSession *
session_new_alone(void)
{
    return session_new(NULL, NULL);
}

JobSession *
session_of_claim(Engine *engine,
                 const JobClaim *claim,
                 Job *take_job,
                 const ConfRole *role,
                 StepInput *take_in,
                 int signal_fd)
{
    JobSession *s = g_new0(JobSession, 1);
    s->engine = engine;
    s->claim = *claim;
    s->job = take_job;
    s->role = role;
    s->in = *take_in;
    s->in.deadline_us = USEC_NEVER; /* an agent works for as long as it takes */
    s->signal_fd = signal_fd;
    *take_in = (StepInput){0};
    return s;
}

static bool
leave(JobSession *s, GError **error)
{
    g_auto(Txn) txn = {.db = s->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_leave(&txn, &s->claim, s->name, error);
    return txn.done;
}

void
session_close(JobSession *s)
{
    g_autoptr(GError) failed = NULL;
    if (!s)
        return;
    if (s->engine && s->name && s->claim.job.v && !s->over && !leave(s, &failed) &&
        !err_is(failed, ERR_NEVER))
        log_event(LOG_WARN, "the job is left as it is; the next sweep parks it", "why",
                  failed->message, NULL);
    port_close(s->port);
    if (s->late && s->folder)
        (void)rmdir(s->folder);
    input_clear(&s->in);
    job_free(s->job);
    if (s->own_fd && s->signal_fd >= 0)
        (void)close(s->signal_fd);
    free_all(s->name, s->folder, s);
}

bool
session_reload(JobSession *s, GError **error)
{
    g_autoptr(MsgRows) open = NULL;
    g_clear_pointer(&s->job, job_free);
    input_clear(&s->in);
    if (!job_load(s->engine->db, &VIEWER_OPERATOR, s->claim.job, &s->job, error) ||
        !messages_open(s->engine->db, s->claim.job, &open, error))
        return false;
    s->role = role_get(s->engine, s->job->role, error);
    s->in.shown = g_steal_pointer(&open);
    s->in.floor = s->job->floor;
    LIST_EACH(const MsgRow, row, s->in.shown)
        s->in.floor = MIN(s->in.floor, row->floor);
    if (s->port)
        port_renew(s->port, s->job, &s->in);
    return s->role != NULL;
}

bool
session_show(JobSession *s, GError **error)
{
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(MsgId));
    g_auto(Txn) txn = {.db = s->engine->db, .flush = TXN_LAZY};
    LIST_EACH(const MsgRow, row, s->in.shown)
        g_array_append_val(ids, row->id);
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, &s->claim, s->in.deadline_us, error) &&
                 messages_mark_shown(&txn, (const MsgId *)(void *)ids->data, ids->len, error);
    return txn.done;
}

/* The mail's bytes, with its Message-ID. */
static GBytes *
write_mail(Engine *engine, const ConfRole *role, const SessionMail *mail, GError **error)
{
    const Config *config = engine->home->config;
    g_autoptr(Compose) c = compose_new();
    g_autoptr(GBytes) rest = NULL;
    g_autofree char *token = g_uuid_string_random();
    compose_date(c, home_now(engine->home));
    compose_text(c, mail->text);
    if (!compose_from(c, NULL, config->owner, error) ||
        !compose_to(c, NULL, role->address, error) ||
        !compose_subject(c, mail->subject, error) || !(rest = compose_format(c, error)))
        return NULL;
    GString *all = g_string_new(NULL);
    g_string_append_printf(all, "Message-ID: <session.%s@%s>\n", token, config->domain);
    g_string_append_len(all, g_bytes_get_data(rest, NULL), (gssize)g_bytes_get_size(rest));
    return g_string_free_to_bytes(all);
}

/* In Active, where no intake looks: it is in somebody's hands already. */
static bool
file_mail(Engine *engine, const ConfRole *role, GBytes *bytes, const char *base, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    g_autofree char *head =
        origin_line(&engine->home->key, data, len, &(OriginClaim){TRUST_OPERATOR, TRUST_OPERATOR, NULL}, role->name);
    bool was_there;
    return maildir_open(engine->home->mail_fd, role->name, true, &md, error) &&
           maildir_deliver(md, "Active", base, "S", head, data, len, &was_there, error);
}

static bool
check_awake(Engine *engine, const char *role, GError **error)
{
    g_autoptr(RolePause) pause = NULL;
    return role_pause_find(engine->db, role, &pause, error) &&
           (!pause ||
            err_set(error, ERR_LATER, "role %s pauses: %s; it goes on by: postrider role resume %s",
                    role, pause->why, role));
}

typedef struct Begin {
    const SessionMail *mail;
    MsgNew in;
    JobId job;
    JobClaim claim;
} Begin;

/* Row, job and claim. */
static bool
begin_in(Engine *engine, Txn *txn, Begin *b, GError **error)
{
    MsgId id;
    bool is_new, got = true;
    b->job = (JobId){0};
    return messages_thread(txn, b->in.mail, &b->in.thread, error) &&
           messages_store(txn, &b->in, &id, &is_new, error) &&
           intake_queue(engine, txn, id, &b->in, &b->job, error) &&
           faces_stored(engine, txn, id, &b->in, b->job, error) &&
           (!b->mail->session ||
            (job_claim_session(txn, b->job, b->mail->session, &b->claim, &got, error) &&
             messages_mark_shown(txn, &id, 1, error))) &&
           (got || err_set(error, ERR_LATER, "the home is on hold, see: postrider status"));
}

static bool
begin_job(Engine *engine, const SessionMail *mail, JobClaim *ret_claim, JobId *ret_job, GError **error)
{
    const ConfRole *role = role_get(engine, mail->role, error);
    g_autoptr(GBytes) bytes = role ? write_mail(engine, role, mail, error) : NULL;
    g_autofree char *base = maildir_name(home_now(engine->home));
    if (!bytes || (mail->session && !check_awake(engine, role->name, error)) ||
        !file_mail(engine, role, bytes, base, error))
        return false;
    CRASH_POINT("session-filed");
    g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_TEXT);
    const ConfAccount *account = engine->home->config->accounts;
    Begin b = {.mail = mail,
               .in = {.role = role->name,
                      .account = account ? account->name : "",
                      .folder = "Active",
                      .file = base,
                      .mail = m,
                      .trust = TRUST_OPERATOR,
                      .floor = TRUST_OPERATOR,
                      .class = MSG_TASK,
                      .state = MSG_STORED}};
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = begin_in(engine, &txn, &b, error);
    if (!txn.done)
        return false;
    CRASH_POINT("session-begun");
    *ret_claim = b.claim;
    *ret_job = b.job;
    return true;
}

bool
session_begin(
    Engine *engine, const SessionMail *mail, JobSession **ret, JobId *ret_job, GError **error)
{
    JobClaim claim = {0};
    JobId job;
    if (ret)
        *ret = NULL;
    if (!begin_job(engine, mail, &claim, &job, error))
        return false;
    if (ret_job)
        *ret_job = job;
    if (!mail->session) {
        db_hint(engine->db);
        return true;
    }
    g_autoptr(JobSession) s = session_new(engine, mail->session);
    s->claim = claim;
    if (!session_reload(s, error))
        return false;
    *ret = g_steal_pointer(&s);
    return true;
}

/* For the port: somebody writes. */
static bool
begin_late(void *data, GError **error)
{
    JobSession *s = data;
    JobId job;
    return (s->claim.job.v || begin_job(s->engine, s->late, &s->claim, &job, error)) &&
           session_reload(s, error);
}

bool
session_open(Engine *engine, const SessionMail *mail, JobSession **ret, GError **error)
{
    g_autoptr(JobSession) s = session_new(engine, mail->session);
    g_autofree char *path = g_strdup_printf("work/%s/%s-%d", mail->role, mail->session, getpid());
    s->late = mail;
    s->job = g_new0(Job, 1);
    s->job->role = g_strdup(mail->role);
    s->in.shown = msg_rows_new();
    if (!dir_make(engine->home->fd, path, 0700, error))
        return false;
    s->folder = g_build_filename(engine->home->path, path, NULL);
    if (!session_open_port(s, error))
        return false;
    port_begin_with(s->port, begin_late, s);
    *ret = g_steal_pointer(&s);
    return true;
}

bool
session_take(Engine *engine, JobId job, const char *name, JobSession **ret, GError **error)
{
    g_autoptr(JobSession) s = session_new(engine, name);
    bool got;
    unsigned n;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    *ret = NULL;
    while (txn_again(&txn, error))
        txn.ok = job_reap(&txn, &n, error) &&
                 job_claim_session(&txn, job, name, &s->claim, &got, error);
    if (!txn.done)
        return false;
    CRASH_POINT("session-taken");
    if (!got) {
        s->claim = (JobClaim){0};
        return job_load(engine->db, &VIEWER_OPERATOR, job, &s->job, error) &&
               (!s->job || check_awake(engine, s->job->role, error));
    }
    if (!session_reload(s, error))
        return false;
    *ret = g_steal_pointer(&s);
    return true;
}

/* --- steps --- */

/* Settles the effects of the step. What could not be settled now is left to a sweep, since the
 * step has been committed. */
static void
settle(JobSession *s, const StepResult *result)
{
    g_autoptr(GError) left = NULL;
    if (!step_settle(s->engine, result, &left))
        log_event(LOG_WARN, "the step is committed, not all of it is settled; a sweep will",
                  "why", left->message, NULL);
    db_hint(s->engine->db);
}

bool
session_commit(JobSession *s, Proposal *p, GError **error)
{
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};
    g_autoptr(GError) failed = NULL;
    if (s->port)
        port_account(s->port, &s->in);
    bool ok = policy_check(s->engine, s->job, &s->in, p, &verdicts, &failed);

    if (ok) {
        do { /* its face may have to see a file first: nothing was written then */
            g_clear_error(&failed);
            ok = step_commit(s->engine, &s->claim, &s->in, p, verdicts, &result, &failed);
        } while (!ok && faces_see(s->engine));
        faces_forget(s->engine);
    }
    if (ok) {
        CRASH_POINT("session-committed");
        settle(s, &result);
        s->over = result.ended;
        return s->over || session_reload(s, error);
    }
    bool ours = true;
    if (err_is(failed, ERR_NEVER) && job_claim_holds(s->engine->db, &s->claim, &ours, NULL) &&
        !ours)
        s->lost = true;
    return err_pass(error, g_steal_pointer(&failed));
}

bool
session_pay(JobSession *s, int64_t cost_micro, GError **error)
{
    bool woke = false;
    g_auto(Txn) txn = {.db = s->engine ? s->engine->db : NULL, .flush = TXN_LAZY};
    if (!s->engine || cost_micro <= 0)
        return true;
    while (txn_again(&txn, error))
        txn.ok = faces_pay(s->engine, &txn, s->job, cost_micro, error) &&
                 (!budget_is_limited(s->engine->home->config) ||
                  budget_settle(&txn, &s->claim, &woke, error));
    if (txn.done && woke)
        db_hint(s->engine->db);
    s->in.paid = true;
    s->job->round_cost_micro += cost_micro;
    return txn.done;
}

/* --- while a program works --- */

static bool
make_folder(JobSession *s, GError **error)
{
    if (s->folder)
        return true;
    g_autofree char *path =
        g_strdup_printf("work/%s/%" G_GINT64_FORMAT, s->job->role, s->job->id.v);
    if (!dir_make(s->engine->home->fd, path, 0700, error))
        return false;
    s->folder = g_build_filename(s->engine->home->path, path, NULL);
    return true;
}

bool
session_open_port(JobSession *s, GError **error)
{
    return s->port || (make_folder(s, error) && port_open(s->engine, s->job, &s->claim, &s->in,
                                                          s->folder, &s->port, error));
}

bool
session_open_port_only(JobSession *s, const char *verb, GError **error)
{
    if (!session_open_port(s, error))
        return false;
    port_serve_only(s->port, verb);
    return true;
}

bool
session_called_off(JobSession *s)
{
    struct signalfd_siginfo info;
    bool ours;
    while (s->signal_fd >= 0 &&
           read(s->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGUSR1)
            s->draining = true;
        else if (s->engine && job_claim_holds(s->engine->db, &s->claim, &ours, NULL))
            s->lost |= !ours;
    }
    return s->draining || s->lost;
}

typedef struct Turn {
    JobSession *s;
    BrainCall *call; /* NULL: only the time is waited for */
    bool (*go_on)(void *data);
    void *data;
    int64_t late_us, look_us; /* on the monotonic clock */
    SessionEnd end;
    bool ending;
} Turn;

static void
end_turn(Turn *t, SessionEnd end)
{
    if (t->ending)
        return;
    t->ending = true;
    t->end = end;
    if (t->call)
        brain_end(t->call);
}

static int
timeout_of(const Turn *t, int64_t wait_us)
{
    int64_t now = clock_mono_us(), wait = wait_us;
    if (!t->ending && t->go_on)
        wait = MIN(wait, MAX(0, t->look_us - now));
    if (!t->ending && t->late_us != USEC_NEVER)
        wait = MIN(wait, MAX(0, t->late_us - now));
    return wait == USEC_NEVER
               ? -1
               : (int)MIN(wait / USEC_PER_MSEC + (wait % USEC_PER_MSEC != 0), INT_MAX);
}

/* Ends the turn when something outside of the program says so: it was called off, or its time
 * is over. */
static void
look(Turn *t)
{
    int64_t now = clock_mono_us();
    if (session_called_off(t->s))
        end_turn(t, SESSION_OFF);
    if (t->late_us <= now)
        end_turn(t, t->call ? SESSION_LATE : SESSION_ANSWERED);
    if (t->go_on && !t->ending && t->look_us <= now) {
        t->look_us = now + LOOK_US;
        if (!t->go_on(t->data))
            end_turn(t, SESSION_ENDED);
    }
}

/* Does one round of poll(2). *ret_done: the program has ended, or its time is over. */
static bool
turn(Turn *t, bool *ret_done, GError **error)
{
    struct pollfd fds[BRAIN_POLL_MAX + PORT_POLL_MAX + 1];
    int64_t wait_us = USEC_NEVER;
    unsigned n_brain = t->call ? brain_poll(t->call, fds, &wait_us) : 0;
    unsigned n_port = t->s->port ? port_poll(t->s->port, fds + n_brain) : 0;
    fds[n_brain + n_port] = (struct pollfd){.fd = t->s->signal_fd, .events = POLLIN};
    int ready = poll(fds, n_brain + n_port + 1, timeout_of(t, wait_us));
    if (ready < 0 && errno != EINTR)
        return err_set_errno(error, errno, "poll");
    if (ready > 0 && t->s->port && !port_work(t->s->port, fds + n_brain, n_port, error))
        return false;
    look(t);
    *ret_done = t->call ? brain_work(t->call) : t->ending;
    return true;
}

/* A port that finds the claim gone is an order, and no failure. */
static bool
run_turns(Turn *t, GError **error)
{
    for (bool done = false; !done;) {
        g_autoptr(GError) failed = NULL;
        if (turn(t, &done, &failed))
            continue;
        if (!err_is(failed, ERR_NEVER))
            return err_pass(error, g_steal_pointer(&failed));
        t->s->lost = true;
        g_clear_pointer(&t->s->port, port_close);
        end_turn(t, SESSION_OFF);
        done = !t->call;
    }
    return true;
}

/* The environment that a program gets beside its own. */
static char **
env_of(const JobSession *s, const SessionAsk *ask)
{
    g_autoptr(GPtrArray) env = g_ptr_array_new();
    for (const char *const *pair = ask->brain.env; pair && *pair; pair++)
        g_ptr_array_add(env, g_strdup(*pair));
    if (s->job)
        g_ptr_array_add(env, g_strdup_printf("POSTRIDER_JOB=%" G_GINT64_FORMAT, s->job->id.v));
    if (s->port)
        g_ptr_array_add(env, g_strdup_printf("POSTRIDER_PORT=%s", port_path(s->port)));
    g_ptr_array_add(env, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&env), FALSE);
}

static bool
build_wall(JobSession *s,
           const ConfBrain *brain,
           const char *cwd,
           const char *program,
           bool apart,
           char ***ret,
           GError **error)
{
    g_autofree char *forbids = apart ? NULL : wall_forbids(s->role, s->in.floor);
    if (forbids)
        return err_set(error, ERR_CONFIG, "%s", forbids);
    if (!make_folder(s, error))
        return false;
    const WallView view = {.engine = s->engine,
                           .job = s->job,
                           .role = s->role,
                           .brain = brain,
                           .work = s->folder,
                           .cwd = cwd,
                           .port = s->port ? port_path(s->port) : NULL,
                           .program = program,
                           .apart = apart};
    return wall_argv(&view, ret, error);
}

bool
session_wall(JobSession *s, const ConfBrain *brain, const char *cwd, char ***ret, GError **error)
{
    *ret = NULL;
    return !s->engine || build_wall(s, brain, cwd, NULL, false, ret, error);
}

/* The command of the wall, which stands in front of the program of a role; NULL for a program
 * that the user called. */
static bool
wall_of(JobSession *s, const SessionAsk *ask, char ***ret, GError **error)
{
    *ret = NULL;
    const BrainAsk *brain = &ask->brain;
    if (brain->users_env || !s->engine || !config_is_program(brain->conf))
        return true;
    g_autofree char *program = brain_program(brain->conf, s->engine->home->path);
    return build_wall(s, brain->conf, brain->cwd, program, ask->apart, ret, error);
}

bool
session_ask(JobSession *s,
            const SessionAsk *ask,
            SessionEnd *ret_end,
            BrainCall **ret_call,
            GError **error)
{
    g_auto(GStrv) env = env_of(s, ask), wall = NULL;
    g_autoptr(BrainCall) call = NULL;
    int64_t now = s->engine ? home_now(s->engine->home) : clock_wall_us(&(Clock){0});
    if (!wall_of(s, ask, &wall, error))
        return false;
    BrainAsk question = ask->brain;
    question.home = s->engine ? s->engine->home->path : question.cwd;
    question.env = (const char *const *)env;
    question.permit = BRAIN_PERMIT_EDIT;
    question.wrap = (const char *const *)wall;
    question.walled = wall != NULL;
    if (!brain_start(&question, &call, error))
        return false;
    CRASH_POINT("session-asked");
    Turn t = {.s = s,
              .call = call,
              .go_on = ask->go_on,
              .data = question.said_data,
              .late_us = ask->until_us == USEC_NEVER
                             ? USEC_NEVER
                             : clock_mono_us() + MAX(0, ask->until_us - now),
              .look_us = clock_mono_us() + LOOK_US};
    if (!run_turns(&t, error))
        return false;
    CRASH_POINT("session-answered");
    *ret_end = t.end;
    *ret_call = g_steal_pointer(&call);
    return true;
}

bool
session_wait(JobSession *s,
             int64_t span_us,
             bool (*go_on)(void *data),
             void *data,
             SessionEnd *ret_end,
             GError **error)
{
    Turn t = {.s = s,
              .go_on = go_on,
              .data = data,
              .late_us = clock_mono_us() + span_us,
              .look_us = clock_mono_us() + LOOK_US};
    if (!run_turns(&t, error))
        return false;
    *ret_end = t.end;
    return true;
}
