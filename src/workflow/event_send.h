#pragma once

/*
 * An event: what a role or person tells others about an artifact, and what that decides. Mail, move and record are one
 * transaction.
 *
 *   review-request   begins a cycle, and fixes the bytes that are under review
 *   approval         of these bytes, by somebody who may move the artifact on and did not write it: moves it, and
 *                    ends the cycle. What the author sends on afterwards decides nothing
 *   rejection        ends the cycle; the artifact stays
 *   blocker-report   moves it to `blocked`
 *   answer, status-update of the author: the bytes under review are those of now
 *
 * Each joins the thread of its cycle; a review-request begins one.
 */
#include "engine/run/commit.h"
#include "workflow/artifact_move.h"
#include "workflow/event_sight.h"

typedef struct EventNew {
    EventType type;
    const char *path;        /* NULL: it is about no artifact */
    const char *from;        /* name of a role or person */
    const GPtrArray *to;     /* names, char * */
    EventVars *vars;         /* gets more of them */
    const GPtrArray
        *parents; /* ids of what it answers; NULL or empty: the newest of its cycle */
    bool apart;              /* it begins a thread: what a panel decides refers to nothing that its members said */
    bool commit;             /* the artifact is committed as it is then; not within a transaction */
    const EventSight *sight; /* of this type and path; NULL: it is read now */
    bool agent;         /* it is the word of an agent at work */
    const char *deputy; /* the brain that was asked in place of the sender's own; NULL: none was */
    const ArtifactPlace *place; /* where it lies, and its bytes, once what is decided with it is done; NULL: as it is */
} EventNew;

/* The step of an agent whose word it is. */
typedef struct EventBy {
    const Job *job;
    int step;
    Trust floor; /* of what it had read */
} EventBy;

typedef struct EventPlan EventPlan;
void event_plan_free(EventPlan *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventPlan, event_plan_free)

/* The mail that such an event of a cycle answers, if nothing else was said: the newest of the cycle. *ret NULL: it begins a
 * thread. Caller frees. */
bool event_parent(Engine *engine, EventType type, const Cycle *c, char **ret, GError **error);
/* Reads the artifact and the form, and decides. ERR_NEVER says why it may not be; nothing has happened. */
bool event_plan(Engine *engine, const EventNew *in, EventPlan **ret, GError **error);
/* "the approval of 'specs/(*)/auth.md'", without the parentheses, and where it goes; caller frees. */
char *event_plan_words(const EventPlan *p);
/* The artifact that it is about, and whose record it changes; NULL: none. Borrowed. */
const char *event_plan_name(const EventPlan *p);
/* The mail as the policy looks at it; and other words of it, as the policy wants them. */
ProposedMail *event_plan_mail(const Engine *engine, const EventPlan *p);
bool event_plan_say(EventPlan *p, const char *subject, const char *body, GError **error);
/* Writes it down. by NULL: a person's word. *ret_msgid: without brackets, caller frees. ERR_AGAIN: the record has changed
 * since. */
bool event_commit(Engine *engine,
                  Txn *txn,
                  const EventPlan *p,
                  const EventBy *by,
                  char **ret_msgid,
                  GError **error);
