/*
 * `backup` and `restore`. A backup is a folder that looks like a home without what can be made
 * again (index, logs) or is not ours to keep (work/), and a file BACKUP that says what it is.
 *
 * (1) The store is copied before the mail. Mail that comes or goes meanwhile is then newer than
 * the store, which postrider knows how to meet; the other way round the store would speak of
 * mail that is nowhere. (2) Everything is written under another name and renamed at the end, so
 * half a backup is never taken for a whole one, nor half a home for a home. (3) A restored home
 * holds everything until a person says that the home of the backup is stopped: both would
 * answer the same mail.
 */
#include "base/file.h"
#include "base/living.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/home/folder_copy.h"
#include "cli/home/home_files.h"
#include <fcntl.h>
#include <sys/stat.h>

#define LABEL "BACKUP"
#define LABEL_MAX 4096
#define MUTTRC_MAX (1u << 20)
#define LABEL_FIRST "postrider backup 1"

static void
tell_progress(const FolderStats *stats)
{
    g_autofree char *size = text_format_size(stats->bytes);
    g_autofree char *line = g_strdup_printf("\r%u files, %s ", stats->files, size);
    (void)file_write_all(STDERR_FILENO, line, strlen(line), NULL);
}

static TreeTell
teller(void)
{
    return isatty(STDERR_FILENO) ? tell_progress : NULL;
}

static void
end_progress(const FolderStats *stats)
{
    if (!teller())
        return;
    tell_progress(stats);
    (void)file_write_all(STDERR_FILENO, "\n", 1, NULL);
}

/* --- a folder that appears whole --- */

typedef struct Making {
    char *path;   /* where it will be */
    char *parent; /* the folder that it will be in, and its descriptor */
    int parent_fd;
    char *tmp; /* its name until then; NULL when it is there, or was not begun */
    int fd;
} Making;

static void
making_clear(Making *m)
{
    if (m->tmp)
        (void)dir_remove(m->parent_fd, m->tmp, UINT_MAX);
    cleanup_fd(&m->fd);
    cleanup_fd(&m->parent_fd);
    free_all(m->path, m->parent, m->tmp);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Making, making_clear)

static bool
making_begin(const char *path, Making *m, GError **error)
{
    m->path = g_canonicalize_filename(path, NULL);
    m->parent = g_path_get_dirname(m->path);
    /* Not made: it may be the place of a disk that is not there. */
    if (access(m->parent, F_OK) < 0 && errno == ENOENT)
        return err_set(error, ERR_NEVER, "there is no folder '%s' for it; make that first",
                       m->parent);
    m->parent_fd = dir_open(m->parent, error);
    if (m->parent_fd < 0)
        return false;
    g_autofree char *name = g_path_get_basename(m->path);
    g_autofree char *tmp =
        g_strdup_printf("%s.tmp-%d.%" PRId64, name, (int)getpid(), g_get_real_time());
    if (mkdirat(m->parent_fd, tmp, 0700) < 0)
        return err_set_errno(error, errno, "making '%s/%s'", m->parent, tmp);
    m->tmp = g_steal_pointer(&tmp);
    m->fd = dir_open_beneath(m->parent_fd, m->tmp, error);
    return m->fd >= 0;
}

/* One flush for all that was written, then the name. A rename takes an empty folder's place. */
static bool
making_finish(Making *m, GError **error)
{
    g_autofree char *name = g_path_get_basename(m->path);
    if (syncfs(m->fd) < 0)
        return err_set_errno(error, errno, "flushing '%s'", m->path);
    if (renameat(m->parent_fd, m->tmp, m->parent_fd, name) < 0)
        return err_set_errno(error, errno, "making '%s'", m->path);
    g_clear_pointer(&m->tmp, g_free);
    return dir_flush(m->parent_fd, error);
}

/* --- backup --- */

static bool
write_label(Cli *cli, const Making *m, const FolderStats *stats, GError **error)
{
    g_autofree char *home_id = NULL;
    g_autofree char *made = clock_format_iso(home_now(cli->home));
    g_autofree char *place = living_place(cli->home);
    if (!meta_get(cli->db, "home-id", &home_id, error))
        return false;
    g_autofree char *text = g_strdup_printf(LABEL_FIRST "\nversion: " POSTRIDER_VERSION
                                                        "\nschema: %d\nmade: %s\nhome-id: %s\n"
                                                        "generation: %" PRIu64 "\nfiles: %u\n"
                                                        "place: %s\n",
                                            db_schema_version(), made, home_id ? home_id : "",
                                            db_generation(cli->db), stats->files, place);
    return file_create(m->fd, LABEL, text, strlen(text), 0600, error);
}

static bool
copy_home(Cli *cli, const Making *m, FolderStats *stats, GError **error)
{
    static const char *const skip[] = {"state", "work", "log", LABEL, NULL};
    g_autofree char *db = g_build_filename(m->parent, m->tmp, "state", "postrider.db", NULL);
    if (mkdirat(m->fd, "state", 0700) < 0)
        return err_set_errno(error, errno, "making 'state'");
    return db_backup(cli->db, db, error) &&
           folder_copy(cli->home->fd, m->fd, skip, teller(), stats, error) &&
           write_label(cli, m, stats, error);
}

/* A copy of the home inside the home would be copied the next time. */
static bool
lies_inside(const Home *home, const char *parent)
{
    g_autofree char *root = realpath(home->path, NULL);
    g_autofree char *at = realpath(parent, NULL);
    if (!root || !at || !g_str_has_prefix(at, root))
        return false;
    char behind = at[strlen(root)];
    return behind == '\0' || behind == '/';
}

static void
report_backup(Cli *cli, const Making *m, const FolderStats *stats)
{
    if (cli->json) {
        cli_print_json(cli, json_pack("{s:s, s:i, s:I, s:i}", "path", m->path, "files",
                                      (int)stats->files, "bytes", (json_int_t)stats->bytes,
                                      "left_out", (int)stats->left_out));
        return;
    }
    g_autofree char *size = text_format_size(stats->bytes);
    g_autofree char *safe = text_vis(m->path, false);
    cli_print(cli, "%s: the store and %u files, %s\n", safe, stats->files, size);
    if (stats->left_out)
        cli_print(cli, "left out: %u links, sockets or pipes\n", stats->left_out);
}

int
cmd_backup(Cli *cli, int argc, char **argv)
{
    g_auto(Making) m = {.parent_fd = -1, .fd = -1};
    FolderStats stats = {0};
    struct stat st;
    int status;
    if (!*argv[1])
        return cli_usage(cli, "needs one folder, which must not exist yet");
    if ((status = cli_db(cli, DB_READ)))
        return status;
    if (lstat(argv[1], &st) == 0)
        return cli_fail(EX_CANTCREAT, "'%s' is there already; name a folder that is not",
                        argv[1]);
    if (!making_begin(argv[1], &m, &cli->error))
        return cli_failed(cli, EX_CANTCREAT);
    if (lies_inside(cli->home, m.parent))
        return cli_fail(EX_USAGE, "'%s' lies inside the home; name a folder elsewhere", m.path);
    if (!copy_home(cli, &m, &stats, &cli->error) || !making_finish(&m, &cli->error))
        return cli_failed(cli, 0);
    end_progress(&stats);
    report_backup(cli, &m, &stats);
    return 0;
}

/* --- restore --- */

/* The value behind `name: ` in the label; NULL: none. */
static char *
label_get(const char *label, const char *name)
{
    g_auto(GStrv) lines = g_strsplit(label, "\n", -1);
    g_autofree char *prefix = g_strdup_printf("%s: ", name);
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, prefix))
            return g_strdup(*line + strlen(prefix));
    }
    return NULL;
}

static bool
is_file(int fd, const char *path)
{
    struct stat st;
    return fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* What a restored home says about the backup it came from. */
typedef struct Origin {
    char *made, *place; /* may be NULL */
} Origin;

static void
origin_clear(Origin *origin)
{
    free_all(origin->made, origin->place);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Origin, origin_clear)

static bool
check_backup(int fd, const char *path, Origin *ret, GError **error)
{
    static const char *const parts[] = {"postrider.conf", "key", "state/postrider.db"};
    g_autoptr(GBytes) bytes = NULL;
    int64_t schema;
    if (!file_read(fd, LABEL, LABEL_MAX, &bytes, error))
        return false;
    if (!bytes)
        return err_set(error, ERR_NEVER, "'%s' is no backup: it has no file " LABEL, path);
    g_autofree char *label = text_from_bytes(bytes);
    g_autofree char *number = label_get(label, "schema");
    if (!g_str_has_prefix(label, LABEL_FIRST "\n") || !number ||
        !text_parse_int(number, 1, INT_MAX, &schema))
        return err_set(error, ERR_NEVER,
                       "'%s/" LABEL "' is not one that this postrider understands", path);
    if (schema > db_schema_version())
        return err_set(error, ERR_NEVER,
                       "'%s' was made by a newer postrider (schema %" PRId64
                       ", this one knows %d)",
                       path, schema, db_schema_version());
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (!is_file(fd, parts[i]))
            return err_set(error, ERR_NEVER, "the backup '%s' lacks '%s'", path, parts[i]);
    g_autofree char *place = label_get(label, "place");
    *ret = (Origin){.made = label_get(label, "made"),
                    .place = place ? text_vis(place, false) : NULL};
    return true;
}

/* Not there, or an empty folder. */
static int
check_target(const char *path)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0
                               : cli_fail(EX_CANTCREAT, "'%s': %s", path, g_strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return cli_fail(EX_CANTCREAT, "'%s' is there and is no folder", path);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    if (dir && !g_dir_read_name(dir))
        return 0;
    return cli_fail(EX_CANTCREAT,
                    "'%s' is not empty; move it away, or name another place with --home", path);
}

/* The one file that names the home. Somebody's own is left as it is. */
static bool
move_muttrc(const Making *m, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    if (!file_read(m->fd, "muttrc", MUTTRC_MAX, &bytes, error))
        return false;
    g_autofree char *text = text_from_bytes(bytes);
    g_autofree char *moved = home_muttrc_moved(text, m->path);
    return !moved || file_replace(m->fd, "muttrc", moved, strlen(moved), 0600, error);
}

/* Nothing runs or leaves until `doctor --accept-backup`. The mark in the mail folder is that of the
 * home of the backup, and would say the same with less help. */
static bool
hold_all(const Making *m, const Origin *origin, GError **error)
{
    g_autofree char *path = g_build_filename(m->parent, m->tmp, NULL);
    g_autofree char *why =
        g_strdup_printf("this home was restored from a backup of %s; make sure that the home "
                        "it was made of (%s) is "
                        "stopped and stays so, then run: postrider doctor --accept-backup",
                        origin->made ? origin->made : "an unknown time",
                        origin->place ? origin->place : "of an unknown place");
    g_autoptr(Home) home = NULL;
    g_autoptr(Db) db = NULL;
    if (!home_open_bare(path, &home, error) || !db_open(home, DB_WRITE, &db, error))
        return false;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = meta_set(&txn, "hold-all", why, error);
    return txn.done && (unlinkat(home->mail_fd, LIVING_MARK, 0) == 0 || errno == ENOENT ||
                        err_set_errno(error, errno, "removing 'mail/" LIVING_MARK "'"));
}

static void
report_restore(Cli *cli, const Making *m, const FolderStats *stats, const Origin *origin)
{
    if (cli->json) {
        cli_print_json(cli,
                       json_pack("{s:s, s:i, s:I, s:s?, s:s?, s:b}", "path", m->path, "files",
                                 (int)stats->files, "bytes", (json_int_t)stats->bytes, "made",
                                 origin->made, "place", origin->place, "held", 1));
        return;
    }
    g_autofree char *safe = text_vis(m->path, false);
    g_autofree char *when = text_vis(origin->made ? origin->made : "an unknown time", false);
    cli_print(cli,
              "%s: %u files as of %s\n"
              "Nothing runs or leaves here yet: two homes would answer the same mail. Stop the "
              "home that the\nbackup was made of (%s), and never start it again; then:\n"
              "  postrider doctor --accept-backup\n  postrider serve\n",
              safe, stats->files, when, origin->place ? origin->place : "of an unknown place");
}

int
cmd_restore(Cli *cli, int argc, char **argv)
{
    static const char *const skip[] = {LABEL, NULL};
    g_auto(Making) m = {.parent_fd = -1, .fd = -1};
    g_auto(Origin) origin = {0};
    FolderStats stats = {0};
    int status;
    if (!*argv[1])
        return cli_usage(cli, "needs one folder, made by 'postrider backup'");
    g_autofree char *home = home_find(cli->home_option, &cli->error);
    if (!home)
        return cli_failed(cli, 0);
    auto_fd from = dir_open(argv[1], &cli->error);
    if (from < 0)
        return cli_failed(cli, EX_NOINPUT);
    if (!check_backup(from, argv[1], &origin, &cli->error))
        return cli_failed(cli, 0);
    if ((status = check_target(home)))
        return status;
    if (!making_begin(home, &m, &cli->error))
        return cli_failed(cli, EX_CANTCREAT);
    if (!folder_copy(from, m.fd, skip, teller(), &stats, &cli->error) ||
        !move_muttrc(&m, &cli->error) || !hold_all(&m, &origin, &cli->error) ||
        !making_finish(&m, &cli->error))
        return cli_failed(cli, 0);
    end_progress(&stats);
    report_restore(cli, &m, &stats, &origin);
    return 0;
}
