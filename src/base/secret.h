#pragma once

/*
 * Secrets do not come back. A server that repeats a password in its answer, a program that
 * prints its key, a library that quotes a header: their words become our errors, our log and
 * our store. Whoever reads a secret says so once, and text of others goes through secret_hide()
 * at the place where it becomes ours: the replies of each wire, what programs print. Errors
 * (err_set()) and the log go through it by themselves.
 *
 * What was learnt stays in the memory of this process, which nobody can dump or trace.
 */

#include "base/config/config.h"

/* A shorter word can't be told from any other, and is not hidden. */
#define SECRET_MIN 6
/* A shorter key of a model is a word that a server of one's own wants to see ("x", "ollama"),
 * and no secret; taken out of an answer it would only break it. */
#define SECRET_KEY_MIN 12

/* Hidden from here on, also as IMAP and JSON quote it and as base64 holds it, alone or inside
 * of a longer text (AUTH PLAIN, XOAUTH2). Learning it again changes nothing. */
void secret_learn(const char *secret);
/* The text with "[secret]" in place of each secret that was learnt. A text that was shortened
 * ("…" at its end) may end within a secret: that beginning of it is replaced too. Takes the text;
 * NULL stays NULL. Caller frees. */
char *secret_hide(char *take_text);

/* Learns the keys of models that lie in our environment: in the variables that the settings
 * name, in ANTHROPIC_API_KEY and in OPENAI_API_KEY. */
void secret_learn_keys(const Config *config);
/* A copy of our environment without the variables that hold a secret, for programs that need no
 * secret. NULL: no variable holds one, so our own environment will do. Caller frees with
 * g_strfreev(). */
char **secret_environ(void);
/* Overwrites the text with zeros, and frees it; NULL is fine. */
void secret_free(char *secret);
