#include "base/banned.h"
#include "engine/remote_internal.h"

static const ConfRole *
role_of_tag(const Remote *r, const char *spec)
{
    g_autofree char *base = NULL, *tag = NULL;
    address_split_tag(spec, &base, &tag);
    if (!tag || !address_equal(base, r->account->server.user))
        return NULL;
    g_autofree char *name = g_strndup(tag, strcspn(tag, "."));
    return config_role(r->engine->home->config, name);
}

static const ConfRole *
role_of_address(const Remote *r, const char *spec)
{
    const Config *config = r->engine->home->config;
    const ConfRole *role = config_role_at(config, spec);
    return role && config_account_of(config, role) == r->account ? role : NULL;
}

/* All addresses that may say whom it is for, in the order in which they count. */
static GPtrArray *
addressees(const Message *m)
{
    static const char *const names[] = {"Delivered-To", "X-Original-To"};
    GPtrArray *specs = g_ptr_array_new_with_free_func(g_free);
    const GPtrArray *const lists[] = {m->to, m->cc};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        for (guint k = 0; lists[i] && k < lists[i]->len; k++)
            g_ptr_array_add(specs, g_strdup(((Address *)g_ptr_array_index(lists[i], k))->spec));
    }
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *value = message_header(m, names[i]);
        char *spec = value ? address_normalise(value) : NULL;
        if (spec)
            g_ptr_array_add(specs, spec);
    }
    return specs;
}

const ConfRole *
remote_route(const Remote *r, const Message *m)
{
    g_autoptr(GPtrArray) specs = addressees(m);
    const ConfRole *role = NULL;
    for (guint i = 0; i < specs->len && !role; i++)
        role = role_of_tag(r, g_ptr_array_index(specs, i));
    for (guint i = 0; i < specs->len && !role; i++)
        role = role_of_address(r, g_ptr_array_index(specs, i));
    if (!role && *r->account->role)
        role = config_role(r->engine->home->config, r->account->role);
    return role && !role->person ? role : NULL;
}
