#include "store/note/note_readers.h"
#include "base/list.h"
#include "store/sql.h"
#include "store/viewer.h"

#define META "note-readers-kept" /* the table shown_abroad was filled */

/* No folder stands beneath another. */
static void
add_folder(GPtrArray *folders, const char *folder)
{
    for (guint i = folders->len; i-- > 0;) {
        const char *known = g_ptr_array_index(folders, i);
        if (note_is_beneath(folder, known))
            return;
        if (note_is_beneath(known, folder))
            g_ptr_array_remove_index(folders, i);
    }
    g_ptr_array_add(folders, g_strdup(folder));
}

/* The folders (char *) that the role was shown and would not see now. */
static bool
look_at_role(Db *db, const char *role, GPtrArray **ret, GError **error)
{
    const Viewer viewer = {.role = role};
    g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) keys = NULL;

    if (!sql_strings(db,
                     "SELECT DISTINCT s.key FROM note_shown s "
                     "JOIN job j ON j.id = s.job WHERE j.role = ? ORDER BY s.key",
                     &keys, error, "s", role))
        return false;
    LIST_EACH(char, key, keys) {
        char *slash = strrchr(key, '/');
        if (!slash || viewer_sees_note(db, &viewer, key))
            continue;
        *slash = '\0';
        add_folder(folders, key);
    }
    *ret = g_steal_pointer(&folders);
    return true;
}

static bool
keep_all(Txn *txn, GError **error)
{
    const Config *config = db_home(txn->db)->config;

    for (unsigned i = 0; i < config->n_roles; i++) {
        g_autoptr(GPtrArray) folders = NULL;
        if (!look_at_role(txn->db, config->roles[i].name, &folders, error))
            return false;
        LIST_EACH(const char, folder, folders)
            if (!sql_run(txn, "INSERT INTO shown_abroad (role, folder) VALUES (?, ?)", error, "ss",
                         config->roles[i].name, folder))
                return false;
    }
    return meta_set(txn, META, "1", error);
}

bool
notes_readers_keep(Db *db, bool *ret_first, GError **error)
{
    g_autofree char *kept = NULL;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};

    if (!meta_get(db, META, &kept, error))
        return false;
    *ret_first = !kept;
    while (!kept && txn_again(&txn, error))
        txn.ok = keep_all(&txn, error);
    return kept || txn.done;
}

bool
notes_readers_check(Db *db, GPtrArray *lines, GError **error)
{
    const Config *config = db_home(db)->config;
    g_autofree char *kept = NULL;

    if (config->notes_shared_said)
        return true;
    if (!meta_get(db, META, &kept, error))
        return false;
    for (unsigned i = 0; i < config->n_roles; i++) {
        const char *role = config->roles[i].name;
        g_autoptr(GPtrArray) folders = NULL;
        if (kept ? !sql_strings(db, "SELECT folder FROM shown_abroad WHERE role = ? ORDER BY folder",
                                &folders, error, "s", role)
                 : !look_at_role(db, role, &folders, error))
            return false;
        if (folders->len == 0)
            continue;
        g_ptr_array_add(folders, NULL);
        g_autofree char *words = g_strjoinv(" ", (char **)folders->pdata);
        g_ptr_array_add(
            lines, g_strdup_printf(
                       "role '%s' was shown notes of other roles, which it does not see any "
                       "more; this line in [notes] of postrider.conf keeps it so, and an empty "
                       "one ends this word: shared = %s",
                       role, words));
    }
    return true;
}
