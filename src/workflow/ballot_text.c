#include "workflow/ballot_text.h"
#include "base/json.h"

#define ASSESSMENT_MAX (16u << 10)
#define FINDINGS_MAX 50u
#define FINDING_MAX 2000u

const char ballot_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"verdict\":{\"type\":\"string\",\"enum\":[\"approve\",\"reject\",\"revise\",\"abstain\"]},"
    "\"assessment\":{\"type\":\"string\"},"
    "\"findings\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"where\":{\"type\":\"string\"},\"what\":{\"type\":\"string\"},"
    "\"severity\":{\"type\":\"string\",\"enum\":[\"blocker\",\"major\",\"minor\"]}},"
    "\"required\":[\"where\",\"what\",\"severity\"],\"additionalProperties\":false}}},"
    "\"required\":[\"verdict\",\"assessment\",\"findings\"],\"additionalProperties\":false}";

const char ballot_form[] =
    "Answer with one JSON object and nothing else:\n"
    "{\"verdict\": \"approve\" | \"reject\" | \"revise\" | \"abstain\",\n"
    " \"assessment\": \"what you think of it, in some sentences\",\n"
    " \"findings\": [{\"where\": \"section 2\", \"what\": \"what is wrong there\",\n"
    "               \"severity\": \"blocker\" | \"major\" | \"minor\"}]}\n";

void
ballot_said_clear(BallotSaid *b)
{
    g_clear_pointer(&b->assessment, g_free);
    g_clear_pointer(&b->findings, g_free);
}

/* --- reading --- */

static bool
check_finding(const json_t *one, size_t i, bool *io_blocks, GError **error)
{
    static const char *const names[] = {"where", "what", "severity", NULL};
    static const char *const severities[] = {"blocker", "major", "minor", NULL};
    g_autofree char *path = g_strdup_printf("findings[%zu]", i);
    const char *where, *what, *severity;

    if (!json_get_string(one, path, "where", &where, error) ||
        !json_get_string(one, path, "what", &what, error) ||
        !json_get_string(one, path, "severity", &severity, error) ||
        !json_only(one, path, names, error))
        return false;
    if (!g_strv_contains(severities, severity))
        return err_set(error, ERR_NEVER, "%s.severity: it is blocker, major or minor", path);
    if (strlen(where) > FINDING_MAX || strlen(what) > FINDING_MAX)
        return err_set(error, ERR_NEVER, "%s: longer than %u bytes", path, FINDING_MAX);
    *io_blocks |= g_str_equal(severity, "blocker");
    return true;
}

static bool
take(const char *verdict,
     const char *assessment,
     const json_t *findings,
     BallotSaid *ret,
     GError **error)
{
    g_auto(BallotSaid) b = {0};

    if (!vote_parse(verdict, &b.verdict))
        return err_set(error, ERR_NEVER,
                       "verdict: '%.40s' is none of approve, reject, revise, abstain", verdict);
    if (json_array_size(findings) > FINDINGS_MAX)
        return err_set(error, ERR_NEVER, "findings: more than %u", FINDINGS_MAX);
    for (size_t i = 0; i < json_array_size(findings); i++)
        if (!check_finding(json_array_get(findings, i), i, &b.blocks, error))
            return false;
    b.assessment = g_strndup(assessment, text_cut_at(assessment, ASSESSMENT_MAX));
    b.findings = findings ? json_format(findings) : g_strdup("[]");
    *ret = b;
    b = (BallotSaid){0};
    return true;
}

bool
ballot_parse(const char *answer, BallotSaid *ret, GError **error)
{
    static const char *const names[] = {"verdict", "assessment", "findings", NULL};
    const char *from = strchr(answer, '{'), *to = strrchr(answer, '}');
    const char *verdict, *assessment = "";
    const json_t *findings = NULL;
    g_autoptr(json_t) said = NULL;

    if (!from || !to || to < from)
        return err_set(error, ERR_NEVER, "the answer has no JSON object with a verdict");
    if (!json_parse(from, (size_t)(to - from) + 1, 0, &said, error) ||
        !json_get_string(said, "", "verdict", &verdict, error) ||
        !json_find_string(said, "", "assessment", &assessment, error) ||
        !json_only(said, "", names, error))
        return false;
    if (json_object_get(said, "findings") &&
        !json_get_array(said, "", "findings", &findings, error))
        return false;
    return take(verdict, assessment, findings, ret, error);
}

bool
ballot_parse_parts(const char *verdict,
                   const char *assessment,
                   const char *findings,
                   BallotSaid *ret,
                   GError **error)
{
    g_autoptr(json_t) list = NULL;

    if (*findings && !json_parse(findings, strlen(findings), 0, &list, error))
        return err_prefix(error, "findings");
    if (list && !json_is_array(list))
        return err_set(error, ERR_NEVER, "findings: must be a JSON array");
    return take(verdict, assessment, list, ret, error);
}

/* --- showing --- */

static void
format_findings(GString *to, const char *findings)
{
    g_autoptr(json_t) list = NULL;

    if (!json_parse(findings, strlen(findings), 0, &list, NULL))
        return;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        g_string_append_printf(to, "- [%s] %s: %s\n",
                               json_string_value(json_object_get(one, "severity")),
                               json_string_value(json_object_get(one, "where")),
                               json_string_value(json_object_get(one, "what")));
    }
}

/* "claude (opus; no sandbox): "; caller frees. */
static char *
member_title(const PanelMember *m)
{
    bool more = *m->note != '\0';

    return g_strdup_printf("%s (%s%s%s)", m->name, *m->model ? m->model : m->brain,
                           more ? "; " : "", m->note);
}

static const char *
said_by(const BallotRow *b)
{
    return !b || !*b->verdict ? "no ballot" : b->late ? "too late" : b->verdict;
}

const BallotRow *
ballot_counts(const BallotRows *ballots, unsigned round, unsigned member)
{
    const BallotRow *best = NULL;

    LIST_EACH(const BallotRow, b, ballots)
        if (b->member == member && b->round <= round && *b->verdict && !b->late &&
            (!g_str_equal(b->verdict, "none") || !best))
            best = b;
    return best;
}

static void
add_ballot(GString *all, const PanelMember *m, const BallotRow *b)
{
    g_autofree char *title = member_title(m);

    g_string_append_printf(all, "%s%s: %s\n", all->len ? "\n" : "", title, said_by(b));
    if (b && *b->complaint)
        g_string_append_printf(all, "%s\n", b->complaint);
    if (b && *b->assessment)
        g_string_append_printf(all, "%s\n", b->assessment);
    if (b)
        format_findings(all, b->findings);
}

char *
ballot_format(const PanelMember *m, const BallotRow *b)
{
    GString *text = g_string_new(NULL);

    add_ballot(text, m, b);
    return g_string_free(text, FALSE);
}

char *
ballots_format(const PanelMembers *members,
               const BallotRows *ballots,
               unsigned round,
               int without)
{
    GString *all = g_string_new(NULL);

    LIST_EACH(const PanelMember, m, members) {
        if ((int)m->n != without)
            add_ballot(all, m, ballot_counts(ballots, round, m->n));
    }
    return g_string_free(all, FALSE);
}
