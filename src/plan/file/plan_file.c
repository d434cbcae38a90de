#include "plan/file/plan_file.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/lock.h"
#include "plan/file/plan_log.h"
#include <fcntl.h>
#include <sys/stat.h>

#define TMP_STATE ".continuation.json.tmp"
#define TMP_BACKUP ".continuation.json.backup.tmp"

/* --- opening --- */

static bool
open_state(int state_fd, const char *folder, PlanFile **ret)
{
    PlanFile *file = g_new0(PlanFile, 1);

    file->state_fd = state_fd;
    file->folder = g_strdup(folder);
    file->clock = clock_from_env();
    *ret = file;
    return true;
}

bool
plan_file_open(const Project *project, bool make, PlanFile **ret, GError **error)
{
    g_autofree char *folder = g_build_filename(project->path, PROJECT_STATE, NULL);
    struct stat st;

    *ret = NULL;
    if (!make && fstatat(project->fd, PROJECT_STATE, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
        errno == ENOENT)
        return true;
    if (make && !dir_make(project->fd, PROJECT_STATE, 0777, error))
        return err_prefix(error, "in '%s'", project->path);
    int fd = dir_open_beneath(project->fd, PROJECT_STATE, error);
    return fd >= 0 && open_state(fd, folder, ret);
}

bool
plan_file_open_dir(const char *folder, bool make, PlanFile **ret, GError **error)
{
    *ret = NULL;
    if (make && g_mkdir_with_parents(folder, 0777) < 0)
        return err_set_errno(error, errno, "making folder '%s'", folder);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0)
        return err_set_errno(error, errno, "opening folder '%s'", folder);
    return open_state(fd, folder, ret);
}

void
plan_file_close(PlanFile *file)
{
    if (!file)
        return;
    cleanup_fd(&file->state_fd);
    g_clear_pointer(&file->ahead, g_bytes_unref);
    g_clear_pointer(&file->seen, g_bytes_unref);
    plan_free(file->plan);
    free_all(file->folder, file->notice, file);
}

char *
plan_file_now(const PlanFile *file)
{
    return clock_format_iso(clock_wall_us(&file->clock));
}

/* --- reading --- */

/* A link could lead anywhere, and a write would replace the link and not the file. */
static bool
refuse_link(const PlanFile *file, const char *name, GError **error)
{
    struct stat st;

    if (fstatat(file->state_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISLNK(st.st_mode))
        return true;
    return err_set(error, ERR_NEVER, "'%s' is a symbolic link, which is not followed", name);
}

/* As plan_parse(), but bytes that were seen before are not parsed again, if their plan was given back. */
static bool
parse_seen(PlanFile *file, GBytes *bytes, Plan **ret, GError **error)
{
    if (file->plan && g_bytes_equal(file->seen, bytes)) {
        *ret = g_steal_pointer(&file->plan);
        return true;
    }
    g_clear_pointer(&file->plan, plan_free);
    g_clear_pointer(&file->seen, g_bytes_unref);
    if (!plan_parse(bytes, ret, error))
        return false;
    file->seen = g_bytes_ref(bytes);
    return true;
}

void
plan_file_give_back(PlanFile *file, Plan *take_plan)
{
    plan_free(file->plan);
    file->plan = file->seen ? take_plan : NULL;
    if (!file->seen)
        plan_free(take_plan);
}

/* Names of sessions are plain words; what JSON would write otherwise is not looked for. */
bool
plan_file_mentions(PlanFile *file, const char *text)
{
    gsize len;

    for (const char *p = text; *p; p++) {
        if (!g_ascii_isalnum(*p) && !strchr("-_.:", *p))
            return true;
    }
    g_clear_pointer(&file->ahead, g_bytes_unref);
    if (!*text ||
        !file_read(file->state_fd, PLAN_STATE, LIMIT_PLAN_BYTES, &file->ahead, NULL) ||
        !file->ahead)
        return true;
    const char *data = g_bytes_get_data(file->ahead, &len);
    return memmem(data, len, text, strlen(text)) || memmem(data, len, "\\u", 2);
}

/* One generation. *ret NULL with true: there is no such file. take_bytes: those of the file, where they were read already. */
static bool
read_one(PlanFile *file,
         const char *name,
         GBytes *take_bytes,
         Plan **ret,
         GBytes **ret_bytes,
         GError **error)
{
    g_autoptr(GBytes) bytes = take_bytes;

    *ret = NULL;
    if (!refuse_link(file, name, error))
        return false;
    if (!bytes && !file_read(file->state_fd, name, LIMIT_PLAN_BYTES, &bytes, error)) {
        if (error && err_is(*error, ERR_LIMIT))
            (*error)->code = ERR_DAMAGE;
        return false;
    }
    if (bytes && !parse_seen(file, bytes, ret, error))
        return false;
    if (ret_bytes)
        *ret_bytes = g_steal_pointer(&bytes);
    return true;
}

static bool
cannot_mend(const PlanFile *file, const char *why, const GError *backup, GError **error)
{
    return err_set(error, ERR_DAMAGE,
                   "Invalid JSON in continuation state: '%s/" PLAN_STATE
                   "': %s; the backup %s%s; delete " PROJECT_STATE "/" PLAN_STATE
                   " and run: postrider plan execute (/02_execute)",
                   file->folder, why, backup ? "is damaged too: " : "is not there",
                   backup ? backup->message : "");
}

static void
give_notice(PlanFile *file, const char *why, const char *what)
{
    g_free(file->notice);
    file->notice =
        g_strdup_printf("Invalid JSON in continuation state: %s; %s '%s/" PLAN_BACKUP "'", why,
                        what, file->folder);
}

/* Puts the backup's bytes in the place of a state that can't be read, which is kept beside it. Under the lock. */
static bool
mend(PlanFile *file, const char *why, Plan **ret, GBytes **ret_bytes, GError **error)
{
    g_autoptr(GError) bad = NULL;
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(Plan) plan = NULL;
    gsize len;

    if (!read_one(file, PLAN_BACKUP, NULL, &plan, &bytes, &bad) || !plan)
        return cannot_mend(file, why, bad, error);
    const void *data = g_bytes_get_data(bytes, &len);
    bool kept = renameat(file->state_fd, PLAN_STATE, file->state_fd, PLAN_DAMAGED) == 0;
    if (kept && !file_replace(file->state_fd, PLAN_STATE, data, len, 0666, error))
        return false;
    give_notice(file, why, kept ? "restored from" : "read instead:");
    *ret = g_steal_pointer(&plan);
    if (ret_bytes)
        *ret_bytes = g_steal_pointer(&bytes);
    return true;
}

/* Advice for errors that a person has to mend: a wrong member, where the backup may be too old to be wanted. */
static bool
explain(const PlanFile *file, GError **error)
{
    return err_prefix(error, "continuation state '%s/" PLAN_STATE "'", file->folder);
}

/* Under the lock, or where nothing can be written. */
static bool
read_or_mend(PlanFile *file, Plan **ret, GBytes **ret_bytes, GError **error)
{
    g_autoptr(GError) why = NULL;

    if (read_one(file, PLAN_STATE, NULL, ret, ret_bytes, &why))
        return true;
    if (err_is(why, ERR_DAMAGE))
        return mend(file, why->message, ret, ret_bytes, error);
    return err_pass(error, g_steal_pointer(&why)) || explain(file, error);
}

bool
plan_file_read(PlanFile *file, Plan **ret, GBytes **ret_bytes, GError **error)
{
    g_autoptr(GError) why = NULL;
    auto_fd lock = -1;

    if (read_one(file, PLAN_STATE, g_steal_pointer(&file->ahead), ret, ret_bytes, &why))
        return true;
    if (!err_is(why, ERR_DAMAGE))
        return err_pass(error, g_steal_pointer(&why)) || explain(file, error);
    /* A script that writes in place may be in the middle of it: with the lock the state is whole, or damaged. */
    if (!lock_take(file->state_fd, PLAN_LOCK, PLAN_WAIT_HOOK_MS, &lock, &why) &&
        !err_is(why, ERR_CONFIG) && !err_is(why, ERR_DAMAGE))
        return err_pass(error, g_steal_pointer(&why));
    return read_or_mend(file, ret, ret_bytes, error);
}

/* --- writing --- */

bool
plan_edit_begin(PlanFile *file, int wait_ms, PlanEdit *ret, GError **error)
{
    *ret = (PlanEdit){.file = file, .lock = -1};
    if (!lock_take(file->state_fd, PLAN_LOCK, wait_ms, &ret->lock, error))
        return err_prefix(error, "'%s'", file->folder);
    if (!read_or_mend(file, &ret->plan, NULL, error))
        return false;
    ret->from = ret->plan ? plan_number(ret->plan->members, "revision") : 0;
    return true;
}

void
plan_edit_clear(PlanEdit *edit)
{
    g_clear_pointer(&edit->plan, plan_free);
    cleanup_fd(&edit->lock);
    edit->lock = -1;
}

/* What every line of the log has, in front of what the caller says. */
static json_t *
complete_line(const PlanEdit *edit, json_t *take_line, const char *now)
{
    g_autoptr(json_t) rest = take_line;
    const json_t *m = edit->plan->members;
    json_t *line = json_pack(
        "{s:s, s:s, s:I, s:I, s:s, s:s, s:I, s:s}", "at", now, "act", plan_text(rest, "act"),
        "revision", (json_int_t)plan_number(m, "revision"), "from", (json_int_t)edit->from,
        "session_id", plan_text(m, "session_id"), "branch", plan_text(m, "branch"), "iteration",
        (json_int_t)plan_number(m, "iteration_count"), "status",
        plan_status_names[plan_status(edit->plan)]);

    (void)json_object_update(line, rest);
    return line;
}

static bool
copy_backup(const PlanFile *file, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    gsize len;

    if (!file_read(file->state_fd, PLAN_STATE, LIMIT_PLAN_BYTES, &bytes, error))
        return false;
    if (!bytes)
        return err_set(error, ERR_NEVER, "Continuation state file not found");
    const void *data = g_bytes_get_data(bytes, &len);
    return file_replace(file->state_fd, PLAN_BACKUP, data, len, 0666, error);
}

/* The state of now gets the backup's name too; from the rename on that is its only one. */
static bool
link_backup(const PlanFile *file, GError **error)
{
    int fd = file->state_fd;

    (void)unlinkat(fd, TMP_BACKUP, 0);
    if (linkat(fd, PLAN_STATE, fd, TMP_BACKUP, 0) < 0) /* some file systems have no links */
        return errno == ENOENT || copy_backup(file, error);
    if (renameat(fd, TMP_BACKUP, fd, PLAN_BACKUP) < 0)
        return err_set_errno(error, errno, "renaming the backup");
    /* rename(2) leaves both names where they are one file already. */
    (void)unlinkat(fd, TMP_BACKUP, 0);
    return true;
}

static bool
write_tmp(const PlanFile *file, const char *text, GError **error)
{
    (void)unlinkat(file->state_fd, TMP_STATE, 0); /* of somebody who was killed */
    auto_fd fd =
        openat(file->state_fd, TMP_STATE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd < 0)
        return err_set_errno(error, errno, "making a file");
    return file_write_all(fd, text, strlen(text), error) &&
           (file_sync(fd) == 0 || err_set_errno(error, errno, "flushing"));
}

static bool
publish(const PlanFile *file, const char *text, const json_t *line, GError **error)
{
    if (!write_tmp(file, text, error))
        return false;
    CRASH_POINT("plan-tmp");
    if (!plan_log_append(file->state_fd, line, error))
        return false;
    CRASH_POINT("plan-logged");
    if (!link_backup(file, error))
        return false;
    CRASH_POINT("plan-backup");
    if (renameat(file->state_fd, TMP_STATE, file->state_fd, PLAN_STATE) < 0)
        return err_set_errno(error, errno, "renaming");
    CRASH_POINT("plan-renamed");
    return dir_flush(file->state_fd, error);
}

bool
plan_edit_commit(PlanEdit *edit, json_t *take_line, GError **error)
{
    const PlanFile *file = edit->file;
    json_t *m = edit->plan->members;
    g_autofree char *now = plan_file_now(file);
    int64_t last = plan_log_last_revision(file->state_fd);
    int64_t revision = MAX(edit->from, last) + 1;

    plan_set_number(m, "revision", revision);
    json_object_set_new(m, "last_checkpoint", json_string(now));
    g_autoptr(json_t) line = complete_line(edit, take_line, now);
    g_autofree char *text = plan_format(edit->plan);
    if (strlen(text) > LIMIT_PLAN_BYTES)
        return err_set(error, ERR_LIMIT, "the plan's state would be larger than %u bytes",
                       LIMIT_PLAN_BYTES);
    if (!publish(file, text, line, error)) {
        (void)unlinkat(file->state_fd, TMP_STATE, 0);
        return err_prefix(error, "writing '%s/" PLAN_STATE "'", file->folder);
    }
    edit->from = revision;
    return true;
}

bool
plan_file_backup(PlanFile *file, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};

    return plan_edit_begin(file, PLAN_WAIT_MS, &edit, error) && copy_backup(file, error);
}
