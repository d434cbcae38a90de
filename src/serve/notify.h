#pragma once

/*
 * What systemd hears of us (Type=notify): one datagram to $NOTIFY_SOCKET. Without that variable
 * nothing happens. Nobody waits, nothing fails.
 */

/* Takes $NOTIFY_SOCKET and $WATCHDOG_USEC out of the environment, so that children can't speak
 * for us. Caller frees; NULL: nobody listens. */
char *notify_take(void);
/* "READY=1", "STOPPING=1", "WATCHDOG=1". */
void notify_send(const char *socket_path, const char *state);
