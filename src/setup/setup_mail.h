#pragma once

/*
 * The inside of `setup mail`: which account and where its servers are (setup_account.c), how it
 * logs in (setup_login.c), whether that works (setup_trial.h), and who its owner is
 * (setup_owner.c, setup_pair.c). All return exit statuses, or SETUP_BACK; the steps of its talk
 * get a MailSetup.
 */
#include "setup/setup_trial.h"

typedef struct MailSetup {
    Setup *s;
    char *name, *section; /* of the account */
    char *address, *role; /* "role envoy"; set once mail_role() and mail_address() returned 0 */
    Config *config;       /* as it would be; the trial borrows it */
    MailTrial trial;
} MailSetup;

int mail_role(void *data);
int mail_address(void *data);
int mail_preset(void *data); /* the provider */
int mail_servers(void *data);
int mail_user(void *data); /* the login name */
/* A password, or a program that prints one or a token. */
int mail_login(void *data);
/* By pairing, where the trial is logged in and a person wants to pair; else by flags and the
 * preset. Pairing writes to the store whether a forged field came through (trial_forged()). */
int mail_owner(void *data);

/* What a mail tells that has the word which only this terminal shows: its sender is the owner. */
typedef struct Paired {
    char *owner;       /* addr-spec */
    char *authserv_id; /* NULL: the server writes none */
    char *proof;       /* what the server says about the sender, one line */
    bool proved;
} Paired;
void paired_clear(Paired *p);
/* Shows the word, and waits up to wait_us for the mail with it. *ret must be {0} before, and is
 * cleared with paired_clear(). 0, 75 when nobody wrote in time, or another exit status, after a
 * message. */
int mail_pair(MailTrial *t, int64_t wait_us, Paired *ret);
