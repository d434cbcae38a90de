/*
 * What must fit together: each value is right by itself, but a role may name a brain that is
 * not there, or two mailboxes one address. The line to blame is the later one.
 */
#include "base/config/config_internal.h"
#include "base/list.h"
#include "base/preset.h"

/* What is compared. */
typedef struct Fit {
    const Config *config;
    const GPtrArray *sections;
    const char *file_name;
    GPtrArray *warnings; /* char * */
} Fit;

static bool
check_fallback(const Fit *fit, const ConfSection *section, GError **error)
{
    const ConfBrain *brain = config_brain(fit->config, section->name);
    unsigned line = conf_line(section, "fallback");

    for (unsigned n = 0; brain && *brain->fallback; n++) {
        const ConfBrain *next = config_brain(fit->config, brain->fallback);
        if (!next && n == 0) {
            g_autofree char *hint = conf_hint(brain->fallback, fit->config->brains,
                                              fit->config->n_brains, sizeof(ConfBrain));
            return conf_refuse(fit->file_name, line, error, "[%s]: there is no [brain %s]%s",
                               section->title, brain->fallback, hint);
        }
        if (n >= fit->config->n_brains)
            return conf_refuse(fit->file_name, line, error,
                               "[%s]: the fallbacks from here lead in a circle",
                               section->title);
        brain = next;
    }
    return true;
}

/* A name that a shell could set. */
static bool
is_variable(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!g_ascii_isalpha(name[i]) && name[i] != '_' && (i == 0 || !g_ascii_isdigit(name[i])))
            return false;
    }
    return len > 0;
}

static bool
check_program(const Fit *fit, const ConfSection *section, const ConfBrain *b, GError **error)
{
    /* Earlier versions knew `parser = plain` everywhere. */
    if (b->kind != BRAIN_COMMAND && b->parser &&
        (config_is_program(b) || b->parser != CONF_PARSER_PLAIN))
        return conf_refuse(fit->file_name, conf_line(section, "parser"), error,
                           "[%s]: 'parser' is for kind command, and this is %s", section->title,
                           brain_kind_word(b->kind));
    for (const char *const *name = b->pass_env; *name; name++) {
        if (!is_variable(*name, strlen(*name)))
            return conf_refuse(fit->file_name, conf_line(section, "pass-env"), error,
                               "[%s]: pass-env takes names of variables", section->title);
    }
    for (const char *const *pair = b->env; *pair; pair++) {
        size_t len = strcspn(*pair, "=");
        if (!(*pair)[len] || !is_variable(*pair, len))
            return conf_refuse(fit->file_name, conf_line(section, "env"), error,
                               "[%s]: env takes NAME=VALUE", section->title);
    }
    return true;
}

static bool
check_brain(const Fit *fit, const ConfSection *section, GError **error)
{
    const ConfBrain *brain = config_brain(fit->config, section->name);

    if (brain->kind == BRAIN_COMMAND && !brain->command[0])
        return conf_refuse(fit->file_name, section->line, error, "[%s] needs a 'command'",
                           section->title);
    return check_program(fit, section, brain, error) && check_fallback(fit, section, error);
}

/* Of a [role] section, whether it takes mail or not. */
static const ConfRole *
role_of(const Fit *fit, const ConfSection *section)
{
    const ConfRole *role = config_role(fit->config, section->name);

    return role ? role : config_helper(fit->config, section->name);
}

/* What works on files by itself has no model as its deputy, nor the other way round. In steps both
 * are asked alike. */
static bool
check_deputies(const Fit *fit, const ConfSection *section, GError **error)
{
    const ConfRole *role = role_of(fit, section);
    const ConfBrain *brain = config_brain(fit->config, role->brain), *next = brain;

    for (unsigned n = 0; next && *next->fallback && n < fit->config->n_brains; n++) {
        next = config_brain(fit->config, next->fallback);
        if (next && role->mode == MODE_PROGRAM &&
            config_is_program(next) != config_is_program(brain))
            return conf_refuse(
                fit->file_name, conf_line(section, "brain"), error,
                "[%s] works as a program: of [brain %s] and its fallback [brain %s] "
                "only one is a program",
                section->title, brain->name, next->name);
    }
    return true;
}

static bool
check_role(const Fit *fit, const ConfSection *section, GError **error)
{
    const char *brain = conf_value(section, "brain");
    unsigned line = conf_line(section, "brain");

    if (role_of(fit, section)->person) {
        if (*brain)
            return conf_refuse(fit->file_name, line, error, "[%s] is a person and has no brain",
                               section->title);
        return true;
    }
    if (role_of(fit, section)->sandbox == CONF_SANDBOX_OFF &&
        role_of(fit, section)->net == CONF_NET_NONE)
        return conf_refuse(fit->file_name, conf_line(section, "net"), error,
                           "[%s]: 'net = none' needs a sandbox, but it has 'sandbox = off'",
                           section->title);
    if (!*role_of(fit, section)->brain)
        return true; /* none */
    if (config_brain(fit->config, brain))
        return check_deputies(fit, section, error);

    g_autofree char *hint =
        conf_hint(brain, fit->config->brains, fit->config->n_brains, sizeof(ConfBrain));
    return conf_refuse(fit->file_name, line, error, "[%s]: there is no [brain %s]%s",
                       section->title, brain, hint);
}

/* account.role names a role, or nobody. */
static bool
check_role_name(const Fit *fit, const ConfSection *section, GError **error)
{
    const char *role = conf_value(section, "role");

    if (!*role || config_role(fit->config, role))
        return true;

    g_autofree char *hint =
        conf_hint(role, fit->config->roles, fit->config->n_roles, sizeof(ConfRole));
    return conf_refuse(fit->file_name, conf_line(section, "role"), error,
                       "[%s]: there is no [role %s]%s", section->title, role, hint);
}

static bool
check_preset(const Fit *fit, const ConfSection *section, GError **error)
{
    const char *name = conf_value(section, "preset");

    if (!*name || preset_find(name))
        return true;

    g_autofree char *hint = text_did_you_mean(name, preset_names());
    return conf_refuse(fit->file_name, conf_line(section, "preset"), error,
                       "[%s]: no preset '%s'%s", section->title, name, hint);
}

/* notes.shared names folders of roles: everything else is shared as it is. */
static bool
check_shared(const Fit *fit, const ConfSection *section, GError **error)
{
    for (const char *const *name = fit->config->notes_shared; *name; name++) {
        g_autofree char *folder = g_strndup(*name, strcspn(*name, "/"));
        const ConfRole *role = config_role(fit->config, folder);
        if (role && !role->person)
            continue;
        g_autofree char *hint =
            conf_hint(folder, fit->config->roles, fit->config->n_roles, sizeof(ConfRole));
        return conf_refuse(fit->file_name, conf_line(section, "shared"), error,
                           "[notes]: '%s' is no folder of a role, and shared without this%s",
                           *name, hint);
    }
    return true;
}

/* Where artifacts of a kind lie: a path beneath the root, whose {state} is a folder of its own. Folders may lie before a {path}, so
 * it begins the last part. */
static bool
check_artifact(const Fit *fit, const ConfSection *section, GError **error)
{
    const ConfArtifact *artifact = config_artifact(fit->config, section->name);
    const char *path = artifact->path, *why = NULL;
    bool folder = artifact->states == CONF_STATES_FOLDER;
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    unsigned states = 0, names = 0;

    for (char **part = parts; *part; part++) {
        states += g_str_equal(*part, "{state}");
        bool deep = g_str_has_prefix(*part, "{path}") && !strstr(*part + 1, "{path}") && !part[1];
        names += (strstr(*part, "{name}") != NULL) + deep;
        if (!**part || g_str_equal(*part, ".") || g_str_equal(*part, "..") || strpbrk(*part, "*?[\\") ||
            (strstr(*part, "{path}") && !deep))
            why = "a path beneath the root, such as specs/{state}/{name}.md or src/{path}";
    }
    if (!why && (states != (folder ? 1u : 0u) || names > 1))
        why = folder ? "one folder {state}, and at most one {name} or {path}, as in specs/{state}/{name}.md"
                     : "no {state} with 'states = record', and at most one {name} or {path}";
    return !why || conf_refuse(fit->file_name, conf_line(section, "path"), error,
                               "[%s]: path = '%s': expected %s", section->title, path, why);
}

/* Which kind an artifact is of, its path alone says. */
static bool
check_own_path(const Fit *fit, const ConfSection *section, GError **error)
{
    LIST_EACH(const ConfSection, other, fit->sections) {
        if (other == section)
            return true;
        if (g_str_equal(other->kind, "artifact") &&
            g_str_equal(conf_value(other, "path"), conf_value(section, "path")))
            return conf_refuse(fit->file_name, conf_line(section, "path"), error,
                               "[%s] has the path of [%s] in line %u", section->title, other->title,
                               other->line);
    }
    return true;
}

/* A state is a folder of that name: "..", "a/b" and "*" are none. */
static bool
is_state(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!g_ascii_isalnum(*c) && *c != '_' && *c != '-' && (*c != '.' || c == word))
            return false;
    return true;
}

static bool
is_somebody(const Config *config, const char *name)
{
    bool known = config_role(config, name) != NULL;

    for (unsigned i = 0; !known && i < config->n_persons; i++)
        known = g_str_equal(config->persons[i].name, name);
    return known;
}

/* Somebody may make a panel of that name later. */
static void
warn_of_nobody(const Fit *fit, const ConfSection *section, const char *name)
{
    if (g_str_equal(name, "holder") || g_str_equal(name, "author") ||
        is_somebody(fit->config, name))
        return;
    g_autofree char *hint =
        conf_hint(name, fit->config->roles, fit->config->n_roles, sizeof(ConfRole));
    g_ptr_array_add(fit->warnings,
                    g_strdup_printf("%s:%u: [%s]: moves: nobody here is called '%s'%s",
                                    fit->file_name, conf_line(section, "moves"), section->title,
                                    name, hint));
}

/* Each says from where to where, and who. */
static bool
check_moves(const Fit *fit, const ConfSection *section, GError **error)
{
    g_auto(GStrv) moves = g_strsplit(conf_value(section, "moves"), ",", -1);

    for (char **move = moves; *move; move++) {
        g_auto(GStrv) words = conf_split(*move);
        if (g_strv_length(words) < 3)
            return conf_refuse(fit->file_name, conf_line(section, "moves"), error,
                               "[%s]: moves: '%s' is not 'FROM TO WHO'", section->title,
                               g_strstrip(*move));
        for (int i = 0; i < 2; i++)
            if (!is_state(words[i]))
                return conf_refuse(fit->file_name, conf_line(section, "moves"), error,
                                   "[%s]: moves: '%s' is no state: letters, digits, - and _",
                                   section->title, words[i]);
        for (char **who = words + 2; *who; who++)
            warn_of_nobody(fit, section, *who);
    }
    return true;
}

static const ConfBrain *
brain_of(const Fit *fit, const char *role_name)
{
    const ConfRole *role = config_role(fit->config, role_name);

    return role && !role->person ? config_brain(fit->config, role->brain) : NULL;
}

/* Who writes artifacts of a kind and who reviews them do not think alike. Panels may: each of their members begins anew. */
static bool
check_independence(const Fit *fit, const ConfSection *section, GError **error)
{
    bool code = g_str_equal(section->name, "implementation");
    g_autofree char *writer = g_strconcat(section->name, "-writer", NULL);
    g_autofree char *reviewer = g_strconcat(section->name, "-reviewer", NULL);
    const ConfBrain *a = brain_of(fit, code ? "implementer" : writer), *b = brain_of(fit, reviewer);

    if (!a || !b || (a != b && (!*a->model || !g_str_equal(a->model, b->model))))
        return true;
    g_autofree char *why = g_strdup_printf(
        "[%s]: '%s' and '%s' have the same model%s%s, and overlook the same", section->title,
        code ? "implementer" : writer, reviewer, *a->model ? " " : "", a->model);
    if (fit->config->workflow_independence == CONF_INDEPENDENCE_STRICT)
        return conf_refuse(fit->file_name, section->line, error, "%s", why);
    g_ptr_array_add(fit->warnings, g_strdup_printf("%s:%u: %s", fit->file_name, section->line, why));
    return true;
}

static bool
check_panel(const Fit *fit, const ConfSection *section, GError **error)
{
    const ConfPanel *panel = config_panel(fit->config, section->name);
    g_autofree char *why = config_panel_refuses(panel->members, panel->primary, panel->quorum);
    const ConfRole *role = config_role(fit->config, section->name);

    if (why)
        return conf_refuse(fit->file_name, conf_line(section, "members"), error, "[%s]: %s",
                           section->title, why);
    return (!role->person && !*role->brain) ||
           conf_refuse(fit->file_name, section->line, error,
                       "[%s] has the name of [role %s], which has a brain", section->title,
                       role->name);
}

/* The coordinator, and who hears of blockers, are somebody here. */
static bool
check_somebody(const Fit *fit, const ConfSection *section, const char *key, const char *name, GError **error)
{
    return !*name || is_somebody(fit->config, name) ||
           conf_refuse(fit->file_name, conf_line(section, key), error,
                       "[workflow]: nobody here is called '%s'", name);
}

static bool
check_workflow(const Fit *fit, const ConfSection *section, GError **error)
{
    for (const char *const *name = fit->config->workflow_escalate; *name; name++)
        if (!g_str_equal(*name, "coordinator") &&
            !check_somebody(fit, section, "escalate", *name, error))
            return false;
    return check_somebody(fit, section, "coordinator", conf_value(section, "coordinator"), error);
}

/* Is it the name of a role, or of a person whose mailbox is here? */
static bool
is_member(const Config *config, const char *name)
{
    bool known = config_role(config, name) != NULL;

    for (unsigned i = 0; !known && i < config->n_persons; i++)
        known = config->persons[i].local && g_str_equal(config->persons[i].name, name);
    return known;
}

/* A space has a name that notes can have, an address of its own, and members who are here. */
static bool
check_space(const Fit *fit, const ConfSection *section, GError **error)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    g_autofree char *address = g_strdup_printf("%s@%s", section->name, fit->config->domain);
    g_auto(GStrv) members = conf_split(conf_value(section, "members"));
    const char *name = section->name, *taken = config_mailbox_at(fit->config, address);

    if (name[0] == '.' || name[strspn(name, allowed)] || strlen(name) > CONF_SPACE_NAME_MAX ||
        g_str_has_suffix(name, ".md"))
        return conf_refuse(fit->file_name, section->line, error,
                           "[%s]: expected a name of at most %d of A-Z a-z 0-9 . _ -, and no dot "
                           "in front",
                           section->title, CONF_SPACE_NAME_MAX);
    if (taken)
        return conf_refuse(fit->file_name, section->line, error, "[%s] has the address of '%s'",
                           section->title, taken);
    for (char **m = members; *m; m++) {
        if (is_member(fit->config, *m))
            continue;
        g_autofree char *hint =
            conf_hint(*m, fit->config->roles, fit->config->n_roles, sizeof(ConfRole));
        return conf_refuse(fit->file_name, conf_line(section, "members"), error,
                           "[%s]: nobody here is called '%s'%s", section->title, *m, hint);
    }
    return true;
}

static bool
check_section(const Fit *fit, const ConfSection *section, GError **error)
{
    if (g_str_equal(section->kind, "account") && !check_preset(fit, section, error))
        return false;
    if (g_str_equal(section->kind, "brain"))
        return check_brain(fit, section, error);
    if (g_str_equal(section->kind, "role"))
        return check_role(fit, section, error);
    if (g_str_equal(section->kind, "account"))
        return check_role_name(fit, section, error);
    if (g_str_equal(section->kind, "artifact"))
        return check_artifact(fit, section, error) &&
               check_own_path(fit, section, error) && check_moves(fit, section, error) &&
               check_independence(fit, section, error);
    if (g_str_equal(section->kind, "space"))
        return check_space(fit, section, error);
    if (g_str_equal(section->kind, "panel"))
        return check_panel(fit, section, error);
    if (g_str_equal(section->kind, "workflow"))
        return check_workflow(fit, section, error);
    if (g_str_equal(section->kind, "notes"))
        return check_shared(fit, section, error);
    if (g_str_equal(section->kind, "person") && !*conf_value(section, "address"))
        return conf_refuse(fit->file_name, section->line, error, "[%s] needs an 'address'",
                           section->title);
    return true;
}

static bool
is_mailbox(const ConfSection *section)
{
    return g_str_equal(section->kind, "role") || g_str_equal(section->kind, "person");
}

/* Mail to either would reach the other where a server, or we, take an address in any case. */
static bool
is_one_address(const char *a, const char *b)
{
    return strchr(a, '@') && g_ascii_strcasecmp(a, b) == 0;
}

/* Roles and persons share one set of addresses and, by their folders, one set of names. */
static bool
check_pair(const Fit *fit, const ConfSection *a, const ConfSection *b, GError **error)
{
    const char *address = conf_value(b, "address");

    if (is_one_address(conf_value(a, "address"), address))
        return conf_refuse(fit->file_name, conf_line(b, "address"), error,
                           "[%s] has the address of [%s] in line %u", b->title, a->title,
                           a->line);
    if (g_str_equal(a->name, b->name))
        return conf_refuse(fit->file_name, b->line, error,
                           "[%s] has the name of [%s] in line %u", b->title, a->title, a->line);
    return true;
}

static bool
check_addresses(const Fit *fit, GError **error)
{
    const char *owner = fit->config->owner;

    for (guint i = 0; i < fit->sections->len; i++) {
        const ConfSection *b = g_ptr_array_index(fit->sections, i);

        if (!is_mailbox(b))
            continue;
        if (g_str_equal(b->kind, "role") && !role_of(fit, b)->person &&
            is_one_address(conf_value(b, "address"), owner))
            return conf_refuse(fit->file_name, conf_line(b, "address"), error,
                               "[%s] has the address of the owner", b->title);
        for (guint j = 0; j < i; j++) {
            const ConfSection *a = g_ptr_array_index(fit->sections, j);
            if (is_mailbox(a) && !check_pair(fit, a, b, error))
                return false;
        }
    }
    return true;
}

bool
conf_fits(const Config *config,
          const GPtrArray *sections,
          const char *file_name,
          GPtrArray *warnings,
          GError **error)
{
    const Fit fit = {config, sections, file_name, warnings};

    for (guint i = 0; i < sections->len; i++) {
        if (!check_section(&fit, g_ptr_array_index(sections, i), error))
            return false;
    }
    return check_addresses(&fit, error);
}
