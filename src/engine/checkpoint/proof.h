#pragma once

/*
 * What a mail in a Sent folder proves about mail that came, when the store can't tell: it was
 * lost, or is an old copy. The Message-ID of our own mail says what it is (mail/msgid.h):
 *
 *   answer                      the mails that it names are settled
 *   ack, interim, failure, notice …   it was said, and nothing is settled by it
 *   of a version before kinds   its parent and all its ancestors are settled
 *   not ours: a person wrote    likewise
 *
 * An answer names what it settles in its In-Reply-To; where that is not all, or not it, in
 * X-Postrider-Settles, as many as a header can hold (about 500). It names no mail whose sender
 * does not get the answer.
 */
#include "engine/engine.h"
#include "mail/compose.h"
#include "mail/message.h"
#include "store/job/jobs.h"

/* Writes into a mail of a step, while it is composed, of which job it is, whether the step ends
 * the job, and which mail it settles. in_reply_to: of the mail, may be NULL; settled:
 * Message-IDs, of char *; empty: it settles nothing. */
bool proof_name(const Home *home,
                Compose *mail,
                const Job *job,
                bool ends,
                const char *in_reply_to,
                const GPtrArray *settled,
                GError **error);

/* The ids that this mail of a Sent folder proves to be settled. Elements are char *; caller
 * unrefs. */
GPtrArray *proof_read(const Home *home, const Message *m);

/* What a Sent folder says about mail that lies in Done. */
typedef struct Said {
    GHashTable
        *last; /* ids that a mail was the last word about, whoever got it: more than those
                        * that it settles; NULL: nobody has read the folder */
    GHashTable *asked; /* ids of mail whose answer a person was asked about: may it leave? */
} Said;
void said_init(Said *s);
void said_clear(Said *s);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Said, said_clear)
void said_add(Said *s, const Home *home, const Message *m);
/* Why a mail in Done counts as not answered: its answer was written, and had not left. Static;
 * NULL: it had, or there was none. answered: the mail is flagged so. */
const char *said_lost(const Said *s, const char *msgid, bool answered);

/* The job that a step's mail names, in a form that tells nobody else anything. Two jobs of one
 * number are told apart by when they were born. Caller frees. */
char *proof_token(const Home *home, JobId job, int64_t born_us);
/* The token in a mail; NULL: the mail names no job. *ret_ends, written with a token: the job
 * ended with that step. Caller frees. */
char *proof_token_of(const Message *m, bool *ret_ends);
