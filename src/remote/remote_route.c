/*
 * Whose mail it is:
 *
 *   1. the tag behind the account's address, where the server says that it delivered it there
 *   2. all roles that To and Cc name: by that tag, by their own address, or by the account's
 *      bare address, which is that of its `role`. Many servers give a mail to two tags only
 *      once, so it is filed for each of them
 *   3. the role at whose address it was delivered
 *   4. the account's `role`: an alias, Bcc
 */
#include "engine/out/outward.h"
#include "remote/remote_internal.h"

/* Is this the mailbox's own address? Where the login is none, its role's address is. */
static bool
is_own(const Remote *r, const char *spec)
{
    const char *own = outward_address(r->account);
    const ConfRole *role = config_role(r->engine->home->config, r->account->role);
    return own ? address_is_ours(spec, own) : role && address_is_ours(spec, role->address);
}

static const ConfRole *
role_of_tag(const Remote *r, const char *spec)
{
    g_autofree char *base = NULL, *tag = NULL;
    address_split_tag(spec, &base, &tag);
    if (!tag || !is_own(r, base))
        return NULL;
    g_autofree char *name = g_strndup(tag, strcspn(tag, "."));
    return config_role(r->engine->home->config, name);
}

/* One that has no mailbox of its own on any server may have mail in each. */
static const ConfRole *
role_of_address(const Remote *r, const char *spec)
{
    const Config *config = r->engine->home->config;
    const ConfRole *role = config_role_at(config, spec);
    const ConfAccount *own = role ? config_account_of(config, role) : NULL;
    return !own || own == r->account ? role : NULL;
}

static const ConfRole *
role_of_account(const Remote *r)
{
    return config_role(r->engine->home->config, r->account->role);
}

/* The role that an address of To or Cc means; NULL: nobody here. */
static const ConfRole *
role_of(const Remote *r, const char *spec)
{
    g_autofree char *base = NULL, *tag = NULL;
    const ConfRole *role = role_of_tag(r, spec);
    if (!role)
        role = role_of_address(r, spec);
    if (role)
        return role;
    address_split_tag(spec, &base, &tag);
    return is_own(r, base) ? role_of_account(r) : NULL;
}

static const ConfRole *
role_delivered(const Remote *r,
               const Message *m,
               const ConfRole *(*by)(const Remote *r, const char *spec))
{
    static const char *const names[] = {"Delivered-To", "X-Original-To", "Envelope-To"};
    const ConfRole *role = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(names) && !role; i++) {
        const char *value = message_header(m, names[i]);
        g_autofree char *spec = value ? address_normalise(value) : NULL;
        role = spec ? by(r, spec) : NULL;
    }
    return role;
}

static void
add(GPtrArray *roles, const ConfRole *role)
{
    if (role && !role->person && !g_ptr_array_find(roles, role, NULL))
        g_ptr_array_add(roles, (gpointer)role);
}

static void
add_named(const Remote *r, const Addresses *list, GPtrArray *roles)
{
    for (guint i = 0; list && i < list->len; i++)
        add(roles, role_of(r, ((const Address *)g_ptr_array_index(list, i))->spec));
}

GPtrArray *
remote_route(const Remote *r, const Message *m)
{
    GPtrArray *roles = g_ptr_array_new();
    add(roles, role_delivered(r, m, role_of_tag));
    if (roles->len > 0)
        return roles;
    add_named(r, m->to, roles);
    add_named(r, m->cc, roles);
    if (roles->len == 0)
        add(roles, role_delivered(r, m, role_of_address));
    if (roles->len == 0)
        add(roles, role_of_account(r));
    return roles;
}
