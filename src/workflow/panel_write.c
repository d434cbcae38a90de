#include "workflow/panel_write.h"
#include "base/file.h"
#include "base/json.h"
#include "engine/people/notice.h"
#include "engine/role.h"
#include "workflow/event_send.h"
#include "workflow/panel_space.h"

#define SECTION_MAX (64u << 10)
#define SUMMARY_MAX 500u

static const char writer_instructions[] =
    "You are a writer on a panel. All members bring their ideas, and all count the same: surface tradeoffs, challenge what\n"
    "is taken for granted, look for what was not thought of. One of you, the primary, then decides and writes the section.\n";
static const char what_this[] = "What is to be written, and by section:\n";
static const char contribute_this[] =
    "\nWrite what belongs into this section, what it gains and what it loses, and what should not be forgotten. Plain text.\n";
static const char discuss_this[] =
    "\nBelow stands what the others brought. Say what you would take of it, what is wrong, and what is missing. Plain text.\n";
static const char decide_this[] =
    "\nYou are the primary: decide, and write the section. Answer with one JSON object and nothing else:\n"
    "{\"summary\": \"what was decided, in one sentence\", \"text\": \"the section, without its heading\"}\n";

static const char revise_this[] = "What was written, and what its reviewers found:\n";
static const char revising_this[] =
    "\nSay what must change in it, what must stay as it is, and why. Plain text.\n";
static const char rewrite_this[] =
    "\nYou are the primary: decide, and write all of it anew. Answer with one JSON object and nothing else:\n"
    "{\"summary\": \"what was decided, in one sentence\", \"text\": \"the whole text, with its headings\"}\n";
static const char answer_this[] =
    "\nYou are the primary of those who wrote this: answer what its reviewers ask. Answer with one JSON object and nothing else:\n"
    "{\"summary\": \"the answer in one sentence\", \"text\": \"the answer\"}\n";

const char section_schema[] =
    "{\"type\":\"object\",\"properties\":{\"summary\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}},"
    "\"required\":[\"summary\",\"text\"],\"additionalProperties\":false}";

/* --- which round is what --- */

bool
panel_writes(const PanelRow *p)
{
    return *p->sections != '\0';
}

bool
panel_answers(const PanelRow *p)
{
    return g_str_equal(p->task, PANEL_ANSWERS);
}

/* Contributions, discussion, decision. */
static unsigned
per_section(const PanelRow *p)
{
    return panel_answers(p) ? 1 : p->discuss + 2;
}

static unsigned
section_of(const PanelRow *p, unsigned round)
{
    return (round - 1) / per_section(p);
}

/* True when this round is the first of its section. */
static bool
panel_begins_section(const PanelRow *p, unsigned round)
{
    return (round - 1) % per_section(p) == 0;
}

bool
panel_is_decision(const PanelRow *p, unsigned round)
{
    return panel_writes(p) && round % per_section(p) == 0;
}

static char **
titles_of(const PanelRow *p)
{
    return g_strsplit(p->sections, "\n", -1);
}

unsigned
panel_rounds(const PanelRow *p)
{
    g_auto(GStrv) titles = titles_of(p);
    return g_strv_length(titles) * per_section(p);
}

/* "Section A: Problem Statement"; caller frees. */
static char *
heading(const PanelRow *p, unsigned section)
{
    g_auto(GStrv) titles = titles_of(p);
    return g_strdup_printf("Section %c: %s", 'A' + (int)section, titles[section]);
}

static const BallotRow *
decision_of(const PanelRow *p, const BallotRows *all, unsigned section)
{
    LIST_EACH(const BallotRow, b, all)
        if (b->round == (section + 1) * per_section(p) && b->member == p->primary &&
            g_str_equal(b->verdict, PANEL_GIVEN) && !b->late)
            return b;
    return NULL;
}

bool
panel_has_decided(const PanelRow *p, const BallotRows *all, unsigned round)
{
    return decision_of(p, all, section_of(p, round)) != NULL;
}

/* --- the page --- */

static char *
format_given(const PanelMembers *members,
             const BallotRows *all,
             unsigned from,
             unsigned upto,
             int without)
{
    GString *text = g_string_new(NULL);

    LIST_EACH(const BallotRow, b, all)
        if (b->round >= from && b->round <= upto && (int)b->member != without && !b->late &&
            g_str_equal(b->verdict, PANEL_GIVEN))
            g_string_append_printf(text, "%s%s:\n%s\n", text->len ? "\n" : "",
                                   members->pdata[b->member]->name, b->assessment);
    return g_string_free(text, FALSE);
}

char *
panel_integrate(const PanelRow *p, const BallotRows *all)
{
    g_auto(GStrv) titles = titles_of(p);
    g_autofree char *title = g_strdup(p->subject);
    char *dot = strrchr(title, '.');
    GString *text = g_string_new(NULL);

    if (*p->task) {
        const BallotRow *b = decision_of(p, all, 0);
        const char *said = b ? b->assessment : "";
        g_string_printf(text, "%s%s", said, g_str_has_suffix(said, "\n") ? "" : "\n");
        return g_string_free(text, FALSE);
    }
    if (dot && dot > title)
        *dot = '\0';
    g_string_printf(text, "# %s\n", title);
    for (unsigned n = 0; titles[n]; n++) {
        const BallotRow *b = decision_of(p, all, n);
        if (b)
            g_string_append_printf(text, "\n## %s\n\n%s\n", titles[n], b->assessment);
    }
    return g_string_free(text, FALSE);
}

/* What a panel is shown and told that writes a new text; and one that has its text back. */
static void
show_writing(Context *c, const PanelRow *p, const BallotRows *all, unsigned round)
{
    g_autofree char *brief =
        g_strndup(g_bytes_get_data(p->content, NULL), g_bytes_get_size(p->content));
    g_autofree char *title = heading(p, section_of(p, round)), *so_far = panel_integrate(p, all);

    context_say(c, what_this);
    context_show_cut(c, "THE BRIEF", "brief", brief);
    context_show_cut(c, "WHAT IS WRITTEN", "written", so_far);
    context_show_cut(c, "NOW", "section", title);
    context_say(c, panel_is_decision(p, round)      ? decide_this
                   : panel_begins_section(p, round) ? contribute_this
                                                    : discuss_this);
}

static void
show_returned(Context *c, const PanelRow *p, unsigned round)
{
    g_autofree char *written =
        g_strndup(g_bytes_get_data(p->content, NULL), g_bytes_get_size(p->content));

    context_say(c, revise_this);
    context_show_cut(c, "WHAT IS WRITTEN", "written", written);
    context_show_cut(c, "WHAT THE REVIEWERS SAID", "findings", p->said);
    context_say(c, panel_answers(p)                 ? answer_this
                   : panel_is_decision(p, round)    ? rewrite_this
                   : panel_begins_section(p, round) ? revising_this
                                                    : discuss_this);
}

Context *
panel_write_page(JobSession *s,
                 const PanelRow *p,
                 const PanelMembers *members,
                 const BallotRow *b,
                 const BallotRows *all)
{
    Context *c = context_new(s->engine->home, s->job, 0);
    unsigned section = section_of(p, b->round), first = section * per_section(p) + 1;
    bool decides = panel_is_decision(p, b->round);
    g_autofree char *given =
        format_given(members, all, first, b->round - 1, decides ? -1 : (int)b->member);

    context_instruct(c, writer_instructions);
    if (*p->task)
        show_returned(c, p, b->round);
    else
        show_writing(c, p, all, b->round);
    if (!panel_begins_section(p, b->round) && !panel_answers(p))
        context_show_cut(c, "WHAT WAS BROUGHT", "others", given);
    return c;
}

bool
panel_write_tells(const char *text)
{
    static const char *const all[] = {writer_instructions, what_this,   contribute_this,
                                      discuss_this,        decide_this, revise_this,
                                      revising_this,       rewrite_this, answer_this, NULL};
    return g_strv_contains(all, text);
}

static bool
parse_decision(const char *answer, BallotSaid *ret, GError **error)
{
    static const char *const names[] = {"summary", "text", NULL};
    const char *from = strchr(answer, '{'), *to = strrchr(answer, '}'), *summary, *text;
    g_autoptr(json_t) said = NULL;

    if (!from || !to || to < from)
        return err_set(error, ERR_NEVER, "the answer has no JSON object with summary and text");
    if (!json_parse(from, (size_t)(to - from) + 1, 0, &said, error) ||
        !json_get_string(said, "", "summary", &summary, error) ||
        !json_get_string(said, "", "text", &text, error) || !json_only(said, "", names, error))
        return false;
    if (!*text || strlen(text) > SECTION_MAX)
        return err_set(error, ERR_NEVER, "text: it is empty, or longer than %u bytes", SECTION_MAX);
    g_autofree char *line = g_strndup(summary, text_cut_at(summary, SUMMARY_MAX));
    g_autoptr(json_t) list = json_pack("[s]", g_strdelimit(line, "\r\n", ' '));
    ret->assessment = g_strdup(text);
    ret->findings = json_format(list);
    return true;
}

bool
panel_write_parse(
    const PanelRow *p, unsigned round, const char *answer, BallotSaid *ret, GError **error)
{
    if (panel_is_decision(p, round))
        return parse_decision(answer, ret, error);
    if (!*answer)
        return err_set(error, ERR_NEVER, "the answer is empty");
    ret->assessment = g_strndup(answer, text_cut_at(answer, SECTION_MAX));
    ret->findings = g_strdup("[]");
    return true;
}

/* --- what the primary says --- */

static char *
summary_of(const BallotRow *b)
{
    g_autoptr(json_t) list = NULL;
    const char *said = json_parse(b->findings, strlen(b->findings), 0, &list, NULL)
                           ? json_string_value(json_array_get(list, 0))
                           : NULL;
    return g_strdup(said ? said : "");
}

/* "Section A decided: a login page. Moving to Section B..."; caller frees. */
static char *
say_decided(const PanelRow *p, const BallotRow *b, unsigned section, bool last)
{
    g_autofree char *summary = summary_of(b);
    size_t len = strlen(summary);
    const char *stop = len && strchr(".!?", summary[len - 1]) ? "" : ".";

    return last ? g_strdup_printf("Section %c decided: %s%s All sections are decided; '%s' goes to review.",
                                  'A' + (int)section, summary, stop, p->artifact)
                : g_strdup_printf("Section %c decided: %s%s Moving to Section %c...",
                                  'A' + (int)section, summary, stop, 'B' + (int)section);
}

static bool
say(Engine *engine,
    Txn *txn,
    const Job *job,
    const PanelRow *p,
    const PanelMembers *members,
    const char *text,
    GError **error)
{
    const PanelMember *primary = members->pdata[p->primary];
    g_autofree char *role = g_strdup_printf("%s.%s", p->name, primary->name);
    g_autofree char *subject = g_strdup_printf(PANEL_SUBJECT "%s", p->subject);
    const Notice notice = {.role = role_find(engine, role),
                           .job = job,
                           .to = p->asker,
                           .subject = subject,
                           .text = text};
    return panel_space_announce(engine, txn, p, members, text, error) &&
           (*p->task /* whoever asked are reviewers */ ||
            notice_post(engine, txn, &notice, NULL, error));
}

bool
panel_announce(Engine *engine,
               Txn *txn,
               const Job *job,
               const PanelRow *p,
               const PanelMembers *members,
               const BallotRows *all,
               unsigned next,
               GError **error)
{
    bool last = next > panel_rounds(p);

    if (panel_answers(p))
        return true;
    if (next > 1 && panel_begins_section(p, next)) {
        unsigned section = section_of(p, next) - 1;
        g_autofree char *said = say_decided(p, decision_of(p, all, section), section, last);
        if (!say(engine, txn, job, p, members, said, error))
            return false;
    }
    if (last || !panel_begins_section(p, next))
        return true;
    g_autofree char *title = heading(p, section_of(p, next));
    g_autofree char *said = g_strdup_printf("Starting %s", title);
    return say(engine, txn, job, p, members, said, error);
}

/* --- the end --- */

bool
panel_put_file(Engine *engine, const PanelRow *p, const char *text, GError **error)
{
    g_autofree char *root = workflow_root(engine, error);
    g_autofree char *folder = g_path_get_dirname(p->artifact);
    g_autoptr(GBytes) there = NULL;
    size_t len = strlen(text);
    auto_fd dir = root ? dir_open(root, error) : -1;

    if (dir < 0 || !file_read(dir, p->artifact, SECTION_MAX * 32, &there, error))
        return false;
    if (there)
        return (g_bytes_get_size(there) == len &&
                memcmp(g_bytes_get_data(there, NULL), text, len) == 0) ||
               err_set(error, ERR_NEVER, "somebody else has put a '%s' there", p->artifact);
    return (g_str_equal(folder, ".") || dir_make(dir, folder, 0755, error)) &&
           file_create(dir, p->artifact, text, len, 0644, error);
}

bool
panel_send_for_review(
    Engine *engine, Txn *txn, const PanelRow *p, char **ret_msgid, char **ret_whom, GError **error)
{
    const Config *config = engine->home->config;
    g_autoptr(EventVars) vars = event_vars_new();
    g_autoptr(EventPlan) plan = NULL;
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    const EventSight *sight =
        event_sight_get(engine, EVENT_REVIEW_REQUEST, p->artifact, NULL, error);

    if (!sight || !sight->place.kind)
        return sight && err_pass(error, g_error_copy(sight->no_place));
    const char *kind = sight->place.kind->name;
    g_autofree char *panel = g_strdup_printf("%s-reviewer-panel", kind);
    g_autofree char *solo = g_strdup_printf("%s-reviewer", kind);
    const char *whom = config_panel(config, panel)        ? panel
                       : workflow_address(config, solo) ? solo
                                                        : workflow_coordinator(engine);
    g_ptr_array_add(to, (char *)whom);
    const EventNew in = {.type = EVENT_REVIEW_REQUEST,
                         .path = p->artifact,
                         .sight = sight,
                         .from =
                             config_panel(config, p->name) ? p->name : config->persons[0].name,
                         .to = to,
                         .vars = vars};
    *ret_whom = g_strdup(whom);
    return event_plan(engine, &in, &plan, error) &&
           event_commit(engine, txn, plan, NULL, ret_msgid, error);
}
