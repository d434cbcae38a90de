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

/* *ret_first: it was not broken before, so a person has not been told yet. */
bool brain_set_broken(Txn *txn,
                      const char *brain,
                      int64_t until_us,
                      const char *why,
                      bool *ret_first,
                      GError **error);
/* No word of a brain keeps its jobs waiting for longer: then it is tried again. */
#define BRAIN_MOST_US (24 * 3600 * USEC_PER_SEC)
/* *until is lowered to that; .us 0: nobody knows, then it is brain_next_try(). *ret_ask: it was, for the first time since it worked or a person
 * had it tried, so the owner is to be asked. */
bool brain_set_limited(
    Txn *txn, const char *brain, Due *until, const char *why, bool *ret_ask, GError **error);
/* Shorter waits are no news. */
#define BRAIN_LONG_US (600 * USEC_PER_SEC)
/* When to look again for an answer that was first missed at since_us: as long as it is missing
 * already, from a minute to an hour, and at the moment when the wait becomes news. */
int64_t brain_next_try(int64_t since_us, int64_t now_us);
/* Is this person to hear that a job waits for this brain? Once for all their jobs, until it works
 * again or a day has passed. Then it counts as told. */
bool
brain_tell(Txn *txn, const char *brain, const char *address, bool *ret_tell, GError **error);
/* Does this person wait for the word that it goes on? From now on not any more. */
bool brain_untell(
    Txn *txn, const char *brain, const char *address, bool *ret_was, GError **error);
/* May it be asked now? A pause that is over is none, nor is one under other settings. */
bool brain_pause(Db *db, const char *brain, Pause *ret, GError **error);
/* Why a person must mend it, also while it is being tried again; NULL: it works. Caller frees.
 * *ret_untried: its settings were changed since, or somebody said CONTINUE, and it was not asked
 * again yet. */
bool brain_broken_why(Db *db, const char *brain, char **ret, bool *ret_untried, GError **error);
/* It has answered: nothing is wrong with it, and its other jobs need not wait either. */
bool brain_worked(Db *db, const char *brain, GError **error);
/* What its server refuses (BRAIN_LACKS_…), so that not every question tries it again; 0 under
 * other settings than those it was learnt under: it may be another server. */
bool brain_lacks(Db *db, const char *brain, unsigned *ret, GError **error);
bool brain_set_lacks(Db *db, const char *brain, unsigned lacks, GError **error);
/* It may be asked at once, and all its jobs are ready: the first finds out whether it works. */
bool brain_try_now(Txn *txn, const char *brain, GError **error);
/* The settings were changed since a brain was paused: it is tried at once, and so are its jobs.
 * Cheap when none is. */
bool brains_recheck(Db *db, GError **error);
