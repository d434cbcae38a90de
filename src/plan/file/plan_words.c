#include "plan/file/plan_words.h"

/* Todos that a line names; the others are counted. */
#define NAMED 10u

char *
todo_words(const json_t *todo)
{
    const char *title = plan_text(todo, "title");

    return g_strconcat(plan_text(todo, "id"), *title ? ": " : "", title, NULL);
}

char *
plan_marker(const char *owner, bool complete)
{
    g_autofree char *name = g_ascii_strup(owner && *owner ? owner : PLAN_OWNER, -1);

    return g_strdup_printf("<%s_%s>", name, complete ? "COMPLETE" : "BLOCKED");
}

const char *
plan_speaker(const Plan *plan)
{
    const json_t *last = NULL;

    PLAN_EACH_TODO(plan, todo)
    {
        if (todo_status(todo) != TODO_COMPLETE)
            return plan_text(todo, "owner");
        if (!last || strcmp(plan_text(todo, "completed_at"), plan_text(last, "completed_at")) >= 0)
            last = todo;
    }
    return last ? plan_text(last, "owner") : PLAN_OWNER;
}

static void
add_remaining(GString *out, const Plan *plan)
{
    g_string_append(out, "Remaining todos:\n");
    PLAN_EACH_TODO(plan, todo)
    {
        if (todo_status(todo) != TODO_COMPLETE)
            g_string_append_printf(out, "  - %s\n", plan_text(todo, "id"));
    }
    g_string_append(out, "\nUse /00_continue to resume after review");
}

char *
plan_words_paused(const Plan *plan)
{
    const json_t *m = plan->members;
    const char *why = plan_text(m, "why");
    GString *out = g_string_new(NULL);

    if (g_str_equal(why, PLAN_WHY_LIMIT))
        g_string_append_printf(
            out, "⚠️  MAX ITERATIONS REACHED (%" PRId64 "/%" PRId64 ")\n",
            plan_number(m, "iteration_count"), plan_number(m, "max_iterations"));
    else if (g_str_equal(why, PLAN_WHY_IDLE))
        g_string_append(out, "⚠️  NO PROGRESS: no todo changed three times in a row\n");
    else if (g_str_equal(why, PLAN_WHY_BLOCKED))
        g_string_append(out, "⚠️  BLOCKED: no open todo can be worked on\n");
    else
        g_string_append_printf(out, "⚠️  PAUSED: %s\n", why);
    g_string_append(out, "→ Manual review required - continuation paused\n\n");
    add_remaining(out, plan);
    return g_string_free(out, FALSE);
}

/* "SC-2 (in_progress), SC-3 and 5 more". */
static void
add_open(GString *out, const Plan *plan)
{
    unsigned n = 0;

    PLAN_EACH_TODO(plan, todo)
    {
        TodoStatus status = todo_status(todo);

        if (status == TODO_COMPLETE || n++ >= NAMED)
            continue;
        g_string_append_printf(out, "%s%s", n > 1 ? ", " : "", plan_text(todo, "id"));
        if (status != TODO_PENDING)
            g_string_append_printf(out, " (%s)", todo_status_names[status]);
    }
    if (n > NAMED)
        g_string_append_printf(out, " and %u more", n - NAMED);
}

static void
add_next(GString *out, const json_t *next)
{
    g_autofree char *words = next ? todo_words(next) : NULL;
    const char *id = next ? plan_text(next, "id") : "";

    if (!next) {
        g_string_append(out, " None is ready for you now: run postrider plan show.");
        return;
    }
    g_string_append_printf(out, " Next: %s.", words);
    if (todo_status(next) == TODO_PENDING)
        g_string_append(out, " Take it: postrider plan next --claim.");
    g_string_append_printf(out, " When it is done: postrider plan mark %s complete.", id);
    g_string_append_printf(
        out, " If it can't be done: postrider plan mark %s blocked --why TEXT.", id);
}

char *
plan_words_held(const Plan *plan, const json_t *next)
{
    GString *out = g_string_new(NULL);

    g_string_append_printf(out, "%u of %zu todos of %s are open: ", plan_open(plan),
                           json_array_size(plan->todos), plan_text(plan->members, "plan_file"));
    add_open(out, plan);
    g_string_append_c(out, '.');
    add_next(out, next);
    return g_string_free(out, FALSE);
}

char *
plan_words_back(const Plan *plan, const json_t *next)
{
    g_autofree char *held = plan_words_held(plan, next);

    return g_strdup_printf("You work on a plan and own it. %s Go on until all are complete.",
                           held);
}
