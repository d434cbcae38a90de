#pragma once

/*
 * Todos that were written for something else, as a PLAN.md:
 *
 *   a Markdown list with boxes    as it is; items get ids
 *   spec-kit's tasks.md           "- [ ] T001 [P] [US1] Text": T001 is the id. What is not marked [P] waits for all
 *                                 before it, and what is waits for the last one that is not
 *   `bd list --json`              id, title, status (closed is ticked), assignee as owner, dependencies that block as after
 */

/* A PLAN.md with this heading; caller frees. ERR_NEVER: it is none of these, or has no todos. */
char *todo_import(const char *heading, GBytes *bytes, GError **error);
