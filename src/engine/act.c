#include "engine/act.h"
#include "engine/face.h"
#include "engine/run/space_wall.h"

void
proposed_act_free(ProposedAct *a)
{
    json_decref(a->args);
    if (a->plan)
        a->plan_free(a->plan);
    g_free(a);
}

const ActOps *
act_find(const Engine *engine, const char *name)
{
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        for (const ActOps *const *a = (*f)->acts; a && *a; a++) {
            if (g_str_equal((*a)->name, name))
                return *a;
        }
    }
    return NULL;
}

GPtrArray *
act_names(const Engine *engine)
{
    GPtrArray *names = g_ptr_array_new();
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        for (const ActOps *const *a = (*f)->acts; a && *a; a++)
            g_ptr_array_add(names, (char *)(*a)->name);
    }
    return names;
}

bool
acts_offered(Engine *engine, const Job *job, GPtrArray **ret, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        for (const ActOps *const *a = (*f)->acts; a && *a; a++) {
            bool offered = false;
            if ((*a)->offered && !(*a)->offered(engine, job, &offered, error))
                return false;
            if (offered)
                g_ptr_array_add(all, (ActOps *)*a);
        }
    }
    *ret = g_steal_pointer(&all);
    return true;
}

bool
act_was_done(const GPtrArray *results)
{
    for (guint i = 0; results && i < results->len; i++) {
        if (g_str_has_prefix(g_ptr_array_index(results, i), ACT_DONE))
            return true;
    }
    return false;
}

const char *
act_text(const json_t *args, const char *name)
{
    return json_string_value(json_object_get(args, name));
}

bool
acts_say(const ProposedActs *acts)
{
    LIST_EACH(const ProposedAct, act, acts)
        if (!act->ops->outside)
            return true;
    return false;
}

static bool
check_args(const ActOps *act, const json_t *args, GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (const ActField *f = act->fields; f->name; f++) {
        const json_t *value = json_object_get(args, f->name);
        if (!value && f->required)
            return err_set(error, ERR_NEVER, "%s: must be there: %s", f->name, f->about);
        if (value && !json_is_string(value))
            return err_set(error, ERR_NEVER, "%s: must be a text", f->name);
        g_ptr_array_add(known, (char *)f->name);
    }
    g_ptr_array_add(known, NULL);
    return json_only(args, "", (const char *const *)known->pdata, error);
}

/* Who will read of it is for the face to say: so it is fit for everybody. */
static bool
check_wall(Engine *engine,
           const Job *job,
           const StepInput *in,
           const ActOps *act,
           const json_t *args,
           GError **error)
{
    const WallReaders readers = {.everybody = true};
    g_autoptr(SpaceWall) wall = NULL;

    if (!space_wall_new(engine, job, in, &readers, &wall, error))
        return false;
    for (const ActField *f = wall ? act->fields : NULL; f && f->name; f++) {
        g_autofree char *why = NULL;
        const char *text = act_text(args, f->name);
        if (!text)
            continue;
        if (!space_wall_look(wall, text, &why, error))
            return false;
        if (why)
            return err_set(error, ERR_NEVER, "%s: %s", f->name, why);
    }
    return true;
}

bool
act_propose(Engine *engine,
            const Job *job,
            const StepInput *in,
            const ActOps *act,
            const json_t *args,
            Proposal *p,
            GError **error)
{
    if (!check_args(act, args, error) || !check_wall(engine, job, in, act, args, error))
        return false;
    ProposedAct *one = g_new0(ProposedAct, 1);
    *one = (ProposedAct){.ops = act, .args = json_deep_copy(args)};
    bool may = act->propose(&(ActCall){engine, job, in, one, p}, error);
    if (may)
        proposed_acts_add(p->acts, one);
    else
        proposed_act_free(one);
    return may;
}
