#include "store/note/note_readers.h"
#include "base/list.h"
#include "store/sql.h"
#include "store/viewer.h"

#define META "notes-shown-abroad" /* lines "ROLE FOLDER FOLDER"; empty: there were none */

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

/* The folders that the role was shown and would not see now, as "ROLE FOLDER FOLDER"; NULL:
 * there are none. Caller frees. */
static bool
look_at_role(Db *db, const char *role, char **ret, GError **error)
{
    const Viewer viewer = {.role = role};
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
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
        add_folder(words, key);
    }
    *ret = NULL;
    if (words->len == 0)
        return true;
    g_ptr_array_insert(words, 0, g_strdup(role));
    g_ptr_array_add(words, NULL);
    *ret = g_strjoinv(" ", (char **)words->pdata);
    return true;
}

static bool
look(Db *db, char **ret, GError **error)
{
    const Config *config = db_home(db)->config;
    g_autoptr(GString) lines = g_string_new(NULL);

    for (unsigned i = 0; i < config->n_roles; i++) {
        g_autofree char *line = NULL;
        if (!look_at_role(db, config->roles[i].name, &line, error))
            return false;
        if (line)
            g_string_append_printf(lines, "%s\n", line);
    }
    *ret = g_string_free(g_steal_pointer(&lines), FALSE);
    return true;
}

bool
notes_readers_keep(Db *db, bool *ret_first, GError **error)
{
    g_autofree char *kept = NULL, *found = NULL;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};

    if (!meta_get(db, META, &kept, error) || (!kept && !look(db, &found, error)))
        return false;
    *ret_first = !kept;
    while (!kept && txn_again(&txn, error))
        txn.ok = meta_set(&txn, META, found, error);
    return kept || txn.done;
}

bool
notes_readers_check(Db *db, GPtrArray *lines, GError **error)
{
    const Config *config = db_home(db)->config;
    g_autofree char *text = NULL;

    if (config->notes_shared_said)
        return true;
    if (!meta_get(db, META, &text, error) || (!text && !look(db, &text, error)))
        return false;
    g_auto(GStrv) kept = g_strsplit(text, "\n", -1);
    for (char **line = kept; *line; line++) {
        const char *folders = strchr(*line, ' ');
        if (!folders)
            continue;
        g_ptr_array_add(
            lines, g_strdup_printf(
                       "role '%.*s' was shown notes of other roles, which it does not see any "
                       "more; this line in [notes] of postrider.conf keeps it so, and an empty "
                       "one ends this word: shared =%s",
                       (int)(folders - *line), *line, folders));
    }
    return true;
}
