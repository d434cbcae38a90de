#include "notes/note_json.h"
#include "base/banned.h"
#include "base/clock.h"

json_t *
note_format_json(const Note *note)
{
    g_autofree char *updated = note->updated_us ? clock_format_iso(note->updated_us) : NULL;
    json_t *o = json_pack("{s:s, s:I, s:I, s:s?, s:s, s:s}", "key", note->key, "version",
                          (json_int_t)note->version, "bytes", (json_int_t)note->size, "updated",
                          updated, "author", note->author, "label", trust_name(note->label));

    if (note->deleted)
        json_object_set_new(o, "deleted", json_true());
    if (note->from_key)
        json_object_set_new(o, "renamed_from", json_string(note->from_key));
    if (note->job.v != 0) {
        json_object_set_new(o, "job", json_integer(note->job.v));
        json_object_set_new(o, "step", json_integer(note->step));
    }
    return o;
}

json_t *
notes_format_json(const GPtrArray *notes)
{
    json_t *array = json_array();

    for (guint i = 0; i < notes->len; i++)
        json_array_append_new(array, note_format_json(g_ptr_array_index(notes, i)));
    return array;
}
