#include "notes/contents.h"
#include "base/banned.h"
#include "notes/note_links.h"
#include "notes/notes.h"

/* The new text of CONTENTS as a version of its own. Whoever renames has not read CONTENTS by
 * that, so it is no version of its job. */
static bool
put_contents(Txn *txn, const Note *old, const char *text, const NoteBy *by, GError **error)
{
    const NoteBy following = {.author = by->author, .label = MIN(by->label, old->label)};
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));

    return note_put(txn, CONTENTS_KEY, body, old->version, &following, NULL, error);
}

/* to NULL: the note is gone. Bytes that are no text are left alone. */
static bool
update_contents(Txn *txn, const char *from, const char *to, const NoteBy *by, GError **error)
{
    g_autoptr(Note) old = NULL;

    if (g_str_equal(from, CONTENTS_KEY))
        return true;
    if (!note_load(txn->db, CONTENTS_KEY, 0, &old, error))
        return false;
    if (!old || !g_utf8_validate(g_bytes_get_data(old->body, NULL),
                                 (gssize)g_bytes_get_size(old->body), NULL))
        return true;
    g_autofree char *text = note_text(old);
    g_autofree char *changed =
        to ? note_links_rename(text, from, to) : note_links_remove(text, from);
    return !changed || put_contents(txn, old, changed, by, error);
}

bool
notes_rename(Txn *txn, const char *from, const char *to, const NoteBy *by, GError **error)
{
    return note_rename(txn, from, to, by, error) && update_contents(txn, from, to, by, error);
}

bool
notes_delete(Txn *txn, const char *key, int64_t if_version, const NoteBy *by, GError **error)
{
    return note_delete(txn, key, if_version, by, error) &&
           update_contents(txn, key, NULL, by, error);
}
