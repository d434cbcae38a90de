#pragma once

/*
 * What a program sees of this machine while it works for a role (`sandbox`, `net`). Behind the
 * wall (base/sandbox.h):
 *
 *   hidden      the whole home, also where mail, passwords or keys that its settings name lie outside;
 *               keys, logins and histories of the user (a table), what the other agent programs keep
 *   read-only   everything else; of the job's own folder in/ and the log
 *   writable    the job's folder, its worktree or workdir; of the repository around a worktree objects,
 *               branches and what git keeps about this worktree, but neither its settings nor
 *               its hooks, so that nothing is planted there for whoever uses git next; what the
 *               agent program itself keeps, but not its settings and hooks
 *   by a face   what it shows of the home (FaceOps.shows)
 *
 * and of sockets the agent port alone. Without a wall such a program is the operator. So in a
 * round that has read words of anybody below a role of this home no program is started without
 * one.
 */
#include "engine/engine.h"
#include "mail/origin.h"
#include "store/job/jobs.h"

/* Why programs of this role have no wall, as a clause ("'sandbox = off' is set"); NULL: they
 * have one. Borrowed. $POSTRIDER_TEST_SANDBOX=off, for tests: the answer is NULL, `sandbox =
 * auto` means none, and nothing is forbidden by that. */
const char *wall_lacks(const ConfRole *role);
/* Why no program of this role may be started now, in words for people; NULL: one may. floor: of
 * the round. Caller frees. */
char *wall_forbids(const ConfRole *role, Trust floor);
/* What the owner can do so that programs of this role have a wall, as a sentence. Borrowed. */
const char *wall_remedy(const ConfRole *role);

/* Adds a line about each role whose programs have no wall (char *): for `status` and
 * `doctor`. */
void wall_check(const Config *config, GPtrArray *lines);

/* Why a program that is to work apart has no wall; NULL: it has one. Borrowed. */
const char *wall_lacks_apart(void);

typedef struct WallView {
    Engine *engine;
    const Job *job;
    const ConfRole *role;
    const ConfBrain *brain;
    const char *work; /* the job's folder, work/ROLE/JOB */
    const char *cwd;
    const char *port;    /* the socket of the agent port, in the job's folder; NULL: none */
    const char *program; /* that is to be started; NULL: nobody knows */
    bool
        apart; /* it has an empty HOME, and sees neither what agent programs keep nor the workflow's root, nor a folder that a role
                 * works in, nor the repositories of these; what it is to read lies in its folder as WALL_APART_FILE, and stays as it is */
} WallView;

#define WALL_APART_FILE "artifact"

/* The words (argv) that stand in front of the program's own and build the wall; *ret NULL:
 * there is no wall. Caller frees with g_strfreev(). ERR_CONFIG: there must be a wall, and there
 * can't be one. */
bool wall_argv(const WallView *view, char ***ret, GError **error);
