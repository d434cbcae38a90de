#pragma once

/*
 * The inside of submit: submit.c (what is due), submit_account.c (the way to an account's
 * server), submit_mail.c (one mail, and what became of it).
 */
#include "remote/login.h"
#include "remote/submit.h"
#include "store/out/outbox_smtp.h"

typedef struct Pass {
    Engine *engine;
    const ConfAccount *account; /* of the open connection */
    Submission out;             /* without a connection: by a program, or not yet */
    SubmitStats stats;
} Pass;

/* One mail on its way: all its recipients that are due. */
typedef struct Parcel {
    Pass *pass;
    const ConfAccount *account;
    OutRows *rows;        /* borrowed; the same mail */
    SmtpResult *results;  /* one per row, and one for the copy to ourselves */
    bool taken_back;      /* one of them is not to be sent any more */
    char *envelope, *tag; /* of the sender; what bounces name */
    char *probe;          /* our own address beside the recipients; NULL */
    int64_t try;          /* the number of the copy that goes there; 0: none does */
    bool copy_comes;      /* in doubt: a copy to ourselves may settle it */
} Parcel;

/* How long we still wait for the answer to a mail that was handed over, once we were asked to
 * end. */
int64_t submit_stop_us(const Pass *p);

/* submit_account.c */

/* Opens the way to the account's server, if it is not open. *ret_ready false: it can't be opened now;
 * the mail that waits for the account was marked with the reason, and nothing is to be sent. */
bool submit_reach(Pass *p, const ConfAccount *account, bool *ret_ready, GError **error);
void submit_hang_up(Pass *p); /* closes the connection, if there is one */

/* submit_mail.c */

void parcel_clear(Parcel *c);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Parcel, parcel_clear)
/* Hands the mail over and commits what became of it. */
bool parcel_send(Parcel *c, GError **error);
/* Commits the same end for all its recipients. */
bool parcel_end(Parcel *c, SmtpEnd end, const char *why, GError **error);
