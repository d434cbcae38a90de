#include "store/spaces.h"
#include "base/digest.h"
#include "mail/address.h"
#include "store/note/note_versions.h"
#include "store/out/outbox.h"
#include "store/rows.h"

#define META "spaces" /* a digest of the settings that were made rows */

static const Field fields[] = {
    {"name", "name", FIELD_TEXT, offsetof(Space, name)},
    {"address", "address", FIELD_TEXT, offsetof(Space, address)},
    {NULL, "face", FIELD_TEXT, offsetof(Space, face)},
    {"talk", "talk", FIELD_NUMBER, offsetof(Space, talk)},
};
const Shape space_shape = {SHAPE("space", Space, spaces, fields)};

/* --- who is called so --- */

bool
member_at(Db *db, const char *address, char **ret, GError **error)
{
    const char *known = config_mailbox_at(db_home(db)->config, address);
    g_autofree char *normal = known ? NULL : address_normalise(address);

    *ret = g_strdup(known);
    return known || !normal ||
           sql_string(db, "SELECT name FROM role WHERE address = ?", ret, error, "s", normal);
}

/* A person's mailbox is here, or nothing could be delivered. */
static const char *
address_in_settings(const Config *config, const char *member)
{
    const ConfRole *role = config_role(config, member);

    for (unsigned i = 0; !role && i < config->n_persons; i++) {
        if (g_str_equal(config->persons[i].name, member) && config->persons[i].local)
            return config->persons[i].address;
    }
    return role ? role->address : NULL;
}

bool
member_address(Db *db, const char *member, char **ret, GError **error)
{
    const char *known = address_in_settings(db_home(db)->config, member);

    *ret = g_strdup(known);
    return known ||
           sql_string(db, "SELECT address FROM role WHERE name = ?", ret, error, "s", member);
}

/* --- reading --- */

bool
space_find(Db *db, const char *name, Space **ret, GError **error)
{
    return rows_first(db, &space_shape, "FROM space WHERE name = ?", ret, error, "s", name);
}

bool
space_at(Db *db, const char *address, Space **ret, GError **error)
{
    g_autofree char *normal = address_normalise(address);

    *ret = NULL;
    return !normal || rows_first(db, &space_shape, "FROM space WHERE address = ?", ret, error,
                                 "s", normal);
}

bool
spaces_list(Db *db, const char *member, Spaces **ret, GError **error)
{
    return rows_list(db, &space_shape,
                     "FROM space WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM space_member m "
                     "WHERE m.space = space.name AND m.member = ?1) ORDER BY name",
                     ret, error, "s", member);
}

bool
space_members(Db *db, const char *name, GPtrArray **ret, GError **error)
{
    return sql_strings(db, "SELECT member FROM space_member WHERE space = ? ORDER BY member",
                       ret, error, "s", name);
}

bool
space_has(Db *db, const char *name, const char *member, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM space_member WHERE space = ? AND member = ?", ret, error,
                    "ss", name, member);
}

bool
space_takes(Db *db, const char *name, const char *from, bool *ret, GError **error)
{
    g_autofree char *member = NULL;

    *ret = address_equal(from, db_home(db)->config->owner);
    return *ret || (member_at(db, from, &member, error) &&
                    (!member || space_has(db, name, member, ret, error)));
}

bool
space_for(Db *db, const char *address, const char *from, Space **ret, GError **error)
{
    g_autoptr(Space) space = NULL;
    bool takes = false;

    *ret = NULL;
    if (!space_at(db, address, &space, error) ||
        (space && !space_takes(db, space->name, from, &takes, error)))
        return false;
    if (takes)
        *ret = g_steal_pointer(&space);
    return true;
}

bool
address_unknown(Db *db, const char *address, const char *from, char **ret, GError **error)
{
    g_autofree char *why = config_unknown_here(db_home(db)->config, address);
    g_autoptr(Space) space = NULL;

    *ret = NULL;
    if (why && !space_for(db, address, from, &space, error))
        return false;
    if (why && !space)
        *ret = g_steal_pointer(&why);
    return true;
}

bool
address_is_here(Db *db, const char *address, bool *ret, GError **error)
{
    g_autoptr(Space) space = NULL;

    *ret = config_mailbox_at(db_home(db)->config, address) != NULL;
    if (!*ret && !space_at(db, address, &space, error))
        return false;
    *ret |= space != NULL;
    return true;
}

/* --- of a job --- */

bool
job_spaces(Db *db, JobId job, GPtrArray **ret, GError **error)
{
    return sql_strings(db, "SELECT space FROM job_space WHERE job = ? ORDER BY space", ret,
                       error, "i", job.v);
}

bool
job_space_add(Txn *txn, JobId job, const char *space, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO job_space (job, space) VALUES (?, ?) ON CONFLICT DO NOTHING",
                   error, "is", job.v, space);
}

bool
job_space_fits(Db *db, JobId job, const char *space, bool *ret, GError **error)
{
    return sql_bool(db,
                    "SELECT EXISTS (SELECT 1 FROM job_space WHERE job = ?1 AND space = ?2) OR "
                    "NOT EXISTS (SELECT 1 FROM job_space WHERE job = ?1)",
                    ret, error, "is", job.v, space);
}

/* --- of mail and notes --- */

bool
spaces_any(Db *db, bool *ret, GError **error)
{
    return sql_bool(db,
                    "SELECT EXISTS (SELECT 1 FROM space) OR EXISTS (SELECT 1 FROM job_space) OR "
                    "EXISTS (SELECT 1 FROM message WHERE space IS NOT NULL)",
                    ret, error, "");
}

bool
mail_space(Db *db, const char *msgid, char **ret, GError **error)
{
    *ret = NULL;
    if (!*msgid)
        return true; /* what has no id is no mail */
    return sql_string(db,
                      "SELECT space FROM message WHERE msgid >= ?1 AND msgid < ?1 || '~' "
                      "AND space IS NOT NULL LIMIT 1",
                      ret, error, "s", msgid) &&
           (*ret || sql_string(db,
                               "SELECT space FROM outbox WHERE id = ?1 AND space IS NOT NULL AND "
                               "substr(msgid, 1, length(?2)) = ?2",
                               ret, error, "is", out_number(msgid), msgid));
}

bool
out_space(Db *db, OutId id, const char *part, char **ret, GError **error)
{
    return sql_string(db,
                      "SELECT space FROM outbox WHERE id = ?1 AND space IS NOT NULL AND "
                      SQL_CONTAINS("msgid", "?2"),
                      ret, error, "is", id.v, part);
}

/* The name of the role in whose folder the key is, and that nobody else may see; NULL: it is in
 * none. */
static const char *
own_folder(const Config *config, const char *key)
{
    g_autofree char *folder = g_strndup(key, strcspn(key, "/"));
    const ConfRole *role = config ? config_role(config, folder) : NULL;

    for (const char *const *shared = role ? config->notes_shared : NULL; shared && *shared; shared++) {
        if (note_is_beneath(key, *shared))
            return NULL;
    }
    return role && !role->person && strchr(key, '/') ? role->name : NULL;
}

bool
note_is_own(Db *db, const char *role, const char *key)
{
    return g_strcmp0(own_folder(db_home(db)->config, key), role) == 0;
}

bool
note_spaces(Db *db, const char *key, GPtrArray **ret, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) jobs = NULL;

    if (g_str_has_prefix(key, NOTE_SPACES)) {
        const char *name = key + strlen(NOTE_SPACES);
        g_ptr_array_add(names, g_strndup(name, strcspn(name, "/")));
    } else if (own_folder(db_home(db)->config, key) && !note_writers(db, key, &jobs, error)) {
        return false;
    }
    for (guint i = 0; jobs && i < jobs->len; i++) {
        g_autoptr(GPtrArray) more = NULL;
        if (!job_spaces(db, g_array_index(jobs, JobId, i), &more, error))
            return false;
        g_ptr_array_extend_and_steal(names, g_steal_pointer(&more));
    }
    *ret = g_steal_pointer(&names);
    return true;
}

/* --- writing --- */

static bool
is_name(const char *name)
{
    return strlen(name) <= SPACE_NAME_MAX && !strchr(name, '/') && note_key_valid(name);
}

static bool
check_member(Db *db, const char *space, const char *member, GError **error)
{
    g_autofree char *address = NULL;

    if (!member_address(db, member, &address, error))
        return false;
    if (address)
        return true;
    g_autofree char *vis = text_vis(member, false);
    return err_set(error, ERR_NEVER, "space '%s': nobody here is called '%s'", space, vis);
}

/* Refuses a name whose space belongs to somebody else, or whose address is taken. */
static bool
check_space(Db *db, const char *name, const char *face, const char *address, GError **error)
{
    g_autoptr(Space) old = NULL;
    g_autofree char *taken = NULL;

    if (!is_name(name)) {
        g_autofree char *shown = text_shorten(name, 80);
        g_autofree char *vis = text_vis(shown, false);
        return err_set(error, ERR_NEVER,
                       "'%s' is no name for a space: at most %d of A-Z a-z 0-9 . _ -, and no "
                       "dot in front",
                       vis, SPACE_NAME_MAX);
    }
    if (!space_find(db, name, &old, error) || !member_at(db, address, &taken, error))
        return false;
    if (taken)
        return err_set(error, ERR_NEVER, "'%s' has the address of the space '%s'", taken, name);
    return !old || !*face || g_str_equal(old->face, face) ||
           err_set(error, ERR_NEVER, "there is a space '%s' already", name);
}

static bool
add_member(Txn *txn, const char *space, const char *member, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO space_member (space, member) VALUES (?, ?) ON CONFLICT DO NOTHING",
                   error, "ss", space, member);
}

#define LEFT_IT "is no member of the space any more"

/* Removes a member. Mail of the space that was on its way to them is not delivered, and mail
 * that they have not answered is not shown. */
static bool
remove_member(Txn *txn, const char *space, const char *member, GError **error)
{
    bool was;

    return sql_changed(txn, "DELETE FROM space_member WHERE space = ? AND member = ?", &was,
                       error, "ss", space, member) &&
           (!was ||
            (sql_run(txn,
                     "UPDATE delivery SET state = 'failed', why = ? WHERE mailbox = ? AND "
                     "folder = '' AND state IN ('waiting', 'ready', 'retry', 'held') AND "
                     "outbox IN (SELECT id FROM outbox WHERE space = ?)",
                     error, "sss", LEFT_IT, member, space) &&
             sql_run(txn,
                     "INSERT INTO trace (message, at_us, what, why) SELECT id, ?, 'ignored', ? "
                     "FROM message WHERE space = ? AND role = ? AND state IN ('stored', 'shown')",
                     error, "isss", txn_now(txn), LEFT_IT, space, member) &&
             sql_run(txn,
                     "UPDATE message SET state = 'ignored', why = ? WHERE space = ? AND role = ? "
                     "AND state IN ('stored', 'shown')",
                     error, "sss", LEFT_IT, space, member)));
}

static bool
remove_others(Txn *txn, const char *space, const char *const *members, GError **error)
{
    g_autoptr(GPtrArray) now = NULL;

    if (!space_members(txn->db, space, &now, error))
        return false;
    LIST_EACH(const char, member, now)
        if (!g_strv_contains(members, member) && !remove_member(txn, space, member, error))
            return false;
    return true;
}

bool
space_put(Txn *txn,
          const char *name,
          const char *face,
          int talk,
          const char *const *members,
          GError **error)
{
    g_autofree char *said = g_strdup_printf("%s@%s", name, db_home(txn->db)->config->domain);
    g_autofree char *address = address_normalise(said);

    if (!check_space(txn->db, name, face, address ? address : said, error))
        return false;
    for (const char *const *m = members; *m; m++)
        if (!check_member(txn->db, name, *m, error))
            return false;
    if (!sql_run(txn,
                 "INSERT INTO space (name, address, face, talk) VALUES (?, ?, ?, ?) "
                 "ON CONFLICT (name) DO UPDATE SET address = excluded.address, "
                 "face = excluded.face, talk = excluded.talk",
                 error, "sssn", name, address ? address : said, face, talk) ||
        !remove_others(txn, name, members, error))
        return false;
    for (const char *const *m = members; *m; m++)
        if (!add_member(txn, name, *m, error))
            return false;
    return true;
}

static bool
must_be(Db *db, const char *name, GError **error)
{
    g_autoptr(Space) space = NULL;

    return space_find(db, name, &space, error) &&
           (space || err_set(error, ERR_NEVER, "there is no space '%s'", name));
}

bool
space_join(Txn *txn, const char *name, const char *member, GError **error)
{
    return must_be(txn->db, name, error) && check_member(txn->db, name, member, error) &&
           add_member(txn, name, member, error);
}

bool
space_leave(Txn *txn, const char *name, const char *member, GError **error)
{
    return must_be(txn->db, name, error) && remove_member(txn, name, member, error);
}

bool
space_drop(Txn *txn, const char *name, GError **error)
{
    static const char *const nobody[] = {NULL};

    return remove_others(txn, name, nobody, error) &&
           sql_run(txn, "DELETE FROM space WHERE name = ?", error, "s", name);
}

/* --- those of the settings --- */

/* A digest of what the settings say of spaces; NULL: they name none. Caller frees. */
static char *
said_in_settings(const Config *config)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned i = 0; i < config->n_spaces; i++) {
        const ConfSpace *space = &config->spaces[i];
        g_autofree char *members = g_strjoinv(" ", (char **)(void *)(uintptr_t)space->members);
        g_string_append_printf(text, "%s@%s %" PRId64 " %s\n", space->name, config->domain,
                               space->talk, members);
    }
    Digest digest;
    digest_of(text->str, text->len, &digest);
    return text->len ? digest_hex(&digest) : NULL;
}

static bool
drop_others(Txn *txn, const Config *config, GError **error)
{
    g_autoptr(Spaces) all = NULL;

    if (!spaces_list(txn->db, NULL, &all, error))
        return false;
    LIST_EACH(const Space, space, all) {
        bool said = *space->face != '\0';
        for (unsigned i = 0; i < config->n_spaces; i++)
            said |= g_str_equal(config->spaces[i].name, space->name);
        if (!said && !space_drop(txn, space->name, error))
            return false;
    }
    return true;
}

static bool
keep_all(Txn *txn, const Config *config, const char *text, GError **error)
{
    for (unsigned i = 0; i < config->n_spaces; i++) {
        const ConfSpace *space = &config->spaces[i];
        if (!space_put(txn, space->name, "", (int)space->talk, space->members, error))
            return false;
    }
    return drop_others(txn, config, error) && meta_set(txn, META, text, error);
}

bool
spaces_keep(Db *db, GError **error)
{
    const Config *config = db_home(db)->config;
    g_autofree char *text = config ? said_in_settings(config) : NULL, *kept = NULL;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};

    if (!meta_get(db, META, &kept, error))
        return false;
    if (!config || g_strcmp0(text, kept) == 0)
        return true;
    while (txn_again(&txn, error))
        txn.ok = keep_all(&txn, config, text, error);
    return txn.done;
}
