/*
 * The session of a program: which one it goes on with. Its name is in the store, under the
 * claim, before the program can answer, so whoever comes after a crash, a drain or a failed try
 * goes on where the last one was.
 */
#include "base/crash.h"
#include "base/log.h"
#include "engine/run/run_internal.h"
#include "store/job/sessions.h"

/* Where it works: beneath the home by the way from there, so that a home may be moved.
 * Borrowed. */
static const char *
folder_of(const Task *t, const Workplace *place)
{
    const char *home = t->run->engine->home->path;
    bool ours = g_str_has_prefix(place->cwd, home) && place->cwd[strlen(home)] == '/';
    return ours ? place->cwd + strlen(home) + 1 : place->cwd;
}

static bool
is_of(const Session *s, const Task *t, const Workplace *place)
{
    return g_str_equal(s->brain, t->brain->name) && g_str_equal(s->kind, brain_kind_word(t->brain->kind)) &&
           g_str_equal(s->folder, folder_of(t, place)) && !*s->host;
}

/* A session that knows nothing yet; the page that begins it holds all that the job knows. */
static Session *
new_session(const Task *t, const Workplace *place)
{
    Session *s = g_new0(Session, 1);
    s->job = t->job->id;
    s->brain = g_strdup(t->brain->name);
    s->kind = g_strdup(brain_kind_word(t->brain->kind));
    s->folder = g_strdup(folder_of(t, place));
    s->host = g_strdup("");
    s->id = g_uuid_string_random();
    s->heard = g_strdup("");
    s->instructions = g_strdup("");
    s->step = t->job->steps;
    s->told_us = home_now(t->run->engine->home);
    return s;
}

static void
set_session(Task *t, Session *s, bool resumed)
{
    session_free(t->in.session);
    t->in.session = s;
    t->in.resumed = resumed;
}

bool
run_session_find(Task *t, const Workplace *place, GError **error)
{
    g_autoptr(Session) known = NULL;
    set_session(t, NULL, false);
    if (!place || !brain_keeps_session(t->brain))
        return true;
    if (!session_load(t->run->engine->db, t->job->id, &known, error))
        return false;
    if (known && known->began && is_of(known, t, place))
        set_session(t, g_steal_pointer(&known), true);
    else
        set_session(t, new_session(t, place), false);
    return true;
}

bool
run_session_begin(Task *t, GError **error)
{
    /* Not flushed: without its row a power loss begins a session anew, with the whole page. */
    g_auto(Txn) txn = {.db = t->run->engine->db, .flush = TXN_LAZY};
    if (!t->in.session || t->in.resumed)
        return true;
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, &t->claim, t->in.deadline_us, error) &&
                 session_put(&txn, t->in.session, error);
    CRASH_POINT("session-chosen");
    return txn.done;
}

bool
run_session_again(Task *t)
{
    t->in.resumed = t->in.session && t->in.session->began;
    return t->in.resumed;
}

bool
run_session_anew(Task *t, const Workplace *place, GError **error)
{
    g_auto(Txn) txn = {.db = t->run->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, &t->claim, t->in.deadline_us, error) &&
                 session_forget(&txn, t->job->id, error);
    if (!txn.done)
        return false;
    log_event(LOG_WARN, "the session is gone, another one begins", "brain", t->brain->name,
              NULL);
    set_session(t, new_session(t, place), false);
    return true;
}

/* Keeps what the next question must know of the session. */
static void
take_usage(Session *s, const BrainAnswer *answer)
{
    if (answer->session && !g_str_equal(answer->session, s->id)) {
        g_free(s->id);
        s->id = g_strdup(answer->session);
    }
    s->input = answer->session_usage.input;
    s->output = answer->session_usage.output;
    s->cache_read = answer->session_usage.cache_read;
    s->cache_write = answer->session_usage.cache_write;
}

bool
run_session_used(Task *t, const BrainAnswer *answer, GError **error)
{
    Session *s = t->in.session;
    const BrainUsage none = {0};
    g_auto(Txn) txn = {.db = t->run->engine->db, .flush = TXN_LAZY};
    if (!s || !s->began || memcmp(&answer->session_usage, &none, sizeof none) == 0)
        return true;
    take_usage(s, answer);
    while (txn_again(&txn, error))
        txn.ok = session_used(&txn, s, error);
    return txn.done;
}
