#include "steps/loop.h"
#include "base/log.h"
#include "mail/address.h"
#include "mail/msgid.h"
#include "notes/notes.h"
#include "notes/repair.h"
#include "steps/gather.h"
#include "steps/mails.h"
#include "store/out/outbox.h"

/* --- notes --- */

/* False: the content can't be understood; the write has failed, and the state says so. */
static bool
propose_write(Turn *t, const AnswerWrite *write)
{
    g_autofree char *what = NULL;
    g_autofree char *body = note_repair(write->content, &what);
    if (!body) {
        state_add_result(t->state, "note %s was not written: %s", write->key, what);
        g_free(t->p->why);
        t->p->why = g_strdup_printf(COULD_NOT_CHANGE "%s (%s)", write->key, what);
        return false;
    }
    if (what)
        log_event(LOG_INFO, "mended what a note was wrapped in", "key", write->key, "what",
                  what, NULL);
    ProposedNote *note =
        proposal_add_note(t->p, write->append ? NOTE_APPEND : NOTE_REPLACE, write->key);
    note->body = g_bytes_new(body, strlen(body));
    note->if_version = write->if_version;
    state_forgive(t->state, write->key);
    t->fresh |= state_say(t->state, write->key, body);
    return true;
}

static bool
propose_notes(Turn *t)
{
    const Answer *a = t->answer;
    bool all = true;
    t->fresh |= a->rename_notes->len + a->delete_notes->len > 0;
    LIST_EACH(const AnswerWrite, write, a->write_notes)
        all &= propose_write(t, write);
    LIST_EACH(const AnswerRename, r, a->rename_notes) {
        proposal_add_note(t->p, NOTE_RENAME, r->from)->to = g_strdup(r->to);
        state_rename_note(t->state, r->from, r->to);
    }
    LIST_EACH(const char, key, a->delete_notes) {
        proposal_add_note(t->p, NOTE_DELETE, key);
        state_drop(t->state, key);
    }
    return all;
}

/* --- acts --- */

/* Proposes an act. If the act is refused, the brain is told so, and the step does not end the
 * job as it said. */
static bool
propose_act(Turn *t, const ProposedAct *act, GError **error)
{
    g_autoptr(GError) refused = NULL;
    g_autofree char *said = json_format(act->args);
    if (act_propose(t->engine, t->job, t->in, act->ops, act->args, t->p, &refused)) {
        t->fresh |= state_say(t->state, act->ops->name, said);
        return true;
    }
    if (!err_is(refused, ERR_NEVER) && !err_is(refused, ERR_LIMIT))
        return err_pass(error, g_steal_pointer(&refused));
    state_add_result(t->state, "%s was not done: %s", act->ops->name, refused->message);
    t->p->status = PROPOSE_CONTINUE;
    g_free(t->p->why);
    t->p->why = g_strdup_printf("%s was refused: %s", act->ops->name, refused->message);
    return true;
}

static bool
propose_acts(Turn *t, GError **error)
{
    LIST_EACH(const ProposedAct, act, t->answer->acts)
        if (!propose_act(t, act, error))
            return false;
    return true;
}

/* --- how the step ends --- */

/* Did this round write to anybody yet? Acknowledgements and checkpoints are no answers. */
static bool
has_mailed(const Turn *t, bool *ret, GError **error)
{
    const Job *job = t->job;
    g_autoptr(OutRows) rows = NULL;
    OutQuery q = {.job = job->id, .all = true, .limit = 200};
    if (!outbox_list(t->engine->db, &VIEWER_OF(job->role), &q, &rows, error))
        return false;
    *ret = false;
    LIST_EACH(const OutRow, row, rows)
        *ret |= row->round == job->round && row->step > 0 &&
                !address_equal(row->from, row->address);
    return true;
}

/* *ret is true when this round has written a note. */
static bool
has_noted(const Turn *t, bool *ret, GError **error)
{
    const Job *job = t->job;
    g_autoptr(Notes) notes = NULL;
    if (!notes_list(t->engine->db, &VIEWER_OF(job->role), "", &notes, error))
        return false;
    *ret = false;
    LIST_EACH(const Note, note, notes)
        *ret |= note->job.v == job->id.v && note->step > job->steps - job->total_iterations;
    return true;
}

/* "Done" without an answer or an effect is refused once, then it is a failure. */
static bool
check_complete(Turn *t, GError **error)
{
    Proposal *p = t->p;
    bool written =
        p->mails->len > 0 || p->notes->len > 0 || p->acts->len > 0 || t->state->acted;
    if (!written && (!step_may_be_silent(t->engine, t->in, &written, error) ||
                     (!written && !has_mailed(t, &written, error)) ||
                     (!written && !has_noted(t, &written, error))))
        return false;
    if (written)
        return true;
    if (t->state->refused_empty_complete)
        return proposal_fail(p, t->engine, t->job,
                             "the brain said twice that it was done, and had done nothing",
                             NULL, error);
    t->state->refused_empty_complete = true;
    state_add_result(
        t->state, "complete was refused: nothing was sent or saved in this round. Answer the "
                  "person who asked, or escalate");
    p->status = PROPOSE_CONTINUE;
    p->why = g_strdup("said that it was done, with nothing sent or saved: refused");
    return true;
}

/* The shortest wait before a person is reminded of a question, or the owner is asked about
 * it. */
#define ACT_AFTER_US (3600 * USEC_PER_SEC)

static void
set_wait(Turn *t)
{
    const AnswerWait *wait = &t->answer->wait;
    Proposal *p = t->p;
    static const WaitThen thens[] = {[ANSWER_THEN_REMIND] = WAIT_REMIND,
                                     [ANSWER_THEN_ESCALATE] = WAIT_ESCALATE,
                                     [ANSWER_THEN_GO_ON] = WAIT_CONTINUE};
    int64_t now = home_now(t->engine->home), at = wait->until_us;
    bool told = true;
    p->status = PROPOSE_PARK;
    p->wait_then = thens[wait->then];
    if (at && at <= now && p->wait_then != WAIT_CONTINUE) {
        at = now + ACT_AFTER_US; /* a model that can't tell the time */
        told = false;
    }
    p->resume = at ? (Due){at, told} : DUE_NEVER;
    state_set_last(t->state, "waiting", at);
    g_autofree char *until = at ? clock_format_iso(at) : NULL;
    if (wait->for_time)
        p->waiting_for = g_strdup_printf("%s", until);
    else
        p->waiting_for =
            g_strdup_printf("a reply%s%s", until ? ", at most until " : "", until ? until : "");
}

/* The brain was told that nobody can answer, and waits all the same: whoever asked can. */
static void
tell_of_wait(Turn *t)
{
    ProposedMail *mail = proposal_add_mail(t->p);
    mail->plain = true;
    g_ptr_array_add(mail->to, g_strdup(t->job->asker));
    mail->in_reply_to = g_strdup(t->job->original_msgid);
    mail->body = g_strdup_printf(
        "I wait for %s, and have asked nobody for one. Reply with what I should know, CONTINUE "
        "to let me go on without it, or CANCEL.\n\nWhat I know:\n\n%s",
        t->p->waiting_for, *t->state->working_note ? t->state->working_note : "(nothing yet)");
}

/* A wait for a reply of nobody is refused once, then whoever asked hears of it. */
static bool
check_wait(Turn *t, GError **error)
{
    bool asked = t->answer->wait.for_time || t->p->mails->len > 0;
    if (!asked && !has_mailed(t, &asked, error))
        return false;
    if (asked || t->state->refused_waiting) {
        set_wait(t);
        if (!asked)
            tell_of_wait(t);
        return true;
    }
    t->state->refused_waiting = true;
    state_add_result(t->state,
                     "waiting was refused: nobody was asked in this round, so nobody can "
                     "reply. Ask in send_emails of the same answer, wait for a time, or "
                     "go on");
    t->p->status = PROPOSE_CONTINUE;
    t->p->why = g_strdup("wanted to wait for a reply, with nobody asked: refused");
    return true;
}

static void
propose_moves(Proposal *p, const Answer *a)
{
    LIST_EACH(const MailRef, ref, a->move_emails) {
        g_autofree char *id = msgid_parse(ref->message_id);
        if (!id)
            continue; /* no mail can have it */
        ProposedMove *move = g_new0(ProposedMove, 1);
        move->msgid = g_steal_pointer(&id);
        move->folder = g_strdup(ref->folder);
        proposed_moves_add(p->moves, move);
    }
}

/* The same nothing three times: one question to the owner instead of a fourth. */
_Static_assert(LOOP_IDLE_MAX == 3, "the words below say how often");
static void
stop_without_progress(Turn *t)
{
    Proposal *p = t->p;
    ProposedMail *mail = proposal_add_mail(p);
    p->status = PROPOSE_LIMIT;
    g_free(p->why);
    p->why = g_strdup("no progress in three steps");
    g_ptr_array_add(mail->to, g_strdup(t->engine->home->config->owner));
    mail->in_reply_to = g_strdup(t->job->original_msgid);
    mail->body = g_strdup_printf(
        "I have made no progress in three steps. How shall I go on?\n\nWhat I know:\n\n%s\n\n"
        "Reply CONTINUE to let me try on, CANCEL to end it, or write what to do instead.",
        *t->state->working_note ? t->state->working_note : "(nothing yet)");
    t->state->idle_steps = 0;
}

static ProposalStatus
status_of(AnswerStatus status)
{
    switch (status) {
    case ANSWER_COMPLETE:
        return PROPOSE_COMPLETE;
    case ANSWER_ESCALATE:
        return PROPOSE_ESCALATE;
    case ANSWER_WAITING:
        return PROPOSE_PARK;
    case ANSWER_CONTINUE:
        break;
    }
    return PROPOSE_CONTINUE;
}

static bool
finish(Turn *t, GError **error)
{
    const Proposal *p = t->p;
    t->state->idle_steps = t->fresh ? 0 : t->state->idle_steps + 1;
    if (p->status == PROPOSE_PARK && !check_wait(t, error))
        return false;
    if (p->status == PROPOSE_COMPLETE && !check_complete(t, error))
        return false;
    if (p->status == PROPOSE_COMPLETE || p->status == PROPOSE_ESCALATE)
        propose_moves(t->p, t->answer);
    if (p->status == PROPOSE_CONTINUE && t->state->idle_steps >= LOOP_IDLE_MAX)
        stop_without_progress(t);
    return true;
}

/* "-" clears a thing. */
static bool
is_dash(const char *text)
{
    g_autofree char *bare = g_strstrip(g_strdup(text));
    return g_str_equal(bare, "-");
}

/* Empty leaves a thing as it is, since models leave out what they do not change. */
static void
remember(const Answer *a, StepState *state)
{
    state->phase = a->current_phase;
    state_set_last(state, answer_statuses[a->status], 0);
    if (*a->working_note)
        state_set_working_note(state, is_dash(a->working_note) ? "" : a->working_note);
    if (*a->bundle_key)
        state_set_bundle_key(state, is_dash(a->bundle_key) ? "" : a->bundle_key);
}

/* A note could not be understood: what the step says of it must not go out, nor be the end. */
static void
hold_back(Proposal *p, const Answer *a, StepState *state)
{
    if (a->send_emails->len > 0)
        state_add_result(state,
                         "no mail of this step was sent, because a note was not written");
    LIST_EACH(const ProposedAct, act, a->acts)
        state_add_result(state, "%s was not done, because a note was not written",
                         act->ops->name);
    p->status = PROPOSE_CONTINUE;
}

/* Writes to the log what was forgiven in the answer. A field that was dropped is told to the
 * brain too: the brain may have meant something by it. */
static void
report_flags(const Answer *a, StepState *state)
{
    LIST_EACH(const char, flag, a->flags) {
        log_event(LOG_DEBUG, "the answer was not as agreed", "what", flag, NULL);
        if (g_str_has_prefix(flag, ANSWER_DROPPED))
            state_add_result(state, "fields of your answer were %s", flag);
    }
}

bool
loop_answer(Engine *engine,
            const Job *job,
            const StepInput *in,
            const char *text,
            Proposal **ret_p,
            GError **error)
{
    g_autoptr(Answer) a = NULL;
    g_autoptr(StepState) state = NULL;
    g_auto(Snapshot) reads = {0};
    if (!state_parse(in->state, &state, error) ||
        !answer_parse(text, strlen(text), in->acts, &a, error))
        return false;
    snapshot_begin(engine->db, &reads);
    g_autoptr(Proposal) p = proposal_new(status_of(a->status));
    Turn t = {engine, job, in, a, state, p, false};
    state_clear_results(state);
    report_flags(a, state);
    remember(a, state);
    state->acted |= act_was_done(in->results);
    bool written = propose_notes(&t);
    if (!gather(&t, error))
        return false;
    if (!written)
        hold_back(p, a, state);
    else if (!mails_propose(&t, error) || !propose_acts(&t, error))
        return false;
    if (!finish(&t, error))
        return false;
    p->acted = state->acted;
    p->phase = g_strdup(phase_name(state->phase));
    p->because = *a->reasoning ? g_strdup(a->reasoning) : NULL;
    p->state = state_format(state);
    *ret_p = g_steal_pointer(&p);
    return true;
}
