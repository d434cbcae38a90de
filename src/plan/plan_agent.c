#include "plan/plan_agent.h"
#include "base/file.h"
#include "base/json.h"
#include "engine/mail_load.h"
#include "store/job/budget.h"
#include "store/job/sessions.h"

#define NOTES_MAX (64u << 10)
#define OUTPUT_MAX (1u << 20) /* bytes of what a command prints that are kept */

/* --- the command --- */

static BrainKind
kind_of(const char *program)
{
    g_autofree char *base = g_path_get_basename(program);
    BrainKind kind = brain_kind_parse(base);

    return kind == BRAIN_CLAUDE || kind == BRAIN_CODEX || kind == BRAIN_OPENCODE ? kind
                                                                                : BRAIN_COMMAND;
}

static bool
parse_argv(const char *text, char ***ret, GError **error)
{
    g_autoptr(json_t) list = NULL;
    if (!json_parse(text, strlen(text), 0, &list, error))
        return false;
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word)
            return err_set(error, ERR_NEVER, "the command of the plan is no list of words");
        g_ptr_array_add(argv, g_strdup(word));
    }
    if (argv->len == 0)
        return err_set(error, ERR_NEVER, "the command of the plan is empty");
    g_ptr_array_add(argv, NULL);
    g_ptr_array_set_free_func(argv, NULL);
    *ret = (char **)g_ptr_array_free(g_steal_pointer(&argv), FALSE);
    return true;
}

static void
make_brain(PlanAgent *a)
{
    a->own = (ConfBrain){.name = a->argv[0],
                         .kind = kind_of(a->argv[0]),
                         .command = (const char *const *)a->argv,
                         .parser = CONF_PARSER_PLAIN,
                         .model = "",
                         .url = "",
                         .key_file = "",
                         .key_env = "",
                         .fallback = "",
                         .output = OUTPUT_MAX};
}

/* --- what people said --- */

/* Words behind CONTINUE, and mail that came since the job began. */
static bool
read_words(PlanAgent *a, JobSession *s, GError **error)
{
    g_autoptr(GString) all = g_string_new(s->job->instruction ? s->job->instruction : "");
    LIST_EACH(const MsgRow, row, s->in.shown) {
        g_autoptr(Message) m = NULL;
        if ((row->id.v == s->job->original.v && s->job->round == 1) ||
            row->trust < TRUST_PRINCIPAL)
            continue;
        if (!mail_load(s->engine, row, MESSAGE_TEXT, &m, error))
            return false;
        if (m && m->text)
            g_string_append_printf(all, "%s%s", all->len ? "\n" : "", m->text);
    }
    a->told = all->len ? g_strchomp(g_strdup(all->str)) : NULL;
    return true;
}

bool
plan_agent_open(PlanAgent *a, JobSession *s, const PlanRow *row, GError **error)
{
    if (*row->argv) {
        if (!parse_argv(row->argv, &a->argv, error))
            return false;
        make_brain(a);
    } else if (!s->engine) {
        return err_set(error, ERR_CONFIG,
                       "who works on it? say: postrider plan run -- COMMAND");
    }
    return !s->engine || read_words(a, s, error);
}

void
plan_agent_clear(PlanAgent *a)
{
    g_strfreev(a->argv);
    free_all(a->name, a->notes, a->told, a->id);
}

/* --- who works --- */

static bool
read_notes(PlanAgent *a, JobSession *s, const ConfRole *role, GError **error)
{
    g_autoptr(GBytes) file = NULL;
    if (!role || !role->instructions || !*role->instructions)
        return true;
    if (!file_read(s->engine->home->fd, role->instructions, NOTES_MAX, &file, error))
        return err_prefix(error, "instructions of role '%s'", role->name);
    a->notes = file ? text_valid_bytes(file) : NULL;
    return true;
}

/* The role that owns the todo, where it has a program; else the command, else the job's own role. One with a model that is
 * led was asked by mail before (plan_ask.h). */
static const ConfBrain *
find_brain(const PlanAgent *a, JobSession *s, const ConfRole *owner, GError **error)
{
    const Config *config = s->engine ? s->engine->home->config : NULL;
    const ConfBrain *brain = owner ? config_brain(config, owner->brain) : NULL;
    if (brain && config_is_program(brain))
        return brain;
    if (a->argv)
        return &a->own;
    brain = config_brain(config, s->role->brain);
    if (brain && config_is_program(brain))
        return brain;
    (void)err_set(
        error, ERR_CONFIG,
        "the brain of role '%s' is no program that can work in a folder: name another "
        "--role, or say: postrider plan run -- COMMAND",
        s->role->name);
    return NULL;
}

static bool
recall(PlanAgent *a, JobSession *s, const char *project, GError **error)
{
    g_autoptr(Session) known = NULL;
    if (!s->engine)
        return true;
    if (!session_load(s->engine->db, s->job->id, &known, error))
        return false;
    if (!known || !known->began || !g_str_equal(known->brain, a->brain->name) ||
        !g_str_equal(known->folder, project))
        return true;
    a->id = g_strdup(known->id);
    a->began = true;
    return true;
}

bool
plan_agent_choose(
    PlanAgent *a, JobSession *s, const char *owner, const char *project, GError **error)
{
    const ConfRole *role = s->engine ? config_role(s->engine->home->config, owner) : NULL;
    const ConfBrain *brain = find_brain(a, s, role, error);
    g_clear_pointer(&a->notes, g_free);
    if (!brain || (s->engine && !read_notes(a, s,
                                            role      ? role
                                            : a->argv ? NULL
                                                      : s->role,
                                            error)))
        return false;
    if (a->told) {
        g_autofree char *notes = g_steal_pointer(&a->notes);
        a->notes = g_strconcat(notes ? notes : "", notes ? "\n\n" : "",
                               "A person says: ", a->told, NULL);
    }
    bool own = role && config_brain(s->engine->home->config, role->brain) == brain;
    a->role = brain == &a->own ? NULL : own ? role->name : s->role->name;
    bool keeps = brain_keeps_session(brain);
    if (brain != a->brain) {
        bool first = a->brain == NULL;
        plan_agent_forget(a);
        a->brain = brain;
        g_free(a->name);
        a->name = g_strdup(brain->name);
        a->users = brain == &a->own;
        if (first && keeps && !recall(a, s, project, error))
            return false;
    }
    if (!keeps || a->id)
        return true;
    a->id = g_uuid_string_random();
    a->began = a->entered = false;
    return plan_agent_keep(a, s, project, error);
}

void
plan_agent_named(PlanAgent *a, const char *id)
{
    if (g_strcmp0(a->id, id) != 0) {
        g_free(a->id);
        a->id = g_strdup(id);
        a->entered = false;
    }
    a->began = true;
}

bool
plan_agent_keep(const PlanAgent *a, JobSession *s, const char *project, GError **error)
{
    if (!s->engine || !a->id)
        return true;
    const Session row = {.job = s->job->id,
                         .brain = a->name,
                         .kind = (char *)brain_kind_word(a->brain->kind),
                         .folder = (char *)project,
                         .host = (char *)"",
                         .id = a->id,
                         .began = a->began,
                         .step = s->job->steps,
                         .told_us = home_now(s->engine->home),
                         .heard = (char *)""};
    g_auto(Txn) txn = {.db = s->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok =
            job_check(&txn, &s->claim, USEC_NEVER, error) && session_put(&txn, &row, error);
    return txn.done;
}

void
plan_agent_forget(PlanAgent *a)
{
    g_clear_pointer(&a->id, g_free);
    a->began = a->entered = false;
}

void
plan_agent_leave(PlanAgent *a)
{
    plan_agent_forget(a);
    g_clear_pointer(&a->name, g_free);
    a->brain = NULL;
    a->users = false;
}

bool
plan_agent_money(const PlanAgent *a,
                 const JobSession *s,
                 const PlanRow *row,
                 int64_t *ret,
                 GError **error)
{
    int64_t left = INT64_MAX, day = 0, today = 0;
    if (row->budget_micro > 0)
        left = row->budget_micro - row->spent_micro;
    if (s->engine) {
        if (!budget_today(s->engine->db, &day, &today, error))
            return false;
        if (day > 0)
            left = MIN(left, day - today);
        if (s->role->max_cost_per_day_micro > 0) {
            if (!budget_role_today(s->engine->db, s->role->name, &today, error))
                return false;
            left = MIN(left, s->role->max_cost_per_day_micro - today);
        }
        if (!a->argv && s->role->max_cost_micro > 0)
            left = MIN(left, MAX(s->role->max_cost_micro, s->job->cost_limit_micro) -
                                 s->job->round_cost_micro);
    }
    *ret = left;
    return true;
}
