#pragma once

/*
 * Todos that are too big to be done in one go. A todo is one thing for one owner, in at most 15 minutes: what names more
 * than one file or component, or a longer time, is a finding, which asks for two todos instead. Findings are advice: a plan
 * with findings is executed.
 */
#include "plan/file/todo_list.h"

#define TODO_MINUTES 15

/* One line each ("SC-3 names 2 files: a.c, b.c"); the list owns them, and is empty when all is well. */
GPtrArray *todo_findings(const TodoItems *items);
