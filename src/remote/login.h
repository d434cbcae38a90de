#pragma once

/*
 * The one way into a mail server, for the account, for what is sent, for `setup` and `doctor`: as
 * the settings say it. Passwords and tokens are read when a connection is made, and stand in no
 * error and no log, even if the server repeats them (base/secret.h): from token-command, else
 * password-command, else password-file (base/secretfile.h). A command is run without a shell, for
 * a minute at most; its first line counts. ERR_CONFIG when what is named can't be had.
 */
#include "base/home.h"
#include "wire/imap.h"
#include "wire/smtp.h"

/* Connects and logs in; blocks. more: what the settings do not say, such as how long to wait;
 * the other members are filled in here. */
bool login_imap(const Home *home,
                const ConfServer *server,
                ImapOptions more,
                ImapConn **ret,
                GError **error);

typedef struct Secret {
    char *password, *token; /* one of them, or neither */
} Secret;

/* A connection with what it borrows. */
typedef struct Submission {
    Smtp *smtp; /* NULL: none */
    SmtpPlace place;
    Secret secret;
    char *ca_file;
} Submission;
void submission_clear(Submission *s); /* hangs up, and wipes */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Submission, submission_clear)
/* Connects and logs in to a server that takes mail; blocks. ret must be zeroed, but for what
 * ret->place says beside the settings; it is to be cleared also after a failure. */
bool login_smtp(const Home *home, const ConfServer *server, Submission *ret, GError **error);
