#pragma once

/* An engine over a home of its own, mail that was taken in as intake does it, and a claim on
 * its job: what a run has in hand when it asks a brain. */
#include "../store/testhome.h"
#include "cli/faces.h"
#include "engine/face.h"
#include "engine/run/commit.h"
#include "mail/maildir.h"
#include "mail/message.h"
#include "store/job/jobs.h"
#include "store/mail/messages.h"

typedef struct TestWork {
    Home *home;
    Engine engine;
    JobId id;
    Job *job;
    JobClaim claim;
    StepInput in;
    const char *face; /* of the job; NULL: none */
} TestWork;

static inline void
work_open(TestWork *w, gconstpointer data)
{
    *w = (TestWork){.home = test_home_new()};
    w->engine = (Engine){.home = w->home,
                         .db = test_db_open(w->home, DB_WRITE),
                         .modes = cli_parts.modes,
                         .faces = cli_parts.faces};
    g_assert_true(faces_open(&w->engine, NULL));
}

static inline void
work_close(TestWork *w, gconstpointer data)
{
    job_free(w->job);
    g_clear_pointer(&w->in.shown, msg_rows_free);
    db_close(w->engine.db);
    test_home_free(w->home);
}

/* Files it in the role's INBOX; returns the name. */
static inline char *
work_file(TestWork *w, const char *role, const char *raw)
{
    static unsigned n;
    g_autoptr(GError) error = NULL;
    g_autoptr(Maildir) md = NULL;
    char *base = g_strdup_printf("test.%u", ++n);
    bool there;

    g_assert_true(maildir_open(w->home->mail_fd, role, true, &md, &error));
    maildir_deliver(md, "", base, NULL, "", raw, strlen(raw), &there, &error);
    g_assert_no_error(error);
    return base;
}

/* The first mail of a role makes its job, which the next ones join. */
static inline MsgId
work_take_in(TestWork *w, const char *role, const char *raw, Trust trust, MsgState state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_TEXT, NULL);
    g_autofree char *file = work_file(w, role, raw);
    bool mine = g_str_equal(role, "envoy") && state == MSG_STORED;
    MsgNew in = {.role = role,
                 .account = "main",
                 .folder = "",
                 .file = file,
                 .mail = m,
                 .trust = trust,
                 .floor = trust,
                 .class = MSG_TASK,
                 .state = state,
                 .round = 1};
    g_auto(Txn) txn = test_begin(w->engine.db);
    MsgId id;
    bool fresh;

    g_assert_true(messages_thread(&txn, m, &in.thread, &error));
    g_assert_true(messages_store(&txn, &in, &id, &fresh, &error));
    int round = 1;
    if (mine && w->id.v) {
        g_assert_true(job_take_mail(
            &txn, w->id,
            &(JobNew){.original = id, .asker = m->from->spec, .original_msgid = m->id}, &round,
            &error));
    } else if (mine) {
        const JobNew job = {.role = role,
                            .face = w->face ? w->face : "",
                            .subject = m->subject,
                            .asker = m->from->spec,
                            .original_msgid = m->id,
                            .thread = in.thread,
                            .original = id};
        g_assert_true(job_create(&txn, &job, &w->id, &error));
    }
    if (mine)
        g_assert_true(messages_set_job(&txn, id, w->id, round, &error));
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}

/* Claims the job and loads what is open: the beginning of a run. */
static inline void
work_claim(TestWork *w)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(w->engine.db);
    bool got;

    job_claim(&txn, w->id, TEST_NOW + 60 * USEC_PER_SEC, JOB_NO_MARK, &w->claim, &got, &error);
    g_assert_no_error(error);
    g_assert_true(got);
    test_commit(&txn);
    g_clear_pointer(&w->job, job_free);
    g_clear_pointer(&w->in.shown, msg_rows_free);
    g_assert_true(job_load(w->engine.db, &all, w->id, &w->job, &error));
    g_assert_true(messages_open(w->engine.db, w->id, &w->in.shown, &error));
    w->in.floor = TRUST_PRINCIPAL;
    w->in.deadline_us = w->job->deadline_us;
}

static inline const ConfRole *
work_role(const TestWork *w)
{
    return config_role(w->home->config, "envoy");
}
