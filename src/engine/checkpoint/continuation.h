#pragma once

/*
 * Checkpoint mails: what a parked job leaves itself. multipart/mixed: a text for people, then
 * continuation.json. While the store has the job the mail is a token and its content is not
 * read; when the store is lost the content brings the job back.
 *
 * The document ends with `,"mac":"<64 hex>"}`; the MAC is over all bytes before that comma,
 * with a sub-key of its own, and is checked on the raw decoded bytes before any JSON is
 * read.
 *
 * (1) What is not whole, or whose MAC does not hold, is an ordinary attachment of an ordinary
 *     mail.
 * (2) A mail can't lower a counter (steps, cost): when a job is brought back, the highest count
 *     in any of its checkpoint mails counts.
 * (3) A checkpoint is known by job, epoch and seq, not by its Message-ID: `resume` brings the
 *     same bytes once more.
 * (4) After a lost store another job may have the same number; `born` tells them apart.
 */
#include "base/json.h"
#include "engine/engine.h"
#include "engine/out/role_mail.h"
#include "mail/compose.h"
#include "mail/message.h"
#include "store/job/jobs.h"

#define CONTINUATION_FILE "continuation.json"
#define CONTINUATION_MAC_USE "continuation 1" /* of key_mac() */

typedef struct CheckpointInput {
    const Job
        *job; /* parked or stopped already: its seq, epoch and counts are those of the mail */
    const ConfRole *role;
    GBytes *state;            /* of the role's mode; NULL: none */
    const GPtrArray *results; /* char *: of its last step; NULL */
    const RoleMailParent *original;
    int64_t day_cost_micro; /* what all jobs have cost today; continuation_compose() finds it */
} CheckpointInput;

/* The signed document; caller frees. NULL: error is set. */
char *continuation_format(Engine *engine, const CheckpointInput *in, GError **error);
/* The whole mail, from the role to itself, in the original's thread. Reads the store for the
 * subjects of the mails that it names; writes nothing. Caller frees. */
bool continuation_compose(Engine *engine,
                          const CheckpointInput *in,
                          Compose **ret_mail,
                          GError **error);

typedef struct Continuation {
    JobId job;
    char *role, *face, *phase, *original_msgid, *original_subject, *original_from;
    char *waiting_for; /* NULL: a run's limit */
    char *stopped; /* at a limit, and why: it goes on by an order alone; NULL: it was parked */
    int round, total_iterations, steps, step_limit;
    int64_t seq, epoch, born_us, round_cost_micro;
    int64_t written_us, day_cost_micro; /* what all jobs had cost on that day; 0, 0: not said */
    Due resume;                         /* DUE_NEVER: mail or an order only */
    WaitThen wait_then;
    json_t *document; /* all of it, for mode and face */
    Session *session; /* of the program that worked on it; NULL: none was said */
    char *results;    /* JSON list; NULL */
    Trust floor;      /* the lowest of anything that was shown in this round */
    unsigned may;     /* MAY_…: what all who asked in this round may have done */
} Continuation;
void continuation_free(Continuation *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Continuation, continuation_free)

typedef enum ContinuationSeen {
    CONT_NOT_ONE,   /* the mail holds no such document */
    CONT_FORGED,    /* its MAC does not hold, or this program can't read its form */
    CONT_AMBIGUOUS, /* two in one mail, or one in a mail that can be read in two ways */
    CONT_UNSIGNED,  /* the first form of the document, which has no MAC: the operator may bring it in, nobody else */
    CONT_SIGNED,
} ContinuationSeen;

/* True when this mail may hold a checkpoint document, as far as the table of its parts says;
 * content is not needed. */
bool continuation_possible(const Message *m);
/* Reads the document of a mail that was parsed with MESSAGE_CONTENT. *ret_c is set only with
 * CONT_SIGNED; the text of an unsigned document is not even parsed. */
ContinuationSeen continuation_read(const Key *key, const Message *m, Continuation **ret_c);
/* The same for one document by itself. */
ContinuationSeen
continuation_parse(const Key *key, const char *data, size_t len, Continuation **ret_c);
/* Reads a document of the first form, which has no MAC, from the operator. ERR_NEVER names what
 * is wrong with it. */
bool
continuation_parse_seed(const char *data, size_t len, Continuation **ret_c, GError **error);
/* The bytes of the first part that says it is such a document, whatever its MAC; NULL: there is
 * no such part. Borrowed from the message. */
GBytes *continuation_part(const Message *m);

typedef enum ContinuationFate {
    CONT_FOREIGN,  /* of another role: counted as forged */
    CONT_STALE,    /* used, older than the job, or of another job of that number */
    CONT_WAKES,    /* of a parked job whose time has come */
    CONT_EARLY,    /* of a parked job that waits */
    CONT_AHEAD,    /* newer than the job: the store went back */
    CONT_RESTORES, /* the store does not know the job */
} ContinuationFate;

/* What is to be done with a signed checkpoint that came to the role. Reads the store, changes
 * nothing. *ret_why: one line, static. */
bool continuation_judge(Db *db,
                        const Continuation *c,
                        const char *role,
                        int64_t now_us,
                        ContinuationFate *ret_fate,
                        const char **ret_why,
                        GError **error);
