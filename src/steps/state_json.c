/*
 * The JSON of a state. What can't be in a state is refused with its path, also in bytes that
 * are ours: a store that was edited by hand is told from one that works.
 */
#include "steps/state.h"

#include "base/list.h"
#include "mail/msgid.h"

/* --- out --- */

static json_t *
format_strings(const GPtrArray *list)
{
    json_t *array = json_array();

    for (guint i = 0; i < list->len; i++)
        json_array_append_new(array, json_string(g_ptr_array_index(list, i)));
    return array;
}

/* {"message_id": "<id>", name: value} */
static json_t *
format_ref(const char *message_id, const char *name, const char *value)
{
    g_autofree char *bracketed = msgid_format(message_id);
    json_t *object = json_object();

    json_object_set_new(object, "message_id", json_string(bracketed));
    json_object_set_new(object, name, json_string(value));
    return object;
}

static json_t *
format_mails(const GPtrArray *refs)
{
    json_t *array = json_array();

    LIST_EACH(const MailRef, ref, refs)
        json_array_append_new(array, format_ref(ref->message_id, "folder", ref->folder));
    return array;
}

static json_t *
format_files(const GPtrArray *refs)
{
    json_t *array = json_array();

    LIST_EACH(const FileRef, ref, refs) {
        json_t *object = format_ref(ref->message_id, "filename", ref->filename);
        if (ref->offset)
            json_object_set_new(object, "offset", json_integer(ref->offset));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *
format_failed(const GPtrArray *failed)
{
    json_t *object = json_object();

    LIST_EACH(const StateFailure, failure, failed)
        json_object_set_new(object, failure->key, json_integer(failure->count));
    return object;
}

json_t *
state_to_json(const StepState *state)
{
    json_t *o = json_object();

    json_object_set_new(o, "current_phase", json_string(phase_name(state->phase)));
    json_object_set_new(o, "working_note", json_string(state->working_note));
    json_object_set_new(o, "bundle_key", json_string(state->bundle_key));
    json_object_set_new(o, "gathered_note_keys", format_strings(state->note_keys));
    json_object_set_new(o, "gathered_email_refs", format_mails(state->mail_refs));
    json_object_set_new(o, "failed_fetches", format_failed(state->failed));
    json_object_set_new(o, "attempted_searches", format_strings(state->searches));
    json_object_set_new(o, "gathered_attachment_refs", format_files(state->attachment_refs));
    json_object_set_new(o, "results", format_strings(state->results));
    json_object_set_new(o, "idle_steps", json_integer(state->idle_steps));
    json_object_set_new(o, "refused_empty_complete",
                        json_boolean(state->refused_empty_complete));
    json_object_set_new(o, "last_status", json_string(state->last_status));
    json_object_set_new(o, "wait_until", json_integer(state->wait_until_us));
    json_object_set_new(o, "refused_waiting", json_boolean(state->refused_waiting));
    json_object_set_new(o, "said", format_strings(state->said));
    if (state->acted)
        json_object_set_new(o, "acted", json_true());
    return o;
}

/* --- in --- */

static bool
check_count(const char *name, size_t count, unsigned max, GError **error)
{
    if (count <= max)
        return true;
    return err_set(error, ERR_LIMIT, "%s: %zu entries are over the limit of %u", name, count,
                   max);
}

static bool
read_ref(const json_t *entry,
         const char *path,
         const char *name,
         const char **ret_id,
         const char **ret_value,
         GError **error)
{
    bool is_file = g_str_equal(name, "filename");
    const char *const names[] = {"message_id", name, is_file ? "offset" : NULL, NULL};

    if (!json_only(entry, path, names, error) ||
        !json_get_string(entry, path, "message_id", ret_id, error) ||
        !json_get_string(entry, path, name, ret_value, error))
        return false;
    g_autofree char *id = msgid_parse(*ret_id);
    return id || err_set(error, ERR_NEVER, "%s.message_id: is not a Message-ID", path);
}

static bool
read_mail(StepState *state, const json_t *entry, const char *path, GError **error)
{
    const char *id, *folder;

    if (!read_ref(entry, path, "folder", &id, &folder, error))
        return false;
    (void)state_add_mail(state, id, folder);
    return true;
}

static bool
read_attachment(StepState *state, const json_t *entry, const char *path, GError **error)
{
    const char *id, *filename;
    int64_t offset = 0;

    if (!read_ref(entry, path, "filename", &id, &filename, error) ||
        !json_find_int(entry, path, "offset", 0, INT64_MAX, &offset, error))
        return false;
    (void)state_add_attachment(state, id, filename, offset);
    return true;
}

static bool
read_failed(const json_t *object, StepState *state, GError **error)
{
    json_t *failed = json_object_get(object, "failed_fetches");
    const char *key;
    json_t *value;

    if (!json_is_object(failed))
        return err_set(error, ERR_NEVER, "failed_fetches: %s",
                       failed ? "must be an object" : "is missing");
    if (!check_count("failed_fetches", json_object_size(failed), STATE_LIST_MAX, error))
        return false;
    json_object_foreach(failed, key, value)
    {
        int64_t count;

        if (!json_get_int(failed, "failed_fetches", key, 0, STATE_COUNT_MAX, &count, error))
            return false;
        state_set_failures(state, key, (unsigned)count);
    }
    return true;
}

static bool
read_texts(const json_t *object, StepState *state, GError **error)
{
    const char *phase, *working_note, *bundle_key;

    if (!json_get_string(object, "", "current_phase", &phase, error) ||
        !json_get_string(object, "", "working_note", &working_note, error) ||
        !json_get_string(object, "", "bundle_key", &bundle_key, error))
        return false;
    if (!phase_parse(phase, &state->phase))
        return err_set(error, ERR_NEVER, "current_phase: is not a phase");
    if (strlen(working_note) > STATE_NOTE_MAX)
        return err_set(error, ERR_LIMIT, "working_note: %zu bytes are over the limit of %u",
                       strlen(working_note), STATE_NOTE_MAX);
    state_set_working_note(state, working_note);
    state_set_bundle_key(state, bundle_key);
    return true;
}

static bool
add_result(StepState *state, const char *line)
{
    state_add_result(state, "%s", line);
    return true;
}

static bool
add_said(StepState *state, const char *token)
{
    g_ptr_array_add(state->said, g_strdup(token));
    return true;
}

/* Lists are of texts, each of which is added by the call that is named, or of objects. The
 * first continuations had two of them. */
typedef struct StateList {
    const char *name;
    unsigned max;
    bool (*add)(StepState *state, const char *text);
    bool (*read)(StepState *state, const json_t *entry, const char *path, GError **error);
    bool required;
} StateList;
static const StateList lists[] = {
    {"gathered_note_keys", STATE_LIST_MAX, .add = state_add_note, .required = true},
    {"gathered_email_refs", STATE_LIST_MAX, .read = read_mail, .required = true},
    {"attempted_searches", STATE_LIST_MAX, .add = state_search_tried},
    {"gathered_attachment_refs", STATE_LIST_MAX, .read = read_attachment},
    {"results", STATE_RESULTS_MAX, .add = add_result},
    {"said", STATE_LIST_MAX, .add = add_said},
};

static bool
read_entry(const StateList *l, StepState *state, const json_t *entry, size_t i, GError **error)
{
    g_autofree char *path = g_strdup_printf("%s[%zu]", l->name, i);

    if (l->read)
        return l->read(state, entry, path, error);
    if (!json_is_string(entry))
        return err_set(error, ERR_NEVER, "%s: must be a string", path);
    (void)l->add(state, json_string_value(entry));
    return true;
}

static bool
read_list(const StateList *l, const json_t *object, StepState *state, GError **error)
{
    const json_t *array, *entry;
    size_t i;

    if (!l->required && !json_object_get(object, l->name))
        return true;
    if (!json_get_array(object, "", l->name, &array, error) ||
        !check_count(l->name, json_array_size(array), l->max, error))
        return false;
    json_array_foreach(array, i, entry)
    {
        if (!read_entry(l, state, entry, i, error))
            return false;
    }
    return true;
}

/* The other members that the first continuations did not have. */
static bool
read_later(const json_t *object, StepState *state, GError **error)
{
    int64_t idle = 0, until = 0;
    const char *status = "";

    if (!json_find_int(object, "", "idle_steps", 0, STATE_COUNT_MAX, &idle, error) ||
        !json_find_string(object, "", "last_status", &status, error) ||
        !json_find_int(object, "", "wait_until", 0, INT64_MAX, &until, error) ||
        !json_find_bool(object, "", "refused_empty_complete", &state->refused_empty_complete,
                        error) ||
        !json_find_bool(object, "", "refused_waiting", &state->refused_waiting, error) ||
        !json_find_bool(object, "", "acted", &state->acted, error))
        return false;
    state->idle_steps = (unsigned)idle;
    state_set_last(state, status, until);
    return true;
}

bool
state_from_json(const json_t *object, StepState **ret, GError **error)
{
    g_autoptr(StepState) state = state_new();

    if (!read_texts(object, state, error) || !read_failed(object, state, error) ||
        !read_later(object, state, error))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        if (!read_list(&lists[i], object, state, error))
            return false;
    *ret = g_steal_pointer(&state);
    return true;
}

GBytes *
state_format(const StepState *state)
{
    g_autoptr(json_t) json = state_to_json(state);
    char *text = json_format(json);
    return g_bytes_new_take(text, strlen(text));
}

bool
state_parse(GBytes *bytes, StepState **ret, GError **error)
{
    if (!bytes) {
        *ret = state_new();
        return true;
    }
    g_autoptr(json_t) json = NULL;
    return json_parse_bytes(bytes, STATE_JSON_MAX, &json, error) &&
           state_from_json(json, ret, error);
}
