#pragma once

/*
 * The mail that says that an order was carried out: STOP, CANCEL, APPROVE or REJECT. It lies in
 * the role's Sent folder, so that neither a lost store nor an old copy of it undoes the order.
 * An order by mail is answered by it; for any other order a copy is filed there and sent to
 * nobody. The header
 *
 *     X-Postrider-Order: STOP job=12 born=1793000000000000 epoch=3 mac=HEX
 *
 * names the job, when it was born (numbers come again after a lost store), and the epoch that
 * the order gave it: what has a lower epoch is from before the order. APPROVE and REJECT name
 * the mails that they decided, as <id>, in front of the mac. The MAC is over all before it.
 */
#include "engine/engine.h"
#include "mail/compose.h"
#include "mail/message.h"
#include "store/job/jobs.h"

typedef struct OrderMail {
    char *word; /* "STOP", "CANCEL", "APPROVE", "REJECT" */
    JobId job;  /* {0}: of a mail without a job */
    int64_t born_us, epoch;
    GPtrArray *mails; /* char *: ids */
} OrderMail;
void order_mail_clear(OrderMail *o);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(OrderMail, order_mail_clear)

/* Adds the header to the mail that answers an order; the mail is to be posted as MAIL_ORDER.
 * job: as the order left it; NULL: no job. mails: the mails that were decided, as Message-IDs
 * (char *); NULL: none. */
bool order_mail_mark(const Home *home,
                     Compose *c,
                     const char *word,
                     const Job *job,
                     const GPtrArray *mails,
                     GError **error);
/* Files a copy in the Sent folder of the job's role, after the order and in its transaction. job
 * {0}: in the Sent folder of the role whose address is `from` (NULL: no address). Where there is
 * no such role nothing is filed. who: "the operator", or an address. */
bool order_mail_file(Engine *engine,
                     Txn *txn,
                     const char *word,
                     const char *who,
                     JobId job,
                     const char *from,
                     const GPtrArray *mails,
                     GError **error);

/* Reads the header of a mail whose headers were parsed. False: the mail has no such header, or
 * its MAC does not hold. */
bool order_mail_read(const Home *home, const Message *m, OrderMail *ret);
