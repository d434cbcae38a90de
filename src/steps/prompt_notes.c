/*
 * The notes of a prompt. Text that came from strangers is not put before a brain that works for
 * somebody we trust. Where strangers had a hand in the newest version of a note, an older
 * version is shown, or no version at all.
 */
#include "notes/note_links.h"
#include "notes/notes.h"
#include "steps/prompt_internal.h"
#include "steps/source.h"

static char *
note_title(const Note *note, int64_t offset)
{
    g_autofree char *behind =
        offset ? g_strdup_printf(" from byte %" G_GINT64_FORMAT, offset) : g_strdup("");
    return g_strdup_printf("NOTE: %s%s (version %" G_GINT64_FORMAT ", by %s)", note->key,
                           behind, note->version, note->author);
}

static bool
below_floor(const Prompt *p, const Note *note)
{
    return note->label < TRUST_ROLE && MIN(p->in->floor, p->job->floor) >= TRUST_ROLE;
}

/* The newest version that nobody unknown had a hand in; *ret NULL: there is none. One that was
 * deleted ends the search: what was there before it is gone. */
static bool
find_older(Prompt *p, const Note *newest, Note **ret, GError **error)
{
    bool over = false;
    for (int64_t v = newest->version - 1; v > 0 && !over; v--) {
        g_autoptr(Note) look = NULL;
        if (!note_look(p->engine->db, &p->viewer, newest->key, v, &look, error))
            return false;
        over = !look || look->deleted || !below_floor(p, look);
        if (over && look && !look->deleted)
            return note_load(p->engine->db, &p->viewer, newest->key, v, ret, error);
    }
    return true;
}

/* Says that *note is left out, and takes an older version of it instead; NULL: there is none.
 */
static bool
replace_poisoned(Prompt *p, Note **note, GError **error)
{
    g_autoptr(Note) newest = g_steal_pointer(note);
    if (!find_older(p, newest, note, error))
        return false;
    g_autofree char *said = g_strdup_printf(
        "Note %s was not loaded%s: it was written from mail of somebody unknown.", newest->key,
        *note ? " in its newest version; an older one follows" : "");
    context_say(p->c, said);
    return true;
}

static void
remember_note(Prompt *p, const Note *note)
{
    int64_t *version = g_new(int64_t, 1);
    *version = note->version;
    g_hash_table_insert(p->shown_notes, g_strdup(note->key), version);
}

/* A note that was asked for by its key. */
static void
say_absent(Prompt *p, const char *key)
{
    g_autoptr(GError) hidden = NULL;
    bool may = viewer_check_note(p->engine->db, &p->viewer, key, &hidden);
    g_autofree char *said =
        g_strdup_printf("Note %s: %s.", key, may ? "there is none" : hidden->message);
    context_say(p->c, said);
}

/* Cut where there is no room for all of it; it counts as known to the job only where it came
 * whole. */
static void
show_text(Prompt *p, const Note *note, int64_t offset)
{
    g_autofree char *whole = note_text(note);
    g_autofree char *text = source_page(whole, offset);
    g_autofree char *title = note_title(note, offset);
    g_autofree char *more = g_strdup_printf("add_notes, %s@", note->key);
    const ContextPart part = {.title = title,
                              .from = "note",
                              .id = note->key,
                              .version = note->version,
                              .offset = offset,
                              .floor = &note->label,
                              .more = more};
    bool fits = strlen(text) + PROMPT_FRAME <= context_room(p->c);
    if (context_show_part_cut(p->c, &part, text) && fits && offset == 0)
        remember_note(p, note);
}

/* entry: KEY or KEY@BYTES. */
static bool
show_note(Prompt *p, const char *entry, bool must, GError **error)
{
    g_autoptr(Note) note = NULL;
    int64_t offset;
    g_autofree char *key = state_note_key(entry, &offset);
    if (!note_key_valid(key) || !g_hash_table_add(p->seen_notes, g_strdup(entry)))
        return true;
    if (!note_load(p->engine->db, &p->viewer, key, 0, &note, error))
        return false;
    if (!note && must)
        say_absent(p, key);
    if (!note)
        return true;
    if (below_floor(p, note) && !replace_poisoned(p, &note, error))
        return false;
    if (note)
        show_text(p, note, offset);
    return true;
}

/* The notes that say how to work, in general and in this phase, are the owner's word: they
 * stand among the instructions, unless strangers or an agent had a hand in them. */
static bool
show_instruction(Prompt *p, const char *what, const char *key, size_t max, GError **error)
{
    g_autoptr(Note) note = NULL;
    if (!note_load(p->engine->db, &p->viewer, key, 0, &note, error))
        return false;
    if (!note || note->label < TRUST_PRINCIPAL || note->job.v != 0)
        return show_note(p, key, false, error);
    g_autofree char *name = note_title(note, 0);
    g_autofree char *title = g_strdup_printf("%s, %s", what, name);
    g_autofree char *text = note_text(note);
    g_autofree char *more = g_strdup_printf("add_notes, %s@", key);
    const ContextPart part = {.title = title,
                              .from = "note",
                              .id = key,
                              .version = note->version,
                              .floor = &note->label,
                              .more = more};
    g_hash_table_add(p->seen_notes, g_strdup(key));
    if (context_instruct_part(p->c, &part, text, max) && strlen(text) <= max)
        remember_note(p, note);
    return true;
}

static char *
start_key(const Prompt *p)
{
    return g_strdup_printf("%s/start", p->role->name);
}

static char *
phase_key(const Prompt *p)
{
    return g_strdup_printf("%s/states/%s", p->role->name, phase_name(p->phase));
}

bool
prompt_show_instructions(Prompt *p, GError **error)
{
    g_autofree char *start = start_key(p), *phase = phase_key(p);
    g_autofree char *what = g_strdup_printf("YOUR PHASE IS %s", phase_name(p->phase));
    size_t room = context_room(p->c) / 3; /* for both */
    context_reserve(p->c, 2 * room);
    bool ok = show_instruction(p, "HOW YOU WORK", start, room / 2, error) &&
              show_instruction(p, what, phase, room, error);
    context_reserve(p->c, 0);
    return ok;
}

/* The keys that the bundle lists; NULL: there is no bundle. */
static bool
bundle_keys(Prompt *p, GStrv *ret, GError **error)
{
    g_autoptr(Note) note = NULL;
    const char *key = p->state->bundle_key;
    *ret = NULL;
    if (!note_key_valid(key))
        return true;
    if (!note_load(p->engine->db, &p->viewer, key, 0, &note, error))
        return false;
    if (!note)
        return true;
    g_autofree char *text = note_text(note);
    *ret = note_links_keys(text);
    return true;
}

bool
prompt_show_bundle(Prompt *p, GError **error)
{
    g_auto(GStrv) keys = NULL;
    if (*p->state->bundle_key && !show_note(p, p->state->bundle_key, true, error))
        return false;
    if (!bundle_keys(p, &keys, error))
        return false;
    for (char **k = keys; k && *k; k++) {
        if (!show_note(p, *k, false, error))
            return false;
    }
    return true;
}

bool
prompt_show_notes(Prompt *p, GError **error)
{
    LIST_EACH(const char, key, p->state->note_keys)
        if (!show_note(p, key, true, error))
            return false;
    return true;
}

/* Edits of those notes in the list that there are: a bundle's list lines begin with any word.
 */
static bool
import_known(Prompt *p, const char *const *keys, GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (const char *const *k = keys; k && *k; k++) {
        g_autoptr(Note) note = NULL;
        if (note_key_valid(*k) && !note_look(p->engine->db, &p->viewer, *k, 0, &note, error))
            return false;
        if (note)
            g_ptr_array_add(known, (char *)*k);
    }
    g_ptr_array_add(known, NULL);
    return notes_import(p->engine->home, p->engine->db, (const char *const *)known->pdata,
                        error);
}

bool
prompt_import_edits(Prompt *p, GError **error)
{
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) listed = NULL;
    int64_t offset;
    g_ptr_array_add(keys, start_key(p));
    g_ptr_array_add(keys, phase_key(p));
    if (*p->state->bundle_key)
        g_ptr_array_add(keys, g_strdup(p->state->bundle_key));
    for (guint i = 0; i < p->state->note_keys->len; i++)
        g_ptr_array_add(keys,
                        state_note_key(g_ptr_array_index(p->state->note_keys, i), &offset));
    g_ptr_array_add(keys, NULL);
    return notes_import(p->engine->home, p->engine->db, (const char *const *)keys->pdata,
                        error) &&
           bundle_keys(p, &listed, error) &&
           (!listed || import_known(p, (const char *const *)listed, error));
}

/* Leaves only what the job was not shown in this version before: mostly nothing, and then there
 * is no need to write. */
static bool
drop_marked(Prompt *p, GError **error)
{
    GHashTableIter iter;
    gpointer key, version;
    g_hash_table_iter_init(&iter, p->shown_notes);
    while (g_hash_table_iter_next(&iter, &key, &version)) {
        int64_t known;
        if (!note_shown_version(p->engine->db, p->job->id, key, &known, error))
            return false;
        if (known == *(int64_t *)version)
            g_hash_table_iter_remove(&iter);
    }
    return true;
}

bool
prompt_mark_shown(Prompt *p, GError **error)
{
    GHashTableIter iter;
    gpointer key, version;
    g_auto(Txn) txn = {.db = p->engine->db, .flush = TXN_LAZY};
    if (!drop_marked(p, error))
        return false;
    if (g_hash_table_size(p->shown_notes) == 0)
        return true;
    while (txn_again(&txn, error)) {
        g_hash_table_iter_init(&iter, p->shown_notes);
        while (g_hash_table_iter_next(&iter, &key, &version)) {
            if (!note_mark_shown(&txn, p->job->id, key, *(int64_t *)version, error))
                return false;
        }
        txn.ok = true;
    }
    return txn.done;
}
