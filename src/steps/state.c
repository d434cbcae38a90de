#include "steps/state.h"

#include "base/digest.h"
#include "base/list.h"
#include "mail/msgid.h"

#define SAID_CHARS 16 /* of a digest: within one round no two are alike */
#define SEARCH "search:"

const char *const phase_names[PHASE_COUNT + 1] = {
    [PHASE_TRIAGE] = "triage",           [PHASE_GATHERING] = "gathering",
    [PHASE_SUMMARISING] = "summarising", [PHASE_WORKING] = "working",
    [PHASE_CODING] = "coding",           [PHASE_COMPOSING] = "composing",
    [PHASE_WAITING] = "waiting",         [PHASE_COMPLETE] = "complete",
    [PHASE_ESCALATE] = "escalate",
};

const char *
phase_name(Phase phase)
{
    return phase_names[phase];
}

bool
phase_parse(const char *name, Phase *ret)
{
    for (unsigned i = 0; i < PHASE_COUNT; i++) {
        if (g_ascii_strcasecmp(name, phase_names[i]) == 0) {
            *ret = (Phase)i;
            return true;
        }
    }
    return false;
}

/* --- parts --- */

/* A copy of at most STATE_LINE_MAX bytes, whole characters. */
static char *
copy_line(const char *s)
{
    return g_strndup(s, text_cut_at(s, STATE_LINE_MAX));
}

MailRef *
mail_ref_new(const char *message_id, const char *folder)
{
    MailRef *ref = g_new(MailRef, 1);

    *ref = (MailRef){.message_id = copy_line(message_id), .folder = copy_line(folder)};
    return ref;
}

void
mail_ref_free(MailRef *ref)
{
    if (!ref)
        return;
    free_all(ref->message_id, ref->folder, ref);
}

FileRef *
file_ref_new(const char *message_id, const char *filename, int64_t offset)
{
    FileRef *ref = g_new(FileRef, 1);

    *ref = (FileRef){
        .message_id = copy_line(message_id), .filename = copy_line(filename), .offset = offset};
    return ref;
}

void
file_ref_free(FileRef *ref)
{
    if (!ref)
        return;
    free_all(ref->message_id, ref->filename, ref);
}

static void
failure_free(StateFailure *failure)
{
    free_all(failure->key, failure);
}

StepState *
state_new(void)
{
    StepState *state = g_new0(StepState, 1);

    state->working_note = g_strdup("");
    state->bundle_key = g_strdup("");
    state->last_status = g_strdup("");
    state->note_keys = g_ptr_array_new_with_free_func(g_free);
    state->mail_refs = g_ptr_array_new_with_free_func((GDestroyNotify)mail_ref_free);
    state->attachment_refs = g_ptr_array_new_with_free_func((GDestroyNotify)file_ref_free);
    state->failed = g_ptr_array_new_with_free_func((GDestroyNotify)failure_free);
    state->searches = g_ptr_array_new_with_free_func(g_free);
    state->said = g_ptr_array_new_with_free_func(g_free);
    state->results = g_ptr_array_new_with_free_func(g_free);
    return state;
}

void
state_free(StepState *state)
{
    if (!state)
        return;
    free_all(state->working_note, state->bundle_key, state->last_status);
    g_ptr_array_unref(state->note_keys);
    g_ptr_array_unref(state->mail_refs);
    g_ptr_array_unref(state->attachment_refs);
    g_ptr_array_unref(state->failed);
    g_ptr_array_unref(state->searches);
    g_ptr_array_unref(state->said);
    g_ptr_array_unref(state->results);
    g_free(state);
}

StepState *
state_next_round(const StepState *state)
{
    StepState *next = state_new();

    state_set_bundle_key(next, state->bundle_key);
    for (guint i = 0; i < state->note_keys->len; i++)
        (void)state_add_note(next, g_ptr_array_index(state->note_keys, i));
    return next;
}

void
state_set_last(StepState *state, const char *status, int64_t wait_until_us)
{
    char *copy = copy_line(status);

    g_free(state->last_status);
    state->last_status = copy;
    state->wait_until_us = wait_until_us;
}

void
state_set_working_note(StepState *state, const char *text)
{
    char *copy = g_strdup(text);

    g_free(state->working_note);
    state->working_note = copy;
}

void
state_set_bundle_key(StepState *state, const char *key)
{
    char *copy = g_strstrip(copy_line(key));

    g_free(state->bundle_key);
    state->bundle_key = copy;
}

/* --- lists --- */

static void
add_within(GPtrArray *list, unsigned max, void *entry)
{
    if (list->len >= max)
        g_ptr_array_remove_index(list, 0);
    g_ptr_array_add(list, entry);
}

static bool
has_string(const GPtrArray *list, const char *s)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)list, s, g_str_equal, NULL);
}

static bool
add_string(GPtrArray *list, const char *s)
{
    g_autofree char *stripped = g_strstrip(copy_line(s));

    if (!*stripped || has_string(list, stripped))
        return false;
    add_within(list, STATE_LIST_MAX, g_steal_pointer(&stripped));
    return true;
}

char *
state_note_key(const char *entry, int64_t *ret_offset)
{
    const char *at = strrchr(entry, '@');

    *ret_offset = 0;
    if (!at || !text_parse_int(at + 1, 0, INT64_MAX, ret_offset))
        return g_strdup(entry);
    return g_strndup(entry, (gsize)(at - entry));
}

/* GEqualFunc: is this entry the note of that key, from whichever byte on? */
static gboolean
is_of_note(gconstpointer entry, gconstpointer key)
{
    int64_t offset;
    g_autofree char *its = state_note_key(entry, &offset);

    return g_str_equal(its, key) || g_str_equal(entry, key);
}

bool
state_add_note(StepState *state, const char *entry)
{
    g_autofree char *stripped = g_strstrip(copy_line(entry));
    int64_t offset;
    g_autofree char *key = state_note_key(stripped, &offset);
    guint at;

    if (has_string(state->note_keys, stripped))
        return false;
    if (g_ptr_array_find_with_equal_func(state->note_keys, key, is_of_note, &at))
        g_ptr_array_remove_index(state->note_keys, at);
    return add_string(state->note_keys, stripped);
}

static MailRef *
find_mail(const StepState *state, const char *id)
{
    LIST_EACH(MailRef, ref, state->mail_refs)
        if (strcmp(ref->message_id, id) == 0)
            return ref;
    return NULL;
}

bool
state_add_mail(StepState *state, const char *message_id, const char *folder)
{
    g_autofree char *id = msgid_parse(message_id);

    if (!id)
        return false;
    MailRef *ref = find_mail(state, id);
    if (!ref) {
        add_within(state->mail_refs, STATE_LIST_MAX, mail_ref_new(id, folder));
        return true;
    }
    if (*folder) {
        char *copy = copy_line(folder);
        g_free(ref->folder);
        ref->folder = copy;
    }
    return false;
}

bool
state_add_attachment(StepState *state,
                     const char *message_id,
                     const char *filename,
                     int64_t offset)
{
    g_autofree char *id = msgid_parse(message_id), *name = copy_line(filename);

    if (!id)
        return false;
    LIST_EACH(FileRef, ref, state->attachment_refs) {
        if (strcmp(ref->message_id, id) != 0 || strcmp(ref->filename, name) != 0)
            continue;
        bool is_new = ref->offset != offset;
        ref->offset = offset;
        return is_new;
    }
    add_within(state->attachment_refs, STATE_LIST_MAX, file_ref_new(id, name, offset));
    return true;
}

static bool
drop_note(StepState *state, const char *key)
{
    guint at;
    g_autofree char *stripped = g_strstrip(copy_line(key));

    if (!g_ptr_array_find_with_equal_func(state->note_keys, stripped, is_of_note, &at))
        return false;
    g_ptr_array_remove_index(state->note_keys, at);
    return true;
}

static bool
drop_mail(StepState *state, const char *id)
{
    MailRef *mail = find_mail(state, id);
    bool found = mail != NULL;

    if (mail)
        g_ptr_array_remove(state->mail_refs, mail);
    for (guint i = state->attachment_refs->len; i-- > 0;) {
        const FileRef *file = g_ptr_array_index(state->attachment_refs, i);
        if (strcmp(file->message_id, id) != 0)
            continue;
        g_ptr_array_remove_index(state->attachment_refs, i);
        found = true;
    }
    return found;
}

bool
state_drop(StepState *state, const char *key_or_id)
{
    g_autofree char *id = msgid_parse(key_or_id);

    return drop_note(state, key_or_id) || (id && drop_mail(state, id));
}

void
state_rename_note(StepState *state, const char *from, const char *to)
{
    if (drop_note(state, from))
        (void)state_add_note(state, to);
    if (g_str_equal(state->bundle_key, from))
        state_set_bundle_key(state, to);
    state_forgive(state, to);
}

/* --- failures and searches --- */

/* "<a@b>" and "a@b" fail as one. Only a bracketed text is taken for an id: a search may well
 * have an address in it. */
static char *
normalise_key(const char *key)
{
    g_autofree char *stripped = g_strstrip(copy_line(key));
    char *id = *stripped == '<' ? msgid_parse(stripped) : NULL;

    return id ? id : g_steal_pointer(&stripped);
}

static StateFailure *
find_failure(const StepState *state, const char *normal)
{
    LIST_EACH(StateFailure, failure, state->failed)
        if (strcmp(failure->key, normal) == 0)
            return failure;
    return NULL;
}

static StateFailure *
get_failure(StepState *state, const char *key)
{
    g_autofree char *normal = normalise_key(key);
    StateFailure *failure = find_failure(state, normal);

    if (!failure) {
        failure = g_new0(StateFailure, 1);
        failure->key = g_steal_pointer(&normal);
        add_within(state->failed, STATE_LIST_MAX, failure);
    }
    return failure;
}

unsigned
state_fail(StepState *state, const char *key)
{
    StateFailure *failure = get_failure(state, key);

    if (failure->count < STATE_COUNT_MAX)
        failure->count++;
    return failure->count;
}

void
state_forgive(StepState *state, const char *key)
{
    g_autofree char *normal = normalise_key(key);

    g_ptr_array_remove(state->failed, find_failure(state, normal));
}

void
state_set_failures(StepState *state, const char *key, unsigned count)
{
    get_failure(state, key)->count = count;
}

bool
state_unavailable(const StepState *state, const char *key)
{
    g_autofree char *normal = normalise_key(key);
    const StateFailure *failure = find_failure(state, normal);

    return failure && failure->count >= STATE_TRIES_MAX;
}

/* Where a search is counted; caller frees. */
static char *
search_key(const char *query)
{
    const char *start = query + strspn(query, " \t\r\n");

    return g_strconcat(SEARCH, start, NULL);
}

bool
state_search_tried(StepState *state, const char *query)
{
    return add_string(state->searches, query);
}

unsigned
state_search_failed(StepState *state, const char *query)
{
    g_autofree char *key = search_key(query);

    return state_fail(state, key);
}

bool
state_search_unavailable(const StepState *state, const char *query)
{
    g_autofree char *key = search_key(query);

    return state_unavailable(state, key);
}

bool
state_say(StepState *state, const char *place, const char *text)
{
    g_autofree char *all = g_strdup_printf("%s\n%s", place, text);
    Digest digest;

    digest_of(all, strlen(all), &digest);
    g_autofree char *token = digest_token(&digest, SAID_CHARS);
    return add_string(state->said, token);
}

void
state_add_result(StepState *state, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    g_autofree char *line = g_strdup_vprintf(fmt, args);
    va_end(args);
    g_autofree char *vis = text_vis(line, false);
    add_within(state->results, STATE_RESULTS_MAX, text_shorten(vis, STATE_RESULT_MAX));
}

void
state_clear_results(StepState *state)
{
    g_ptr_array_set_size(state->results, 0);
}

/* --- blocks of the context --- */

static void
append_entry(GString *out, const char *entry)
{
    g_autofree char *vis = text_vis(entry, false);

    g_string_append_printf(out, "  %s\n", vis);
}

char *
state_format_tried(const StepState *state)
{
    if (state->searches->len == 0)
        return g_strdup("");

    GString *out = g_string_new("=== SEARCHES TRIED THIS RUN ===\n");
    for (guint i = 0; i < state->searches->len; i++)
        append_entry(out, g_ptr_array_index(state->searches, i));
    g_string_append(out, "Try a different approach if these have already failed.\n");
    return g_string_free(out, FALSE);
}

char *
state_format_unavailable(const StepState *state)
{
    GString *out = g_string_new(NULL);

    LIST_EACH(const StateFailure, failure, state->failed)
        if (failure->count >= STATE_TRIES_MAX)
            append_entry(out, failure->key);
    if (out->len > 0) {
        g_string_prepend(out, "=== UNAVAILABLE ===\n");
        g_string_append(out, "These failed twice and are not tried again. Use another key, "
                             "other words or another folder, or ask.\n");
    }
    return g_string_free(out, FALSE);
}
