#pragma once

/* Who decides at the last byte of a mail, for tests of smtp.c and of programs. */
#include "base/err.h"
#include <glib.h>
#include <stdbool.h>

/* How often the last byte was asked for, and what is answered. */
typedef struct Gate {
    unsigned asked;
    bool closed;
} Gate;

/* SmtpMail.last_byte. */
static inline bool
pass_gate(void *user, GError **error)
{
    Gate *gate = user;

    gate->asked++;
    return !gate->closed || err_set(error, ERR_LATER, "the store is full");
}
