#include "base/living.h"
#include "base/crash.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/proc.h"
#include <fcntl.h>
#include <sys/stat.h>

#define MARK_MAX 8192
#define MARK_FIRST "postrider home 1"
/* Who put the mark is no master: any master of the same instance may make it its own. */
#define NO_START "-"

typedef struct Mark {
    bool there; /* false: no file, or nothing that can be read as a mark */
    char *instance, *start, *place;
} Mark;

static void
mark_clear(Mark *mark)
{
    free_all(mark->instance, mark->start, mark->place);
    *mark = (Mark){0};
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mark, mark_clear)

/* Without links in it: a home has one name, however it was called. */
static char *
real_path(const Home *home)
{
    g_autofree char *real = realpath(home->path, NULL);

    return g_strdup(real ? real : home->path);
}

char *
living_instance(const Home *home)
{
    const char *name = home->config->instance;
    g_autofree char *path = real_path(home);
    g_autofree char *text = *name ? g_strdup_printf("instance %s", name)
                                  : g_strdup_printf("home %s %s", proc_machine_id(), path);
    Digest d;

    digest_of(text, strlen(text), &d);
    return digest_hex(&d);
}

char *
living_place(const Home *home)
{
    g_autofree char *path = real_path(home);

    return g_strdup_printf("%s:%s", proc_host(), path);
}

char *
living_start(void)
{
    Random random = {0};
    uint64_t word[2];

    random_bytes(&random, word, sizeof word);
    return g_strdup_printf("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", word[0],
                           word[1]);
}

static bool
mark_read(const Home *home, Mark *ret, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;

    *ret = (Mark){0};
    if (!file_read(home->mail_fd, LIVING_MARK, MARK_MAX, &bytes, error))
        return err_prefix(error, "mail/" LIVING_MARK);
    g_autofree char *text = bytes ? text_from_bytes(bytes) : g_strdup("");
    g_auto(GStrv) lines = g_strsplit(text, "\n", 5);
    if (g_strv_length(lines) < 5 || !g_str_equal(lines[0], MARK_FIRST))
        return true;
    *ret = (Mark){.there = true,
                  .instance = g_strdup(lines[1]),
                  .start = g_strdup(lines[2]),
                  .place = text_vis(lines[3], false)};
    return true;
}

/* On a full disk a mark that is there can still be written over: it takes no room. Whoever dies in
 * between leaves a mark that is broken, and counts as none. */
static bool
mark_overwrite(const Home *home, const char *text)
{
    auto_fd fd = openat(home->mail_fd, LIVING_MARK, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    size_t len = strlen(text);

    return fd >= 0 && pwrite(fd, text, len, 0) == (ssize_t)len &&
           ftruncate(fd, (off_t)len) == 0 && fsync(fd) == 0;
}

static bool
mark_write(const Home *home, const char *start, bool replace, GError **error)
{
    g_autofree char *instance = living_instance(home), *place = living_place(home);
    g_autofree char *text =
        g_strdup_printf(MARK_FIRST "\n%s\n%s\n%s\n", instance, start, place);

    g_autoptr(GError) failed = NULL;

    CRASH_POINT("living-before-mark");
    if (!(replace ? file_replace : file_create)(home->mail_fd, LIVING_MARK, text, strlen(text),
                                                0600, &failed) &&
        !(replace && err_is(failed, ERR_LATER) && mark_overwrite(home, text))) {
        g_propagate_error(error, g_steal_pointer(&failed));
        return err_prefix(error, "mail/" LIVING_MARK);
    }
    CRASH_POINT("living-marked");
    return true;
}

const char *
living_hint(const Home *home)
{
    return !*home->config->instance &&
                   g_str_has_prefix(proc_machine_id(), PROC_NO_MACHINE_ID " ")
               ? " (this machine has no machine-id; if its name changes, set [postrider] "
                 "instance)"
               : "";
}

static bool
refuse(const Home *home, const Mark *mark, bool same, GError **error)
{
    g_autofree char *place = living_place(home);

    if (same)
        return err_set(error, ERR_CONFIG,
                       "the mail of this home is worked by a later start of it at '%s', and "
                       "this is '%s': one of the two must stop",
                       mark->place, place);
    return err_set(error, ERR_CONFIG,
                   "the mail of this home is worked by the home '%s', and this is '%s': stop "
                   "that one; if it is gone for good, or was moved here, run: postrider serve "
                   "--take-over%s",
                   mark->place, place, living_hint(home));
}

static bool
mark_exists(const Home *home)
{
    struct stat st;

    return fstatat(home->mail_fd, LIVING_MARK, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Puts a mark where none is; true in *ret_again: somebody else was faster, so look again. */
static bool
mark_put(const Home *home, const Mark *seen, const char *start, bool *ret_again, GError **error)
{
    g_autoptr(GError) failed = NULL;
    bool broken = !seen->there && mark_exists(home);

    *ret_again = false;
    if (mark_write(home, start, seen->there || broken, &failed))
        return true;
    /* Where there is still none, nobody was: the folder is gone, with the whole home perhaps. */
    if (err_is(failed, ERR_NEVER) && !seen->there && !broken && mark_exists(home)) {
        *ret_again = true;
        return true;
    }
    return err_pass(error, g_steal_pointer(&failed));
}

static bool
is_ours(const Home *home, const Mark *mark)
{
    g_autofree char *instance = living_instance(home);

    return g_str_equal(mark->instance, instance);
}

/* start NULL: whatever start the mark names is good, as long as the instance is ours. */
static bool
look(const Home *home, const char *start, bool begins, bool take_over, GError **error)
{
    for (;;) {
        g_auto(Mark) mark = {0};
        bool again;

        if (!mark_read(home, &mark, error))
            return false;
        bool ours = mark.there && is_ours(home, &mark);
        if (mark.there && !ours && !take_over)
            return refuse(home, &mark, false, error);
        if (ours && (start ? g_str_equal(mark.start, start) : true))
            return true;
        if (ours && !begins && !g_str_equal(mark.start, NO_START))
            return refuse(home, &mark, true, error);
        if (!mark_put(home, &mark, start ? start : NO_START, &again, error))
            return false;
        if (!again)
            return true;
    }
}

bool
living_is_foreign(const Home *home, bool *ret, GError **error)
{
    g_auto(Mark) mark = {0};

    if (!mark_read(home, &mark, error))
        return false;
    *ret = mark.there && !is_ours(home, &mark);
    return true;
}

bool
living_check(const Home *home, bool take_over, GError **error)
{
    return look(home, NULL, false, take_over, error);
}

bool
living_begin(const Home *home, const char *start, bool take_over, GError **error)
{
    return look(home, start, true, take_over, error);
}

bool
living_holds(const Home *home, const char *start, GError **error)
{
    return look(home, start, false, false, error);
}
