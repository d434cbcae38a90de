#pragma once

/* What `outbox` shares between the front, which lists and decides, and postrider-mail, which
 * can read a mail. */
#include "cli/cli.h"
#include "store/job/questions.h"
#include "store/out/outbox.h"

/* Finds a row by its number or Message-ID, whole or shortened; the store is open. *ret is NULL before; the
 * caller frees it. 0, or an exit status after a message: there is no such row, or several. */
int outbox_find_row(Cli *cli, const char *text, OutRow **ret);
/* The question that a person was asked about this mail; NULL: nobody was asked. Caller
 * frees. */
bool outbox_question(Cli *cli, const OutRow *o, Question **ret, GError **error);
/* The row as JSON; q: from outbox_question(), or NULL. The caller unrefs it. */
json_t *outbox_row_json(const Home *home, const OutRow *o, const Question *q);
