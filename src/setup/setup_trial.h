#pragma once

/*
 * What `setup mail` tries out, before anything is written: the login and pushes
 * (setup_trial.c), the way out (setup_submission.c), a mail that comes back (setup_round.c), and
 * whether its sender may carry a tag (setup_envelope.c).
 * Each prints one line per step, ok or failed, and changes nothing in the mailbox but its own
 * test mail, which it removes.
 */
#include "mail/message.h"
#include "setup/setup.h"
#include "wire/imap.h"

typedef struct MailTrial {
    Setup *setup;
    const Config *config; /* as it would be */
    const ConfAccount *account;
    const char *address; /* of the mailbox */
    const char *login;   /* what to do when the login is refused */
    const char *preset;  /* whose preset knows what the server takes as sender; NULL: none */
    ImapConn *conn;      /* once trial_login() returned 0 */
    ImapMailbox box;     /* the selected folder: the watched one, for reading alone, behind
                            trial_login(); after a round trip it may be Sent */
    /* What the round trip taught. */
    int64_t back_us; /* when it came, by clock_mono_us() */
    bool keeps_id;   /* our Message-ID is still there */
    /* Settings; unsaid: nothing was learnt. */
    ConfSentCopy sent_copy;
    ConfDoubt in_doubt;
    ConfMessageId message_id;
    ConfEnvelope envelope;
} MailTrial;
void trial_clear(MailTrial *t); /* ends the connection; the rest is the caller's */

/* Exit statuses. Each waits for the server. */

/* Logs in, opens the watched folder, and tries IDLE. */
int trial_login(MailTrial *t);
/* Logs in at the submission server, or looks for a sendmail; sends nothing. Where neither is set
 * it says so, and returns 0. */
int trial_submission(MailTrial *t);
/* Needs trial_login(). Mails the account from itself, waits up to 90 s for that mail, looks whether
 * Sent has a copy, removes both, and sets what was learnt. 75: the mail did not come. */
int trial_round(MailTrial *t);
/* Mails itself a forged Authentication-Results field of this id, and says whether the server took
 * it out; *ret_kept: it did not. Nothing without a round trip before. That it was taken out proves
 * nothing: it may be let through in mail from elsewhere. */
void trial_forged(MailTrial *t, const char *id, bool *ret_kept);

/* --- for each other --- */

/* Says why a step failed, and what to do about it. Takes why; returns its exit status. */
int trial_failed(MailTrial *t, const char *step, GError *why);
/* Opens the watched folder; box.uidnext is never 0 then. */
bool trial_select(MailTrial *t, bool read_only, GError **error);
/* One mail by its UID from the selected folder, at most max bytes. NULL, with true: not there,
 * or larger. */
bool
trial_read(MailTrial *t, uint32_t uid, ImapPart part, size_t max, GBytes **ret, GError **error);
/* The headers of one mail; NULL, with true: not there, or larger than 256 KB. Caller frees. */
bool trial_read_head(MailTrial *t, uint32_t uid, Message **ret, GError **error);
/* Sends a mail whose envelope has this address, the mailbox's own or one with a tag, as sender and
 * as recipient. ERR_CONFIG: it was refused for good; ERR_LATER: for now. */
bool trial_send(MailTrial *t, const char *address, GBytes *bytes, GError **error);

/* A test mail, known by a word that is made for it. The word, the id and the bytes are the
 * caller's to free; *ret_word is set on failure too. forged: an id that an
 * Authentication-Results field of its own pretends to be; NULL: it has no such field. */
bool trial_write(MailTrial *t,
                 const char *forged,
                 char **ret_word,
                 GBytes **ret,
                 char **ret_msgid,
                 GError **error);
/* Waits up to wait_us for the test mail with this word, among mails from box.uidnext on: *ret_uid
 * is its UID in the selected folder; 0: it has not come in time. trial_remove() removes that mail,
 * and no other. */
bool
trial_await(MailTrial *t, const char *word, int64_t wait_us, uint32_t *ret_uid, GError **error);
bool trial_remove(MailTrial *t, uint32_t uid, GError **error);

/* A second test mail whose sender and recipient carry the tag that `envelope = verp` uses: only
 * where both work does a bounce find its mail. {0} before tag_trial_send(). */
typedef struct TagTrial {
    char *word;    /* NULL: none was sent */
    char *address; /* with the tag */
    char *why;     /* why it can't be; NULL: it can, as far as is known */
} TagTrial;
void tag_trial_clear(TagTrial *tag);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TagTrial, tag_trial_clear)
/* Sends that second mail; sends nothing where the preset knows the answer. That the server takes no
 * tag is no error: tag->why says so. */
void tag_trial_send(MailTrial *t, TagTrial *tag);
/* The watched folder is selected, and the other mail has come: waits for this one, and removes
 * it. */
bool tag_trial_await(MailTrial *t, TagTrial *tag, int64_t wait_us, GError **error);
/* Prints one line about the trial, and notes which setting to write. */
void tag_trial_tell(MailTrial *t, const TagTrial *tag);
