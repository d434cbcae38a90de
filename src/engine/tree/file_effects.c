#include "base/crash.h"
#include "base/exchange.h"
#include "base/file.h"
#include "base/limits.h"
#include "engine/face.h"
#include "engine/tree/file_effects_internal.h"
#include <fcntl.h>
#include <sys/stat.h>

#define FOLDER_MODE 0777 /* as the umask says: the folder is people's */
#define FILE_MODE 0666
#define UNFINISHED_US (24LL * 60 * 60 * G_USEC_PER_SEC) /* nobody writes one file for so long */

bool
file_digest_in(int dir, const char *path, bool *ret_there, Digest *ret, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;

    if (!file_read(dir, path, LIMIT_MESSAGE_BYTES, &bytes, error))
        return false;
    *ret_there = bytes != NULL;
    if (bytes)
        digest_of_bytes(bytes, ret);
    return true;
}

bool
file_digest(const char *root, const char *path, bool *ret_there, Digest *ret, GError **error)
{
    auto_fd dir = dir_open(root, error);

    return dir >= 0 && file_digest_in(dir, path, ret_there, ret, error);
}

/* --- what they say --- */

static bool
put(Txn *txn, EffectKind kind, const char *subject, const char *args, EffectId *ret, GError **error)
{
    const Effect e = {.kind = kind, .account = EFFECT_FILES, .subject = subject, .args = args};

    return effect_put(txn, &e, ret, error);
}

bool
file_effect_move(Txn *txn, const FileMove *move, EffectId *ret, GError **error)
{
    g_autofree char *subject = g_build_filename(move->root, move->what, NULL);
    g_autofree char *hex = digest_hex(move->bytes);
    g_autofree char *args =
        g_strdup_printf("%s\n%s\n%s\n%s", move->root, move->from, move->to, hex);

    return put(txn, EFFECT_FILE_MOVE, subject, args, ret, error);
}

bool
file_effect_index(Txn *txn, const FileMove *move, GError **error)
{
    g_autofree char *subject = g_strconcat("git:", move->root, NULL);
    g_autofree char *args = g_strdup_printf("%s\n%s\n%s", move->root, move->from, move->to);
    EffectId id;

    return put(txn, EFFECT_GIT_INDEX, subject, args, &id, error);
}

bool
file_effect_new(Txn *txn, const char *root, const char *path, const char *text, GError **error)
{
    g_autofree char *subject = g_build_filename(root, path, NULL);
    g_autofree char *args = g_strdup_printf("%s\n%s\n%s", root, path, text);
    EffectId id;

    return put(txn, EFFECT_FILE_NEW, subject, args, &id, error);
}

bool
file_effect_write(Txn *txn, const FileWrite *write, GError **error)
{
    g_autofree char *subject = g_build_filename(write->root, write->what, NULL);
    g_autofree char *before = write->before ? digest_hex(write->before) : g_strdup("");
    g_autofree char *args = g_strdup_printf("%s\n%s\n%s %s\n%s", write->root, write->path, before,
                                            write->who, write->text);
    const Effect e = {.kind = EFFECT_FILE_WRITE,
                      .job = write->job,
                      .account = EFFECT_FILES,
                      .subject = subject,
                      .args = args};
    EffectId id;

    return effect_put(txn, &e, &id, error);
}

bool
file_effect_last(Db *db, const char *root, const char *what, EffectId *ret, GError **error)
{
    g_autofree char *subject = g_build_filename(root, what, NULL);

    return effect_last(db, EFFECT_FILES, subject, ret, error);
}

char **
effect_lines(Db *db, const Effect *e, unsigned n, GError **error)
{
    g_auto(GStrv) lines = g_strsplit(e->args, "\n", (int)n);

    if (g_strv_length(lines) != n) {
        err_set(error, ERR_DAMAGE, "'%s' is no effect on a file", e->subject);
        return NULL;
    }
    g_autofree char *said = lines[0];
    lines[0] = g_canonicalize_filename(said, db_home(db)->path);
    return g_steal_pointer(&lines);
}

static bool
foreign(EffectSeen *ret_seen, char **ret_why, char *take_why)
{
    *ret_seen = EFFECT_FOREIGN;
    *ret_why = take_why;
    return true;
}

/* --- file-move --- */

enum { ROOT, FROM, TO, BYTES, MOVE_LINES };

typedef enum At { AT_NOTHING, AT_THE_FILE, AT_OTHER } At;

static bool
look_at(const char *root, const char *path, const char *hex, At *ret, GError **error)
{
    g_autoptr(GError) odd = NULL;
    bool there;
    Digest d;

    if (!file_digest(root, path, &there, &d, &odd)) {
        if (g_error_matches(odd, ERR_DOMAIN, ERR_NEVER) ||
            g_error_matches(odd, ERR_DOMAIN, ERR_LIMIT)) {
            *ret = AT_OTHER;
            return true;
        }
        g_propagate_error(error, g_steal_pointer(&odd));
        return false;
    }
    g_autofree char *found = there ? digest_hex(&d) : NULL;
    *ret = !there ? AT_NOTHING : g_str_equal(found, hex) ? AT_THE_FILE : AT_OTHER;
    return true;
}

/* The folder of a path beneath root, and *ret_name in it; -1 with an error. make: to write there. Then files go too that a
 * crash left there unfinished. */
static int
open_folder(int root, const char *path, bool make, const char **ret_name, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    const char *slash = strrchr(path, '/');
    unsigned n;

    *ret_name = slash ? slash + 1 : path;
    if (make && !dir_make(root, folder, FOLDER_MODE, error))
        return -1;
    int fd = dir_open_beneath(root, folder, error);
    if (make && fd >= 0)
        (void)file_sweep(fd, UNFINISHED_US, &n, NULL);
    return fd;
}

/* A folder that is gone has nothing that could be lost. */
static bool
flush_folder(int root, const char *path, GError **error)
{
    const char *name;
    g_autoptr(GError) gone = NULL;
    auto_fd dir = open_folder(root, path, false, &name, &gone);

    return dir < 0 || dir_flush(dir, error);
}

static bool
flush_both(char *const *l, GError **error)
{
    auto_fd root = dir_open(l[ROOT], error);

    return root >= 0 && flush_folder(root, l[TO], error) && flush_folder(root, l[FROM], error);
}

static bool
look_move(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    g_auto(GStrv) l = effect_lines(db, e, MOVE_LINES, error);
    At from, to;

    if (!l || !look_at(l[ROOT], l[FROM], l[BYTES], &from, error) ||
        !look_at(l[ROOT], l[TO], l[BYTES], &to, error))
        return false;
    if (from == AT_NOTHING && to == AT_THE_FILE) {
        *ret_seen = EFFECT_DONE;
        return flush_both(l, error);
    }
    if (to != AT_NOTHING)
        return foreign(ret_seen, ret_why, g_strdup_printf("'%s' is there already", l[TO]));
    if (from != AT_THE_FILE)
        return foreign(ret_seen, ret_why,
                       g_strdup_printf(from == AT_NOTHING ? "'%s' is gone"
                                                          : "'%s' was changed meanwhile",
                                       l[FROM]));
    *ret_seen = EFFECT_NOT_YET;
    return true;
}

/* Moves the file. If another process was faster, the look that follows finds that out. */
static bool
act_move(Db *db, const Effect *e, GError **error)
{
    g_auto(GStrv) l = effect_lines(db, e, MOVE_LINES, error);
    const char *name, *to_name;
    auto_fd root = l ? dir_open(l[ROOT], error) : -1;
    auto_fd from = root >= 0 ? open_folder(root, l[FROM], false, &name, error) : -1;
    auto_fd to = from >= 0 ? open_folder(root, l[TO], true, &to_name, error) : -1;

    if (to < 0)
        return false;
    CRASH_POINT("file-moving");
    if (renameat2(from, name, to, to_name, RENAME_NOREPLACE) < 0)
        return errno == EEXIST || errno == ENOENT ||
               err_set_errno(error, errno, "moving '%s' to '%s'", l[FROM], l[TO]);
    CRASH_POINT("file-moved");
    return dir_flush(to, error) && dir_flush(from, error);
}

/* --- file-new --- */

enum { NEW_PATH = 1, NEW_TEXT, NEW_LINES };

static bool
look_new(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    g_auto(GStrv) l = effect_lines(db, e, NEW_LINES, error);
    Digest d;
    At at;

    if (!l)
        return false;
    digest_of(l[NEW_TEXT], strlen(l[NEW_TEXT]), &d);
    g_autofree char *hex = digest_hex(&d);
    if (!look_at(l[ROOT], l[NEW_PATH], hex, &at, error))
        return false;
    if (at == AT_OTHER)
        return foreign(ret_seen, ret_why, g_strdup_printf("'%s' is there already", l[NEW_PATH]));
    *ret_seen = at == AT_THE_FILE ? EFFECT_DONE : EFFECT_NOT_YET;
    return true;
}

static bool
act_new(Db *db, const Effect *e, GError **error)
{
    g_auto(GStrv) l = effect_lines(db, e, NEW_LINES, error);
    auto_fd root = l ? dir_open(l[ROOT], error) : -1;
    const char *name;
    auto_fd folder = root >= 0 ? open_folder(root, l[NEW_PATH], true, &name, error) : -1;

    return folder >= 0 &&
           file_create(folder, name, l[NEW_TEXT], strlen(l[NEW_TEXT]), FILE_MODE, error);
}

/* --- file-write --- */

enum { WRITE_PATH = 1, WRITE_BEFORE, WRITE_TEXT, WRITE_LINES };

/* As effect_lines(), with the digest alone in its line. */
static char **
write_lines(Db *db, const Effect *e, GError **error)
{
    char **l = effect_lines(db, e, WRITE_LINES, error);

    if (l)
        l[WRITE_BEFORE][strcspn(l[WRITE_BEFORE], " ")] = '\0';
    return l;
}

char *
file_effect_writer(const Effect *e)
{
    g_auto(GStrv) lines = g_strsplit(e->args, "\n", WRITE_LINES);
    const char *who = g_strv_length(lines) == WRITE_LINES ? strchr(lines[WRITE_BEFORE], ' ') : NULL;

    return g_strdup(who ? who + 1 : "");
}

/* An open folder of a file that is written, and its name there. */
typedef struct WritePlace {
    int folder;
    const char *name;
    const char *before;  /* digest; "": nothing is there */
    char *after;
} WritePlace;

static void
write_place_clear(WritePlace *p)
{
    if (p->folder >= 0)
        (void)close(p->folder);
    g_free(p->after);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WritePlace, write_place_clear)

static bool
open_write(char *const *l, bool make, WritePlace *ret, GError **error)
{
    auto_fd root = dir_open(l[ROOT], error);
    Digest d;

    if (root < 0)
        return false;
    digest_of(l[WRITE_TEXT], strlen(l[WRITE_TEXT]), &d);
    ret->folder = open_folder(root, l[WRITE_PATH], make, &ret->name, error);
    ret->before = l[WRITE_BEFORE];
    ret->after = digest_hex(&d);
    return ret->folder >= 0;
}

/* The name of a file that an exchange took out of its place and that is still there under a
 * name of its own; NULL: there is none. Caller frees. */
static bool
find_displaced(const WritePlace *p, char **ret, GError **error)
{
    DIR *dir = dir_list(p->folder, ".");
    const struct dirent *e;

    *ret = NULL;
    if (!dir)
        return err_set_errno(error, errno, "reading a folder");
    while (!*ret && (e = dir_next(dir)))
        if (g_strcmp0(file_swap_of(e->d_name), p->name) == 0)
            *ret = g_strdup(e->d_name);
    closedir(dir);
    return true;
}

/* Bytes that nobody has seen get a name that people see. */
static bool
keep_beside(const WritePlace *p, const char *swap, GError **error)
{
    for (unsigned n = 1; n < 1000; n++) {
        g_autofree char *name = g_strdup_printf("%s.edited-%u", p->name, n);
        if (renameat2(p->folder, swap, p->folder, name, RENAME_NOREPLACE) == 0)
            return dir_flush(p->folder, error);
        if (errno == ENOENT)
            return true;
        if (errno != EEXIST)
            return err_set_errno(error, errno, "keeping '%s'", name);
    }
    return err_set(error, ERR_LIMIT, "too many files '%s.edited-N'", p->name);
}

/* Removes the file that was taken out, once nobody can write to it, if its bytes are those that
 * were to give way, or ours. A file with other bytes belongs to somebody: it goes back to its
 * place, and ours comes out. Where the place has changed again, the file stays beside it. Bytes
 * that somebody writes to the file while we look at it are looked at again. */
static bool
finish_displaced(const WritePlace *p, const char *swap, GError **error)
{
    g_autoptr(GBytes) out = NULL, last = NULL;

    if (!file_read(p->folder, swap, G_MAXINT32, &out, error) || !out)
        return out == NULL && !(error && *error);
    g_autofree char *hex = digest_hex_of(out);
    if (g_str_equal(hex, p->before) || g_str_equal(hex, p->after))
        return file_exchange_finish_if(p->folder, swap, out, &last, error) &&
               (!last || g_bytes_equal(last, out) || finish_displaced(p, swap, error));
    g_autoptr(GBytes) there = NULL;
    if (!file_read(p->folder, p->name, G_MAXINT32, &there, error))
        return false;
    g_autofree char *at = there ? digest_hex_of(there) : g_strdup("");
    if (!g_str_equal(at, p->after))
        return keep_beside(p, swap, error);
    CRASH_POINT("file-giving-back");
    if (renameat2(p->folder, swap, p->folder, p->name, RENAME_EXCHANGE) < 0)
        return err_set_errno(error, errno, "giving '%s' back", p->name);
    return dir_flush(p->folder, error) && finish_displaced(p, swap, error);
}

static bool
look_write(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    g_auto(GStrv) l = write_lines(db, e, error);
    g_auto(WritePlace) p = {.folder = -1};
    g_autofree char *displaced = NULL;
    g_autoptr(GError) gone = NULL;
    At before, after;

    if (!l)
        return false;
    bool folder = open_write(l, false, &p, &gone);
    if (folder && !find_displaced(&p, &displaced, error))
        return false;
    if (displaced) {
        *ret_seen = EFFECT_NOT_YET;
        return true;
    }
    if (!folder && *l[WRITE_BEFORE])
        return foreign(ret_seen, ret_why, g_strdup_printf("'%s' is gone", l[WRITE_PATH]));
    if (!look_at(l[ROOT], l[WRITE_PATH], l[WRITE_BEFORE], &before, error) ||
        !look_at(l[ROOT], l[WRITE_PATH], p.after ? p.after : "", &after, error))
        return false;
    if (after == AT_THE_FILE) {
        *ret_seen = EFFECT_DONE;
        return dir_flush(p.folder, error);
    }
    if (before != (*l[WRITE_BEFORE] ? AT_THE_FILE : AT_NOTHING))
        return foreign(ret_seen, ret_why,
                       g_strdup_printf(before == AT_NOTHING ? "'%s' is gone"
                                                            : "'%s' was changed meanwhile",
                                       l[WRITE_PATH]));
    *ret_seen = EFFECT_NOT_YET;
    return true;
}

static mode_t
mode_of(const WritePlace *p)
{
    struct stat st;

    return fstatat(p->folder, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode & 0777
                                                                     : FILE_MODE;
}

static bool
act_write(Db *db, const Effect *e, GError **error)
{
    g_auto(GStrv) l = write_lines(db, e, error);
    g_auto(WritePlace) p = {.folder = -1};
    g_autofree char *displaced = NULL, *swap = NULL;
    g_autoptr(GBytes) old = NULL;
    size_t len = l ? strlen(l[WRITE_TEXT]) : 0;

    if (!l || !open_write(l, true, &p, error) || !find_displaced(&p, &displaced, error))
        return false;
    if (displaced)
        return finish_displaced(&p, displaced, error);
    CRASH_POINT("file-writing");
    if (!*p.before)
        return file_create(p.folder, p.name, l[WRITE_TEXT], len, FILE_MODE, error);
    if (!file_exchange(p.folder, p.name, l[WRITE_TEXT], len, mode_of(&p), &old, &swap, error))
        return false;
    CRASH_POINT("file-replaced");
    return !swap || finish_displaced(&p, swap, error);
}

/* --- git-index --- */

enum { INDEX_LINES = TO + 1 };

/* The entry of the index at a path: "100644 ID 0"; NULL: the index has no such file. */
static bool
index_entry(const GitCall *call, const char *path, char **ret, GError **error)
{
    g_autofree char *line = NULL;

    *ret = NULL;
    if (!git_line(call, GIT_ARGS("ls-files", "--stage", "--", path), &line, error))
        return false;
    if (line && *line)
        *ret = g_strndup(line, strcspn(line, "\t"));
    return true;
}

bool
effect_repo(Db *db, const char *root, GitRepo **ret, GError **error)
{
    if (!git_find(db_home(db), root, ret, error))
        return false;
    if (*ret && (*ret)->bare)
        g_clear_pointer(ret, git_repo_free);
    return true;
}

/* The repository of the root and its index. *ret_repo NULL: there is none. */
static bool
open_index(Db *db, char *const *l, GitRepo **ret_repo, char **ret_index, GError **error)
{
    if (!effect_repo(db, l[ROOT], ret_repo, error))
        return false;
    if (*ret_repo)
        *ret_index = g_build_filename((*ret_repo)->own, "index", NULL);
    return true;
}

static GitCall
index_call(const GitRepo *repo, const char *root, const char *index)
{
    return (GitCall){.repo = repo, .content = true, .work_tree = root, .index = index};
}

static bool
look_index(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    g_auto(GStrv) l = effect_lines(db, e, INDEX_LINES, error);
    g_autoptr(GitRepo) repo = NULL;
    g_autofree char *index = NULL, *entry = NULL;

    if (!l || !open_index(db, l, &repo, &index, error))
        return false;
    if (repo) {
        g_autofree char *from = g_build_filename(repo->prefix, l[FROM], NULL);
        const GitCall call = index_call(repo, l[ROOT], index);
        if (!index_entry(&call, from, &entry, error))
            return false;
    }
    *ret_seen = entry ? EFFECT_NOT_YET : EFFECT_DONE;
    return true;
}

static bool
act_index(Db *db, const Effect *e, GError **error)
{
    g_auto(GStrv) l = effect_lines(db, e, INDEX_LINES, error);
    g_autoptr(GitRepo) repo = NULL;
    g_autofree char *index = NULL, *entry = NULL;

    if (!l || !open_index(db, l, &repo, &index, error) || !repo)
        return l != NULL && repo == NULL && !(error && *error);
    g_autofree char *from = g_build_filename(repo->prefix, l[FROM], NULL);
    g_autofree char *to = g_build_filename(repo->prefix, l[TO], NULL);
    const GitCall call = index_call(repo, l[ROOT], index);
    if (!git_unsplit(repo, repo->own, error) || !index_entry(&call, from, &entry, error))
        return false;
    g_auto(GStrv) words = g_strsplit(entry ? entry : "", " ", -1); /* mode, id, stage */
    if (g_strv_length(words) != 3)
        return true;
    g_autofree char *info = g_strdup_printf("%s,%s,%s", words[0], words[1], to);
    return git_run(&call,
                   GIT_ARGS("update-index", "--add", "--cacheinfo", info, "--force-remove", "--",
                            from),
                   NULL, error);
}

/* --- settling --- */

static const EffectOps move_ops = {look_move, act_move};
static const EffectOps new_ops = {look_new, act_new};
static const EffectOps write_ops = {look_write, act_write};
static const EffectOps index_ops = {look_index, act_index};
static const EffectOps commit_ops = {commit_effect_look, commit_effect_act};

static const EffectOps *const ops[EFFECT_N_KINDS] = {
    [EFFECT_FILE_MOVE] = &move_ops,
    [EFFECT_FILE_NEW] = &new_ops,
    [EFFECT_FILE_WRITE] = &write_ops,
    [EFFECT_GIT_INDEX] = &index_ops,
    [EFFECT_GIT_COMMIT] = &commit_ops,
};

static bool
tell_faces(void *data, Txn *txn, const Effect *e, const char *why, GError **error)
{
    return faces_settled(data, txn, e, why, error);
}

bool
file_effects_settle(Engine *engine, GError **error)
{
    const EffectTold told = {tell_faces, engine};
    unsigned n;
    bool ok;

    if (!engine->faces) /* nobody here would hear of it */
        return true;
    do { /* what is done may owe more */
        n = 0;
        ok = effects_settle(engine->db, EFFECT_FILES, ops, &told, &n, error);
        if (n > 0)
            db_hint(engine->db);
    } while (ok && n > 0);
    return ok;
}
