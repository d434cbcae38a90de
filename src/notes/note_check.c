#include "notes/contents.h"
#include "notes/note_links.h"
#include "notes/notes.h"

static void
free_finding(gpointer data)
{
    NoteFinding *f = data;

    free_all(f->key, f->target, f->nearest, f->what, f);
}

typedef struct Check {
    Db *db;
    Notes *notes;       /* by key */
    GHashTable *keys;   /* of them */
    GHashTable *listed; /* keys that CONTENTS leads to */
    GPtrArray *folders; /* "scratch/": folders that it lists as a whole */
    GPtrArray *findings;
} Check;

static void
check_clear(Check *c)
{
    g_clear_pointer(&c->notes, notes_free);
    g_clear_pointer(&c->keys, g_hash_table_unref);
    g_clear_pointer(&c->listed, g_hash_table_unref);
    g_clear_pointer(&c->folders, g_ptr_array_unref);
    g_clear_pointer(&c->findings, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Check, check_clear)

static bool
check_begin(Check *c, Db *db, const Viewer *viewer, GError **error)
{
    *c = (Check){.db = db};
    c->keys = g_hash_table_new(g_str_hash, g_str_equal);
    c->listed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    c->folders = g_ptr_array_new_with_free_func(g_free);
    c->findings = g_ptr_array_new_with_free_func(free_finding);
    if (!notes_list(db, viewer, "", &c->notes, error))
        return false;
    for (guint i = 0; i < c->notes->len; i++)
        g_hash_table_add(c->keys, c->notes->pdata[i]->key);
    return true;
}

/* --- the nearest key --- */

static const char *
last_part(const char *key)
{
    const char *slash = strrchr(key, '/');

    return slash ? slash + 1 : key;
}

/* A note of the same name in another folder was moved; else a misspelling changes little. */
static unsigned
strangeness(const char *want, const char *key, unsigned worst)
{
    size_t a = strlen(want), b = strlen(key);

    if (g_ascii_strcasecmp(last_part(want), last_part(key)) == 0)
        return 1;
    if ((a > b ? a - b : b - a) > worst)
        return worst + 1;
    return text_distance(want, key, worst);
}

static const char *
nearest_key(const Check *c, const char *want)
{
    unsigned best = MAX((unsigned)strlen(want) / 4, 2) + 1;
    const char *nearest = NULL;

    for (guint i = 0; i < c->notes->len; i++) {
        const char *key = c->notes->pdata[i]->key;
        unsigned distance = strangeness(want, key, best - 1);

        if (distance >= best || distance >= strlen(want))
            continue;
        best = distance;
        nearest = key;
    }
    return nearest;
}

bool
notes_nearest(Db *db, const Viewer *viewer, const char *key, char **ret, GError **error)
{
    g_auto(Check) c = {0};
    g_auto(Snapshot) reads = {0};

    snapshot_begin(db, &reads);
    if (!check_begin(&c, db, viewer, error))
        return false;
    *ret = g_strdup(nearest_key(&c, key));
    return true;
}

/* --- links --- */

/* Where a link leads: a key of ours, as it stands or seen from the note's own folder; NULL:
 * nowhere. A folder may be empty. Caller frees. */
static char *
resolve(const Check *c, const char *from, const char *target)
{
    g_autofree char *with_suffix = g_strconcat(target, ".md", NULL);
    g_autofree char *beside =
        g_strdup_printf("%.*s%s", (int)(last_part(from) - from), from, target);
    const char *const tries[] = {target, beside, with_suffix};

    if (g_str_has_suffix(target, "/"))
        return g_strdup(target);
    for (size_t i = 0; i < G_N_ELEMENTS(tries); i++)
        if (g_hash_table_contains(c->keys, tries[i]))
            return g_strdup(tries[i]);
    return NULL;
}

static void
add_finding(Check *c, const char *key, unsigned line, const char *target, const char *what)
{
    NoteFinding *f = g_new0(NoteFinding, 1);
    const char *nearest = target ? nearest_key(c, target) : NULL;

    *f = (NoteFinding){.key = g_strdup(key),
                       .line = line,
                       .target = g_strdup(target),
                       .nearest = g_strdup(nearest)};
    f->what =
        nearest ? g_strdup_printf("%s; did you mean '%s'?", what, nearest) : g_strdup(what);
    g_ptr_array_add(c->findings, f);
}

/* In the notes that are lists of notes, a list line's first word is meant as a key. Elsewhere
 * it may be any word, and only a link is one. */
static bool
means_key(const char *note, const NoteLink *link)
{
    bool index = g_str_equal(note, CONTENTS_KEY) || g_str_has_suffix(note, "-index");

    return link->kind != NOTE_LINK_ITEM || (index && (link->apart || link->marked));
}

static void
check_link(Check *c, const char *note, const NoteLink *link)
{
    g_autofree char *found = resolve(c, note, link->key);
    bool contents = g_str_equal(note, CONTENTS_KEY);

    if (!found && means_key(note, link)) {
        g_autofree char *what =
            g_strdup_printf("%s '%s' leads nowhere",
                            link->kind == NOTE_LINK_ITEM ? "the line" : "the link", link->key);
        add_finding(c, note, link->line, link->key, what);
    }
    if (contents && g_str_has_prefix(link->key, NOTE_SPACES))
        add_finding(c, note, link->line, NULL,
                    "a key of " NOTE_SPACES " must not stand here: every role sees CONTENTS");
    if (!found || !contents)
        return;
    if (g_str_has_suffix(found, "/"))
        g_ptr_array_add(c->folders, g_steal_pointer(&found));
    else
        g_hash_table_add(c->listed, g_steal_pointer(&found));
}

static bool
check_note(Check *c, const char *key, GError **error)
{
    g_autoptr(Note) note = NULL;

    if (!note_load(c->db, &VIEWER_OPERATOR, key, 0, &note, error))
        return false;
    if (!note)
        return true; /* deleted since */
    g_autofree char *text = note_text(note);
    g_autoptr(GPtrArray) links = note_links_find(text);
    for (guint i = 0; i < links->len; i++)
        check_link(c, key, g_ptr_array_index(links, i));
    return true;
}

/* --- CONTENTS --- */

static bool
is_listed(const Check *c, const char *key)
{
    if (g_str_equal(key, CONTENTS_KEY) || g_str_has_prefix(key, NOTE_SPACES) ||
        g_hash_table_contains(c->listed, key))
        return true;
    for (guint i = 0; i < c->folders->len; i++)
        if (g_str_has_prefix(key, g_ptr_array_index(c->folders, i)))
            return true;
    return false;
}

static void
check_listed(Check *c)
{
    if (c->notes->len > 0 && !g_hash_table_contains(c->keys, CONTENTS_KEY)) {
        add_finding(c, CONTENTS_KEY, 0, NULL, "there is no note CONTENTS");
        return;
    }
    for (guint i = 0; i < c->notes->len; i++) {
        const char *key = c->notes->pdata[i]->key;

        if (!is_listed(c, key))
            add_finding(c, key, 0, NULL, "is not listed in CONTENTS");
    }
}

bool
notes_check(Db *db, GPtrArray **ret, GError **error)
{
    g_auto(Check) c = {0};
    g_auto(Snapshot) reads = {0};

    snapshot_begin(db, &reads);
    if (!check_begin(&c, db, &VIEWER_OPERATOR, error))
        return false;
    for (guint i = 0; i < c.notes->len; i++)
        if (!check_note(&c, ((Note *)g_ptr_array_index(c.notes, i))->key, error))
            return false;
    check_listed(&c);
    *ret = g_steal_pointer(&c.findings);
    return true;
}
