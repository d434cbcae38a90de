#pragma once

/*
 * What a person wrote, as apart from what their client quoted. Heuristics for display, for
 * orders and for whose words a text is (mail/quoted.h): what no mail program would mark as
 * quoted counts as the sender's own. Bodies as mutt, Gmail, iOS Mail, Outlook and Thunderbird
 * write them are the table in tests/unit/mail/quote.c.
 */
#include "base/digest.h"

/* The first non-empty unquoted line, trimmed of white space (also NBSP); NULL when there is
 * none. */
char *quote_first_line(const char *text);
/* The unquoted text behind that line; "" when nothing. Caller frees. */
char *quote_after_first_line(const char *text);
/* All unquoted text; "" when nothing. Caller frees. */
char *quote_own_text(const char *text);
/* A digest by which the same words are known again, whatever they quote: of the unquoted text,
 * with white space as one blank. False where that text is so short that a person may well say it
 * twice; *ret is written all the same. */
bool quote_own_words(const char *text, Digest *ret);
