#pragma once

/*
 * One IMAP command, put together from words of ours and values of others. A value is written as
 * a quoted string when it is short printable ASCII, else as a literal, so whatever it holds it
 * stays one argument. Internal to src/wire/imap*.
 */
#include "wire/imap_set.h"

/* Names of the flags (wire/imap.h), the first bit first; NULL behind the last. */
extern const char *const imap_flag_names[];

typedef struct ImapCommand ImapCommand;

/* words: ours, printable ASCII ("UID SEARCH"). */
ImapCommand *imap_command_new(const char *words);
void imap_command_free(ImapCommand *command);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImapCommand, imap_command_free)

/* Each adds a blank and the argument. */
void imap_command_words(ImapCommand *command, const char *words);
void imap_command_string(ImapCommand *command, const char *value);
void imap_command_folder(ImapCommand *command, const char *utf8);
void imap_command_set(ImapCommand *command, const ImapSet *set);
void imap_command_bytes(ImapCommand *command, GBytes *literal);
/* "(\Seen \Deleted word)". A keyword that is no atom makes the command fail. */
void imap_command_flags(ImapCommand *command, unsigned flags, const char *keyword);
/* Something that only the server may see: the text is wiped with the command. */
void imap_command_secret(ImapCommand *command);

/* ERR_NEVER when a value could not be written. */
bool imap_command_check(const ImapCommand *command, GError **error);

/* The command in pieces: text, then a literal (NULL behind the last text), text… */
unsigned imap_command_n_pieces(const ImapCommand *command);
const char *imap_command_text(const ImapCommand *command, unsigned i);
GBytes *imap_command_literal(const ImapCommand *command, unsigned i);
