#include "workflow/flow_tree.h"
#include "base/file.h"
#include "base/limits.h"
#include "engine/tree/tree_twin.h"
#include "workflow/artifact_place.h"
#include "workflow/flow_acts.h"

#define FILES_MAX 10000u /* that are looked at */

/* A file of the worktree under the path of an artifact. */
typedef struct TreeFile {
    char *path; /* beneath the root */
    GBytes *bytes;
    Digest digest;
    ArtifactPlace place; /* where the artifact lies in the root */
    GError *no_place;    /* why that can't be told */
    Artifact *artifact;  /* NULL: the record does not know it */
} TreeFile;

static void
tree_file_clear(TreeFile *f)
{
    g_clear_pointer(&f->bytes, g_bytes_unref);
    artifact_place_clear(&f->place);
    g_clear_error(&f->no_place);
    artifact_free(f->artifact);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TreeFile, tree_file_clear)

/* --- which files --- */

static int
compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Paths in the worktree that artifacts may have, char *, in order; NULL with an error. */
static GPtrArray *
find_files(const Config *config, const TreeTwin *twin, GError **error)
{
    g_autoptr(GBytes) names = NULL;
    gsize len;

    if (!tree_twin_names(twin, &names, error))
        return NULL;
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    const char *p = g_bytes_get_data(names, &len), *end = p + len;
    for (; p < end && found->len < FILES_MAX; p += strlen(p) + 1)
        if (artifact_is_path(config, p))
            g_ptr_array_add(found, g_strdup(p));
    g_ptr_array_sort(found, compare);
    return found;
}

/* --- which of them the program has changed --- */

static bool
is_same(GBytes *bytes, const Digest *d)
{
    Digest its;

    if (!bytes)
        return false;
    digest_of_bytes(bytes, &its);
    return digest_equal(&its, d);
}

/* What the write is to take the place of. *ret_changed false: the program has not changed it, or it is none of ours. */
static bool
find_before(Engine *engine,
            const Job *job,
            const TreeTwin *twin,
            const TreeFile *f,
            bool *ret_changed,
            char **ret_before,
            GError **error)
{
    g_autoptr(GBytes) began = NULL;
    g_autofree char *wrote = NULL, *now = digest_hex(&f->digest);

    *ret_changed = false;
    if (!tree_twin_before(twin, f->path, &began, error))
        return false;
    if (!began && f->place.path && !tree_twin_before(twin, f->place.path, &began, error))
        return false;
    if (is_same(began, &f->digest))
        return true;
    if (f->place.name && !artifact_written(engine->db, job->id, f->place.name, &wrote, error))
        return false;
    if (g_strcmp0(wrote, now) == 0)
        return true;
    *ret_changed = true;
    *ret_before = wrote ? g_steal_pointer(&wrote) : began ? digest_hex_of(began) : g_strdup("");
    return true;
}

/* *ret false: there is nothing to write of this file. */
static bool
read_file(Engine *engine, int root, const char *path, TreeFile *f, bool *ret, GError **error)
{
    *ret = false;
    f->path = (char *)path;
    if (!file_read(root, path, LIMIT_MESSAGE_BYTES, &f->bytes, NULL) || !f->bytes)
        return true;
    digest_of_bytes(f->bytes, &f->digest);
    if (!artifact_place_look(engine, path, &f->place, &f->no_place)) {
        *ret = f->place.name != NULL; /* else its name is none of an artifact */
        return err_is(f->no_place, ERR_NEVER) || err_pass(error, g_error_copy(f->no_place));
    }
    if (f->place.path && digest_equal(&f->place.bytes, &f->digest))
        return true;
    if (!artifact_find(engine->db, f->place.name, &f->artifact, error))
        return false;
    *ret = f->artifact || !f->place.path;
    return true;
}

/* --- the acts --- */

/* ERR_NEVER: it may not be written. */
static bool
propose(Engine *engine,
        const Job *job,
        const StepInput *in,
        const TreeFile *f,
        const char *before,
        Proposal *p,
        GError **error)
{
    gsize len;
    const char *text = g_bytes_get_data(f->bytes, &len);

    if (f->no_place)
        return err_pass(error, g_error_copy(f->no_place));
    if (!g_utf8_validate_len(text, len, NULL))
        return err_set(error, ERR_NEVER, "'%s' is no text in UTF-8", f->path);
    g_autoptr(json_t) args =
        json_pack("{s:s, s:s%, s:s}", "path", f->place.path ? f->place.path : f->path,
                  "content", text, len, "if_digest", before);
    if (!act_propose(engine, job, in, &act_write, args, p, error))
        return false;
    act_write_of_tree(p->acts->pdata[p->acts->len - 1]);
    return true;
}

static bool
look_at(Engine *engine,
        const Job *job,
        const StepInput *in,
        const TreeTwin *twin,
        int root,
        const char *path,
        const char *about,
        Proposal *p,
        GPtrArray *refused,
        GError **error)
{
    g_auto(TreeFile) f = {0};
    g_autofree char *before = NULL;
    g_autoptr(GError) why = NULL;
    bool changed;

    if (!read_file(engine, root, path, &f, &changed, error) ||
        (changed && !find_before(engine, job, twin, &f, &changed, &before, error)))
        return false;
    if (!changed || propose(engine, job, in, &f, before, p, &why))
        return true;
    bool its = about && g_strcmp0(about, f.place.name) == 0;
    if (its || !(err_is(why, ERR_NEVER) || err_is(why, ERR_LIMIT) || err_is(why, ERR_LATER)))
        return err_pass(error, g_steal_pointer(&why));
    if (refused)
        g_ptr_array_add(refused,
                        g_strdup_printf("'%s' was changed in the worktree, and not written: %s",
                                        path, why->message));
    return true;
}

bool
flow_tree_writes(Engine *engine,
                 const Job *job,
                 const StepInput *in,
                 const char *about,
                 Proposal *p,
                 GPtrArray *refused,
                 GError **error)
{
    const Config *config = engine->home->config;
    g_autoptr(TreeTwin) twin = NULL;
    g_auto(ArtifactPlace) its = {0};

    if (!*config->workflow_root || config->n_artifacts == 0)
        return true;
    g_autofree char *root = workflow_root(engine, error);
    if (!root || !tree_twin_open(engine, job, root, &twin, error))
        return false;
    auto_fd dir = twin ? dir_open(twin->path, NULL) : -1;
    if (dir < 0)
        return true;
    g_autoptr(GPtrArray) files = find_files(config, twin, error);
    if (!files)
        return false;
    if (about)
        (void)artifact_place_look(engine, about, &its, NULL);
    LIST_EACH(const char, path, files) {
        if (!look_at(engine, job, in, twin, dir, path, its.name, p, refused, error))
            return false;
    }
    return true;
}
