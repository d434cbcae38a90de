/*
 * From checked entries to the typed struct: first the defaults that depend on other keys are
 * written into the sections, so that reading, `config show` and the checks see the same
 * values; then each array is filled; then what must fit together is compared.
 */
#include "base/config/config.h"
#include "base/config/config_internal.h"
#include "base/list.h"
#include "base/preset.h"
#include "base/template.h"

/* What stands behind a Config. */
typedef struct Settings {
    Config public; /* first: a Config * is a Settings * */
    GStringChunk *strings;
    GPtrArray *sections; /* ConfSection */
    GPtrArray *vectors;  /* char ** */
    GArray *accounts, *brains, *roles, *helpers, *persons, *artifacts, *spaces, *panels;
} Settings;

static const char *
get(const Settings *s, const char *kind, const char *key)
{
    return conf_value(conf_find_section(s->sections, kind, ""), key);
}

static bool
as_bool(const char *value)
{
    return g_str_equal(value, "yes") || g_str_equal(value, "true");
}

static const char *const *
keep_vector(Settings *s, char **take_vector)
{
    g_ptr_array_add(s->vectors, take_vector);
    return (const char *const *)take_vector;
}

static const char *const *
as_argv(Settings *s, const char *value)
{
    char **argv = NULL;

    if (!g_shell_parse_argv(value, NULL, &argv, NULL))
        argv = g_new0(char *, 1);
    return keep_vector(s, argv);
}

/* What stands between commas; empty phrases are none. */
static const char *const *
as_phrases(Settings *s, const char *value)
{
    g_auto(GStrv) parts = g_strsplit(value, ",", -1);
    GPtrArray *phrases = g_ptr_array_new();

    for (char **part = parts; *part; part++) {
        if (*g_strstrip(*part))
            g_ptr_array_add(phrases, g_strdup(*part));
    }
    g_ptr_array_add(phrases, NULL);
    return keep_vector(s, (char **)g_ptr_array_free(phrases, FALSE));
}

/* Each word of the value is one of the words "a|b|c". */
static unsigned
as_flags(const char *words, const char *value)
{
    g_auto(GStrv) said = conf_split(value);
    unsigned flags = 0;

    for (char **word = said; *word; word++)
        flags |= 1u << (conf_word(words, *word) - 1);
    return flags;
}

/* The value was checked while it was read; of an empty one the place stays zero. */
static void
put_value(Settings *s, const ConfKey *key, const char *value, void *place)
{
    switch (key->type) {
    case CONF_ENUM:
        *(unsigned *)place = conf_word(key->values, value);
        break;
    case CONF_FLAGS:
        *(unsigned *)place = as_flags(key->values, value);
        break;
    case CONF_STRING:
    case CONF_ADDRESS:
    case CONF_HOST:
        *(const char **)place = value;
        break;
    case CONF_LIST:
    case CONF_ADDRESSES:
        *(const char *const **)place = keep_vector(s, conf_split(value));
        break;
    case CONF_COMMAND:
        *(const char *const **)place = as_argv(s, value);
        break;
    case CONF_PHRASES:
        *(const char *const **)place = as_phrases(s, value);
        break;
    case CONF_BOOL:
        *(bool *)place = as_bool(value);
        break;
    case CONF_INT:
        (void)text_parse_int(value, INT64_MIN, INT64_MAX, place);
        break;
    case CONF_SPAN:
        (void)text_parse_span(value, place);
        break;
    case CONF_SIZE:
        (void)text_parse_size(value, place);
        break;
    case CONF_MONEY:
        (void)text_parse_money(value, place);
        break;
    }
}

/* Every key of the section that has a place in the record. */
static void
fill(Settings *s, const ConfSection *section, void *record)
{
    for (const ConfKey *key = config_keys; key->section; key++) {
        if (key->at && g_str_equal(key->section, section->kind))
            put_value(s, key, conf_value_of(section, key), (char *)record + key->at);
    }
}

/* Programs have loops of their own, the others are asked step by step. */
static bool
kind_is_program(BrainKind kind)
{
    return kind == BRAIN_COMMAND || kind == BRAIN_CLAUDE || kind == BRAIN_CODEX ||
           kind == BRAIN_OPENCODE;
}

bool
config_is_program(const ConfBrain *brain)
{
    return kind_is_program(brain->kind);
}

/* A brain with a command and no kind is that command; the kinds that are programs have one. */
static void
default_brain(ConfSection *brain)
{
    if (*conf_value(brain, "command"))
        conf_set_default(brain, "kind", "command");

    BrainKind kind = brain_kind_parse(conf_value(brain, "kind"));
    bool program = kind_is_program(kind), plain = kind == BRAIN_COMMAND;
    if (program && !plain)
        conf_set_default(brain, "command", brain_kind_word(kind));
    if (plain)
        conf_set_default(brain, "parser", "plain");
    conf_set_default(brain, "timeout", program ? "4h" : "30m");
}

static void
default_role(Settings *s, ConfSection *role)
{
    g_autofree char *address =
        g_strdup_printf("%s@%s", role->name, get(s, "postrider", "domain"));
    bool person = as_bool(conf_value(role, "person"));
    const ConfSection *brain;

    conf_set_default(role, "name", role->name);
    conf_set_default(role, "address", address);
    conf_set_default(role, "ack-after", get(s, "postrider", "ack-after"));
    if (!person)
        conf_set_default(role, "brain", "default");
    brain = conf_find_section(s->sections, "brain", conf_value(role, "brain"));
    conf_set_default(role, "mode",
                     brain && kind_is_program(brain_kind_parse(conf_value(brain, "kind"))) ? "program"
                                                                                      : "steps");
}

static void
default_account(Settings *s, ConfSection *account)
{
    const Preset *preset = preset_find(conf_value(account, "preset"));

    for (const PresetKey *k = preset ? preset->keys : NULL; k && k->key; k++)
        conf_set_default(account, k->key, k->value);
    if (preset && preset->authserv_fields)
        conf_set_default(conf_find_section(s->sections, "trust", ""), "authserv-fields",
                         preset->authserv_fields);
}

/* Who moves artifacts of a kind that says nothing: FROM TO WHO. {kind} is the kind. */
static const struct {
    const char *kind; /* NULL: any other */
    const char *moves;
} usual_moves[] = {
    {"spec", "proposed todo spec-reviewer, todo doing skeleton-writer, doing done implementation-reviewer, "
             "doing blocked holder skeleton-writer test-writer implementer, "
             "todo blocked skeleton-writer test-writer implementer, blocked doing holder, "
             "proposed deferred spec-reviewer, deferred proposed spec-writer"},
    {"bug", "to_fix fixing fixer implementer, fixing fixed implementation-reviewer, fixing blocked holder, "
            "blocked fixing holder"},
    {"rfc", "open approved author, open rejected author"},
    {NULL, "proposed todo {kind}-reviewer, todo doing {kind}-writer, doing done {kind}-reviewer, "
           "doing blocked holder, blocked doing holder, proposed deferred {kind}-reviewer, "
           "deferred proposed {kind}-writer"},
};

static const char *
moves_of(const char *kind)
{
    size_t i = 0;

    while (usual_moves[i].kind && !g_str_equal(usual_moves[i].kind, kind))
        i++;
    return usual_moves[i].moves;
}

static void
default_artifact(ConfSection *artifact)
{
    const TemplateValue values[] = {{"kind", artifact->name}, {NULL, NULL}};
    g_autofree char *moves = template_expand(moves_of(artifact->name), values);

    conf_set_default(artifact, "moves", moves);
}

/* The seed's panels are known by their names. */
static void
default_panel(ConfSection *panel)
{
    if (config_panel_is_usual(panel->name))
        conf_set_default(panel, "members", CONFIG_USUAL_MEMBERS);
}

#define NO_BRAIN "none" /* in place of the name of a [brain], unless one is called so */

/* A panel has an address, as a role without a brain has. */
static void
add_panel_roles(Settings *s)
{
    guint n = s->sections->len;

    for (guint i = 0; i < n; i++) {
        const ConfSection *panel = g_ptr_array_index(s->sections, i);
        if (!g_str_equal(panel->kind, "panel") ||
            conf_find_section(s->sections, "role", panel->name))
            continue;
        conf_add_section(s->sections, s->strings, "role", panel->name, 0);
        conf_set_default(conf_find_section(s->sections, "role", panel->name), "brain", NO_BRAIN);
    }
}

static void
set_defaults(Settings *s)
{
    ConfSection *top = conf_find_section(s->sections, "postrider", "");
    g_autofree char *owner = g_strdup_printf("you@%s", conf_value(top, "domain"));
    bool any = false, local = false, taken = false;

    conf_set_default(top, "owner", owner);
    add_panel_roles(s);
    /* Before roles look at their brains. */
    LIST_EACH(ConfSection, section, s->sections)
        if (g_str_equal(section->kind, "brain"))
            default_brain(section);
    LIST_EACH(ConfSection, section, s->sections) {
        if (g_str_equal(section->kind, "account")) {
            any = true;
            local |= conf_account_kind_parse(conf_value(section, "kind")) == CONF_ACCOUNT_MAILDIR;
            taken |= g_str_equal(section->name, "local");
            default_account(s, section);
        }
        if (g_str_equal(section->kind, "role"))
            default_role(s, section);
        if (g_str_equal(section->kind, "artifact"))
            default_artifact(section);
        if (g_str_equal(section->kind, "panel"))
            default_panel(section);
    }
    /* The Maildirs are always there, whatever servers there are beside them. */
    if (!local)
        conf_add_section(s->sections, s->strings, "account",
                         !any    ? "main"
                         : taken ? "maildirs"
                                 : "local",
                         0);
}

static void
add_account(Settings *s, const ConfSection *section)
{
    ConfAccount account = {.name = section->name};

    fill(s, section, &account);
    if (!*account.smtp.host)
        fill(s, conf_find_section(s->sections, "smtp", ""), &account);
    g_array_append_val(s->accounts, account);
}

/* A program works in folders of its own and for long: two at a time leave room for others. */
#define PROGRAMS_AT_ONCE 2

static void
add_brain(Settings *s, const ConfSection *section)
{
    ConfBrain brain = {.name = section->name};

    fill(s, section, &brain);
    if (brain.at_once == 0 && kind_is_program(brain.kind))
        brain.at_once = PROGRAMS_AT_ONCE;
    g_array_append_val(s->brains, brain);
}

static void
add_role(Settings *s, const ConfSection *section)
{
    ConfRole role = {.name = section->name};

    fill(s, section, &role);
    if (role.sandbox == CONF_SANDBOX_ON ||
        (role.sandbox == CONF_SANDBOX_AUTO && role.net == CONF_NET_NONE))
        role.sandbox = CONF_SANDBOX_REQUIRED;
    if (g_str_equal(role.brain, NO_BRAIN) && !conf_find_section(s->sections, "brain", NO_BRAIN)) {
        role.brain = "";
        role.mode = RoleMode_UNSAID;
    }
    g_array_append_val(role.mail ? s->roles : s->helpers, role);
}

static void
add_artifact(Settings *s, const ConfSection *section)
{
    ConfArtifact artifact = {.name = section->name};

    fill(s, section, &artifact);
    g_array_append_val(s->artifacts, artifact);
}

static void
add_space(Settings *s, const ConfSection *section)
{
    ConfSpace space = {.name = section->name};

    fill(s, section, &space);
    g_array_append_val(s->spaces, space);
}

static void
add_panel(Settings *s, const ConfSection *section)
{
    ConfPanel panel = {.name = section->name};

    fill(s, section, &panel);
    g_array_append_val(s->panels, panel);
}

static bool
in_domain(const char *address, const char *domain)
{
    const char *at = strrchr(address, '@');

    return at && g_ascii_strcasecmp(at + 1, domain) == 0;
}

/* Nobody's mail server is in charge of these, unless one of ours logs in there. */
static bool
is_private_domain(const char *domain)
{
    static const char *const ends[] = {".local",   ".localhost", ".internal", ".home.arpa",
                                       ".example", ".test",      ".invalid",  NULL};

    for (const char *const *end = ends; *end; end++) {
        if (g_str_has_suffix(domain, *end))
            return true;
    }
    return !strchr(domain, '.');
}

/* Is mail to people at our domain the business of a server that we can hand mail to? The
 * accounts are there already. */
static bool
domain_has_server(const Settings *s)
{
    const char *domain = get(s, "postrider", "domain");
    bool way_out = false, ours = in_domain(get(s, "smtp", "user"), domain);

    for (guint i = 0; i < s->accounts->len; i++) {
        const ConfAccount *a = &g_array_index(s->accounts, ConfAccount, i);

        way_out |= *a->smtp.host || a->submit == CONF_SUBMIT_SENDMAIL;
        ours |= in_domain(a->server.user, domain) || in_domain(a->smtp.user, domain);
    }
    return way_out && (ours || !is_private_domain(domain));
}

/* A person whose address our domain's server keeps would never look into a Maildir here. */
static bool
has_mailbox_here(const Settings *s, const char *address)
{
    return in_domain(address, get(s, "postrider", "domain")) && !domain_has_server(s);
}

static void
add_person(Settings *s, const ConfSection *section)
{
    ConfPerson person = {.name = section->name};

    fill(s, section, &person);
    person.local = has_mailbox_here(s, person.address);
    g_array_append_val(s->persons, person);
}

/* `person = yes` of a role. */
static void
add_role_as_person(Settings *s, const ConfSection *section)
{
    ConfPerson person = {.name = section->name,
                         .address = conf_value(section, "address"),
                         .may = MAY_ASK | MAY_STEER,
                         .local = true};

    g_array_append_val(s->persons, person);
}

/* The owner comes first, with all rights, under the name that the file gives them; else under
 * the one in their address, if that can be a name and is free. */
static void
put_owner_first(Settings *s)
{
    const char *address = get(s, "postrider", "owner");
    g_autofree char *local = g_strndup(address, strcspn(address, "@"));
    bool usable = text_name_valid(local) && !conf_find_section(s->sections, "role", local) &&
                  !conf_find_section(s->sections, "person", local);
    ConfPerson owner = {
        .name = usable ? g_string_chunk_insert_const(s->strings, local) : "owner",
        .address = address,
        .local = has_mailbox_here(s, address),
    };

    for (guint i = 0; i < s->persons->len; i++) {
        ConfPerson *person = &g_array_index(s->persons, ConfPerson, i);

        if (!conf_same_address(person->address, address))
            continue;
        owner = *person;
        g_array_remove_index(s->persons, i);
        break;
    }
    owner.may = MAY_ASK | MAY_STEER | MAY_APPROVE;
    g_array_prepend_val(s->persons, owner);
}

static void
fill_arrays(Settings *s)
{
    LIST_EACH(const ConfSection, section, s->sections)
        if (g_str_equal(section->kind, "account"))
            add_account(s, section);
    LIST_EACH(const ConfSection, section, s->sections) {
        bool role = g_str_equal(section->kind, "role");

        if (g_str_equal(section->kind, "brain"))
            add_brain(s, section);
        if (g_str_equal(section->kind, "artifact"))
            add_artifact(s, section);
        if (g_str_equal(section->kind, "space"))
            add_space(s, section);
        if (g_str_equal(section->kind, "panel"))
            add_panel(s, section);
        if (role)
            add_role(s, section);
        if (role && as_bool(conf_value(section, "person")))
            add_role_as_person(s, section);
        if (g_str_equal(section->kind, "person"))
            add_person(s, section);
    }
    put_owner_first(s);
}

static void
fill_public(Settings *s)
{
    s->public = (Config){
        .domain_served = domain_has_server(s),
        .notes_shared_said = conf_find(conf_find_section(s->sections, "notes", ""), "shared"),
        .artifacts = (const ConfArtifact *)(void *)s->artifacts->data,
        .n_artifacts = s->artifacts->len,
        .spaces = (const ConfSpace *)(void *)s->spaces->data,
        .n_spaces = s->spaces->len,
        .panels = (const ConfPanel *)(void *)s->panels->data,
        .n_panels = s->panels->len,
        .accounts = (const ConfAccount *)(void *)s->accounts->data,
        .n_accounts = s->accounts->len,
        .brains = (const ConfBrain *)(void *)s->brains->data,
        .n_brains = s->brains->len,
        .roles = (const ConfRole *)(void *)s->roles->data,
        .n_roles = s->roles->len,
        .helpers = (const ConfRole *)(void *)s->helpers->data,
        .n_helpers = s->helpers->len,
        .persons = (const ConfPerson *)(void *)s->persons->data,
        .n_persons = s->persons->len,
    };
    LIST_EACH(const ConfSection, section, s->sections)
        if (!*section->name && !g_str_equal(section->kind, "smtp"))
            fill(s, section, &s->public);
}

bool
config_parse(const char *text, size_t len, const char *file_name, Config **ret, GError **error)
{
    Settings *s = g_new0(Settings, 1);
    g_autoptr(Config) config = &s->public;

    s->strings = g_string_chunk_new(4096);
    s->vectors = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    s->accounts = g_array_new(FALSE, FALSE, sizeof(ConfAccount));
    s->brains = g_array_new(FALSE, FALSE, sizeof(ConfBrain));
    s->roles = g_array_new(FALSE, FALSE, sizeof(ConfRole));
    s->helpers = g_array_new(FALSE, FALSE, sizeof(ConfRole));
    s->persons = g_array_new(FALSE, FALSE, sizeof(ConfPerson));
    s->artifacts = g_array_new(FALSE, FALSE, sizeof(ConfArtifact));
    s->spaces = g_array_new(FALSE, FALSE, sizeof(ConfSpace));
    s->panels = g_array_new(FALSE, FALSE, sizeof(ConfPanel));
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    s->sections = conf_read(text ? text : "", len, file_name, s->strings, warnings, error);
    if (!s->sections)
        return false;
    set_defaults(s);
    fill_arrays(s);
    fill_public(s);
    if (!conf_fits(config, s->sections, file_name, warnings, error))
        return false;
    g_ptr_array_add(warnings, NULL);
    s->public.warnings =
        keep_vector(s, (char **)g_ptr_array_free(g_steal_pointer(&warnings), FALSE));
    *ret = g_steal_pointer(&config);
    return true;
}

void
config_free(Config *config)
{
    Settings *s = (Settings *)config;

    if (!s)
        return;
    g_array_unref(s->spaces);
    g_array_unref(s->panels);
    g_array_unref(s->artifacts);
    g_array_unref(s->persons);
    g_array_unref(s->roles);
    g_array_unref(s->helpers);
    g_array_unref(s->brains);
    g_array_unref(s->accounts);
    g_ptr_array_unref(s->vectors);
    g_clear_pointer(&s->sections, g_ptr_array_unref);
    g_string_chunk_free(s->strings);
    g_free(s);
}

static void
visit_section(const ConfSection *section, ConfVisit visit, void *data)
{
    for (const ConfKey *key = config_keys; key->section; key++) {
        if (!g_str_equal(key->section, section->kind))
            continue;

        const ConfEntry *entry = conf_find(section, key->name);
        visit(section->title, key, conf_value(section, key->name), entry && entry->line, data);
    }
}

void
config_visit(const Config *config, ConfVisit visit, void *data)
{
    const Settings *s = (const Settings *)config;
    const char *kind = "";

    for (const ConfKey *key = config_keys; key->section; key++) {
        if (g_str_equal(key->section, kind))
            continue;
        kind = key->section;
        LIST_EACH(const ConfSection, section, s->sections)
            if (g_str_equal(section->kind, kind))
                visit_section(section, visit, data);
    }
}
