#pragma once

/* The inside of a Context (engine/context/context.h), shared by the files that build a context
 * and that build it again from its manifest; nobody else includes it. */
#include "base/json.h"
#include "brain/brain.h"
#include "engine/context/context.h"
#include "engine/context/manifest.h"

typedef struct ContextFile {
    char *content_type, *filename;
    GBytes *data;
} ContextFile;

struct Context {
    int64_t job;
    int step;
    char *nonce;
    size_t budget, reserved;
    unsigned takes;
    bool told; /* the face has shown the conversation */
    GString *system, *text;
    char *end;              /* the last words of the page; NULL: none */
    GString *left_out;      /* one line for each part that is not in text */
    unsigned left_out_more; /* that had no room even there */
    GString *parts;       /* what the manifest says of each, as JSON, with commas between */
    ContextMemo *memo;    /* borrowed; NULL: not yet */
    ContextMemo *own_memo; /* where nobody gave one; NULL: somebody did */
    Trust floor;          /* of the parts whose floor is known */
    ManifestParts *unweighed; /* parts whose floor is to be looked up */
    GPtrArray *files; /* of ContextFile */
    GArray *views;    /* of BrainFile: the same, borrowed */
    size_t file_bytes;
    char *page, *whole; /* put together; NULL: not yet */
};

Context *context_alloc(const Home *home, int64_t job, int step, size_t budget);

#define CONTEXT_CUT_NOTE "\n[… cut: this is the beginning, the rest did not fit]"

#define CONTEXT_SYSTEM_HEAD "--- system\n"
#define CONTEXT_PAGE_HEAD "--- page\n"

/* A digest that has taken in the system text with both headings: where the page before had the
 * same system text, what was made of it is used again. Caller ends or frees the digest. */
DigestCtx *context_digest_begin(Context *c);

/* Bytes that are left when nothing is kept back. */
size_t context_whole_room(const Context *c);
/* What the page says of the next file; caller frees. */
char *context_file_line(const Context *c, const char *content_type, GBytes *data);

/* These put bytes where they belong, and keep no record. Text is valid UTF-8. */
void context_put_words(Context *c, GString *to, const char *text);
/* cut: what is said at the end, for a text that was cut; NULL: it was not. */
void
context_put_part(Context *c, const char *title, const char *text, size_t keep, const char *cut);
void context_put_instruction(
    Context *c, const char *title, const char *text, size_t keep, const char *cut);
void context_put_file(Context *c,
                      const char *title,
                      const char *content_type,
                      const char *filename,
                      GBytes *data);
void context_put_left_out(Context *c, const char *title, uint64_t len, const char *why);
