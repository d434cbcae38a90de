#pragma once

/*
 * What a mail server holds of ours. The Maildirs are the world that everything works on; a row
 * here says where the same mail lies on the server, so that what is decided here can be done
 * there too.
 *
 *   remote_folder   the mark of a watched folder: mail below next_uid is not looked at. The
 *                   first login ever sets it, so what lay there before is never work.
 *   remote          one row per mail that was fetched or filed by us, as long as we know where
 *                   it lies. What the mail owes stands in it, and is written by whoever decides
 *                   that here, in the same transaction:
 *       wants       the folder ("" is the watched one, "Active", "Done") that it was moved to
 *                   here, and not yet there (messages_set_place())
 *       marks       flags that it got here, and not yet there (messages_mark())
 *
 * A UID means something only with its UIDVALIDITY. Files come first and rows after, so a crash
 * between them costs one more fetch, which finds the files by their names; nothing here needs a
 * flush but the first mark.
 */
#include "base/ids.h"
#include "base/list.h"
#include "store/db.h"
#include "view/shape.h"

typedef struct RemoteMark {
    uint32_t uidvalidity, next_uid; /* both 0: this folder was never seen */
    uint32_t anew_uid;              /* mail below it was numbered anew: only what is not known
                                     * here, and came after first_us, is new */
    uint32_t past_uid; /* mail below it is history: it came before this store's first visit, and
                        * after the mailbox was first worked by a home; 0: none is */
    int64_t first_us;  /* when the folder was first seen; 0: nobody wrote it down */
} RemoteMark;
bool remote_mark_get(
    Db *db, const char *account, const char *folder, RemoteMark *ret, GError **error);
/* Never lowers next_uid of the same UIDVALIDITY, nor changes first_us once it is set. */
bool remote_mark_set(
    Txn *txn, const char *account, const char *folder, const RemoteMark *mark, GError **error);

typedef struct RemoteRow {
    int64_t id;
    char *folder; /* on the server, as the settings name it: "INBOX", "postrider/Active" */
    uint32_t uidvalidity, uid;
    char *role, *file; /* in the role's Maildir */
    char *msgid;
    char *wants; /* folder; NULL: no move is owed */
    char *marks; /* letters of Maildir; NULL: no flags are owed */
    JobId job;   /* of remote_open(); else {0} */
} RemoteRow;
SHAPE_OF(RemoteRow, remote_row, RemoteRows, remote_rows)

/* A mail of the server and its file here; once more is the same. Its message, if it is taken in
 * already, becomes one of this account; what was decided about it by then is owed. */
typedef struct RemoteNew {
    const char *account, *folder, *role, *file, *msgid;
    uint32_t uidvalidity, uid;
} RemoteNew;
bool remote_put(Txn *txn, const RemoteNew *in, GError **error);
/* Where a mail lies on the server. */
typedef struct RemotePlace {
    const char *folder;
    uint32_t uidvalidity, uid;
} RemotePlace;
bool remote_has(Db *db, const char *account, const RemotePlace *at, bool *ret, GError **error);
/* The account that a file of a role's mailbox came from; NULL: it was born here. Caller frees.
 */
bool remote_account_of(
    Db *db, const char *role, const char *file, char **ret_account, GError **error);

/* Moves that are owed, oldest first. As long as mail of its job has still to leave for somebody
 * outside, a mail goes from the watched folder to Active and stays there; so Done holds only
 * what another home need not care about. */
bool
remote_owed(Db *db, const char *account, unsigned max, RemoteRows **ret_rows, GError **error);
/* The mail lies there now. The debt is paid if that is what it wants. */
bool
remote_moved(Txn *txn, int64_t id, const RemotePlace *to, const char *paid, GError **error);
/* Forgets where a mail lies: a person has taken it elsewhere, or it is gone, and we follow it
 * no longer. */
bool remote_forget(Txn *txn, int64_t id, GError **error);
/* Forgets every mail of a folder under this UIDVALIDITY: a server that comes back to the number
 * may mean other mail. */
bool remote_forget_all(
    Txn *txn, const char *account, const char *folder, uint32_t uidvalidity, GError **error);

/* Flags that are owed, where no move is: oldest first. */
bool remote_owed_marks(
    Db *db, const char *account, unsigned max, RemoteRows **ret_rows, GError **error);
/* To be called when the flags are there, or the mail is not. Flags that came meanwhile stay
 * owed. */
bool remote_marked(Txn *txn, int64_t id, const char *paid, GError **error);

/* Mail on which live jobs of a role depend: open mail of those that run or are about to, the
 * newest checkpoint of those that are parked. The folder is NULL where this store does not know
 * where the mail lies on the server. */
bool remote_open(
    Db *db, const char *account, const char *role, RemoteRows **ret_rows, GError **error);
/* Checkpoint mails of parked jobs, the newest of each. */
bool remote_parked(Db *db, const char *account, RemoteRows **ret_rows, GError **error);
/* Rows of the watched folder under another UIDVALIDITY than this one, of jobs that live. */
bool remote_strays(
    Db *db, const char *account, uint32_t uidvalidity, RemoteRows **ret_rows, GError **error);
/* *ret: the account has something to do on the server: a look whose mailbox it is
 * (store/mail/mailboxes.h), moves, flags, mail to file there that is due, mail in doubt to look
 * for, or mail that somebody here asks for. */
bool remote_has_work(Db *db, const char *account, int64_t now_us, bool *ret, GError **error);

/* A person asks for older mail, received since then, from an account that is at work; 0: nobody
 * does. */
bool remote_since(Db *db, const char *account, int64_t *ret_us, GError **error);
bool remote_set_since(Txn *txn, const char *account, int64_t since_us, GError **error);

/* Why an account does not work, as its process has written down; NULL: it works. Caller
 * frees. */
bool remote_trouble(Db *db, const char *account, char **ret_why, GError **error);
bool remote_set_trouble(Txn *txn, const char *account, const char *why, GError **error);
/* The server lets Authentication-Results fields of its own name through that others forged,
 * `setup` found when it paired: that name; NULL: it does not. Caller frees. */
bool remote_forged(Db *db, const char *account, char **ret_name, GError **error);
bool remote_set_forged(Txn *txn, const char *account, const char *name, GError **error);
