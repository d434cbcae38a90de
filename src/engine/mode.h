#pragma once

/*
 * A mode is how a brain is asked: src/letter (one question, one letter) and src/steps (a model
 * that is led through steps). The setting `mode` of a role, which follows its brain, decides at
 * each claim, so a role whose brain changes goes on. The engine owns the loop and knows modes
 * only by this table; cli lists them. No mode sees another, a face, a socket or a key.
 */
#include "engine/context/context.h"
#include "engine/run/commit.h"

/* A mail that a job has gathered. */
typedef struct ModeMail {
    char *msgid, *folder; /* folder: where it lay; "" for INBOX */
} ModeMail;
void mode_mail_free(ModeMail *m);
LIST_OF(ModeMails, mode_mails, ModeMail, mode_mail_free)

/* What a state says to people, and which mail belongs to it. Nothing is NULL. */
typedef struct ModeSummary {
    char *phase, *note;   /* "": none */
    char *bundle;         /* key of a note that lists others; "": none */
    GPtrArray *note_keys; /* char * */
    ModeMails *mails;
} ModeSummary;
void mode_summary_clear(ModeSummary *s);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ModeSummary, mode_summary_clear)

struct ModeOps {
    RoleMode mode;
    /* JSON schema of an answer that may hold these acts (acts_offered()); caller frees. NULL:
     * free text. */
    char *(*schema)(const GPtrArray *acts);
    /* One question is one step of several: limits count between them, what failed in one is
     * told to the next, and the end is told to whoever asked. False: the brain works by
     * itself, with a workplace and the agent port (engine/run/workplace.h), and its answer
     * is the end. */
    bool led;
    /* Fills the context for the open mail of this step (in->shown). workdir: where the program
     * will work; NULL when led. */
    bool (*context)(Engine *engine,
                    const Job *job,
                    const ConfRole *role,
                    const StepInput *in,
                    const char *workdir,
                    Context *c,
                    GError **error);
    /* Shows one more mail to a program in the middle of its turn, behind in->shown; NULL: it
     * can't. */
    bool (*more)(Engine *engine,
                 const StepInput *in,
                 const MsgRow *row,
                 Context *c,
                 GError **error);
    /* Turns the answer into a proposal. Files that the program left are attached by the engine.
     * ERR_NEVER: the answer says nothing that can be used; the reason goes to the next try. */
    bool (*answer)(Engine *engine,
                   const Job *job,
                   const StepInput *in,
                   const char *answer,
                   Proposal **ret_p,
                   GError **error);
    /* The text of a part that context() has shown, by what the manifest says of it. Gives
     * nothing for what another mode has shown. */
    ContextRecall *recall;

    /* The rest is for a mode that keeps a state (Proposal.state); all NULL: it keeps none. */

    /* What the next round keeps of it: caller unrefs; NULL: nothing. */
    GBytes *(*next_round)(GBytes *state);
    void (*summary)(GBytes *state, ModeSummary *ret); /* what it leaves out stays empty */
    /* Its members of a checkpoint; state may be NULL. And back: caller unrefs. */
    bool (*members)(GBytes *state, json_t *document, GError **error);
    bool (*restore)(const json_t *document, GBytes **ret_state, GError **error);
};

/* The summary of a state; an empty one where mode or state is NULL. To be cleared with
 * mode_summary_clear(). */
void mode_summary(const ModeOps *mode, GBytes *state, ModeSummary *ret);
