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

/* Things to do once the batch is committed. */
typedef struct IntakeAfter {
    GArray *poke; /* of JobId */
    bool ready;
    bool moves; /* mail is to be moved */
} IntakeAfter;

/* Takes in one mail of the role's mailbox, inside the batch's transaction. account is the one
 * that the mailbox is of; the mail may have been fetched from another. */
bool intake_take(Engine *engine,
                 const ConfAccount *account,
                 Txn *txn,
                 const ConfRole *role,
                 const IntakeItem *item,
                 IntakeStats *stats,
                 IntakeAfter *after,
                 GError **error);

/* What a mail that passed the judge becomes: an order, or work, or held after all. *ret_job:
 * the job that it continues, {0}: none. */
bool intake_direct(Engine *engine,
                   const Judgement *j,
                   MsgNew *in,
                   Order *order,
                   JobId *ret_job,
                   GError **error);
