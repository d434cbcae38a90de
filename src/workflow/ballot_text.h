#pragma once

/*
 * What a member of a panel says, as text: the one JSON object of its answer, and what others are shown of it.
 *
 *     {"verdict": "revise", "assessment": "...",
 *      "findings": [{"where": "section 2", "what": "no timeout", "severity": "blocker"}]}
 */
#include "store/panel_rows.h"
#include "workflow/panel_decide.h"

#define BALLOT_SCHEMA_NAME "ballot"
extern const char ballot_schema[]; /* as in BrainAsk */
extern const char ballot_form[];   /* how to answer, in words */

typedef struct BallotSaid {
    Vote verdict;
    char *assessment, *findings; /* findings: JSON, compact */
    bool blocks;
} BallotSaid;
void ballot_said_clear(BallotSaid *b);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BallotSaid, ballot_said_clear)

/* An answer; a fence of Markdown around it, and prose outside of the object, are passed over. ERR_NEVER says what can't be
 * read. */
bool ballot_parse(const char *answer, BallotSaid *ret, GError **error);
/* The same in parts; findings "": none. */
bool ballot_parse_parts(const char *verdict,
                        const char *assessment,
                        const char *findings,
                        BallotSaid *ret,
                        GError **error);

/* What the members said in one round, each under its name; member -1: of all, else without that one. Caller frees. */
char *ballots_format(const PanelMembers *members, const BallotRows *ballots, unsigned round, int without);
/* What one member said, under its name; caller frees. */
char *ballot_format(const PanelMember *m, const BallotRow *b);
/* What counts of a member after this round: its ballot of the newest round up to it in which it gave one; NULL: none does. Borrowed. */
const BallotRow *ballot_counts(const BallotRows *ballots, unsigned round, unsigned member);
