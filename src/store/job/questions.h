#pragma once

/*
 * Questions that a person answers with yes or no: may these mails leave? One question is the
 * mail that asks, and the held mails of one step. The other kind is about one mail in doubt: is
 * it to be sent once more?
 *
 *   OPEN --question_decide()--> APPROVED | REJECTED
 *    | ^-- CONTINUE --.
 *    |--- STOP ---> VOID(stopped)
 *    |--- CANCEL -> VOID(cancelled)
 *    '--- it is not in doubt any more -> VOID(settled)
 *
 * (1) A question is known by the Message-ID of the mail that asks, its own or the one that a
 *     server gave it (store/out/server_ids.h), and by nothing else: who answers it has read that mail.
 * (2) Its digest is over the frozen bytes and the recipients of its mails as they were shown
 *     (question_digest); a yes counts only while they still have it.
 * (3) It stays open until each of its mails is decided, and a mail is decided once.
 * (4) STOP makes it void, CONTINUE makes that very question count again: the mails stay bound
 *     to it, so nobody is asked twice and no held mail is set free by the way. CANCEL ends it,
 *     and with it its mails.
 * (5) The job hears what became of it: it is `told` in the step that was shown it.
 */
#include "base/ids.h"
#include "base/list.h"
#include "store/db.h"

typedef enum QuestionState {
    QUESTION_OPEN,
    QUESTION_APPROVED,
    QUESTION_REJECTED,
    QUESTION_VOID,
    QUESTION_N_STATES
} QuestionState;
const char *question_state_name(QuestionState s);

typedef struct Question {
    QuestionId id;
    JobId job;
    int round;
    QuestionState state;
    char *msgid;     /* of the mail that asks */
    char *who, *why; /* decided it, and what they said; void: why; NULL */
    OutId about;     /* the mail in doubt; {0}: held mails */
    Digest digest;
    int64_t asked_us, decided_us; /* decided_us 0: not yet */
} Question;
#define QUESTION_SETTLED "settled"
void question_free(Question *q);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Question, question_free)
LIST_OF(Questions, questions, Question, question_free)

/* SHA-256 over, for each mail in this order: its Message-ID, its sender, each recipient, all
 * behind a NUL, then its bytes with their length in front. ERR_DAMAGE when bytes are gone. */
bool question_digest(Db *db, const OutId *mails, size_t n, Digest *ret, GError **error);

/* Binds the mails, which must be held, to the question that this mail asks. */
bool question_put(Txn *txn,
                  const char *msgid,
                  JobId job,
                  int round,
                  const Digest *digest,
                  const OutId *mails,
                  size_t n,
                  QuestionId *ret,
                  GError **error);
/* Asks about a mail in doubt; job may be {0}. */
bool question_put_doubt(Txn *txn,
                        const char *msgid,
                        JobId job,
                        int round,
                        const Digest *digest,
                        OutId mail,
                        GError **error);
/* Nothing of the mail is in doubt any more: nobody need answer. */
bool questions_settle(Txn *txn, OutId mail, GError **error);

/* By the mail that asks; by a mail that it asks about, an open question first. NULL with true:
 * there is none. */
bool question_find(Db *db, const char *msgid, Question **ret, GError **error);
bool question_of(Db *db, OutId mail, Question **ret, GError **error);

/* One mail of a question as people are told of it. */
typedef struct QuestionMail {
    OutId id;
    char *msgid, *to, *subject; /* to: "a@b, c@d"; those in doubt, if that is asked */
    char *why;                  /* of its first recipient; NULL */
    bool undecided;             /* held for every recipient; in doubt for one */
    bool rejected;
} QuestionMail;
void question_mail_free(QuestionMail *m);
LIST_OF(QuestionMails, question_mails, QuestionMail, question_mail_free)
/* In the order in which they were shown. */
bool question_mails(Db *db, QuestionId id, QuestionMails **ret_mails, GError **error);

/* Writes down a decision; the question closes when none of its mails is undecided any more.
 * *ret_closed tells. ERR_NEVER unless it is open. why may be NULL, and is kept with what was
 * said before. */
bool question_decide(Txn *txn,
                     QuestionId id,
                     bool approve,
                     const char *who,
                     const char *why,
                     bool *ret_closed,
                     GError **error);

/* All open questions of a job; those that were made void for this reason. *ret_n counts. */
bool questions_void(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error);
bool questions_revive(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error);

/* The open ones, oldest first; of one job, or {0}: of all. */
bool questions_open(Db *db, JobId job, Questions **ret, GError **error);
/* All that a job ever asked, oldest first. */
bool questions_list(Db *db, JobId job, Questions **ret, GError **error);
/* Decided, and the job was not told. */
bool questions_untold(Db *db, JobId job, Questions **ret, GError **error);
bool questions_told(Txn *txn, const QuestionId *ids, size_t n, GError **error);
