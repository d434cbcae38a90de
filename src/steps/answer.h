#pragma once

/*
 * What the brain answers in one step, as plain structs. Nothing in it has happened, and nothing
 * in it is allowed yet: whether a key or a recipient may be used is for the engine's policy.
 *
 * A provider with structured output is given answer_schema(); whatever comes back, by whatever
 * way, passes answer_parse(). Text around the JSON (prose, code fences) is tolerated, broken
 * JSON is not. Forgiven is what models without schema support do all the time: a field that is
 * left out or null is empty ([], "", 0, replace); a field that nobody knows is dropped; the
 * answer, a list or an object in it may stand there as a string of JSON. status and
 * current_phase are never forgiven, nor is the name of the thing to act on (message_id, key,
 * from, to of a rename), nor wait when the status is waiting, nor a misspelt field. Enum values
 * may come in any case.
 */
#include "engine/act.h"
#include "steps/state.h"

#define ANSWER_MAX (8u << 20)      /* bytes in all */
#define ANSWER_LIST_MAX 100u       /* entries of any one list */
#define ANSWER_TEXT_MAX (1u << 20) /* bytes of a note's content, a body */
#define ANSWER_REASON_MAX (64u << 10)

/* JSON schema that every provider with structured output accepts: the root is an object, all
 * fields are required, additionalProperties is false everywhere; enums, no bounds, no unions,
 * no recursion. What it can't say is checked here. acts: ActOps, each a field more, whose value
 * is a list; NULL: none. Caller frees. */
char *answer_schema(const GPtrArray *acts);

typedef enum AnswerStatus {
    ANSWER_CONTINUE,
    ANSWER_WAITING,
    ANSWER_COMPLETE,
    ANSWER_ESCALATE,
} AnswerStatus;

/* "continue"…, by AnswerStatus, NULL last. */
extern const char *const answer_statuses[];

/* Times are wall microseconds; 0: none. */
typedef struct AnswerSearch {
    char *folder, *from, *to, *subject, *text; /* "" matches anything */
    int64_t since_us, before_us;
} AnswerSearch;

typedef struct AnswerWrite {
    char *key, *content;
    bool append;        /* else replace */
    int64_t if_version; /* 0: the one that was last shown */
} AnswerWrite;

typedef struct AnswerRename {
    char *from, *to;
} AnswerRename;

typedef struct AnswerFile {
    char *note_key, *filename; /* filename "": the runtime chooses */
} AnswerFile;

typedef struct AnswerMail {
    GPtrArray *to, *cc; /* char *: one address each */
    char *subject, *body;
    char *in_reply_to;      /* "" for none */
    GPtrArray *attachments; /* AnswerFile */
} AnswerMail;

typedef enum AnswerThen {
    ANSWER_THEN_REMIND,
    ANSWER_THEN_ESCALATE,
    ANSWER_THEN_GO_ON
} AnswerThen;

/* Read only when the status is waiting. */
typedef struct AnswerWait {
    bool for_time;    /* else for a reply */
    int64_t until_us; /* 0: no end; never 0 when it waits for a time */
    AnswerThen then;
} AnswerWait;

/* No pointer is NULL. Message-IDs are as the brain wrote them, with or without brackets. */
typedef struct Answer {
    AnswerStatus status;
    Phase current_phase;
    char *working_note; /* at most STATE_NOTE_MAX bytes; "" unchanged, "-" none */
    char *bundle_key;   /* likewise */
    char *reasoning;
    GPtrArray *add_notes;        /* char *: keys */
    GPtrArray *add_emails;       /* MailRef */
    GPtrArray *search_emails;    /* AnswerSearch */
    GPtrArray *search_notes;     /* char *: queries */
    GPtrArray *read_attachments; /* FileRef */
    GPtrArray *drop;             /* char *: keys and Message-IDs */
    GPtrArray *write_notes;      /* AnswerWrite */
    GPtrArray *rename_notes;     /* AnswerRename */
    GPtrArray *delete_notes;     /* char *: keys */
    GPtrArray *send_emails;      /* AnswerMail */
    GPtrArray *move_emails;      /* MailRef */
    AnswerWait wait;
    ProposedActs *acts; /* in the order of the table; arguments that are empty are left out */
    GPtrArray *flags; /* char *: what was not as agreed and was forgiven; lines for the log */
#define ANSWER_DROPPED                                                                         \
    "unknown, so dropped" /* begins the line about fields that nobody knows */
} Answer;
void answer_free(Answer *answer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Answer, answer_free)

/*
 * acts: as answer_schema() has them. Takes the first object in the text that fits the schema.
 * Objects that stand beside it and do not fit are flagged and passed over; a second one that
 * fits and says something else makes the whole answer ambiguous and refused, as does JSON that
 * is malformed or cut off, wherever it stands.
 *
 * ERR_NEVER and ERR_LIMIT: the text says all that is to be mended, with the path of each wrong
 * field, and is fit to be shown to the brain: "send_emails[1].to: must be a list of strings".
 */
bool answer_parse(
    const char *text, size_t len, const GPtrArray *acts, Answer **ret, GError **error);
