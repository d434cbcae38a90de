#include "notes/notes.h"

static bool
search_once(Index *ix, Db *db, const NoteQuery *q, NoteHits **ret, GError **error)
{
    return (!db_can_write(db) || notes_index_follow(ix, db, error)) &&
           notes_index_search(ix, db, q, ret, error);
}

bool
notes_search(const Home *home, Db *db, const NoteQuery *q, NoteHits **ret, GError **error)
{
    g_autoptr(Index) ix = NULL;
    g_autoptr(GError) why = NULL;
    bool fresh;

    if (!index_open(home, &ix, &fresh, error))
        return false;
    if (search_once(ix, db, q, ret, &why))
        return true;
    if (!err_is(why, ERR_AGAIN))
        return err_pass(error, g_steal_pointer(&why));
    return search_once(ix, db, q, ret, error);
}
