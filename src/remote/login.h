#pragma once

/*
 * The way to a server's password or token. They are read when a connection is made, and stand in
 * no error and no log, even if the server repeats them (base/secret.h).
 */
#include "base/home.h"

typedef struct Secret {
    char *password, *token; /* one of them, or neither */
} Secret;
void secret_clear(Secret *secret); /* wipes */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Secret, secret_clear)

/* token-command, else password-command, else password-file (base/secretfile.h). A command is
 * run without a shell, for a minute at most; its first line counts. ERR_CONFIG when what is
 * named can't be had. */
bool login_secret(const Home *home, const ConfServer *server, Secret *ret, GError **error);
/* The certificates to trust, by their absolute path: the setting is relative to the home. NULL: the
 * system's. Caller frees. */
char *login_ca_file(const Home *home, const ConfServer *server);
