#include "engine/in/judge.h"
#include "engine/out/outward.h"
#include "mail/address.h"
#include "mail/auth.h"
#include "mail/msgid.h"
#include "store/job/steering.h"

static bool
names_role(const Config *config, const ConfRole *role, const Addresses *list)
{
    for (guint i = 0; i < list->len; i++) {
        if (outward_means(config, role, ((const Address *)g_ptr_array_index(list, i))->spec))
            return true;
    }
    return false;
}

static bool
is_principal(const Config *config, const char *spec)
{
    for (const char *const *p = config->principals; p && *p; p++) {
        if (address_equal(*p, spec))
            return true;
    }
    return false;
}

static const char *
automatic_reason(MsgAuto automatic)
{
    switch (automatic) {
    case MSG_AUTO_NO:
        return NULL;
    case MSG_AUTO_SUBMITTED:
        return "automatic: Auto-Submitted";
    case MSG_AUTO_BOUNCE:
        return "automatic: a bounce";
    case MSG_AUTO_LIST:
        return "automatic: list mail";
    case MSG_AUTO_BULK:
        return "automatic: bulk mail";
    case MSG_AUTO_MACHINE:
        return "automatic: sent by a machine";
    }
    return NULL;
}

static void
end(Judgement *j, MsgState state, MsgClass class, const char *why)
{
    j->state = state;
    j->class = class;
    j->why = why;
}

/* What we sent comes back by a list, a forward or a loop; what we filed ourselves is proved. */
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
    const AuthTrust trust = {config->authserv_ids, auth_need_of(config->require_auth),
                             config->authserv_several};
    g_auto(AuthVerdict) v = {0};

    auth_judge(m, &trust, &v);
    ret->several = v.several;
    if (v.why)
        g_strlcpy(ret->proof, v.why, sizeof ret->proof);
    return v.pass && !(m->flags & (MSG_TWO_FROM | MSG_AMBIGUOUS));
}

/* Mail from outside this home: nothing in it is believed but what somebody vouches for. */
static void
judge_outside(const Home *home, const Message *m, Judgement *ret)
{
    const Config *config = home->config;
    const char *spec = m->from->spec;
    bool claims = config_person_at(config, spec) || is_principal(config, spec);

    if (config_role_at(config, spec)) {
        end(ret, MSG_IGNORED, MSG_AUTOMATIC,
            "self: says it is from a role of ours, and is not");
        return;
    }
    if (is_our_own(home, m)) {
        end(ret, MSG_IGNORED, MSG_AUTOMATIC, "self: a mail of ours came back");
        return;
    }
    if (m->automatic != MSG_AUTO_NO) {
        end(ret, MSG_IGNORED, m->automatic == MSG_AUTO_BOUNCE ? MSG_BOUNCE : MSG_AUTOMATIC,
            automatic_reason(m->automatic));
        return;
    }
    if (!claims) {
        end(ret, MSG_HELD, MSG_STRANGER, "stranger: nobody that may ask");
        return;
    }
    if (!is_proved(config, m, ret)) {
        ret->unproven = true;
        end(ret, MSG_HELD, MSG_STRANGER, "unproven: the sender could be anybody");
        return;
    }
    ret->trust = ret->floor = TRUST_PRINCIPAL;
}

/* Whom it is for. In Cc a role is told, not asked. Mail that its mailbox routed to it names an
 * alias that we do not know, or has us in Bcc: from somebody who may ask it is meant for us,
 * and what goes to many (a list, bulk) has ended before. */
static void
judge_address(
    const Config *config, const ConfRole *role, const Message *m, bool routed, Judgement *ret)
{
    if (names_role(config, role, m->to))
        return;
    if (names_role(config, role, m->cc)) {
        if (!role->answers_cc)
            end(ret, MSG_IGNORED, MSG_TASK, "cc");
    } else if (!routed) {
        end(ret, MSG_IGNORED, MSG_TASK, "not addressed to this role");
    }
}

void
judge(const Home *home, const ConfRole *role, const Message *m, bool routed, Judgement *ret)
{
    *ret = (Judgement){
        .trust = TRUST_ANYONE, .floor = TRUST_ANYONE, .class = MSG_TASK, .state = MSG_STORED};

    OriginSeen origin = origin_check(&home->key, m, role->name, &ret->trust, &ret->floor);
    ret->proved = origin == ORIGIN_PROVED;
    ret->forged = origin == ORIGIN_FORGED;

    if (m->problem) {
        end(ret, MSG_HELD, MSG_UNREADABLE, m->problem);
        return;
    }
    if (!m->from) {
        end(ret, MSG_HELD, MSG_UNREADABLE, "no sender");
        return;
    }
    if (!ret->proved) {
        judge_outside(home, m, ret);
        if (ret->state != MSG_STORED)
            return;
    } else if (ret->trust < TRUST_ROLE) {
        end(ret, MSG_HELD, MSG_STRANGER, "stranger: nobody that may ask");
        return;
    }
    ret->may = rights_of(home->config, m->from->spec, ret->trust);

    /* What the operator put there by hand needs no To. */
    if (ret->trust != TRUST_OPERATOR)
        judge_address(home->config, role, m, routed, ret);
}
