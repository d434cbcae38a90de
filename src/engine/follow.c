#include "engine/follow.h"
#include "base/banned.h"
#include "base/err.h"
#include "mail/maildir.h"

#define FOLLOW_BATCH 2000

/* Most mail lies where it came, by its own name. */
static bool
read_from(const Home *home, Maildir *md, const MsgRow *row, GBytes **ret_bytes, GError **error)
{
    g_autoptr(MaildirEntry) entry = NULL;
    if (!maildir_look(md, row->folder, true, row->file, &entry, error) ||
        (!entry && !maildir_find(md, row->file, &entry, error)))
        return false;
    if (!entry) {
        *ret_bytes = NULL;
        return true;
    }
    return maildir_read(md, entry, home->config->max_message, ret_bytes, error);
}

bool
follow_read(const Home *home, const MsgRow *row, GBytes **ret_bytes, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    return maildir_open(home->mail_fd, row->role, false, &md, error) &&
           read_from(home, md, row, ret_bytes, error);
}

/* Rows come in the order of arrival, so the mailbox is mostly that of the row before. */
static bool
get_mailbox(const Home *home, const char *role, Maildir **md, GError **error)
{
    if (*md && g_str_equal(maildir_mailbox(*md), role))
        return true;
    g_clear_pointer(md, maildir_close);
    return maildir_open(home->mail_fd, role, false, md, error);
}

static bool
add_row(Engine *engine, Index *ix, const MsgRow *row, Maildir **md, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GError) unread = NULL;
    const char *text = "";
    g_autoptr(Message) m = NULL;

    /* A mail that can't be read any more is still found by its header fields. */
    if (row->class != MSG_UNREADABLE && get_mailbox(engine->home, row->role, md, &unread) &&
        read_from(engine->home, *md, row, &bytes, &unread) && bytes) {
        gsize len;
        const void *data = g_bytes_get_data(bytes, &len);
        m = message_parse(data, len, MESSAGE_TEXT, NULL);
        text = m->text;
    }
    return index_add(ix, row->id, row->from, row->to, row->subject, text, error);
}

bool
follow_index(Engine *engine, Index *ix, unsigned max, unsigned *ret_n, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    unsigned n = 0;
    int64_t last;
    if (!index_mark(ix, &last, error))
        return false;
    while (max == 0 || n < max) {
        g_autoptr(GPtrArray) rows = NULL;
        if (!index_behind(engine->db, last, FOLLOW_BATCH, &rows, error))
            return false;
        if (rows->len == 0)
            break;
        if (!index_begin(ix, error))
            return false;
        for (guint i = 0; i < rows->len; i++) {
            const MsgRow *row = g_ptr_array_index(rows, i);
            if (!add_row(engine, ix, row, &md, error))
                return false;
            last = row->id.v;
        }
        if (!index_commit(ix, last, error))
            return false;
        n += rows->len;
    }
    if (ret_n)
        *ret_n = n;
    return true;
}
