#pragma once

/*
 * The header block of a message: split into fields, unfolded, within limits. Plain C without a
 * MIME library, since both the parser and the proof of origin stand on it and must see the same
 * fields.
 *
 * Lines end in LF, CRLF or CR. A line without a colon (an mbox "From " line, garbage) is no
 * field and is skipped together with its continuations; so is a BOM before a name. Where no
 * field follows up to the next empty line the body begins there, and a line of blanks in front
 * of it stands for the empty line that is missing.
 */
#include "base/ids.h"
#include "mail/message.h"

typedef struct HeaderBlock {
    GPtrArray *headers;  /* of MsgHeader, in order; what was read before a limit struck */
    size_t body;         /* offset of the first byte behind the blank line */
    unsigned received;   /* number of Received fields */
    bool bare_cr;        /* a line ends in CR alone */
    bool damaged;        /* no empty line ends the block */
    const char *problem; /* NULL, "empty", "no_headers", "too_complex" */
} HeaderBlock;

/* Splits the header block at the beginning of a mail. Never fails: ret->problem says what is
 * wrong. limits NULL: the defaults. Caller frees ret->headers. */
void header_split(const void *raw, size_t len, const MessageLimits *limits, HeaderBlock *ret);
/* These limits, with each 0 replaced by its default of base/limits.h. limits may be NULL. */
MessageLimits header_limits(const MessageLimits *limits);

/* For whoever reads the header of a part line by line: `line` is the start of a line in it, and
 * a boundary ends it too. If the body begins at this line without an empty line in front,
 * returns where it begins; else NULL. *field is a memory from line to line of one part, which
 * the caller keeps: NULL at first. */
const char *header_part_body(const char *line, const char *end, const char **field);

/* A value as it stands in a block: line ends taken out, white space at both ends too, valid
 * UTF-8; caller frees. */
char *header_unfold(const char *value, size_t len);

/* The value of the first field of that name, in any case; NULL: there is no such field.
 * Borrowed. */
const char *header_find(const GPtrArray *headers, const char *name);

/* SHA-256 of a body with every line end (CRLF, CR) as LF. */
void header_body_digest(const void *body, size_t len, Digest *ret);
