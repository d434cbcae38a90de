#pragma once

/*
 * What a brain is shown. Parts in order, within a byte budget; untrusted text stands only
 * inside fences that carry a nonce of the step, HMAC(key, job, step), so no mail can forge a
 * heading; text that contains the nonce is left out. What did not fit is listed at the end. The
 * manifest names all parts, shown or not, with the digest of each, so that a later rebuild can
 * say which one changed.
 *
 * The same calls for the same step give the same bytes. Nothing here blocks or fails.
 */
#include "engine/engine.h"
#include "store/jobs.h"

typedef struct Context Context;

/* The budget is for all text together; 0: 256 KiB. Borrows nothing. */
Context *context_new(const Home *home, const Job *job, size_t budget);
void context_free(Context *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Context, context_free)

const char *context_nonce(const Context *c);
/* Bytes that the next part may have, its fence included. */
size_t context_room(const Context *c);
/* Keeps so many bytes back for parts that come later; 0: nothing any more. */
void context_reserve(Context *c, size_t bytes);

/* Our own words: no fence, always shown. A newline is added where none ends it. */
void context_say(Context *c, const char *text);
/* Untrusted: `=== TITLE [nonce] ===`, text, `=== END [nonce] ===`. id names it in the manifest.
 * The whole text or nothing of it: false when it did not fit or holds the nonce. */
bool context_show(Context *c, const char *title, const char *id, const char *text);
/* As context_show(), but a text that is too long is cut at a character and says so. */
bool context_show_cut(Context *c, const char *title, const char *id, const char *text);

/* The whole as text; borrowed until the next call that adds a part. */
const char *context_text(Context *c);
/* {"job", "step", "bytes", "parts": [{"title", "id", "bytes", "digest", "shown", "why"}]};
 * caller unrefs. */
GBytes *context_manifest(Context *c);
void context_digest(Context *c, Digest *ret);
