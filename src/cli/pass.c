#include "cli/pass.h"
#include "base/banned.h"
#include "engine/deliver.h"
#include "engine/intake.h"
#include "engine/recover.h"
#include "engine/run.h"

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
        if (!intake_open(engine, &config->accounts[i], wait_ms, &intake, error) ||
            !intake_pass(intake, &in, error))
            return false;
        stats->mails += in.taken;
    }
    return true;
}

static bool
work_off(Engine *engine, PassStats *stats, GError **error)
{
    bool got = true;
    while (got) {
        RunStats run = {0};
        if (!run_one(engine, (JobId){0}, &run, &got, error))
            return false;
        stats->jobs += run.jobs;
        stats->steps += run.steps;
    }
    return true;
}

bool
pass_run(Engine *engine, int wait_ms, PassStats *ret, GError **error)
{
    RecoverStats recovered;
    *ret = (PassStats){0};
    if (!recover_sweep(engine, &recovered, error))
        return false;
    for (int i = 0; i < PASS_ROUNDS; i++) {
        PassStats before = *ret;
        DeliverStats out = {0};
        if (!deliver_pass(engine->home, engine->db, 0, false, &out, error) ||
            !take_in(engine, wait_ms, ret, error) || !work_off(engine, ret, error))
            return false;
        ret->sent += out.sent;
        if (ret->mails == before.mails && ret->jobs == before.jobs && ret->sent == before.sent)
            break;
    }
    return true;
}
