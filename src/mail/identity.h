#pragma once

/*
 * When two files are the same mail. Servers add fields without end (Received, Delivered-To,
 * Authentication-Results, list fields …), so what counts is a list: From, Sender, Reply-To, To,
 * Cc, Date, Subject, Message-ID, In-Reply-To, References, MIME-Version, every Content-… field,
 * and the body with LF as line end. Whatever decides what a reader is shown is in that list:
 * two files of one identity are shown alike, except for who vouches for them
 * (engine/in/judge.h).
 *
 * Fields count as header_split() reads them: the name in lower case, the value unfolded, every
 * occurrence in the order of the file. Runs of white space count as one blank, but not in the
 * Content-… fields, where a boundary may hold them: "a b" and "a  b" are two structures.
 */
#include "base/digest.h"

/* The identity of a mail that was split already. headers: of MsgHeader; NULL: no headers. body:
 * as header_body_digest() gives it. */
void identity_of(const GPtrArray *headers, const Digest *body, Digest *ret);
/* The identity of a whole mail, from its bytes. Needs no MIME library. */
void identity_of_bytes(const void *raw, size_t len, Digest *ret);

/* True when two texts say the same in their own words, which is what they do not quote
 * (mail/quote.h). One text may go on where the other ends, behind the end of a line, since
 * lists add footers. White space counts as one blank. A text without words of its own is the
 * same only as another such text. */
bool identity_same_words(const char *a, const char *b);
