#pragma once

/*
 * A panel that writes: section by section the members bring what they think, discuss it, and
 * the primary decides.
 *
 *   announced     "Starting Section A: Problem Statement", by the primary
 *   contributed   by every member, each alone: the first round of a section
 *   discussed     each is shown what the others brought: `discuss` more rounds
 *   decided       by the primary, who writes the section: its last round. "Section A decided: ... Moving to Section B..."
 *
 * Each of these is a round of members. Where reviewers reject the text, there is one section, the
 * whole text (workflow/panel_return.h).
 *
 * Behind the last section the text is written into the project, and goes to review. What a
 * member brings is a row as a ballot is, with the verdict PANEL_GIVEN, and as sealed until its
 * round is over.
 */
#include "engine/context/context.h"
#include "workflow/ballot_text.h"
#include "workflow/panel.h"

#define PANEL_GIVEN "given"

/* True when the panel writes a text; false when it judges one. */
bool panel_writes(const PanelRow *p);
/* True when the panel answers what its reviewers asked (workflow/panel_return.h). */
bool panel_answers(const PanelRow *p);
/* True when this round is the one in which the primary decides the section. */
bool panel_is_decision(const PanelRow *p, unsigned round);
/* The number of rounds of all sections together. */
unsigned panel_rounds(const PanelRow *p);

/* As panel_tells(), for a panel that writes. */
bool panel_write_tells(const char *text);
/* The page that a member is shown (caller frees), and the reader of its answer: for the
 * primary's decision {"summary", "text"} (section_schema), else any text. */
Context *panel_write_page(JobSession *s,
                          const PanelRow *p,
                          const PanelMembers *members,
                          const BallotRow *b,
                          const BallotRows *all);
bool panel_write_parse(
    const PanelRow *p, unsigned round, const char *answer, BallotSaid *ret, GError **error);
extern const char section_schema[];

/* Writes mail of the primary to the space of the writers and to the asker: what was decided, if
 * the round before next was a decision, and which section begins with the round next. */
bool panel_announce(Engine *engine,
                    Txn *txn,
                    const Job *job,
                    const PanelRow *p,
                    const PanelMembers *members,
                    const BallotRows *all,
                    unsigned next,
                    GError **error);
/* True when the primary has decided in this round. */
bool panel_has_decided(const PanelRow *p, const BallotRows *all, unsigned round);
/* All decided sections as one text; of a revision or an answer what the primary wrote.
 * Caller frees. */
char *panel_integrate(const PanelRow *p, const BallotRows *all);
/* Writes the text as a file of the project, once. Calling it again changes nothing. ERR_NEVER:
 * somebody else has put a file there. */
bool panel_put_file(Engine *engine, const PanelRow *p, const char *text, GError **error);
/* Sends the review-request for the text. *ret_msgid: the id of that mail; *ret_whom: to whom it
 * went. Caller frees both. */
bool panel_send_for_review(
    Engine *engine, Txn *txn, const PanelRow *p, char **ret_msgid, char **ret_whom, GError **error);
