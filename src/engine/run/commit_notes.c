#include "engine/people/hold.h"
#include "engine/run/commit_internal.h"
#include "notes/instruct.h"
#include "notes/notes.h"
#include "store/viewer.h"

#define NAMES_MAX 200 /* characters of a list of people */
#define WHY_MAX 80    /* characters of it in one line of what was done */

static const char *const act_words[] = {"wrote", "appended to", "renamed", "deleted"};

/* Compares the version that the brain names with the newest one. Whether the brain was shown
 * the newest is checked in any case, elsewhere. */
static bool
check_version(Txn *txn, const ProposedNote *n, const NoteBy *by, GError **error)
{
    const Viewer writer = note_writer(by);
    g_autoptr(Note) newest = NULL;
    if (n->if_version == 0)
        return true;
    if (!note_look(txn->db, &writer, n->key, 0, &newest, error))
        return false;
    int64_t version = newest && !newest->deleted ? newest->version : 0;
    return version == n->if_version || err_set(error, ERR_NEVER,
                                               "conflict: if_version is %" G_GINT64_FORMAT
                                               ", and the newest is %" G_GINT64_FORMAT,
                                               n->if_version, version);
}

/* Everybody who may steer, for a refusal; caller frees. */
static char *
who_may(const Config *config)
{
    g_autoptr(GString) list = g_string_new(NULL);
    for (unsigned i = 0; i < config->n_persons; i++) {
        if (config->persons[i].may & MAY_STEER)
            g_string_append_printf(list, "%s%s", list->len ? ", " : "",
                                   config->persons[i].address);
    }
    for (const char *const *p = config->principals; p && *p; p++)
        g_string_append_printf(list, ", %s", *p);
    return text_shorten(list->str, NAMES_MAX);
}

/* Why a round below steer may not touch this key; NULL: it may. The job's own notes are its own
 * to keep: those of this round, and if all who asked may steer and only a stranger was read,
 * those of every round. */
static bool
find_bar(const Commit *c, Db *db, const char *key, const char **ret, GError **error)
{
    int round = c->job->may & MAY_STEER ? 0 : c->job->round;
    bool steered;
    *ret = note_instructs(c->engine->home->config, key) ? "it tells an agent what to do" : NULL;
    /* A note that the role may not see is refused by another line, the same whether the note
     * exists or not. */
    if (*ret || !viewer_sees_note(db, &VIEWER_OF(c->job->role), key))
        return true;
    if (!note_steered(db, key, c->job->id, round, &steered, error))
        return false;
    *ret = steered ? "it was written for somebody who may steer" : NULL;
    return true;
}

/* A stranger's words must not become an agent's instructions, nor take them away, nor change
 * what others rely on; nor do those of a person who may only ask. They make new notes. */
static bool
check_hand(const Commit *c, Db *db, const ProposedNote *n, GError **error)
{
    const char *why = round_below_steer(c->job, c->in), *bar = NULL;
    if (!why)
        return true;
    if (!find_bar(c, db, n->key, &bar, error) ||
        (!bar && n->to && !find_bar(c, db, n->to, &bar, error)))
        return false;
    if (!bar)
        return true;
    g_autofree char *who = who_may(c->engine->home->config);
    return err_set(error, ERR_NEVER, "not changed: %s, and %s; who may ask for it: %s", bar,
                   why, who);
}

bool
proposed_note_apply(
    Txn *txn, const ProposedNote *n, const NoteBy *by, int64_t *ret_version, GError **error)
{
    *ret_version = 0;
    switch (n->act) {
    case NOTE_REPLACE:
        return check_version(txn, n, by, error) &&
               notes_put(txn, n->key, n->body, NOTE_SHOWN, by, ret_version, error);
    case NOTE_APPEND:
        return notes_append(txn, n->key, n->body, by, ret_version, error);
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

/* Advice to a brain whose change was refused; "" where the refusal itself says what to do. */
static const char *
advice(const char *refusal)
{
    if (g_str_has_prefix(refusal, "conflict"))
        return "; load it first (add_notes), then write it again with both in it";
    if (g_str_has_prefix(refusal, "there is no note"))
        return "; look for its key with search_notes";
    if (g_str_has_suffix(refusal, " already"))
        return "; choose another key, or load that note first";
    return strstr(refusal, "larger than the limit") ? "; split it into several notes" : "";
}

/* *ret is true when the owner is asked about a change that was refused. A model hears of the
 * question; a program hears that its change was refused. Nobody is asked about a change that a
 * conflict would refuse even after a yes. */
static bool
ask_owner(const Commit *c,
          Txn *txn,
          const ProposedNote *n,
          const NoteBy *by,
          bool *ret,
          GError **error)
{
    const Config *config = c->engine->home->config;
    const char *why = round_below_steer(c->job, c->in);
    const Viewer writer = note_writer(by);
    g_autoptr(Note) newest = NULL;
    int64_t shown;
    *ret = false;
    if (!step_hears(c->in) || !why || !viewer_sees_note(txn->db, &writer, n->key) ||
        !(note_instructs(config, n->key) || (n->to && note_instructs(config, n->to))))
        return true;
    if (!note_look(txn->db, &writer, n->key, 0, &newest, error) ||
        !note_shown_version(txn->db, c->job->id, n->key, &shown, error))
        return false;
    bool knows = newest && !newest->deleted ? shown == newest->version : n->act <= NOTE_APPEND;
    if (!knows && n->act != NOTE_APPEND)
        return true;
    NoteBy approved = *by;
    approved.below = false;
    return hold_ask_note(c->engine, txn, c->job, n, &approved, why, ret, error);
}

bool
commit_notes(Commit *c, Txn *txn, GError **error)
{
    const NoteBy by = {.author = c->job->role,
                       .label = c->in->floor,
                       .job = c->job->id,
                       .step = c->step,
                       .below = round_below_steer(c->job, c->in)};
    LIST_EACH(const ProposedNote, n, c->p->notes) {
        g_autoptr(GError) failed = NULL;
        int64_t version;
        if ((!n->refused || err_set(&failed, ERR_NEVER, "not changed: %s", n->refused)) &&
            check_hand(c, txn->db, n, &failed) &&
            proposed_note_apply(txn, n, &by, &version, &failed)) {
            report(c, n, version);
            continue;
        }
        /* A program hears of it at once, and nothing of the step happens. */
        if (!step_hears(c->in) || (!err_is(failed, ERR_NEVER) && !err_is(failed, ERR_LIMIT)))
            return err_pass(error, g_steal_pointer(&failed));
        bool asked;
        if (!ask_owner(c, txn, n, &by, &asked, error))
            return false;
        commit_result(c, "note %s: %s%s%s", n->key, failed->message, advice(failed->message),
                      asked ? "; the owner is asked for a yes, and you hear of the answer"
                            : "");
        g_autofree char *why = text_shorten(failed->message, WHY_MAX);
        commit_did(c, COULD_NOT_CHANGE "%s (%s)%s", n->key, why,
                   asked ? ", asked the owner" : "");
        c->notes_failed++;
    }
    return true;
}
