/*
 * Walls around spaces (store/spaces.h). A mail to a space goes to that space alone, and to the
 * owner and its members beside. What mails and notes may carry: space_wall.h.
 */
#include "engine/role.h"
#include "engine/run/policy_internal.h"
#include "engine/run/space_wall.h"
#include "mail/address.h"
#include "store/spaces.h"

/* The space of the address, if this role writes there; NULL: it is none for it. */
static bool
find_space(const Check *k, const char *spec, Space **ret, GError **error)
{
    const ConfRole *role = role_find(k->engine, k->job->role);
    *ret = NULL;
    return !role || space_for(k->engine->db, spec, role->address, ret, error);
}

bool
policy_is_space(const Check *k, const char *spec, bool *ret, GError **error)
{
    g_autoptr(Space) space = NULL;
    if (!find_space(k, spec, &space, error))
        return false;
    *ret = space != NULL;
    return true;
}

/* The first of the recipients that is one; NULL: none is. */
static bool
find_among(const Check *k, const GPtrArray *to, Space **ret, GError **error)
{
    *ret = NULL;
    for (guint i = 0; i < to->len && !*ret; i++)
        if (!find_space(k, to->pdata[i], ret, error))
            return false;
    return true;
}

static bool
is_of(const Check *k, const Space *space, const char *spec, bool *ret, GError **error)
{
    *ret = address_equal(spec, space->address);
    return *ret || space_takes(k->engine->db, space->name, spec, ret, error);
}

bool
policy_spaces(const Check *k, const ProposedMail *mail, Verdict *v, GError **error)
{
    g_autoptr(GPtrArray) to = policy_recipients(k, mail);
    g_autoptr(Space) space = NULL;
    if (!find_among(k, to, &space, error))
        return false;
    for (guint i = 0; space && i < to->len; i++) {
        bool may;
        if (!is_of(k, space, to->pdata[i], &may, error))
            return false;
        if (may)
            continue;
        verdict_refuse(v, g_strdup_printf("a mail to %s goes to nobody else, and %s is not of it",
                                          space->address, (const char *)to->pdata[i]));
        return true;
    }
    g_autofree char *why = NULL;
    if (!space_wall_mail(k->engine, k->job, k->in, mail, to, &why, error))
        return false;
    if (why)
        verdict_refuse(v, g_steal_pointer(&why));
    return true;
}

bool
policy_space_notes(const Check *k, Proposal *p, GError **error)
{
    LIST_EACH(ProposedNote, n, p->notes) {
        g_clear_pointer(&n->refused, g_free);
        if (!space_wall_note(k->engine, k->job, k->in, n, &n->refused, error))
            return false;
    }
    return true;
}
