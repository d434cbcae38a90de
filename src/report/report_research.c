#include "report/report_research.h"
#include "base/file.h"
#include "base/log.h"
#include "report/report_files.h"
#include <fcntl.h>
#include <sys/stat.h>

#define ASIDE                                                                                  \
    ".research.taken" /* a folder on its way to the notes, or a link on its way to its place */

char *
report_research_folder(const char *folder)
{
    return g_strdup_printf("notes/%s/" REPORT_RESEARCH, folder);
}

/* From the folder of the date; caller frees. */
static char *
make_target(const char *folder, const char *notes)
{
    g_autoptr(GString) up = g_string_new(NULL);
    g_auto(GStrv) parts = g_strsplit(folder, "/", -1);
    for (char **part = parts; *part; part++)
        g_string_append(up, "../");
    return g_strconcat(up->str, notes, NULL);
}

bool
report_research_link(const Home *home, const char *folder, GError **error)
{
    g_autofree char *notes = report_research_folder(folder),
                    *target = make_target(folder, notes),
                    *path = g_strdup_printf("%s/" REPORT_RESEARCH, folder);
    if (!dir_make(home->fd, folder, 0700, error) || !dir_make(home->fd, notes, 0700, error))
        return false;
    if (symlinkat(target, home->fd, path) < 0 && errno != EEXIST)
        return err_set_errno(error, errno, "making '%s'", path);
    return true;
}

/* What has the name of one that is there takes its place: the note keeps what was there before. No file
 * keeps the home from working. */
static bool
move_files(const Home *home, const char *aside, const char *notes, unsigned *n, GError **error)
{
    auto_fd from = dir_open_beneath(home->fd, aside, error);
    auto_fd to = from < 0 ? -1 : dir_open_beneath(home->fd, notes, error);
    if (to < 0)
        return false;
    DIR *dir = dir_list(from, ".");
    const struct dirent *e;
    while (dir && (e = dir_next(dir))) {
        if (renameat(from, e->d_name, to, e->d_name) == 0)
            ++*n;
        else
            log_event(LOG_WARN, "a file of research stays where it is", "folder", aside, "why",
                      g_strerror(errno), NULL);
    }
    if (dir)
        (void)closedir(dir);
    (void)unlinkat(home->fd, aside, AT_REMOVEDIR); /* unless something has stayed */
    return dir_flush(to, error);
}

static bool
is_folder(const Home *home, const char *path)
{
    struct stat st;
    return fstatat(home->fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

bool
report_research_look(const Home *home, const char *folder, unsigned *n, GError **error)
{
    g_autofree char *notes = report_research_folder(folder),
                    *target = make_target(folder, notes),
                    *path = g_strdup_printf("%s/" REPORT_RESEARCH, folder),
                    *aside = g_strdup_printf("%s/" ASIDE, folder);
    if (is_folder(home, path) && !is_folder(home, aside)) {
        /* At no moment there is neither. */
        if (!dir_make(home->fd, notes, 0700, error))
            return false;
        if ((symlinkat(target, home->fd, aside) < 0 && errno != EEXIST) ||
            renameat2(home->fd, aside, home->fd, path, RENAME_EXCHANGE) < 0)
            return err_set_errno(error, errno, "moving '%s' to '%s'", path, notes);
    }
    if (is_folder(home, aside))
        return dir_make(home->fd, notes, 0700, error) &&
               move_files(home, aside, notes, n, error);
    return true;
}
