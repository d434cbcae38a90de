#include "workflow/panel_decide.h"
#include <string.h>

/* What a member may have done, as a letter: a, x and v approve, reject and revise; A and N approve and abstain with a
 * blocker; n abstains; . is dead; l approved too late; 2 approved, and then sent a rejection; 3 was late, and had
 * rejected in time. */
static const char kinds[] = "axvANn.l23";

static size_t
cast(char kind, unsigned member, Ballot *to)
{
    const Ballot approve = {.member = member, .verdict = VOTE_APPROVE},
                 reject = {.member = member, .verdict = VOTE_REJECT};
    Ballot b = approve;
    switch (kind) {
    case 'x':
        b = reject;
        break;
    case 'v':
        b.verdict = VOTE_REVISE;
        break;
    case 'A':
        b.blocks = true;
        break;
    case 'N':
    case 'n':
        b.verdict = VOTE_ABSTAIN;
        b.blocks = kind == 'N';
        break;
    case '.':
        return 0;
    case 'l':
        b.late = true;
        break;
    case '2':
        to[1] = reject;
        break;
    case '3':
        b = reject;
        to[1] = approve;
        to[1].late = true;
        break;
    }
    to[0] = b;
    return kind == '2' || kind == '3' ? 2 : 1;
}

/* The same a second time, from the letters: what each counts as, all of them in order of the alphabet, and then what
 * such a word means. */
static Vote
oracle(const char *letters, PanelRule rule, unsigned primary, unsigned quorum)
{
    static const char means[][2] = {{'a', 'a'}, {'x', 'x'}, {'v', 'v'}, {'A', 'a'}, {'2', 'a'},
                                    {'3', 'x'}};
    g_autoptr(GString) all = g_string_new(NULL);
    char first = 0;
    bool blocker = strpbrk(letters, "AN") != NULL;
    for (const char *want = "avx"; *want; want++)
        for (size_t i = 0; letters[i]; i++)
            for (size_t k = 0; k < G_N_ELEMENTS(means); k++) {
                if (means[k][0] != letters[i] || means[k][1] != *want)
                    continue;
                g_string_append_c(all, *want);
                if (i == primary)
                    first = *want;
            }
    const char *word = all->str;
    size_t n = all->len, approve = strspn(word, "a"), revise = strspn(word + approve, "v"),
           reject = n - approve - revise;
    if (n < quorum || n == 0)
        return VOTE_NONE;
    switch (rule) {
    case PANEL_CONSENSUS:
        return approve == n  ? VOTE_APPROVE
               : approve > 0 ? VOTE_NONE
               : revise      ? VOTE_REVISE
                             : VOTE_REJECT;
    case PANEL_MAJORITY:
        if (approve * 2 == n)
            return VOTE_NONE;
        return approve > n - approve ? VOTE_APPROVE
               : reject <= revise    ? VOTE_REVISE
                                     : VOTE_REJECT;
    case PANEL_PRIMARY:
        return first == 'a'   ? VOTE_APPROVE
               : first == 'v' ? VOTE_REVISE
               : first == 'x' ? VOTE_REJECT
                              : VOTE_NONE;
    default:
        return strchr(word, 'x')              ? VOTE_REJECT
               : strchr(word, 'v') || blocker ? VOTE_REVISE
                                              : VOTE_APPROVE;
    }
}

/* The same ballots, in another order of members, with those of somebody who is none: who came first among the members says nothing.
 * Two of one member keep their order. */
static Vote
decide_backwards(const PanelTerms *t, const Ballot *ballots, size_t n)
{
    Ballot other[20];
    size_t k = 0;
    PanelDecision d;

    for (unsigned m = t->n_members; m-- > 0;)
        for (size_t i = 0; i < n; i++)
            if (ballots[i].member == m)
                other[k++] = ballots[i];
    for (Vote v = VOTE_APPROVE; v < VOTE_N; v++)
        other[k++] = (Ballot){.member = t->n_members, .verdict = v, .blocks = true};
    panel_decide(t, other, k, &d);
    return d.verdict;
}

static unsigned
try_all_terms(const char *letters, const Ballot *ballots, size_t n)
{
    unsigned tried = 0, members = (unsigned)strlen(letters);
    for (PanelTerms t = {.rule = PANEL_CONSENSUS, .n_members = members}; t.rule <= PANEL_ANY_BLOCKER; t.rule++)
        for (t.quorum = 1; t.quorum <= members; t.quorum++)
            for (t.primary = 0; t.primary < (t.rule == PANEL_PRIMARY ? members : 1u);
                 t.primary++, tried++) {
                PanelDecision d;
                panel_decide(&t, ballots, n, &d);
                g_assert_cmpuint(d.verdict, ==, decide_backwards(&t, ballots, n));
                Vote want = oracle(letters, t.rule, t.primary, t.quorum);
                if (d.verdict != want)
                    g_error("%s, %s, primary %u, quorum %u: %s, wanted %s", letters,
                            panel_rule_name(t.rule), t.primary, t.quorum,
                            vote_name(d.verdict), vote_name(want));
            }
    return tried;
}

/* Every set of what 2 to 5 members may do, under every rule, quorum and primary. */
static void
test_every_set(void)
{
    unsigned tried = 0;
    for (unsigned members = 2; members <= 5; members++) {
        unsigned sets = 1, base = sizeof kinds - 1;
        for (unsigned m = 0; m < members; m++)
            sets *= base;
        for (unsigned set = 0; set < sets; set++) {
            char letters[8] = "";
            Ballot ballots[16];
            size_t n = 0;
            for (unsigned m = 0, rest = set; m < members; m++, rest /= base) {
                letters[m] = kinds[rest % base];
                n += cast(letters[m], m, ballots + n);
            }
            tried += try_all_terms(letters, ballots, n);
        }
    }
    g_test_message("%u decisions", tried);
    g_assert_cmpuint(tried, >, 4000000);
}

/* By hand, so that the two formulations are not wrong together. */
static void
test_by_hand(void)
{
    static const struct {
        const char *letters, *rule, *want, *want_words;
        unsigned quorum;
    } rows[] = {
        {"aaa", "consensus", "approve", "3 approve of 3 members; rule consensus", 2},
        {"aav", "consensus", "none", "2 approve, 1 revise of 3 members; rule consensus", 2},
        {"xxv", "consensus", "revise", "2 reject, 1 revise of 3 members; rule consensus", 2},
        {"aax", "majority", "approve", "2 approve, 1 reject of 3 members; rule majority", 2},
        {"ax.", "majority", "none", "1 approve, 1 reject, 1 silent of 3 members; rule majority", 2},
        {"vxx", "majority", "reject", "2 reject, 1 revise of 3 members; rule majority", 2},
        {"xaa", "primary", "reject", "2 approve, 1 reject of 3 members; rule primary", 2},
        {"naa", "primary", "none", "2 approve, 1 abstain of 3 members; rule primary", 2},
        {"aav", "any-blocker", "revise", "2 approve, 1 revise of 3 members; rule any-blocker", 2},
        {"aaA", "any-blocker", "revise", "3 approve of 3 members; rule any-blocker", 2},
        {"an.", "consensus", "none",
         "no quorum: 1 of 3 members gave a verdict, and 2 are needed", 2},
        {"lla", "majority", "none",
         "no quorum: 1 of 3 members gave a verdict, and 2 are needed", 2},
        {"nn", "any-blocker", "none",
         "no quorum: 0 of 2 members gave a verdict, and 1 are needed", 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        Ballot ballots[16];
        size_t n = 0;
        PanelTerms t = {.n_members = (unsigned)strlen(rows[i].letters),
                        .quorum = rows[i].quorum};
        PanelDecision d;
        g_assert_true(panel_rule_parse(rows[i].rule, &t.rule, NULL));
        for (unsigned m = 0; m < t.n_members; m++)
            n += cast(rows[i].letters[m], m, ballots + n);
        panel_decide(&t, ballots, n, &d);
        g_autofree char *words = panel_decision_words(&t, &d);
        g_assert_cmpstr(vote_name(d.verdict), ==, rows[i].want);
        g_assert_cmpstr(words, ==, rows[i].want_words);
    }
}

static void
test_names(void)
{
    Vote v;
    PanelRule rule;
    g_autoptr(GError) error = NULL;
    g_assert_true(vote_parse("Approve", &v) && v == VOTE_APPROVE);
    g_assert_false(vote_parse("none", &v));
    g_assert_false(vote_parse("approved", &v));
    g_assert_false(panel_rule_parse("most", &rule, &error));
    g_assert_cmpuint(panel_quorum_default(2), ==, 2);
    g_assert_cmpuint(panel_quorum_default(3), ==, 2);
    g_assert_cmpuint(panel_quorum_default(4), ==, 3);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/panel/every-set", test_every_set);
    g_test_add_func("/panel/by-hand", test_by_hand);
    g_test_add_func("/panel/names", test_names);
    return g_test_run();
}
