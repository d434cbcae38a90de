#pragma once

/*
 * What can be said about the text of a shell command without running a shell. Nothing here
 * understands the whole of a shell's language, so each question errs to one side:
 * shell_simple() says no where it is not sure, and shell_names() says yes.
 */

/* True when the text is one simple command: a program and its arguments, without assignments,
 * operators, redirections, substitutions, escapes, braces, comments or line ends. Quotes around
 * text are fine. *ret_words: its words without their quotes; caller frees with g_strfreev(). */
bool shell_simple(const char *command, char ***ret_words);

/* True when the words of a simple command begin with the words of the prefix ("make test"). A
 * prefix without words matches nothing. */
bool shell_has_prefix(char *const *words, const char *prefix);

/* True when the text may name one of these files or folders, as a whole part of a path. Quotes
 * and backslashes do not hide a name, nor does a wildcard that may stand for it. */
bool shell_names(const char *command, const char *const *names);

/* True when the text may call git to change how git works: `git config`, or a folder of
 * hooks. */
bool shell_sets_git(const char *command);
