#include "notes/contents.h"
#include "notes/note_links.h"
#include "notes/notes.h"

/* Keys of spaces are for their members; CONTENTS is for everybody. */
static bool
may_name(const char *target)
{
    return !g_str_has_prefix(target, NOTE_SPACES);
}

/* --- links that are written --- */

static char **
links_of(GBytes *body)
{
    g_autofree char *text = text_valid_bytes(body);

    return note_links_keys(text);
}

static bool
check_link(Db *db, const Viewer *writer, const char *key, const char *target, GError **error)
{
    if (g_str_equal(key, CONTENTS_KEY) && !may_name(target))
        return err_set(error, ERR_NEVER, "CONTENTS is for everybody and can't name '%s'",
                       target);
    return viewer_check_note(db, writer, target, error) ||
           err_prefix(error, "the text has a link");
}

/* What stood in the note before may stay, whoever put it there. */
static bool
check_links(Txn *txn, const char *key, GBytes *body, const NoteBy *by, GError **error)
{
    const Viewer writer = note_writer(by);
    g_auto(GStrv) targets = links_of(body), before = NULL;

    for (char **t = targets; *t; t++) {
        g_autoptr(GError) refused = NULL;
        g_autoptr(Note) old = NULL;
        if (check_link(txn->db, &writer, key, *t, &refused))
            continue;
        if (!before && !note_load(txn->db, &writer, key, 0, &old, error))
            return false;
        if (!before)
            before = links_of(old ? old->body : NULL);
        if (g_strv_contains((const char *const *)before, *t))
            continue;
        return err_pass(error, g_steal_pointer(&refused));
    }
    return true;
}

bool
notes_put(Txn *txn,
          const char *key,
          GBytes *body,
          int64_t if_version,
          const NoteBy *by,
          int64_t *ret_version,
          GError **error)
{
    return check_links(txn, key, body, by, error) &&
           note_put(txn, key, body, if_version, by, ret_version, error);
}

bool
notes_append(Txn *txn,
             const char *key,
             GBytes *body,
             const NoteBy *by,
             int64_t *ret_version,
             GError **error)
{
    return check_links(txn, key, body, by, error) &&
           note_append(txn, key, body, by, ret_version, error);
}

/* --- CONTENTS follows --- */

/* to NULL: the note is gone. Bytes that are no text are left alone. */
static bool
update_contents(Txn *txn, const char *from, const char *to, const NoteBy *by, GError **error)
{
    g_autoptr(Note) old = NULL;

    if (g_str_equal(from, CONTENTS_KEY))
        return true;
    if (!note_load(txn->db, &VIEWER_OPERATOR, CONTENTS_KEY, 0, &old, error))
        return false;
    if (!old || !g_utf8_validate(g_bytes_get_data(old->body, NULL),
                                 (gssize)g_bytes_get_size(old->body), NULL))
        return true;
    g_autofree char *text = note_text(old);
    g_autofree char *changed =
        to && may_name(to) ? note_links_rename(text, from, to) : note_links_remove(text, from);
    if (!changed)
        return true;
    /* The new text of CONTENTS is a version of its own. Whoever renames has not read CONTENTS by
     * that, so it is no version of its job. */
    const NoteBy following = {
        .author = by->author, .label = MIN(by->label, old->label), .below = by->below};
    g_autoptr(GBytes) body = g_bytes_new(changed, strlen(changed));
    return note_put(txn, CONTENTS_KEY, body, old->version, &following, NULL, error);
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
