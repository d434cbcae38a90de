#pragma once

/*
 * Things that wait for a person's yes, such as mail. The step that proposes a mail commits it
 * as held, and in the same transaction sends a mail that asks the owner (hold_ask): why the
 * mail is held, exactly what would happen, the digest of that, and what to reply. Each thing
 * that can be asked about has a kind (question_kind.h). A person answers by mail or on the
 * command line; both make the same decision (hold_decide). The first answer counts, and the
 * person whose answer is the second hears that.
 *
 * A yes sets free the bytes that were shown, never a mail that only looks like them. A no is
 * final. After either the job is told in its next context (hold_news), and goes on at once if
 * the answer gives a reason. For STOP and CONTINUE see store/job/questions.h.
 *
 * Mail in doubt (engine/people/delivery_failure.h) is asked about and decided the same way:
 * after a yes the mail is sent once more, after a no it counts as sent.
 */
#include "engine/engine.h"
#include "store/job/jobs.h"
#include "store/job/questions.h"
#include "store/mail/messages.h"

typedef struct OrderCase OrderCase;           /* engine/in/orders.h */
typedef struct RoleMailParent RoleMailParent; /* engine/out/role_mail.h */
typedef struct QuestionKind QuestionKind;     /* engine/people/question_kind.h */
typedef struct ProposedNote ProposedNote;     /* engine/run/commit.h */
typedef struct NoteBy NoteBy;                 /* store/note/note_versions.h */

/* *ret_why: why the job may ask no further question, or NULL when it may ask. Static. A job
 * with `max-questions` open questions may ask no more, since nobody reads the twentieth
 * question of one job; what it would have held is refused for this reason. */
bool hold_may_ask(Engine *engine, JobId job, const char **ret_why, GError **error);

/* A question that is to be asked. */
typedef struct HoldQuestion {
    const QuestionKind *kind;
    const char *asks;    /* the question in one line, for lists */
    const char *payload; /* exactly what a yes is about, as the kind reads it */
    OutId about;         /* the mail in doubt; {0}: the question is about no such mail */
    const ConfRole *role;
    const Job *job; /* NULL: the question belongs to no job */
    int round;
    const char *to;               /* the person who is asked */
    const char *ahead;            /* for QuestionKind.describe(); NULL: nothing */
    const RoleMailParent *parent; /* the mail that the question answers; NULL: none */
} HoldQuestion;
/* Asks a question by a mail, in the caller's transaction. */
bool hold_ask(Engine *engine, Txn *txn, const HoldQuestion *ask, GError **error);
/* Asks the owner about these n mails, which were put into the outbox as held in this
 * transaction. original: the mail that began the job's round. */
bool hold_ask_mails(Engine *engine,
                    Txn *txn,
                    const Job *job,
                    const RoleMailParent *original,
                    const OutId *mails,
                    size_t n,
                    GError **error);
/* Asks the owner about the change n of a note, which this round may not make. why: why it may
 * not; static. *ret_asked: true when the owner was asked, or when a question of the job about
 * this note is open already; false when the job may ask no more (hold_may_ask). */
bool hold_ask_note(Engine *engine,
                   Txn *txn,
                   const Job *job,
                   const ProposedNote *n,
                   const NoteBy *by,
                   const char *why,
                   bool *ret_asked,
                   GError **error);

typedef struct ProposedCalls ProposedCalls; /* engine/run/commit.h */
typedef struct Timer Timer;                 /* store/job/timers.h */
/* Asks about tool calls of an agent by one mail, and sets the timer that reminds the owner.
 * said: the text of the agent before it stopped; NULL: it said nothing. step: the step of the
 * job that asks. */
bool hold_ask_calls(Engine *engine,
                    Txn *txn,
                    const Job *job,
                    const RoleMailParent *original,
                    const ProposedCalls *calls,
                    const char *said,
                    int step,
                    GError **error);
/* To be called when the timer t, a TIMER_PERMIT, is due: sends one mail to the owner if one of
 * the questions is still open. *ret_did: true when the mail was sent. */
bool hold_remind(Engine *engine, const Timer *t, bool *ret_did, GError **error);

typedef enum HoldEnd {
    HOLD_DONE,    /* the answer counts */
    HOLD_LATE,    /* another answer came before */
    HOLD_STOPPED, /* STOP has made the question void until CONTINUE */
    HOLD_ENDED,   /* the job was cancelled, so the question is void */
    HOLD_CHANGED, /* what is held is no longer what was shown */
    HOLD_NO_WAY,  /* no mail of it can leave from here; the question stays open */
} HoldEnd;

typedef struct HoldAnswer {
    bool approve;
    const char *who;    /* an address, or "the operator" */
    const char *why;    /* a reason for the job, which goes on with it; NULL: none was given */
    /* A yes to a tool call may count more than once: */
    bool always;
    int64_t times, until_us; /* so many times in all; until then; 0: not said */
    OutId only;         /* the one mail that is decided; {0}: all mails that are still held */
    GPtrArray *decided; /* gets the ids (char *) of the mails that were decided */
} HoldAnswer;

/* Decides the question q inside the caller's transaction, in which q was read. Nothing changes
 * unless *ret_end is HOLD_DONE. *ret_text, for the person who answered, says what happened and
 * which answers are possible next; caller frees. */
bool hold_decide(Txn *txn,
                 const Question *q,
                 const HoldAnswer *answer,
                 HoldEnd *ret_end,
                 char **ret_text,
                 GError **error);

/* *ret: true when the mail m replies to a mail that asks a question, whoever wrote m. m need
 * not belong to a job. */
bool hold_is_asked(Db *db, const Message *m, bool *ret, GError **error);
typedef struct Judgement Judgement; /* engine/in/judge.h */
/* *ret_words: the words by which the mail m, which is no order, answers an open question;
 * caller frees. NULL: m answers no question that takes words, or its sender may not answer. */
bool hold_takes_words(
    Engine *engine, const Judgement *j, const Message *m, char **ret_words, GError **error);
/* Carries out the mail of the case c, which says APPROVE or REJECT, or has words that answer;
 * intake has believed its sender. If the mail replies to a question, and the sender has the
 * right, the question is decided, and c->job becomes the question's job. Writes a line into the
 * trace of the mail. *ret_text: the text that the sender is told; caller frees. */
bool hold_answer(OrderCase *c, char **ret_text, GError **error);

/* *ret_text: what became of held mail since the job's last step, for the job's next context;
 * NULL: nothing. *ret_ids: the questions of which the text speaks, to be handed to
 * questions_told() in the commit of the step that shows it. Caller frees both. */
bool hold_news(Db *db, JobId job, char **ret_text, GArray **ret_ids, GError **error);
/* *ret: true when a decision gave a reason that the job has not been told yet. */
bool hold_has_news(Db *db, JobId job, bool *ret, GError **error);
