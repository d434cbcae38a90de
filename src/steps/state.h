#pragma once

/*
 * What a job carries from one step to the next: the phase, what the brain wants to remember,
 * what it has gathered, what could not be found, and how the last step went. It is kept with
 * each step as JSON, and the same members, in the same order, stand in continuation.json.
 *
 * Invariants: no key, mail, attachment or search is in its list twice. Message-IDs have their
 * normalised form without angle brackets, whichever form was given (mail/msgid.h); they get
 * brackets on the way out. A list holds at most STATE_LIST_MAX entries; one more pushes out the
 * oldest, and a key, name or search over STATE_LINE_MAX bytes is cut. All text is valid UTF-8,
 * in and out. Nothing here does I/O or knows the time.
 */
#include "base/json.h"

#define STATE_LIST_MAX 256u
#define STATE_TRIES_MAX 2u          /* so many failures make a thing UNAVAILABLE */
#define STATE_LINE_MAX 1000u        /* bytes of a key, an id, a file name, a search */
#define STATE_NOTE_MAX (256u << 10) /* bytes of the working note */
#define STATE_RESULTS_MAX 1000u     /* lines about the last step */
#define STATE_RESULT_MAX 2000u      /* characters of one of them; longer ones are cut */
#define STATE_JSON_MAX (32u << 20)  /* more than all of the above can take; for json_parse() */
#define STATE_COUNT_MAX INT64_C(1000000)

/* The first seven only advise the brain, which may go from each of them to any other. The last two
 * end the round. */
typedef enum Phase {
    PHASE_TRIAGE,
    PHASE_GATHERING,
    PHASE_SUMMARISING,
    PHASE_WORKING,
    PHASE_CODING,
    PHASE_COMPOSING,
    PHASE_WAITING,
    PHASE_COMPLETE,
    PHASE_ESCALATE,
} Phase;
#define PHASE_COUNT (PHASE_ESCALATE + 1)

/* "triage"…, by Phase, NULL last; also the last part of the key of a phase's note. */
extern const char *const phase_names[PHASE_COUNT + 1];
const char *phase_name(Phase phase);
/* In any case, because providers do not promise the case of enum values. */
bool phase_parse(const char *name, Phase *ret);

typedef struct MailRef {
    char *message_id, *folder; /* folder is a hint; "" for none */
} MailRef;
MailRef *mail_ref_new(const char *message_id, const char *folder);
void mail_ref_free(MailRef *ref);

typedef struct FileRef {
    char *message_id, *filename;
    int64_t offset; /* byte of the text to begin with; 0: its beginning */
} FileRef;
FileRef *file_ref_new(const char *message_id, const char *filename, int64_t offset);
void file_ref_free(FileRef *ref);

/* Something that could not be fetched: a note's key, a mail's id, or "search:QUERY". */
typedef struct StateFailure {
    char *key;
    unsigned count;
} StateFailure;

typedef struct StepState {
    Phase phase;
    char *working_note;         /* never NULL */
    char *bundle_key;           /* never NULL; "" for none */
    GPtrArray *note_keys;       /* char *: KEY, or KEY@BYTES for a note from that byte on */
    GPtrArray *mail_refs;       /* MailRef */
    GPtrArray *attachment_refs; /* FileRef */
    GPtrArray *failed;          /* StateFailure, in the order of the first failure */
    GPtrArray *searches;        /* char *: tried in this run, in order */
    GPtrArray *results;         /* char *: one line each about the last step */
    unsigned idle_steps;        /* in a row without a change of notes, mail or facts */
    bool refused_empty_complete, refused_waiting;
    bool acted;        /* an act was done in this round (engine/act.h) */
    GPtrArray *said;   /* char *: what was written to whom, or where, in this round */
    char *last_status; /* what the last step said: "continue"…; never NULL, "" before it */
    int64_t wait_until_us; /* with "waiting": until when at most; 0: without end */
} StepState;

/* A job before its first step: triage, and nothing else. */
StepState *state_new(void);
void state_free(StepState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StepState, state_free)

/* All members in a fixed order: those of continuation.json, then results, idle_steps,
 * refused_empty_complete, last_status, wait_until, refused_waiting and said; acted where it is
 * so. The same state gives the same bytes. Caller unrefs. */
json_t *state_to_json(const StepState *state);
/* Reads our own bytes and a continuation.json, whose other members it passes over. The members
 * of the first continuations (current_phase to failed_fetches) must be there, the later ones
 * may be missing. ERR_NEVER or ERR_LIMIT name the path; ret is then untouched. */
bool state_from_json(const json_t *object, StepState **ret, GError **error);
/* The same as bytes, for Proposal.state; NULL reads as state_new(). */
GBytes *state_format(const StepState *state);
bool state_parse(GBytes *bytes, StepState **ret, GError **error);
/* Instead of state_free(), for what state_parse() has made of these bytes and nobody has changed: the next
 * state_parse() of the very same bytes need not read them again. One state is kept so. */
void state_give_back(GBytes *bytes, StepState *take_state);

/* What of it a new round of the job begins with: the bundle and the gathered notes. */
StepState *state_next_round(const StepState *state);

void state_set_last(StepState *state, const char *status, int64_t wait_until_us);
void state_set_working_note(StepState *state, const char *text);
void state_set_bundle_key(StepState *state, const char *key);

/* "KEY@1000" is the note from its byte 1000 on: its key, which the caller frees, and that
 * number; else the text itself and 0. Keys of notes have no "@" in them. */
char *state_note_key(const char *entry, int64_t *ret_offset);
/* Each adds to a list, and returns true when the entry is new. A mail that is in the list gets
 * the new folder, unless that is "". A text that is no Message-ID is not added: no mail can
 * have it. A note or an attachment is in its list once: an entry that reads it from another
 * byte on takes the place of the old entry. */
bool state_add_note(StepState *state, const char *entry);
bool state_add_mail(StepState *state, const char *message_id, const char *folder);
bool state_add_attachment(StepState *state,
                          const char *message_id,
                          const char *filename,
                          int64_t offset);
/* Forgets the note of this key, from whichever byte on, or the mail of this id and its
 * attachments; false when neither was there. */
bool state_drop(StepState *state, const char *key_or_id);

/* A gathered note or bundle of the old key goes by the new one. */
void state_rename_note(StepState *state, const char *from, const char *to);

/* Counts one more failure of a key or id and returns how many there are now. */
unsigned state_fail(StepState *state, const char *key);
/* The key or id was found now: earlier failures to find it count no more. */
void state_forgive(StepState *state, const char *key);
void state_set_failures(StepState *state, const char *key, unsigned count);
/* True once it failed STATE_TRIES_MAX times: a further request is not to be carried out. */
bool state_unavailable(const StepState *state, const char *key);

/* Records a search as tried in this run; true when it is a new one. */
bool state_search_tried(StepState *state, const char *query);
/* state_fail() and state_unavailable() for a search that found nothing. */
unsigned state_search_failed(StepState *state, const char *query);
bool state_search_unavailable(const StepState *state, const char *query);

/* Remembers that this text went to this place, a person or a note; true when it is the first
 * time in this round. */
bool state_say(StepState *state, const char *place, const char *text);

/* What the next context says about this step: what was sent with its Message-ID, what failed
 * and why, UNSUPPORTED. A line over the limit is cut, line breaks are made visible. */
void state_add_result(StepState *state, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
void state_clear_results(StepState *state);

/* The blocks for the context; "" when there is nothing to say. Each entry takes one line, so
 * that none can pass for a heading. Caller frees. */
char *state_format_tried(const StepState *state);
char *state_format_unavailable(const StepState *state);
