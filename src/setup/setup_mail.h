#pragma once

/*
 * The inside of `setup mail`: which account and where its servers are (setup_account.c), how it
 * logs in (setup_login.c), whether that works (setup_trial.h), and who its owner is
 * (setup_owner.c, setup_pair.c). All return exit statuses.
 */
#include "setup/setup_trial.h"

typedef struct MailSetup {
    Setup *s;
    char *name, *section; /* of the account */
    char *address, *role; /* "role envoy"; once mail_account() is 0 */
} MailSetup;

/* Role, address, provider, servers, login name. */
int mail_account(MailSetup *m);
/* A password, or a program that prints one or a token. */
int mail_login(MailSetup *m);
/* By pairing, where the trial is logged in and it is wanted; else by flags and the preset. */
int mail_owner(MailSetup *m, MailTrial *t);

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
