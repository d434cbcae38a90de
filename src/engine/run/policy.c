#include "base/limits.h"
#include "engine/out/breaker.h"
#include "engine/role.h"
#include "engine/run/policy_internal.h"
#include "mail/address.h"
#include "store/out/outbox.h"

/*
 * What an agent may cause, decided here and nowhere else. In this order:
 *
 *  - an address that is none, or too many of them: refused;
 *  - a space (store/spaces.h): allowed to its members; to anybody else as a name that nobody
 *    has. A mail to a space goes to nobody who is not of it (policy_spaces.c): else refused;
 *  - the owner, to whom every question goes, and somebody who takes part in the job already:
 *    allowed. Where not everybody who asked in the round may steer, only mail that is believed
 *    makes somebody take part, but for whoever asked;
 *  - a role of this home: allowed, unless anything below a role's level was shown in the round:
 *    text of a stranger must not be able to choose who gets mail. The job that such a mail
 *    makes has the rights of this one (mail_rights() in store/job/steering.h);
 *  - a person of this home, a principal, the allow list: the same, and everybody who asked in
 *    the round must be somebody who may steer;
 *  - a name of our own domain that nobody has: refused, with the nearest one;
 *  - anybody else, and more mail than the limits (engine/out/breaker.h): held for a person's
 *    yes;
 *  - mail into the conversation of another job, in a round below steer: held;
 *  - whatever a role with `hold = all` writes to people other than the owner: held;
 *  - a note that the role itself may not see can't go along: refused;
 *  - whoever gets it: links that the agent made up (policy_links.c), and notes that not all of
 *    them may read (policy_notes.c), are held too. All reasons are asked in one question.
 */

static bool
listed(const char *const *list, const char *spec)
{
    for (const char *const *p = list; p && *p; p++) {
        if (address_equal(*p, spec))
            return true;
    }
    return false;
}

static void
verdict_clear(gpointer p)
{
    Verdict *v = p;
    free_all(v->why, v->third, v->subject, v->body);
}

static Verdict
verdict(VerdictKind kind, char *why)
{
    return (Verdict){.kind = kind, .why = why};
}

void
verdict_refuse(Verdict *v, char *take_why)
{
    g_free(v->why);
    v->kind = VERDICT_REFUSED;
    v->why = take_why;
}

void
verdict_hold(Verdict *v, char *take_why)
{
    g_autofree char *why = take_why;
    g_autofree char *before = g_steal_pointer(&v->why);
    v->kind = VERDICT_HELD;
    v->why = before ? g_strjoin("; ", before, why, NULL) : g_steal_pointer(&why);
}

/* Somebody to whom the round may always write. */
static bool
takes_part(const Check *k, const char *spec, bool *ret, GError **error)
{
    g_autoptr(GPtrArray) askers = step_askers(k->job, k->in);
    *ret = address_equal(spec, k->engine->home->config->owner) ||
           address_equal(spec, k->job->asker) || address_in(askers, spec);
    return *ret || messages_takes_part(k->engine->db, k->job->id, spec,
                                       !(k->job->may & MAY_STEER), ret, error);
}

static bool
check_recipient(const Check *k, const char *spec, Verdict *ret, GError **error)
{
    if (!address_spec_valid(spec)) {
        *ret = verdict(VERDICT_REFUSED, g_strdup_printf("'%s' is no address", spec));
        return true;
    }
    bool part, space;
    if (!policy_is_space(k, spec, &space, error) || !takes_part(k, spec, &part, error))
        return false;
    if (space) {
        *ret = verdict(VERDICT_ALLOWED, NULL);
        return true;
    }
    const Config *config = k->engine->home->config;
    bool role = config_role_at(config, spec), inside = role || config_is_person(config, spec);
    bool may = round_below_steer(k->job, k->in) ? role && k->in->floor >= TRUST_ROLE
                                                : inside || listed(config->allow, spec);
    if (part || may) {
        *ret = verdict(VERDICT_ALLOWED, NULL);
        ret->third = part || inside ? NULL : g_strdup(spec);
        return true;
    }
    char *unknown = config_unknown_here(config, spec);
    *ret = unknown
               ? verdict(VERDICT_REFUSED, unknown)
               : verdict(VERDICT_HELD, g_strdup_printf("recipient not permitted: %s", spec));
    return true;
}

/* The worst that any recipient gets. */
static bool
check_recipients(const Check *k, const ProposedMail *mail, Verdict *ret, GError **error)
{
    if (mail->to->len + mail->cc->len > LIMIT_RECIPIENTS) {
        *ret = verdict(VERDICT_REFUSED,
                       g_strdup_printf("more than %u recipients", LIMIT_RECIPIENTS));
        return true;
    }
    Verdict worst = verdict(VERDICT_ALLOWED, NULL);
    for (guint i = 0; i < mail->to->len + mail->cc->len; i++) {
        const char *spec = i < mail->to->len ? g_ptr_array_index(mail->to, i)
                                             : g_ptr_array_index(mail->cc, i - mail->to->len);
        Verdict one;
        if (!check_recipient(k, spec, &one, error)) {
            verdict_clear(&worst);
            return false;
        }
        bool same = one.kind == worst.kind;
        if (one.kind > worst.kind || (same && one.third && !worst.third)) {
            Verdict better = worst;
            worst = one;
            one = better;
        }
        verdict_clear(&one);
    }
    *ret = worst;
    return true;
}

GPtrArray *
policy_recipients(const Check *k, const ProposedMail *mail)
{
    g_autoptr(GPtrArray) asked = mail->to->len == 0 ? step_askers(k->job, k->in) : NULL;
    GPtrArray *all = g_ptr_array_new();
    g_ptr_array_extend(all, asked ? asked : mail->to, NULL, NULL);
    g_ptr_array_extend(all, mail->cc, NULL, NULL);
    return all;
}

/* Holds mail that is allowed, but of which there is too much. */
static bool
check_breakers(
    const Check *k, const ProposedMail *mail, guint n_before, Verdict *v, GError **error)
{
    g_autoptr(GPtrArray) to = policy_recipients(k, mail);
    g_autofree char *why = NULL;
    if (!breaker_out(k->engine, k->job, to, n_before, &why, error))
        return false;
    if (why)
        verdict_hold(v, g_steal_pointer(&why));
    return true;
}

/* A mail that answers what another job wrote or got goes into that job's conversation and may
 * wake it, with words that its own people did not ask for. */
static bool
is_of_another(const Check *k, const char *id, bool *ret, GError **error)
{
    g_autoptr(MsgRow) in = NULL;
    g_autoptr(OutRow) out = NULL;
    if (!id || !g_strcmp0(id, k->job->original_msgid))
        return true;
    if (!messages_find(k->engine->db, &VIEWER_OF(k->job->role), id, &in, error) ||
        (!in && !outbox_find(k->engine->db, &VIEWER_OF(k->job->role), id, &out, error)))
        return false;
    JobId job = in ? in->job : out ? out->job : k->job->id;
    *ret |= job.v != 0 && job.v != k->job->id.v;
    return true;
}

static bool
check_thread(const Check *k, const ProposedMail *mail, Verdict *v, GError **error)
{
    bool another = false;
    if (!round_below_steer(k->job, k->in))
        return true;
    if (!is_of_another(k, mail->in_reply_to, &another, error))
        return false;
    LIST_EACH(const char, id, mail->answers_too)
        if (!is_of_another(k, id, &another, error))
            return false;
    if (another)
        verdict_hold(v, g_strdup("it answers mail of another job"));
    return true;
}

/* `hold = all`: a person is asked before anything that this role writes leaves for people. The
 * owner is who is asked. */
static void
check_role(const Check *k, const ProposedMail *mail, Verdict *v)
{
    const Config *config = k->engine->home->config;
    const ConfRole *role = role_find(k->engine, k->job->role);
    g_autoptr(GPtrArray) to = policy_recipients(k, mail);
    for (guint i = 0; role && role->hold == CONF_HOLD_ALL && i < to->len; i++) {
        const char *spec = g_ptr_array_index(to, i);
        if (config_is_agent(config, spec) || address_equal(spec, config->owner))
            continue;
        verdict_hold(v, g_strdup_printf("role '%s' has 'hold = all'", role->name));
        return;
    }
}

/* Checks the content of a mail whose recipients are allowed. */
static bool
check_content(Check *k, const ProposedMail *mail, guint n_before, Verdict *v, GError **error)
{
    if (v->kind != VERDICT_REFUSED && !policy_spaces(k, mail, v, error))
        return false;
    if (v->kind == VERDICT_REFUSED)
        return true;
    if (v->kind == VERDICT_ALLOWED && !check_breakers(k, mail, n_before, v, error))
        return false;
    check_role(k, mail, v);
    return check_thread(k, mail, v, error) && policy_notes(k, mail, v, error) &&
           (v->kind == VERDICT_REFUSED || policy_links(k, mail, v, error));
}

bool
policy_check(Engine *engine,
             const Job *job,
             const StepInput *in,
             Proposal *p,
             GArray **ret_verdicts,
             GError **error)
{
    g_autoptr(GArray) verdicts = g_array_new(FALSE, TRUE, sizeof(Verdict));
    Check k = {.engine = engine, .job = job, .in = in, .p = p};
    g_array_set_clear_func(verdicts, verdict_clear);
    g_auto(Snapshot) reads = {0};
    snapshot_begin(engine->db, &reads);
    bool ok = policy_reply_cc(&k, p, error) && policy_space_notes(&k, p, error);
    for (guint i = 0; i < p->mails->len && ok; i++) {
        Verdict v;
        const ProposedMail *mail = g_ptr_array_index(p->mails, i);
        ok = check_recipients(&k, mail, &v, error);
        if (!ok)
            break;
        g_array_append_val(verdicts, v);
        ok = check_content(&k, mail, i, &g_array_index(verdicts, Verdict, i), error);
    }
    g_clear_pointer(&k.links, g_hash_table_unref);
    if (ok)
        *ret_verdicts = g_steal_pointer(&verdicts);
    return ok;
}

bool
policy_holds(const GArray *verdicts)
{
    for (guint i = 0; i < verdicts->len; i++)
        if (g_array_index(verdicts, Verdict, i).kind == VERDICT_HELD)
            return true;
    return false;
}
