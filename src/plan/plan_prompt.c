#include "plan/plan_prompt.h"
#include "plan/file/plan_words.h"

static void
add_how(GString *out, const json_t *todo, bool by_act)
{
    const char *id = plan_text(todo, "id"), *check = plan_text(todo, "check");
    if (*check)
        g_string_append_printf(
            out, "It is complete when this command exits 0, which postrider runs: %s\n", check);
    if (by_act) {
        g_string_append_printf(
            out,
            "When it is done, move %s by `todo` to complete. If it can't be done: to "
            "blocked, and say why. Do this todo alone, and answer this mail at the end.\n",
            id);
        return;
    }
    g_string_append_printf(
        out,
        "When it is done: postrider plan mark %s complete. If it can't be done: "
        "postrider plan mark %s blocked --why TEXT. Do this todo alone, do not "
        "edit .pilot/state, and do not change its check.\n",
        id, id);
}

static void
add_reason(GString *out, const char *reason)
{
    if (reason && *reason)
        g_string_append_printf(out, "\nThe last try: %s\n", reason);
}

char *
plan_prompt(const Plan *plan,
            const json_t *todo,
            const char *project,
            const char *reason,
            const char *notes,
            bool by_act)
{
    g_autofree char *words = todo_words(todo);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out,
                           "You work as %s on the plan %s in %s: %u of %zu todos are open.\n\n",
                           plan_text(todo, "owner"), plan_text(plan->members, "plan_file"),
                           project, plan_open(plan), json_array_size(plan->todos));
    if (notes && *notes)
        g_string_append_printf(out, "%s\n\n", notes);
    g_string_append_printf(out, "Your todo: %s\n", words);
    add_how(out, todo, by_act);
    add_reason(out, reason);
    return g_string_free(out, FALSE);
}

char *
plan_prompt_again(const Plan *plan, const json_t *todo, const char *reason)
{
    g_autofree char *words = todo_words(todo);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%u of %zu todos are still open. Now: %s\n", plan_open(plan),
                           json_array_size(plan->todos), words);
    add_how(out, todo, false);
    add_reason(out, reason);
    return g_string_free(out, FALSE);
}

static void
add_todos(GString *out, const Plan *plan)
{
    PLAN_EACH_TODO(plan, todo)
    {
        g_autofree char *words = todo_words(todo);
        g_string_append_printf(out, "- [%c] %s", todo_status(todo) == TODO_COMPLETE ? 'x' : ' ',
                               words);
        if (todo_status(todo) != TODO_COMPLETE && *plan_text(todo, "why"))
            g_string_append_printf(out, " (last try: %s)", plan_text(todo, "why"));
        g_string_append_c(out, '\n');
    }
}

char *
plan_mail_end(const Plan *plan)
{
    unsigned open = plan_open(plan);
    GString *out = g_string_new(NULL);
    g_autofree char *marker = plan_marker(plan_speaker(plan), true);
    if (open == 0)
        g_string_append_printf(
            out, "%s\nAll %zu todos of %s are complete, after %d iterations.\n\n", marker,
            json_array_size(plan->todos), plan_text(plan->members, "plan_file"),
            (int)plan_number(plan->members, "total_iterations"));
    else
        g_string_append_printf(out, PLAN_WORDS_DONE " %u todos of %s stay open.\n\n", open,
                               plan_text(plan->members, "plan_file"));
    add_todos(out, plan);
    return g_string_free(out, FALSE);
}

char *
plan_mail_pause(const Plan *plan)
{
    g_autofree char *paused = plan_words_paused(plan),
                    *marker = plan_marker(plan_speaker(plan), false);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s\n%s\n\n", marker, paused);
    add_todos(out, plan);
    g_string_append(
        out, "\nReply CONTINUE to go on with a new count of iterations, or say what is to be "
             "done differently; STOP, CANCEL or DONE end it.\n");
    return g_string_free(out, FALSE);
}
