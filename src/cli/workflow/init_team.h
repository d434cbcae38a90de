#pragma once

/*
 * `init --workflow`: a team in a home, and what belongs to it in a project. The settings come from share/workflow/team_conf,
 * section by section; what the roles are told from share/workflow/team_roles. Only what is missing is added: a section, a
 * file, a note or a link that is there stays as it is, so calling all of it again has no effect.
 */
#include "cli/cli.h"

/* Of the addresses in a home that is made for a team. */
#define TEAM_DOMAIN "workflow.local"

/* The project: --root, else the git checkout that we are in. home: the path of the home; cli->home is NULL where it is not
 * there yet. A home has one project. An exit status, after a message: there is no such folder, the folder lies
 * in the home, or the home has another project. *ret_root is NULL before; it is absolute, and the caller frees it, on failure
 * too. Changes nothing. */
int team_find_root(Cli *cli, const char *home, char **ret_root);
/* Makes scripts, forms of mails and state folders in the project. *ret_made: how many files are new. An exit status. */
int team_write_project(Cli *cli, const char *root, const char *home, unsigned *ret_made);
/* Roles with their instructions, notes and mailboxes, and the settings, in cli->home, which is open. With links also
 * the mailboxes' places in ~/.maildir/workflow. Says what was done, and tells the master of the home where
 * sections were added. made: files of the project that are new. An exit status. */
int team_write_home(Cli *cli, const char *root, bool links, unsigned made);
