#pragma once

/*
 * Whose words a mail repeats. Quoted lines that stand in a mail that we have are as good as
 * that mail; all others may be anybody's, whoever sends them on. Texts are compared without
 * white space, quote marks and most punctuation, so that a quotation may be wrapped anew, come
 * out of HTML, be cut or have answers in between.
 *
 *   (1) A quoted line counts as known where it goes on with the line before it, is a whole line
 *       of the known text, or is long enough not to be there by chance.
 *   (2) The lines in front of a quotation ("On Monday Ann wrote:", copied headers) count as
 *       known where they say nothing but names, addresses and subjects that are known, and a
 *       date.
 *   (3) What no mail program marks as quoted is the sender's own.
 */
#include "mail/message.h"
#include "mail/origin.h"

typedef struct Quoted Quoted;
/* What the mail repeats; NULL: nothing. An attached mail (message/rfc822, .eml) is somebody
 * else's as a whole. */
Quoted *quoted_new(const Message *m);
void quoted_free(Quoted *q);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Quoted, quoted_free)

/* Adds a name, an address or a subject out of the mails that are known, for rule (2). known NULL
 * adds nothing. */
void quoted_name(Quoted *q, const char *known);
/* The next text to look for quoted lines in, and its floor; the best floor comes first.
 * *ret_text is NULL at the end. Caller frees. */
typedef bool QuotedNext(void *data, char **ret_text, Trust *ret_floor, GError **error);
/* The lowest floor of anything that the mail repeats: TRUST_ANYONE where a line is in none of
 * the texts. No more texts are asked for than it takes. */
bool quoted_floor(Quoted *q, QuotedNext *next, void *data, Trust *ret, GError **error);
