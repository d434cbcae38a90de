#include "engine/shown.h"
#include "base/banned.h"
#include "base/json.h"
#include "store/messages.h"
#include "store/notes.h"

#define MANIFEST_MAX (32u << 20)

bool
shown_ids(GBytes *manifest, bool whole, GPtrArray **ret, GError **error)
{
    g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(json_t) object = NULL;
    gsize len = 0;
    const char *data = manifest ? g_bytes_get_data(manifest, &len) : NULL;
    size_t i;
    json_t *part;
    if (data && !json_parse(data, len, MANIFEST_MAX, &object, error))
        return false;
    json_array_foreach(json_object_get(object, "parts"), i, part)
    {
        const char *id = json_string_value(json_object_get(part, "id"));
        json_int_t shown = json_integer_value(json_object_get(part, "shown"));
        json_int_t bytes = json_integer_value(json_object_get(part, "bytes"));
        if (id && shown > 0 && (!whole || shown == bytes))
            g_ptr_array_add(ids, g_strdup(id));
    }
    *ret = g_steal_pointer(&ids);
    return true;
}

/* Unknown names are our own words. */
static bool
lower_by(Engine *engine, const char *role, const char *id, Trust *floor, GError **error)
{
    const Viewer viewer = {.role = role};
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Note) note = NULL;
    if (!messages_find(engine->db, &viewer, id, &row, error))
        return false;
    if (row)
        *floor = MIN(*floor, row->trust);
    if (row || !note_key_valid(id))
        return true;
    if (!note_look(engine->db, id, 0, &note, error))
        return false;
    if (note)
        *floor = MIN(*floor, note->label);
    return true;
}

bool
shown_floor(Engine *engine, const char *role, GBytes *manifest, Trust *floor, GError **error)
{
    g_autoptr(GPtrArray) ids = NULL;
    if (!shown_ids(manifest, false, &ids, error))
        return false;
    for (guint i = 0; i < ids->len; i++) {
        if (!lower_by(engine, role, g_ptr_array_index(ids, i), floor, error))
            return false;
    }
    return true;
}
