#pragma once

/*
 * Questions that a person answers with yes or no: may these mails leave, is this one to be sent
 * once more? A question is the mail that asks, its kind (engine/people/question_kind.h), and
 * its payload: exactly what a yes is about, in words of its kind. That of a question about mail
 * are the numbers of these mails in the outbox, with a blank between them.
 *
 *   OPEN --question_decide()--> APPROVED | REJECTED
 *    | ^-- CONTINUE --.
 *    |--- STOP ---> VOID(stopped)
 *    |--- CANCEL -> VOID(cancelled)
 *    '--- it is not in doubt any more -> VOID(settled)
 *
 * (1) A question is known by the Message-ID of the mail that asks, its own or the one that a
 *     server gave it (store/out/server_ids.h), and by nothing else: who answers it has read
 *     that mail.
 * (2) Its digest is over what was shown (of mail: question_digest); a yes counts only while
 *     that is still what is there.
 * (3) It stays open until each of its mails is decided, and a mail is decided once. A yes is
 *     acted on once: `used`. That may be later, by question_use().
 * (4) STOP makes it void, CONTINUE makes that very question count again: the mails stay bound
 *     to it, so nobody is asked twice and no held mail is set free by the way. CANCEL ends it,
 *     and with it its mails.
 * (5) The job hears what became of it: it is `told` in the step that was shown it.
 */
#include "store/db.h"
#include "view/job_rows.h"

#define QUESTION_SETTLED "settled"

/* SHA-256 over, for each mail in this order: its Message-ID, its sender, each recipient, all
 * behind a NUL, then its bytes with their length in front. ERR_DAMAGE when bytes are gone. */
bool question_digest(Db *db, const OutId *mails, size_t n, Digest *ret, GError **error);

/* The mails in the payload of a question about mail; caller frees. */
GArray *question_out_ids(const Question *q); /* OutId */

/* Asks: state, who, why and times of q do not count; its job may be {0}. */
bool question_put(Txn *txn, const Question *q, QuestionId *ret, GError **error);
/* Binds a mail, which must be held, to the question that asks about it. */
bool question_bind(Txn *txn, QuestionId id, OutId mail, GError **error);
/* One mail may show several questions that are acted on later, each by its number in that mail,
 * and a question may be shown again by the next mail of its role. */
bool question_show(Txn *txn, const char *msgid, int n, QuestionId id, GError **error);
/* Acts on the answer to a question whose yes counts later: *ret_used is true once. */
bool question_use(Txn *txn, QuestionId id, bool *ret_used, GError **error);
/* Closes the questions about a mail of which nothing is in doubt any more: nobody need answer
 * them. */
bool questions_settle(Txn *txn, OutId mail, GError **error);

/* The question that this mail asks; and the question about this mail, an open question first.
 * *ret NULL with true: there is none. */
bool question_find(Db *db, const char *msgid, Question **ret, GError **error);
bool question_of(Db *db, OutId mail, Question **ret, GError **error);

/* Questions that are acted on later (Question.later): what one mail shows, by their numbers
 * there; the newest of a job with this digest; the open ones of a job ({0}: of all) and a role
 * (NULL: of all); those of a job that were answered and not acted on yet. Oldest first. */
bool questions_shown(Db *db, const char *msgid, Questions **ret, GError **error);
bool
question_newest(Db *db, JobId job, const Digest *digest, Question **ret, GError **error);
bool questions_later(Db *db, JobId job, const char *role, Questions **ret, GError **error);
bool questions_unused(Db *db, JobId job, Questions **ret, GError **error);

/* "17", or where that mail asks several things "17.2": by which people name a question that is
 * about no mail of its own. Caller frees. */
bool question_name(Db *db, const Question *q, char **ret, GError **error);

/* One mail of a question as people are told of it. */
typedef struct QuestionMail {
    OutId id;
    char *msgid, *to, *subject; /* to: "a@b, c@d"; those in doubt, if that is asked */
    char *why;                  /* of its first recipient; NULL */
    bool undecided;             /* held for every recipient; in doubt for one */
    bool rejected;
} QuestionMail;
SHAPE_OF(QuestionMail, question_mail, QuestionMails, question_mails)
/* The mails of a question, in the order in which they were shown. */
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

/* Makes all open questions of a job void for this reason; and opens those again that were made
 * void for this reason. *ret_n: how many. */
bool questions_void(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error);
bool questions_revive(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error);

/* The open ones, oldest first; of one job, or {0}: of all. */
bool questions_open(Db *db, JobId job, Questions **ret, GError **error);
/* All that a job ever asked, oldest first. */
bool questions_list(Db *db, JobId job, Questions **ret, GError **error);
/* The questions of a job that are decided, and of whose decision the job was not told. */
bool questions_untold(Db *db, JobId job, Questions **ret, GError **error);
bool questions_told(Txn *txn, const QuestionId *ids, size_t n, GError **error);
