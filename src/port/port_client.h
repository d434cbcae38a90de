#pragma once

/*
 * The client half of the agent port, for verbs that run inside a program agent; links no
 * engine. A run that is gone, or silent for two minutes, is ERR_LATER.
 */
#include <jansson.h>
#include <poll.h>

/* The path in $POSTRIDER_PORT; NULL when we do not run inside a program agent. Borrowed. */
const char *port_client_path(void);
/* Blocks until the run answers. request is consumed. The answer's error becomes ERR_NEVER with its
 * text. *ret_status is set in any case: 0, or an exit status of sysexits.h. ret_answer (caller unrefs)
 * and ret_status may be NULL. */
bool port_call(
    const char *path, json_t *request, json_t **ret_answer, int *ret_status, GError **error);

/* The same for a caller with a poll loop of its own: port_ask_poll() and port_ask_work() until
 * the latter returns true, then port_ask_end(). */
typedef struct PortAsk PortAsk;
PortAsk *port_ask(const char *path, json_t *request); /* request is consumed */
/* *ret_wait_us: how long to wait at most. */
void port_ask_poll(const PortAsk *ask, struct pollfd *ret, int64_t *ret_wait_us);
/* True once the answer is there, or it is sure that none will come. */
bool port_ask_work(PortAsk *ask);
/* As port_call(). */
bool port_ask_end(const PortAsk *ask, json_t **ret_answer, int *ret_status, GError **error);
void port_ask_free(PortAsk *ask);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PortAsk, port_ask_free)
