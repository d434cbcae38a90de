#pragma once

/*
 * The way from the settings to a password or an access token of a mail server. A secret is read
 * by the process that logs in, each time it does: from a file that nobody else can read, or from
 * what a program prints (`pass show mail`, an OAuth helper). It is never in an argument, in the
 * environment of a child, in a log or in an error: those name the file or the program.
 */
#include "base/config.h"

typedef struct Secret {
    char *password, *token; /* at most one of them; both NULL: the settings name none */
} Secret;

/* home: where relative files begin. ERR_CONFIG: named but missing, readable by others, not ours,
 * empty, or a program that fails. ERR_LATER: the program could not be started now. */
bool secret_load(const ConfServer *server, const char *home, Secret *ret, GError **error);
void secret_clear(Secret *s); /* wipes it */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Secret, secret_clear)
