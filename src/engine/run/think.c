#include "engine/run/think.h"
#include "base/crash.h"
#include "base/log.h"
#include "base/proc.h"
#include "engine/face.h"
#include "engine/people/notice.h"
#include "engine/people/progress.h"
#include "engine/people/window.h"
#include "engine/people/words.h"
#include "engine/run/goes_on.h"
#include "engine/run/live.h"
#include "engine/run/orphans.h"
#include "engine/run/steer.h"
#include "engine/wall/wall.h"
#include "port/port.h"
#include "store/job/sessions.h"
#include "store/job/timers.h"
#include <malloc.h>
#include <signal.h>
#include <sys/signalfd.h>

/* A brain that takes longer than this may take a minute. */
#define REST_AFTER_US USEC_PER_SEC

/* The state of the loop that waits for the brain. */
typedef struct Loop {
    const Think *ask;
    BrainCall *call;
    Port *port;
    int64_t
        ack_us; /* of the acknowledgement that is owed, on the monotonic clock; USEC_NEVER */
    int64_t progress_us; /* likewise of the next word about long work */
    int64_t rest_us;     /* when memory is given back that nobody needs while we wait; USEC_NEVER */
    /* When a drained program must be gone, on the monotonic clock; USEC_NEVER. */
    int64_t drain_us;
    bool lost;
    Live live;
    Steer steer;
    bool heard;     /* it works on what it was shown: the session knows it, … */
    bool goes_on;   /* … and so does whoever waited for that */
    GError *failed; /* in what followed from something that it said; NULL */
} Loop;

void
thought_clear(Thought *t)
{
    g_clear_pointer(&t->call, brain_free);
    g_clear_pointer(&t->desk, permit_desk_free);
}

static void
read_signals(Loop *loop)
{
    struct signalfd_siginfo info;
    const Think *ask = loop->ask;
    bool ours;
    while (read(ask->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGUSR1) {
            /* A claim that can't be read now is no reason to stop: the commit reads it
             * again. */
            loop->lost |= job_claim_holds(ask->engine->db, ask->claim, &ours, NULL) && !ours;
            loop->steer.more = true;
        } else if (*ask->draining) { /* asked twice: at once */
            loop->drain_us = 0;
        } else {
            *ask->draining = true;
        }
    }
}

/* --- what the program says --- */

/* The session has a name: from now on it is resumed. */
static bool
name_session(Loop *loop, const char *id, GError **error)
{
    const Think *ask = loop->ask;
    Session *s = ask->in->session;
    if (!s || (s->began && g_str_equal(s->id, id)))
        return true;
    bool chosen = g_str_equal(s->id, id);
    g_free(s->id);
    s->id = g_strdup(id);
    s->began = true;
    g_auto(Txn) txn = {.db = ask->engine->db, .flush = chosen ? TXN_LAZY : TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, ask->claim, ask->in->deadline_us, error) &&
                 (chosen ? session_began(&txn, s->job, error) : session_put(&txn, s, error));
    CRASH_POINT("session-named");
    return txn.done;
}

/* Notes that the program has read its page, since it works: a later run that resumes it need
 * not repeat the page. */
static bool
note_heard(Loop *loop, GError **error)
{
    const Think *ask = loop->ask;
    Session *s = ask->in->session;
    g_autoptr(GString) heard = g_string_new(" ");
    g_auto(Txn) txn = {.db = ask->engine->db, .flush = TXN_LAZY};
    if (loop->heard || !s || !s->began)
        return true;
    loop->heard = true;
    LIST_EACH(const MsgRow, row, ask->in->shown)
        g_string_append_printf(heard, "%" G_GINT64_FORMAT " ", row->id.v);
    if (g_str_equal(heard->str, s->heard))
        return true;
    g_free(s->heard);
    s->heard = g_strdup(heard->str);
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, ask->claim, ask->in->deadline_us, error) &&
                 session_heard(&txn, s->job, s->heard, error);
    CRASH_POINT("session-heard");
    return txn.done;
}

/* Tells those who heard that the job waits for a program that the wait is over. With a model
 * the answer itself says so, a moment later. */
static bool
say_goes_on(Loop *loop, GError **error)
{
    bool waited = loop->ask->place && loop->ask->job->stall_told && !loop->goes_on;
    loop->goes_on = true;
    return !waited || goes_on_say(loop->ask, error);
}

static void
hear(void *data, const BrainEvent *event)
{
    Loop *loop = data;
    if (loop->failed)
        return;
    switch (event->kind) {
    case BRAIN_SAID_SESSION:
        (void)name_session(loop, event->text, &loop->failed);
        break;
    case BRAIN_SAID_TEXT:
    case BRAIN_SAID_TOOL:
        (void)(note_heard(loop, &loop->failed) && say_goes_on(loop, &loop->failed));
        live_say(&loop->live, event->kind == BRAIN_SAID_TOOL ? "tool" : "text", event->text);
        break;
    case BRAIN_SAID_COST:
        loop->live.cost_micro = event->cost_micro;
        break;
    case BRAIN_SAID_RECEIPT:
        (void)(event->done || steer_taken(&loop->steer, event->text, &loop->failed));
        break;
    }
}

/* Mail that came meanwhile. */
static bool
steer(Loop *loop, GError **error)
{
    g_autofree char *told = NULL;
    if (!steer_look(&loop->steer, &told, error))
        return false;
    if (told)
        live_say(&loop->live, "mail", told);
    return true;
}

/* --- what people hear --- */

/* The one mail that says "I have it", when nothing was said for a while. */
static bool
acknowledge(Loop *loop, GError **error)
{
    const Think *ask = loop->ask;
    Engine *engine = ask->engine;
    const Job *job = ask->job;
    const MsgRow *row =
        ask->in->shown->len ? g_ptr_array_index(ask->in->shown, ask->in->shown->len - 1) : NULL;
    loop->ack_us = USEC_NEVER;
    if (!row || row->trust < TRUST_PRINCIPAL)
        return true;

    RoleMailParent parent = {
        .msgid = row->msgid, .subject = row->subject, .in_reply_to = row->in_reply_to};
    const Notice notice = {
        .kind = MAIL_ACK, .role = ask->role, .job = job, .to = row->from, .parent = &parent};
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, ask->claim, ask->in->deadline_us, error) &&
                 timer_drop(&txn, job->id, TIMER_ACK, error) &&
                 notice_say(engine, &txn, &notice, error, WORDS_ACK_TEXT);
    if (!txn.done)
        return false;
    db_hint(engine->db);
    return true;
}

/* By a clock that nobody sets while the brain thinks. */
static int64_t
mono_of(const Think *ask, int64_t us)
{
    return us == USEC_NEVER ? us : us - home_now(ask->engine->home) + clock_mono_us();
}

static bool
find_timers(Loop *loop, GError **error)
{
    const Think *ask = loop->ask;
    int64_t ack_us, progress_us;
    if (!timers_find(ask->engine->db, ask->job->id, TIMER_ACK, &ack_us, TIMER_PROGRESS,
                     &progress_us, error))
        return false;
    loop->ack_us = mono_of(ask, ack_us);
    loop->progress_us = mono_of(ask, progress_us);
    return true;
}

/* The word about long work; it sets its timer on by itself. */
static bool
say_progress(Loop *loop, GError **error)
{
    const Think *ask = loop->ask;
    bool said;
    int64_t next_us;
    if (!progress_say(ask->engine, ask->job->id, &said, error) ||
        !timer_find(ask->engine->db, ask->job->id, TIMER_PROGRESS, &next_us, error))
        return false;
    loop->progress_us = mono_of(ask, next_us);
    return true;
}

static int
poll_timeout(const Loop *loop, int64_t brain_wait_us)
{
    int64_t wait = brain_wait_us;
    if (loop->ack_us != USEC_NEVER)
        wait = MIN(wait, MAX(0, loop->ack_us - clock_mono_us()));
    if (loop->progress_us != USEC_NEVER)
        wait = MIN(wait, MAX(0, loop->progress_us - clock_mono_us()));
    if (loop->drain_us != USEC_NEVER)
        wait = MIN(wait, MAX(0, loop->drain_us - clock_mono_us()));
    if (loop->rest_us != USEC_NEVER)
        wait = MIN(wait, MAX(0, loop->rest_us - clock_mono_us()));
    wait = MIN(wait, live_wait_us(&loop->live));
    if (wait == USEC_NEVER)
        return -1;
    /* Up to the next millisecond; what is due is not waited for. */
    return (int)MIN(wait / USEC_PER_MSEC + (wait % USEC_PER_MSEC != 0), INT_MAX);
}

/* Many may wait for as many brains at the same time. */
static void
rest(Loop *loop)
{
    loop->rest_us = USEC_NEVER;
    db_rest(loop->ask->engine->db);
    (void)malloc_trim(0);
}

/* Does one turn of the loop; true once the brain is done. */
static bool
turn(Loop *loop, GError **error)
{
    struct pollfd fds[BRAIN_POLL_MAX + PORT_POLL_MAX + 1];
    int64_t wait_us = USEC_NEVER;
    unsigned n_brain = brain_poll(loop->call, fds, &wait_us);
    unsigned n_port = loop->port ? port_poll(loop->port, fds + n_brain) : 0;
    struct pollfd *signals = fds + n_brain + n_port;
    *signals = (struct pollfd){.fd = loop->ask->signal_fd, .events = POLLIN};

    int ready = poll(fds, n_brain + n_port + 1, poll_timeout(loop, wait_us));
    if (ready < 0 && errno != EINTR)
        return err_set_errno(error, errno, "poll");
    if (ready > 0 && signals->revents)
        read_signals(loop);
    if (ready > 0 && loop->port && !port_work(loop->port, fds + n_brain, n_port, error))
        return false;
    if (loop->ack_us <= clock_mono_us() && !acknowledge(loop, error))
        return false;
    live_write(&loop->live, false);
    if (loop->progress_us <= clock_mono_us() && !say_progress(loop, error))
        return false;
    if (loop->rest_us <= clock_mono_us())
        rest(loop);
    bool done = brain_work(loop->call);
    if (loop->failed)
        return err_pass(error, g_steal_pointer(&loop->failed));
    return done || (steer(loop, error) && false);
}

/* Waits until the program is gone, without listening to anybody else. */
static void
end_brain(Loop *loop)
{
    brain_end(loop->call);
    while (!brain_work(loop->call)) {
        struct pollfd fds[BRAIN_POLL_MAX];
        int64_t wait_us = USEC_NEVER;
        unsigned n = brain_poll(loop->call, fds, &wait_us);
        (void)poll(fds, n, wait_us == USEC_NEVER ? -1 : (int)(wait_us / USEC_PER_MSEC) + 1);
    }
}

static bool
run_loop(Loop *loop, ThinkEnd *ret_end, GError **error)
{
    const Think *ask = loop->ask;
    for (;;) {
        g_autoptr(GError) failed = NULL;
        bool done = turn(loop, &failed);
        if (failed && !err_is(failed, ERR_NEVER)) {
            g_propagate_error(error, g_steal_pointer(&failed));
            end_brain(loop);
            return false;
        }
        if (failed || loop->lost) {
            end_brain(loop);
            *ret_end = THINK_LOST;
            return true;
        }
        if (done) {
            *ret_end = THINK_ANSWERED;
            return true;
        }
        if (*ask->draining && loop->drain_us == USEC_NEVER)
            loop->drain_us = clock_mono_us() + ask->engine->home->config->drain_us;
        if (loop->drain_us <= clock_mono_us()) {
            end_brain(loop);
            *ret_end = THINK_DRAINED;
            return true;
        }
    }
}

/* The job's folder, where a program is asked; NULL: a model is. */
static const char *
work_path(const Think *ask)
{
    return ask->place ? ask->place->path : ask->cwd;
}

/* Another run works on the job by now, in the same folder. */
static bool
is_in_other_hands(const Think *ask)
{
    g_autoptr(Job) job = NULL;
    return job_load(ask->engine->db, &VIEWER_OPERATOR, ask->job->id, &job, NULL) && job &&
           job->state == JOB_RUNNING && job->fence != ask->claim->fence;
}

/* Ends the processes that the program started, wherever they hide. They are known by the
 * job's folder alone, so this is not done once another run has the job: its processes would
 * end too. */
static void
end_leftovers(const Think *ask)
{
    const char *work = work_path(ask);
    unsigned n = work && !is_in_other_hands(ask) ? orphans_end(work) : 0;
    if (n > 0)
        log_say(LOG_INFO, "ended %u processes that a program had left", n);
}

/* Settings of git for the program: its own commits are the role's, no hook of the repository
 * runs, and nothing is signed as somebody else. */
static void
add_git(const Think *ask, GPtrArray *env)
{
    static const char *const settings[] = {
        "GIT_CONFIG_COUNT=4",
        "GIT_CONFIG_KEY_0=core.hooksPath",   "GIT_CONFIG_VALUE_0=/dev/null",
        "GIT_CONFIG_KEY_1=core.fsmonitor",   "GIT_CONFIG_VALUE_1=false",
        "GIT_CONFIG_KEY_2=commit.gpgSign",   "GIT_CONFIG_VALUE_2=false",
        "GIT_CONFIG_KEY_3=tag.gpgSign",      "GIT_CONFIG_VALUE_3=false"};
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
        g_ptr_array_add(env, g_strdup(settings[i]));
    g_ptr_array_add(env, g_strdup_printf("GIT_AUTHOR_NAME=%s", ask->role->display));
    g_ptr_array_add(env, g_strdup_printf("GIT_AUTHOR_EMAIL=%s", ask->role->address));
    g_ptr_array_add(env, g_strdup_printf("GIT_COMMITTER_NAME=%s", ask->role->display));
    g_ptr_array_add(env, g_strdup_printf("GIT_COMMITTER_EMAIL=%s", ask->role->address));
}

/* The environment of a program: where it works, and the way to us. */
static char **
program_env(const Think *ask, const Port *port)
{
    g_autoptr(GPtrArray) env = g_ptr_array_new();
    g_ptr_array_add(env, g_strdup_printf("POSTRIDER_JOB=%" G_GINT64_FORMAT, ask->job->id.v));
    g_ptr_array_add(env, g_strdup_printf("POSTRIDER_ROLE=%s", ask->role->name));
    g_ptr_array_add(env, g_strdup_printf("POSTRIDER_WORK=%s", work_path(ask)));
    if (port) {
        g_ptr_array_add(env, g_strdup_printf("POSTRIDER_PORT=%s", port_path(port)));
        g_ptr_array_add(env, g_strdup_printf("POSTRIDER_IN=%s", ask->place->in));
        g_ptr_array_add(env, g_strdup_printf("POSTRIDER_OUT=%s", ask->place->out));
    }
    if (ask->place && ask->place->tree)
        add_git(ask, env);
    g_ptr_array_add(env, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&env), FALSE);
}

static void
fill_question(const Think *ask, char **env, BrainAsk *ret)
{
    *ret = (BrainAsk){.conf = ask->brain,
                      .home = ask->engine->home->path,
                      .prompt = ask->prompt,
                      .cwd = ask->place ? ask->place->cwd
                             : ask->cwd ? ask->cwd
                                        : ask->engine->home->path,
                      .env = (const char *const *)env,
                      .why_again = ask->why_again,
                      .last_answer = ask->last_answer,
                      .schema = ask->schema,
                      .lacks = ask->lacks,
                      .budget_micro = ask->budget_micro,
                      .bare = ask->bare,
                      .total_iterations = ask->job->steps,
                      .clock = &ask->engine->home->clock};
    if (ask->context) {
        ret->system = context_system(ask->context);
        ret->files = context_files(ask->context, &ret->n_files);
    }
    const Session *s = ask->in->session;
    if (!s)
        return;
    ret->session = ask->in->resumed ? s->id : NULL;
    ret->new_session = ask->in->resumed ? NULL : s->id;
    ret->session_usage = (BrainUsage){s->input, s->output, s->cache_read, s->cache_write};
}

/* The command of the wall, which stands in front of the program's, when everything that the
 * program needs is there; *ret NULL: no wall. */
static bool
build_wall(const Think *ask, const Port *port, BrainAsk *question, char ***ret, GError **error)
{
    const Home *home = ask->engine->home;
    g_autofree char *program = NULL;
    *ret = NULL;
    if (!config_is_program(ask->brain) || !work_path(ask))
        return true;
    program = brain_program(ask->brain, home->path);
    const WallView view = {.engine = ask->engine,
                           .job = ask->job,
                           .role = ask->role,
                           .brain = ask->brain,
                           .work = work_path(ask),
                           .cwd = question->cwd,
                           .port = port ? port_path(port) : NULL,
                           .program = program};
    if (!wall_argv(&view, ret, error))
        return false;
    question->wrap = (const char *const *)*ret;
    question->walled = *ret != NULL;
    return true;
}

/* Mail, notes and todos as tools of the agent's own; *ret NULL: its kind takes none. The path
 * of the port is an argument, since a client may clean the environment of its servers. */
static bool
offer_mcp(const Think *ask, const Port *port, BrainAsk *question, char ***ret, GError **error)
{
    if (!port || !brain_keeps_session(ask->brain))
        return true;
    g_autofree char *front = proc_helper_path("postrider", error);
    if (!front)
        return false;
    const char *const argv[] = {front, "mcp", "--port", port_path(port), NULL};
    *ret = g_strdupv((char **)(void *)argv);
    question->mcp = (const char *const *)*ret;
    return true;
}

int64_t
think_most(const Think *ask)
{
    BrainAsk question;
    fill_question(ask, NULL, &question);
    return brain_most(&question);
}

/* Who decides about its tool calls; NULL in *ret: its kind asks nobody. */
static bool
open_desk(const Think *ask, Port *port, BrainAsk *question, PermitDesk **ret, GError **error)
{
    if (!ask->place)
        return true;
    *ret = permit_desk_new(ask->engine, ask->job, ask->claim, ask->in, ask->role, ask->brain,
                           ask->place);
    port_set_desk(port, *ret);
    return !*ret || permit_set_up(*ret, question, error);
}

static void
loop_clear(Loop *loop)
{
    live_write(&loop->live, true);
    live_clear(&loop->live);
    steer_clear(&loop->steer);
    g_clear_error(&loop->failed);
}

/* By its number, unless its face has another name for it. */
static void
open_window(const Think *ask)
{
    const FaceOps *face = engine_face(ask->engine, ask->job->face);
    g_auto(GStrv) watch = face && face->watched ? face->watched(ask->engine, ask->job) : NULL;
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, ask->job->id.v);
    const char *const by_number[] = {number, NULL};
    window_open(ask->engine->home, ask->role->name, watch ? (const char *const *)watch : by_number);
}

bool
think(const Think *ask, Thought *ret, GError **error)
{
    g_autoptr(Port) port = NULL;
    g_autoptr(BrainCall) call = NULL;
    g_autoptr(PermitDesk) desk = NULL;
    g_auto(GStrv) env = NULL, wall = NULL, mcp = NULL;
    auto_fd log = -1;
    Loop loop = {.ask = ask,
                 .drain_us = USEC_NEVER,
                 .rest_us = clock_mono_us() + REST_AFTER_US,
                 .live = {.engine = ask->engine, .claim = ask->claim, .said = &ask->in->said},
                 .steer = {.ask = ask}};
    BrainAsk question;
    if (!find_timers(&loop, error))
        return false;
    snapshot_end(ask->engine->db); /* what was read before the question */
    if (ask->place &&
        !port_open(ask->engine, ask->job, ask->claim, ask->in, ask->place->path, &port, error))
        return false;
    loop.port = loop.steer.port = port;
    if (work_path(ask))
        env = program_env(ask, port);
    fill_question(ask, env, &question);
    if (ask->place) {
        question.log_fd = log = workplace_log(ask->place);
        question.said = hear;
        question.said_data = &loop;
    }
    if (!open_desk(ask, port, &question, &desk, error) ||
        !build_wall(ask, port, &question, &wall, error) ||
        !offer_mcp(ask, port, &question, &mcp, error) ||
        !brain_start(&question, &call, error)) {
        loop_clear(&loop);
        return false;
    }
    if (ask->place && ask->role->tmux)
        open_window(ask);
    loop.call = loop.steer.call = call;
    bool ended = run_loop(&loop, &ret->end, error);
    /* Who came to an end has read its page, whatever the answer is worth. */
    if (ended && ret->end == THINK_ANSWERED && brain_answer(call)->end <= BRAIN_FAILED)
        ended = note_heard(&loop, error) && say_goes_on(&loop, error);
    end_leftovers(ask);
    loop_clear(&loop);
    if (!ended)
        return false;
    ret->port_answered = port && port_answered(port);
    ret->port_steps = port ? port_steps(port) : 0;
    if (port)
        port_account(port, ask->in);
    ret->call = g_steal_pointer(&call);
    ret->desk = g_steal_pointer(&desk);
    return true;
}
