#pragma once

/*
 * Errors are sorted by what to do next, not by where they come from. There is one GError
 * domain; the code is the remedy, the text says what and why, outermost first, with the thing
 * in quotes:
 *
 *     sending '<id>' to 'a@b': 451 try later
 *
 * Whatever the text repeats of others, it is one line that is safe on a terminal (text_vis())
 * and holds no secret.
 *
 * All of these return false, so that a failing function reads `return err_set(...)`.
 */
#include <glib.h>
#include <stdbool.h>

typedef enum ErrCode {
    ERR_AGAIN,     /* retry at once: a lost race, a dropped connection */
    ERR_LATER,     /* retry after a wait: 4xx, rate limit, box locked, disk full */
    ERR_NEVER,     /* the same input always fails: refused, malformed, not allowed */
    ERR_LIMIT,     /* one of our own caps; the text names it and its value */
    ERR_DAMAGE,    /* stored state is wrong: stop and show a person */
    ERR_CONFIG,    /* the home or its settings; a person must change something first */
    ERR_CANCELLED, /* we were asked to stop */
} ErrCode;

#define ERR_DOMAIN err_quark()
GQuark err_quark(void);

bool err_set(GError **error, ErrCode code, const char *fmt, ...) G_GNUC_PRINTF(3, 4);

/* The code follows from errnum (ENOSPC, EAGAIN, EMFILE… are LATER, EIO is DAMAGE, the rest
 * NEVER); the text is fmt, ": " and strerror. */
bool err_set_errno(GError **error, int errnum, const char *fmt, ...) G_GNUC_PRINTF(3, 4);

/* Hands an error on; takes it. */
bool err_pass(GError **error, GError *take_why);

/* Puts fmt and ": " in front of the text. Harmless when error is NULL. */
bool err_prefix(GError **error, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

/* True when error is one of ours with this code. */
bool err_is(const GError *error, ErrCode code);

/* The exit status of sysexits.h that fits: 75 for AGAIN and LATER, 65 for NEVER and LIMIT, 70
 * for DAMAGE, 78 for CONFIG, 1 else. */
int err_exit_status(const GError *error);
