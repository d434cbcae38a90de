#pragma once

/*
 * What an IMAP server says, one response at a time, out of a stream of bytes that may hold
 * anything. A response is a line that may go on behind literals:
 *
 *     * 12 FETCH (UID 7 BODY[] {6}\r\nhello\n FLAGS (\Seen))\r\n
 *
 * A literal's bytes are counted, never looked at, so no mail can end a response. Short ones are
 * kept in place; for the others the reader asks whoever reads, who may give a descriptor. Lines
 * of status (OK, NO, BAD, BYE, PREAUTH, and "+") are free text: one that ends in "{5}" has no
 * literal.
 *
 * Memory is bounded by max_response, whatever comes. Nothing here knows a socket; internal to
 * src/wire/imap*.
 */

/* Where bytes come from: reads at least one byte into buf and returns how many. -1 with error
 * at the end of the stream, or when nothing comes in time. */
typedef gssize (*ImapReadFn)(void *user, char *buf, size_t size, GError **error);

typedef enum ImapKind { IMAP_UNTAGGED, IMAP_TAGGED, IMAP_CONTINUE } ImapKind;
typedef enum ImapStatus {
    IMAP_DATA, /* no status: word and number say what it is */
    IMAP_OK,
    IMAP_NO,
    IMAP_BAD,
    IMAP_BYE,
    IMAP_PREAUTH,
} ImapStatus;

/* Borrowed bytes, not terminated. */
typedef struct ImapSlice {
    const char *s;
    size_t len;
} ImapSlice;

typedef struct ImapLiteral {
    size_t at; /* of its "{" */
    size_t len;
    bool kept;    /* its bytes follow the "}" */
    bool written; /* its bytes went to a descriptor */
} ImapLiteral;

typedef struct ImapResponse {
    GByteArray *bytes; /* without the line ends; kept literals behind their "}" */
    GArray *literals;  /* of ImapLiteral, in order */
    ImapKind kind;
    ImapStatus status;
    ImapSlice tag;  /* tagged */
    ImapSlice code; /* status: what stands in [ ], else empty */
    ImapSlice text; /* status and "+": for people */
    ImapSlice word; /* data: EXISTS, FETCH, LIST… */
    bool has_number;
    uint32_t number; /* data: in front of the word */
    size_t rest;     /* data: where its arguments begin in bytes */
} ImapResponse;

typedef enum ImapUse {
    IMAP_KEEP,  /* in memory, within max_response */
    IMAP_WRITE, /* to *ret_fd */
    IMAP_DROP,  /* read and forget */
    IMAP_REFUSE /* with error */
} ImapUse;
/* Asked for each literal; so_far ends with its "{n}". */
typedef ImapUse (*ImapUseFn)(
    void *user, const ImapResponse *so_far, uint64_t size, int *ret_fd, GError **error);

typedef struct ImapReader ImapReader;
/* max_response: bytes of one response with what is kept of it; 0: 4 MB. */
ImapReader *imap_reader_new(ImapReadFn read, void *user, size_t max_response);
void imap_reader_free(ImapReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImapReader, imap_reader_free)

/* use NULL: literals are kept. */
void imap_reader_set_use(ImapReader *reader, ImapUseFn use, void *user);

/* The next response, borrowed until the next call. ERR_LATER for what is no IMAP, ERR_LIMIT for
 * what is too much, as a literal of 2 GB, kept or not; after an error the stream is of no more
 * use. */
const ImapResponse *imap_reader_next(ImapReader *reader, GError **error);
/* True when bytes are there that imap_reader_next() would look at before it reads more. */
bool imap_reader_has_more(const ImapReader *reader);
/* For a caller that reads the stream itself while no such bytes are there: the place for them,
 * and how many fit. Then imap_reader_filled() says how many came. */
char *imap_reader_room(ImapReader *reader, size_t *ret_size);
void imap_reader_filled(ImapReader *reader, size_t len);

bool imap_slice_is(ImapSlice slice, const char *word);
/* Any case; what stands before the first blank, as in "UIDVALIDITY 7". */
bool imap_slice_begins(ImapSlice slice, const char *word);
/* For a person: valid, escaped, shortened. Caller frees. */
char *imap_slice_vis(ImapSlice slice);
