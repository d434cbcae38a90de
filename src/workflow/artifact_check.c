/* Where file, header and record of an artifact disagree: `artifact check`, and doctor. */
#include "base/list.h"
#include "engine/tree/file_effects.h"
#include "workflow/event_send.h"
#include "workflow/face_workflow.h"
#include "workflow/review_file.h"

static void add(GPtrArray *findings, const char *words, ...) G_GNUC_PRINTF(2, 3);
static void
add(GPtrArray *findings, const char *words, ...)
{
    va_list args;

    va_start(args, words);
    g_ptr_array_add(findings, g_strdup_vprintf(words, args));
    va_end(args);
}

static void
find_in_place(Engine *engine, const Artifact *a, GPtrArray *findings)
{
    g_auto(ArtifactPlace) p = {0};
    g_autoptr(GError) why = NULL;

    if (!artifact_place_find(engine, a->name, &p, &why))
        add(findings, "%s: the record says '%s', but %s%s", a->name, a->state, why->message,
            g_str_has_prefix(why->message, "there is no ")
                ? "; bring the file back, as by 'git checkout', or make it anew"
                : "");
    else if (p.state && !g_str_equal(p.state, a->state))
        add(findings,
            "%s: the record says '%s', but the file lies in '%s'; move it back, or let "
            "who may do so say: postrider artifact move %s %s --from WHO",
            a->name, a->state, p.state, p.path, p.state);
}

/* The newest header speaks of the state of now, unless the artifact was moved since. */
static bool
find_in_header(Engine *engine, const Artifact *a, GPtrArray *findings, GError **error)
{
    g_autoptr(FlowEvents) events = NULL;

    if (!flow_event_list(engine->db, a->id, &events, error))
        return false;
    const FlowEvent *last = events->len ? events->pdata[events->len - 1] : NULL;
    if (last && !g_str_equal(last->state, a->state) && last->at_us >= a->since_us)
        add(findings,
            "%s: the record says '%s', but the mail <%s> says '%s'; it is held: reject it, and "
            "send the event again",
            a->name, a->state, last->msgid, last->state);
    return true;
}

/* --- reviews --- */

/* Is the record of this review as it was written? */
static bool
find_in_review(Engine *engine, const char *root, const Artifact *a, const Cycle *c, GPtrArray *findings, GError **error)
{
    const char *said = engine->home->config->workflow_root;
    g_autofree char *path = review_path(a, c), *subject = g_build_filename(said, path, NULL);
    g_autoptr(FlowEvent) e = NULL;
    g_autoptr(GError) odd = NULL;
    bool there = false, owed;
    Digest found, want;

    if (!flow_event_find(engine->db, c->resolved_by, &e, error) ||
        !effect_is_owed(engine->db, EFFECT_FILE_NEW, subject, &owed, error))
        return false;
    if (!e || owed)
        return true;
    g_autofree char *text = review_text(a, c, e->state);
    digest_of(text, strlen(text), &want);
    if (file_digest(root, path, &there, &found, &odd) && there &&
        memcmp(&found, &want, sizeof want) == 0)
        return true;
    add(findings, "%s: the review record '%s' %s; it is written once: bring it back, as by 'git checkout'",
        a->name, path, there || odd ? "was edited" : "is gone");
    return true;
}

/* A review that is open here, and was decided by another store of this home. */
static bool
find_unknown_review(Engine *engine, const Artifact *a, GPtrArray *findings, GError **error)
{
    g_autofree char *title = artifact_title(a->name);
    g_autoptr(Cycle) c = NULL;

    if (!cycle_load(engine->db, a->cycle, &c, error))
        return false;
    if (!c || *c->outcome)
        return true;
    g_autoptr(GHashTable) reviews = review_files(engine, title);
    const ReviewFile *r = g_hash_table_lookup(reviews, c->msgid);
    if (r)
        add(findings,
            "%s: the review that <%s> asked for is open, but a review record says that it was %s by %s; "
            "a new review-request begins another",
            a->name, c->msgid, r->outcome, r->by);
    return true;
}

static bool
find_in_reviews(Engine *engine, const Artifact *a, GPtrArray *findings, GError **error)
{
    g_autofree char *root = workflow_root(engine, error);
    g_autoptr(Cycles) cycles = NULL;

    if (!root || !cycle_list_decided(engine->db, a->id, &cycles, error))
        return false;
    LIST_EACH(const Cycle, c, cycles) {
        if (!find_in_review(engine, root, a, c, findings, error))
            return false;
    }
    return true;
}

/* --- answers --- */

/* What was asked and answered before an approval has changed the artifact: else the answer is known to those alone who had
 * the mail. */
static bool
find_in_answers(Engine *engine, const Artifact *a, GPtrArray *findings, GError **error)
{
    g_auto(ArtifactPlace) p = {0};
    g_autoptr(FlowEvents) events = NULL;

    if (!flow_event_list(engine->db, a->id, &events, error))
        return false;
    if (!artifact_place_find(engine, a->name, &p, NULL))
        return true;
    g_autofree char *now = digest_hex(&p.bytes);
    LIST_EACH(const FlowEvent, e, events) {
        g_autoptr(Cycle) c = NULL;
        bool asks = g_str_equal(e->type, "clarification-request") || g_str_equal(e->type, "question");
        if (!asks || !*e->answer || !g_str_equal(e->digest, now))
            continue;
        if (!cycle_load(engine->db, e->cycle.v ? e->cycle : a->cycle, &c, error))
            return false;
        if (c && g_str_equal(c->outcome, "approved") && e->at_us <= c->closed_us)
            add(findings,
                "%s: <%s> was asked, and answered by <%s>, and the artifact has not changed since; "
                "what was decided belongs into it",
                a->name, e->msgid, e->answer);
    }
    return true;
}

bool
workflow_check(Engine *engine, const char *name, GPtrArray *findings, GError **error)
{
    g_autoptr(Artifacts) all = NULL;

    if (!artifact_list(engine->db, NULL, NULL, &all, error))
        return false;
    LIST_EACH(const Artifact, a, all) {
        if (name && !g_str_equal(a->name, name))
            continue;
        if (*a->to) {
            add(findings,
                "%s: on its way to '%s', and the file can't be moved now; it is tried again by "
                "itself",
                a->name, a->to);
            continue;
        }
        find_in_place(engine, a, findings);
        if (!find_in_header(engine, a, findings, error) ||
            !find_in_reviews(engine, a, findings, error) ||
            !find_unknown_review(engine, a, findings, error) ||
            !find_in_answers(engine, a, findings, error))
            return false;
    }
    return true;
}
