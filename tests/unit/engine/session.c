/* How a session begins, and when it gets no job. */
#include "engine/session.h"
#include "base/err.h"
#include "testwork.h"

static const SessionMail mail = {
    .role = "envoy", .subject = "s", .text = "Go.", .session = "test"};

static void
test_begin_and_take(TestWork *w, gconstpointer data)
{
    g_autoptr(JobSession) first = NULL, second = NULL;
    g_autoptr(GError) error = NULL;
    JobId job;

    session_begin(&w->engine, &mail, &first, &job, &error);
    g_assert_no_error(error);
    g_assert_cmpint(first->job->id.v, ==, job.v);
    g_assert_cmpint(first->job->state, ==, JOB_RUNNING);
    g_assert_cmpstr(first->job->session, ==, "test");

    /* Another process works on it. */
    session_take(&w->engine, job, "other", &second, &error);
    g_assert_no_error(error);
    g_assert_null(second);
    g_assert_true(session_reload(first, &error));
    g_assert_cmpstr(first->job->session, ==, "test");

    /* It has left the job. */
    g_clear_pointer(&first, session_close);
    session_take(&w->engine, job, "other", &second, &error);
    g_assert_no_error(error);
    g_assert_cmpint(second->job->id.v, ==, job.v);
    g_assert_cmpstr(second->job->session, ==, "other");
}

static void
test_ask(TestWork *w, gconstpointer data)
{
    g_autofree char *folder = g_build_filename(w->home->path, "scripts", NULL);
    const SessionAsk ask = {.brain = {.conf = config_brain(w->home->config, "b"),
                                      .prompt = "Well?",
                                      .cwd = w->home->path},
                            .until_us = USEC_NEVER};
    g_autoptr(JobSession) s = NULL;
    g_autoptr(BrainCall) call = NULL;
    g_autoptr(GError) error = NULL;
    SessionEnd end;

    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    test_write(folder, "demo.jsonl", "{\"status\":\"complete\"}\n");
    g_assert_true(session_begin(&w->engine, &mail, &s, NULL, &error));
    bool ok = session_ask(s, &ask, &end, &call, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_assert_cmpint(end, ==, SESSION_ANSWERED);
    g_assert_cmpstr(brain_answer(call)->failed, ==, NULL);
    g_assert_nonnull(strstr(brain_answer(call)->text, "complete"));
}

/* Nothing has begun where the mail can't be filed, or nobody is there to work. */
static void
test_refused(TestWork *w, gconstpointer data)
{
    SessionMail nobodys = mail;
    g_autofree char *box = g_build_filename(w->home->path, "mail", "envoy", NULL);
    g_autoptr(JobSession) s = NULL;
    g_autoptr(GError) error = NULL;
    JobId job = {0};

    nobodys.role = "nobody";
    g_assert_false(session_begin(&w->engine, &nobodys, &s, &job, &error));
    g_assert_nonnull(error);
    g_clear_error(&error);

    test_write(w->home->path, "mail/envoy", "a file in its place");
    g_assert_false(session_begin(&w->engine, &mail, &s, &job, &error));
    g_assert_nonnull(error);
    g_assert_null(s);
    g_assert_cmpint(job.v, ==, 0);
    g_assert_cmpint(g_unlink(box), ==, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/session/begin", TestWork, NULL, work_open, test_begin_and_take, work_close);
    g_test_add("/session/ask", TestWork, NULL, work_open, test_ask, work_close);
    g_test_add("/session/refused", TestWork, NULL, work_open, test_refused, work_close);
    return g_test_run();
}
