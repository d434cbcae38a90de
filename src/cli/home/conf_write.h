#pragma once

/* How a verb writes postrider.conf: the new text is checked first, and does not replace what
 * somebody saved meanwhile. */
#include "cli/cli.h"

/* ERR_CONFIG says what is wrong with the text. */
bool conf_is_sound(const char *text, GError **error);
/* Replaces the file, which was `old` when the caller read it. An exit status; on failure nothing was written, and it was
 * said why: 78, the text is not sound; 75, somebody has changed the file meanwhile. The master is not told (reload.h). */
int conf_write(Cli *cli, const char *old, const char *text);
