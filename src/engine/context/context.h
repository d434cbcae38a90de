#pragma once

/*
 * What a brain is shown: instructions that stay the same from step to step (the system text),
 * the page of this step, and files that the model can see. Parts come in order, within a byte
 * budget; untrusted text stands only inside fences that carry a nonce of the step, HMAC(key,
 * job, step), so no mail can forge a heading; text that contains the nonce is left out. What
 * did not fit is listed at the end, under NOT SHOWN, within the budget too.
 *
 * The manifest is the recipe of all that: our own words, and for each part where its text can
 * be found again (`from` and what belongs to it), its digest and how much of it was shown.
 * context_rebuild() makes the same bytes from it later, and can say which part is gone or has
 * changed.
 *
 * The same calls for the same step give the same bytes. Nothing here blocks or fails.
 */
#include "base/json.h"
#include "engine/engine.h"
#include "store/job/jobs.h"
#include "store/job/step_rows.h"

typedef struct Context Context;
typedef struct BrainFile BrainFile; /* brain/brain.h */

#define CONTEXT_BYTES_MIN (8u << 10)    /* our own words must fit */
#define CONTEXT_FILES_MAX 20u           /* more than that the providers see smaller */
#define CONTEXT_FILES_BYTES (18u << 20) /* in base64 still below what they take */
#define CONTEXT_IMAGE_BYTES (3500u << 10)

/* More than the fences and a title of ours take around a part: what to reckon for it. */
#define CONTEXT_FRAME 256u

/* Where the text of a part comes from. from NULL: from nowhere else, it is kept in the
 * manifest. What the names mean is the mode's affair (ModeOps.recall). */
typedef struct ContextPart {
    const char *title;
    const char *from;
    const char *id;           /* a note's key, a Message-ID, a member of the state; "" */
    const char *filename;     /* of an attachment; NULL */
    const char *content_type; /* of a file that the model sees; NULL */
    int64_t version;          /* of a note; 0 */
    int64_t offset;           /* of the text in all of it, in bytes; 0: from its beginning */
    const Trust *floor; /* the least that anybody is worth who had a hand in it; NULL: whoever shows
                           it does not know, and it is looked up by its id and version */
    const char *more; /* how to ask for the rest of a text that is cut, with the number of
                                 its first byte to be written behind it; NULL: there is no way */
} ContextPart;

/* What was made of the parts of the page before, and the digest of its system text: most of
 * that is on the next page too. A part is known again by its title and all of its bytes, so
 * nothing that changed is taken for the same. */
typedef struct ContextMemo ContextMemo;
ContextMemo *context_memo_new(void);
void context_memo_free(ContextMemo *memo);
/* For this page; what none of the last few pages used is forgotten. Borrowed as long as c
 * lives. */
void context_set_memo(Context *c, ContextMemo *memo);

/* The budget is for system and page together, without files; 0: 256 KiB. Borrows nothing. */
Context *context_new(const Home *home, const Job *job, size_t budget);
void context_free(Context *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Context, context_free)

/* The budget that the settings have for this brain. */
size_t context_budget(const Config *config, const ConfBrain *brain);
/* Which files the brain of this context can see; none unless set. */
#define CONTEXT_IMAGES 1u
#define CONTEXT_PDF 2u
#define CONTEXT_ANY_FILE 4u /* a program: files of any kind, in its folder */
void context_set_takes(Context *c, unsigned takes);
unsigned context_takes(const Context *c);
/* The same for the brain of a role. */
unsigned context_role_takes(const Engine *engine, const char *role);
/* Which of these (CONTEXT_IMAGES, CONTEXT_PDF) a file of this type is; 0: neither. */
unsigned context_type_takes(const char *media_type);

/* The face has shown the whole conversation already, new mail included: the mode leaves it
 * out. */
void context_set_told(Context *c);
bool context_is_told(const Context *c);

const char *context_nonce(const Context *c);
/* Bytes that the next part may have, its fence included. */
size_t context_room(const Context *c);
/* Keeps so many bytes back for parts that come later; 0: nothing any more. */
void context_reserve(Context *c, size_t bytes);

/* Adds words of our own, without a fence; a newline is added where none ends them. They are
 * left out, and listed as left out, only where the whole budget is spent. */
void context_say(Context *c, const char *text);
/* Sets the words that stand last of all, behind the list of what is not shown. To be called
 * once, and before the parts, so that there is room for these words. */
void context_end(Context *c, const char *text);
/* Untrusted: `=== TITLE [nonce] ===`, text, `=== END [nonce] ===`. The whole text or nothing of
 * it: false when it did not fit or holds the nonce. */
bool context_show_part(Context *c, const ContextPart *part, const char *text);
/* As above, but a text that is too long is cut at a character and says so, and how to read
 * on. */
bool context_show_part_cut(Context *c, const ContextPart *part, const char *text);
/* The same for text that is found nowhere else later: the manifest keeps it. */
bool context_show_cut(Context *c, const char *title, const char *id, const char *text);
/* A file that the model sees, by the type in part->content_type; the page names it. False when
 * there are too many bytes or files already; it is listed then. */
bool context_attach(Context *c, const ContextPart *part, GBytes *data);

/* The system text: words of ours that `from` "words" finds again by their name, words that the
 * manifest keeps, and a note of instructions, cut to max bytes. */
void context_instruct_words(Context *c, const char *name, const char *text);
void context_instruct(Context *c, const char *text);
bool context_instruct_part(Context *c, const ContextPart *part, const char *text, size_t max);

/* Borrowed until the next call that adds something. */
const char *context_text(Context *c);         /* the page */
const char *context_system(const Context *c); /* NULL: there is none */
const BrainFile *context_files(const Context *c, unsigned *ret_n);
/* Everything as one text: system text, page, and a line for each file. It is the page alone
 * where there is nothing else. Borrowed likewise. */
const char *context_whole(Context *c);

/* The manifest, as docs/formats.md tells; caller unrefs. */
GBytes *context_manifest(Context *c);
/* *ret: the least trust of all mail and notes that the brain sees here, for the jobs of this
 * role. */
bool context_floor(const Context *c, Engine *engine, const char *role, Trust *ret, GError **error);
/* The digest of context_whole(). */
void context_digest(Context *c, Digest *ret);

/* --- later --- */

/* What a mode needs to find the text of a part again. */
typedef struct Recall {
    Engine *engine;
    const Job *job;
    const Step *before; /* the step before: what it left; NULL: the first */
    unsigned takes;     /* as it was */
    GHashTable *names;  /* for the mode: what it remembers from part to part; NULL at first */
} Recall;

/* *ret_text, or *ret_file for a part with a content_type; left NULL: it is gone, or was shown
 * by another mode. Caller frees. */
typedef bool ContextRecall(Recall *recall,
                           const ContextPart *part,
                           char **ret_text,
                           GBytes **ret_file,
                           GError **error);

typedef struct Rebuilt {
    Context *context;
    GPtrArray *problems; /* char *: "mail <a@b> is gone"; empty: all is as it was */
    bool same;           /* the digest is the one that the step has */
} Rebuilt;
void rebuilt_clear(Rebuilt *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rebuilt, rebuilt_clear)

/* Builds the context again that a step was shown, from its manifest. ERR_NEVER: the step has no
 * manifest, or one of another form. */
bool context_rebuild(Recall *recall, const Step *step, Rebuilt *ret, GError **error);
