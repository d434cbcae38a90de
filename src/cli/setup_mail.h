#pragma once

/* The inside of `setup mail`: what is asked is in setup_mail.c, what is tried out in
 * setup_servers.c, who the owner is in setup_pair.c. */
#include "cli/setup.h"
#include "wire/imap.h"
#include "wire/smtp.h"

typedef struct MailTrial {
    Setup *setup;
    const Config *config; /* as it would be */
    const ConfAccount *account;
    const char *address; /* of the mailbox */
    const char *login;   /* what to do when the login is refused */
    ImapConn *conn; /* once mail_trial_login() is 0; the folder is open for reading alone */
    ImapMailbox box;
    /* What the round trip taught. */
    int64_t back_us;                  /* when it came, by clock_mono_us() */
    bool keeps_id;                    /* our Message-ID is still there */
    const char *sent_copy, *in_doubt; /* as in the settings; NULL: nothing. Static. */
} MailTrial;
void mail_trial_clear(MailTrial *t);

/* Each prints one line per step, and returns an exit status. */
int mail_trial_login(MailTrial *t);
int mail_trial_submission(MailTrial *t);
/* Mails the account from itself, waits for it, looks whether Sent has it, and removes both. */
int mail_trial_round(MailTrial *t);

/* Opens the watched folder; box.uidnext is never 0 then. */
bool mail_trial_select(MailTrial *t, bool read_only, GError **error);
/* One mail by its UID from the selected folder, at most max bytes. NULL, with true: not there,
 * or larger. */
bool mail_trial_read(
    MailTrial *t, uint32_t uid, ImapPart part, size_t max, GBytes **ret, GError **error);

/* A mail with a word that only this terminal shows: who wrote it is the owner. */
typedef struct Paired {
    char *owner;       /* addr-spec */
    char *authserv_id; /* NULL: the server writes none */
    char *proof;       /* what the server says about the sender, one line */
    bool proved;
} Paired;
void paired_clear(Paired *p);
/* 75 when nobody wrote in time. */
int mail_pair(MailTrial *t, int64_t wait_us, Paired *ret);
