#include "engine/context/manifest.h"
#include "store/mail/messages.h"
#include "store/note/note_versions.h"
#include "store/out/outbox.h"

#define MANIFEST_MAX (32u << 20)

static bool
read_manifest(GBytes *manifest, json_t **ret, GError **error)
{
    g_autoptr(GError) why = NULL;

    *ret = NULL;
    return !manifest || json_parse_bytes(manifest, MANIFEST_MAX, ret, &why) ||
           err_set(error, ERR_DAMAGE, "the manifest of a step can't be read: %s", why->message);
}

/* The part's id when the brain saw of it; NULL: it did not. */
static const char *
seen_id(const json_t *part, bool whole)
{
    json_int_t shown = json_integer_value(json_object_get(part, "shown"));
    json_int_t bytes = json_integer_value(json_object_get(part, "bytes"));
    bool counts = shown > 0 && (!whole || shown == bytes);
    return counts ? json_string_value(json_object_get(part, "id")) : NULL;
}

bool
manifest_ids(GBytes *manifest, bool whole, GPtrArray **ret, GError **error)
{
    g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(json_t) object = NULL;
    size_t i;
    json_t *part;
    if (!read_manifest(manifest, &object, error))
        return false;
    json_array_foreach(json_object_get(object, "parts"), i, part)
    {
        const char *id = seen_id(part, whole);
        if (id)
            g_ptr_array_add(ids, g_strdup(id));
    }
    *ret = g_steal_pointer(&ids);
    return true;
}

/* Unknown names are our own words. A note counts as the version that was shown, whatever it
 * became since. A mail that an agent wrote, this one or another, counts as what it had read
 * then: else a stranger's words would come back as trusted ones. */
bool
manifest_part_floor(
    Engine *engine, const char *role, const ManifestPart *part, Trust *floor, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Note) note = NULL;
    Trust own = TRUST_OPERATOR;
    const char *id = part->id;
    bool is_note = note_key_valid(id);
    if (is_note ? !note_look(engine->db, &VIEWER_OPERATOR, id, part->version, &note, error)
                : !messages_find(engine->db, &VIEWER_OF(role), id, &row, error) ||
                      (!row && !outbox_floor(engine->db, &VIEWER_OF(role), id, &own, error)))
        return false;
    *floor = MIN(*floor, row ? row->floor : note ? note->label : own);
    return true;
}

bool
manifest_is_own(const char *from)
{
    return g_strcmp0(from, "words") == 0 || g_strcmp0(from, "state") == 0;
}

static bool
is_own(const json_t *part)
{
    return manifest_is_own(json_string_value(json_object_get(part, "from")));
}

/* --- what was shown, and what was read --- */

ManifestPart *
manifest_part_new(const char *id, int64_t version)
{
    ManifestPart *part = g_new0(ManifestPart, 1);
    *part = (ManifestPart){.id = g_strdup(id), .version = version};
    return part;
}

void
manifest_part_free(ManifestPart *part)
{
    free_all(part->id, part);
}

static void
add_part(ManifestParts *list, const json_t *object, const char *id)
{
    int64_t version = json_integer_value(json_object_get(object, "version"));
    if (id)
        manifest_list_add(list, manifest_part_new(id, version));
}

static ManifestParts *
shown_parts(const json_t *manifest)
{
    ManifestParts *list = manifest_list_new();
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(manifest, "parts"), i, part)
    {
        add_part(list, part, is_own(part) ? NULL : seen_id(part, false));
    }
    return list;
}

bool
manifest_parts(GBytes *manifest, ManifestParts **ret, GError **error)
{
    g_autoptr(json_t) object = NULL;
    size_t i;
    json_t *part;
    if (!read_manifest(manifest, &object, error))
        return false;
    ManifestParts *list = shown_parts(object);
    json_array_foreach(json_object_get(object, "read"), i, part)
    {
        add_part(list, part, json_string_value(json_object_get(part, "id")));
    }
    *ret = list;
    return true;
}

bool
manifest_floor(Engine *engine, const char *role, GBytes *manifest, Trust *floor, GError **error)
{
    g_autoptr(json_t) object = NULL;
    g_auto(Snapshot) reads = {0};
    if (!read_manifest(manifest, &object, error))
        return false;
    g_autoptr(ManifestParts) parts = shown_parts(object);
    snapshot_begin(engine->db, &reads);
    LIST_EACH(const ManifestPart, part, parts)
        if (!manifest_part_floor(engine, role, part, floor, error))
            return false;
    return true;
}

GBytes *
manifest_add_reads(GBytes *manifest, json_t *reads)
{
    g_autoptr(json_t) object = NULL;
    if (json_array_size(reads) == 0)
        return manifest ? g_bytes_ref(manifest) : NULL;
    if (!manifest || !read_manifest(manifest, &object, NULL) || !object)
        object = json_object();
    json_object_set(object, "read", reads);
    char *text = json_format(object);
    return g_bytes_new_take(text, strlen(text));
}
