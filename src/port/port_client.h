#pragma once

/*
 * The client half of the agent port, for verbs that run inside a program agent; links no
 * engine. Blocks until the run answers; a run that is gone, or silent for two minutes, is
 * ERR_LATER.
 */
#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

/* The path in $POSTRIDER_PORT, NULL when we are no program's child. */
const char *port_client_path(void);
/* request is consumed. The answer's error becomes ERR_NEVER with its text. *ret_status is set
 * in any case: 0, or an exit status of sysexits.h. ret_answer (caller unrefs) and ret_status
 * may be NULL. */
bool port_call(
    const char *path, json_t *request, json_t **ret_answer, int *ret_status, GError **error);
