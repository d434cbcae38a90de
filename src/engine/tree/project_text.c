#include "engine/tree/project_text.h"

#define TEXT_MAX (32u << 10)
#define READ_MAX (1u << 20)

void
project_text_free(ProjectText *t)
{
    if (!t)
        return;
    free_all(t->path, t->id, t->text, t);
}

/* The bytes of "COMMIT:PATH" as text. NULL: there is no such file, or it is no text of a
 * reasonable size. */
static char *
read_text(const GitRepo *repo, const char *what)
{
    const GitCall call = {.repo = repo, .content = true, .max = READ_MAX};
    g_autoptr(GBytes) bytes = NULL;

    if (!git_run(&call, GIT_ARGS("cat-file", "blob", what), &bytes, NULL))
        return NULL;
    char *text = text_valid_bytes(bytes);
    text[text_cut_at(text, TEXT_MAX)] = '\0';
    return text;
}

/* A line of ls-tree: "100644 blob ID\tPATH". A link is no file. */
static void
add_text(const GitRepo *repo,
         const char *commit,
         const char *line,
         GHashTable *seen,
         ProjectTexts *to)
{
    const char *tab = strchr(line, '\t');
    g_auto(GStrv) words = g_strsplit(line, " ", 3);

    if (!tab || g_strv_length(words) != 3 || !g_str_has_prefix(words[0], "100"))
        return;
    g_autofree char *object = g_strndup(words[2], strcspn(words[2], "\t"));
    if (g_hash_table_contains(seen, object))
        return;
    g_autofree char *what = g_strdup_printf("%s:%s", commit, tab + 1);
    g_autofree char *text = read_text(repo, what);
    if (!text)
        return;
    g_hash_table_add(seen, g_steal_pointer(&object));
    ProjectText *t = g_new0(ProjectText, 1);
    *t = (ProjectText){.path = g_strdup(tab + 1),
                       .id = g_strconcat(":", what, NULL),
                       .text = g_steal_pointer(&text)};
    g_ptr_array_add(LIST_ARRAY(to), t);
}

static bool
list(const GitRepo *repo, const TreeRow *row, GBytes **ret, GError **error)
{
    const GitCall call = {.repo = repo, .content = true};
    g_autofree char *claude = g_strconcat(row->prefix, "/CLAUDE.md", NULL);
    g_autofree char *agents = g_strconcat(row->prefix, "/AGENTS.md", NULL);
    bool within = *row->prefix != '\0';

    return git_run(&call,
                   GIT_ARGS("ls-tree", "-z", "--full-tree", row->base, "--", "CLAUDE.md",
                            "AGENTS.md", within ? claude : NULL, agents),
                   ret, error);
}

bool
project_texts_load(Engine *engine, const Job *job, ProjectTexts **ret, GError **error)
{
    g_autoptr(ProjectTexts) texts = project_texts_new();
    g_autoptr(TreeRow) row = NULL;
    g_autoptr(GitRepo) repo = NULL;
    g_autoptr(GBytes) names = NULL;
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    if (!tree_find(engine->db, job->id, &row, error))
        return false;
    if (row &&
        (!git_open(engine->home, row->repo, &repo, error) || !list(repo, row, &names, error)))
        return false;
    gsize len = 0;
    const char *p = names ? g_bytes_get_data(names, &len) : NULL, *end = p + len;
    while (p < end) {
        g_autofree char *line = g_strndup(p, (size_t)(end - p));
        add_text(repo, row->base, line, seen, texts);
        p += strlen(line) + 1;
    }
    *ret = g_steal_pointer(&texts);
    return true;
}

bool
project_text_recall(Engine *engine, const Job *job, const char *id, char **ret, GError **error)
{
    g_autoptr(TreeRow) row = NULL;
    g_autoptr(GitRepo) repo = NULL;
    g_autoptr(GError) gone = NULL;

    *ret = NULL;
    if (!tree_find(engine->db, job->id, &row, error))
        return false;
    if (row && *id == ':' && git_open(engine->home, row->repo, &repo, &gone))
        *ret = read_text(repo, id + 1);
    return true;
}
