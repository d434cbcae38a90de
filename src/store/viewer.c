#include "store/viewer.h"
#include "store/spaces.h"

bool
note_is_beneath(const char *key, const char *folder)
{
    size_t len = strlen(folder);

    while (len > 0 && folder[len - 1] == '/')
        len--;
    return strncmp(key, folder, len) == 0 && (key[len] == '/' || !key[len]);
}

/* The role whose folder the key is in; NULL: nobody's. A person has no notes of their own. */
static const char *
folder_owner(const Config *config, const char *key)
{
    g_autofree char *folder = g_strndup(key, strcspn(key, "/"));
    const ConfRole *role = key[strlen(folder)] ? config_role(config, folder) : NULL;

    return role && !role->person ? role->name : NULL;
}

/* True when the role is a member of the space of a key spaces/NAME/... If the space can't be
 * asked about, nobody is a member. */
static bool
is_of_space(Db *db, const char *role, const char *key)
{
    const char *name = key + strlen(NOTE_SPACES);
    g_autofree char *space = g_strndup(name, strcspn(name, "/"));
    bool has = false;

    return strchr(name, '/') && space_has(db, space, role, &has, NULL) && has;
}

bool
viewer_sees_note(Db *db, const Viewer *viewer, const char *key)
{
    const Config *config = db_home(db)->config;

    if (viewer->operator)
        return true;
    if (!viewer->role || !config)
        return false;
    if (g_str_has_prefix(key, NOTE_SPACES))
        return is_of_space(db, viewer->role, key);
    const char *owner = folder_owner(config, key);
    if (!owner || g_str_equal(owner, viewer->role))
        return true;
    for (const char *const *shared = config->notes_shared; *shared; shared++) {
        if (note_is_beneath(key, *shared))
            return true;
    }
    return false;
}

bool
viewer_check_note(Db *db, const Viewer *viewer, const char *key, GError **error)
{
    return viewer_sees_note(db, viewer, key) ||
           err_set(error, ERR_NEVER,
                   "note '%s' is in a folder that role '%s' may not see or change", key,
                   viewer->role ? viewer->role : "");
}
