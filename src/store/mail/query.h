#pragma once

/*
 * What a person types to find mail, taken apart: operators become the fields of a MsgQuery,
 * everything else one FTS5 expression. Every word is quoted on its way into that expression, so
 * nothing that is typed can be a syntax error or an FTS5 operator.
 */
#include "store/mail/messages.h"
#include "store/out/outbox.h"

#define QUERY_WORDS_MAX 64 /* words behind these are left out */

typedef struct Query {
    MsgQuery filter;      /* role, folder, state, since_us, before_us: borrowed from here */
    char *words;          /* FTS5 expression; NULL: none */
    const char *no_state; /* what was asked for as a state and is none: it is among the words */
    GPtrArray *kept;      /* strings that filter and no_state borrow */
} Query;

void query_parse(const char *text, Query *ret);
void query_clear(Query *q);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Query, query_clear)
/* All of it as words and phrases, without operators; NULL: none. Caller frees. */
char *query_words(const char *text);
/* For rows that the expression found: the filter's own fields. A state may be one of either
 * kind; mail that was written counts as lying in Sent. */
bool query_takes(const Query *q, const MsgRow *row);
bool query_takes_out(const Query *q, const OutRow *row);
