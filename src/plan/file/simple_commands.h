#pragma once

/*
 * A shell's command line, taken apart: its simple commands with their words, as the shell would see them before it puts
 * values in for variables and patterns. Commands in brackets and in $(…) are commands, too; what stands in quotes, in a
 * comment or in a document fed by << is none. Text that no shell would take is read as far as it goes.
 */
#include "base/list.h"

typedef struct ShellCommand {
    char **words;   /* without quotes, and without redirections */
    char **written; /* the files that it is redirected into */
    char *fed;      /* the document that it is fed by <<; NULL: none */
} ShellCommand;
void shell_command_free(ShellCommand *command);
LIST_OF(ShellCommands, shell_commands, ShellCommand, shell_command_free)

/* The simple commands of the text, in its order but for those in $(…), which come before the command that they are in. */
ShellCommands *shell_commands_parse(const char *text);
