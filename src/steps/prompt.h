#pragma once

/*
 * What a model is shown in one step, by rule and within the context's budget, in this order:
 * who it is and what its notes for this phase say; the mail that began the round; new mail;
 * what a person added and the working note; the conversation; the bundle and what it lists;
 * gathered notes, mails and attachments; what became of the last step; what was tried and what
 * is unavailable. Each mail and note stands there once; a mail lists its attachments. Untrusted
 * text stands inside fences only.
 *
 * Notes are read with a person's newest edits, and each version that is shown whole is written
 * down, so that a later write can be held against it. One that was cut is not: replacing it
 * would lose what nobody has read.
 */
#include "engine/face.h"

bool prompt_fill(Engine *engine,
                 const Job *job,
                 const ConfRole *role,
                 const StepInput *in,
                 Context *c,
                 GError **error);
