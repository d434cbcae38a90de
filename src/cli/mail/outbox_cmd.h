#pragma once

/* What `outbox` shares between the front, which lists and decides, and postrider-mail, which
 * can read a mail. */
#include "cli/cli.h"
#include "store/job/questions.h"
#include "store/out/outbox.h"

/* A row by its number or Message-ID; exit status after a message. */
int outbox_find_row(Cli *cli, const char *text, OutRow **ret);
/* That a person was asked about it; NULL: none was. */
bool outbox_question(Cli *cli, const OutRow *o, Question **ret, GError **error);
json_t *outbox_row_json(const Home *home, const OutRow *o, const Question *q);
