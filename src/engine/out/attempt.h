#pragma once

/*
 * What a failed try to deliver one mail leads to, for every way out: another try after a wait
 * that doubles from `retry-first` to `retry-max`, until the mail is as old as `give-up`. A
 * first failure is always worth a second try: the mail may have been held for a long time. A
 * copy for a Sent folder is never given up because of its age, since the mail itself has left.
 * When the last recipient fails, the copies fail too that wait until somebody has the mail.
 *
 * By SMTP, 4xx (451, say) is read as SMTP_RETRY, "later", and 5xx as refused for good, in
 * wire/smtp.h; remote/submit.h hands both on to attempt_failed().
 */
#include "base/home.h"
#include "store/out/outbox.h"

/* Writes a failed try down. never: the same mail to the same recipient always fails.
 * *ret_given_up false: it is tried again. */
bool attempt_failed(Txn *txn,
                    const OutRow *row,
                    bool never,
                    const char *why,
                    bool *ret_given_up,
                    GError **error);
