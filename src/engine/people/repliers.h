#pragma once

/*
 * Whom a parked job waits for: those to whom its last mail went, else whoever asked. Reads the
 * store only. What the job tells its owner about mail to others does not count, nor what is
 * held, nor the words of the runtime itself.
 */
#include "store/job/jobs.h"

typedef struct Repliers {
    GPtrArray *to;    /* char *: at least one */
    char *msgid;      /* of the mail that they have not answered; NULL: there is none */
    int64_t since_us; /* when it was written, or the job was parked */
} Repliers;
void repliers_clear(Repliers *a);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Repliers, repliers_clear)

/* To be cleared with repliers_clear(). */
bool repliers_load(Db *db, const Job *job, Repliers *ret, GError **error);
/* "ann@x, bob@y"; caller frees. */
char *repliers_names(const Repliers *a);
