#include "workflow/panel_space.h"
#include "engine/people/notice.h"
#include "engine/role.h"
#include "store/spaces.h"
#include "workflow/ballot_text.h"
#include "workflow/panel.h"

#define FACE "workflow"
#define TALK_DISCUSSION 60

/* Caller frees. */
static char *
member_role(const char *panel, const char *member)
{
    return g_strdup_printf("%s.%s", panel, member);
}

static char *
space_name(const PanelRow *p)
{
    return g_str_equal(p->name, PANEL_ROLE)
               ? g_strdup_printf(PANEL_ROLE "-%" G_GINT64_FORMAT "-internal", p->id.v)
               : g_strconcat(p->name, "-internal", NULL);
}

/* Makes the space, or makes it so; not where the settings, or somebody of its address, have the name. */
static bool
put(Txn *txn, const char *name, unsigned talk, GPtrArray *members, GError **error)
{
    g_autoptr(Space) there = NULL;
    g_autoptr(GError) why = NULL;

    if (!space_find(txn->db, name, &there, error) || (there && !g_str_equal(there->face, FACE)))
        return there != NULL;
    g_ptr_array_add(members, NULL);
    return space_put(txn, name, FACE, (int)talk, (const char *const *)members->pdata, &why) ||
           err_is(why, ERR_NEVER) || err_pass(error, g_steal_pointer(&why));
}

/* From a role that is a member to the space; nothing where it is none. id: of the mail that it answers, or NULL; *io_id: of
 * this mail, where that was NULL. */
static bool
tell(Engine *engine,
     Txn *txn,
     const char *role,
     const char *name,
     const char *subject,
     const char *text,
     char **io_id,
     GError **error)
{
    const RoleMailParent parent = {.msgid = *io_id, .subject = subject};
    g_autoptr(Space) space = NULL;
    g_autofree char *id = NULL;
    bool member = false;

    if (!space_find(txn->db, name, &space, error) ||
        (space && !space_has(txn->db, name, role, &member, error)))
        return false;
    if (!member)
        return true;
    const Notice notice = {.role = role_find(engine, role),
                           .to = space->address,
                           .subject = subject,
                           .text = text,
                           .parent = &parent};
    if (!notice_post(engine, txn, &notice, &id, error))
        return false;
    if (!*io_id)
        *io_id = g_steal_pointer(&id);
    return true;
}

/* --- among the members --- */

bool
panel_space_open(
    Txn *txn, const PanelRow *p, const PanelMembers *members, unsigned rounds, GError **error)
{
    g_autofree char *name = space_name(p);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    LIST_EACH(const PanelMember, m, members)
        g_ptr_array_add(names, member_role(p->name, m->name));
    return put(txn, name, members->len * (rounds + 1), names, error);
}

bool
panel_space_tell(Engine *engine,
                 Txn *txn,
                 const PanelRow *p,
                 const PanelMembers *members,
                 const BallotRows *all,
                 unsigned round,
                 GError **error)
{
    g_autofree char *name = space_name(p), *id = NULL;
    g_autofree char *subject = g_strdup_printf(PANEL_SUBJECT "%s, round %u", p->subject, round);

    LIST_EACH(const BallotRow, b, all) {
        if (b->round != round || b->late || !*b->verdict || g_str_equal(b->verdict, "none"))
            continue;
        const PanelMember *m = members->pdata[b->member];
        g_autofree char *role = member_role(p->name, m->name), *text = ballot_format(m, b);
        if (!tell(engine, txn, role, name, subject, text, &id, error))
            return false;
    }
    return true;
}

bool
panel_space_announce(Engine *engine,
                     Txn *txn,
                     const PanelRow *p,
                     const PanelMembers *members,
                     const char *text,
                     GError **error)
{
    const PanelMember *primary = members->pdata[p->primary];
    g_autofree char *name = space_name(p), *id = NULL,
                    *role = member_role(p->name, primary->name);
    g_autofree char *subject = g_strdup_printf(PANEL_SUBJECT "%s", p->subject);

    return tell(engine, txn, role, name, subject, text, &id, error);
}

/* --- between panels --- */

/* The panel, and those of its members who have been asked here. */
static bool
add_panel(Txn *txn, const Config *config, const char *panel, GPtrArray *names, GError **error)
{
    const ConfPanel *conf = config_panel(config, panel);

    if (!conf)
        return true;
    g_ptr_array_add(names, g_strdup(panel));
    for (const char *const *m = conf->members; *m; m++) {
        g_autofree char *role = member_role(panel, *m), *address = NULL;
        if (!member_address(txn->db, role, &address, error))
            return false;
        if (address)
            g_ptr_array_add(names, g_steal_pointer(&role));
    }
    return true;
}

bool
panel_discussion_tell(Engine *engine,
                      Txn *txn,
                      const PanelRow *p,
                      const char *what,
                      const char *text,
                      GError **error)
{
    static const char *const ends[] = {"-reviewer-panel", "-writer-panel"};
    const Config *config = engine->home->config;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *kind = NULL, *id = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(ends) && config_panel(config, p->name); i++)
        if (g_str_has_suffix(p->name, ends[i]))
            kind = g_strndup(p->name, strlen(p->name) - strlen(ends[i]));
    if (!kind || !*kind)
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        g_autofree char *panel = g_strconcat(kind, ends[i], NULL);
        if (!add_panel(txn, config, panel, names, error))
            return false;
    }
    g_autofree char *name = g_strconcat(kind, SPACE_DISCUSSION, NULL);
    g_autofree char *subject = g_strdup_printf(PANEL_SUBJECT "%s: %s", p->subject, what);
    return put(txn, name, TALK_DISCUSSION, names, error) &&
           tell(engine, txn, p->name, name, subject, text, &id, error);
}

bool
panel_space_is_word(const Engine *engine, const MsgNew *in)
{
    const Config *config = engine->home->config;
    const ConfRole *from = in->mail->from ? config_role_at(config, in->mail->from->spec) : NULL;

    return in->space &&
           (config_panel(config, in->role) || (from && config_panel(config, from->name)));
}
