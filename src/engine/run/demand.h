#pragma once

/*
 * Mail on demand. A run knows no mail password: where it needs a mail that is not held here it
 * leaves word (store/mail/demands.h), wakes the process of the role's account and waits for a
 * while. What is found is kept as a file and stored as history: it can be shown, and is never
 * work. Where there is no account, nobody is at work for it or its server is away, nothing is
 * waited for; the word stays, so that the mail may be there the next time.
 */
#include "engine/engine.h"
#include "store/job/jobs.h"
#include "store/mail/messages.h"

/* At most this long, once, for all that is asked for. */
#define DEMAND_WAIT_US (10 * USEC_PER_SEC)

/* As messages_find() for the role, but a mail that is not here is looked for on the server, also
 * when it was looked for in vain before: in that folder first ("" or NULL: anywhere). *ret NULL
 * with true: it is not to be had now. A signal that calls the run ends the wait. */
bool demand_mail(Engine *engine,
                 const char *role,
                 const char *msgid,
                 const char *folder,
                 MsgRow **ret,
                 GError **error);

/* Asks for the mails that these mails of a job answer and refer to, where a mail came from a
 * server and what it refers to is not here. The same mail is asked for once a day at most. Waits
 * also for what others have asked for on behalf of the role, such as the mail that a job had
 * gathered before it came back from its checkpoint. */
bool demand_ancestors(Engine *engine, const Job *job, const MsgRows *mails, GError **error);

/* Asks for the mail without waiting for it, as a row of this transaction. Does nothing where the
 * role has no server. */
bool demand_later(Engine *engine,
                  Txn *txn,
                  const char *role,
                  const char *msgid,
                  const char *folder,
                  GError **error);

/* Stores a mail that is here now, of that folder and file, as history: no work. state is
 * handled, or ignored where a person may release the mail. Inside the transaction. */
bool demand_store(Engine *engine,
                  Txn *txn,
                  const ConfAccount *account,
                  const ConfRole *role,
                  const char *folder,
                  const char *file,
                  const Message *mail,
                  MsgState state,
                  const char *why,
                  GError **error);
