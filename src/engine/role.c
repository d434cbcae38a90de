#include "engine/role.h"
#include "store/job/role_rows.h"

/* As a section without a word in it would be, where that counts for a job without a brain. */
#define STEPS_MAX 100
#define ATTEMPTS_MAX 3

static ConfRole *
load(Engine *engine, const char *name)
{
    g_autoptr(RoleRow) row = NULL;
    if (!role_row_find(engine->db, name, &row, NULL) || !row)
        return NULL;
    ConfRole *role = g_new0(ConfRole, 1);
    *role = (ConfRole){.name = g_intern_string(name),
                       .display = g_intern_string(row->display),
                       .address = g_intern_string(row->address),
                       .brain = "",
                       .workdir = "",
                       .base = "",
                       .instructions = "",
                       .max_iterations = STEPS_MAX,
                       .total_iterations = STEPS_MAX,
                       .max_attempts = ATTEMPTS_MAX};
    return role;
}

const ConfRole *
role_find(Engine *engine, const char *name)
{
    const ConfRole *role = config_role(engine->home->config, name);
    if (!role && engine->roles)
        role = g_hash_table_lookup(engine->roles, name);
    ConfRole *made = role ? NULL : load(engine, name);
    if (!made)
        return role;
    if (!engine->roles)
        engine->roles = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    g_hash_table_insert(engine->roles, (void *)made->name, made);
    return made;
}

const ConfRole *
role_get(Engine *engine, const char *name, GError **error)
{
    const ConfRole *role = role_find(engine, name);
    return role ? role : config_role_get(engine->home->config, name, error);
}
