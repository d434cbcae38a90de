#pragma once

/*
 * Todos as people write them in a PLAN.md:
 *
 *     - [ ] SC-3: Write the tests (owner: tester) (check: make test) (after: SC-1, SC-2)
 *
 * A todo is an item of a list with a box; `- [x]` is ticked. What stands in brackets at its end are attributes, in any
 * order; a bracket within a command counts as part of it where it is closed again. An item without an id gets one when the
 * plan is executed. Items in fenced code and in comments of HTML are text. Nothing here touches a file; bytes that are no todo stay as they are.
 */
#include "base/list.h"
#include "plan/file/plan.h"

typedef struct TodoItem {
    char *id;            /* NULL: the line has none */
    char *title;         /* without attributes */
    char *owner, *check; /* NULL: not said */
    char **after;        /* NULL: not said */
    bool ticked;
    size_t box;  /* where the character between the brackets is in the text */
    size_t text; /* where the id would stand */
} TodoItem;
void todo_item_free(TodoItem *item);
LIST_OF(TodoItems, todo_items, TodoItem, todo_item_free)

/* All todos of the text, in its order. ERR_NEVER: an id is no id, or is there twice; NUL or bad UTF-8. */
bool todo_items_parse(const char *text, size_t len, TodoItems **ret, GError **error);
/* The text with an id (SC-1, SC-2 …) for each todo that has none; caller frees. */
char *todo_items_number(const char *text, const TodoItems *items);
/* The text with the box of this todo ticked or not; NULL when it is so already, or there is no such todo. Caller frees. */
char *todo_items_tick(const char *text, const char *id, bool ticked, GError **error);
/* The line of a todo, with its end; caller frees. */
char *todo_item_format(const TodoItem *item);

/* A quick look, without a list: may there be a todo in the text that the plan does not have, or a tick at an open one? */
bool todo_text_has_news(const Plan *plan, const char *text);
/* Adds todos of the list that the plan does not have, as pending, with their checks. True when there were such. */
bool plan_add_items(Plan *plan, const TodoItems *items);
/* True when the list names another check than the plan does; a person must accept that. */
bool todo_item_differs(const TodoItem *item, const json_t *todo);
const TodoItem *todo_items_find(const TodoItems *items, const char *id);
