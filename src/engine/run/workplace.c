#include "engine/run/workplace.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/workdir.h"
#include "engine/mail_load.h"
#include "engine/run/commit.h"
#include "mail/message.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define NAME_BYTES 120
#define EXTENSION_BYTES 16
#define NOTES_MAX 20u
#define LOG_BYTES (16 << 20)

/* --- names --- */

GHashTable *
workplace_names_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static bool
is_plain(gunichar c)
{
    if (c < 0x80)
        return g_ascii_isalnum((char)c) || strchr(" ._-+=,@()[]", (int)c);
    switch (g_unichar_type(c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_UNASSIGNED:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_SPACE_SEPARATOR:
        return false;
    default:
        return true;
    }
}

/* Characters that draw nothing are dropped, others that are not plain become "_". */
static GString *
plain_characters(const char *name)
{
    GString *out = g_string_new(NULL);
    for (const char *p = name; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (is_plain(c))
            g_string_append_unichar(out, c);
        else if (g_unichar_isprint(c))
            g_string_append_c(out, '_');
    }
    return out;
}

static bool
is_device(const char *name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul"};
    size_t len = strcspn(name, ". ");

    for (size_t i = 0; i < G_N_ELEMENTS(devices); i++) {
        if (len == 3 && g_ascii_strncasecmp(name, devices[i], 3) == 0)
            return true;
    }
    return len == 4 && g_ascii_isdigit(name[3]) &&
           (g_ascii_strncasecmp(name, "com", 3) == 0 ||
            g_ascii_strncasecmp(name, "lpt", 3) == 0);
}

/* Splits at the last dot, unless what follows is no extension. */
static void
split_extension(GString *name, char **ret_extension)
{
    const char *dot = strrchr(name->str, '.');
    size_t len = dot ? strlen(dot) : 0;

    if (!dot || dot == name->str || len < 2 || len > EXTENSION_BYTES) {
        *ret_extension = g_strdup("");
        return;
    }
    *ret_extension = g_strdup(dot);
    g_string_truncate(name, name->len - len);
}

static GString *
safe_name(const char *filename)
{
    g_autofree char *valid = text_make_valid(filename, -1);
    const char *last = valid;
    for (size_t n = strlen(valid); n > 0 && strchr("/\\", valid[n - 1]); n--)
        valid[n - 1] = '\0';
    for (const char *p = valid; *p; p++) {
        if (*p == '/' || *p == '\\')
            last = p + 1;
    }
    GString *name = plain_characters(last);
    while (name->len > 0 && strchr(" .", name->str[name->len - 1]))
        g_string_truncate(name, name->len - 1);
    while (name->len > 0 && name->str[0] == ' ')
        g_string_erase(name, 0, 1);
    if (name->len == 0)
        g_string_append(name, "attachment");
    if (strchr(".-", name->str[0]))
        name->str[0] = '_';
    if (is_device(name->str))
        g_string_prepend_c(name, '_');
    return name;
}

char *
workplace_name(GHashTable *taken, const char *filename)
{
    g_autofree char *extension = NULL;
    g_autoptr(GString) stem = safe_name(filename);

    split_extension(stem, &extension);
    g_string_truncate(stem, text_cut_at(stem->str, NAME_BYTES - EXTENSION_BYTES - 8));
    for (unsigned n = 1;; n++) {
        g_autofree char *name = n == 1 ? g_strconcat(stem->str, extension, NULL)
                                       : g_strdup_printf("%s-%u%s", stem->str, n, extension);
        if (g_hash_table_add(taken, g_utf8_casefold(name, -1)))
            return g_steal_pointer(&name);
    }
}

/* --- the folder --- */

char *
workplace_path(const Home *home, const Job *job)
{
    return g_strdup_printf("%s/work/%s/%" G_GINT64_FORMAT, home->path, job->role, job->id.v);
}

/* Moves whatever has this name to old/FENCE-NAME, or beside itself where that does not work:
 * a folder that we may not write to can't change its parent. */
bool
workplace_move_aside(Workplace *w, int at, const char *name, GError **error)
{
    auto_fd old = dir_open_beneath(w->fd, "old", NULL);

    for (unsigned n = 1; n <= 1000; n++) {
        g_autofree char *aside =
            g_strdup_printf("%" G_GINT64_FORMAT "-%s-%u", w->fence, name, n);
        if (old >= 0 && renameat2(at, name, old, aside, RENAME_NOREPLACE) == 0)
            return true;
        if (renameat2(at, name, at, aside, RENAME_NOREPLACE) == 0 || errno == ENOENT)
            return true;
        if (errno != EEXIST)
            break;
    }
    return err_set_errno(error, errno, "moving '%s' aside in '%s'", name, w->path);
}

/* A folder of ours with this name, whatever stood there before. -1 with error. */
static int
own_folder(Workplace *w, const char *name, GError **error)
{
    g_autoptr(GError) why = NULL;

    if (mkdirat(w->fd, name, 0700) < 0 && errno != EEXIST) {
        err_set_errno(error, errno, "making '%s/%s'", w->path, name);
        return -1;
    }
    int fd = dir_open_beneath(w->fd, name, &why);
    if (fd >= 0 && faccessat(fd, ".", R_OK | W_OK | X_OK, 0) == 0)
        return fd;
    cleanup_fd(&fd);
    if (!workplace_move_aside(w, w->fd, name, error))
        return -1;
    if (mkdirat(w->fd, name, 0700) < 0) {
        err_set_errno(error, errno, "making '%s/%s'", w->path, name);
        return -1;
    }
    return dir_open_beneath(w->fd, name, error);
}

static bool
refresh_out(Workplace *w, GError **error)
{
    auto_fd old = own_folder(w, "old", error);
    if (old < 0)
        return false;
    g_autofree char *fence = g_strdup_printf("%" G_GINT64_FORMAT, w->fence);
    bool gone = unlinkat(w->fd, "out", AT_REMOVEDIR) == 0 || errno == ENOENT ||
                renameat2(w->fd, "out", old, fence, RENAME_NOREPLACE) == 0;
    if (!gone && !workplace_move_aside(w, w->fd, "out", error))
        return false;
    auto_fd out = own_folder(w, "out", error);
    return out >= 0;
}

static bool
find_cwd(Workplace *w, const Home *home, const ConfRole *role, GError **error)
{
    w->cwd = workdir_path(home, role);
    if (!w->cwd)
        w->cwd = g_strdup(w->path);
    g_autofree char *wrong = workdir_wrong(home, role);
    return !wrong || err_set(error, ERR_CONFIG, "%s", wrong);
}

/* A folder without git is for one run at a time: held until we close it, or die. */
static bool
lock_workdir(Workplace *w, const Home *home, GError **error)
{
    Digest digest;
    digest_of(w->cwd, strlen(w->cwd), &digest);
    g_autofree char *hex = digest_hex(&digest);
    g_autofree char *path = g_strdup_printf("state/workdir/%.32s", hex);

    if (!dir_make(home->fd, "state/workdir", 0700, error))
        return false;
    w->lock = file_open_beneath(home->fd, path, O_RDWR | O_CREAT, 0600, error);
    if (w->lock < 0)
        return false;
    if (flock(w->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    w->busy = errno == EWOULDBLOCK;
    return w->busy || err_set_errno(error, errno, "locking '%s'", w->cwd);
}

/* Where workdir is one of a repository, the program works in a tree of its own. */
static bool
enter(Workplace *w, Engine *engine, const Job *job, const ConfRole *role, GError **error)
{
    if (!role->workdir || !*role->workdir)
        return true;
    if (!tree_open(engine, job, role, w, &w->tree, error))
        return false;
    if (!w->tree)
        return lock_workdir(w, engine->home, error);
    g_free(w->cwd);
    w->cwd = tree_cwd(w->tree);
    return g_file_test(w->cwd, G_FILE_TEST_IS_DIR) ||
           err_set(error, ERR_CONFIG, "role '%s': branch '%s' has no folder '%s' any more",
                   role->name, w->tree->row->branch, w->tree->row->prefix);
}

bool
workplace_open(Engine *engine,
               const Job *job,
               const ConfRole *role,
               const JobClaim *claim,
               Workplace **ret,
               GError **error)
{
    const Home *home = engine->home;
    g_autoptr(Workplace) w = g_new0(Workplace, 1);

    w->fd = w->lock = -1;
    w->fence = claim->fence;
    w->given = workplace_names_new();
    w->path = workplace_path(home, job);
    w->in = g_build_filename(w->path, "in", NULL);
    w->out = g_build_filename(w->path, "out", NULL);
    const char *beneath = w->path + strlen(home->path) + 1;
    g_autofree char *above = g_path_get_dirname(beneath);
    if (!dir_make(home->fd, above, 0700, error))
        return false;
    /* Not flushed: the next run makes what a power loss takes. */
    if (mkdirat(home->fd, beneath, 0700) < 0 && errno != EEXIST)
        return err_set_errno(error, errno, "making folder '%s'", beneath);
    w->fd = dir_open_beneath(home->fd, beneath, error);
    if (w->fd < 0 || !find_cwd(w, home, role, error) || !refresh_out(w, error))
        return false;
    auto_fd in = own_folder(w, "in", error);
    if (in < 0 || !enter(w, engine, job, role, error))
        return false;
    *ret = g_steal_pointer(&w);
    return true;
}

void
workplace_close(Workplace *w)
{
    if (!w)
        return;
    cleanup_fd(&w->fd);
    cleanup_fd(&w->lock);
    tree_free(w->tree);
    g_clear_pointer(&w->given, g_hash_table_unref);
    free_all(w->path, w->cwd, w->in, w->out, w);
}

/* --- in/ --- */

GPtrArray *
workplace_mail_names(GHashTable *taken, const Message *m)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

    LIST_EACH(const MsgPart, part, m->files)
        g_ptr_array_add(names, workplace_name(taken, part->filename));
    return names;
}

/* Writes one attachment, under a name that is new in this claim. It is not flushed: after a
 * crash the whole workplace is made anew. */
static bool
put_file(Workplace *w, const char *name, GBytes *content, GError **error)
{
    auto_fd in = own_folder(w, "in", error);
    if (in < 0)
        return false;
    if (unlinkat(in, name, 0) < 0 && errno != ENOENT && !workplace_move_aside(w, in, name, error))
        return false;
    auto_fd fd = file_open_beneath(in, name, O_WRONLY | O_CREAT | O_EXCL, 0600, error);
    gsize len;
    const void *data = g_bytes_get_data(content, &len);
    if (fd < 0 || !file_write_all(fd, data, len, error))
        return err_prefix(error, "writing '%s/%s'", w->in, name);
    return true;
}

static bool
fill_from(Workplace *w, Engine *engine, const MsgRow *row, GError **error)
{
    g_autoptr(Message) m = NULL;
    if (!mail_load(engine, row, MESSAGE_CONTENT, &m, error))
        return false;
    if (!m)
        return true;
    g_autoptr(GPtrArray) names = workplace_mail_names(w->given, m);
    for (guint i = 0; i < names->len; i++)
        if (!put_file(w, names->pdata[i], m->files->pdata[i]->content, error))
            return false;
    return true;
}

bool
workplace_fill(Workplace *w, Engine *engine, const MsgRows *shown, GError **error)
{
    LIST_EACH(const MsgRow, row, shown)
        if (!fill_from(w, engine, row, error))
            return err_prefix(error, "attachments of '<%s>'", row->msgid);
    return true;
}

/* --- log/ --- */

int
workplace_log(Workplace *w)
{
    auto_fd log = own_folder(w, "log", NULL);
    struct stat st;

    if (log < 0)
        return -1;
    int fd = file_open_beneath(log, "stream.jsonl", O_WRONLY | O_CREAT | O_APPEND, 0600, NULL);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > LOG_BYTES)
        (void)!ftruncate(fd, 0);
    return fd;
}

/* --- out/ --- */

typedef struct Taking {
    int dir;
    GHashTable *names;
    ProposedMail *mail; /* gathers the files */
    size_t bytes;
    unsigned skipped, more; /* more: beyond the cap on their number */
    GString *notes;
} Taking;

static void
skip(Taking *t, const char *name, const char *why)
{
    g_autofree char *visible = text_vis(name, false);
    g_autofree char *brief = text_shorten(visible, 80);
    if (t->skipped++ < NOTES_MAX)
        g_string_append_printf(t->notes, "not attached: %s, %s\n", brief, why);
}

/* Only a regular file opens, and the descriptor decides what we read, not the name. */
static void
take_file(Taking *t, const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) content = NULL;

    if (t->mail->files->len >= WORKPLACE_FILES_MAX) {
        t->more++;
        return;
    }
    auto_fd fd = file_open_beneath(t->dir, name, O_RDONLY, 0, &error);
    if (fd < 0) {
        skip(t, name, "not a file that can be read");
        return;
    }
    if (!file_read_fd(fd, LIMIT_ATTACHMENT_BYTES, &content, &error)) {
        skip(t, name, err_is(error, ERR_LIMIT) ? "larger than 25 MB" : "could not be read");
        return;
    }
    size_t size = g_bytes_get_size(content);
    if (t->bytes + size > WORKPLACE_BYTES_MAX) {
        skip(t, name, "more than 50 MB with the others");
        return;
    }
    t->bytes += size;
    g_autofree char *safe = workplace_name(t->names, name);
    proposed_mail_attach(t->mail, safe, NULL, content);
}

/* Names first, by order; a folder that fills up while we read it ends at the cap. */
static bool
list_names(int dir, GPtrArray **ret, bool *ret_more, GError **error)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_autoptr(DIR) stream = copy >= 0 ? fdopendir(copy) : NULL;
    if (!stream) {
        err_set_errno(error, errno, "out");
        cleanup_fd(&copy);
        return false;
    }
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const struct dirent *entry;
    *ret_more = false;
    while ((entry = readdir(stream))) {
        if (g_str_equal(entry->d_name, ".") || g_str_equal(entry->d_name, ".."))
            continue;
        *ret_more = names->len == WORKPLACE_ENTRIES_MAX;
        if (*ret_more)
            break;
        g_ptr_array_add(names, g_strdup(entry->d_name));
    }
    g_ptr_array_sort(names, text_compare);
    *ret = g_steal_pointer(&names);
    return true;
}

static void
say_rest(Taking *t, bool unseen)
{
    if (t->skipped > NOTES_MAX)
        g_string_append_printf(t->notes, "not attached: %u others\n", t->skipped - NOTES_MAX);
    if (t->more)
        g_string_append_printf(t->notes, "not attached: %u more files, at most %u are\n",
                               t->more, WORKPLACE_FILES_MAX);
    if (unseen)
        g_string_append_printf(t->notes, "only %u names in out/ were looked at\n",
                               WORKPLACE_ENTRIES_MAX);
}

bool
workplace_take(Workplace *w, ProposedFiles **ret_files, char **ret_notes, GError **error)
{
    g_autoptr(GString) notes = g_string_new(NULL);
    g_autoptr(GHashTable) taken = workplace_names_new();
    g_autoptr(GPtrArray) names = NULL;
    g_autoptr(GError) why = NULL;
    bool more = false;
    auto_fd dir = dir_open_beneath(w->fd, "out", &why);

    if (dir < 0) {
        names = g_ptr_array_new();
        g_string_append(notes, "not attached: out/ is no folder any more\n");
    } else if (!list_names(dir, &names, &more, error)) {
        return false;
    }
    Taking t = {.dir = dir, .names = taken, .mail = proposed_mail_new(), .notes = notes};
    for (guint i = 0; i < names->len; i++)
        take_file(&t, g_ptr_array_index(names, i));
    say_rest(&t, more);
    *ret_files = g_steal_pointer(&t.mail->files);
    proposed_mail_free(t.mail);
    *ret_notes = notes->len ? g_strndup(notes->str, notes->len - 1) : NULL;
    return true;
}
