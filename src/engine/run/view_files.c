#include "engine/run/view_files.h"
#include "base/cleanup.h"
#include "base/crash.h"
#include "base/err.h"
#include "base/file.h"
#include "base/lock.h"
#include "engine/face.h"
#include "store/job/views.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define VIEW_MAX (64u << 20)
#define EDITED ".edited-"
#define LOCK "views.lock"
#define LOCK_WAIT_MS 20000

/* Somebody else's bytes get a name of their own. */
static bool
keep_edit(const Home *home, const char *subject, GError **error)
{
    for (int n = 1;; n++) {
        g_autofree char *name = g_strdup_printf("%s" EDITED "%d", subject, n);
        if (renameat2(home->fd, subject, home->fd, name, RENAME_NOREPLACE) == 0)
            return true;
        if (errno != EEXIST)
            return err_set_errno(error, errno, "keeping what was changed in '%s'", subject);
    }
}

/* *ret_hex: of what stands there, NULL: nothing does. */
static bool
read_file(const Home *home, const char *subject, char **ret_hex, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    *ret_hex = NULL;
    if (faccessat(home->fd, subject, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
        return true;
    if (!file_read(home->fd, subject, VIEW_MAX, &bytes, error))
        return false;
    *ret_hex = digest_hex_of(bytes);
    return true;
}

static bool
write_file(const Home *home, const char *subject, GBytes *bytes, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(subject);
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    return (g_str_equal(folder, ".") || dir_make(home->fd, folder, 0700, error)) &&
           file_replace(home->fd, subject, data, len, 0600, error);
}

static bool
mark(Db *db,
     bool (*how)(Txn *, const View *, const char *, GError **),
     const View *v,
     const char *hex,
     GError **error)
{
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = how(&txn, v, hex, error);
    return txn.done;
}

static bool
settle_view(Engine *engine, const FaceOps *face, const View *v, GError **error)
{
    const Home *home = engine->home;
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *there = NULL;
    if (!face->render(engine, v->subject, &bytes, error) ||
        !read_file(home, v->subject, &there, error))
        return false;
    g_autofree char *hex = bytes ? digest_hex_of(bytes) : NULL;
    bool same = g_strcmp0(there, hex) == 0;
    if (!same && hex && !mark(engine->db, view_begin, v, hex, error))
        return false;
    if (!same && there && !strstr(v->digests, there) && !keep_edit(home, v->subject, error))
        return false;
    CRASH_POINT("view-begun");
    if (!same && hex && !write_file(home, v->subject, bytes, error))
        return false;
    if (!hex && unlinkat(home->fd, v->subject, 0) < 0 && errno != ENOENT)
        return err_set_errno(error, errno, "removing '%s'", v->subject);
    CRASH_POINT("view-written");
    return mark(engine->db, view_rendered, v, hex, error);
}

/* Under the lock: who renders sees what was rendered before, and takes no other's file for an edit. */
static bool
settle_owed(Engine *engine, GError **error)
{
    g_autoptr(Views) views = NULL;
    bool ok = true;
    if (!views_list(engine->db, false, &views, error))
        return false;
    LIST_EACH(const View, v, views) {
        const FaceOps *face = engine_face(engine, v->face);
        if (face && face->render && !settle_view(engine, face, v, ok ? error : NULL))
            ok = false;
    }
    return ok;
}

bool
settle_views(Engine *engine, GError **error)
{
    g_autoptr(Views) owed = NULL;
    auto_fd lock = -1;
    if (!engine->faces || !*engine->faces)
        return true;
    if (!views_list(engine->db, false, &owed, error))
        return false;
    return owed->len == 0 ||
           (lock_take(engine->home->state_fd, LOCK, LOCK_WAIT_MS, &lock, error) &&
            settle_owed(engine, error));
}

bool
views_check(Engine *engine, GPtrArray *findings, GError **error)
{
    g_autoptr(Views) views = NULL;
    if (!views_list(engine->db, true, &views, error))
        return false;
    for (guint i = 0; i < views->len; i++) {
        const char *subject = ((const View *)views->pdata[i])->subject;
        for (int n = 1;; n++) {
            g_autofree char *name = g_strdup_printf("%s" EDITED "%d", subject, n);
            if (faccessat(engine->home->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
                break;
            g_ptr_array_add(
                findings,
                g_strdup_printf("'%s' is written by postrider; what somebody changed in it is "
                                "kept as '%s': remove that when it is of no use",
                                subject, name));
        }
    }
    return true;
}
