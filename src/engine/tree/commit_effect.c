/*
 * A commit of one file and its move, as an effect: what HEAD has, but for this file, whose
 * bytes are those that the decision was about. It is made beside the index, so what others have
 * staged stays staged and is not in it; of the index only the entries of these paths become
 * what was committed. By plumbing: no hook runs, nothing is signed. HEAD moves last, by a
 * compare and swap, so a redo finds it done or begins anew.
 */
#include "base/crash.h"
#include "base/file.h"
#include "base/limits.h"
#include "engine/tree/file_effects_internal.h"
#include "engine/tree/tree_internal.h"

enum { COMMIT_ROOT, COMMIT_FROM, COMMIT_TO, COMMIT_BYTES, WHAT, WHO, ADDRESS, AT, MESSAGE, COMMIT_LINES };

bool
file_effect_commit(Txn *txn, const FileMove *move, const FileCommit *commit, GError **error)
{
    g_autofree char *subject = g_strconcat("git:", move->root, NULL);
    g_autofree char *hex = digest_hex(move->bytes);
    g_autofree char *args = g_strdup_printf(
        "%s\n%s\n%s\n%s\n%s\n%s\n%s\n%" G_GINT64_FORMAT "\n%s", move->root, move->from, move->to,
        hex, move->what, commit->who, commit->address, txn_now(txn) / G_USEC_PER_SEC, commit->message);
    const Effect e = {
        .kind = EFFECT_GIT_COMMIT, .account = EFFECT_FILES, .subject = subject, .args = args};
    EffectId id;

    return effect_put(txn, &e, &id, error);
}

/* --- what is there --- */

typedef struct Making {
    char **l; /* lines of the effect */
    GitRepo *repo; /* NULL: none */
    char *from, *to; /* as the repository knows them */
    char *head;      /* NULL: nothing was committed yet */
} Making;

static void
making_clear(Making *m)
{
    g_strfreev(m->l);
    git_repo_free(m->repo);
    free_all(m->from, m->to, m->head);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Making, making_clear)

static bool
making_open(Db *db, const Effect *e, Making *m, GError **error)
{
    int status = 0;

    m->l = effect_lines(db, e, COMMIT_LINES, error);
    if (!m->l || !effect_repo(db, m->l[COMMIT_ROOT], &m->repo, error))
        return false;
    if (!m->repo)
        return true;
    m->from = g_build_filename(m->repo->prefix, m->l[COMMIT_FROM], NULL);
    m->to = g_build_filename(m->repo->prefix, m->l[COMMIT_TO], NULL);
    const GitCall call = {.repo = m->repo, .git_dir = m->repo->own, .ret_status = &status};
    if (!git_line(&call, GIT_ARGS("rev-parse", "--verify", "-q", "HEAD^{commit}"), &m->head, error))
        return false;
    if (status != 0)
        g_clear_pointer(&m->head, g_free);
    return true;
}

/* The entry of HEAD at a path, "100644 blob ID"; NULL: HEAD has no such file. */
static bool
head_entry(const Making *m, const char *path, char **ret, GError **error)
{
    const GitCall call = {.repo = m->repo, .content = true};
    g_autofree char *line = NULL;

    *ret = NULL;
    if (!m->head)
        return true;
    if (!git_line(&call, GIT_ARGS("ls-tree", "--full-tree", m->head, "--", path), &line, error))
        return false;
    if (line && *line)
        *ret = g_strndup(line, strcspn(line, "\t"));
    return true;
}

/* *ret is true when HEAD has these bytes at the new place, and no file at the old place. */
static bool
is_committed(const Making *m, bool *ret, GError **error)
{
    const GitCall call = {.repo = m->repo, .content = true, .max = LIMIT_MESSAGE_BYTES};
    g_autofree char *from = NULL, *to = NULL;
    g_autoptr(GBytes) bytes = NULL;
    Digest d;

    *ret = false;
    if ((!g_str_equal(m->from, m->to) && !head_entry(m, m->from, &from, error)) ||
        !head_entry(m, m->to, &to, error))
        return false;
    const char *id = to ? strrchr(to, ' ') : NULL;
    if (from || !id)
        return true;
    if (!git_run(&call, GIT_ARGS("cat-file", "blob", id + 1), &bytes, error))
        return false;
    digest_of_bytes(bytes, &d);
    g_autofree char *hex = digest_hex(&d);
    *ret = g_str_equal(hex, m->l[COMMIT_BYTES]);
    return true;
}

bool
commit_effect_look(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    g_auto(Making) m = {0};
    bool there, done = true, moving;
    Digest d;

    if (!making_open(db, e, &m, error) || (m.repo && !is_committed(&m, &done, error)))
        return false;
    *ret_seen = done ? EFFECT_DONE : EFFECT_NOT_YET;
    if (done)
        return true;
    g_autofree char *said = g_strndup(e->args, strcspn(e->args, "\n"));
    g_autofree char *moved = g_build_filename(said, m.l[WHAT], NULL); /* as its move says */
    if (!file_digest(m.l[COMMIT_ROOT], m.l[COMMIT_TO], &there, &d, error) ||
        !effect_is_owed(db, EFFECT_FILE_MOVE, moved, &moving, error))
        return false;
    g_autofree char *hex = there ? digest_hex(&d) : NULL;
    if (moving || g_strcmp0(hex, m.l[COMMIT_BYTES]) == 0)
        return true;
    *ret_seen = EFFECT_FOREIGN;
    *ret_why = g_strdup_printf(there ? "'%s' was changed meanwhile" : "'%s' is not there",
                               m.l[COMMIT_TO]);
    return true;
}

/* --- the commit --- */

/* The bytes become an object of the repository. */
static bool
write_blob(const Making *m, char **ret, GError **error)
{
    auto_fd dir = dir_open(m->l[COMMIT_ROOT], error);
    g_autoptr(GBytes) bytes = NULL;
    Digest d;

    if (dir < 0 || !file_read(dir, m->l[COMMIT_TO], LIMIT_MESSAGE_BYTES, &bytes, error))
        return false;
    if (bytes)
        digest_of_bytes(bytes, &d);
    g_autofree char *hex = bytes ? digest_hex(&d) : NULL;
    if (g_strcmp0(hex, m->l[COMMIT_BYTES]) != 0)
        return err_set(error, ERR_LATER, "'%s' is not there yet", m->l[COMMIT_TO]);
    const GitCall call = {.repo = m->repo, .content = true, .input = bytes};
    return git_line(&call, GIT_ARGS("hash-object", "-w", "--stdin"), ret, error);
}

/* "100755" or "100644": as HEAD has it, at its old or its new place. */
static bool
find_mode(const Making *m, char **ret, GError **error)
{
    g_autofree char *entry = NULL;

    if (!head_entry(m, m->from, &entry, error) ||
        (!entry && !head_entry(m, m->to, &entry, error)))
        return false;
    *ret = g_strdup(entry && g_str_has_prefix(entry, "100755") ? "100755" : "100644");
    return true;
}

/* In this index the file lies at its new place alone. */
static bool
put_entry(const Making *m, const char *index, const char *info, GError **error)
{
    const GitCall call = {
        .repo = m->repo, .content = true, .work_tree = m->l[COMMIT_ROOT], .index = index};
    bool moves = !g_str_equal(m->from, m->to);

    return (!moves ||
            git_run(&call, GIT_ARGS("update-index", "--force-remove", "--", m->from), NULL, error)) &&
           git_run(&call, GIT_ARGS("update-index", "--add", "--cacheinfo", info), NULL, error);
}

/* HEAD's tree with the file at its new place, by an index of our own. */
static bool
write_tree(const Making *m, const char *info, const char *index, char **ret, GError **error)
{
    const GitCall call = {
        .repo = m->repo, .content = true, .work_tree = m->l[COMMIT_ROOT], .index = index};

    return git_run(&call, m->head ? GIT_ARGS("read-tree", m->head) : GIT_ARGS("read-tree", "--empty"),
                   NULL, error) &&
           put_entry(m, index, info, error) && git_line(&call, GIT_ARGS("write-tree"), ret, error);
}

/* *ret is true when HEAD has this tree already: another process, which saw the effect owed too,
 * has committed it. */
static bool
is_head_tree(const Making *m, const char *tree, bool *ret, GError **error)
{
    const GitCall call = {.repo = m->repo, .content = true};
    g_autofree char *name = m->head ? g_strconcat(m->head, "^{tree}", NULL) : NULL;
    g_autofree char *has = NULL;

    *ret = false;
    if (name && !git_line(&call, GIT_ARGS("rev-parse", "--verify", "-q", name), &has, error))
        return false;
    *ret = g_strcmp0(has, tree) == 0;
    return true;
}

static bool
write_commit(const Making *m, const char *tree, char **ret, GError **error)
{
    char *const *l = m->l;
    g_autofree char *date = g_strdup_printf("@%s +0000", l[AT]);
    char **env = NULL;
    static const char *const names[] = {"GIT_AUTHOR_NAME",    "GIT_COMMITTER_NAME",
                                        "GIT_AUTHOR_EMAIL",   "GIT_COMMITTER_EMAIL",
                                        "GIT_AUTHOR_DATE",    "GIT_COMMITTER_DATE"};
    const char *const values[] = {l[WHO], l[WHO], l[ADDRESS], l[ADDRESS], date, date};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        env = g_environ_setenv(env, names[i], values[i], TRUE);
    g_auto(GStrv) own = env;
    const GitCall call = {.repo = m->repo, .content = true, .env = (const char *const *)own};
    return git_line(&call,
                    m->head ? GIT_ARGS("commit-tree", "-p", m->head, "-m", l[MESSAGE], tree)
                            : GIT_ARGS("commit-tree", "-m", l[MESSAGE], tree),
                    ret, error);
}

static bool
move_head(const Making *m, const char *commit, GError **error)
{
    static const char none[] = "0000000000000000000000000000000000000000";
    g_autofree char *why = g_strconcat("commit: ", m->l[MESSAGE], NULL);
    const GitCall call = {.repo = m->repo, .git_dir = m->repo->own};

    return git_run(&call,
                   GIT_ARGS("update-ref", "-m", why, "HEAD", commit, m->head ? m->head : none),
                   NULL, error);
}

static bool
commit(const Making *m, const char *beside, GError **error)
{
    g_autofree char *index = g_build_filename(m->repo->own, "index", NULL);
    g_autofree char *blob = NULL, *mode = NULL, *tree = NULL, *made = NULL;
    bool done;

    if (!write_blob(m, &blob, error) || !find_mode(m, &mode, error))
        return false;
    g_autofree char *info = g_strdup_printf("%s,%s,%s", mode, blob, m->to);
    if (!write_tree(m, info, beside, &tree, error) || !is_head_tree(m, tree, &done, error) ||
        (!done && !write_commit(m, tree, &made, error)) ||
        !git_unsplit(m->repo, m->repo->own, error) || !put_entry(m, index, info, error))
        return false;
    if (done)
        return true;
    CRASH_POINT("commit-made");
    if (!move_head(m, made, error))
        return false;
    CRASH_POINT("commit-done");
    return true;
}

bool
commit_effect_act(Db *db, const Effect *e, GError **error)
{
    g_auto(Making) m = {0};

    if (!making_open(db, e, &m, error))
        return false;
    if (!m.repo)
        return true;
    if (tree_is_unfinished(m.repo->own))
        return err_set(error, ERR_LATER, "a merge or a rebase of '%s' is not finished",
                       m.l[COMMIT_ROOT]);
    g_autofree char *beside = g_strdup_printf("%s/commit-%" G_GINT64_FORMAT "-%d.index", m.repo->ours,
                                              e->id.v, (int)getpid());
    bool ok = commit(&m, beside, error);
    (void)unlink(beside);
    return ok;
}
