#include "steps/loop.h"
#include "base/log.h"
#include "mail/address.h"
#include "mail/msgid.h"
#include "notes/notes.h"
#include "notes/repair.h"
#include "steps/answer.h"
#include "steps/gather.h"
#include "steps/mails.h"
#include "store/out/outbox.h"

/* --- notes --- */

/* False: the content can't be understood; the write has failed, and the state says so. *fresh:
 * this text was not written there in this round. */
static bool
propose_write(Proposal *p, const AnswerWrite *write, StepState *state, bool *fresh)
{
    g_autofree char *what = NULL;
    g_autofree char *body = note_repair(write->content, &what);
    if (!body) {
        state_add_result(state, "note %s was not written: %s", write->key, what);
        g_free(p->why);
        p->why = g_strdup_printf(COULD_NOT_CHANGE "%s (%s)", write->key, what);
        return false;
    }
    if (what)
        log_event(LOG_INFO, "mended what a note was wrapped in", "key", write->key, "what",
                  what, NULL);
    ProposedNote *note =
        proposal_add_note(p, write->append ? NOTE_APPEND : NOTE_REPLACE, write->key);
    note->body = g_bytes_new(body, strlen(body));
    note->if_version = write->if_version;
    state_forgive(state, write->key);
    *fresh |= state_say(state, write->key, body);
    return true;
}

static bool
propose_notes(Proposal *p, const Answer *a, StepState *state, bool *fresh)
{
    bool all = true;
    *fresh |= a->rename_notes->len + a->delete_notes->len > 0;
    for (guint i = 0; i < a->write_notes->len; i++)
        all &= propose_write(p, g_ptr_array_index(a->write_notes, i), state, fresh);
    LIST_EACH(const AnswerRename, r, a->rename_notes) {
        proposal_add_note(p, NOTE_RENAME, r->from)->to = g_strdup(r->to);
        state_rename_note(state, r->from, r->to);
    }
    for (guint i = 0; i < a->delete_notes->len; i++) {
        proposal_add_note(p, NOTE_DELETE, g_ptr_array_index(a->delete_notes, i));
        state_drop(state, g_ptr_array_index(a->delete_notes, i));
    }
    return all;
}

/* --- how the step ends --- */

/* Did this round write to anybody yet? Acknowledgements and checkpoints are no answers. */
static bool
has_mailed(Engine *engine, const Job *job, bool *ret, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    OutQuery q = {.job = job->id, .all = true, .limit = 200};
    if (!outbox_list(engine->db, &VIEWER_OF(job->role), &q, &rows, error))
        return false;
    *ret = false;
    LIST_EACH(const OutRow, row, rows)
        *ret |= row->round == job->round && row->step > 0 &&
                !address_equal(row->from, row->address);
    return true;
}

/* Is there a note that this round wrote? */
static bool
has_noted(Engine *engine, const Job *job, bool *ret, GError **error)
{
    g_autoptr(Notes) notes = NULL;
    if (!notes_list(engine->db, &VIEWER_OF(job->role), "", &notes, error))
        return false;
    *ret = false;
    LIST_EACH(const Note, note, notes)
        *ret |= note->job.v == job->id.v && note->step > job->steps - job->total_iterations;
    return true;
}

/* "Done" without an answer or an effect is refused once, then it is a failure. */
static bool
check_complete(Engine *engine, const Job *job, Proposal *p, StepState *state, GError **error)
{
    bool written = p->mails->len > 0 || p->notes->len > 0;
    if (!written && (!has_mailed(engine, job, &written, error) ||
                     (!written && !has_noted(engine, job, &written, error))))
        return false;
    if (written)
        return true;
    if (state->refused_empty_complete) {
        proposal_fail(p, engine->home->config, job,
                      "the brain said twice that it was done, and had done nothing", NULL);
        return true;
    }
    state->refused_empty_complete = true;
    state_add_result(
        state, "complete was refused: nothing was sent or saved in this round. Answer the "
               "person who asked, or escalate");
    p->status = PROPOSE_CONTINUE;
    p->why = g_strdup("said that it was done, with nothing sent or saved: refused");
    return true;
}

/* Nobody is reminded of, or the owner asked about, what was asked a moment ago. */
#define ACT_AFTER_US (3600 * USEC_PER_SEC)

static void
set_wait(Engine *engine, Proposal *p, const AnswerWait *wait, StepState *state)
{
    static const WaitThen thens[] = {[ANSWER_THEN_REMIND] = WAIT_REMIND,
                                     [ANSWER_THEN_ESCALATE] = WAIT_ESCALATE,
                                     [ANSWER_THEN_GO_ON] = WAIT_CONTINUE};
    int64_t now = home_now(engine->home), at = wait->until_us;
    bool told = true;
    p->status = PROPOSE_PARK;
    p->wait_then = thens[wait->then];
    if (at && at <= now && p->wait_then != WAIT_CONTINUE) {
        at = now + ACT_AFTER_US; /* a model that can't tell the time */
        told = false;
    }
    p->resume = at ? (Due){at, told} : DUE_NEVER;
    state_set_last(state, "waiting", at);
    g_autofree char *until = at ? clock_format_iso(at) : NULL;
    if (wait->for_time)
        p->waiting_for = g_strdup_printf("%s", until);
    else
        p->waiting_for =
            g_strdup_printf("a reply%s%s", until ? ", at most until " : "", until ? until : "");
}

/* The brain was told that nobody can answer, and waits all the same: whoever asked can. */
static void
tell_of_wait(const Job *job, Proposal *p, const StepState *state)
{
    ProposedMail *mail = proposal_add_mail(p);
    mail->plain = true;
    g_ptr_array_add(mail->to, g_strdup(job->asker));
    mail->in_reply_to = g_strdup(job->original_msgid);
    mail->body = g_strdup_printf(
        "I wait for %s, and have asked nobody for one. Reply with what I should know, CONTINUE "
        "to let me go on without it, or CANCEL.\n\nWhat I know:\n\n%s",
        p->waiting_for, *state->working_note ? state->working_note : "(nothing yet)");
}

/* A wait for a reply of nobody is refused once, then whoever asked hears of it. */
static bool
check_wait(Engine *engine,
           const Job *job,
           const AnswerWait *wait,
           Proposal *p,
           StepState *state,
           GError **error)
{
    bool asked = wait->for_time || p->mails->len > 0;
    if (!asked && !has_mailed(engine, job, &asked, error))
        return false;
    if (asked || state->refused_waiting) {
        set_wait(engine, p, wait, state);
        if (!asked)
            tell_of_wait(job, p, state);
        return true;
    }
    state->refused_waiting = true;
    state_add_result(state,
                     "waiting was refused: nobody was asked in this round, so nobody can "
                     "reply. Ask in send_emails of the same answer, wait for a time, or "
                     "go on");
    p->status = PROPOSE_CONTINUE;
    p->why = g_strdup("wanted to wait for a reply, with nobody asked: refused");
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
stop_without_progress(Engine *engine, const Job *job, Proposal *p, const StepState *state)
{
    ProposedMail *mail = proposal_add_mail(p);
    p->status = PROPOSE_LIMIT;
    g_free(p->why);
    p->why = g_strdup("no progress in three steps");
    g_ptr_array_add(mail->to, g_strdup(engine->home->config->owner));
    mail->in_reply_to = g_strdup(job->original_msgid);
    mail->body = g_strdup_printf(
        "I have made no progress in three steps. How shall I go on?\n\nWhat I know:\n\n%s\n\n"
        "Reply CONTINUE to let me try on, CANCEL to end it, or write what to do instead.",
        *state->working_note ? state->working_note : "(nothing yet)");
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
finish(Engine *engine,
       const Job *job,
       const Answer *a,
       bool fresh,
       Proposal *p,
       StepState *state,
       GError **error)
{
    state->idle_steps = fresh ? 0 : state->idle_steps + 1;
    if (p->status == PROPOSE_PARK && !check_wait(engine, job, &a->wait, p, state, error))
        return false;
    if (p->status == PROPOSE_COMPLETE && !check_complete(engine, job, p, state, error))
        return false;
    if (p->status == PROPOSE_COMPLETE || p->status == PROPOSE_ESCALATE)
        propose_moves(p, a);
    if (p->status == PROPOSE_CONTINUE && state->idle_steps >= LOOP_IDLE_MAX) {
        stop_without_progress(engine, job, p, state);
        state->idle_steps = 0;
    }
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
    p->status = PROPOSE_CONTINUE;
}

/* What was forgiven is for the log; a field that was dropped is for the brain too: it may have
 * meant something by it. */
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
    bool found = false, fresh = false;
    if (!state_parse(in->state, &state, error) || !answer_parse(text, strlen(text), &a, error))
        return false;
    g_autoptr(Proposal) p = proposal_new(status_of(a->status));
    state_clear_results(state);
    report_flags(a, state);
    remember(a, state);
    bool written = propose_notes(p, a, state, &fresh);
    if (!gather(engine, job, a, p, state, &found, error))
        return false;
    if (!written)
        hold_back(p, a, state);
    else if (!mails_propose(engine, job, in, a, state, p, &fresh, error))
        return false;
    if (!finish(engine, job, a, found || fresh, p, state, error))
        return false;
    p->phase = g_strdup(phase_name(state->phase));
    p->because = *a->reasoning ? g_strdup(a->reasoning) : NULL;
    p->state = state_format(state);
    *ret_p = g_steal_pointer(&p);
    return true;
}
