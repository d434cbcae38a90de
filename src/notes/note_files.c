#include "notes/note_files.h"
#include "base/exchange.h"
#include "base/file.h"
#include "store/note/note_versions.h"
#include <fcntl.h>
#include <sys/stat.h>

#define SUFFIX ".md"

char *
note_path(const char *key)
{
    return g_strconcat(key, SUFFIX, NULL);
}

int64_t
note_mtime_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static void
displaced_free(gpointer data)
{
    NoteDisplaced *d = data;

    free_all(d->path, d->key, d);
}

void
note_files_free(NoteFiles *tree)
{
    if (!tree)
        return;
    g_hash_table_unref(tree->by_key);
    note_mirror_rows_free(tree->files);
    g_ptr_array_unref(tree->displaced);
    g_ptr_array_unref(tree->leftovers);
    g_ptr_array_unref(tree->findings);
    g_free(tree);
}

static NoteFiles *
tree_new(void)
{
    NoteFiles *tree = g_new0(NoteFiles, 1);

    tree->files = note_mirror_rows_new();
    tree->by_key = g_hash_table_new(g_str_hash, g_str_equal);
    tree->displaced = g_ptr_array_new_with_free_func(displaced_free);
    tree->leftovers = g_ptr_array_new_with_free_func(g_free);
    tree->findings = g_ptr_array_new_with_free_func(g_free);
    return tree;
}

static void
find(NoteFiles *tree, const char *path, const char *what)
{
    g_autofree char *safe = text_vis(path, false);

    g_ptr_array_add(tree->findings, g_strdup_printf("'notes/%s' %s", safe, what));
}

static void
add_file(NoteFiles *tree, const char *key, const struct stat *st)
{
    NoteMirror *f = g_new0(NoteMirror, 1);

    *f = (NoteMirror){.key = g_strdup(key),
                      .mtime_ns = note_mtime_ns(st),
                      .size = st->st_size,
                      .ino = st->st_nlink > 1 ? 0 : (int64_t)st->st_ino};
    note_mirror_rows_add(tree->files, f);
    g_hash_table_insert(tree->by_key, f->key, f);
}

/* The key that a file of this path would have; NULL: it is no file of a note. */
static char *
key_of(const char *path)
{
    return g_str_has_suffix(path, SUFFIX) ? g_strndup(path, strlen(path) - strlen(SUFFIX))
                                          : NULL;
}

/* A displaced file that has no place any more is left alone and said. */
static void
add_displaced(NoteFiles *tree, const char *folder, const char *name)
{
    /* Where files can't be exchanged the old one is linked aside, with a tilde. */
    g_autofree char *own = g_strconcat(folder, file_swap_of(name), NULL);
    if (g_str_has_suffix(own, "~"))
        own[strlen(own) - 1] = '\0';
    g_autofree char *key = key_of(own);
    NoteDisplaced *d = g_new0(NoteDisplaced, 1);

    *d = (NoteDisplaced){.path = g_strconcat(folder, name, NULL)};
    d->key = g_steal_pointer(&key);
    if (d->key && note_key_valid(d->key)) {
        g_ptr_array_add(tree->displaced, d);
        return;
    }
    find(tree, d->path, "belongs to no note");
    displaced_free(d);
}

static void
add_named(NoteFiles *tree, const char *path, const struct stat *st)
{
    g_autofree char *key = key_of(path);

    if (S_ISREG(st->st_mode) && !key)
        return; /* not ours: backups of editors, pictures, … */
    if (!S_ISREG(st->st_mode))
        find(tree, path,
             S_ISLNK(st->st_mode) ? "is a link, which is not followed" : "is not a file");
    else if (!note_key_valid(key))
        find(
            tree, path,
            "is not taken as a note: names are made of A-Z a-z 0-9 . _ -, 200 bytes with their "
            "folders");
    else
        add_file(tree, key, st);
}

/* What is looked at: all, or only the names in one folder. */
typedef struct Scan {
    int notes_fd;
    NoteFiles *tree;
    bool names_only;
} Scan;

static bool scan_folder(const Scan *s, const char *folder, GError **error);

static bool
scan_below(const Scan *s, const char *path, GError **error)
{
    g_autofree char *below = g_strconcat(path, "/", NULL);

    if (note_key_valid(path) && !g_str_has_suffix(path, SUFFIX))
        return scan_folder(s, below, error);
    find(s->tree, below, "is not looked into: its name can't be part of a key");
    return true;
}

static bool
scan_entry(const Scan *s, int dir_fd, const char *folder, const char *name, GError **error)
{
    g_autofree char *path = g_strconcat(folder, name, NULL);
    struct stat st;

    if (file_swap_of(name))
        add_displaced(s->tree, folder, name);
    else if (file_is_tmp(name))
        g_ptr_array_add(s->tree->leftovers, g_steal_pointer(&path));
    else if (g_str_equal(path, NOTES_MARKER))
        s->tree->marker = true;
    else if (*name == '.' || s->names_only)
        return true; /* "..", .git, swap files of editors */
    else if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT || err_set_errno(error, errno, "looking at 'notes/%s'", path);
    else if (S_ISDIR(st.st_mode))
        return scan_below(s, path, error);
    else
        add_named(s->tree, path, &st);
    return true;
}

/* folder: "" or with a slash at its end. One that is gone again has nothing in it. */
static bool
scan_folder(const Scan *s, const char *folder, GError **error)
{
    auto_fd fd = *folder ? dir_open_beneath(s->notes_fd, folder, NULL)
                         : openat(s->notes_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && *folder)
        return true;
    g_autoptr(DIR) dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir)
        return err_set_errno(error, errno, "reading 'notes/%s'", folder);
    int dir_fd = g_steal_fd(&fd);
    struct dirent *entry;
    while ((errno = 0, entry = readdir(dir))) {
        if (!scan_entry(s, dir_fd, folder, entry->d_name, error))
            return false;
    }
    return errno == 0 || err_set_errno(error, errno, "reading 'notes/%s'", folder);
}

bool
note_files_scan(int notes_fd, NoteFiles **ret, GError **error)
{
    g_autoptr(NoteFiles) tree = tree_new();

    if (!scan_folder(&(Scan){notes_fd, tree, false}, "", error))
        return false;
    *ret = g_steal_pointer(&tree);
    return true;
}

bool
note_files_look(int notes_fd, const char *const *keys, NoteFiles **ret, GError **error)
{
    g_autoptr(NoteFiles) tree = tree_new();
    struct stat st;

    tree->marker = fstatat(notes_fd, NOTES_MARKER, &st, AT_SYMLINK_NOFOLLOW) == 0;
    for (; *keys; keys++) {
        if (!note_key_valid(*keys) || g_hash_table_contains(tree->by_key, *keys))
            continue;
        g_autofree char *path = note_path(*keys);
        auto_fd fd = file_open_beneath(notes_fd, path, O_PATH, 0, NULL);

        if (fd < 0)
            continue; /* none, or in a place where no note can be */
        if (fstat(fd, &st) < 0)
            return err_set_errno(error, errno, "looking at 'notes/%s'", path);
        add_named(tree, path, &st);
    }
    *ret = g_steal_pointer(&tree);
    return true;
}

/* --- beside some files --- */

/* The folder of a key, "" or with a slash at its end; caller frees. */
static char *
folder_of(const char *key)
{
    const char *slash = strrchr(key, '/');

    return slash ? g_strndup(key, (gsize)(slash + 1 - key)) : g_strdup("");
}

bool
note_files_look_beside(int notes_fd, const char *const *keys, NoteFiles **ret, GError **error)
{
    g_autoptr(NoteFiles) tree = tree_new();
    g_autoptr(GHashTable) folders =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (; *keys; keys++) {
        g_autofree char *folder = folder_of(*keys);

        if (!note_key_valid(*keys) || g_hash_table_contains(folders, folder))
            continue;
        if (!scan_folder(&(Scan){notes_fd, tree, true}, folder, error))
            return false;
        g_hash_table_add(folders, g_steal_pointer(&folder));
    }
    *ret = g_steal_pointer(&tree);
    return true;
}
