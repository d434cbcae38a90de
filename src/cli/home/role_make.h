#pragma once

/* What a role has beside its settings: a mailbox and its first notes, as `init`, `setup role` and
 * `role new` make them. */
#include "cli/cli.h"

/* task: what its start note says besides, where that is new; NULL: nothing. Calling it again changes
 * nothing. Opens the store. */
bool role_make(Cli *cli, const char *name, const char *task, GError **error);
/* The mailboxes alone, of panels. */
bool role_make_mailboxes(Cli *cli, const GPtrArray *names, GError **error);
