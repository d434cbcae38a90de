#include "cli/home/pass.h"
#include "cli/job/step_lines.h"
#include "cli/net.h"
#include "engine/checkpoint/recover.h"
#include "engine/face.h"
#include "engine/in/intake.h"
#include "engine/out/deliver.h"
#include "engine/run/run.h"
#include "store/age.h"
#include "store/job/step_rows.h"
#include "store/mail/mailboxes.h"

/* More rounds than any sane home needs in one pass: roles that mail each other come to an end.
 */
#define PASS_ROUNDS 1000

static bool
take_in(Engine *engine, int wait_ms, PassStats *stats, GError **error)
{
    const Config *config = engine->home->config;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        g_autoptr(Intake) intake = NULL;
        IntakeStats in = {0};
        if (config_is_imap(&config->accounts[i]))
            continue;
        if (!intake_open(engine, &config->accounts[i], wait_ms, &intake, error) ||
            !intake_pass(intake, &in, error))
            return false;
        stats->mails += in.taken;
    }
    return true;
}

static bool
work_off(Engine *engine, const RunLimits *limits, PassStats *stats, GError **error)
{
    bool got = true;
    while (got) {
        RunStats run = {0};
        if (!run_one(engine, (JobId){0}, limits, &run, &got, error))
            return false;
        stats->jobs += run.jobs;
        stats->steps += run.steps;
        stats->said += run.said;
    }
    return true;
}

/* Where this program can, and nobody else is at it. */
static bool
send_out(Engine *engine, PassStats *stats, GError **error)
{
    g_autoptr(GError) failed = NULL;
    SubmitStats out = {0};
    if (!net_submit.pass || !config_way_out(engine->home->config, NULL))
        return true;
    if (!net_submit.pass(engine, 0, &out, &failed) && !err_is(failed, ERR_LATER))
        return err_pass(error, g_steal_pointer(&failed));
    stats->sent += out.sent;
    return true;
}

bool
pass_take_in(Engine *engine, int wait_ms, GError **error)
{
    PassStats stats = {0};

    return take_in(engine, wait_ms, &stats, error);
}

bool
pass_visited(Engine *engine,
             int wait_ms,
             int max_iterations,
             int64_t mark,
             PassStats *stats,
             GError **error)
{
    RecoverStats recovered;
    RunLimits limits = {.max_iterations = max_iterations,
                        .committed = step_lines_wanted() ? step_lines_show : NULL,
                        .mark = mark};
    unsigned looked;
    if (!age_check(engine->db, error) || !recover_sweep(engine, &recovered, error) ||
        !faces_look(engine, &looked, error))
        return false;
    for (int i = 0; i < PASS_ROUNDS; i++) {
        PassStats before = *stats;
        DeliverStats out = {0};
        if (!deliver_pass(engine->home, engine->db, 0, false, &out, error) ||
            !take_in(engine, wait_ms, stats, error) ||
            !work_off(engine, &limits, stats, error) || !send_out(engine, stats, error))
            return false;
        stats->sent += out.sent;
        if (stats->mails == before.mails && stats->jobs == before.jobs &&
            stats->sent == before.sent && stats->said == before.said)
            break;
    }
    return true;
}

bool
pass_run(Engine *engine, int max_iterations, PassStats *ret, GError **error)
{
    int64_t mark;
    *ret = (PassStats){0};
    return mailboxes_unwatched(engine->db, error) && steps_mark(engine->db, &mark, error) &&
           pass_visited(engine, 0, max_iterations, mark, ret, error);
}

bool
pass_unless_served(Engine *engine, int max_iterations, GError **error)
{
    g_autoptr(GError) why = NULL;
    PassStats stats;
    if (pass_run(engine, max_iterations, &stats, &why) || err_is(why, ERR_LATER))
        return true;
    g_propagate_error(error, g_steal_pointer(&why));
    return false;
}
