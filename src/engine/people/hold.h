#pragma once

/*
 * What waits for a person's yes, such as mail. The step that proposes it commits it as held, and
 * in the same transaction one mail asks the owner: why, exactly what would happen, its digest, and
 * what to reply (hold_ask); what there is to ask about has a kind (question_kind.h). An answer by mail and one on the command line are the same decision
 * (hold_decide): the first counts, whoever is second hears of it.
 *
 * What a yes sets free are the bytes that were shown, never a mail that only looks like them. A
 * no is written down for good. Either way the job is told in its next context (hold_news), and
 * goes on at once when it was told a reason. STOP and CONTINUE: store/job/questions.h.
 *
 * Mail in doubt (engine/people/delivery_failure.h) is asked about and decided the same way: a yes sends it
 * once more, with a no it counts as sent.
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

/* Nobody reads the twentieth question of one job: from max-questions open ones on it can ask no
 * more, and what would be held is refused for this reason. *ret_why NULL: it may ask; static.
 */
bool hold_may_ask(Engine *engine, JobId job, const char **ret_why, GError **error);

/* A question that is to be asked. */
typedef struct HoldQuestion {
    const QuestionKind *kind;
    const char *asks;    /* in one line, for lists */
    const char *payload; /* exactly what a yes is about, as the kind reads it */
    OutId about;         /* mail in doubt */
    const ConfRole *role;
    const Job *job; /* NULL: nobody's */
    int round;
    const char *to;
    const char *ahead;            /* for describe(); NULL */
    const RoleMailParent *parent; /* the question hangs below it; NULL */
} HoldQuestion;
/* Asks a question by a mail, in the caller's transaction. */
bool hold_ask(Engine *engine, Txn *txn, const HoldQuestion *ask, GError **error);
/* Asks the owner about these mails, which were put held in this transaction. original: what
 * began the job's round. */
bool hold_ask_mails(Engine *engine,
                    Txn *txn,
                    const Job *job,
                    const RoleMailParent *original,
                    const OutId *mails,
                    size_t n,
                    GError **error);
/* Asks the owner about a change of a note that this round may not make; why: why not, static.
 * *ret_asked false: nobody can be asked now (hold_may_ask). True also where a question of the job
 * about this note is open already. */
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
/* Asks about tool calls by one mail, and sets the timer of its reminder. said: what the agent said
 * before it stopped; NULL: nothing. step: of the job, in which this is asked. */
bool hold_ask_calls(Engine *engine,
                    Txn *txn,
                    const Job *job,
                    const RoleMailParent *original,
                    const ProposedCalls *calls,
                    const char *said,
                    int step,
                    GError **error);
/* To be called when a timer TIMER_PERMIT is due: sends one mail to the owner, if something that
 * was asked is still open. *ret_did: the mail was sent. */
bool hold_remind(Engine *engine, const Timer *t, bool *ret_did, GError **error);

typedef enum HoldEnd {
    HOLD_DONE,
    HOLD_LATE,    /* it was decided before */
    HOLD_STOPPED, /* void until CONTINUE */
    HOLD_ENDED,   /* void: its job was cancelled */
    HOLD_CHANGED, /* what is held is not what was shown */
    HOLD_NO_WAY,  /* none of it can leave from here; it is still asked */
} HoldEnd;

typedef struct HoldAnswer {
    bool approve;
    const char *who;    /* an address, or "the operator" */
    const char *why;    /* for the job, which goes on with it; NULL: nothing was said */
    /* A yes for longer than once: always, so many times in all, or until then; of a tool call only. */
    bool always;
    int64_t times, until_us; /* 0: not said */
    OutId only;         /* {0}: every mail of the question that is still held */
    GPtrArray *decided; /* gets the ids of the mails that were decided; char * */
} HoldAnswer;

/* Decides inside the caller's transaction, in which q was read; nothing changes unless *ret_end
 * is HOLD_DONE. *ret_text says what happened and what can be said next; caller frees. */
bool hold_decide(Txn *txn,
                 const Question *q,
                 const HoldAnswer *answer,
                 HoldEnd *ret_end,
                 char **ret_text,
                 GError **error);

/* *ret: this mail replies to a mail that asks a question, whoever wrote the reply. The mail
 * need not belong to a job. */
bool hold_is_asked(Db *db, const Message *m, bool *ret, GError **error);
typedef struct Judgement Judgement; /* engine/in/judge.h */
/* Looks whether this mail, which is no order, answers an open question that takes words, and
 * comes from somebody who may answer it. *ret_words: what they wrote; caller frees. NULL: the
 * mail is no such answer. */
bool hold_takes_words(
    Engine *engine, const Judgement *j, const Message *m, char **ret_words, GError **error);
/* Takes a mail that says APPROVE or REJECT, or words that answer, of a sender that intake
 * believed. If it replies to a question, and the sender has the right, it decides the question,
 * and its job is the question's. Leaves a line in the mail's trace. *ret_text: what the sender
 * is told; caller frees. */
bool hold_answer(OrderCase *c, char **ret_text, GError **error);

/* What became of held mail since the job's last step, for its next context; NULL: nothing.
 * *ret_ids are the questions that it speaks of, for questions_told() in that step's commit. */
bool hold_news(Db *db, JobId job, char **ret_text, GArray **ret_ids, GError **error);
/* *ret: a decision had a reason that the job was to hear, and has not heard yet. */
bool hold_has_news(Db *db, JobId job, bool *ret, GError **error);
