/*
 * The spare run's side of serve/spare.c: what every run needs is made ready while nobody waits
 * for it, then it sleeps until the master has work. The word stays in the pipe, so that a run
 * which begins again, with newer settings or as a newer program, is not asleep then.
 */
#include "base/crash.h"
#include "base/proc.h"
#include "engine/mail_load.h"
#include "engine/run/run_internal.h"
#include "engine/wall/wall.h"
#include "mail/message.h"
#include "store/job/jobs.h"
#include <poll.h>

/* Takes the path of a claim. There is no job of that number, so nothing is decided. */
static bool
rehearse_claim(Run *run, GError **error)
{
    g_auto(Txn) txn = {.db = run->engine->db, .flush = TXN_LAZY};
    JobClaim claim;
    bool got;

    if (!run_before_claim(run, (JobId){0}, error))
        return false;
    while (txn_again(&txn, error))
        txn.ok = job_claim(&txn, (JobId){-1}, USEC_NEVER, JOB_NO_MARK, &claim, &got, error);
    return txn.done;
}

/* Builds the page of the newest job that came to its end, and throws it away: that reads and
 * changes nothing else. */
static bool
rehearse_page(Run *run, GError **error)
{
    const JobQuery query = {.state = "done", .limit = 1};
    g_autoptr(Jobs) jobs = NULL;
    g_auto(Task) t = {.run = run};

    if (!jobs_list(run->engine->db, &VIEWER_OPERATOR, &query, &jobs, error))
        return false;
    if (jobs->len == 0)
        return true;
    t.claim.job = ((const Job *)jobs->pdata[0])->id;
    if (!run_load(&t, error) || !t.role || !t.brain || !t.mode || t.mode->led || t.face)
        return false;
    g_autofree char *page = run_context(&t, "", error);
    return page != NULL;
}

/* Does early what takes longest the first time: statements of the store, its pages, the parser
 * of mail, digests, the trial of the wall. Nothing depends on the results, and the run itself
 * will report what is wrong. */
static void
warm_up(Run *run)
{
    const Config *config = run->engine->home->config;

    for (unsigned i = 0; i < config->n_roles; i++) {
        const ModeOps *mode = engine_mode(run->engine, &config->roles[i]);

        if (mode && !mode->led)
            (void)wall_lacks(&config->roles[i]);
    }
    message_prepare();
    (void)(rehearse_claim(run, NULL) && rehearse_page(run, NULL));
    mails_forget(run->engine);
    engine_clear(run->engine);
}

/* False: there will be no word, or we are asked to end. */
static bool
wait_for_word(Run *run, int word_fd)
{
    struct pollfd fds[] = {{.fd = word_fd, .events = POLLIN},
                           {.fd = run->signal_fd, .events = POLLIN}};

    while (!run_called_off(run)) {
        if (fds[0].revents)
            return fds[0].revents & POLLIN;
        (void)poll(fds, G_N_ELEMENTS(fds), -1);
    }
    return false;
}

int
run_spare(Engine *engine, int word_fd, int max_iterations)
{
    auto_fd signals = proc_watch_signals(run_signals, NULL);
    RunStats stats = {0};
    Run run = {
        .engine = engine, .signal_fd = signals, .stats = &stats, .limits.mark = JOB_NO_MARK};

    warm_up(&run);
    CRASH_POINT("spare-waits");
    if (!wait_for_word(&run, word_fd))
        return 0;
    CRASH_POINT("spare-begins");
    if (proc_outdated() || home_outdated(engine->home))
        return ENGINE_AGAIN;
    return run_main(engine, (JobId){0}, max_iterations);
}
