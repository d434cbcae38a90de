#include "workflow/panel_decide.h"

static const char *const vote_names[VOTE_N] = {"none", "approve", "reject", "revise",
                                                     "abstain"};
#define NAMED(symbol, word) [symbol] = word,
static const char *const rule_names[] = {CONF_PANEL_RULE_LIST(NAMED)};

const char *
vote_name(Vote v)
{
    return vote_names[v];
}

bool
vote_parse(const char *said, Vote *ret)
{
    for (Vote v = VOTE_APPROVE; v < VOTE_N; v++)
        if (g_ascii_strcasecmp(said, vote_names[v]) == 0) {
            *ret = v;
            return true;
        }
    return false;
}

const char *
panel_rule_name(PanelRule rule)
{
    return rule_names[rule];
}

bool
panel_rule_parse(const char *said, PanelRule *ret, GError **error)
{
    for (PanelRule r = PANEL_CONSENSUS; r <= PANEL_ANY_BLOCKER; r++)
        if (g_str_equal(said, rule_names[r])) {
            *ret = r;
            return true;
        }
    return err_set(error, ERR_NEVER,
                   "'%s' is no rule: it is consensus, majority, primary or any-blocker", said);
}

unsigned
panel_quorum_default(unsigned n_members)
{
    return n_members / 2 + 1;
}

static unsigned
against(const PanelDecision *d)
{
    return d->n[VOTE_REJECT] + d->n[VOTE_REVISE];
}

static unsigned
verdicts(const PanelDecision *d)
{
    return d->n[VOTE_APPROVE] + against(d);
}

/* What those who do not approve want: the milder word where they are even. */
static Vote
most_against(const PanelDecision *d)
{
    return d->n[VOTE_REJECT] > d->n[VOTE_REVISE] ? VOTE_REJECT : VOTE_REVISE;
}

static Vote
by_consensus(const PanelDecision *d)
{
    if (against(d) == 0)
        return VOTE_APPROVE;
    if (d->n[VOTE_APPROVE] > 0)
        return VOTE_NONE;
    return d->n[VOTE_REVISE] > 0 ? VOTE_REVISE : VOTE_REJECT;
}

static Vote
by_majority(const PanelDecision *d)
{
    unsigned all = verdicts(d);
    if (2 * d->n[VOTE_APPROVE] > all)
        return VOTE_APPROVE;
    return 2 * against(d) > all ? most_against(d) : VOTE_NONE;
}

static Vote
by_blocker(const PanelDecision *d)
{
    if (d->n[VOTE_REJECT] > 0)
        return VOTE_REJECT;
    return d->n[VOTE_REVISE] > 0 || d->blockers > 0 ? VOTE_REVISE : VOTE_APPROVE;
}

void
panel_decide(const PanelTerms *terms, const Ballot *ballots, size_t n, PanelDecision *ret)
{
    Vote said[PANEL_MEMBERS_MAX] = {VOTE_NONE};
    PanelDecision d = {.verdict = VOTE_NONE};

    for (size_t i = 0; i < n; i++) {
        const Ballot *b = &ballots[i];
        if (b->late || b->member >= terms->n_members || b->verdict == VOTE_NONE ||
            said[b->member] != VOTE_NONE)
            continue;
        said[b->member] = b->verdict;
        d.blockers += b->blocks;
    }
    for (unsigned m = 0; m < terms->n_members; m++)
        d.n[said[m]]++;
    if (verdicts(&d) > 0 && verdicts(&d) >= terms->quorum) {
        Vote primary = said[terms->primary];
        d.verdict = terms->rule == PANEL_CONSENSUS  ? by_consensus(&d)
                    : terms->rule == PANEL_MAJORITY ? by_majority(&d)
                    : terms->rule == PANEL_PRIMARY
                        ? (primary == VOTE_ABSTAIN ? VOTE_NONE : primary)
                        : by_blocker(&d);
    }
    *ret = d;
}

char *
panel_decision_words(const PanelTerms *terms, const PanelDecision *d)
{
    GString *words = g_string_new(NULL);

    if (verdicts(d) < terms->quorum || verdicts(d) == 0)
        g_string_printf(words, "no quorum: %u of %u members gave a verdict, and %u are needed",
                        verdicts(d), terms->n_members, terms->quorum);
    else {
        for (Vote v = VOTE_APPROVE; v < VOTE_N; v++)
            if (d->n[v] > 0)
                g_string_append_printf(words, "%s%u %s", words->len ? ", " : "", d->n[v],
                                       vote_names[v]);
        if (d->n[VOTE_NONE] > 0)
            g_string_append_printf(words, ", %u silent", d->n[VOTE_NONE]);
        g_string_append_printf(words, " of %u members; rule %s", terms->n_members,
                               rule_names[terms->rule]);
    }
    return g_string_free(words, FALSE);
}
