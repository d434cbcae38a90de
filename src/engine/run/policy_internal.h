#pragma once

/* The inside of policy_check() (engine/run/commit.h), shared by the files policy*.c; nobody
 * else includes it. */
#include "engine/run/commit.h"

/* A proposal on its way through the policy. */
typedef struct Check {
    Engine *engine;
    const Job *job;
    const StepInput *in;
    const Proposal *p;
    GHashTable *links; /* that are nobody's invention; NULL: not looked for yet */
} Check;

/* Holds the mail, with one more reason why a person must say yes. Takes why. */
void verdict_hold(Verdict *v, char *take_why);

/* Refuses the mail: it does not leave at all, whatever else was said about it. Takes why. */
void verdict_refuse(Verdict *v, char *take_why);

/* Everybody who gets the mail, as it would leave: char *, borrowed. */
GPtrArray *policy_recipients(const Check *k, const ProposedMail *mail);

/* Whoever the answered mail names beside us stays in Cc (policy_cc.c). */
bool policy_reply_cc(Check *k, Proposal *p, GError **error);
/* *ret: this is the address of a space of which the job's role is a member. */
bool policy_is_space(const Check *k, const char *spec, bool *ret, GError **error);
/* A mail to a space goes to nobody who is not of it, and none carries what is of a space to
 * others (policy_spaces.c). */
bool policy_spaces(const Check *k, const ProposedMail *mail, Verdict *v, GError **error);
/* The same for notes: ProposedNote.refused says why a note is not written. */
bool policy_space_notes(const Check *k, Proposal *p, GError **error);
/* Links that the agent made up are made not to work, or the mail is held (policy_links.c). */
bool policy_links(Check *k, const ProposedMail *mail, Verdict *v, GError **error);
/* Notes that are attached, and that somebody who gets the mail may not read
 * (policy_notes.c). */
bool policy_notes(const Check *k, const ProposedMail *mail, Verdict *v, GError **error);
