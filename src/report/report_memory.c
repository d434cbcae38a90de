#include "report/report_memory.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "engine/role.h"
#include "engine/run/workplace.h"
#include "notes/notes.h"
#include "report/report_files.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#define FILE_NAME REPORT_FOLDER "/memory.txt"
#define TAKEN REPORT_FOLDER "/.memory.taken" /* on its way into the note */
#define NOTES_FOLDER "notes/" REPORT_FOLDER
#define TARGET "../notes/" REPORT_MEMORY ".md"
#define FROM_JOB "../../../" REPORT_FOLDER /* from work/ROLE/JOB */

/* What lies under the name is a file of somebody's. */
static bool
is_file(const Home *home, const char *path)
{
    struct stat st;
    return fstatat(home->fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* The note has these bytes before the file goes. */
static bool
take(Engine *engine, GError **error)
{
    const Home *home = engine->home;
    const NoteBy by = {.author = "person", .label = TRUST_OPERATOR};
    g_autoptr(GBytes) body = NULL;
    if (!file_read(home->fd, TAKEN, LIMIT_MESSAGE_BYTES, &body, error))
        return false;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = !body || notes_put(&txn, REPORT_MEMORY, body, NOTE_ANY, &by, NULL, error);
    if (!txn.done)
        return err_prefix(error, "taking '" FILE_NAME "' into the note '" REPORT_MEMORY "'");
    if (unlinkat(home->fd, TAKEN, 0) < 0)
        return err_set_errno(error, errno, "removing '" TAKEN "'");
    return notes_sync(home, engine->db, NULL, error);
}

/* Writing through the link makes the note where there is none yet. */
static bool
make_link(const Home *home, GError **error)
{
    if (!dir_make(home->fd, NOTES_FOLDER, 0700, error))
        return false;
    if (symlinkat(TARGET, home->fd, FILE_NAME) < 0 && errno != EEXIST)
        return err_set_errno(error, errno, "making '" FILE_NAME "'");
    return true;
}

bool
report_memory_look(Engine *engine, unsigned *n, GError **error)
{
    const Home *home = engine->home;
    if (faccessat(home->fd, REPORT_FOLDER, F_OK, 0) < 0 ||
        !role_find(engine, home->config->report_role))
        return true;
    bool begun = is_file(home, TAKEN);
    if (!begun && is_file(home, FILE_NAME)) {
        if (renameat(home->fd, FILE_NAME, home->fd, TAKEN) < 0)
            return err_set_errno(error, errno, "taking '" FILE_NAME "'");
        begun = true;
    }
    if (begun && !take(engine, error))
        return false;
    *n += begun;
    return make_link(home, error);
}

/* Relative, so that the link of a copied home leads into that home; one that leads elsewhere is made anew. */
static bool
link_reports(const Home *home, const char *name)
{
    char there[PATH_MAX];
    ssize_t len = readlinkat(home->fd, name, there, sizeof there);

    if (len == (ssize_t)strlen(FROM_JOB) && memcmp(there, FROM_JOB, (size_t)len) == 0)
        return true;
    return (len < 0 || unlinkat(home->fd, name, 0) == 0) &&
           (symlinkat(FROM_JOB, home->fd, name) == 0 || errno == EEXIST);
}

void
report_memory_link(const Engine *engine, const Job *job)
{
    const Home *home = engine->home;
    g_autofree char *place = workplace_path(home, job);
    const char *path = place + strlen(home->path) + 1;
    g_autofree char *name = g_strdup_printf("%s/" REPORT_FOLDER, path);

    if (dir_make(home->fd, path, 0700, NULL) && !link_reports(home, name))
        log_event(LOG_WARN, "an agent does not find reports/ in its folder", "why",
                  g_strerror(errno), NULL);
}

void
report_memory_make(const Home *home)
{
    if (dir_make(home->fd, NOTES_FOLDER, 0700, NULL))
        (void)file_create(home->fd, "notes/" REPORT_MEMORY ".md", "", 0, 0600, NULL);
}
