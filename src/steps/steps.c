#include "steps/steps.h"
#include "base/banned.h"
#include "steps/answer.h"
#include "steps/letter.h"
#include "steps/loop.h"
#include "steps/prompt.h"
#include "steps/source.h"

static bool
claims_all(const Engine *engine, const MsgNew *in, const Message *m)
{
    return true;
}

static bool
by_steps(const ConfRole *role)
{
    return role && g_str_equal(role->mode, "steps");
}

static bool
context(Engine *engine,
        const Job *job,
        const ConfRole *role,
        const StepInput *in,
        const char *workdir,
        Context *c,
        GError **error)
{
    return by_steps(role) ? prompt_fill(engine, job, role, in, c, error)
                          : letter_context(engine, job, role, in, workdir, c, error);
}

static bool
answer(Engine *engine,
       const Job *job,
       const StepInput *in,
       const char *text,
       Proposal **ret_p,
       GError **error)
{
    return by_steps(config_role(engine->home->config, job->role))
               ? loop_answer(engine, job, in, text, ret_p, error)
               : letter_propose(engine, job, in, text, ret_p, error);
}

const FaceOps face_steps = {
    .name = "steps",
    .schema = answer_schema,
    .claims = claims_all,
    .context = context,
    .answer = answer,
    .next_round = loop_next_round,
    .recall = source_recall,
};
