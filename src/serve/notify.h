#pragma once

/*
 * What systemd hears of us (Type=notify): one datagram to $NOTIFY_SOCKET. Without that variable
 * nothing happens. Nobody waits, nothing fails.
 */

/* Takes $NOTIFY_SOCKET and $WATCHDOG_USEC out of the environment, so that children can't speak
 * for us. Returns the path of the socket, for notify_send(). Caller frees; NULL: nobody listens. */
char *notify_take(void);
/* Sends "READY=1", "STOPPING=1" or "WATCHDOG=1"; does nothing where socket_path is NULL or longer than
 * the name of a socket may be. */
void notify_send(const char *socket_path, const char *state);
