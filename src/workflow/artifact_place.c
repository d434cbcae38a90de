#include "workflow/artifact_place.h"
#include "base/file.h"
#include "engine/tree/file_effects.h"

#define STATE_PART "{state}"
#define NAME_PART "{name}"
#define PATH_PART "{path}"

void
artifact_place_clear(ArtifactPlace *p)
{
    free_all(p->root, p->name, p->title, p->path, p->state, p->said_state);
}

void
artifact_place_copy(const ArtifactPlace *p, ArtifactPlace *ret)
{
    *ret = *p;
    ret->root = g_strdup(p->root);
    ret->name = g_strdup(p->name);
    ret->title = g_strdup(p->title);
    ret->path = g_strdup(p->path);
    ret->state = g_strdup(p->state);
    ret->said_state = g_strdup(p->said_state);
}

char *
workflow_root(const Engine *engine, GError **error)
{
    const char *root = engine->home->config->workflow_root;

    if (!*root) {
        err_set(error, ERR_CONFIG,
                "there is no workflow here: set 'root' in [workflow] to the folder of the "
                "artifacts");
        return NULL;
    }
    char *path = g_canonicalize_filename(root, engine->home->path);
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
        return path;
    err_set(error, ERR_CONFIG, "[workflow] root '%s' is no folder", path);
    g_free(path);
    return NULL;
}

const char *
workflow_address(const Config *config, const char *name)
{
    const ConfRole *role = config_role(config, name);

    for (unsigned i = 0; !role && i < config->n_persons; i++)
        if (g_str_equal(config->persons[i].name, name))
            return config->persons[i].address;
    return role ? role->address : NULL;
}

const char *
workflow_name_at(const Config *config, const char *address)
{
    const ConfRole *role = config_role_at(config, address);
    const ConfPerson *person = config_person_at(config, address);

    return role ? role->name : person ? person->name : NULL;
}

GPtrArray *
workflow_names(const Config *config)
{
    GPtrArray *names = g_ptr_array_new();

    for (unsigned i = 0; i < config->n_roles; i++)
        g_ptr_array_add(names, (char *)config->roles[i].name);
    for (unsigned i = 0; i < config->n_persons; i++)
        g_ptr_array_add(names, (char *)config->persons[i].name);
    g_ptr_array_add(names, NULL);
    return names;
}

static const char *
coordinator_of(const Config *config)
{
    return *config->workflow_coordinator ? config->workflow_coordinator
                                         : config->persons[0].name;
}

const char *
workflow_coordinator(const Engine *engine)
{
    return coordinator_of(engine->home->config);
}

const char *
workflow_who(const Config *config, const char *said)
{
    bool alias = g_str_equal(said, "coordinator") && !workflow_address(config, said);

    return alias ? coordinator_of(config) : said;
}

/* --- paths --- */

/* Does the part of a path fit the part of a kind's, which may have such a place in it? */
static bool
fits_name(const char *part, const char *form, const char *place)
{
    const char *at = strstr(form, place);

    if (!at)
        return g_str_equal(part, form);
    size_t before = (size_t)(at - form), after = strlen(at + strlen(place));
    return !g_str_equal(part, "*") && strlen(part) > before + after &&
           strncmp(part, form, before) == 0 && g_str_has_suffix(part, at + strlen(place));
}

char *
artifact_title(const char *path)
{
    g_autofree char *base = g_path_get_basename(path);
    char *dot = strrchr(base, '.');

    if (dot && dot > base)
        *dot = '\0';
    return g_steal_pointer(&base);
}

/* How many parts of the kind's path the path fits, and its state, borrowed; 0: it does not. The last part of the kind's may be a
 * {path}: then folders may stand before the name. */
static unsigned
fits(char *const *parts, const ConfArtifact *kind, const char **ret_state)
{
    g_auto(GStrv) forms = g_strsplit(kind->path, "/", -1);
    unsigned n = g_strv_length(forms), n_parts = g_strv_length((char **)parts);
    bool deep = strstr(forms[n - 1], PATH_PART) != NULL;

    *ret_state = NULL;
    if (deep ? n_parts < n : n_parts != n)
        return 0;
    for (unsigned i = 0; i + 1 < n; i++) {
        if (g_str_equal(forms[i], STATE_PART))
            *ret_state = parts[i];
        else if (!fits_name(parts[i], forms[i], NAME_PART))
            return 0;
    }
    for (unsigned i = n - 1; i + 1 < n_parts; i++)
        if (g_str_equal(parts[i], "*"))
            return 0;
    return fits_name(parts[n_parts - 1], forms[n - 1], deep ? PATH_PART : NAME_PART) ? n : 0;
}

/* Of several kinds that fit the one with the most parts is meant, then the first. NULL: none fits. */
static const ConfArtifact *
find_kind(const Config *config, char *const *parts, const char **ret_state)
{
    const ConfArtifact *kind = NULL;
    unsigned most = 0;

    for (unsigned i = 0; i < config->n_artifacts; i++) {
        const char *state;
        unsigned n = fits(parts, &config->artifacts[i], &state);
        if (n <= most)
            continue;
        most = n;
        kind = &config->artifacts[i];
        *ret_state = state;
    }
    return kind;
}

/* The path beneath the root, in parts; NULL: it is none. Caller frees. */
static char **
parts_of(const char *root, const char *said, GError **error)
{
    g_autofree char *beneath = g_strconcat(root, "/", NULL);
    const char *rest = g_str_has_prefix(said, beneath) ? said + strlen(beneath) : said;

    while (g_str_has_prefix(rest, "./"))
        rest += 2;
    g_auto(GStrv) parts = g_strsplit(rest, "/", -1);
    for (char **part = parts; *part; part++) {
        bool glob = strpbrk(*part, "*?[\\") && !g_str_equal(*part, "*");
        if (!**part || g_str_equal(*part, ".") || g_str_equal(*part, "..") || glob ||
            strpbrk(*part, "\n\r\t{}") || !g_utf8_validate(*part, -1, NULL)) {
            err_set(error, ERR_NEVER,
                    "'%s' is no path of an artifact: it lies beneath the root, and * stands "
                    "for its state alone",
                    said);
            return NULL;
        }
    }
    return g_steal_pointer(&parts);
}

static bool
read_said(const Engine *engine, const char *said, ArtifactPlace *ret, GError **error)
{
    g_auto(GStrv) parts = parts_of(ret->root, said, error);
    const char *state = NULL;

    if (!parts)
        return false;
    ret->kind = find_kind(engine->home->config, parts, &state);
    if (!ret->kind)
        return err_set(error, ERR_NEVER, "'%s' is of no kind that an [artifact] section names",
                       said);
    g_autoptr(GPtrArray) named = g_ptr_array_new();
    for (char **part = parts; *part; part++)
        g_ptr_array_add(named, *part == state ? (char *)"*" : *part);
    g_ptr_array_add(named, NULL);
    ret->name = g_strjoinv("/", (char **)named->pdata);
    ret->title = artifact_title(ret->name);
    ret->said_state = state && !g_str_equal(state, "*") ? g_strdup(state) : NULL;
    return true;
}

bool
artifact_is_path(const Config *config, const char *path)
{
    g_auto(GStrv) parts = parts_of("", path, NULL);
    const char *state;

    return parts && find_kind(config, parts, &state);
}

char *
artifact_place_in(const ArtifactPlace *p, const char *state)
{
    GString *path = g_string_new(p->name);

    g_string_replace(path, "*", state, 1);
    return g_string_free(path, FALSE);
}

/* --- who may move what --- */

/* The words of a move: from, to, who. Caller frees. */
static char **
move_words(const char *move)
{
    char **words = g_strsplit_set(move, " \t", -1), **end = words;

    for (char **word = words; *word; word++) {
        if (**word)
            *end++ = *word;
        else
            g_free(*word);
    }
    *end = NULL;
    return words;
}

char *
artifact_first_state(const ConfArtifact *kind)
{
    g_auto(GStrv) words = kind->moves[0] ? move_words(kind->moves[0]) : NULL;

    return g_strdup(words ? words[0] : "proposed");
}

char *
artifact_next_state(const ConfArtifact *kind, const char *from)
{
    for (const char *const *move = kind->moves; *move; move++) {
        g_auto(GStrv) words = move_words(*move);
        if (g_str_equal(words[0], from))
            return g_strdup(words[1]);
    }
    return NULL;
}

bool
artifact_knows_state(const ConfArtifact *kind, const char *state)
{
    for (const char *const *move = kind->moves; *move; move++) {
        g_auto(GStrv) words = move_words(*move);
        if (g_str_equal(words[0], state) || g_str_equal(words[1], state))
            return true;
    }
    return false;
}

/* Who is named for the move, with words in front; NULL: the move is not in the table. Caller frees. */
static char **
gatekeepers(const ConfArtifact *kind, const char *from, const char *to)
{
    for (const char *const *move = kind->moves; *move; move++) {
        g_auto(GStrv) words = move_words(*move);
        if (g_str_equal(words[0], from) && g_str_equal(words[1], to))
            return g_steal_pointer(&words);
    }
    return NULL;
}

bool
artifact_leads(const ConfArtifact *kind, const char *from, const char *to)
{
    g_auto(GStrv) words = gatekeepers(kind, from, to);

    return words != NULL;
}

bool
artifact_is_authors(const ConfArtifact *kind, const char *from, const char *to)
{
    g_auto(GStrv) words = gatekeepers(kind, from, to);

    return words && g_strv_contains((const char *const *)words + 2, "author");
}

bool
artifact_has_claim(const ConfArtifact *kind, EventType type)
{
    g_autofree char *first = artifact_first_state(kind),
                    *next = artifact_next_state(kind, first);

    return type == EVENT_REVIEW_REQUEST ||
           (type == EVENT_STATUS_UPDATE && next && artifact_is_authors(kind, first, next));
}

static const ConfArtifact *
kind_of(const Engine *engine, const Artifact *a)
{
    return config_artifact(engine->home->config, a->kind);
}

/* A name of a move, as that of a role or person. */
static const char *
name_of(const char *word, const Artifact *a)
{
    return g_str_equal(word, "holder")   ? (a ? a->holder : "")
           : g_str_equal(word, "author") ? (a ? a->author : "")
                                         : word;
}

char *
artifact_next_movers(const Engine *engine, const Artifact *a)
{
    const ConfArtifact *kind = kind_of(engine, a);
    g_autofree char *next = kind ? artifact_next_state(kind, a->state) : NULL;
    g_auto(GStrv) words = next ? gatekeepers(kind, a->state, next) : NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (char **w = words ? words + 2 : NULL; w && *w; w++)
        if (*name_of(*w, a))
            g_ptr_array_add(names, (char *)name_of(*w, a));
    g_ptr_array_add(names, NULL);
    return g_strjoinv(",", (char **)names->pdata);
}

unsigned
artifact_state_order(const Engine *engine, const Artifact *a)
{
    const ConfArtifact *kind = kind_of(engine, a);
    unsigned n = 0;

    for (const char *const *move = kind ? kind->moves : NULL; move && *move; move++, n++) {
        g_auto(GStrv) words = move_words(*move);
        if (g_str_equal(words[0], a->state))
            return n;
    }
    return n;
}

bool
artifact_is_gate(const ConfArtifact *kind, const char *from, const char *to)
{
    g_autofree char *first = artifact_first_state(kind),
                    *next = artifact_next_state(kind, first);
    g_auto(GStrv) who = gatekeepers(kind, from, to);
    bool review = false;

    for (char **w = who ? who + 2 : NULL; w && *w; w++)
        review |= g_str_has_suffix(*w, "-reviewer");
    return review && g_str_equal(from, first) && g_strcmp0(to, next) == 0;
}

/* spec-reviewer-panel may do what spec-reviewer may. */
static bool
is_panel_of(const Engine *engine, const char *who, const char *name)
{
    return config_panel(engine->home->config, who) && g_str_has_prefix(who, name) &&
           g_str_equal(who + strlen(name), "-panel");
}

bool
artifact_may_move(const Engine *engine,
                  const ConfArtifact *kind,
                  const Artifact *a,
                  const char *from,
                  const char *to,
                  const char *who,
                  GError **error)
{
    g_auto(GStrv) words = gatekeepers(kind, from, to);

    if (!words)
        return err_set(error, ERR_NEVER, "a %s does not go from '%s' to '%s'", kind->name, from,
                       to);
    for (char **w = words + 2; *w; w++) {
        if (g_str_equal(name_of(*w, a), who) || is_panel_of(engine, who, name_of(*w, a)))
            return true;
    }
    if (g_str_equal(who, workflow_coordinator(engine)))
        return true;
    g_autofree char *names = g_strjoinv(", ", words + 2);
    return err_set(error, ERR_NEVER, "'%s' may not move a %s from '%s' to '%s'; who may: %s",
                   who, kind->name, from, to, names);
}

/* --- finding --- */

/* Looks into the folder of one state. */
static bool
try_state(ArtifactPlace *p, int root, const char *state, GError **error)
{
    g_autofree char *path = artifact_place_in(p, state);
    Digest bytes;
    bool there;

    if (!file_digest_in(root, path, &there, &bytes, error))
        return err_prefix(error, "'%s'", path);
    if (!there)
        return true;
    if (p->path)
        return err_set(error, ERR_NEVER, "it is in two states: '%s' and '%s'; remove one",
                       p->path, path);
    p->path = g_steal_pointer(&path);
    p->state = p->kind->states == CONF_STATES_RECORD ? NULL : g_strdup(state);
    p->bytes = bytes;
    return true;
}

static bool
find_file(ArtifactPlace *p, GError **error)
{
    g_autoptr(GHashTable) tried = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    auto_fd root = dir_open(p->root, error);

    if (root < 0)
        return false;
    if (p->kind->states == CONF_STATES_RECORD)
        return try_state(p, root, "", error);
    for (const char *const *move = p->kind->moves; *move; move++) {
        g_auto(GStrv) words = move_words(*move);
        for (int i = 0; i < 2; i++)
            if (g_hash_table_add(tried, g_strdup(words[i])) && !try_state(p, root, words[i], error))
                return false;
    }
    return true;
}

bool
artifact_place_look(const Engine *engine, const char *said, ArtifactPlace *ret, GError **error)
{
    g_auto(ArtifactPlace) p = {.root = workflow_root(engine, error),
                               .said_root = engine->home->config->workflow_root};

    if (!p.root || !read_said(engine, said, &p, error) || !find_file(&p, error))
        return false;
    if (p.said_state && !artifact_knows_state(p.kind, p.said_state))
        return err_set(error, ERR_NEVER, "'%s' is no state of a %s", p.said_state,
                       p.kind->name);
    *ret = p;
    p = (ArtifactPlace){0};
    return true;
}

bool
artifact_place_rests(const Engine *engine, const ArtifactPlace *p, GError **error)
{
    EffectId last;

    return file_effect_last(engine->db, p->said_root, p->name, &last, error) &&
           (!last.v || err_set(error, ERR_LATER, "'%s' is being written; try again", p->name));
}

bool
artifact_place_find(const Engine *engine, const char *said, ArtifactPlace *ret, GError **error)
{
    g_auto(ArtifactPlace) p = {0};

    if (!artifact_place_look(engine, said, &p, error))
        return false;
    if (!p.path)
        return err_set(error, ERR_NEVER, "there is no '%s'", said);
    *ret = p;
    p = (ArtifactPlace){0};
    return true;
}

bool
artifact_place_new(const Engine *engine,
                   const char *said,
                   const ConfArtifact **ret_kind,
                   char **ret_path,
                   GError **error)
{
    g_auto(ArtifactPlace) p = {.root = workflow_root(engine, error)};

    if (!p.root || !read_said(engine, said, &p, error) || !find_file(&p, error))
        return false;
    if (p.path)
        return err_set(error, ERR_NEVER, "there is a '%s' already", p.path);
    g_autofree char *first = artifact_first_state(p.kind);
    if (p.said_state && !g_str_equal(p.said_state, first))
        return err_set(error, ERR_NEVER, "a new %s begins in '%s'", p.kind->name, first);
    *ret_kind = p.kind;
    *ret_path = artifact_place_in(&p, first);
    return true;
}
