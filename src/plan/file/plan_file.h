#pragma once

/*
 * The plan's state on disk, in `.pilot/state/`:
 *
 *   continuation.json          the state; it is the truth of a plan
 *   continuation.json.backup   the generation before
 *   continuation.json.damaged  the last one that could not be read
 *   continuation.json.lock     held by flock(2) around each read-modify-write, also by shell scripts with flock(1);
 *                              never removed
 *   log.jsonl                  plan/file/plan_log.h
 *
 *   plan_edit_begin -> change edit.plan -> plan_edit_commit       g_auto(PlanEdit) lets the lock go
 *
 * A commit writes a tmp file and flushes it, appends the log's line and flushes that, links the state of now as the
 * backup, renames the tmp file to the state, and flushes the folder. So there is a whole state at every moment, and after a
 * crash it is the old one or the new one. Damage (no JSON at all) is mended from the backup, with a notice; where both are
 * damaged, or a member is wrong, nothing is changed and the error says what a person can do.
 */
#include "base/clock.h"
#include "plan/file/plan.h"
#include "plan/file/project.h"

#define PLAN_STATE "continuation.json"
#define PLAN_BACKUP PLAN_STATE ".backup"
#define PLAN_DAMAGED PLAN_STATE ".damaged"
#define PLAN_LOCK PLAN_STATE ".lock"

/* How long a command waits for the lock, and a hook, which must not hold up its client. */
#define PLAN_WAIT_MS 30000
#define PLAN_WAIT_HOOK_MS 5000

typedef struct PlanFile {
    int state_fd;
    char *folder; /* of the state, for messages */
    Clock clock;
    char *notice; /* what a person should know: a state that was mended; NULL: nothing */
    GBytes *ahead; /* what plan_file_mentions() read, for who reads next without the lock */
    GBytes *seen;  /* the bytes that were parsed last, and the plan in them: they are parsed once */
    Plan *plan;
} PlanFile;

/* The state of a project. *ret is NULL, with true, when there is no .pilot/state and `make` is not set. */
bool plan_file_open(const Project *project, bool make, PlanFile **ret, GError **error);
/* The same for any folder that holds a continuation.json: --state-dir. */
bool plan_file_open_dir(const char *folder, bool make, PlanFile **ret, GError **error);
void plan_file_close(PlanFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PlanFile, plan_file_close)

/* "2026-11-15T09:30:00Z"; caller frees. */
char *plan_file_now(const PlanFile *file);

/* The state without a lock; *ret is NULL, with true, when there is none. Damage is mended first, under the lock; in a
 * folder that can't be written the backup is read instead. *ret_bytes: as it lies there; may be NULL. */
bool plan_file_read(PlanFile *file, Plan **ret, GBytes **ret_bytes, GError **error);

/* Gives a plan back that was only looked at, so that whoever reads the same bytes next need not parse them. Takes it. */
void plan_file_give_back(PlanFile *file, Plan *plan);
/* False when the state's bytes do not even contain this text, as a quick look before anything is parsed. True where that
 * can't be said. */
bool plan_file_mentions(PlanFile *file, const char *text);

typedef struct PlanEdit {
    PlanFile *file;
    int lock;   /* -1: not held */
    Plan *plan; /* NULL: there is no state yet; the caller may put one here */
    int64_t from;
} PlanEdit;

/* Waits for the lock at most wait_ms (ERR_LATER), and reads the state. */
bool plan_edit_begin(PlanFile *file, int wait_ms, PlanEdit *ret, GError **error);
/* Writes edit->plan with the next revision and the checkpoint's time. line says what was done ("act", and what else the
 * log should have) and is taken; the rest is added. After true the write is acknowledged; the lock stays held. */
bool plan_edit_commit(PlanEdit *edit, json_t *line, GError **error);
void plan_edit_clear(PlanEdit *edit);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PlanEdit, plan_edit_clear)

/* The state of now as the backup, under the lock: `state backup`. False with ERR_NEVER when there is none. */
bool plan_file_backup(PlanFile *file, GError **error);
