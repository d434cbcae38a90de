#include "engine/follow.h"
#include "base/err.h"
#include "engine/in/mail_in.h"
#include "mail/identity.h"
#include "store/mail/copies.h"

#define FOLLOW_BATCH 2000
#define COPIES_TRIED 16u

/* Whoever may write the file may have changed it; one that can't be read is none. */
static bool
read_same(Db *db,
          Maildir *md,
          MsgId message,
          const MaildirEntry *e,
          GBytes **ret_bytes,
          GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    Digest found;
    bool same;

    if (!maildir_read(md, e, db_home(db)->config->max_message, &bytes, NULL) || !bytes)
        return true;
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    identity_of_bytes(data, len, &found);
    if (!copies_is(db, message, &found, &same, error))
        return false;
    if (same)
        *ret_bytes = g_steal_pointer(&bytes);
    return true;
}

bool
follow_copy(
    Db *db, Maildir *md, MsgId message, char **ret_file, GBytes **ret_bytes, GError **error)
{
    g_autoptr(GPtrArray) files = NULL;

    *ret_bytes = NULL;
    if (message.v && !copies_files(db, message, COPIES_TRIED, &files, error))
        return false;
    for (guint i = 0; files && i < files->len && !*ret_bytes; i++) {
        const char *file = g_ptr_array_index(files, i);
        g_autoptr(MaildirEntry) e = NULL;
        if (!maildir_find(md, file, &e, error) ||
            (e && !read_same(db, md, message, e, ret_bytes, error)))
            return false;
        if (*ret_bytes && ret_file)
            *ret_file = g_strdup(file);
    }
    return true;
}

/* Most mail lies where it came, by its own name. */
static bool
read_from(Db *db, Maildir *md, const MsgRow *row, GBytes **ret_bytes, GError **error)
{
    g_autoptr(MaildirEntry) entry = NULL;
    if (!maildir_look(md, row->folder, true, row->file, &entry, error) ||
        (!entry && !maildir_find(md, row->file, &entry, error)))
        return false;
    if (!entry)
        return follow_copy(db, md, row->id, NULL, ret_bytes, error);
    g_autoptr(GError) why = NULL;
    if (maildir_read(md, entry, db_home(db)->config->max_message, ret_bytes, &why))
        return true;
    if (err_is(why, ERR_LIMIT))
        return mail_in_read_large(md, entry, ret_bytes, error);
    return err_pass(error, g_steal_pointer(&why));
}

bool
follow_read(Db *db, const MsgRow *row, GBytes **ret_bytes, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    return maildir_open(db_home(db)->mail_fd, row->role, false, &md, error) &&
           read_from(db, md, row, ret_bytes, error);
}

/* --- mail that was written --- */

/* Mail that has left is kept as the copies that were made of it. */
static bool
read_copy(Db *db, const OutRow *copy, GBytes **ret_bytes, GError **error)
{
    g_autofree char *file = out_row_file(copy);
    const MsgRow place = {.role = copy->mailbox, .folder = copy->folder, .file = file};
    return follow_read(db, &place, ret_bytes, error);
}

static int
compare_copies(gconstpointer a, gconstpointer b)
{
    const OutRow *x = *(const OutRow *const *)a, *y = *(const OutRow *const *)b;
    return g_str_equal(y->folder, "Sent") - g_str_equal(x->folder, "Sent");
}

static bool
read_copies(Db *db, OutId id, const char *mailbox, GBytes **ret_bytes, GError **error)
{
    const OutQuery q = {.id = id, .all = true, .copies = true, .limit = UINT_MAX};
    g_autoptr(OutRows) rows = NULL;
    if (!outbox_list(db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    g_ptr_array_sort(LIST_ARRAY(rows), compare_copies);
    *ret_bytes = NULL;
    for (guint i = 0; i < rows->len && !*ret_bytes; i++) {
        const OutRow *row = g_ptr_array_index(rows, i);
        if (row->mailbox && (!mailbox || g_str_equal(row->mailbox, mailbox)) &&
            !read_copy(db, row, ret_bytes, error))
            return false;
    }
    return true;
}

bool
follow_read_out(
    Db *db, const OutRow *row, const char *mailbox, GBytes **ret_bytes, GError **error)
{
    g_autoptr(OutRow) frozen = NULL;
    if (!row->bytes && !outbox_load(db, row->id, &frozen, error))
        return false;
    GBytes *bytes = frozen ? frozen->bytes : row->bytes;
    if (!bytes)
        return read_copies(db, row->id, mailbox, ret_bytes, error);
    *ret_bytes = g_bytes_ref(bytes);
    return true;
}

/* --- the index --- */

typedef struct Follow {
    Engine *engine;
    Index *ix;
    Maildir *md; /* of the mail before; NULL: none yet */
    unsigned max, n;
} Follow;

/* Rows come in the order of arrival, so the mailbox is mostly that of the row before. */
static bool
get_mailbox(const Home *home, const char *role, Maildir **md, GError **error)
{
    if (*md && g_str_equal(maildir_mailbox(*md), role))
        return true;
    g_clear_pointer(md, maildir_close);
    return maildir_open(home->mail_fd, role, false, md, error);
}

static char *
text_of(GBytes *bytes)
{
    g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_TEXT);
    return g_steal_pointer(&m->text);
}

/* A mail that can't be read any more is still found by its header fields. */
static bool
add_in(Follow *f, const MsgRow *row, int64_t *last, GError **error)
{
    const Home *home = f->engine->home;
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *text = NULL;

    if (row->class != MSG_UNREADABLE && get_mailbox(home, row->role, &f->md, NULL) &&
        read_from(f->engine->db, f->md, row, &bytes, NULL) && bytes)
        text = text_of(bytes);
    *last = row->id.v;
    return index_add(f->ix, INDEX_IN, *last, row->from, row->to, row->subject, text, error);
}

static bool
add_out(Follow *f, const OutRow *row, int64_t *last, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *text = NULL;

    if (follow_read_out(f->engine->db, row, NULL, &bytes, NULL) && bytes)
        text = text_of(bytes);
    *last = row->id.v;
    return index_add(f->ix, INDEX_OUT, *last, row->from, row->address, row->subject, text,
                     error);
}

/* One of in and out is NULL. */
static bool
add_batch(Follow *f, const MsgRows *in, const OutRows *out, int64_t *last, GError **error)
{
    if (!index_begin(f->ix, error))
        return false;
    for (guint i = 0; in && i < in->len; i++)
        if (!add_in(f, in->pdata[i], last, error))
            return false;
    for (guint i = 0; out && i < out->len; i++)
        if (!add_out(f, out->pdata[i], last, error))
            return false;
    return index_commit(f->ix, in ? INDEX_IN : INDEX_OUT, *last, error);
}

static bool
follow_kind(Follow *f, IndexOf of, int64_t last, GError **error)
{
    while (f->max == 0 || f->n < f->max) {
        Db *db = f->engine->db;
        g_autoptr(MsgRows) in = NULL;
        g_autoptr(OutRows) out = NULL;
        if (of == INDEX_IN ? !index_behind(db, last, FOLLOW_BATCH, &in, error)
                           : !index_behind_out(db, last, FOLLOW_BATCH, &out, error))
            return false;
        guint n = in ? in->len : out->len;
        if (n == 0)
            break;
        if (!add_batch(f, in, out, &last, error))
            return false;
        f->n += n;
    }
    return true;
}

bool
follow_index(Engine *engine, Index *ix, unsigned max, unsigned *ret_n, GError **error)
{
    Follow f = {.engine = engine, .ix = ix, .max = max};
    int64_t in, out;
    bool ok = index_mark(ix, INDEX_IN, &in, error) && index_mark(ix, INDEX_OUT, &out, error) &&
              follow_kind(&f, INDEX_IN, in, error) && follow_kind(&f, INDEX_OUT, out, error);
    g_clear_pointer(&f.md, maildir_close);
    if (ok && ret_n)
        *ret_n = f.n;
    return ok;
}
