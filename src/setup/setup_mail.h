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
    char *address, *role; /* "role envoy"; once mail_role() and mail_address() are 0 */
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
/* By pairing, where the trial is logged in and it is wanted; else by flags and the preset. */
int mail_owner(void *data);

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
