#pragma once

/* The inside of prompt_fill() (steps/prompt.h), shared by the files prompt*.c; nobody else
 * includes it. */
#include "steps/prompt.h"
#include "steps/state.h"

/* The same as CONTEXT_FRAME with somebody else's title: a part of so many bytes less than the
 * room there is comes whole. */
#define PROMPT_FRAME 1024u

typedef struct Prompt {
    Engine *engine;
    const Job *job;
    const ConfRole *role;
    Viewer viewer; /* the role's */
    const StepInput *in;
    Context *c;
    StepState *state;
    Phase phase;             /* that this step is in */
    GHashTable *seen_notes;  /* key set: each note once */
    GHashTable *shown_notes; /* key -> int64_t *: the version, of those that came whole */
    GHashTable *shown_mails; /* Message-ID set */
    char *results, *tried, *unavailable; /* what the last step left, as text */
    size_t keep;             /* bytes for what the job carries along */
    char *opened_id;         /* the mail whose attachments were asked for last */
    Message *opened;
} Prompt;

/* The phase that a job with this state is in when it is asked. */
Phase prompt_phase(const StepState *state);
/* The first words of the page and its last line. */
void prompt_say_head(Prompt *p);
/* Before anything is shown: what people edited meanwhile becomes a version. */
bool prompt_import_edits(Prompt *p, GError **error);
/* The start note and that of the phase. */
bool prompt_show_instructions(Prompt *p, GError **error);
/* The bundle note, and every note that it lists. */
bool prompt_show_bundle(Prompt *p, GError **error);
bool prompt_show_notes(Prompt *p, GError **error); /* the notes that were gathered */
/* After everything: the job knows these versions now. */
bool prompt_mark_shown(Prompt *p, GError **error);
