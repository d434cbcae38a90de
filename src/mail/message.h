#pragma once

/*
 * A message, read once, within limits, into plain structs. All strings are valid UTF-8 without
 * NUL. message_parse() is the only place where MIME is read; it and what it alone calls use
 * GMime (message_parse.c, maildate.c). Everything else here is plain C, so that programs which
 * only list mail link no MIME library. docs/ARCHITECTURE.md says what GMime reads and what not.
 *
 * What can't be read is not an error: the message comes back with problem set ("empty",
 * "no_headers", "too_complex", "nuls", "hops") and whatever could be read; callers hold it.
 */
#include "base/ids.h"
#include "mail/address.h"

typedef struct MessageLimits { /* 0: the default of base/limits.h */
    unsigned max_depth, max_parts, max_headers;
    size_t max_header_block, max_header_line, max_text;
} MessageLimits;

/* What makes a message less trustworthy than it looks. */
#define MSG_AMBIGUOUS (1u << 0) /* two From, boundary, Content-Type…: no state-changing use */
#define MSG_TWO_FROM (1u << 1)  /* never authenticated */
#define MSG_NO_FROM (1u << 2)
#define MSG_NO_ID (1u << 3) /* id is synthesised from the digest of the raw bytes */
#define MSG_NO_DATE (1u << 4)
#define MSG_DAMAGED (1u << 5) /* base64, QP, boundaries: best effort */
#define MSG_BAD_CHARSET (1u << 6)
#define MSG_NULS (1u << 7)
#define MSG_TEXT_CUT (1u << 8)
#define MSG_HTML_ONLY (1u << 9)  /* text was made from HTML */
#define MSG_INVISIBLE (1u << 10) /* invisible Unicode was taken out */
#define MSG_NAME_CONFLICT (1u << 11)
#define MSG_ALT_MISMATCH (1u << 12) /* plain text and HTML say other things */

/* Sent by a program, not by a person (RFC 3834 and practice). */
typedef enum MsgAuto {
    MSG_AUTO_NO,
    MSG_AUTO_SUBMITTED,
    MSG_AUTO_BOUNCE,
    MSG_AUTO_LIST,
    MSG_AUTO_BULK,
    MSG_AUTO_MACHINE
} MsgAuto;

typedef struct MsgPart {
    char *filename;       /* as shown: no path, no control characters; made up where missing
                           ("part-3.png") */
    char *content_type;   /* lower case, "type/subtype" */
    char *charset;        /* "" for none */
    bool made;            /* the file name is made up */
    bool attachment;      /* listed: whatever is not just the message's text */
    bool text;            /* part of the message's text */
    bool legible;         /* its content is text, whatever its name and type say; not set for
                           what is not listed */
    size_t size;          /* decoded */
    GBytes *content;      /* decoded; NULL unless MESSAGE_CONTENT was asked for */
    struct Message *mail; /* a message/rfc822 as a mail, two deep; NULL */
    const struct MsgPart *within; /* the part whose mail it belongs to; NULL: to the message */
} MsgPart;
void msg_part_unref(MsgPart *part);
LIST_OF(MsgParts, msg_parts, MsgPart, msg_part_unref)

typedef struct MsgHeader {
    char *name, *value; /* as sent; value unfolded, RFC 2047 not decoded */
} MsgHeader;

typedef struct Message {
    char *id;              /* normalised, never NULL */
    char *in_reply_to;     /* first valid id; NULL */
    GPtrArray *references; /* ids, oldest first; the In-Reply-To rule of RFC 5256 applied */
    char *subject;         /* decoded; "" for none */
    Address *from;         /* NULL: none usable */
    Addresses *to, *cc, *reply_to;
    char *return_path; /* topmost; NULL: none; "": null path */
    int64_t date_us;   /* 0: none or nonsense */
    MsgAuto automatic;
    unsigned flags;
    const char *problem; /* NULL: fine */
    GPtrArray *headers;  /* of MsgHeader, in order */
    MsgParts *parts;     /* leaves in order */
    MsgParts *files;     /* all that is listed, under names that differ: leaves, files
                            in uuencode, and behind each forwarded mail what that has */
    char *text;          /* the readable body, LF lines */
    Digest body;         /* of the body as sent, line endings as LF */
    size_t size;
    unsigned shared; /* by how many more than one; message_ref() */
} Message;

typedef enum MessageWhat {
    MESSAGE_TEXT = 0,    /* headers, part table, text: for intake and reading */
    MESSAGE_CONTENT = 1, /* and each part's bytes */
    MESSAGE_HEADERS = 2, /* headers only */
} MessageWhat;

/* Loads what a multipart takes, before the first one comes. */
void message_prepare(void);
/* Never fails on content. limits NULL: defaults. */
Message *
message_parse(const void *raw, size_t len, MessageWhat what, const MessageLimits *limits);
/* The same with the usual limits; NULL: no bytes. */
Message *message_parse_bytes(GBytes *raw, MessageWhat what);
/* Another reference, for one more reader: nobody may change the message from now on, and each
 * reader calls message_free(). */
Message *message_ref(Message *m);
void message_free(Message *m);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Message, message_free)

/* First header of that name in any case, or NULL. Borrowed. */
const char *message_header(const Message *m, const char *name);
/* What is listed under this name, else the part of the text that has it; NULL. Borrowed. */
const MsgPart *message_file(const Message *m, const char *filename);
/* Names of the flags (MSG_AMBIGUOUS, …) for `mail show`; caller frees with g_strfreev(). */
char **message_flag_names(unsigned flags);
/* The base subject of RFC 5256: without "Re:", "Fw:" and "Fwd:" in front, "[list]" marks, and
 * "(fwd)" behind. Caller frees. *ret_reply (may be NULL): the subject was that of a reply or a
 * forward. */
char *message_base_subject(const char *subject, bool *ret_reply);
