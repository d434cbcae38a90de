#include "workflow/event_kind.h"
#include "base/digest.h"

/* clang-format off */
const EventKind event_kinds[EVENT_N_TYPES] = {
    [EVENT_REVIEW_REQUEST] = {"review-request", NULL, false, false, false,
        "[REVIEW REQUEST] {{ARTIFACT_NAME}} ready for review", "An artifact is ready for your review.", "Author",
        "Review type: {{REVIEW_TYPE}}\nDigest: {{DIGEST}}\n", "{{CONTEXT}}",
        "Read the artifact, then send approval, rejection or clarification-request in reply. {{BY_REPLY}}", "Request review of"},
    [EVENT_APPROVAL] = {"approval", NULL, false, false, true,
        "[APPROVAL] {{ARTIFACT_NAME}} approved", "The artifact was approved{{DECIDED}}.", "Reviewer",
        "Previous state: {{PREVIOUS_STATE}}\nNew state: {{NEXT_STATE}}\nNext roles: {{NEXT_ROLES}}\n",
        "{{REVIEWER_COMMENTS}}\n\n{{CONTEXT}}", "The next roles go on with the artifact at its new place. {{NEXT_ACTIONS}}", "Approve"},
    [EVENT_REJECTION] = {"rejection", "ISSUES_FOUND", false, false, false,
        "[REVISION NEEDED] {{ARTIFACT_NAME}} requires changes", "The artifact needs changes before it can go on.", "Reviewer",
        "", "Issues found:\n{{ISSUES_FOUND}}\n\n{{REVIEWER_COMMENTS}}\n\n{{CONTEXT}}",
        "Revise the artifact and send a new review-request, which begins a new cycle. {{NEXT_ACTIONS}}", "Reject"},
    [EVENT_CLARIFICATION_REQUEST] = {"clarification-request", "QUESTION", true, false, false,
        "[CLARIFICATION NEEDED] {{ARTIFACT_NAME}}", "Something has to be clear before the work goes on.", "Requestor",
        "Blocking: {{BLOCKING}}\n", "Question:\n{{QUESTION}}\n\n{{CONTEXT}}",
        "Send an answer in reply, and change the artifact where the answer changes it. {{NEXT_ACTIONS}}", "Ask about"},
    [EVENT_BLOCKER_REPORT] = {"blocker-report", "BLOCKING_DETAILS", true, false, false,
        "[BLOCKED] {{ARTIFACT_NAME}} - work cannot proceed", "Work on the artifact is blocked.", "Reporter",
        "", "Blocking details:\n{{BLOCKING_DETAILS}}\n\n{{CONTEXT}}",
        "Find who can resolve it; an answer in reply says how to go on. {{NEXT_ACTIONS}}", "Block"},
    [EVENT_STATUS_UPDATE] = {"status-update", "CONTEXT", false, false, true,
        "[STATUS UPDATE] {{ARTIFACT_NAME}}", "This is how far the work is.", "Reporter",
        "", "{{CONTEXT}}", "Nothing has to be done. {{NEXT_ACTIONS}}", "Update"},
    [EVENT_QUESTION] = {"question", "QUESTION", true, true, false,
        "[QUESTION] {{ARTIFACT_NAME}}", "A question for you.", "Requestor",
        "Blocking: {{BLOCKING}}\n", "Question:\n{{QUESTION}}\n\n{{CONTEXT}}", "Send an answer in reply. {{NEXT_ACTIONS}}", "Ask about"},
    [EVENT_ANSWER] = {"answer", "CONTEXT", false, true, true,
        "Re: [QUESTION] {{ARTIFACT_NAME}}", "The answer to your question.", "Author",
        "", "{{CONTEXT}}", "Go on with this. {{NEXT_ACTIONS}}", "Answer about"},
};
/* clang-format on */

/* What people may give; the rest is set by ourselves. */
static const char *const given[] = {"CONTEXT",          "REVIEW_TYPE",  "NEXT_STATE",
                                    "NEXT_ROLES",       "NEXT_ACTIONS", "REVIEWER_COMMENTS",
                                    "ISSUES_FOUND",     "QUESTION",     "BLOCKING",
                                    "BLOCKING_DETAILS", "SESSION_ID",   NULL};

bool
event_type_parse(const char *name, EventType *ret, GError **error)
{
    const char *names[EVENT_N_TYPES + 1] = {NULL};

    for (EventType t = 0; t < EVENT_N_TYPES; t++) {
        names[t] = event_kinds[t].name;
        if (g_str_equal(name, names[t])) {
            *ret = t;
            return true;
        }
    }
    g_autofree char *hint = text_did_you_mean(name, names);
    return err_set(error, ERR_NEVER, "no event '%s'%s", name, hint);
}

/* --- variables --- */

struct EventVars {
    GArray *values; /* of TemplateValue; ended by one without a name */
    GStringChunk *texts;
};

EventVars *
event_vars_new(void)
{
    EventVars *v = g_new0(EventVars, 1);

    v->values = g_array_new(TRUE, TRUE, sizeof(TemplateValue));
    v->texts = g_string_chunk_new(1024);
    for (const char *const *name = given; *name; name++)
        event_vars_set(v, *name, "");
    return v;
}

void
event_vars_free(EventVars *v)
{
    if (!v)
        return;
    g_array_unref(v->values);
    g_string_chunk_free(v->texts);
    g_free(v);
}

static TemplateValue *
find(const EventVars *v, const char *name)
{
    for (guint i = 0; i < v->values->len; i++) {
        TemplateValue *value = &g_array_index(v->values, TemplateValue, i);
        if (g_str_equal(value->name, name))
            return value;
    }
    return NULL;
}

const char *
event_var(const EventVars *v, const char *name)
{
    const TemplateValue *value = find(v, name);

    return value ? value->value : "";
}

void
event_vars_set(EventVars *v, const char *name, const char *value)
{
    const char *text = g_string_chunk_insert(v->texts, value);
    TemplateValue *old = find(v, name);

    if (old)
        old->value = text;
    else
        g_array_append_vals(v->values, &(TemplateValue){name, text}, 1);
}

/* Control characters have no place in a mail, but for line ends and tabs; the mark of its id is made of them. */
static char *
clean(const char *text)
{
    char *valid = text_make_valid(text, -1);

    for (char *c = valid; *c; c++)
        if ((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t')
            *c = ' ';
    return valid;
}

bool
event_vars_add(EventVars *v, const char *assignment, GError **error)
{
    const char *equals = strchr(assignment, '=');
    g_autofree char *name = g_strndup(assignment, equals ? (size_t)(equals - assignment) : 0);

    if (!equals)
        return err_set(error, ERR_NEVER, "'%s' is no NAME=value", assignment);
    for (const char *const *known = given; *known; known++) {
        if (!g_str_equal(*known, name))
            continue;
        if (*event_var(v, name))
            return err_set(error, ERR_NEVER, "%s is there twice", name);
        g_autofree char *value = clean(equals + 1);
        event_vars_set(v, *known, g_strstrip(value));
        return true;
    }
    g_autofree char *hint = text_did_you_mean(name, given);
    return err_set(error, ERR_NEVER, "no variable '%s'%s", name, hint);
}

bool
event_vars_check(const EventVars *v, EventType type, GError **error)
{
    const EventKind *kind = &event_kinds[type];

    return !kind->needs || *event_var(v, kind->needs) ||
           err_set(error, ERR_NEVER, "%s needs %s=\"...\"", kind->name, kind->needs);
}

char *
event_question_digest(const char *text)
{
    g_auto(GStrv) words = g_strsplit_set(text, " \t\n", -1);
    g_autoptr(GString) all = g_string_new(NULL);

    for (char **word = words; *word; word++)
        if (**word)
            g_string_append_printf(all, "%s ", *word);
    g_autofree char *folded = g_utf8_casefold(all->str, -1);
    Digest d;
    digest_of(folded, strlen(folded), &d);
    return digest_hex(&d);
}

/* --- forms --- */

char *
event_form(EventType type)
{
    const EventKind *k = &event_kinds[type];

    return g_strdup_printf(
        "Subject: %s\n\n%s\n\nArtifact: {{ARTIFACT_PATH}}\nState: {{WORKFLOW_STATE}}\n"
        "%s: {{FROM_ROLE}}\nDate: {{DATE}}\n%s\n%s\n\nNext steps:\n%s\n\n---\n"
        "Sent by {{FROM_ROLE}} role\nGenerated: {{DATE}}\n",
        k->subject, k->opening, k->who, k->more, k->said, k->next);
}

/* A place whose value is empty leaves no gap: of blank lines one stays. */
static char *
tidy(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GString *out = g_string_new(NULL);
    bool blank = true;

    for (char **line = lines; *line; line++) {
        g_strchomp(*line);
        if (!**line && blank)
            continue;
        blank = !**line;
        g_string_append(out, *line);
        g_string_append_c(out, '\n');
    }
    if (blank && out->len > 0)
        g_string_truncate(out, out->len - 1);
    return g_string_free(out, FALSE);
}

/* "Name: {{PLACE}}" lines of a form whose place has no value; caller frees. */
static char *
without_empty(const char *form, const EventVars *v)
{
    g_auto(GStrv) lines = g_strsplit(form, "\n", -1);
    GString *out = g_string_new(NULL);

    for (char **line = lines; *line; line++) {
        const char *colon = strstr(*line, ": {{");
        g_autofree char *place = colon ? g_strndup(colon + 4, strcspn(colon + 4, "}")) : NULL;
        bool alone = place && g_str_equal(colon + 4 + strlen(place), "}}");
        if (alone && !*event_var(v, place))
            continue;
        g_string_append(out, *line);
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

/* Where the headers of a form end; the form itself where it has none. */
static const char *
body_of(const char *form)
{
    size_t name = strcspn(form, ": \t\n");
    const char *end = strstr(form, "\n\n");

    return name > 0 && form[name] == ':' && end ? end + 2 : form;
}

void
event_expand(const char *form, const EventVars *v, char **ret_subject, char **ret_text)
{
    const TemplateValue *values = (const TemplateValue *)(void *)v->values->data;
    g_autofree char *kept = without_empty(form, v);
    const char *body = body_of(kept);
    g_autofree char *head = g_strndup(kept, (size_t)(body - kept));
    g_auto(GStrv) lines = g_strsplit(head, "\n", -1);
    g_autofree char *text = template_expand_double(body, values);

    *ret_subject = NULL;
    for (char **line = lines; *line && !*ret_subject; line++)
        if (g_ascii_strncasecmp(*line, "Subject:", 8) == 0)
            *ret_subject = template_expand_double(g_strstrip(*line + 8), values);
    if (!*ret_subject)
        *ret_subject = g_strdup("");
    g_strdelimit(*ret_subject, "\n\t", ' ');
    *ret_text = tidy(text);
}
