#pragma once

/*
 * What a role's mailbox says about its jobs, for a store that does not know it: one that was
 * lost, or an old copy. The trail of a job is its checkpoint mails, the mails that its steps
 * wrote, and the orders that were given to it. Only what this store does not know counts, so in
 * a store that is up to date the trail is empty.
 */
#include "engine/checkpoint/continuation.h"
#include "engine/in/order_mail.h"
#include "mail/maildir.h"
#include "mail/msgid.h"

typedef struct TrailJob {
    Continuation *inbox; /* its checkpoint in INBOX with the highest seq; NULL: none */
    Minted inbox_id;     /* of that mail */
    Continuation *most;  /* the highest seq in any other folder; NULL: none */
    Minted most_id;
    Continuation
        *halted; /* the highest seq of those in Sent that it left at a limit; NULL: none */
    Minted halted_id;
    int64_t done_seq; /* the highest seq of a checkpoint in Done */
    OrderMail order;  /* the STOP or CANCEL with the highest epoch; its word NULL: none */
    Minted order_id;
    Minted last; /* the newest mail that a step of it wrote */
    bool wrote;  /* there is such a mail */
    bool ended;  /* it is an answer, or says that the job ended with it */
} TrailJob;

typedef struct Trail {
    GHashTable *jobs;    /* of TrailJob */
    GPtrArray *steps;    /* mails of steps */
    int64_t spent_micro; /* what all jobs together had cost today */
} Trail;
void trail_clear(Trail *t);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trail, trail_clear)

/* Reads INBOX, Done and Sent. */
bool trail_read(Engine *engine, const ConfRole *role, Maildir *md, Trail *ret, GError **error);
/* The trail of one job; empty where nothing is known of it. Borrowed. */
const TrailJob *trail_of(Trail *t, const Home *home, JobId job, int64_t born_us);
/* True when the job went on after its newest checkpoint in INBOX: that was used, or a later
 * step wrote mail. True too where there is no such checkpoint. */
bool trail_is_past(const TrailJob *t);
/* Where the job stands: its checkpoint in INBOX, or what it left at a limit; NULL: it went on
 * behind both. Borrowed. */
Continuation *trail_place(const TrailJob *t);
/* True when the job's newest mail ended it, and no checkpoint came after that mail. */
bool trail_has_ended(const TrailJob *t);
/* The STOP or CANCEL that is newer than this epoch, which is that of the job's newest state,
 * and newer than every mail that a step of it wrote; NULL: there is none. */
const OrderMail *trail_order(const TrailJob *t, int64_t epoch);
