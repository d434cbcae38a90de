#include "workflow/artifact_write.h"
#include "base/limits.h"
#include "engine/tree/file_effects.h"

void
artifact_write_free(ArtifactWrite *w)
{
    if (!w)
        return;
    artifact_place_clear(&w->place);
    artifact_free(w->artifact);
    free_all(w->who, w->text, w);
}

static bool
approved(const Cycle *c, const char *who)
{
    size_t len = strlen(who);

    return c && g_str_equal(c->outcome, "approved") && strncmp(c->by, who, len) == 0 &&
           (c->by[len] == '\0' || c->by[len] == ' ');
}

/* Whoever approved the work of somebody else holds it until it goes on, and does not write it: what was approved would not
 * be what was reviewed. Whoever moves it on from there holds it for other work, be it the same role. */
static bool
is_its_reviewer(Db *db, const Artifact *a, bool *ret, GError **error)
{
    g_autoptr(Cycle) c = NULL;
    g_autoptr(FlowEvent) approval = NULL;

    *ret = false;
    if (!cycle_load(db, a->cycle, &c, error))
        return false;
    if (!approved(c, a->holder) || g_str_equal(c->author, a->holder))
        return true;
    if (!flow_event_find(db, c->resolved_by, &approval, error))
        return false;
    *ret = !approval || g_str_equal(approval->state, a->state);
    return true;
}

static bool
check_writer(const Engine *engine, const ArtifactWrite *w, GError **error)
{
    const Artifact *a = w->artifact;
    g_autofree char *first = artifact_first_state(w->place.kind);
    bool reviewed = false;

    if (g_str_equal(w->who, workflow_coordinator(engine)) || (!a && !w->there))
        return true;
    if (a && !is_its_reviewer(engine->db, a, &reviewed, error))
        return false;
    bool begins = !a || g_str_equal(a->state, first), holds = a && *a->holder && !reviewed;
    if (a && ((holds && g_str_equal(a->holder, w->who)) || (begins && g_str_equal(a->author, w->who))))
        return true;
    return err_set(error, ERR_NEVER, "'%s' may not write '%s'; who may: %s", w->who,
                   w->place.name,
                   holds                       ? a->holder
                   : a && begins && *a->author ? a->author
                                               : workflow_coordinator(engine));
}

static bool
check_digest(const ArtifactWrite *w, const char *said, GError **error)
{
    g_autofree char *now = w->there ? digest_hex(&w->before) : g_strdup("");

    if (g_str_equal(now, said ? said : ""))
        return true;
    if (!w->there)
        return err_set(error, ERR_NEVER, "there is no '%s' any more; it had the digest %s",
                       w->place.name, said);
    if (!said || !*said)
        return err_set(error, ERR_NEVER,
                       "'%s' is there already, with the digest %s: say that in if_digest",
                       w->place.path, now);
    return err_set(error, ERR_NEVER, "'%s' has changed: it has the digest %s now, and had %s",
                   w->place.path, now, said);
}

/* The record and the folder agree, and nothing is on its way. */
static bool
check_rest(const Engine *engine, const ArtifactWrite *w, GError **error)
{
    const Artifact *a = w->artifact;

    if (a && *a->to)
        return err_set(error, ERR_LATER, "'%s' is on its way to '%s'", a->name, a->to);
    if (a && w->place.state && !g_str_equal(a->state, w->place.state))
        return err_set(error, ERR_NEVER,
                       "the record says '%s', but the file lies in '%s'; 'postrider artifact "
                       "check' says what to do",
                       a->state, w->place.state);
    return artifact_place_rests(engine, &w->place, error);
}

/* Where one is to be that is nowhere. */
static bool
place_new(ArtifactWrite *w, const char *said, GError **error)
{
    ArtifactPlace *p = &w->place;
    g_autofree char *first = artifact_first_state(p->kind);

    if (w->artifact)
        return err_set(error, ERR_NEVER, "there is no '%s'; the record says '%s'", said,
                       w->artifact->state);
    if (p->kind->states != CONF_STATES_RECORD && g_strcmp0(p->said_state, first) != 0)
        return err_set(error, ERR_NEVER, "there is no '%s'; a new %s begins in '%s'", said,
                       p->kind->name, first);
    p->path = p->kind->states == CONF_STATES_RECORD ? g_strdup(p->name) : artifact_place_in(p, first);
    p->state = p->kind->states == CONF_STATES_RECORD ? NULL : g_strdup(first);
    return true;
}

bool
artifact_write_plan(const Engine *engine,
                    const char *said,
                    const char *text,
                    const char *if_digest,
                    const char *who,
                    ArtifactWrite **ret,
                    GError **error)
{
    g_autoptr(ArtifactWrite) w = g_new0(ArtifactWrite, 1);
    ArtifactPlace *p = &w->place;

    w->who = g_strdup(who);
    w->text = g_strdup(text);
    if (strlen(text) > LIMIT_MESSAGE_BYTES)
        return err_set(error, ERR_LIMIT, "an artifact is at most %u bytes", LIMIT_MESSAGE_BYTES);
    if (!artifact_place_look(engine, said, p, error) ||
        !artifact_find(engine->db, p->name, &w->artifact, error))
        return false;
    w->there = p->path != NULL;
    w->before = p->bytes;
    if ((!w->there && !place_new(w, said, error)) || !check_rest(engine, w, error) ||
        !check_writer(engine, w, error) || !check_digest(w, if_digest, error))
        return false;
    digest_of(text, strlen(text), &p->bytes);
    *ret = g_steal_pointer(&w);
    return true;
}

/* It is known from now on, and who wrote it. */
static bool
put_author(Txn *txn, const ArtifactWrite *w, GError **error)
{
    const ArtifactPlace *p = &w->place;
    g_autofree char *first = artifact_first_state(p->kind);
    const Artifact made = {.name = p->name,
                           .kind = (char *)p->kind->name,
                           .state = p->state ? p->state : first,
                           .path = p->path};
    ArtifactId id;

    return artifact_put(txn, &made, &id, error) && artifact_set_author(txn, id, w->who, error);
}

bool
artifact_write_commit(Txn *txn, const ArtifactWrite *w, JobId job, GError **error)
{
    const ArtifactPlace *p = &w->place;
    const FileWrite write = {.root = p->said_root,
                             .path = p->path,
                             .what = p->name,
                             .before = w->there ? &w->before : NULL,
                             .text = w->text,
                             .who = w->who,
                             .job = job};
    g_autoptr(Artifact) now = NULL;

    if (!artifact_find(txn->db, p->name, &now, error))
        return false;
    if (!now != !w->artifact ||
        (now && (!g_str_equal(now->state, w->artifact->state) || *now->to ||
                 !g_str_equal(now->holder, w->artifact->holder))))
        return err_set(error, ERR_AGAIN, "'%s' was changed meanwhile; try again", p->name);
    return (now || w->there || put_author(txn, w, error)) &&
           ((w->there && digest_equal(&w->before, &p->bytes)) || talk_end(txn, w->who, error)) &&
           file_effect_write(txn, &write, error);
}
