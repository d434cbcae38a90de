#pragma once

/*
 * Files with a password or an API key, as settings name them:
 *
 *   secrets/mail.password     a path, relative to the home: ours, and closed to everybody else
 *   credential:mail           what systemd hands to the service under that name, from
 *                             $CREDENTIALS_DIRECTORY (LoadCredential=)
 *
 * Errors name the file, never what is in it. Whoever reads one wipes the bytes.
 */

/* The name behind "credential:"; NULL when the setting is a path. Borrowed. */
const char *secretfile_credential(const char *setting);
/* False for a credential where systemd has handed over none: outside of the service. */
bool secretfile_within_reach(const char *setting);

/* Reads it whole, at most max bytes. what is said in errors: "password file". ERR_CONFIG: it is
 * missing, no file, not ours, or others can read it. */
bool secretfile_read(const char *what,
                     const char *setting,
                     const char *home,
                     size_t max,
                     GBytes **ret,
                     GError **error);
