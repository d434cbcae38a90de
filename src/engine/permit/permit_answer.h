#pragma once

/* What a person wrote in reply to questions about tool calls, read as decisions and as choices.
 * Pure functions of text. */
#include "base/json.h"
#include "base/list.h"

/* One decision of a reply. */
typedef struct PermitSaid {
    int n; /* of the question in its mail, from 1 on; 0: the only one */
    bool approve;
    char *why; /* NULL: nothing was said */
} PermitSaid;
void permit_said_free(PermitSaid *said);
LIST_OF(PermitSaids, permit_saids, PermitSaid, permit_said_free)

/* "1 yes, 2 no: not on a Friday", or one of them per line; without a number where there is only
 * one question: "yes", "no: why". NULL: the text says something else. Caller frees. */
PermitSaids *permit_said_parse(const char *text);

/* The input of AskUserQuestion with what was answered. A person names the choice of a question
 * by its number, several numbers, its label, or says it in words. Several questions are
 * answered line by line, in their order or each behind its number; a question without an answer
 * gets "(no answer)". Caller unrefs. */
json_t *permit_answers(const json_t *input, const char *words);

/* Reads until when a permission holds: a weekday or a date (to the end of that day; today
 * counts), or a time of day (the next one). now_us and the result are wall times; days are
 * those of the process's time zone. False: the text is none of these, or a date that is
 * over. */
bool permit_until_parse(const char *text, int64_t now_us, int64_t *ret_us);
