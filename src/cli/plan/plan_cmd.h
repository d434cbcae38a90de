#pragma once

/* What the files of `plan`, `state` and `hook` share. None of them needs a home: the project's folder is all. */
#include "cli/cli.h"
#include "plan/file/plan_mark.h"

/* A command at work on the plan of the folder that it was called in. */
typedef struct PlanCmd {
    bool looks; /* set by the caller: it takes and changes nothing, so who calls is not asked for */
    char *cwd;
    Project *project;
    PlanFile *file; /* NULL: the project has no state yet */
    PlanSite site;
} PlanCmd;
void plan_cmd_clear(PlanCmd *cmd);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PlanCmd, plan_cmd_clear)

/* Finds the project and opens its state. 0, or an exit status after a message: 66 when there is no project or no state. */
int plan_cmd_open(Cli *cli, PlanCmd *ret);
/* The same for who may begin a plan: the folder is a project then, and file may be NULL. */
int plan_cmd_open_any(Cli *cli, PlanCmd *ret);
/* Begins the plan that was typed, or the only one where NULL was; *ret_goes_on: one is open already, and nothing was done. 0,
 * or an exit status after a message. */
int plan_cmd_begin(Cli *cli, PlanCmd *cmd, const char *typed, bool *ret_goes_on);
/* "Continuation state file not found", with what helps. Returns 66. */
int plan_cmd_no_state(void);
/* Prints what plan_file_read() mended, once. */
void plan_cmd_notice(PlanFile *file);
/* Begins an edit of a plan that is there. 0, or an exit status after a message. */
int plan_cmd_edit(Cli *cli, PlanCmd *cmd, PlanEdit *ret);
/* MAX_ITERATIONS and CONTINUATION_LEVEL; 0 and -1: not set. 0, or 64 after a message. */
int plan_cmd_env(Cli *cli, int *ret_max, int *ret_level);
/* True when a person sits at a terminal and is not below a session that owns the plan. Where it
 * is false the caller returns plan_cmd_refuse(), which prints a message and gives 77. */
bool plan_cmd_is_person(const PlanCmd *cmd, const Plan *plan);
int plan_cmd_refuse(const Cli *cli, const char *what);
/* Takes over new todos and ticks of PLAN.md, and prints what there is to say. 0, or an exit status. */
int plan_cmd_sync(Cli *cli, PlanCmd *cmd);
/* Marks a todo complete, if its check passes. 0, 1 after a message when the check failed, or
 * another status. */
int plan_cmd_complete(Cli *cli, PlanCmd *cmd, const char *id, const char *act);
/* "5 todos, 3 open; next: SC-3: text". */
void plan_cmd_print_summary(Cli *cli, const PlanCmd *cmd, const Plan *plan);
