#pragma once

/*
 * The inside of intake: intake.c (files, batches), intake_take.c (one mail), intake_queue.c
 * (the job that it goes to). Nobody else includes it.
 */
#include "engine/in/intake.h"
#include "engine/in/judge.h"
#include "engine/in/mail_in.h"
#include "engine/in/orders.h"
#include "mail/maildir.h"

/* One file on its way in. */
typedef struct IntakeItem {
    MaildirEntry *entry; /* borrowed */
    GBytes *bytes;
    MailIn in;
    const char *unreadable; /* why it could not even be read; static */
} IntakeItem;

/* Mails of one role's mailbox that are taken in together. */
typedef struct IntakeBatch {
    Engine *engine;
    const ConfAccount *account; /* of the mailbox; a mail may have been fetched from another */
    const ConfRole *role;
    Txn *txn;
    IntakeStats stats; /* as they are once it is committed; and what is to be done then: */
    GArray *poke;      /* of JobId: an order has changed them */
    GArray *fed;       /* of JobId: they have one mail more than before */
    bool ready;
    bool moves; /* mail is to be moved */
} IntakeBatch;

/* Takes in one mail, inside the batch's transaction. */
bool intake_take(IntakeBatch *b, const IntakeItem *item, GError **error);

/* Decides what a mail becomes that passed the judge: an order, or work, or held after all.
 * *ret_job: the job that it continues; {0}: it begins one. */
bool intake_direct(Engine *engine,
                   const Judgement *j,
                   MsgNew *in,
                   Order *order,
                   JobId *ret_job,
                   GError **error);
