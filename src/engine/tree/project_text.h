#pragma once

/*
 * What a project says to agents that work in it: CLAUDE.md and AGENTS.md of the commit that
 * the job began at, of the repository's root and of the folder that the job works in. They
 * are read from the commit, not from files: what an agent writes there counts once people
 * have merged it, and the programs' own way of reading them would take the project's
 * settings along.
 */
#include "base/list.h"
#include "engine/tree/tree.h"

typedef struct ProjectText {
    char *path; /* in the repository */
    char *id;   /* ":COMMIT:PATH", which project_text_recall() finds again */
    char *text; /* valid UTF-8, at most 32 KB */
} ProjectText;
void project_text_free(ProjectText *t);
LIST_OF(ProjectTexts, project_texts, ProjectText, project_text_free)

/* The texts of a job; the list is empty where the job has no worktree. A file with the same
 * text under both names is there once. */
bool project_texts_load(Engine *engine, const Job *job, ProjectTexts **ret, GError **error);
/* The text of this id again; *ret NULL: it is gone. Caller frees. */
bool
project_text_recall(Engine *engine, const Job *job, const char *id, char **ret, GError **error);
