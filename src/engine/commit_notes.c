#include "base/banned.h"
#include "base/err.h"
#include "engine/commit_internal.h"
#include "notes/notes.h"

static const char *const act_words[] = {"wrote", "appended to", "renamed", "deleted"};

/* What the brain says that it knows; what it was shown is asked for in any case. */
static bool
check_version(Txn *txn, const ProposedNote *n, GError **error)
{
    g_autoptr(Note) newest = NULL;
    if (n->if_version == 0)
        return true;
    if (!note_look(txn->db, n->key, 0, &newest, error))
        return false;
    int64_t version = newest && !newest->deleted ? newest->version : 0;
    return version == n->if_version || err_set(error, ERR_NEVER,
                                               "conflict: if_version is %" G_GINT64_FORMAT
                                               ", and the newest is %" G_GINT64_FORMAT,
                                               n->if_version, version);
}

static bool
apply(Txn *txn, const ProposedNote *n, const NoteBy *by, int64_t *ret_version, GError **error)
{
    *ret_version = 0;
    switch (n->act) {
    case NOTE_REPLACE:
        return check_version(txn, n, error) &&
               note_put(txn, n->key, n->body, NOTE_SHOWN, by, ret_version, error);
    case NOTE_APPEND:
        return note_append(txn, n->key, n->body, by, ret_version, error);
    case NOTE_RENAME:
        return notes_rename(txn, n->key, n->to, by, error);
    case NOTE_DELETE:
        return notes_delete(txn, n->key, NOTE_SHOWN, by, error);
    }
    return err_set(error, ERR_NEVER, "no such change of a note");
}

static void
report(Commit *c, const ProposedNote *n, int64_t version)
{
    const char *word = act_words[n->act];
    if (version)
        commit_result(c, "note %s: saved as version %" G_GINT64_FORMAT, n->key, version);
    else
        commit_result(c, "note %s: %s%s%s", n->key, word, n->to ? " to " : "",
                      n->to ? n->to : "");
    commit_did(c, "%s note %s", word, n->key);
}

bool
commit_notes(Commit *c, Txn *txn, GError **error)
{
    const NoteBy by = {
        .author = c->job->role, .label = c->in->floor, .job = c->job->id, .step = c->step};
    for (guint i = 0; i < c->p->notes->len; i++) {
        const ProposedNote *n = g_ptr_array_index(c->p->notes, i);
        g_autoptr(GError) failed = NULL;
        int64_t version;
        if (apply(txn, n, &by, &version, &failed)) {
            report(c, n, version);
            continue;
        }
        /* A program hears of it at once, and nothing of the step happens. */
        if (!c->in_steps || (!err_is(failed, ERR_NEVER) && !err_is(failed, ERR_LIMIT))) {
            g_propagate_error(error, g_steal_pointer(&failed));
            return false;
        }
        commit_result(c, "note %s: %s", n->key, failed->message);
        commit_did(c, "could not change note %s", n->key);
        c->notes_failed++;
    }
    return true;
}
