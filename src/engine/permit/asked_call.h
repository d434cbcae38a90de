#pragma once

/*
 * A tool call that a person is asked about, as the payload of its question keeps it: one JSON
 * object with all that the mail says about the call, and all that a yes needs later.
 */
#include "engine/permit/permit_policy.h"
#include "store/job/questions.h"

/* Borrows from doc, which it owns. */
typedef struct AskedCall {
    json_t *doc;
    PermitCall call;
    const char *role;
    const char *why;                   /* it is asked about, as PermitVerdict.why */
    const char *what, *covers, *folder; /* of a standing permission for it */
    const char *client;                /* claude, codex, opencode */
    bool each_time, is_question;       /* as in PermitVerdict */
    int step;                          /* of the job, in which it was asked; 0: not yet */
} AskedCall;
void asked_call_clear(AskedCall *c);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AskedCall, asked_call_clear)

/* The object; caller unrefs. */
json_t *asked_call_json(const PermitPlace *place,
                        const PermitCall *call,
                        const PermitVerdict *verdict,
                        const char *role,
                        const char *client);
/* Reads a payload back. ERR_DAMAGE: the payload is wrong, and since we wrote it, the store is
 * damaged. */
bool asked_call_read(const char *payload, AskedCall *ret, GError **error);

/* What a yes is bound to: job, session, tool and the exact input, however its JSON was
 * written. */
void asked_call_digest(JobId job, const PermitCall *call, Digest *ret);

/* "Bash: make test", in one line of at most 80 characters, for lists. Caller frees. */
char *asked_call_line(const PermitCall *call);

/* Why the client can't be held to exactly this call; NULL: it can. opencode takes a grant as a
 * pattern, so a command with a wildcard in it would allow more than a person was shown.
 * Static. */
const char *asked_call_ungrantable(const AskedCall *c);
