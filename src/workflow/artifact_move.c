#include "workflow/artifact_move.h"
#include "engine/tree/file_effects.h"
#include "engine/tree/git.h"

void
artifact_move_clear(ArtifactMove *m)
{
    free_all(m->from, m->to, m->to_path, m->who, m->was, m->message);
}

static bool
refuse_place(const ArtifactPlace *p, const char *recorded, GError **error)
{
    return err_set(error, ERR_NEVER,
                   "the record says '%s', but the file lies in '%s'; 'postrider artifact "
                   "check' says what to do",
                   recorded, p->state);
}

/* To which state it goes: where it was moved to by hand, if nobody says another. */
static bool
find_goal(
    const Engine *engine, const Artifact *a, const char *to, ArtifactMove *m, GError **error)
{
    const ArtifactPlace *p = m->place;
    bool elsewhere = p->state && !g_str_equal(p->state, m->from);

    if (to && elsewhere && !g_str_equal(p->state, to))
        return refuse_place(p, m->from, error);
    if (!to && !elsewhere)
        return true;
    const char *goal = to ? to : p->state;
    if (g_str_equal(goal, m->from))
        return true;
    if (!to && (artifact_is_gate(p->kind, m->from, goal) ||
                !artifact_may_move(engine, p->kind, a, m->from, goal, m->who, NULL)))
        return refuse_place(p, m->from, error);
    if (!artifact_may_move(engine, p->kind, a, m->from, goal, m->who, error))
        return false;
    m->to = g_strdup(goal);
    m->by_hand = elsewhere || p->kind->states == CONF_STATES_RECORD;
    m->to_path = p->kind->states == CONF_STATES_RECORD ? g_strdup(p->path) : artifact_place_in(p, goal);
    return true;
}

bool
artifact_move_plan(const Engine *engine,
                   const ArtifactPlace *place,
                   const Artifact *a,
                   const char *to,
                   const char *who,
                   ArtifactMove *ret,
                   GError **error)
{
    g_auto(ArtifactMove) m = {.place = place, .who = g_strdup(who)};

    if (a && *a->to)
        return err_set(error, ERR_LATER, "'%s' is on its way to '%s'", a->name, a->to);
    if (!artifact_place_rests(engine, place, error))
        return false;
    if (to && !artifact_knows_state(place->kind, to))
        return err_set(error, ERR_NEVER, "'%s' is no state of a %s", to, place->kind->name);
    m.from = a              ? g_strdup(a->state)
             : place->state ? g_strdup(place->state)
                            : artifact_first_state(place->kind);
    /* Of a new one nobody knows where it came from, but for who says where it goes. */
    if (!a && to && place->state && g_str_equal(place->state, to)) {
        *ret = m;
        m = (ArtifactMove){0};
        return true;
    }
    if (!find_goal(engine, a, to, &m, error))
        return false;
    m.was = a ? g_strdup(a->path) : NULL;
    *ret = m;
    m = (ArtifactMove){0};
    return true;
}

bool
artifact_move_with_commit(
    const Engine *engine, ArtifactMove *m, const char *verb, const char *tail, GError **error)
{
    const ArtifactPlace *p = m->place;
    g_autoptr(GitRepo) repo = NULL;

    if (!git_find(engine->home, p->root, &repo, error))
        return false;
    if (!repo || repo->bare)
        return err_set(error, ERR_NEVER, "'%s' is in no git repository: nothing can be committed",
                       p->root);
    artifact_move_say(m, verb, tail);
    return true;
}

void
artifact_move_say(ArtifactMove *m, const char *verb, const char *tail)
{
    g_free(m->message);
    m->message = g_strdup_printf("%s: %s %s %s%s", m->who, verb, m->place->title,
                                 m->place->kind->name, tail ? tail : "");
}

bool
artifact_move_alone(const Engine *engine, const ArtifactMove *m, const Artifact *a, GError **error)
{
    g_autoptr(Cycle) c = NULL;

    if (a && !cycle_load(engine->db, a->cycle, &c, error))
        return false;
    if (m->to && artifact_is_gate(m->place->kind, m->from, m->to))
        return err_set(error, ERR_NEVER,
                       "from '%s' to '%s' leads an approval: postrider notify approval %s %s",
                       m->from, m->to, m->place->path, c ? c->author : "AUTHOR");
    return !m->to || !c || *c->outcome ||
           err_set(error, ERR_NEVER, "'%s' is under review by %s", m->place->name, c->reviewers);
}

/* The row as it was when the move was looked at; made where there was none. */
static bool
find_row(Txn *txn, const ArtifactMove *m, const Artifact *a, ArtifactId *ret, GError **error)
{
    const ArtifactPlace *p = m->place;
    g_autoptr(Artifact) now = NULL;

    if (!artifact_find(txn->db, p->name, &now, error))
        return false;
    bool as_found = !a && now && g_str_equal(now->state, m->from) && !*now->to && !now->cycle.v;
    if ((!now != !a && !as_found) ||
        (a && (!g_str_equal(now->state, a->state) || *now->to || now->cycle.v != a->cycle.v)))
        return err_set(error, ERR_AGAIN, "'%s' was changed meanwhile; try again", p->name);
    if (now) {
        *ret = now->id;
        return true;
    }
    const Artifact made = {
        .name = p->name, .kind = (char *)p->kind->name, .state = m->from, .path = p->path};
    return artifact_put(txn, &made, ret, error);
}

/* The commit of what was decided: from where the file was when it was last known. */
static bool
put_commit(Txn *txn, const ArtifactMove *m, const FileMove *move, GError **error)
{
    const Config *config = db_home(txn->db)->config;
    const FileCommit commit = {m->who, workflow_address(config, m->who), m->message};
    FileMove made = *move;

    if (!m->message)
        return true;
    made.to = m->to ? m->to_path : m->place->path;
    made.from = m->by_hand && m->was ? m->was : m->place->path;
    return file_effect_commit(txn, &made, &commit, error);
}

bool
artifact_move_commit(Txn *txn,
                     const ArtifactMove *m,
                     const Artifact *a,
                     ArtifactId *ret_id,
                     EffectId *ret_after,
                     GError **error)
{
    const ArtifactPlace *p = m->place;
    const FileMove move = {.root = p->said_root,
                           .from = p->path,
                           .to = m->to_path,
                           .what = p->name,
                           .bytes = &p->bytes};

    *ret_after = (EffectId){0};
    if (!find_row(txn, m, a, ret_id, error))
        return false;
    if (m->to && !talk_end(txn, m->who, error))
        return false;
    if (m->to && m->by_hand &&
        !artifact_set_state(txn, *ret_id, m->to, m->to_path, m->who, error))
        return false;
    if (m->to && !m->by_hand &&
        !(file_effect_move(txn, &move, ret_after, error) &&
          file_effect_index(txn, &move, error) &&
          artifact_begin_move(txn, *ret_id, m->to, m->to_path, m->who, error)))
        return false;
    return put_commit(txn, m, &move, error);
}
