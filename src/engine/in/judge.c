#include "engine/in/judge.h"
#include "engine/out/outward.h"
#include "mail/address.h"
#include "mail/auth.h"
#include "mail/msgid.h"
#include "store/job/steering.h"

static bool
is_principal(const Config *config, const char *spec)
{
    for (const char *const *p = config->principals; p && *p; p++) {
        if (address_equal(*p, spec))
            return true;
    }
    return false;
}

static const char *const automatic_reasons[] = {
    [MSG_AUTO_SUBMITTED] = "automatic: Auto-Submitted",
    [MSG_AUTO_BOUNCE] = "automatic: a bounce",
    [MSG_AUTO_LIST] = "automatic: list mail",
    [MSG_AUTO_BULK] = "automatic: bulk mail",
    [MSG_AUTO_MACHINE] = "automatic: sent by a machine",
};

/* Notes what becomes of the mail. Always true, for the callers to return. */
static bool
ends(Judgement *j, MsgState state, MsgClass class, const char *why)
{
    j->state = state;
    j->class = class;
    j->why = why;
    return true;
}

/* True for a mail that we sent, which came back by a list, a forward or a loop. A mail that we
 * filed ourselves proves its origin elsewhere. */
static bool
is_our_own(const Home *home, const Message *m)
{
    Minted minted;

    return msgid_read(&home->key, m->id, home->config->domain, &minted) ||
           (m->return_path && config_role_at(home->config, m->return_path));
}

static bool
is_proved(const Config *config, const Message *m, Judgement *ret)
{
    const AuthTrust trust = {config->authserv_ids, config->require_auth,
                             config->authserv_fields == CONF_AUTHSERV_SEVERAL};
    g_auto(AuthVerdict) v = {0};

    auth_judge(m, &trust, &v);
    ret->several = v.several;
    if (v.why)
        g_strlcpy(ret->proof, v.why, sizeof ret->proof);
    return v.pass && !(m->flags & (MSG_TWO_FROM | MSG_AMBIGUOUS));
}

/* Mail from outside this home: nothing in it is believed but what somebody vouches for. */
static bool
ends_outside(const Home *home, const Message *m, Judgement *ret)
{
    const Config *config = home->config;
    const char *spec = m->from->spec;
    MsgAuto by = m->automatic;
    if (config_role_at(config, spec))
        return ends(ret, MSG_IGNORED, MSG_AUTOMATIC,
                    "self: says it is from a role of ours, and is not");
    if (is_our_own(home, m))
        return ends(ret, MSG_IGNORED, MSG_AUTOMATIC, "self: a mail of ours came back");
    if (by != MSG_AUTO_NO)
        return ends(ret, MSG_IGNORED, by == MSG_AUTO_BOUNCE ? MSG_BOUNCE : MSG_AUTOMATIC,
                    automatic_reasons[by]);
    if (!config_person_at(config, spec) && !is_principal(config, spec))
        return ends(ret, MSG_HELD, MSG_STRANGER, "stranger: nobody that may ask");
    ret->unproven = !is_proved(config, m, ret);
    if (ret->unproven)
        return ends(ret, MSG_HELD, MSG_STRANGER, "unproven: the sender could be anybody");
    ret->trust = ret->floor = TRUST_PRINCIPAL;
    return false;
}

/* Whom it is for. In Cc a role is told, not asked. Mail that its mailbox routed to it names an
 * alias that we do not know, or has us in Bcc: from somebody who may ask it is meant for us,
 * and what goes to many (a list, bulk) has ended before. */
static void
judge_address(
    const Config *config, const ConfRole *role, const Message *m, bool routed, Judgement *ret)
{
    if (outward_names(config, role, m->to))
        return;
    bool told = outward_names(config, role, m->cc);
    if (told ? !role->answers_cc : !routed)
        (void)ends(ret, MSG_IGNORED, MSG_TASK, told ? "cc" : "not addressed to this role");
}

void
judge(const Home *home, const ConfRole *role, const Message *m, bool routed, Judgement *ret)
{
    *ret = (Judgement){
        .trust = TRUST_ANYONE, .floor = TRUST_ANYONE, .class = MSG_TASK, .state = MSG_STORED};
    g_auto(OriginClaim) origin = {ret->trust, ret->floor, NULL};
    OriginSeen seen = origin_check(&home->key, m, role->name, &origin);
    ret->trust = origin.level;
    ret->floor = origin.floor;
    g_strlcpy(ret->space, origin.space ? origin.space : "", sizeof ret->space);
    ret->proved = seen == ORIGIN_PROVED;
    ret->forged = seen == ORIGIN_FORGED;
    bool ended = false;
    if (m->problem || !m->from)
        ended = ends(ret, MSG_HELD, MSG_UNREADABLE, m->problem ? m->problem : "no sender");
    else if (!ret->proved)
        ended = ends_outside(home, m, ret);
    else if (ret->trust < TRUST_ROLE)
        ended = ends(ret, MSG_HELD, MSG_STRANGER, "stranger: nobody that may ask");
    if (ended)
        return;
    ret->may = rights_of(home->config, m->from->spec, ret->trust);
    /* A mail that the operator put there by hand needs no To; in a mail to a space To names the
     * space alone. */
    if (ret->trust != TRUST_OPERATOR && !*ret->space)
        judge_address(home->config, role, m, routed, ret);
}
