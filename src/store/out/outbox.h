#pragma once

/*
 * Mail that leaves. An outbox row is one frozen mail; a delivery row is one recipient of it (or
 * the copy in a Sent folder), with a state of its own:
 *
 *  WAITING --its effect is done--> READY --------> SENT
 *     '-- effect failed --> HELD     | ^--RETRY(when)
 *                                    | SENDING --lost--> IN_DOUBT      (SMTP only)
 *                                    '--> FAILED(why)
 *
 * (1) Bytes and Message-ID are frozen in the transaction that decided to send.
 * (2) A Message-ID is <generation.number.tag@domain>; number is the outbox row.
 * (3) The file name of a local delivery derives from the row, so doing it again changes
 *     nothing; its mark is not flushed.
 * (4) STOP and CANCEL turn what has not left into HELD, in their own transaction.
 * (5) A copy in a Sent folder, and what is filed on a server, says that the mail left: it is
 *     held while every recipient is held, and is not taken back once one of them has the mail.
 * (6) Rows are never deleted, so a number is never given out twice.
 * (7) What policy held is bound to the question that asks a person about it:
 *     store/job/questions.h.
 */
#include "base/ids.h"
#include "mail/origin.h"
#include "store/db.h"
#include "view/mail_rows.h"

typedef struct OutTo {
    const char *address; /* as in the envelope; for a Sent copy the sender's own */
    const char *mailbox; /* local Maildir; NULL: goes by SMTP, or is filed on a server */
    const char *folder;  /* "" INBOX, "Sent" for the copy */
    const char *flags;   /* NULL: new, unseen; "S": filed as seen */
    /* Whose process does it; NULL: any. Without a mailbox and with a folder ("INBOX", "Sent")
     * it is filed there, on the account's server. */
    const char *account;
} OutTo;

typedef struct OutMail {
    const char *msgid, *from, *subject;
    GBytes *bytes;
    Trust level;        /* what the origin line will say */
    const Trust *floor; /* of the step that wrote it; NULL: its level, for words of ours */
    JobId job;
    int round, step;
    ThreadId thread;         /* the id joins it; {0}: none */
    MsgId answers;           /* which mail of its job; {0}: none */
    const char *in_reply_to; /* as OutRow has it */
    EffectId after;          /* must be done first; {0}: none */
    const char *held;        /* a reason to hold it from the start; NULL */
    const char *space;       /* that it goes to; NULL: none */
    const OutTo *to;
    size_t n_to;
} OutMail;

/* `after`, instead of an effect: the mail waits until the notes that were committed with it or
 * before are on disk, so that a checkpoint mail and the note files are enough to go on. */
#define OUTBOX_AFTER_NOTES ((EffectId){-1})
/* Likewise, set by outbox_put() itself: the local copy of a mail that only goes outside waits
 * until one recipient has it. */
#define OUTBOX_AFTER_SENT ((EffectId){-2})

/* The number that the next outbox_put() in this transaction must use. */
bool outbox_next(Txn *txn, OutId *ret, GError **error);
/* Puts a mail into the outbox. Each recipient begins as held (m->held, or there is no way to
 * reach it), waiting (m->after) or ready. */
bool outbox_put(Txn *txn, OutId id, const OutMail *m, GError **error);
/* Why mail to this local mailbox (NULL: to somebody outside) can't leave from here; NULL: it
 * can. The one place that knows which transports there are. */
const char *outbox_no_way(const Config *config, const char *mailbox);

/* The number in an id that we minted, generation.NUMBER.tag@domain, or of an event of the
 * workflow time.generation.NUMBER.tag.role@domain; 0: not one of ours. */
int64_t out_number(const char *msgid);
/* Base name of the file of a local delivery; caller frees. */
char *out_row_file(const OutRow *r);

/* The deliveries that are due now (ready, or to be tried again at a time that has come), oldest
 * first, with bytes: either local ones or those that go by SMTP. The list is empty while
 * db_hold_all() says why nothing may leave. */
bool outbox_due(
    Db *db, int64_t now_us, bool local, unsigned max, OutRows **ret_rows, GError **error);
/* What is to be filed on an account's server: mail that has left for somebody, or is for nobody
 * else. */
bool
outbox_due_files(Db *db, const char *account, unsigned max, OutRows **ret_rows, GError **error);
/* When the next of these is due; USEC_NEVER: there is none. */
bool outbox_next_file(Db *db, const char *account, int64_t *ret_us, GError **error);
/* The mail of that number as it was filed in the INBOX of a local mailbox, with bytes. NULL
 * with true: it was not filed there. */
bool outbox_find_local(Db *db, OutId id, const char *mailbox, OutRow **ret, GError **error);
bool outbox_count_due(Db *db, int64_t now_us, unsigned *ret_n, GError **error);
/* Copies for local folders that could not be written are due at once, whatever their wait. */
bool outbox_try_copies(Db *db, GError **error);
/* *ret: the delivery is still to be made. The answer holds as long as the transaction in which
 * it is asked, since whoever takes mail back waits for the gate. */
bool outbox_is_due(Txn *txn, int64_t delivery, bool *ret, GError **error);
/* Marks the delivery sent if it is still due; *ret: it was. */
bool outbox_sent_if_due(Txn *txn, int64_t delivery, bool *ret, GError **error);
/* Write down what became of one try to deliver. outbox_sent() counts whatever was decided
 * meanwhile, since the mail has left; outbox_retry() and outbox_fail() change nothing when the
 * row was taken back. outbox_retry() counts the attempt. */
bool outbox_sent(Txn *txn, int64_t delivery, const char *reply, GError **error);
bool outbox_retry(Txn *txn, int64_t delivery, int64_t next_us, const char *why, GError **error);
bool outbox_fail(Txn *txn, int64_t delivery, const char *why, GError **error);
/* Holds those deliveries of a mail that have not left. */
bool outbox_hold(Txn *txn, OutId id, const char *why, GError **error);
/* Releases what waited for an effect, or holds it when the effect failed. */
bool outbox_effect_done(Txn *txn, EffectId effect, bool done, const char *why, GError **error);
/* The newest mail that waits for notes, {0}: none does; then, once they are on disk, releases
 * all up to it. What was put meanwhile waits for the next time. */
bool outbox_after_notes(Db *db, OutId *ret, GError **error);
bool outbox_notes_done(Txn *txn, OutId upto, GError **error);
/* A person decides on held mail: approve makes it ready (waiting, while its effect is owed),
 * and what it answers is answered (store/mail/mail_flags.h); reject makes it failed(rejected by
 * who). ERR_NEVER when nothing of it is held, or when no recipient of an approved mail can be
 * reached. */
bool outbox_decide(Txn *txn, OutId id, bool approve, const char *who, GError **error);
/* Tries again now what is in retry, in doubt or failed; not what a person has rejected.
 * ERR_NEVER when there is nothing to try. */
bool outbox_again(Txn *txn, OutId id, GError **error);
/* Takes back what has not left of a job: held(why). *ret_n counts mails, not recipients. */
bool outbox_take_back(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error);
/* Releases what was taken back for this very reason. *ret_n counts recipients. */
bool outbox_give_back(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error);
/* Rejects what a person was asked about and has not decided, since its job is over. */
bool outbox_reject_asked(Txn *txn, JobId job, const char *who, GError **error);
/* Forgets the bytes of rows that are delivered everywhere and older than that. */
bool outbox_prune(Txn *txn, int64_t before_us, GError **error);

typedef struct OutQuery {
    const char *state; /* NULL: all that is not sent */
    JobId job;
    int step; /* 0: any */
    OutId id;
    bool all, copies; /* also sent ones; also copies in Sent */
    unsigned limit;   /* 0: 50 */
} OutQuery;
typedef struct Viewer Viewer;
/* Newest first. A role sees the mail of its jobs. One row per recipient. */
bool outbox_list(
    Db *db, const Viewer *viewer, const OutQuery *q, OutRows **ret_rows, GError **error);
/* Is any of it held? */
bool outbox_any_held(Db *db, bool *ret, GError **error);
/* The first recipient's row, with bytes; by its own id, or by one that a server gave it
 * (store/out/server_ids.h). NULL with true: not there for this viewer. */
bool outbox_find(Db *db, const Viewer *viewer, const char *msgid, OutRow **ret, GError **error);
/* One mail with all its recipients and without bytes: address has each of them, with blanks
 * between; state and why are those of the one that is furthest from having it. NULL with true:
 * not there for this viewer. */
bool outbox_whole(Db *db, const Viewer *viewer, OutId id, OutRow **ret, GError **error);
typedef struct MsgQuery MsgQuery;
/* The newest mail below that number which the query may mean by its role, state and times; {0}:
 * none. The query's other wishes are not looked at. */
bool outbox_below(
    Db *db, const Viewer *viewer, const MsgQuery *q, OutId below, OutId *ret, GError **error);
/* As outbox_find(), by the mail's number, for the operator. */
bool outbox_load(Db *db, OutId id, OutRow **ret, GError **error);
/* What the writer of that mail had read; TRUST_OPERATOR: there is no such mail for this
 * viewer. */
bool outbox_floor(Db *db, const Viewer *viewer, const char *msgid, Trust *ret, GError **error);
