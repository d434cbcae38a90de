/* Asks the brain one question. From its answer follows a commit, another try, a pause of the
 * brain, or the end of the job with a mail to the asker. */
#include "base/crash.h"
#include "base/log.h"
#include "engine/check/task_check.h"
#include "engine/face.h"
#include "engine/people/words.h"
#include "engine/run/run_internal.h"
#include "engine/run/think.h"
#include "engine/run/workplace.h"
#include "engine/wall/wall.h"
#include "store/job/budget.h"
#include "store/job/role_pauses.h"
#include "store/job/pauses.h"

#define UNUSABLE_MAX (64u << 10) /* bytes kept of an answer that can't be used */
#define MEND_MAX (16u << 10)     /* bytes of it that the brain is shown again, to mend it */

typedef enum Tried {
    TRIED_NEXT, /* the step is committed, and one more is to follow */
    TRIED_DONE,
    TRIED_AGAIN,
    TRIED_REFUSED, /* asking the same again is no use */
    TRIED_LARGE,   /* asking less may be */
    TRIED_OTHER,   /* another brain is to be asked */
    TRIED_CHECK,   /* what it did does not pass its check */
    TRIED_GONE,    /* its session is gone: the whole page is to be shown */
    TRIED_OVER,
    TRIED_ERROR
} Tried;

/* The last try that came to nothing. */
typedef struct Failure {
    char *why; /* to ask again, or to give up */
    char *log;
    GBytes *said; /* what can't be used; NULL: nothing was said */
} Failure;

static void
failure_clear(Failure *f)
{
    g_clear_pointer(&f->why, g_free);
    g_clear_pointer(&f->log, g_free);
    g_clear_pointer(&f->said, g_bytes_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Failure, failure_clear)

/* Removes mail from the step's input that the port has settled already: the step must not
 * settle it again. */
static bool
drop_settled(Task *t, GError **error)
{
    g_autoptr(MsgRows) open = NULL;
    if (!messages_open(t->run->engine->db, t->claim.job, &open, error))
        return false;
    for (guint i = t->in.shown->len; i-- > 0;) {
        const MsgRow *row = g_ptr_array_index(t->in.shown, i);
        if (!msg_rows_have(open, row->id))
            g_ptr_array_remove_index(LIST_ARRAY(t->in.shown), i);
    }
    return true;
}

static void
add_remark(ProposedMail *mail, const char *remark)
{
    g_autofree char *body = g_steal_pointer(&mail->body);
    mail->body = g_strdup_printf("%s\n\n(%s)", body, remark);
}

/* Who reads half of an answer must know it. */
static void
say_cut(const Task *t, const BrainAnswer *answer, Proposal *p)
{
    if (!answer->cut || t->mode->led || p->mails->len == 0)
        return;
    g_autofree char *size = text_format_size(t->brain->output);
    g_autofree char *remark =
        g_strdup_printf("It printed more than %s; the rest was not kept", size);
    add_remark(g_ptr_array_index(p->mails, 0), remark);
}

static bool
attach_files(const Task *t, Workplace *place, Proposal *p, GError **error)
{
    g_autoptr(ProposedFiles) files = NULL;
    g_autofree char *notes = NULL;
    if (!place || p->mails->len == 0)
        return true;
    if (!workplace_take(place, &files, &notes, error))
        return false;
    ProposedMail *mail = g_ptr_array_index(p->mails, 0);
    if (place->tree)
        tree_report(place->tree, t->job, t->role, mail);
    LIST_EACH(const ProposedFile, f, files)
        proposed_mail_attach(mail, f->filename, f->content_type, f->content);
    if (notes)
        add_remark(mail, notes);
    return true;
}

/* Hands the changes in the program's worktree to the job's face, which may want them. The asker
 * hears what could not be done with them. */
static bool
take_tree(const Task *t, const Workplace *place, Proposal *p, GError **error)
{
    g_autoptr(GPtrArray) refused = g_ptr_array_new_with_free_func(g_free);

    if (!place || !place->tree)
        return true;
    if (!faces_worked(t->run->engine, t->job, &t->in, p, refused, error))
        return false;
    if (refused->len > 0 && p->mails->len == 0)
        proposal_add_mail(p)->body = g_strdup("The work is done, but for this:");
    LIST_EACH(const char, why, refused)
        add_remark(p->mails->pdata[0], why);
    CRASH_POINT("worktree-read");
    return true;
}

/* The proposal of an answered question; NULL with failed->why: ask once more, for that reason.
 */
static Proposal *
propose(Task *t, const Thought *thought, Workplace *place, Failure *failed, GError **error)
{
    const BrainAnswer *answer = brain_answer(thought->call);
    bool silent = false;
    if (thought->desk && !answer->failed && !permit_deferred(thought->desk, answer, error))
        return NULL;
    if (permit_waits(thought->desk) && !answer->failed)
        return permit_propose(thought->desk, answer->text);
    if (answer->mute && !step_may_be_silent(t->run->engine, &t->in, &silent, error))
        return NULL;
    if (place && place->tree && (!answer->failed || silent))
        tree_commit(place->tree, t->job, t->role);
    g_autoptr(Proposal) p = NULL;
    if (thought->port_answered || silent) {
        p = proposal_new(PROPOSE_COMPLETE);
        return take_tree(t, place, p, error) ? g_steal_pointer(&p) : NULL;
    }
    if (answer->failed) {
        failed->why = g_strdup(answer->failed);
        return NULL;
    }
    g_autoptr(GError) unusable = NULL;
    if (!t->mode->answer(t->run->engine, t->job, &t->in, answer->text, &p, &unusable)) {
        if (err_is(unusable, ERR_NEVER) || err_is(unusable, ERR_LIMIT)) {
            failed->why = g_strdup(unusable->message);
            failed->said = g_bytes_new(answer->text, text_cut_at(answer->text, UNUSABLE_MAX));
        } else {
            g_propagate_error(error, g_steal_pointer(&unusable));
        }
        return NULL;
    }
    g_clear_pointer(&t->in.answer, g_bytes_unref); /* of a try before */
    t->in.answer = g_bytes_new(answer->text, strlen(answer->text));
    say_cut(t, answer, p);
    if (!attach_files(t, place, p, error) || !take_tree(t, place, p, error) ||
        (thought->desk && !permit_keep_waiting(t->run->engine, t->job, p, error)))
        return NULL;
    return g_steal_pointer(&p);
}

static Tried
over_if(bool ok)
{
    return ok ? TRIED_OVER : TRIED_ERROR;
}

/* The brain can't be asked, or gave no answer. */
static Tried
ask_elsewhere(Task *t, const BrainAnswer *answer, GError **error)
{
    bool other;
    if (!run_fall_back(t, answer, &other, error))
        return TRIED_ERROR;
    return other ? TRIED_OTHER : over_if(run_wait(t, answer, error));
}

/* *ret_waits: the role pauses since the job was claimed, so its claim is given back. */
static bool
wait_for_role(Task *t, bool *ret_waits, GError **error)
{
    Db *db = t->run->engine->db;
    g_autoptr(RolePause) pause = NULL;
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};

    if (!role_pause_find(db, t->job->role, &pause, error))
        return false;
    *ret_waits = pause != NULL;
    while (pause && txn_again(&txn, error))
        txn.ok = job_release(&txn, &t->claim, (Due){.us = txn_now(&txn)}, TRY_NONE, ROLE_WAITS,
                             error);
    return !pause || txn.done;
}

/* *ret_waits: others may spend what is left for the day or the artifact, or its money is spent, so the claim is given back. */
static bool
wait_for_money(Task *t, int64_t most, bool *ret_waits, GError **error)
{
    Engine *engine = t->run->engine;
    bool got = true;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};

    *ret_waits = false;
    if (!budget_is_limited(engine->home->config))
        return true;
    while (txn_again(&txn, error))
        txn.ok = budget_reserve(&txn, &t->claim, most, true, &got, error) &&
                 (got || faces_paid(engine, &txn, t->job, error));
    *ret_waits = !got;
    if (txn.done && !got)
        log_event(LOG_INFO, "the job waits", "why", BUDGET_WAITS, NULL);
    return txn.done;
}

/* The question has ended without anything to propose from; *ret: how the try ended by that. */
static bool
ended_early(Task *t, const Thought *thought, Tried *ret, GError **error)
{
    bool waits = false;
    if (thought->end == THINK_LOST) {
        log_event(LOG_INFO, "the job was taken away by an order; ending quietly", NULL);
        *ret = TRIED_OVER;
        return true;
    }
    if (thought->end == THINK_DRAINED) {
        *ret = over_if(run_release(t, (Due){.us = home_now(t->run->engine->home)}, TRY_NONE,
                                   "put back: postrider stops", error));
        return true;
    }
    const BrainAnswer *answer = brain_answer(thought->call);
    switch (answer->end) {
    case BRAIN_BROKEN:
    case BRAIN_LIMITED:
    case BRAIN_STALLED:
        *ret = ask_elsewhere(t, answer, error);
        return true;
    case BRAIN_SPENT:
        *ret = over_if(wait_for_role(t, &waits, error) &&
                       (waits || wait_for_money(t, 0, &waits, error)) &&
                       (waits || run_halt_spent(t, error)));
        return true;
    default:
        return false;
    }
}

/* True when there is money for this question. *ret_most: how much the question may cost; 0: no
 * limit is set aside. *ret: how the try ends here, since a limit is reached, or would be by
 * what others have set aside. */
static bool
set_aside(Task *t, const Think *question, int64_t *ret_most, Tried *ret, GError **error)
{
    /* A program may spend all that is left, and says what it cost when it is done. */
    bool program = brain_keeps_session(t->brain) && question->budget_micro < INT64_MAX;
    int64_t most = program ? MAX(question->budget_micro, 1) : think_most(question);
    bool halted = false;
    *ret = TRIED_ERROR;
    *ret_most = most;
    if (most == 0)
        return true;
    /* Who is led has looked at the limits before; its last answer may have been of no use
     * since. */
    if ((!t->mode->led || question->why_again) && !run_halt_if_spent(t, &halted, error))
        return false;
    if (halted) {
        *ret = TRIED_OVER;
        return false;
    }
    if (!wait_for_role(t, &halted, error) ||
        (!halted && !wait_for_money(t, most, &halted, error)))
        return false;
    if (halted)
        *ret = TRIED_OVER;
    return !halted;
}

/* Counted before anything else can happen; it may have been for nothing. */
static bool
pay(Task *t, int64_t most, int64_t cost, GError **error)
{
    Db *db = t->run->engine->db;
    bool woke = false;
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};
    if (cost == 0 && most == 0)
        return true;
    while (txn_again(&txn, error))
        txn.ok = (cost == 0 || faces_pay(t->run->engine, &txn, t->job, cost, error)) &&
                 (most == 0 || budget_settle(&txn, &t->claim, &woke, error));
    if (!txn.done)
        return false;
    t->in.paid |= cost > 0;
    t->job->round_cost_micro += cost;
    if (woke)
        db_hint(db);
    return true;
}

/* The answer of the brain that could not be used, in a fence like all text that is not ours;
 * NULL: there is none. Caller frees. */
static char *
fence_answer(const Task *t, const Failure *failed)
{
    const char *mark = context_nonce(t->context);
    if (!t->mode->led || !failed->said)
        return NULL;
    g_autofree char *whole = text_from_bytes(failed->said);
    size_t keep = text_cut_at(whole, MEND_MAX);
    if (!*whole || strstr(whole, mark))
        return NULL;
    return g_strdup_printf("=== YOUR LAST ANSWER [%s] ===\n%.*s%s\n=== END [%s] ===\n", mark,
                           (int)keep, whole, whole[keep] ? "\n[… cut]" : "", mark);
}

/* Goes the session on where it waits for a person, without a word? Only where nothing else is
 * to be said: no mail that it does not know, and no words of whoever decided. */
static bool
is_bare(const Task *t, const Failure *failed, bool *ret, GError **error)
{
    *ret = false;
    if (!t->in.resumed || failed->why || g_strcmp0(t->job->instruction, t->in.news) != 0)
        return true;
    LIST_EACH(const MsgRow, row, t->in.shown)
        if (row->state == MSG_STORED)
            return true;
    return permit_resumes_bare(t->run->engine, t->job, t->brain, ret, error);
}

/* A program that would be the operator is not started for just anybody: the job waits, by
 * *ret. */
static bool
is_forbidden(Task *t, Tried *ret, GError **error)
{
    g_autofree char *why =
        config_is_program(t->brain) ? wall_forbids(t->role, t->in.floor) : NULL;
    if (why)
        *ret = over_if(run_wait_for_wall(t, why, error));
    return why != NULL;
}

static bool
same_acts(const GPtrArray *a, const GPtrArray *b)
{
    guint n = a ? a->len : 0;
    return n == (b ? b->len : 0) && (n == 0 || memcmp(a->pdata, b->pdata, n * sizeof *a->pdata) == 0);
}

/* The schema that the answer must fit; NULL: free text. It depends on the acts alone, so the
 * same acts get the same schema. Borrowed. */
static const char *
answer_form(Task *t)
{
    if (!t->mode->schema || (t->schema && same_acts(t->schema_acts, t->in.acts)))
        return t->schema;
    g_free(t->schema);
    t->schema = t->mode->schema(t->in.acts);
    g_clear_pointer(&t->schema_acts, g_ptr_array_unref);
    t->schema_acts = t->in.acts ? g_ptr_array_ref(t->in.acts) : NULL;
    return t->schema;
}

/* Reads all that must be known before the question, at one moment. */
static bool
look_before_asking(Task *t, const Failure *failed, Think *question, GError **error)
{
    Db *db = t->run->engine->db;
    g_auto(Snapshot) reads = {0};
    snapshot_begin(db, &reads);
    return brain_lacks(db, t->brain->name, &question->lacks, error) &&
           run_money_left(t, &question->budget_micro, error) &&
           is_bare(t, failed, &question->bare, error);
}

/* *ret: the try has ended already, since the brain can't be asked as it is. */
static bool
ask(Task *t,
    Workplace *place,
    const char *prompt,
    const Failure *failed,
    Thought *thought,
    Tried *ret,
    GError **error)
{
    g_autofree char *said = fence_answer(t, failed);
    *ret = TRIED_ERROR;
    Think question = {.engine = t->run->engine,
                      .job = t->job,
                      .role = t->role,
                      .brain = t->brain,
                      .claim = &t->claim,
                      .in = &t->in,
                      .place = place,
                      .cwd = t->cwd,
                      .prompt = prompt,
                      .context = t->context,
                      .mode = t->mode,
                      .why_again = failed->why,
                      .last_answer = said,
                      .schema = answer_form(t),
                      .signal_fd = t->run->signal_fd,
                      .draining = &t->run->draining};
    g_autoptr(GError) unasked = NULL;
    Db *db = t->run->engine->db;
    int64_t most;
    if (is_forbidden(t, ret, error))
        return false;
    if (!look_before_asking(t, failed, &question, error) ||
        !set_aside(t, &question, &most, ret, error))
        return false;
    if (!run_session_begin(t, error)) {
        *ret = TRIED_ERROR;
        return false;
    }
    int64_t began_us = clock_mono_us();
    CRASH_POINT("run-before-brain");
    if (think(&question, thought, &unasked)) {
        const BrainAnswer *answer = brain_answer(thought->call);
        *ret = TRIED_ERROR;
        if (!pay(t, most, answer->cost_micro, error) || !run_session_used(t, answer, error) ||
            (answer->end == BRAIN_OK && answer->lacks != question.lacks &&
             !brain_set_lacks(db, t->brain->name, answer->lacks, error)))
            return false;
        CRASH_POINT("run-after-brain");
        t->in.took_us = clock_mono_us() - began_us;
        return !ended_early(t, thought, ret, error);
    }
    if (err_is(unasked, ERR_CONFIG)) { /* no key, no script */
        const BrainAnswer broken = {.end = BRAIN_BROKEN, .failed = unasked->message};
        *ret = ask_elsewhere(t, &broken, error);
        return false;
    }
    g_propagate_error(error, g_steal_pointer(&unasked));
    *ret = TRIED_ERROR;
    return false;
}

/* Decides what is done when the brain gave no answer. */
static Tried
judge_failure(Task *t, BrainEnd end, Failure *failed, GError **error)
{
    g_autofree char *give_up = NULL;
    switch (end) {
    case BRAIN_REFUSED:
        return TRIED_REFUSED;
    case BRAIN_LARGE:
        return TRIED_LARGE;
    case BRAIN_EXITED:
        if (!run_exited(t, failed->why, &give_up, error))
            return TRIED_ERROR;
        if (!give_up)
            return TRIED_OVER;
        g_free(failed->why);
        failed->why = g_steal_pointer(&give_up);
        return TRIED_REFUSED;
    case BRAIN_GONE:
        if (t->anew)
            return TRIED_REFUSED;
        t->anew = true;
        return TRIED_GONE;
    default:
        return TRIED_AGAIN;
    }
}

static bool
run_check(Task *t,
          Workplace *place,
          const char *command,
          TaskCheckEnd *ret_end,
          CheckEnd *ret,
          GError **error)
{
    const TaskCheckRun run = {.engine = t->run->engine,
                              .job = t->job,
                              .role = t->role,
                              .brain = t->brain,
                              .claim = &t->claim,
                              .in = &t->in,
                              .place = place,
                              .command = command,
                              .signal_fd = t->run->signal_fd,
                              .draining = &t->run->draining};
    snapshot_end(t->run->engine->db);
    return task_check_run(&run, ret_end, ret, error);
}

/* The check has failed. False: the brain is asked again, or there is an error. Else the answer
 * leaves and says so. */
static bool
tell_failure(Task *t, Proposal *p, char *take_why, Failure *failed, GError **error)
{
    g_autofree char *why = take_why;
    g_auto(Txn) txn = {.db = t->run->engine->db, .flush = TXN_LAZY};
    unsigned failures;
    while (txn_again(&txn, error))
        txn.ok = job_count_failed_check(&txn, &t->claim, &failures, error);
    if (!txn.done)
        return false;
    CRASH_POINT("check-counted");
    if (failures < TASK_CHECK_TRIES) {
        failed->why = g_steal_pointer(&why);
        failed->said = t->in.answer ? g_bytes_ref(t->in.answer) : NULL;
        return false;
    }
    if (!task_check_answers(t->job, &t->in, p))
        proposal_add_mail(p)->plain = true;
    task_check_tell(t->job, &t->in, p, why);
    return true;
}

/* True when the answer passes the check of its task. False: the try ends as *ret says. */
static bool
pass_check(Task *t, Workplace *place, Proposal *p, Failure *failed, Tried *ret, GError **error)
{
    g_auto(TaskCheck) check = {0};
    g_auto(CheckEnd) end = {0};
    TaskCheckEnd how;
    bool answers = task_check_answers(t->job, &t->in, p);
    *ret = TRIED_ERROR;
    if (p->status != PROPOSE_COMPLETE && !answers)
        return true;
    if (!task_check_find(t->run->engine, t->job, &check, error))
        return false;
    if (check.refused)
        task_check_tell(t->job, &t->in, p, check.refused);
    if (!check.command)
        return true;
    if (p->status != PROPOSE_COMPLETE) {
        g_autofree char *words = g_strdup_printf(WORDS_CHECK_NOT_RUN, check.command);
        task_check_tell(t->job, &t->in, p, words);
        return true;
    }
    if (!run_check(t, place, check.command, &how, &end, error))
        return false;
    switch (how) {
    case TASK_CHECK_LOST:
        *ret = TRIED_OVER;
        return false;
    case TASK_CHECK_DRAINED:
        *ret = over_if(run_release(t, (Due){.us = home_now(t->run->engine->home)}, TRY_NONE,
                                   "put back: postrider stops", error));
        return false;
    case TASK_CHECK_FAILED:
        if (tell_failure(t, p, task_check_why(check.command, &end), failed, error))
            return true;
        *ret = failed->why ? TRIED_CHECK : TRIED_ERROR;
        return false;
    default:
        return true;
    }
}

/* Asks one question, and does what follows from its answer. */
static Tried
try_once(Task *t, Workplace *place, const char *prompt, Failure *failed, GError **error)
{
    g_auto(Thought) thought = {0};
    g_auto(Snapshot) reads = {0}; /* until the transaction, or the check of a task */
    Tried ended;
    if (!ask(t, place, prompt, failed, &thought, &ended, error))
        return ended;
    if (!place) /* with a workplace git is waited for, too */
        snapshot_begin(t->run->engine->db, &reads);
    if (!brain_worked(t->run->engine->db, t->brain->name, error) ||
        (thought.port_steps && !drop_settled(t, error)))
        return TRIED_ERROR;

    const BrainAnswer *answer = brain_answer(thought.call);
    failure_clear(failed);
    g_autoptr(Proposal) p = propose(t, &thought, place, failed, error);
    if (!p) {
        bool program = answer->failed && config_is_program(t->brain);
        failed->log = program ? run_last_words(answer) : g_strdup(answer->log);
        return failed->why ? judge_failure(t, answer->end, failed, error) : TRIED_ERROR;
    }
    if (t->mode->led && !run_steps_adjust(t, p, error))
        return TRIED_ERROR;
    if (!pass_check(t, place, p, failed, &ended, error))
        return ended;
    g_auto(StepResult) result = {0};
    if (!run_commit(t, p, &result, error) ||
        (place && place->tree && p->mails->len > 0 && !tree_told(place->tree, error)))
        return TRIED_ERROR;
    return !result.ended ? TRIED_NEXT : TRIED_DONE;
}

/* Who asks why sees what was said, or its beginning: it belongs to the step that gives up. */
static bool
give_up(Task *t, Failure *failed, GError **error)
{
    if (!failed->said && *failed->log) { /* a program, which may have said enough */
        g_clear_pointer(&t->in.answer, g_bytes_unref);
        t->in.answer = g_bytes_new(failed->log, strlen(failed->log));
    }
    if (!t->mode->led || !failed->said)
        return run_fail(t, failed->why, failed->log, error);
    g_autofree char *why =
        g_strdup_printf("what the brain answered can't be used: %s", failed->why);
    g_clear_pointer(&t->in.answer, g_bytes_unref);
    t->in.answer = g_steal_pointer(&failed->said);
    return run_fail(t, why, failed->log, error);
}

/* The page for another brain. */
static char *
other_page(Task *t, const Workplace *place, Failure *failed, GError **error)
{
    failure_clear(failed);
    if ((!place && !run_make_cwd(t, error)) || !run_session_find(t, place, error))
        return NULL;
    return run_context(t, place ? place->path : NULL, error);
}

/* The whole page, for a session that begins in place of one that is gone. */
static char *
whole_page(Task *t, const Workplace *place, Failure *failed, GError **error)
{
    failure_clear(failed);
    return run_session_anew(t, place, error) ? run_context(t, place->path, error) : NULL;
}

/* The page for one more try: of a session that knows the first what is left to say. */
static char *
same_page(Task *t, const Workplace *place, char *page, GError **error)
{
    g_autofree char *before = page;
    return run_session_again(t) ? run_context(t, place->path, error)
                                : g_steal_pointer(&before);
}

/* The page once more, with less on it. NULL without an error: it can't be less, for
 * failed->why. */
static char *
smaller_page(Task *t, const Workplace *place, Failure *failed, GError **error)
{
    g_autofree char *why = g_steal_pointer(&failed->why);
    if (run_shrink(t))
        return run_context(t, place ? place->path : NULL, error);
    failed->why = run_too_large(t, why);
    return NULL;
}

bool
run_ask(Task *t, Workplace *place, const char *prompt, bool *ret_next, GError **error)
{
    g_auto(Failure) failed = {0};
    g_autofree char *page = g_strdup(prompt), *smaller = NULL;
    for (int i = 0; i < RUN_BRAIN_TRIES; i++) {
        switch (try_once(t, place, page, &failed, error)) {
        case TRIED_NEXT:
            *ret_next = true;
            return true;
        case TRIED_DONE:
        case TRIED_OVER:
            return true;
        case TRIED_ERROR:
            return false;
        case TRIED_OTHER:
            g_free(page);
            page = other_page(t, place, &failed, error);
            if (!page)
                return false;
            i = -1;
            break;
        case TRIED_GONE:
            g_free(page);
            page = whole_page(t, place, &failed, error);
            if (!page)
                return false;
            i = -1;
            break;
        case TRIED_LARGE:
            smaller = smaller_page(t, place, &failed, error);
            if (!smaller && !failed.why)
                return false;
            i = smaller ? -1 : RUN_BRAIN_TRIES;
            g_free(page);
            page = g_steal_pointer(&smaller);
            break;
        case TRIED_REFUSED:
            i = RUN_BRAIN_TRIES;
            break;
        case TRIED_CHECK:
            i = -1;
            page = same_page(t, place, g_steal_pointer(&page), error);
            if (!page)
                return false;
            break;
        case TRIED_AGAIN:
            log_event(LOG_WARN, "the brain failed", "brain", t->brain->name, "why", failed.why,
                      NULL);
            page = same_page(t, place, g_steal_pointer(&page), error);
            if (!page)
                return false;
            break;
        }
    }
    return give_up(t, &failed, error);
}
