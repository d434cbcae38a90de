#pragma once

/*
 * When two files are the same mail. Servers add fields without end (Received, Delivered-To,
 * Authentication-Results, list fields …), so what counts is a list: From, Sender, Reply-To, To,
 * Cc, Date, Subject, Message-ID, In-Reply-To, References, MIME-Version, every Content-… field,
 * and the body with LF as line end. Whatever decides what a reader is shown is in that list: two
 * files of one identity are shown alike, except for who vouches for them (engine/in/judge.h).
 *
 * Fields count as header_split() reads them: the name in lower case, the value unfolded, every
 * occurrence in the order of the file. Runs of white space count as one blank, but not in the
 * Content-… fields, where a boundary may hold them: "a b" and "a  b" are two structures.
 */
#include "base/digest.h"

/* headers: of MsgHeader, NULL: none; body: as header_body_digest() gives it. */
void identity_of(const GPtrArray *headers, const Digest *body, Digest *ret);
/* Of a whole mail. Needs no MIME library. */
void identity_of_bytes(const void *raw, size_t len, Digest *ret);

/* Do two texts say the same in their own words (mail/quote.h)? One of them may go on behind the
 * end of a line, since lists add footers. White space counts as one blank. Nothing is the same as
 * nothing only. */
bool identity_same_words(const char *a, const char *b);
