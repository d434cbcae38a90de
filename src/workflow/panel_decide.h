#pragma once

/*
 * What a panel decides, as a pure function over its ballots. Nothing is read or written here.
 *
 * The first ballot of a member that came in time counts; a later one of the same member, and
 * one that came after the deadline, do not. An abstention is no verdict. The quorum counts
 * verdicts against the members that were declared, dead and silent ones too: where too few gave
 * a verdict, there is no decision.
 *
 *   consensus     all verdicts are the same; or none approves, and some say revise: revise
 *   majority      more than half of the verdicts approve, or more than half don't: then what most of these say, revise
 *                 where they are even
 *   primary       what the primary member says; no decision where that is nothing, or an abstention
 *   any-blocker   one rejection rejects; one revise, or one finding that is a blocker, revises; else approved
 */
#include "base/config/config_words.h"

typedef enum Vote {
    VOTE_NONE, /* of a panel: no decision */
    VOTE_APPROVE,
    VOTE_REJECT,
    VOTE_REVISE,
    VOTE_ABSTAIN,
    VOTE_N
} Vote;

#define PANEL_MEMBERS_MAX 9u

typedef struct Ballot {
    unsigned member; /* the first is 0 */
    Vote verdict;
    bool late;
    bool blocks; /* one of its findings is a blocker; counts in an abstention too */
} Ballot;

typedef struct PanelTerms {
    PanelRule rule;
    unsigned n_members; /* declared */
    unsigned primary;   /* which member */
    unsigned quorum;    /* 1..n_members */
} PanelTerms;

typedef struct PanelDecision {
    Vote verdict; /* never VOTE_ABSTAIN */
    unsigned n[VOTE_N]; /* members by what they said; VOTE_NONE: those of whom nothing counts */
    unsigned blockers;     /* members with a blocker among their findings */
} PanelDecision;

/* Ballots in the order in which they came. */
void panel_decide(const PanelTerms *terms, const Ballot *ballots, size_t n, PanelDecision *ret);
/* Why the panel decided so: "2 approve, 1 reject of 3 members; rule majority", "no quorum: 1 of
 * 3 members gave a verdict, and 2 are needed"; caller frees. */
char *panel_decision_words(const PanelTerms *terms, const PanelDecision *d);
/* The quorum where the settings name none: more than half of the members. */
unsigned panel_quorum_default(unsigned n_members);

/* "approve"; "none" for VOTE_NONE. */
const char *vote_name(Vote v);
/* approve, reject, revise or abstain, in any case. */
bool vote_parse(const char *said, Vote *ret);
const char *panel_rule_name(PanelRule rule);
bool panel_rule_parse(const char *said, PanelRule *ret, GError **error);
