#pragma once

/*
 * Message-IDs. Inside the program an id is its normalised form without angle brackets
 * (`<"x"@h>` is x@h), compared byte by byte; brackets are put on at the edge, and people may
 * type either form. Ids that we mint are <generation.number.tag@domain>: number is the outbox
 * row, the tag an HMAC over both and the bytes of the mail, so that another body never has the
 * same id and nobody can guess one. Each kind of mail has a sub-key of its own for the tag: so
 * the id alone proves what its mail is, also in a copy that a server filed.
 */
#include "base/digest.h"

/* The first valid id in the text, brackets or not; NULL when there is none. Caller frees. */
char *msgid_parse(const char *text);
/* All valid ids of a References or In-Reply-To header in order, without repeats, at most max.
 */
GPtrArray *msgid_parse_list(const char *header, unsigned max);
/* "<id>"; caller frees. */
char *msgid_format(const char *id);
/* Fits on a line of a header: plain ASCII of a bounded length. */
bool msgid_is_plain(const char *id);
/* May stand in a mail of ours for others to read: plain, and no id that was only made up for a
 * mail that had none. */
bool msgid_is_writable(const char *id);

/* What a mail of ours is. Only an answer proves that the mails which it names were settled
 * (engine/checkpoint/proof.h). A face adds its kinds in front of the last; names are for
 * ever. */
typedef enum MailKind {
    MAIL_ANSWER,     /* of a step that settled mails */
    MAIL_INTERIM,    /* of a step that settled none of what it speaks of */
    MAIL_ACK,        /* "I have your mail" */
    MAIL_PROGRESS,   /* "I am still at this" */
    MAIL_QUESTION,   /* asks a person for a yes or a no */
    MAIL_NOTICE,     /* any other word of the runtime itself */
    MAIL_ORDER,      /* says that an order was carried out: engine/in/order_mail.h */
    MAIL_CHECKPOINT, /* what a parked job leaves itself */
    MAIL_LETTER,     /* what a person wrote */
    MAIL_EVENT,      /* a typed mail of the workflow */
    MAIL_FAILURE,    /* of a step that gave up, or has spent its limit: it settles nothing */
    MAIL_UNSAID,     /* minted by a version before kinds; is read only */
    MAIL_N_KINDS
} MailKind;
const char *mail_kind_name(MailKind kind);

/* The id of a mail whose bytes, without the Message-ID line, are given; caller frees. */
char *msgid_mint(const Key *key,
                 MailKind kind,
                 uint64_t generation,
                 int64_t number,
                 const void *bytes,
                 size_t len,
                 const char *domain);
/* The same of an event of the workflow, whose id people read:
 * <YYYYmmddHHMMSS.generation.number.tag.role@domain>. at_us: the time that it names. The tag
 * proves time and role too. */
char *msgid_mint_event(const Key *key,
                       int64_t at_us,
                       const char *role,
                       uint64_t generation,
                       int64_t number,
                       const void *bytes,
                       size_t len,
                       const char *domain);
/* What an id says that this home minted. Ids are ordered by generation, then number. */
typedef struct Minted {
    MailKind kind;
    uint64_t generation;
    int64_t number;
} Minted;
int minted_compare(const Minted *a, const Minted *b);
/* False for an id that this home did not mint. The part of the tag that needs no bytes is
 * checked, so the row may be unknown (an older store). */
bool msgid_read(const Key *key, const char *id, const char *domain, Minted *ret);

/* References of an answer: the parent's References (else its one In-Reply-To) and its id, as
 * far as they are writable. parent_refs may be NULL. Elements are ids. */
GPtrArray *msgid_answer_references(const GPtrArray *parent_refs,
                                   const char *parent_in_reply_to,
                                   const char *parent_id);
