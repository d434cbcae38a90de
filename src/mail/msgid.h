#pragma once

/*
 * Message-IDs. Inside the program an id is its normalised form without angle brackets
 * (`<"x"@h>` is x@h), compared byte by byte; brackets are put on at the edge, and people may
 * type either form. Ids that we mint are <generation.number.tag@domain>: number is the outbox
 * row, the tag an HMAC over both and the bytes of the mail, so that another body never has the
 * same id and nobody can guess one.
 */
#include "base/digest.h"
#include <glib.h>
#include <stdbool.h>

/* The first valid id in the text, brackets or not; NULL when there is none. Caller frees. */
char *msgid_parse(const char *text);
/* All valid ids of a References or In-Reply-To header in order, without repeats, at most max.
 */
GPtrArray *msgid_parse_list(const char *header, unsigned max);
/* "<id>"; caller frees. */
char *msgid_format(const char *id);
/* May stand in a mail of ours: plain ASCII that fits on a line, and no id that was only made up
 * for a mail that had none. */
bool msgid_is_writable(const char *id);

/* The id of a mail whose bytes, without the Message-ID line, are given; caller frees. */
char *msgid_mint(const Key *key,
                 uint64_t generation,
                 int64_t number,
                 const void *bytes,
                 size_t len,
                 const char *domain);
/* True for an id that this home minted, also when its row is unknown (an older store): the part of
 * the tag that needs no bytes is checked. */
bool msgid_is_minted(const Key *key,
                     const char *id,
                     const char *domain,
                     uint64_t *ret_generation,
                     int64_t *ret_number);

/* References of an answer: the parent's References (else its one In-Reply-To) and its id, as far
 * as they are writable; at most 30, the first and the last 29 are kept. parent_refs may be NULL.
 * Elements are ids. */
GPtrArray *msgid_answer_references(const GPtrArray *parent_refs,
                                   const char *parent_in_reply_to,
                                   const char *parent_id);
