#include "engine/mail_load.h"
#include "base/file.h"
#include "engine/in/mail_in.h"
#include "mail/identity.h"
#include "store/mail/copies.h"

#define COPIES_TRIED 16u
#define KEPT_BYTES (32u << 20) /* of mail; once more where it was parsed */

/* --- what is kept --- */

/* A mail of this claim. The parsed mail is kept together with the bytes that it was made
 * from. */
typedef struct Kept {
    GBytes *bytes;
    bool
        sure; /* nobody can have changed it since: it was written by us, or read in this step */
    char *path;    /* beneath mail/, of the file that they were read from; NULL: read it again */
    FileMark mark; /* of that file */
    Message *text, *headers; /* NULL: not wanted yet */
} Kept;

static void
kept_free(gpointer p)
{
    Kept *kept = p;
    g_bytes_unref(kept->bytes);
    g_free(kept->path);
    message_free(kept->text);
    message_free(kept->headers);
    g_free(kept);
}

/* Mail that came and mail that was written are numbered apart. */
static int64_t
out_key(const OutRow *row)
{
    return -row->id.v;
}

static Kept *
kept_find(Engine *engine, int64_t key)
{
    return engine->mails ? g_hash_table_lookup(engine->mails, &key) : NULL;
}

static bool
keep_room(Engine *engine, size_t size)
{
    bool room = engine->mails && size > 0 && engine->mails_size + size <= KEPT_BYTES;
    engine->mails_size += room ? size : 0;
    return room;
}

/* The same bytes, or those that were kept already; caller unrefs. */
static GBytes *
keep(Engine *engine, int64_t key, GBytes *bytes)
{
    Kept *kept = kept_find(engine, key);
    if (kept && g_bytes_equal(kept->bytes, bytes)) {
        kept->sure = true;
        return g_bytes_ref(kept->bytes);
    }
    if (kept)
        g_hash_table_remove(engine->mails, &key);
    if (keep_room(engine, g_bytes_get_size(bytes))) {
        kept = g_new0(Kept, 1);
        *kept = (Kept){.bytes = g_bytes_ref(bytes), .sure = true};
        g_hash_table_insert(engine->mails, g_memdup2(&key, sizeof key), kept);
    }
    return g_bytes_ref(bytes);
}

/* bytes: of this mail; NULL: it is gone, and so is the result. */
static Message *
read_kept(Engine *engine, int64_t key, GBytes *bytes, MessageWhat what)
{
    Kept *kept = kept_find(engine, key);
    if (!bytes)
        return NULL;
    if (!kept || kept->bytes != bytes || what == MESSAGE_CONTENT)
        return message_parse_bytes(bytes, what);
    Message **made = what == MESSAGE_TEXT ? &kept->text : &kept->headers;
    if (!*made && !keep_room(engine, g_bytes_get_size(bytes)))
        return message_parse_bytes(bytes, what);
    if (!*made)
        *made = message_parse_bytes(bytes, what);
    return message_ref(*made);
}

void
mails_keep(Engine *engine)
{
    GHashTableIter iter;
    gpointer key, value;
    if (!engine->mails)
        engine->mails = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, kept_free);
    g_hash_table_iter_init(&iter, engine->mails);
    while (g_hash_table_iter_next(&iter, &key, &value))
        ((Kept *)value)->sure = *(int64_t *)key < 0;
}

void
mails_forget(Engine *engine)
{
    g_clear_pointer(&engine->mails, g_hash_table_unref);
    engine->mails_size = 0;
}

/* --- files --- */

/* Reads the file again, and looks whether it is the same: somebody may have changed it. A file
 * that can't be read counts as none. */
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
    gsize len;

    if (!maildir_read(md, e, db_home(db)->config->max_message, &bytes, NULL) || !bytes)
        return true;
    const void *data = g_bytes_get_data(bytes, &len);
    identity_of_bytes(data, len, &found);
    if (!copies_is(db, message, &found, &same, error))
        return false;
    if (same)
        *ret_bytes = g_steal_pointer(&bytes);
    return true;
}

bool
mail_find_copy(
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

/* Most mail lies where it came, by its own name. *ret_path as in read_row(). */
static bool
read_from(Db *db, Maildir *md, const MsgRow *row, char **ret_path, GBytes **ret_bytes, GError **error)
{
    g_autoptr(MaildirEntry) entry = NULL;
    if (!maildir_look(md, row->folder, true, row->file, &entry, error) ||
        (!entry && !maildir_find(md, row->file, &entry, error)))
        return false;
    if (!entry)
        return mail_find_copy(db, md, row->id, NULL, ret_bytes, error);
    g_autoptr(GError) why = NULL;
    if (ret_path)
        *ret_path = maildir_entry_path(row->role, entry);
    if (maildir_read(md, entry, db_home(db)->config->max_message, ret_bytes, &why))
        return true;
    if (err_is(why, ERR_LIMIT))
        return mail_in_read_large(md, entry, ret_bytes, error);
    return err_pass(error, g_steal_pointer(&why));
}

/* *ret_path, which may be NULL: where the file was that was read; NULL in it: a copy was read. */
static bool
read_row(Db *db, const MsgRow *row, char **ret_path, GBytes **ret_bytes, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    return maildir_open(db_home(db)->mail_fd, row->role, false, &md, error) &&
           read_from(db, md, row, ret_path, ret_bytes, error);
}

/* --- mail that was written --- */

static int
compare_copies(gconstpointer a, gconstpointer b)
{
    const OutRow *x = *(const OutRow *const *)a, *y = *(const OutRow *const *)b;
    return g_str_equal(y->folder, "Sent") - g_str_equal(x->folder, "Sent");
}

/* Mail that has left is kept as the copies that were made of it. */
static bool
read_copies(Db *db, OutId id, const char *mailbox, GBytes **ret_bytes, GError **error)
{
    const OutQuery q = {.id = id, .all = true, .copies = true, .limit = UINT_MAX};
    g_autoptr(OutRows) rows = NULL;
    if (!outbox_list(db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    g_ptr_array_sort(LIST_ARRAY(rows), compare_copies);
    LIST_EACH(const OutRow, copy, rows) {
        g_autofree char *file = out_row_file(copy);
        const MsgRow place = {.role = copy->mailbox, .folder = copy->folder, .file = file};
        if (*ret_bytes || !copy->mailbox || (mailbox && !g_str_equal(copy->mailbox, mailbox)))
            continue;
        if (!read_row(db, &place, NULL, ret_bytes, error))
            return false;
    }
    return true;
}

bool
mail_bytes_out(
    Engine *engine, const OutRow *row, const char *mailbox, GBytes **ret_bytes, GError **error)
{
    Kept *kept = kept_find(engine, out_key(row));
    g_autoptr(OutRow) frozen = NULL;
    *ret_bytes = kept ? g_bytes_ref(kept->bytes) : NULL;
    if (kept)
        return true;
    if (!row->bytes && !outbox_load(engine->db, row->id, &frozen, error))
        return false;
    GBytes *bytes = frozen ? frozen->bytes : row->bytes;
    if (!bytes)
        return read_copies(engine->db, row->id, mailbox, ret_bytes, error);
    *ret_bytes = keep(engine, out_key(row), bytes);
    return true;
}

bool
mail_load_out(Engine *engine,
              const OutRow *row,
              const char *mailbox,
              MessageWhat what,
              Message **ret,
              GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    if (!mail_bytes_out(engine, row, mailbox, &bytes, error))
        return false;
    *ret = read_kept(engine, out_key(row), bytes, what);
    return true;
}

/* --- mail that came --- */

/* The file is where it was read before, and nobody has changed it since. */
static bool
is_unchanged(const Engine *engine, const Kept *kept)
{
    FileMark now;
    return kept->path && file_mark(engine->home->mail_fd, kept->path, &now) &&
           file_mark_equal(&now, &kept->mark);
}

/* The file was read since before_ns. One that was changed only then is read again. */
static void
mark_kept(const Engine *engine, Kept *kept, char **path, int64_t before_ns)
{
    g_clear_pointer(&kept->path, g_free);
    if (*path && file_mark(engine->home->mail_fd, *path, &kept->mark) &&
        kept->mark.ctime_ns < before_ns)
        kept->path = g_steal_pointer(path);
}

bool
mail_bytes(Engine *engine, const MsgRow *row, GBytes **ret_bytes, GError **error)
{
    Kept *kept = kept_find(engine, row->id.v);
    g_autoptr(GBytes) found = NULL;
    g_autofree char *path = NULL;
    if (kept && (kept->sure |= !kept->sure && is_unchanged(engine, kept))) {
        *ret_bytes = g_bytes_ref(kept->bytes);
        return true;
    }
    int64_t before_ns = file_clock_ns();
    if (!read_row(engine->db, row, &path, &found, error))
        return false;
    *ret_bytes = found ? keep(engine, row->id.v, found) : NULL;
    if ((kept = kept_find(engine, row->id.v)))
        mark_kept(engine, kept, &path, before_ns);
    return true;
}

bool
mail_load(Engine *engine, const MsgRow *row, MessageWhat what, Message **ret, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    if (!mail_bytes(engine, row, &bytes, error))
        return false;
    *ret = read_kept(engine, row->id.v, bytes, what);
    return true;
}
