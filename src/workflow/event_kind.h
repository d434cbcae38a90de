#pragma once

/*
 * The eight events of the workflow: what each is called, which variables it takes, and the form of its mail, which is
 * a template with places such as {{ARTIFACT_NAME}} (base/template.h).
 */
#include "base/template.h"

typedef enum EventType {
    EVENT_REVIEW_REQUEST,
    EVENT_APPROVAL,
    EVENT_REJECTION,
    EVENT_CLARIFICATION_REQUEST,
    EVENT_BLOCKER_REPORT,
    EVENT_STATUS_UPDATE,
    EVENT_QUESTION,
    EVENT_ANSWER,
    EVENT_N_TYPES
} EventType;

typedef struct EventKind {
    const char *name;
    const char *needs; /* the variable that must be given; NULL: no variable must be */
    bool asks;         /* it waits for an answer: the needed variable is the question */
    bool may_be_plain; /* it may be about no artifact */
    bool tells;        /* who has nothing to do about it need not say a word */
    const char *subject, *opening, *who, *more, *said, *next; /* of the built-in form */
    const char *verb; /* of a commit: "Approve" */
} EventKind;
extern const EventKind event_kinds[EVENT_N_TYPES];

/* ERR_NEVER "no event 'aproval'; did you mean 'approval'?" */
bool event_type_parse(const char *name, EventType *ret, GError **error);

/* What was said with an event: NAME=value, in order. ERR_NEVER: a name that no event knows, a
 * name that has a value already, or a needed name without a value. */
typedef struct EventVars EventVars;
EventVars *event_vars_new(void);
void event_vars_free(EventVars *v);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventVars, event_vars_free)
bool event_vars_add(EventVars *v, const char *assignment, GError **error);
bool event_vars_check(const EventVars *v, EventType type, GError **error);
/* Sets a variable that is ours to set, over what was there; name is static. */
void event_vars_set(EventVars *v, const char *name, const char *value);
/* "" where it was not given. Borrowed. */
const char *event_var(const EventVars *v, const char *name);

/* Of the words of a question, which is the same whatever its blanks and capitals; caller frees. */
char *event_question_digest(const char *text);

/* The built-in form of an event's mail; caller frees. */
char *event_form(EventType type);
/* The mail that a form and the variables make. Values stay text: braces in them are not
 * expanded, and line breaks in them make no header. Of the headers at the beginning of a form
 * only Subject is used. Caller frees both. */
void event_expand(const char *form, const EventVars *v, char **ret_subject, char **ret_text);
