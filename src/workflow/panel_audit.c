#include "workflow/panel_audit.h"
#include "store/job/sessions.h"
#include "store/job/step_rows.h"
#include "workflow/artifact_place.h"
#include "workflow/panel_write.h"

/* --- one manifest --- */

typedef struct Shown {
    GString *what;  /* "instructions, artifact" */
    GString *fault; /* what is wrong; empty: nothing */
} Shown;

static void
add_fault(Shown *s, const char *why)
{
    if (!strstr(s->fault->str, why))
        g_string_append_printf(s->fault, "%s%s", s->fault->len ? "; " : "", why);
}

static void
add_shown(Shown *s, const char *what)
{
    if (!strstr(s->what->str, what))
        g_string_append_printf(s->what, "%s%s", s->what->len ? ", " : "", what);
}

static void
look_at_part(const json_t *part, const PanelRow *p, unsigned round, Shown *s)
{
    const char *id = json_string_value(json_object_get(part, "id"));
    const char *digest = json_string_value(json_object_get(part, "digest"));

    const char *say = json_string_value(json_object_get(part, "say"));

    if (say && !panel_tells(p, say))
        add_fault(s, "it was told what is none of the panel's");
    if (say) {
        if (json_object_get(part, "in"))
            add_shown(s, "instructions");
        return;
    }
    if (json_object_get(part, "from"))
        add_fault(s, "it was shown what is none of the panel's");
    else if (panel_writes(p)) {
        static const char *const of_writers[] = {"brief",    "written", "section",
                                               "findings", "others",  NULL};
        if (id && g_strv_contains(of_writers, id))
            add_shown(s, id);
        else
            add_fault(s, "it was shown what is none of the panel's");
    } else if (g_strcmp0(id, "artifact") == 0) {
        add_shown(s, "artifact");
        if (g_strcmp0(digest, p->digest) != 0)
            add_fault(s, "it was shown other bytes");
    } else if (round > 1 && (g_strcmp0(id, "own") == 0 || g_strcmp0(id, "others") == 0))
        add_shown(s, "ballots of the round before");
    else
        add_fault(s, "it was shown what is none of the panel's");
}

static bool
look_at_steps(Engine *engine, const PanelRow *p, const BallotRow *b, Shown *s, GError **error)
{
    g_autoptr(Steps) steps = NULL;
    bool any = false;

    if (!steps_list_whole(engine->db, &VIEWER_OPERATOR, b->job, &steps, error))
        return false;
    LIST_EACH(const Step, step, steps) {
        g_autoptr(json_t) manifest = NULL;
        if (!step->manifest)
            continue;
        if (!json_parse_bytes(step->manifest, 0, &manifest, error))
            return false;
        const json_t *parts = json_object_get(manifest, "parts");
        for (size_t i = 0; i < json_array_size(parts); i++, any = true)
            look_at_part(json_array_get(parts, i), p, b->round, s);
    }
    if (!any && (g_str_equal(b->verdict, "none") || !*b->verdict))
        add_shown(s, "nothing");
    else if (!any)
        add_fault(s, "its manifest is not kept any more");
    return true;
}

/* --- one ballot --- */

static json_t *
audit_ballot(Engine *engine,
             const PanelRow *p,
             const PanelMember *m,
             const BallotRow *b,
             unsigned *io_faults,
             GError **error)
{
    g_autoptr(Session) session = NULL;
    Shown s = {g_string_new(NULL), g_string_new(NULL)};
    json_t *row = NULL;

    if (look_at_steps(engine, p, b, &s, error) &&
        session_load(engine->db, b->job, &session, error)) {
        if (session)
            add_fault(&s, "its program went on with a session");
        row = json_pack("{s:I, s:i, s:s, s:s, s:s, s:s, s:I, s:s, s:s}", "panel",
                        (json_int_t)p->id.v, "round", (int)b->round, "member", m->name, "brain",
                        m->brain, "model", *m->model ? m->model : m->brain, "note", m->note, "job",
                        (json_int_t)b->job.v, "shown", s.what->str, "fault", s.fault->str);
        *io_faults += s.fault->len > 0;
    }
    g_string_free(s.what, TRUE);
    g_string_free(s.fault, TRUE);
    return row;
}

static bool
audit_panel(Engine *engine, const PanelRow *p, json_t *to, unsigned *io_faults, GError **error)
{
    g_autoptr(PanelMembers) members = NULL;
    g_autoptr(BallotRows) ballots = NULL;

    if (!panel_members_of(engine->db, p->id, &members, error) ||
        !ballot_list(engine->db, p->id, &ballots, error))
        return false;
    LIST_EACH(const BallotRow, b, ballots) {
        json_t *row = audit_ballot(engine, p, members->pdata[b->member], b, io_faults, error);
        if (!row)
            return false;
        json_array_append_new(to, row);
    }
    return true;
}

/* What a panel wrote is known by where it was put, also when it has moved since. */
static bool
is_about(Engine *engine, const PanelRow *p, PanelId id, const char *artifact)
{
    g_auto(ArtifactPlace) place = {0};

    if (id.v)
        return p->id.v == id.v;
    return g_str_equal(p->artifact, artifact) ||
           (panel_writes(p) && artifact_place_find(engine, p->artifact, &place, NULL) &&
            g_str_equal(place.name, artifact));
}

bool
panel_audit(Engine *engine,
            PanelId id,
            const char *artifact,
            json_t **ret,
            unsigned *ret_faults,
            GError **error)
{
    g_autoptr(PanelRows) all = NULL;
    g_autoptr(json_t) rows = json_array();

    *ret_faults = 0;
    if (!panel_list(engine->db, NULL, false, &all, error))
        return false;
    LIST_EACH(const PanelRow, p, all) {
        if (!is_about(engine, p, id, artifact))
            continue;
        if (!audit_panel(engine, p, rows, ret_faults, error))
            return false;
    }
    *ret = g_steal_pointer(&rows);
    return true;
}
