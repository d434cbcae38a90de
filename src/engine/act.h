#pragma once

/*
 * An act is something that a brain does beside notes and mail: it responds to a briefing, sends
 * one. Each is one entry of a table that a face brings (FaceOps.acts), and the same whichever
 * face leads the job: a program calls it through the agent port, by its name as the verb; a
 * model writes it into its answer, as a field of that name.
 *
 *     act_propose()     arguments and policy are checked; it may add mail to the proposal
 *     ActOps.commit     its rows, in the transaction of the step
 *
 * An act counts as progress and, unless it happens outside, as a word to whoever asked. No act
 * is done in a step of which a note or a mail failed.
 */
#include "engine/run/commit.h"

/* An argument: a text. */
typedef struct ActField {
    const char *name;
    const char *about; /* for who calls it */
    bool required;
    bool prose; /* it may have several lines and be long */
} ActField;

/* An act of one step, for the face that does it; all of it is borrowed. */
typedef struct ActCall {
    Engine *engine;
    const Job *job;
    const StepInput *in;
    ProposedAct *act;
    Proposal *p; /* of propose() alone */
    /* Of commit() alone. */
    Txn *txn;
    const StepResult *result;
} ActCall;

struct ActOps {
    const char *name;
    const char *about;      /* in one line, what it does */
    const ActField *fields; /* ends with a NULL name */
    /* It has happened outside of the store when it is proposed, whatever becomes of the step,
     * and whoever asked hears nothing of it. */
    bool outside;
    /* *ret: a model is told of the act while it works on this job. A program may try the act in
     * any case. NULL: no model is told. */
    bool (*offered)(Engine *engine, const Job *job, bool *ret, GError **error);
    /* Looks whether this job may do the act now, with these arguments. Mail that the act sends
     * is added to the proposal, with the mail that it settles; what commit() needs to know of
     * files is kept in act->plan. ERR_NEVER: the job may not, or the arguments make no sense;
     * nothing has happened then. */
    bool (*propose)(const ActCall *c, GError **error);
    /* After the mails of the step, and after what it settled. *ret_did: a line for people;
     * caller frees. NULL: nothing to do. */
    bool (*commit)(const ActCall *c, char **ret_did, GError **error);
    /* What the port tells a program of an act that is done. NULL: nothing. */
    void (*answer)(const ProposedAct *act, json_t *answer);
};

/* The act of this name; NULL: no face has such an act. */
const ActOps *act_find(const Engine *engine, const char *name);
/* What the program was built with: names of acts, char *; caller unrefs. */
GPtrArray *act_names(const Engine *engine);
/* Those that a model is told of while it works on this job: ActOps; caller unrefs. */
bool acts_offered(Engine *engine, const Job *job, GPtrArray **ret, GError **error);
/* What the next step is told of an act that was done; and whether a line says that. */
#define ACT_DONE "act done: "
bool act_was_done(const GPtrArray *results);
/* True when whoever asked hears of one of these acts. */
bool acts_say(const ProposedActs *acts);
/* Adds it to the proposal. ERR_NEVER: an argument is missing, unknown or no text; or as
 * ActOps.propose says. */
bool act_propose(Engine *engine,
                 const Job *job,
                 const StepInput *in,
                 const ActOps *act,
                 const json_t *args,
                 Proposal *p,
                 GError **error);
/* An argument; NULL: it was not given. Borrowed. */
const char *act_text(const json_t *args, const char *name);
