#include "steps/mode_steps.h"
#include "steps/answer.h"
#include "steps/loop.h"
#include "steps/prompt.h"
#include "steps/source.h"

static GBytes *
next_round(GBytes *bytes)
{
    g_autoptr(StepState) last = NULL;
    if (!state_parse(bytes, &last, NULL))
        return NULL;
    g_autoptr(StepState) next = state_next_round(last);
    return state_format(next);
}

static void
summary(GBytes *bytes, ModeSummary *ret)
{
    g_autoptr(StepState) state = NULL;
    if (!state_parse(bytes, &state, NULL))
        return;
    ret->phase = g_strdup(phase_name(state->phase));
    ret->note = g_strdup(state->working_note);
    ret->bundle = g_strdup(state->bundle_key);
    for (guint i = 0; i < state->note_keys->len; i++)
        g_ptr_array_add(ret->note_keys, g_strdup(g_ptr_array_index(state->note_keys, i)));
    LIST_EACH(const MailRef, ref, state->mail_refs) {
        ModeMail *mail = g_new0(ModeMail, 1);
        mail->msgid = g_strdup(ref->message_id);
        mail->folder = g_strdup(ref->folder);
        mode_mails_add(ret->mails, mail);
    }
}

/* In the order of the first continuations. A job that was not asked yet is in no phase of
 * ours. */
static bool
members(GBytes *bytes, json_t *document, GError **error)
{
    g_autoptr(StepState) state = NULL;
    if (!state_parse(bytes, &state, error))
        return false;
    g_autoptr(json_t) all = state_to_json(state);
    if (!bytes)
        json_object_del(all, "current_phase");
    json_object_update(document, all);
    return true;
}

/* A state that can't be read is kept too: the job's next run says what is wrong with it. */
static bool
restore(const json_t *document, GBytes **ret_state, GError **error)
{
    g_autoptr(StepState) state = NULL;
    if (state_from_json(document, &state, NULL)) {
        *ret_state = state_format(state);
        return true;
    }
    char *whole = json_format(document);
    *ret_state = g_bytes_new_take(whole, strlen(whole));
    return true;
}

const ModeOps mode_steps = {
    .mode = MODE_STEPS,
    .schema = answer_schema,
    .led = true,
    .context = prompt_fill,
    .answer = loop_answer,
    .recall = source_recall,
    .next_round = next_round,
    .summary = summary,
    .members = members,
    .restore = restore,
};
