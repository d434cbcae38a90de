#pragma once

/*
 * The part of the outbox that only mail to people outside has: by SMTP a mail can be on its way
 * without anybody knowing whether it arrived.
 *
 * (1) SENDING is written, flushed, before the last bytes of a mail go out, for all its
 *     recipients at once or for none. Until then the server can't have taken it.
 * (2) One process sends at a time. What it finds SENDING when it begins was left by one that
 *     died: IN_DOUBT. Nothing resends that by itself, unless the settings say so.
 * (3) A recipient that fails for good is news for the mail's job until a step was shown it.
 * (4) A copy of a mail that nobody got is never filed: it fails with the last recipient.
 */
#include "base/list.h"
#include "store/out/outbox.h"
#include "view/job_rows.h"

/* Marks these deliveries as SENDING. *ret_all is false, and nothing changed, when one of them
 * is not due any more. */
bool
outbox_sending(Txn *txn, const int64_t *deliveries, size_t n, bool *ret_all, GError **error);
/* In the same transaction: a copy to ourselves goes with this try. probe is the number that it
 * carries, which no other try has; never 0. */
bool outbox_set_probe(
    Txn *txn, OutId id, const int64_t *deliveries, size_t n, int64_t probe, GError **error);
/* How many tries of a mail had such a copy. */
bool outbox_probes(Db *db, OutId id, unsigned *ret_n, GError **error);
/* To be called when such a copy has come: every recipient of the same try has the mail, however
 * the wait for the server's answer ends. probe 0: nobody can tell of which try the copy is;
 * then it proves something only where there was no other try. *ret_n counts recipients of whom
 * that was not known. */
bool outbox_copy_came(Txn *txn, OutId id, int64_t probe, unsigned *ret_n, GError **error);
/* *ret: such a copy would settle something. */
bool outbox_awaits_copy(Db *db, OutId id, int64_t probe, bool *ret, GError **error);
/* Somebody has the mail: the copies that waited for that may be filed. */
bool outbox_release_copies(Txn *txn, OutId id, GError **error);
/* Fails those copies, once every recipient has failed. */
bool outbox_end_copies(Txn *txn, OutId id, GError **error);
/* Puts a delivery that is SENDING in doubt; its next_us then says since when. ask_us: when the
 * owner is to be asked, unless the doubt is settled by then; USEC_NEVER: outbox_to_ask() never
 * names it. */
bool outbox_doubt(Txn *txn, int64_t delivery, const char *why, int64_t ask_us, GError **error);
/* Another home may have sent whatever is due here: all recipients outside who wait for their
 * mail are IN_DOUBT, and the owner is to be asked. */
bool outbox_doubt_all(Txn *txn, const char *why, GError **error);
/* The mails (OutId) about which it is time to ask. Afterwards outbox_asked() notes that
 * somebody was asked, or that nobody can be asked. */
bool outbox_to_ask(Db *db, int64_t now_us, GArray **ret, GError **error);
bool outbox_asked(Txn *txn, OutId id, GError **error);
/* A person, or a copy that came back, says that it arrived: IN_DOUBT becomes SENT, and who was
 * asked about it need not answer. *ret_n counts recipients. */
bool outbox_arrived(Txn *txn, OutId id, const char *who, unsigned *ret_n, GError **error);
/* What a person's answer does to those that are IN_DOUBT: they count as sent, or are due again.
 * The question is the caller's. */
bool outbox_count_sent(Txn *txn, OutId id, const char *why, unsigned *ret_n, GError **error);
bool outbox_resend(Txn *txn, OutId id, unsigned *ret_n, GError **error);
/* A recipient of this mail that was sent by SMTP, or is in doubt, and has not got it after all:
 * FAILED, and news. *ret_delivery is 0 when there is none. */
bool outbox_bounced(Txn *txn,
                    OutId id,
                    const char *address,
                    const char *why,
                    int64_t *ret_delivery,
                    GError **error);

/* *ret: there is something to do for the process that sends: mail that is due, was left
 * SENDING, or is to be asked about. */
bool outbox_smtp_ready(Db *db, int64_t now_us, bool *ret, GError **error);
bool outbox_count_doubt(Db *db, unsigned *ret_n, GError **error);

/* An account whose server refuses us, or can't be reached with what the settings say: its mail
 * waits until then, and no try is counted. *ret_first: it was not so before. */
bool outbox_pause_account(Txn *txn,
                          const char *account,
                          int64_t until_us,
                          const char *why,
                          bool *ret_first,
                          GError **error);
/* Why an account is paused, and until when; *ret_why is NULL when it works as far as we know.
 * Caller frees. */
bool outbox_account_paused(
    Db *db, const char *account, int64_t *ret_until, char **ret_why, GError **error);
/* Ends the pause of an account that works, or about which a person has changed something: its
 * mail is due at once. */
bool outbox_resume_account(Txn *txn, const char *account, GError **error);
/* The settings were read again: every account is tried. Cheap when none is paused. */
bool outbox_resume_all(Db *db, GError **error);

/* Mails of a round of a job, those to its own role (checkpoints) left out; mails to one address
 * outside (NULL: to anybody there) since then, by the wall clock of now. What is held does not
 * count. enough: fewer need not be counted, and may be told as 0. */
bool
outbox_count_round(Db *db, const Job *job, unsigned enough, unsigned *ret_n, GError **error);
bool
outbox_count_to(Db *db, const char *address, int64_t since_us, unsigned *ret_n, GError **error);

/* When the job's newest mail to this address was written, by the wall clock of now; 0:
 * never. */
bool outbox_last_to(Db *db, JobId job, const char *address, int64_t *ret_us, GError **error);

typedef struct OutNews {
    int64_t delivery;
    char *address, *msgid, *why;
} OutNews;
SHAPE_OF(OutNews, out_news, OutNewsList, out_news_list)
bool outbox_set_news(Txn *txn, int64_t delivery, GError **error);
/* Oldest first. */
bool outbox_news(Db *db, JobId job, OutNewsList **ret, GError **error);
bool outbox_news_told(Txn *txn, const int64_t *deliveries, size_t n, GError **error);
