#include "engine/run/view_files.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/lock.h"
#include "engine/face.h"
#include "store/job/views.h"
#include <fcntl.h>

#define VIEW_MAX (64u << 20)
#define EDITED ".edited-"
#define LOCK "views.lock"
#define LOCK_WAIT_MS 20000
#define BATCH_BYTES (8u << 20) /* of files that are begun together */

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

/* Flushed: once the store has forgotten the file, nobody would look for it. */
static bool
remove_file(const Home *home, const char *subject, GError **error)
{
    if (unlinkat(home->fd, subject, 0) < 0)
        return errno == ENOENT || err_set_errno(error, errno, "removing '%s'", subject);
    g_autofree char *folder = g_path_get_dirname(subject);
    auto_fd fd = dir_open_beneath(home->fd, folder, error);
    return fd >= 0 && dir_flush(fd, error);
}

/* The bytes that a view is to have from now on; hex NULL: the file is to be removed. */
typedef struct Draft {
    const View *view;
    GBytes *bytes;
    char *hex;
} Draft;

static void
draft_free(Draft *d)
{
    g_clear_pointer(&d->bytes, g_bytes_unref);
    free_all(d->hex, d);
}
LIST_OF(Drafts, drafts, Draft, draft_free)

static bool
draft_add(Engine *engine, const View *v, Drafts *drafts, gsize *size, GError **error)
{
    const FaceOps *face = engine_face(engine, v->face);
    g_autoptr(GBytes) bytes = NULL;
    if (!face || !face->render)
        return true;
    if (!face->render(engine, v->subject, &bytes, error))
        return false;
    Draft *d = g_new0(Draft, 1);
    *size += bytes ? g_bytes_get_size(bytes) : 0;
    d->view = v;
    d->hex = bytes ? digest_hex_of(bytes) : NULL;
    d->bytes = g_steal_pointer(&bytes);
    drafts_add(drafts, d);
    return true;
}

/* True when the store does not know yet that these bytes may stand in the file. */
static bool
is_news(const Draft *d)
{
    return d->hex && !strstr(d->view->digests, d->hex);
}

/* Flushed before any of the files is: or what a power loss leaves would be taken for somebody's
 * edit. */
static bool
begin_all(Db *db, const Drafts *drafts, GError **error)
{
    bool any = false;
    LIST_EACH(const Draft, d, drafts)
        any = any || is_news(d);
    if (!any)
        return true;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        txn.ok = true;
        for (guint i = 0; i < drafts->len && txn.ok; i++) {
            const Draft *d = drafts->pdata[i];
            txn.ok = !is_news(d) || view_begin(&txn, d->view, d->hex, error);
        }
    }
    return txn.done;
}

static bool
write_draft(const Home *home, const Draft *d, GError **error)
{
    const View *v = d->view;
    g_autofree char *there = NULL;
    if (!read_file(home, v->subject, &there, error))
        return false;
    bool same = g_strcmp0(there, d->hex) == 0;
    if (!same && there && !strstr(v->digests, there) && !keep_edit(home, v->subject, error))
        return false;
    CRASH_POINT("view-begun");
    if (!same && d->hex && !write_file(home, v->subject, d->bytes, error))
        return false;
    if (!d->hex && !remove_file(home, v->subject, error))
        return false;
    CRASH_POINT("view-written");
    return true;
}

static bool
mark_rendered(Db *db, const Draft *d, GError **error)
{
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = view_rendered(&txn, d->view, d->hex, error);
    return txn.done;
}

static bool
write_all(Engine *engine, const Drafts *drafts, GError **error)
{
    bool ok = true;
    if (!begin_all(engine->db, drafts, error))
        return false;
    LIST_EACH(const Draft, d, drafts)
        if (!write_draft(engine->home, d, ok ? error : NULL) ||
            !mark_rendered(engine->db, d, ok ? error : NULL))
            ok = false;
    return ok;
}

/* Under the lock: who renders sees what was rendered before, and takes no other's file for an
 * edit. */
static bool
settle_owed(Engine *engine, GError **error)
{
    g_autoptr(Views) views = NULL;
    bool ok = true;
    if (!views_list(engine->db, false, &views, error))
        return false;
    for (guint i = 0; i < views->len;) {
        g_autoptr(Drafts) drafts = drafts_new();
        for (gsize size = 0; i < views->len && size < BATCH_BYTES; i++)
            if (!draft_add(engine, views->pdata[i], drafts, &size, ok ? error : NULL))
                ok = false;
        if (!write_all(engine, drafts, ok ? error : NULL))
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
