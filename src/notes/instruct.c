#include "notes/instruct.h"

/* A name that ends in '/' is a folder. */
static bool
names(const char *name, const char *key)
{
    return g_str_has_suffix(name, "/") ? g_str_has_prefix(key, name) : g_str_equal(name, key);
}

static bool
is_of_role(const char *role, const char *key)
{
    size_t len = strlen(role);

    if (strncmp(key, role, len) != 0 || key[len] != '/')
        return false;
    return names("start", key + len + 1) || names("states/", key + len + 1) ||
           names("reply", key + len + 1);
}

bool
note_instructs(const Config *config, const char *key)
{
    if (names("README/", key))
        return true;
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (is_of_role(config->roles[i].name, key))
            return true;
    }
    for (const char *const *name = config->instruct; name && *name; name++) {
        if (names(*name, key))
            return true;
    }
    return false;
}
