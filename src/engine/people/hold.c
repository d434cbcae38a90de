#include "engine/people/hold.h"
#include "base/digest.h"
#include "engine/people/question_kind.h"
#include "engine/people/words.h"

/* --- what is said --- */

static char *
say_late(Db *db, const Question *q)
{
    const Home *home = db_home(db);
    g_autofree char *ago = clock_format_span(MAX(0, home_now(home) - q->decided_us));
    return g_strdup_printf(WORDS_QUESTION_LATE, question_state_name(q->state),
                           q->who ? q->who : "somebody", ago);
}

/* --- the decision --- */

/* *ret is true when what the question is about is still exactly what was shown. A thing that is
 * gone counts as changed. */
static bool
is_as_shown(Db *db, const QuestionKind *kind, const Question *q, bool *ret, GError **error)
{
    g_autoptr(GError) gone = NULL;
    Digest now;
    *ret = kind->digest(db, q, &now, &gone) && digest_equal(&now, &q->digest);
    if (gone && !err_is(gone, ERR_DAMAGE))
        return err_pass(error, g_steal_pointer(&gone));
    return true;
}

static char *
say_done(const Deciding *d, const QuestionKind *kind, bool closed, bool goes_on)
{
    const Question *q = d->question;
    g_autoptr(GString) s = g_string_new(NULL);
    g_string_append_printf(s, "%s. %s:\n\n%s", d->answer->approve ? "Approved" : "Rejected",
                           kind->said[d->answer->approve][d->n_done != 1], d->done->str);
    if (d->stuck->len)
        g_string_append_printf(s, "\nStill held, since it can't leave:\n\n%s", d->stuck->str);
    if (q->job.v == 0)
        return g_string_free(g_steal_pointer(&s), FALSE);
    g_string_append_printf(s, "\nJob %" PRId64 " %s.", q->job.v,
                           !closed   ? "hears of it when the rest is decided too"
                           : goes_on ? (q->why || d->answer->why ? "goes on with what you wrote"
                                                                 : "goes on")
                                     : "hears of it with its next mail");
    if (!closed && !q->later)
        g_string_append(s, WORDS_QUESTION_REST);
    return g_string_free(g_steal_pointer(&s), FALSE);
}

/* *ret is true when the job waits for another answer of this kind. */
static bool
is_rest_open(Db *db, JobId job, bool *ret, GError **error)
{
    g_autoptr(Questions) open = NULL;
    if (!questions_later(db, job, NULL, &open, error))
        return false;
    *ret = open->len > 0;
    return true;
}

/* The question is open. */
static bool
decide(Txn *txn,
       const QuestionKind *kind,
       const Question *q,
       const HoldAnswer *answer,
       HoldEnd *ret_end,
       char **ret_text,
       GError **error)
{
    g_autoptr(GString) done = g_string_new(NULL), stuck = g_string_new(NULL);
    Deciding d = {.txn = txn, .question = q, .answer = answer, .done = done, .stuck = stuck};
    bool closed = false, goes_on = false;
    if (!kind->decide(&d, error))
        return false;
    if (d.n_done == 0 && stuck->len == 0) {
        *ret_end = HOLD_LATE;
        *ret_text = g_strdup(WORDS_QUESTION_DECIDED);
        return true;
    }
    if (d.n_done == 0) {
        g_string_truncate(stuck, stuck->len - 1);
        *ret_end = HOLD_NO_WAY;
        *ret_text = g_strdup_printf(WORDS_QUESTION_NO_WAY, kind->no_way, stuck->str);
        return true;
    }
    if (!question_decide(txn, q->id, answer->approve, answer->who, answer->why, &closed, error))
        return false;
    bool said = answer->why || q->why, rest = false;
    if (q->later && !is_rest_open(txn->db, q->job, &rest, error))
        return false;
    if (closed && (said || q->later) && !rest && q->job.v &&
        !job_go_on(txn, q->job, &goes_on, error))
        return false;
    closed &= !rest;
    *ret_end = HOLD_DONE;
    *ret_text = say_done(&d, kind, closed, goes_on);
    return true;
}

/* Why a question that is not open any more can't be answered. */
static char *
say_closed(Db *db, const Question *q, HoldEnd *ret_end)
{
    *ret_end = HOLD_LATE;
    if (q->state != QUESTION_VOID)
        return say_late(db, q);
    if (g_strcmp0(q->why, QUESTION_SETTLED) == 0)
        return g_strdup(WORDS_QUESTION_KNOWN);
    bool stopped = g_strcmp0(q->why, "stopped") == 0;
    *ret_end = stopped ? HOLD_STOPPED : HOLD_ENDED;
    return g_strdup_printf(stopped ? WORDS_QUESTION_STOPPED : WORDS_QUESTION_CANCELLED,
                           q->job.v);
}

bool
hold_decide(Txn *txn,
            const Question *q,
            const HoldAnswer *answer,
            HoldEnd *ret_end,
            char **ret_text,
            GError **error)
{
    const QuestionKind *kind = question_kind(q->kind);
    bool same = true;
    *ret_end = HOLD_LATE;
    if (q->state != QUESTION_OPEN) {
        *ret_text = say_closed(txn->db, q, ret_end);
        return true;
    }
    if (!kind || txn_now(txn) > q->until_us) {
        *ret_text = g_strdup(kind ? WORDS_QUESTION_OVER : WORDS_QUESTION_STRANGE);
        return true;
    }
    if (answer->approve && !is_as_shown(txn->db, kind, q, &same, error))
        return false;
    if (same)
        return decide(txn, kind, q, answer, ret_end, ret_text, error);
    *ret_end = HOLD_CHANGED;
    g_autofree char *shown = digest_hex(&q->digest);
    *ret_text = g_strdup_printf(WORDS_QUESTION_CHANGED, shown, kind->changed);
    return true;
}

/* --- what the job hears --- */

static bool
add_news(Db *db, const Question *q, GString *s, GError **error)
{
    const QuestionKind *kind = question_kind(q->kind);
    if (kind && !kind->news(db, q, s, error))
        return false;
    if (q->why)
        g_string_append_printf(s, "%s says: %s\n", q->who ? q->who : "The person", q->why);
    return true;
}

bool
hold_news(Db *db, JobId job, char **ret_text, GArray **ret_ids, GError **error)
{
    g_autoptr(Questions) untold = NULL;
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(QuestionId));
    g_autoptr(GString) s = g_string_new(NULL);
    if (!questions_untold(db, job, &untold, error))
        return false;
    LIST_EACH(const Question, q, untold) {
        g_array_append_val(ids, q->id);
        if (!add_news(db, q, s, error))
            return false;
    }
    *ret_text = s->len ? g_strdup(g_strchomp(s->str)) : NULL;
    *ret_ids = g_steal_pointer(&ids);
    return true;
}

bool
hold_has_news(Db *db, JobId job, bool *ret, GError **error)
{
    g_autoptr(Questions) untold = NULL;
    if (!questions_untold(db, job, &untold, error))
        return false;
    *ret = false;
    LIST_EACH(const Question, q, untold)
        *ret |= q->why != NULL;
    return true;
}
