/*
 * Whom the settings know: roles, persons, brains and accounts by their names and addresses.
 */
#include "base/config/config_internal.h"

/* Of records that begin with their name the one of this name; NULL: there is none. */
static const void *
find_named(const void *records, unsigned n, size_t size, const char *name)
{
    for (const char *one = records; n > 0; n--, one += size) {
        if (g_str_equal(*(char *const *)one, name))
            return one;
    }
    return NULL;
}

const ConfRole *
config_role(const Config *config, const char *name)
{
    return find_named(config->roles, config->n_roles, sizeof(ConfRole), name);
}

const ConfRole *
config_helper(const Config *config, const char *name)
{
    return find_named(config->helpers, config->n_helpers, sizeof(ConfRole), name);
}

const ConfPanel *
config_panel(const Config *config, const char *name)
{
    return find_named(config->panels, config->n_panels, sizeof(ConfPanel), name);
}

const ConfArtifact *
config_artifact(const Config *config, const char *kind)
{
    for (unsigned i = 0; i < config->n_artifacts; i++) {
        if (g_str_equal(config->artifacts[i].name, kind))
            return &config->artifacts[i];
    }
    return NULL;
}

bool
config_panel_is_usual(const char *name)
{
    static const char *const kinds[] = {"vision", "scope", "roadmap",       "spec",
                                        "skeleton", "test", "implementation"};
    const size_t writers = 4; /* the first of them */

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const char *rest = g_str_has_prefix(name, kinds[i]) ? name + strlen(kinds[i]) : "";
        if (g_str_equal(rest, "-reviewer-panel") ||
            (i < writers && g_str_equal(rest, "-writer-panel")))
            return true;
    }
    return false;
}

#define PANEL_MOST 9u

char *
config_panel_refuses(const char *const *members, const char *primary, int64_t quorum)
{
    guint n = g_strv_length((char **)members);

    for (guint i = 0; i < n; i++) {
        if (!text_name_valid(members[i]))
            return g_strdup_printf("'%s' is no name", members[i]);
        for (guint j = 0; j < i; j++)
            if (g_ascii_strcasecmp(members[i], members[j]) == 0)
                return g_strdup_printf("'%s' is on it twice", members[i]);
    }
    if (n < 2)
        return g_strdup_printf("a panel has at least two members, and this one has %u", n);
    if (n > PANEL_MOST)
        return g_strdup_printf("a panel has at most %u members, and this one has %u",
                               PANEL_MOST, n);
    if (*primary && !g_strv_contains(members, primary))
        return g_strdup_printf("its primary '%s' is not on it", primary);
    if (quorum > n)
        return g_strdup_printf("a quorum of %" G_GINT64_FORMAT " is more than its %u members",
                               quorum, n);
    return NULL;
}

const ConfBrain *
config_brain(const Config *config, const char *name)
{
    return find_named(config->brains, config->n_brains, sizeof(ConfBrain), name);
}

/* A command of yours takes no key, nor does a script. */
static bool
lacks_key(const ConfBrain *brain)
{
    bool keyed = brain->kind != BRAIN_COMMAND && brain->kind != BRAIN_SCRIPT;
    const char *key =
        keyed && *brain->key_env && !*brain->key_file ? g_getenv(brain->key_env) : "there";

    return !key || !*key;
}

const ConfBrain *
config_stand_in(const Config *config, const ConfBrain *brain)
{
    const ConfBrain *other = brain;

    for (unsigned n = 0; other && lacks_key(other) && n < config->n_brains; n++)
        other = *other->fallback ? config_brain(config, other->fallback) : NULL;
    return other ? other : brain;
}

const ConfAccount *
config_account(const Config *config, const char *name)
{
    return find_named(config->accounts, config->n_accounts, sizeof(ConfAccount), name);
}

bool
conf_same_address(const char *a, const char *b)
{
    const char *at_a = strrchr(a, '@'), *at_b = strrchr(b, '@');

    return at_a && at_b && at_a - a == at_b - b && strncmp(a, b, (size_t)(at_a - a)) == 0 &&
           g_ascii_strcasecmp(at_a, at_b) == 0;
}

/* Our address, or ours with a tag: "envoy+12.abc@x" where ours is "envoy@x". */
static bool
is_at(const char *address, const char *ours, bool any_case)
{
    size_t len = strcspn(ours, "@");
    const char *at = strrchr(address, '@');

    return at && (size_t)(at - address) >= len &&
           (any_case ? g_ascii_strncasecmp : strncmp)(address, ours, len) == 0 &&
           (address + len == at || address[len] == '+') &&
           g_ascii_strcasecmp(at, ours + len) == 0;
}

/* The longest of ours that fits is meant, since ours may have a '+' of its own. */
const ConfRole *
config_role_at(const Config *config, const char *address)
{
    const ConfRole *best = NULL;

    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];

        if (is_at(address, role->address, true) &&
            (!best || strlen(role->address) > strlen(best->address)))
            best = role;
    }
    return best;
}

bool
config_is_agent(const Config *config, const char *address)
{
    const ConfRole *role = config_role_at(config, address);

    return role && !role->person;
}

/* A tag is dropped only in our own domain: elsewhere it may be somebody else's mailbox. */
const ConfPerson *
config_person_at(const Config *config, const char *address)
{
    for (unsigned i = 0; i < config->n_persons; i++) {
        const ConfPerson *person = &config->persons[i];

        if (conf_same_address(address, person->address) ||
            (person->local && is_at(address, person->address, false)))
            return person;
    }
    return NULL;
}

bool
config_is_person(const Config *config, const char *address)
{
    bool found = config_person_at(config, address) != NULL;

    for (const char *const *p = config->principals; p && *p && !found; p++)
        found = conf_same_address(address, *p);
    return found;
}

const char *
config_mailbox_at(const Config *config, const char *address)
{
    const ConfRole *role = config_role_at(config, address);
    const ConfPerson *person = role ? NULL : config_person_at(config, address);

    if (role)
        return role->name;
    return person && person->local ? person->name : NULL;
}

char *
config_unknown_here(const Config *config, const char *address)
{
    const char *at = strrchr(address, '@');
    g_autoptr(GPtrArray) known = g_ptr_array_new();

    if (!at || g_ascii_strcasecmp(at + 1, config->domain) != 0 || config->domain_served ||
        config_mailbox_at(config, address) || config_is_person(config, address))
        return NULL;
    for (unsigned i = 0; i < config->n_roles; i++)
        g_ptr_array_add(known, (char *)config->roles[i].address);
    for (unsigned i = 0; i < config->n_persons; i++)
        g_ptr_array_add(known, (char *)config->persons[i].address);
    g_ptr_array_add(known, NULL);
    g_autofree char *hint = text_did_you_mean(address, (const char *const *)known->pdata);
    return g_strdup_printf("nobody here is '%s'%s", address, hint);
}

bool
config_asks_by_net(const Config *config)
{
    for (unsigned i = 0; i < config->n_brains; i++) {
        BrainKind kind = config->brains[i].kind;

        if (kind == BRAIN_ANTHROPIC || kind == BRAIN_OPENAI)
            return true;
    }
    return false;
}

bool
config_is_imap(const ConfAccount *account)
{
    return account->kind == CONF_ACCOUNT_IMAP;
}

const ConfAccount *
config_way_out(const Config *config, const char *role)
{
    const ConfAccount *first = NULL;

    for (unsigned i = 0; i < config->n_accounts; i++) {
        const ConfAccount *account = &config->accounts[i];

        if (!*account->smtp.host && account->submit != CONF_SUBMIT_SENDMAIL)
            continue;
        if (role && g_str_equal(account->role, role))
            return account;
        if (!first)
            first = account;
    }
    return first;
}

const ConfAccount *
config_account_of(const Config *config, const ConfRole *role)
{
    const ConfAccount *best = NULL;
    const char *domain = strrchr(role->address, '@');

    for (unsigned i = 0; i < config->n_accounts; i++) {
        const ConfAccount *account = &config->accounts[i];
        const char *at = strrchr(account->server.user, '@');
        if (!config_is_imap(account))
            continue;
        if (g_str_equal(account->role, role->name))
            return account;
        if (!best && at && domain && g_ascii_strcasecmp(at, domain) == 0)
            best = account;
    }
    return best;
}

char *
conf_hint(const char *word, const void *records, unsigned n, size_t size)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (unsigned i = 0; i < n; i++)
        g_ptr_array_add(names, *(char *const *)((const char *)records + i * size));
    g_ptr_array_add(names, NULL);
    return text_did_you_mean(word, (const char *const *)names->pdata);
}

const ConfRole *
config_role_get(const Config *config, const char *name, GError **error)
{
    const ConfRole *role = config_role(config, name);

    if (role)
        return role;

    g_autofree char *vis = text_vis(name, false);
    g_autofree char *hint = conf_hint(name, config->roles, config->n_roles, sizeof(ConfRole));
    err_set(error, ERR_NEVER, "no role '%s'%s", vis, hint);
    return NULL;
}

const ConfRole *
config_role_pick(const Config *config, const char *name, GError **error)
{
    if (name)
        return config_role_get(config, name, error);
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (!config->roles[i].person)
            return &config->roles[i];
    }
    err_set(error, ERR_CONFIG,
            "there is no [role] in postrider.conf; run: postrider setup role");
    return NULL;
}
