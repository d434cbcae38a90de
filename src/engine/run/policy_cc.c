/*
 * Who else gets an answer. A person who writes to a role and names others in To or Cc expects,
 * as everywhere in mail, that they read the answer too (`reply-cc = named`); not words of ours.
 * They are put into the proposal before the policy looks at it, which so sees them as if the
 * agent had named them. Roles of this home, spaces and our own accounts are left out: they
 * would answer each other.
 */
#include "base/limits.h"
#include "engine/out/outward.h"
#include "engine/role.h"
#include "engine/run/commit_internal.h"
#include "engine/run/policy_internal.h"
#include "store/spaces.h"

static bool
is_own(Db *db, const char *spec)
{
    const Config *config = db_home(db)->config;
    g_autofree char *base = NULL, *tag = NULL;
    g_autoptr(Space) space = NULL;
    if (config_is_agent(config, spec) || config_is_person(config, spec))
        return config_is_agent(config, spec);
    address_split_tag(spec, &base, &tag);
    for (unsigned i = 0; i < config->n_accounts; i++) {
        const char *own = outward_address(&config->accounts[i]);
        if (own && address_is_ours(base, own))
            return true;
    }
    return !space_at(db, spec, &space, NULL) || space;
}

static void
add_named(Db *db, ProposedMail *mail, const GPtrArray *to, const MsgRow *row)
{
    g_auto(GStrv) specs = g_strsplit(row->to, " ", -1);
    if (!address_in(to, row->from))
        return;
    for (char **spec = specs; *spec && to->len + mail->cc->len < LIMIT_RECIPIENTS; spec++) {
        if (address_spec_valid(*spec) && g_str_is_ascii(*spec) && !is_own(db, *spec) &&
            !address_in(to, *spec) && !address_in(mail->cc, *spec))
            g_ptr_array_add(mail->cc, g_strdup(*spec));
    }
}

/* To whoever asked: of all their mails; else of the one that it answers. */
static bool
keep_named(Check *k, ProposedMail *mail, GError **error)
{
    Db *db = k->engine->db;
    const char *id = step_parent_id(k->job, k->in, mail);
    g_autoptr(GPtrArray) askers = mail->to->len == 0 ? step_askers(k->job, k->in) : NULL;
    const GPtrArray *to = askers ? askers : mail->to;
    g_autoptr(MsgRow) row = NULL;
    LIST_EACH(const MsgRow, shown, k->in->shown)
        if (askers)
            add_named(db, mail, to, shown);
    if (!id || (askers && k->in->shown->len > 0))
        return true;
    if (!messages_find(k->engine->db, &VIEWER_OF(k->job->role), id, &row, error))
        return false;
    if (row)
        add_named(db, mail, to, row);
    return true;
}

bool
policy_reply_cc(Check *k, Proposal *p, GError **error)
{
    const ConfRole *role = role_find(k->engine, k->job->role);
    if (!role || role->reply_cc != CONF_REPLY_CC_NAMED || p->status == PROPOSE_FAIL || p->status == PROPOSE_LIMIT)
        return true;
    LIST_EACH(ProposedMail, mail, p->mails)
        if (!mail->plain && !keep_named(k, mail, error))
            return false;
    return true;
}
