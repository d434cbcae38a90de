#pragma once

/*
 * What a model is shown in one step, by rule and within the context's budget. First, as
 * instructions: who it is, how to answer, the note ROLE/start and that of its phase. Then the
 * page, in this order: where the job is, why this step runs, the time and what is left; the
 * mail that began the round, in full; new mail; what a person added and the working note; the
 * conversation as text while there is room; the bundle and what it lists; gathered notes, mails
 * and attachments; what became of the last step; what was tried and what is unavailable; a line
 * that asks for the next step. Each mail and note stands there once; a mail lists its
 * attachments. Untrusted text stands inside fences only. Where the parts come from is source.h,
 * the first lines are prompt_head.c. tests/golden/page has such pages.
 *
 * Notes are read with a person's newest edits, and each version that is shown whole is written
 * down, so that a later write can be held against it. One that was cut is not: replacing it
 * would lose what nobody has read.
 */
#include "engine/context/context.h"
#include "engine/run/commit.h"

/* ModeOps.context. */
bool prompt_fill(Engine *engine,
                 const Job *job,
                 const ConfRole *role,
                 const StepInput *in,
                 const char *workdir,
                 Context *c,
                 GError **error);
