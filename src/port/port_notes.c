/*
 * Notes for a program, through the agent port. What it reads counts as shown: it lowers the
 * floor, and the version is the one that a later write is held against. What it writes is a
 * step of its own under the run's claim; a write that is refused changes nothing.
 */
#include "base/json.h"
#include "base/limits.h"
#include "engine/run/settle.h"
#include "notes/notes.h"
#include "port/port_verbs.h"
#include <sysexits.h>

#define SEARCH_DEFAULT 20
#define SEARCH_MAX 100
#define UNKNOWN "(words of somebody unknown: get it to read them)"

/* --- looking --- */

static bool
absent(PortTalk *talk, const char *key, GError **error)
{
    g_autofree char *nearest = NULL;

    if (!notes_nearest(talk->engine->db, &talk->viewer, key, &nearest, error))
        return false;
    talk->status = EX_NOINPUT;
    if (nearest)
        return err_set(error, ERR_NEVER, "there is no note '%s'; did you mean '%s'?", key,
                       nearest);
    return err_set(error, ERR_NEVER, "there is no note '%s'", key);
}

/* A key that the role may see, with what people have written into its file since. */
static bool
read_key(PortTalk *talk, const char *name, const char **ret, GError **error)
{

    if (!json_get_string(talk->request, "", name, ret, error) || !note_key_check(*ret, error))
        return false;
    if (!viewer_check_note(talk->engine->db, &talk->viewer, *ret, error)) {
        talk->status = EX_NOPERM;
        return false;
    }
    const char *const keys[] = {*ret, NULL};
    return notes_import(talk->engine->home, talk->engine->db, keys, error);
}

static void
has_read(PortTalk *talk, const char *key, int64_t version)
{
    bool of_space = g_str_has_prefix(key, NOTE_SPACES);
    const char *name = of_space ? key + strlen(NOTE_SPACES) : "";
    g_autofree char *space = of_space ? g_strndup(name, strcspn(name, "/")) : NULL;
    port_has_read(talk, key, version, space);
}

bool
verb_note_get(PortTalk *talk, GError **error)
{
    g_autoptr(Note) note = NULL;
    const char *key;
    int64_t version = 0;

    if (!read_key(talk, "key", &key, error) ||
        !json_find_int(talk->request, "", "version", 0, INT64_MAX, &version, error) ||
        !note_load(talk->engine->db, &talk->viewer, key, version, &note, error))
        return false;
    if (!note)
        return absent(talk, key, error);
    talk->floor = MIN(talk->floor, note->label);
    has_read(talk, note->key, note->version);
    /* Who asked for an old version does not know the newest one by that. */
    if (version == 0)
        g_hash_table_insert(talk->notes, g_strdup(note->key), GSIZE_TO_POINTER(note->version));
    g_autofree char *text = note_text(note);
    json_t *o = shape_json(&note_shape, note);
    answer_text(o, "text", text);
    json_object_set_new(talk->answer, "note", o);
    return true;
}

bool
verb_note_list(PortTalk *talk, GError **error)
{
    g_autoptr(Notes) notes = NULL;
    const char *prefix = "";

    if (!json_find_string(talk->request, "", "prefix", &prefix, error) ||
        !settle_notes(talk->engine, error) ||
        !notes_list(talk->engine->db, &talk->viewer, prefix, &notes, error))
        return false;
    json_object_set_new(talk->answer, "notes", shape_list_json(&note_shape, notes));
    return true;
}

/* Where the words of a note are worth less than what was read so far, a hit says only that the note is there. */
static bool
read_hit(PortTalk *talk, NoteHit *hit, GError **error)
{
    g_autoptr(Note) note = NULL;

    if (!note_look(talk->engine->db, &talk->viewer, hit->key, 0, &note, error))
        return false;
    bool known = note && note->label >= MIN(talk->floor, TRUST_ROLE);
    if (known) {
        has_read(talk, hit->key, hit->version);
    } else {
        g_free(hit->snippet);
        hit->snippet = g_strdup(UNKNOWN);
    }
    return true;
}

bool
verb_note_search(PortTalk *talk, GError **error)
{
    g_autoptr(NoteHits) hits = NULL;
    const char *query;
    int64_t limit = SEARCH_DEFAULT;

    if (!json_get_string(talk->request, "", "query", &query, error) ||
        !json_find_int(talk->request, "", "limit", 1, INT64_MAX, &limit, error) ||
        !settle_notes(talk->engine, error))
        return false;
    const NoteQuery q = {&talk->viewer, query, (unsigned)MIN(limit, SEARCH_MAX)};
    if (!notes_search(talk->engine->home, talk->engine->db, &q, &hits, error))
        return false;
    LIST_EACH(NoteHit, hit, hits)
        if (!read_hit(talk, hit, error))
            return false;
    json_object_set_new(talk->answer, "hits", shape_list_json(&note_hit_shape, hits));
    return true;
}

bool
verb_note_history(PortTalk *talk, GError **error)
{
    g_autoptr(Notes) versions = NULL;
    const char *key;

    if (!read_key(talk, "key", &key, error) ||
        !note_history(talk->engine->db, &talk->viewer, key, &versions, error))
        return false;
    if (versions->len == 0)
        return absent(talk, key, error);
    json_object_set_new(talk->answer, "versions", shape_list_json(&note_shape, versions));
    return true;
}

/* --- changing --- */

static bool
commit(PortTalk *talk, Proposal *p, int *ret_step, GError **error)
{
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};

    if (!port_commit(talk, p, talk->unsettled, &verdicts, &result, error))
        return false;
    if (ret_step)
        *ret_step = result.step;
    (void)settle_written_notes(talk->engine, NULL); /* the end of the run does what is left */
    return true;
}

/* The version that this step made. */
static bool
put_version(PortTalk *talk, const char *key, int step, GError **error)
{
    g_autoptr(Notes) versions = NULL;

    if (!note_history(talk->engine->db, &talk->viewer, key, &versions, error))
        return false;
    LIST_EACH(const Note, note, versions) {
        if (note->job.v != talk->job->id.v || note->step != step)
            continue;
        json_object_set_new(talk->answer, "version", json_integer(note->version));
        return true;
    }
    return err_set(error, ERR_DAMAGE, "note '%s' was written and is not there", key);
}

/* What if_version says, 0: not said. One that is 0 wants the note to be new. */
static bool
read_condition(PortTalk *talk, const char *key, int64_t *ret, GError **error)
{
    g_autoptr(Note) note = NULL;

    *ret = 0;
    if (!json_object_get(talk->request, "if_version"))
        return true;
    if (!json_get_int(talk->request, "", "if_version", 0, INT64_MAX, ret, error))
        return false;
    if (*ret > 0)
        return true;
    if (!note_look(talk->engine->db, &talk->viewer, key, 0, &note, error))
        return false;
    return !note || note->deleted ||
           err_set(error, ERR_NEVER,
                   "conflict: there is a note '%s' already, version %" G_GINT64_FORMAT, key,
                   note->version);
}

static bool
write_note(PortTalk *talk, NoteAct act, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    const char *key, *content;
    int64_t if_version;
    int step;

    if (!read_key(talk, "key", &key, error) ||
        !json_get_string(talk->request, "", "content", &content, error))
        return false;
    size_t len = json_string_length(json_object_get(talk->request, "content"));
    if (len > LIMIT_NOTE_BYTES)
        return err_set(error, ERR_LIMIT, "content: a note is at most %u bytes",
                       LIMIT_NOTE_BYTES);
    if (!read_condition(talk, key, &if_version, error))
        return false;
    ProposedNote *note = proposal_add_note(p, act, key);
    note->body = g_bytes_new(content, len);
    note->if_version = if_version;
    return commit(talk, p, &step, error) && put_version(talk, key, step, error);
}

bool
verb_note_put(PortTalk *talk, GError **error)
{
    return write_note(talk, NOTE_REPLACE, error);
}

bool
verb_note_append(PortTalk *talk, GError **error)
{
    return write_note(talk, NOTE_APPEND, error);
}

/* Something that is not there can't be renamed or deleted: the same words as for reading. */
static bool
check_there(PortTalk *talk, const char *key, GError **error)
{
    g_autoptr(Note) note = NULL;

    if (!note_look(talk->engine->db, &talk->viewer, key, 0, &note, error))
        return false;
    return (note && !note->deleted) || absent(talk, key, error);
}

bool
verb_note_rename(PortTalk *talk, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    const char *from, *to;

    if (!read_key(talk, "from", &from, error) || !read_key(talk, "to", &to, error) ||
        !check_there(talk, from, error))
        return false;
    proposal_add_note(p, NOTE_RENAME, from)->to = g_strdup(to);
    return commit(talk, p, NULL, error);
}

bool
verb_note_delete(PortTalk *talk, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    const char *key;

    if (!read_key(talk, "key", &key, error) || !check_there(talk, key, error))
        return false;
    proposal_add_note(p, NOTE_DELETE, key);
    return commit(talk, p, NULL, error);
}
