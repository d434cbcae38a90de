#pragma once

/*
 * What `setup mail` tries out, before anything is written: the login and pushes
 * (setup_trial.c), the way out (setup_submission.c), a mail that comes back (setup_round.c).
 * Each prints one line per step, ok or failed, and changes nothing in the mailbox but its own
 * test mail, which it removes.
 */
#include "cli/setup.h"
#include "wire/imap.h"

typedef struct MailTrial {
    Setup *setup;
    const Config *config; /* as it would be */
    const ConfAccount *account;
    const char *address; /* of the mailbox */
    const char *login;   /* what to do when the login is refused */
    ImapConn *conn;      /* once trial_login() is 0; the folder is open for reading alone */
    ImapMailbox box;
    /* What the round trip taught. */
    int64_t back_us;                               /* when it came, by clock_mono_us() */
    bool keeps_id;                                 /* our Message-ID is still there */
    const char *sent_copy, *in_doubt, *message_id; /* settings; NULL: nothing. Static. */
} MailTrial;
void trial_clear(MailTrial *t);

/* Exit statuses. */
int trial_login(MailTrial *t);
int trial_submission(MailTrial *t);
/* Mails the account from itself, waits for it, looks whether Sent has it, and removes both. */
int trial_round(MailTrial *t);

/* --- for each other --- */

/* Says why a step failed, and what to do about it. Takes why; returns its exit status. */
int trial_failed(MailTrial *t, const char *step, GError *why);
/* Opens the watched folder; box.uidnext is never 0 then. */
bool trial_select(MailTrial *t, bool read_only, GError **error);
/* One mail by its UID from the selected folder, at most max bytes. NULL, with true: not there,
 * or larger. */
bool
trial_read(MailTrial *t, uint32_t uid, ImapPart part, size_t max, GBytes **ret, GError **error);
/* Sends a mail from the account's address to itself. */
bool trial_send(MailTrial *t, GBytes *bytes, GError **error);
