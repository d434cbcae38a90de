#pragma once

/*
 * May the mail of an imap account be worked on and leave? Its process looks at the server whose
 * mailbox it is (remote/remote_home.c), and leaves word here:
 *
 *   ours      jobs run; a mail leaves once a look has found the mailbox ours after the mail was
 *             written: up to the number in the outbox that stands beside it
 *   unseen    a master has begun, and nobody has looked since: nothing runs and nothing leaves
 *   away      the server can't be asked, and nothing that happened there is unknown here: jobs run, and mail for mailboxes of this home is delivered; mail
 *             for people outside waits for the next look
 *   refused   the mailbox is another home's: nothing runs and nothing leaves
 *
 * So whoever lost the mailbox sends nothing more, however long a job of his had been at work. A
 * row per role whose mail lies in the account (config_account_of()), and one with the role ""
 * for mail that leaves by the account whoever wrote it. An account that nobody ever looked at
 * has none.
 */
#include "store/db.h"

typedef enum MailboxState {
    MAILBOX_OURS,
    MAILBOX_UNSEEN,
    MAILBOX_AWAY,
    MAILBOX_REFUSED,
} MailboxState;

/* Conditions for other statements of the store. The argument names a column with a role; a row
 * of delivery is called d. */
#define MAILBOX_LETS_WORK(role)                                                                \
    "NOT EXISTS (SELECT 1 FROM mailbox mb WHERE mb.role = " role                               \
    " AND mb.state IN ('unseen', 'refused')) "
#define MAILBOX_LETS_LEAVE                                                                     \
    "NOT EXISTS (SELECT 1 FROM mailbox mb WHERE CASE mb.state "                                \
    "WHEN 'ours' THEN d.outbox > mb.upto WHEN 'away' THEN d.mailbox IS NULL ELSE 1 END "       \
    "AND (mb.account = d.affinity OR mb.role = (SELECT j.role FROM outbox b "                  \
    "JOIN job j ON j.id = b.job WHERE b.id = d.outbox))) "

/* The newest number in the outbox, 0: there is none; ask before a look, for mailbox_set_state()
 * after it. */
bool mailbox_upto(Db *db, int64_t *ret, GError **error);
/* upto counts for MAILBOX_OURS. Writes, and tells the master, only where that is news. */
bool mailbox_set_state(
    Db *db, const ConfAccount *account, MailboxState state, int64_t upto, GError **error);
/* Before the mail of this home is taken over from another one (living_check()), or an imap
 * mailbox: that home may be a copy of this one, and may have sent what is due here. Where no
 * other home has the mail folder, it does nothing. */
bool mailboxes_before_take_over(Db *db, GError **error);
#define MAILBOX_DOUBT "another home had the mailbox meanwhile, and may have sent this mail"
/* For a master that begins or has read its settings again: all imap accounts are unseen.
 * take_over: their processes are to replace the mark of another home, once. */
bool mailboxes_begin(Db *db, bool take_over, GError **error);
/* For what a person does by hand where no master is at work, and nobody is about to look: the
 * last look counts. What was written since may leave if that found the mailbox ours; unseen
 * becomes away. */
bool mailboxes_unwatched(Db *db, GError **error);

/* Shall the account's process replace the mark of another home? Ends with MAILBOX_OURS. */
bool mailbox_wants_take_over(Db *db, const char *account, bool *ret, GError **error);
/* The mailbox was another home's, and what that one had in hand is not known yet
 * (remote/remote_survey.c). */
bool mailbox_survey_owed(Db *db, const char *account, bool *ret, GError **error);
bool mailbox_set_survey(Txn *txn, const char *account, bool owed, GError **error);
/* The store is an old one that a person accepted, and what happened to the mail of this account
 * since then has still to be learnt from its server (remote/remote_backup.c). */
bool mailbox_backup_owed(Db *db, const char *account, bool *ret, GError **error);
/* From now on nobody has looked. */
bool mailbox_owe_backup(Txn *txn, const ConfAccount *account, GError **error);
bool mailbox_backup_seen(Txn *txn, const char *account, GError **error);
