/*
 * The JSON of a state. What can't be in a state is refused with its path, also in bytes that
 * are ours: a store that was edited by hand is told from one that works.
 */
#include "steps/state.h"

#include "base/list.h"
#include "mail/msgid.h"

/* --- out --- */

/* Written as text: a state is written in each step, and a tree of it would be made only for that. */

/* Behind another entry of a list. */
static void
next_entry(GString *s)
{
    if (s->str[s->len - 1] != '[')
        g_string_append_c(s, ',');
}

static void
put_strings(GString *s, const char *name, const GPtrArray *list)
{
    json_put_name(s, name);
    g_string_append_c(s, '[');
    LIST_EACH(const char, text, list) {
        next_entry(s);
        json_append_text(s, text, strlen(text));
    }
    g_string_append_c(s, ']');
}

/* {"message_id": "<id>", name: value, and the offset where there is one} */
static void
put_ref(GString *s, const char *message_id, const char *name, const char *value, int64_t offset)
{
    g_autofree char *bracketed = msgid_format(message_id);

    next_entry(s);
    g_string_append_c(s, '{');
    json_put_text(s, "message_id", bracketed);
    json_put_text(s, name, value);
    if (offset)
        json_put_int(s, "offset", offset);
    g_string_append_c(s, '}');
}

static void
put_mails(GString *s, const char *name, const GPtrArray *refs)
{
    json_put_name(s, name);
    g_string_append_c(s, '[');
    LIST_EACH(const MailRef, ref, refs)
        put_ref(s, ref->message_id, "folder", ref->folder, 0);
    g_string_append_c(s, ']');
}

static void
put_files(GString *s, const char *name, const GPtrArray *refs)
{
    json_put_name(s, name);
    g_string_append_c(s, '[');
    LIST_EACH(const FileRef, ref, refs)
        put_ref(s, ref->message_id, "filename", ref->filename, ref->offset);
    g_string_append_c(s, ']');
}

static void
put_failed(GString *s, const char *name, const GPtrArray *failed)
{
    json_put_name(s, name);
    g_string_append_c(s, '{');
    LIST_EACH(const StateFailure, failure, failed)
        json_put_int(s, failure->key, failure->count);
    g_string_append_c(s, '}');
}

static void
put_bool(GString *s, const char *name, bool value)
{
    json_put_name(s, name);
    g_string_append(s, value ? "true" : "false");
}

GBytes *
state_format(const StepState *state)
{
    GString *s = g_string_sized_new(1024);

    g_string_append_c(s, '{');
    json_put_text(s, "current_phase", phase_name(state->phase));
    json_put_text(s, "working_note", state->working_note);
    json_put_text(s, "bundle_key", state->bundle_key);
    put_strings(s, "gathered_note_keys", state->note_keys);
    put_mails(s, "gathered_email_refs", state->mail_refs);
    put_failed(s, "failed_fetches", state->failed);
    put_strings(s, "attempted_searches", state->searches);
    put_files(s, "gathered_attachment_refs", state->attachment_refs);
    put_strings(s, "results", state->results);
    json_put_int(s, "idle_steps", state->idle_steps);
    put_bool(s, "refused_empty_complete", state->refused_empty_complete);
    json_put_text(s, "last_status", state->last_status);
    json_put_int(s, "wait_until", state->wait_until_us);
    put_bool(s, "refused_waiting", state->refused_waiting);
    put_strings(s, "said", state->said);
    if (state->acted)
        put_bool(s, "acted", true);
    g_string_append_c(s, '}');
    return g_string_free_to_bytes(s);
}

json_t *
state_to_json(const StepState *state)
{
    g_autoptr(GBytes) bytes = state_format(state);
    json_t *object = NULL;
    bool ok = json_parse_bytes(bytes, STATE_JSON_MAX, &object, NULL);

    g_assert(ok);
    return object;
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

/* The state that was given back, for the next who wants it. */
static struct {
    GBytes *bytes;
    StepState *state;
} given_back;

void
state_give_back(GBytes *bytes, StepState *take_state)
{
    g_clear_pointer(&given_back.bytes, g_bytes_unref);
    g_clear_pointer(&given_back.state, state_free);
    if (bytes) {
        given_back.bytes = g_bytes_ref(bytes);
        given_back.state = take_state;
    } else {
        state_free(take_state);
    }
}

bool
state_parse(GBytes *bytes, StepState **ret, GError **error)
{
    if (!bytes) {
        *ret = state_new();
        return true;
    }
    if (bytes == given_back.bytes) {
        *ret = g_steal_pointer(&given_back.state);
        g_clear_pointer(&given_back.bytes, g_bytes_unref);
        return true;
    }
    g_autoptr(json_t) json = NULL;
    return json_parse_bytes(bytes, STATE_JSON_MAX, &json, error) &&
           state_from_json(json, ret, error);
}
