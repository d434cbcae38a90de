#include "engine/people/hold.h"
#include "base/banned.h"
#include "base/digest.h"
#include "base/err.h"
#include "store/mail/messages.h"
#include "store/out/outbox_smtp.h"
#include <inttypes.h>

/* --- what is said --- */

static void
add_mail(GString *s, const QuestionMail *m, const char *remark)
{
    g_string_append_printf(s, "  mail %" PRId64 " to %s: %s%s%s\n", m->id.v, m->to, m->subject,
                           remark ? ", " : "", remark ? remark : "");
}

static char *
say_late(Db *db, const Question *q)
{
    const Home *home = db_home(db);
    g_autofree char *ago = clock_format_span(MAX(0, home_now(home) - q->decided_us));
    return g_strdup_printf("This was %s by %s %s ago. Nothing changed now.",
                           question_state_name(q->state), q->who ? q->who : "somebody", ago);
}

static char *
say_stopped(const Question *q)
{
    return g_strdup_printf("Job %" PRId64 " is stopped, and nothing of it leaves. Nothing "
                           "changed now. Let it go on with CONTINUE; then the question counts "
                           "again.",
                           q->job.v);
}

static char *
say_changed(const Question *q)
{
    g_autofree char *shown = digest_hex(&q->digest);
    return g_strdup_printf("What is held is no longer what was shown with the digest %s, so it "
                           "does not leave. Nothing changed now. REJECT ends it; "
                           "'postrider outbox show' tells what is there.",
                           shown);
}

/* --- the decision --- */

/* Is there still exactly what was shown? Bytes that are gone are another thing too. */
static bool
is_as_shown(Db *db, const Question *q, const QuestionMails *mails, bool *ret, GError **error)
{
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(OutId));
    g_autoptr(GError) gone = NULL;
    Digest now;
    for (guint i = 0; i < mails->len; i++)
        g_array_append_val(ids, ((const QuestionMail *)g_ptr_array_index(mails, i))->id);
    *ret = question_digest(db, (const OutId *)(void *)ids->data, ids->len, &now, &gone) &&
           digest_equal(&now, &q->digest);
    if (gone && !err_is(gone, ERR_DAMAGE)) {
        g_propagate_error(error, g_steal_pointer(&gone));
        return false;
    }
    return true;
}

/* One decision on its way. */
typedef struct Deciding {
    Txn *txn;
    const Question *question;
    const HoldAnswer *answer;
    GString *done, *stuck; /* lines of mails */
    unsigned n_done;
} Deciding;

static void
add_done(Deciding *d, const QuestionMail *m)
{
    add_mail(d->done, m, NULL);
    g_ptr_array_add(d->answer->decided, g_strdup(m->msgid));
    d->n_done++;
}

/* Recipients of an approved mail who can't be reached: it stays held for them. */
static bool
add_unreached(Deciding *d, const QuestionMail *m, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    const OutQuery q = {.id = m->id, .state = "held"};
    g_autoptr(OutRows) rows = NULL;
    if (!outbox_list(d->txn->db, &viewer, &q, &rows, error))
        return false;
    for (guint i = 0; i < rows->len; i++) {
        const OutRow *row = g_ptr_array_index(rows, i);
        g_string_append_printf(d->stuck, "  mail %" PRId64 " to %s: %s\n", m->id.v,
                               row->address,
                               outbox_no_way(db_home(d->txn->db)->config, row->mailbox));
    }
    return true;
}

/* What is in doubt of it. */
static bool
decide_doubt(Deciding *d, const QuestionMail *m, GError **error)
{
    g_autofree char *why = g_strdup_printf("counts as sent: %s says so", d->answer->who);
    unsigned n;
    add_done(d, m);
    return d->answer->approve ? outbox_resend(d->txn, m->id, &n, error)
                              : outbox_count_sent(d->txn, m->id, why, &n, error);
}

/* A mail that can't leave stays held; one that can leave for some of its recipients does. */
static bool
decide_mail(Deciding *d, const QuestionMail *m, GError **error)
{
    g_autoptr(GError) failed = NULL;
    const HoldAnswer *a = d->answer;
    if (d->question->about.v)
        return decide_doubt(d, m, error);
    g_autofree char *who =
        a->why && !a->approve ? g_strdup_printf("%s: %s", a->who, a->why) : g_strdup(a->who);
    g_strdelimit(who, "\r\n", ' '); /* one line in lists */
    if (outbox_decide(d->txn, m->id, a->approve, who, &failed)) {
        add_done(d, m);
        return !a->approve || add_unreached(d, m, error);
    }
    if (!err_is(failed, ERR_NEVER)) {
        g_propagate_error(error, g_steal_pointer(&failed));
        return false;
    }
    g_autofree char *known = g_strdup_printf("mail %" PRId64 " can't leave: ", m->id.v);
    const char *why = failed->message;
    add_mail(d->stuck, m, g_str_has_prefix(why, known) ? why + strlen(known) : why);
    return true;
}

static bool
decide_mails(Deciding *d, const QuestionMails *mails, GError **error)
{
    OutId only = d->answer->only;
    for (guint i = 0; i < mails->len; i++) {
        const QuestionMail *m = g_ptr_array_index(mails, i);
        if (m->undecided && (only.v == 0 || only.v == m->id.v) && !decide_mail(d, m, error))
            return false;
    }
    return true;
}

static const char *
what_is_done(const Deciding *d)
{
    bool one = d->n_done == 1;
    if (d->question->about.v)
        return d->answer->approve ? "This mail is sent once more"
                                  : "This mail is not sent again, and counts as sent";
    if (d->answer->approve)
        return one ? "This mail leaves now" : "These mails leave now";
    return one ? "This mail will not leave" : "These mails will not leave";
}

static char *
say_done(const Deciding *d, const Question *q, bool closed, bool goes_on)
{
    g_autoptr(GString) s = g_string_new(NULL);
    g_string_append_printf(s, "%s. %s:\n\n%s", d->answer->approve ? "Approved" : "Rejected",
                           what_is_done(d), d->done->str);
    if (d->stuck->len)
        g_string_append_printf(s, "\nStill held, since it can't leave:\n\n%s", d->stuck->str);
    if (q->job.v == 0)
        return g_string_free(g_steal_pointer(&s), FALSE);
    g_string_append_printf(s, "\nJob %" PRId64 " %s.", q->job.v,
                           !closed   ? "hears of it when the rest is decided too"
                           : goes_on ? "goes on with what you wrote"
                                     : "hears of it with its next mail");
    if (!closed)
        g_string_append(s, " APPROVE or REJECT as a reply to the same question decides the "
                           "rest.");
    return g_string_free(g_steal_pointer(&s), FALSE);
}

/* The question is open and its mails are known. */
static bool
decide(Txn *txn,
       const Question *q,
       const HoldAnswer *answer,
       const QuestionMails *mails,
       HoldEnd *ret_end,
       char **ret_text,
       GError **error)
{
    g_autoptr(GString) done = g_string_new(NULL), stuck = g_string_new(NULL);
    Deciding d = {.txn = txn, .question = q, .answer = answer, .done = done, .stuck = stuck};
    bool closed = false, goes_on = false;
    if (!decide_mails(&d, mails, error))
        return false;
    if (d.n_done == 0 && stuck->len == 0) {
        *ret_end = HOLD_LATE;
        *ret_text = g_strdup("This mail was decided before. Nothing changed now.");
        return true;
    }
    if (d.n_done == 0) {
        g_string_truncate(stuck, stuck->len - 1);
        *ret_end = HOLD_NO_WAY;
        *ret_text = g_strdup_printf(
            "It can't leave from here:\n\n%s.\n\nNothing changed; it is still held, and the "
            "question is still open. Say APPROVE again once there is a way, or REJECT.",
            stuck->str);
        return true;
    }
    if (!question_decide(txn, q->id, answer->approve, answer->who, answer->why, &closed, error))
        return false;
    bool said = answer->why || q->why;
    if (closed && said && q->job.v && !job_go_on(txn, q->job, &goes_on, error))
        return false;
    *ret_end = HOLD_DONE;
    *ret_text = say_done(&d, q, closed, goes_on);
    return true;
}

static bool
refuse(HoldEnd end, char *text, HoldEnd *ret_end, char **ret_text)
{
    *ret_end = end;
    *ret_text = text;
    return true;
}

bool
hold_decide(Txn *txn,
            const Question *q,
            const HoldAnswer *answer,
            HoldEnd *ret_end,
            char **ret_text,
            GError **error)
{
    g_autoptr(QuestionMails) mails = NULL;
    bool same = true;
    switch (q->state) {
    case QUESTION_APPROVED:
    case QUESTION_REJECTED:
        return refuse(HOLD_LATE, say_late(txn->db, q), ret_end, ret_text);
    case QUESTION_VOID:
        if (g_strcmp0(q->why, QUESTION_SETTLED) == 0)
            return refuse(HOLD_LATE,
                          g_strdup("What became of this mail is known by now, so nothing "
                                   "changed. 'postrider outbox list --all' tells it."),
                          ret_end, ret_text);
        if (g_strcmp0(q->why, "stopped") == 0)
            return refuse(HOLD_STOPPED, say_stopped(q), ret_end, ret_text);
        return refuse(HOLD_ENDED,
                      g_strdup_printf("Job %" PRId64 " was cancelled, and its held mail with "
                                      "it. Nothing changed now.",
                                      q->job.v),
                      ret_end, ret_text);
    case QUESTION_OPEN:
    case QUESTION_N_STATES:
        break;
    }
    if (!question_mails(txn->db, q->id, &mails, error) ||
        (answer->approve && !is_as_shown(txn->db, q, mails, &same, error)))
        return false;
    if (!same)
        return refuse(HOLD_CHANGED, say_changed(q), ret_end, ret_text);
    return decide(txn, q, answer, mails, ret_end, ret_text, error);
}

/* --- what the job hears --- */

static const char *
what_became(const Question *q, const QuestionMail *m)
{
    if (q->about.v)
        return q->state == QUESTION_APPROVED
                   ? "may not have arrived, and is sent once more: a person said so"
                   : "counts as sent, though no answer came: a person said so";
    return m->rejected ? "was not sent: a person rejected it" : "was approved and leaves";
}

static bool
add_news(Db *db, const Question *q, GString *s, GError **error)
{
    g_autoptr(QuestionMails) mails = NULL;
    if (!question_mails(db, q->id, &mails, error))
        return false;
    for (guint i = 0; i < mails->len; i++) {
        const QuestionMail *m = g_ptr_array_index(mails, i);
        g_string_append_printf(s, "Your mail to %s, <%s>, %s.\n", m->to, m->msgid,
                               what_became(q, m));
    }
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
    for (guint i = 0; i < untold->len; i++) {
        const Question *q = g_ptr_array_index(untold, i);
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
    for (guint i = 0; i < untold->len && !*ret; i++)
        *ret = ((const Question *)g_ptr_array_index(untold, i))->why != NULL;
    return true;
}
