#pragma once

/*
 * Inbound mail as each role has it, one state each:
 *
 *     stored --shown to a brain--> shown --messages_settle()--> handled
 *        '--> ignored(why)   held(why) --release--> stored   dead(why)
 *
 * (1) The same mail (role, Message-ID, mail/identity.h) is stored once, however often it comes
 *     (store/mail/copies.h); once more only where it is proven better than before
 *     (engine/in/rivals.h).
 * (2) `handled` is written in the transaction that holds the effects of the step that handled
 *     it.
 * (3) Every change of state leaves a line in `trace`, with its reason.
 * (4) Ids, not mails, belong to threads: every id that a mail names is entered, seen or not, so
 *     a late ancestor finds its thread waiting. A mail that names ids of two threads joins
 *     them.
 */
#include "base/ids.h"
#include "base/list.h"
#include "mail/message.h"
#include "mail/origin.h"
#include "store/db.h"
#include "store/viewer.h"
#include "view/mail_rows.h"

/* A new message, on its way in. */
typedef struct MsgNew {
    const char *role, *account, *folder, *file; /* file: Maildir base name */
    const Message *mail;
    Trust trust;
    Trust floor; /* what its writer had read; counts where it is below trust */
    MsgClass class;
    MsgState state;
    const char *why;
    ThreadId thread;
    JobId job;
    int round;
    Digest own_words; /* mail/quote.h */
    bool words_known; /* of an answer nobody vouched for, of some length: own_words says it */
    const char *space; /* that it was sent to; NULL: none */
    bool apart;       /* a row of its own, though the same mail has one */
} MsgNew;

/* Whether a role has a mail already. */
typedef struct MsgKnown {
    MsgId id;      /* the same mail, of several the best proven; {0}: none */
    Trust trust;   /* of that; history is never judged again, so nothing is above it */
    bool id_taken; /* some mail has its Message-ID, this or another */
} MsgKnown;
bool messages_known(Db *db, const char *role, const Message *m, MsgKnown *ret, GError **error);
/* *ret_has: a file of this name in the role's mailbox is taken in already, as a mail or as a
 * copy of a mail. */
bool
messages_has_file(Db *db, const char *role, const char *file, bool *ret_has, GError **error);
/* Stores a mail, once. Where the mail is known already, *ret_new is false, and the file is a
 * copy of it from now on (of a checkpoint mail, its new place); nothing else changes. */
bool messages_store(Txn *txn, const MsgNew *in, MsgId *ret_id, bool *ret_new, GError **error);
/* Enters every id that the mail names; gives the thread they belong to (the oldest when it
 * joins some). */
bool messages_thread(Txn *txn, const Message *m, ThreadId *ret_thread, GError **error);
bool thread_new(Txn *txn, ThreadId *ret, GError **error);
/* Enters the id of a mail that we send into its job's thread. */
bool messages_thread_own(Txn *txn, const char *msgid, ThreadId thread, GError **error);
/* The root thread of the first known id that the mail bears or names; {0}: none is known. */
bool thread_of_mail(Db *db, const Message *m, ThreadId *ret, GError **error);
/* The job of this role that this mail continues: by the nearest id of References and
 * In-Reply-To that a job has taken in or sent, else the newest job on its thread; {0}: none. */
bool
messages_find_job(Db *db, const char *role, const Message *m, JobId *ret_job, GError **error);
/* Is ?2 one of those whom a mail was to? In SQL. */
#define MESSAGE_IS_TO SQL_CONTAINS("' ' || to_specs || ' '", "' ' || ?2 || ' '")
/* *ret: this address has sent or received mail of the job. Mail that is held, or that a person
 * rejected, was not received. believed: of the mail that came, only mail of roles and of people
 * we work for counts. */
bool messages_takes_part(
    Db *db, JobId job, const char *spec, bool believed, bool *ret, GError **error);

/* Marks mails as handled by a step. Each must be of this job and not handled yet, else
 * ERR_NEVER "answered already". */
bool messages_settle(Txn *txn, JobId job, int step, const MsgId *ids, size_t n, GError **error);
bool messages_set_state(Txn *txn, MsgId id, MsgState state, const char *why, GError **error);
bool messages_set_job(Txn *txn, MsgId id, JobId job, int round, GError **error);
bool messages_set_place(Txn *txn, MsgId id, const char *folder, GError **error);
/* True when the mail lies in this folder now. */
bool messages_lies(Db *db, MsgId id, const char *folder, bool *ret, GError **error);
/* Notes flags (letters of Maildir) that the mail is to have, beside those that it has from us;
 * a mail that also lies on a server is to have them there too. */
bool messages_mark(Txn *txn, MsgId id, const char *marks, GError **error);
/* Those letters; NULL: there is no such mail. Caller frees. */
bool messages_marks(Db *db, MsgId id, char **ret, GError **error);
bool messages_mark_shown(Txn *txn, const MsgId *ids, size_t n, GError **error);
/* Puts every mail of a job that is not settled yet into this state, since the job ends:
 * dead(why), ignored(why)… */
bool messages_end_job(Txn *txn, JobId job, MsgState state, const char *why, GError **error);
/* Opens the mail again that died with the job in that round, since the job gets another try. */
bool messages_reopen(Txn *txn, JobId job, int round, const char *why, GError **error);

/* Adds a line to the trace of a mail (`mail trace`). */
bool messages_trace(Txn *txn, MsgId id, const char *what, const char *why, GError **error);
bool messages_trace_list(Db *db, MsgId id, TraceRows **ret_rows, GError **error);

/* What to list. Zeroed: everything the viewer may see, newest first. */
typedef struct MsgQuery {
    const char *role, *folder;  /* NULL: any */
    const char *from, *subject; /* contains, in any case */
    int64_t since_us, before_us;
    JobId job;
    int step; /* that handled it; 0: any */
    ThreadId thread;
    const char *space;            /* that it was sent to */
    const char *state;            /* a state's name */
    bool oldest_first, open_only; /* open: stored, shown, held */
    bool history_only;            /* what was said before we heard of it; no job's own */
    bool taken_in;                /* not what the role had written (a copy in Sent) */
    unsigned limit;               /* 0: 50 */
    int64_t below_id;             /* paging: rows with a smaller id */
} MsgQuery;
bool messages_list(
    Db *db, const Viewer *viewer, const MsgQuery *q, MsgRows **ret_rows, GError **error);
/* The mail with this Message-ID; NULL with true: there is none for this viewer. Of several
 * mails the newest that has a job or is handled, so that a mail which is put aside never stands
 * for a mail that was let in; a copy in Sent only where there is no other. */
bool
messages_find(Db *db, const Viewer *viewer, const char *msgid, MsgRow **ret, GError **error);
bool messages_load(Db *db, const Viewer *viewer, MsgId id, MsgRow **ret, GError **error);
/* *ret: somebody whose mail the viewer sees has taken this mail in. A copy in Sent does not
 * count. */
bool messages_came(Db *db, const Viewer *viewer, const char *msgid, bool *ret, GError **error);
/* What a job still has to answer (stored, shown), oldest first. */
bool messages_open(Db *db, JobId job, MsgRows **ret_rows, GError **error);
bool messages_count_open(Db *db, JobId job, unsigned *ret_n, GError **error);
/* How many are held, how many are history: for `status`. */
bool messages_count_state(
    Db *db, MsgState state, const char *why_prefix, int64_t *ret_n, GError **error);
