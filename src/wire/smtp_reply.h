#pragma once

/*
 * What an SMTP server says: replies of one or many lines (RFC 5321 4.2) and the extensions of
 * its EHLO. Pure functions over bytes that are hostile; nothing here reads a socket.
 */

#define SMTP_REPLY_MAX (64u << 10) /* bytes of one reply, all its lines */
#define SMTP_REPLY_LINE 4096u      /* of one line; RFC 5321 has 512 */
#define SMTP_REPLY_TEXT 400u       /* characters of text that are kept for people */

typedef struct SmtpReply {
    int code;         /* 200 to 599 */
    char *status;     /* enhanced code of RFC 3463 ("5.1.1"), of the same class; NULL: none */
    char *text;       /* "550 5.1.1 No such user": one line, safe on a terminal, shortened */
    GPtrArray *lines; /* char *: each line without code and line end, valid UTF-8 */
} SmtpReply;
void smtp_reply_clear(SmtpReply *reply);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmtpReply, smtp_reply_clear)

/* 1: the bytes begin with a whole reply, *ret_used of them; 0: more is needed; -1: what stands
 * there is no reply (ERR_LATER), or one beyond the limits (ERR_LIMIT). Lines may end in LF
 * alone; all codes of a reply must be the same. */
int smtp_reply_parse(
    const char *data, size_t len, size_t *ret_used, SmtpReply *ret, GError **error);

/* What a server offers. */
typedef struct SmtpOffer {
    bool eight_bit, utf8, dsn, size;
    uint64_t max_size; /* of a mail; 0: it names none */
} SmtpOffer;
/* From the reply to EHLO; one that is no 250 offers nothing. */
SmtpOffer smtp_offer_of(const SmtpReply *reply);
