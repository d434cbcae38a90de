#pragma once

/*
 * Brains that are not to be asked for a while. What is wrong is the brain's, not a job's: all
 * its jobs stay queued, and none of their attempts counts.
 *
 *   broken    no program, no key, no money, no right: a person must mend it. Tried again every
 *             few minutes
 *   limited   a usage limit of its provider that ends at a time, within a day; or nobody there:
 *             tried again after a wait that grows to an hour; that of a program from five minutes
 *
 * Both end when postrider.conf or the file with its key was changed since, and when a person
 * says CONTINUE to one of its jobs: it may be another provider that is asked next.
 */
#include "store/db.h"

typedef enum PauseKind { PAUSE_NONE, PAUSE_BROKEN, PAUSE_LIMITED } PauseKind;

typedef struct Pause {
    PauseKind kind;
    Due until; /* DUE_NEVER with PAUSE_NONE */
    char *why; /* NULL with PAUSE_NONE */
    bool away; /* PAUSE_LIMITED: until then is our own guess */
} Pause;
void pause_clear(Pause *p);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pause, pause_clear)

/* The brain is broken, and is tried again at until_us. *ret_first: it was not broken before, so
 * that no person has been told yet. */
bool brain_set_broken(Txn *txn,
                      const char *brain,
                      int64_t until_us,
                      const char *why,
                      bool *ret_first,
                      GError **error);
/* However long a brain says that its limit lasts, it is tried again after this time. */
#define BRAIN_MOST_US (24 * 3600 * USEC_PER_SEC)
/* The brain is limited until *until. An *until later than BRAIN_MOST_US from now is lowered to
 * that; an *until of 0 means that nobody knows when the limit ends, and becomes
 * brain_next_try(). *ret_ask: *until was lowered, for the first time since the brain worked or
 * a person had it tried, so the owner is to be asked. */
bool brain_set_limited(
    Txn *txn, const char *brain, Due *until, const char *why, bool *ret_ask, GError **error);
/* People hear of a wait that is longer than this. */
#define BRAIN_LONG_US (600 * USEC_PER_SEC)
/* When to look again for an answer that was first missed at since_us: as long as it is missing
 * already, from a minute to an hour, and at the moment when the wait becomes news. */
int64_t brain_next_try(int64_t since_us, int64_t now_us);
/* *ret_tell: this person is to hear that a job waits for this brain. It is true once for all
 * jobs of the person, until the brain works again or a day has passed; from then on the person
 * counts as told. */
bool
brain_tell(Txn *txn, const char *brain, const char *address, bool *ret_tell, GError **error);
/* *ret_was: this person waits for the word that the brain works again. From now on the person
 * counts as told of that. */
bool brain_untell(
    Txn *txn, const char *brain, const char *address, bool *ret_was, GError **error);
/* Why the brain may not be asked now; ret->kind is PAUSE_NONE when it may. A pause that is over
 * does not count, nor a pause that was made under other settings. */
bool brain_pause(Db *db, const char *brain, Pause *ret, GError **error);
/* Why a person must mend the brain, also while it is being tried again; NULL: it works. Caller
 * frees. *ret_untried: its settings were changed since, or somebody said CONTINUE, and the
 * brain has not been asked again yet. */
bool brain_broken_why(Db *db, const char *brain, char **ret, bool *ret_untried, GError **error);
/* The brain has answered: nothing is wrong with it, and its other jobs need not wait either.
 * This call, brain_set_lacks() and brains_recheck() have transactions of their own. */
bool brain_worked(Db *db, const char *brain, GError **error);
/* What the brain's server refuses (BRAIN_LACKS_…), so that not every question tries it again. 0
 * under other settings than those under which it was learnt: another server may be meant
 * then. */
bool brain_lacks(Db *db, const char *brain, unsigned *ret, GError **error);
bool brain_set_lacks(Db *db, const char *brain, unsigned lacks, GError **error);
/* The brain may be asked at once, and all its jobs are ready: the first of them finds out
 * whether it works. */
bool brain_try_now(Txn *txn, const char *brain, GError **error);
/* Ends the pause of each brain whose settings were changed since: it is tried at once, and its
 * jobs are ready. Cheap when no brain is paused. */
bool brains_recheck(Db *db, GError **error);
