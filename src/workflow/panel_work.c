/*
 * The panel's own job. Each time it is claimed it goes as far as it can: begins a round, reveals it, has members discuss,
 * decides; else it gives its claim back until the deadline, and the next ballot wakes it. Whatever it does can be done
 * twice: a member's job and its ballot begin in one transaction, and the decision, the end of the panel and the step
 * are another.
 */
#include "base/crash.h"
#include "engine/act.h"
#include "engine/people/notice.h"
#include "engine/role.h"
#include "mail/address.h"
#include "mail/msgid.h"
#include "store/job/role_rows.h"
#include "workflow/ballot_text.h"
#include "workflow/event_send.h"
#include "workflow/flow_page.h"
#include "workflow/panel_ask.h"
#include "workflow/panel_return.h"
#include "workflow/panel_space.h"
#include "workflow/panel_write.h"

/* Behind every verdict of a panel whose members need no wall. */
#define WORDS_ADVICE "; walls = advice: programs among the members may have had none"

/* --- where it can do nothing --- */

/* The panel ends with the step that says why. */
static bool
commit_void(const ActCall *c, char **ret_did, GError **error)
{
    g_autoptr(PanelRow) p = NULL;

    return panel_of_job(c->txn->db, c->job->id, &p, error) &&
           (!p || panel_void(c->txn, p->id, act_text(c->act->args, "why"), error));
}

static const ActOps act_void = {.name = "void", .commit = commit_void};

/* Another panel of the settings has asked: mail to it would ask that one for something. */
static bool
is_panel_at(const Config *config, const char *address)
{
    const ConfRole *role = config_role_at(config, address);
    return role && config_panel(config, role->name);
}

/* Whoever asked hears why nothing comes of it; and the coordinator, where that should, or a panel has asked.
 * open: the panel that is void now; NULL: none. */
static bool
refuse(JobSession *s, const PanelRow *open, const char *why, bool tell_coordinator, GError **error)
{
    const Config *config = s->engine->home->config;
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    ProposedMail *mail = proposal_add_mail(p);
    ProposedAct *act = g_new0(ProposedAct, 1);
    const char *coordinator = workflow_address(config, workflow_coordinator(s->engine));
    bool by_panel = is_panel_at(config, s->job->asker);

    *act = (ProposedAct){.ops = &act_void, .args = json_pack("{s:s}", "why", why)};
    proposed_acts_add(p->acts, act);
    if (by_panel) {
        g_ptr_array_add(mail->to, g_strdup(coordinator ? coordinator : config->owner));
    } else if (tell_coordinator && coordinator && !address_equal(coordinator, s->job->asker)) {
        g_ptr_array_add(mail->to, g_strdup(s->job->asker));
        g_ptr_array_add(mail->cc, g_strdup(coordinator));
    }
    mail->body = g_strdup_printf("The panel '%s' does nothing now: %s.", s->job->role, why);
    return (!open || panel_return_settle(s, open, p, error)) && session_show(s, error) &&
           session_commit(s, p, error);
}

/* p: the panel that ends; NULL: none was open. */
static bool
complete(JobSession *s, const PanelRow *p, GError **error)
{
    g_autoptr(Proposal) done = proposal_new(PROPOSE_COMPLETE);
    CRASH_POINT("panel-before-decision");
    return (!p || panel_return_settle(s, p, done, error)) && session_show(s, error) && session_commit(s, done, error);
}

/* Nothing that it was sent asks it for something. over: its last panel has ended. */
static bool
decline(JobSession *s, bool over, GError **error)
{
    bool told;

    if (!flow_only_tells(s->engine, &s->in, &told, error))
        return false;
    if (told)
        return complete(s, NULL, error);
    if (!over)
        return refuse(s, NULL,
                      "it is asked by a review-request (postrider notify review-request ARTIFACT "
                      "PANEL), or by: postrider panel review FILE",
                      false, error);
    return config_is_agent(s->engine->home->config, s->job->asker)
               ? complete(s, NULL, error)
               : refuse(s, NULL, "this review is over; a new review-request begins another", false,
                        error);
}

/* *ret NULL: nothing is asked, or it can't be; whoever is to hear that does, but with `quiet` where nothing is asked. */
static bool
open_panel(JobSession *s, bool over, bool quiet, PanelRow **ret, GError **error)
{
    g_autoptr(PanelRow) p = NULL;
    g_autoptr(PanelMembers) members = NULL;
    g_autoptr(GError) why = NULL;
    PanelId id = {0};

    if (!panel_ask_read(s, over, &p, &members, &why)) {
        bool lost = err_is(why, ERR_DAMAGE), by_agent = config_is_agent(s->engine->home->config, s->job->asker);
        bool ours = lost || err_is(why, ERR_NEVER) || err_is(why, ERR_CONFIG) || err_is(why, ERR_LIMIT);
        return ours ? refuse(s, NULL, why->message, lost || by_agent, error)
                    : err_pass(error, g_steal_pointer(&why));
    }
    if (!p)
        return quiet ? complete(s, NULL, error) : decline(s, over, error);
    p->job = s->job->id;
    p->asker = g_strdup(s->job->asker);
    if (!p->digest)
        p->digest = digest_hex_of(p->content);
    g_auto(Txn) txn = {.db = s->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, &s->claim, s->in.deadline_us, error) &&
                 panel_put(&txn, p, members, &id, error);
    CRASH_POINT("panel-opened");
    return txn.done && panel_load(s->engine->db, id, ret, error);
}

/* --- a round --- */

/* Who is asked in the next round: those who have said something. */
static bool
takes_part(const PanelRow *p, const BallotRows *ballots, unsigned round, unsigned member)
{
    if (panel_is_decision(p, round))
        return member == p->primary;
    if (panel_writes(p))
        return true;
    const BallotRow *b = round > 1 ? ballot_counts(ballots, round - 1, member) : NULL;
    return round == 1 || (b && !g_str_equal(b->verdict, "none"));
}

static const BallotRow *
find_ballot(const BallotRows *ballots, unsigned round, unsigned member)
{
    LIST_EACH(const BallotRow, b, ballots)
        if (b->round == round && b->member == member)
            return b;
    return NULL;
}

static bool
put_member_roles(
    Engine *engine, Txn *txn, const PanelRow *p, const PanelMembers *members, GError **error)
{
    LIST_EACH(const PanelMember, m, members) {
        g_autofree char *role = g_strdup_printf("%s.%s", p->name, m->name);
        g_autofree char *address = g_strdup_printf("%s@%s", role, engine->home->config->domain);
        const RoleRow row = {.face = (char *)"workflow", .display = role, .address = address};
        if (!role_row_put(txn, role, &row, error))
            return false;
    }
    return true;
}

/* Who is on it has a role, and they a space. */
static bool
begin_members(JobSession *s, const PanelRow *p, const PanelMembers *members, GError **error)
{
    unsigned rounds = panel_writes(p) ? panel_rounds(p) : p->discuss + 1;
    g_auto(Txn) txn = {.db = s->engine->db, .flush = TXN_LAZY};

    while (txn_again(&txn, error))
        txn.ok = put_member_roles(s->engine, &txn, p, members, error) &&
                 panel_space_open(&txn, p, members, rounds, error);
    return txn.done;
}

static bool
ask_member(JobSession *s, const PanelRow *p, const PanelMember *m, GError **error)
{
    g_autofree char *role = g_strdup_printf("%s.%s", p->name, m->name);
    g_autofree char *subject =
        g_strdup_printf(PANEL_SUBJECT "%s, round %u", p->subject, p->round);
    g_autofree char *text =
        g_strdup_printf("panel %" G_GINT64_FORMAT " round %u member %u\n\nsha256 %s\n", p->id.v,
                        p->round, m->n, p->digest);
    const SessionMail mail = {.role = role, .subject = subject, .text = text};

    return session_begin(s->engine, &mail, NULL, NULL, error);
}

/* Each once: where the panel's run died in between, the next goes on. */
static bool
ask_members(
    JobSession *s, const PanelRow *p, const PanelMembers *members, const BallotRows *ballots, GError **error)
{
    LIST_EACH(const PanelMember, m, members) {
        if (find_ballot(ballots, p->round, m->n) || !takes_part(p, ballots, p->round, m->n))
            continue;
        if (!ask_member(s, p, m, error))
            return false;
        CRASH_POINT("panel-member-asked");
    }
    return true;
}

bool
panel_stored(Engine *engine, Txn *txn, const MsgNew *in, JobId job, GError **error)
{
    const char *text = in->mail->text;
    gint64 panel;
    unsigned round, member;

    if (!job.v || in->trust != TRUST_OPERATOR || !text || !strchr(in->role, '.') ||
        sscanf(text, "panel %" G_GINT64_FORMAT " round %u member %u\n", &panel, &round,
               &member) != 3)
        return true;
    return !panel_is_role(engine, in->role) ||
           ballot_ask(txn, (PanelId){panel}, round, member, job, error);
}

static bool
all_in(const PanelRow *p, const PanelMembers *members, const BallotRows *ballots)
{
    LIST_EACH(const PanelMember, m, members) {
        const BallotRow *b = find_ballot(ballots, p->round, m->n);
        if (takes_part(p, ballots, p->round, m->n) && (!b || !*b->verdict))
            return false;
    }
    return true;
}

static bool
disagree(const PanelRow *p, const PanelMembers *members, const BallotRows *ballots)
{
    const char *first = NULL;
    bool differ = false;

    LIST_EACH(const PanelMember, m, members) {
        const BallotRow *b = ballot_counts(ballots, p->round, m->n);
        if (!b || g_str_equal(b->verdict, "none") || g_str_equal(b->verdict, "abstain"))
            continue;
        differ |= first && !g_str_equal(first, b->verdict);
        first = b->verdict;
    }
    return differ;
}

/* In one transaction: what was sealed is open, and, where they are to discuss it, each has told the others, and the next round
 * begins. */
static bool
change_round(JobSession *s,
             const PanelRow *p,
             const PanelMembers *members,
             const BallotRows *all,
             bool reveal,
             bool next,
             GError **error)
{
    bool says = next || (p->round == panel_rounds(p) && panel_has_decided(p, all, p->round));
    g_auto(Txn) txn = {.db = s->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok =
            job_check(&txn, &s->claim, s->in.deadline_us, error) &&
            (!reveal || panel_reveal(&txn, p->id, p->round, error)) &&
            (!next ||
             panel_begin_round(&txn, p->id, p->round + 1, txn_now(&txn) + p->span_us, error)) &&
            (!reveal || !next ||
             panel_space_tell(s->engine, &txn, p, members, all, p->round, error)) &&
            (!panel_writes(p) || !says ||
             panel_announce(s->engine, &txn, s->job, p, members, all, p->round + 1, error));
    CRASH_POINT("panel-round");
    return txn.done;
}

/* --- the decision --- */

static void
decide(const PanelRow *p,
       const PanelMembers *members,
       const BallotRows *all,
       PanelDecision *ret,
       char **ret_words)
{
    PanelTerms terms = {.n_members = members->len, .primary = p->primary, .quorum = p->quorum};
    Ballot counted[PANEL_MEMBERS_MAX];
    size_t n = 0;

    (void)panel_rule_parse(p->rule, &terms.rule, NULL);
    LIST_EACH(const PanelMember, m, members) {
        const BallotRow *b = ballot_counts(all, p->round, m->n);
        if (b && vote_parse(b->verdict, &counted[n].verdict)) {
            counted[n].member = m->n;
            counted[n].late = false;
            counted[n++].blocks = b->blocks;
        }
    }
    panel_decide(&terms, counted, n, ret);
    g_autofree char *words = panel_decision_words(&terms, ret);
    *ret_words = g_strconcat(words, p->advice ? WORDS_ADVICE : "", NULL);
}

/* What everybody said, with what is to be known about it. Caller frees. */
static char *
report_text(const PanelRow *p,
            const PanelMembers *members,
            const BallotRows *all,
            const char *words)
{
    g_autofree char *said = ballots_format(members, all, p->round, -1);
    return g_strdup_printf("%s after %u round%s. Each member judged these bytes alone: sha256 "
                           "%s\n\n%s",
                           words, p->round, p->round == 1 ? "" : "s", p->digest, said);
}

/* approval or rejection, from the panel to the author. */
static bool
send_event(Engine *engine,
           Txn *txn,
           const PanelRow *p,
           Vote v,
           const char *text,
           char **ret_msgid,
           GError **error)
{
    g_autoptr(EventVars) vars = event_vars_new();
    g_autoptr(EventPlan) plan = NULL;
    g_autoptr(Cycle) c = NULL;
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    bool approve = v == VOTE_APPROVE;
    g_autofree char *said = g_strconcat(approve            ? "REVIEWER_COMMENTS="
                                        : v == VOTE_REVISE ? "ISSUES_FOUND=Revise. "
                                                           : "ISSUES_FOUND=Reject. ",
                                        text, NULL);

    if (!cycle_load(engine->db, (CycleId){p->cycle}, &c, error) ||
        !event_vars_add(vars, said, error))
        return false;
    if (!c || *c->outcome || !g_str_equal(c->digest, p->digest))
        return err_set(error, ERR_NEVER, "the review was closed, or is of other bytes now");
    EventType type = approve ? EVENT_APPROVAL : EVENT_REJECTION;
    const EventSight *sight = event_sight_get(engine, type, p->artifact, NULL, error);
    if (!sight)
        return false;
    g_ptr_array_add(to, c->author);
    const EventNew in = {.type = type,
                         .path = p->artifact,
                         .sight = sight,
                         .from = p->name,
                         .to = to,
                         .vars = vars,
                         .apart = true};
    return event_plan(engine, &in, &plan, error) &&
           event_commit(engine, txn, plan, NULL, ret_msgid, error);
}

/* The request that it is about: what a store that is lost later knows an end by. Caller frees. */
static bool
find_request(Db *db, const Job *job, const PanelRow *p, char **ret, GError **error)
{
    g_autoptr(Cycle) c = NULL;

    if (!cycle_load(db, (CycleId){p->cycle}, &c, error))
        return false;
    *ret = msgid_format(c ? c->msgid : job->original_msgid);
    return true;
}

/* The last word of the panel to an address, in a thread of its own. */
static bool
say(Engine *engine,
    Txn *txn,
    const Job *job,
    const PanelRow *p,
    const char *to,
    const char *what,
    const char *text,
    char **ret_msgid,
    GError **error)
{
    g_autofree char *subject = g_strdup_printf(PANEL_SUBJECT "%s: %s", p->subject, what);
    const RoleMailParent apart = {0};
    g_autofree char *request = NULL;
    if (!find_request(txn->db, job, p, &request, error))
        return false;
    const Notice notice = {.role = role_find(engine, p->name),
                           .job = job,
                           .to = to,
                           .subject = subject,
                           .text = text,
                           .parent = p->cycle ? &apart : NULL,
                           .header = panel_answers(p) ? NULL : PANEL_MARK, /* its review goes on */
                           .value = request};
    return notice_post(engine, txn, &notice, ret_msgid, error);
}

/* Nobody but the coordinator can go on from here; whoever asked hears it too. */
static bool
say_undecided(Engine *engine,
              Txn *txn,
              const Job *job,
              const PanelRow *p,
              const char *text,
              GError **error)
{
    const Config *config = engine->home->config;
    const char *coordinator = workflow_address(config, workflow_coordinator(engine));
    g_autofree char *all = g_strdup_printf("No decision. %s", text);

    return (!coordinator || address_equal(coordinator, p->asker) ||
            say(engine, txn, job, p, coordinator, "no decision", all, NULL, error)) &&
           (is_panel_at(config, p->asker) ||
            say(engine, txn, job, p, p->asker, "no decision", all, NULL, error));
}

/* What was written goes to review; where that can't be, or the primary has not decided, the coordinator hears it. */
static bool
end_writing(Engine *engine,
            Txn *txn,
            const Job *job,
            const PanelRow *p,
            const BallotRows *all,
            GError **error)
{
    g_autofree char *msgid = NULL, *whom = NULL, *words = NULL;
    g_autoptr(GError) why = NULL;
    bool was_open, done = p->round == panel_rounds(p) && panel_has_decided(p, all, p->round);

    if (*p->task) {
        g_autofree char *way = panel_return_way_on(p);
        words = g_strdup_printf("the primary has not decided. %s", way);
    } else if (done && panel_send_for_review(engine, txn, p, &msgid, &whom, &why))
        words = g_strdup_printf("%s is written, and under review by %s", p->artifact, whom);
    else if (why && !err_is(why, ERR_NEVER))
        return err_pass(error, g_steal_pointer(&why));
    else
        words = g_strdup_printf("%s", why ? why->message : "the primary has not decided what a section says");
    return (msgid || say_undecided(engine, txn, job, p, words, error)) &&
           panel_close(txn, p->id, msgid ? "written" : "none", words, msgid ? msgid : "", &was_open, error) &&
           (was_open || err_set(error, ERR_AGAIN, "the panel is closed"));
}

bool
panel_decided(Engine *engine,
              Txn *txn,
              const Job *job,
              const Proposal *proposal,
              GError **error)
{
    g_autoptr(PanelRow) p = NULL;
    g_autoptr(PanelMembers) members = NULL;
    g_autoptr(BallotRows) all = NULL;
    g_autofree char *words = NULL, *msgid = NULL;
    g_autoptr(GError) why = NULL;
    PanelDecision d;
    bool was_open;

    if (proposal->status != PROPOSE_COMPLETE || !panel_of_job(engine->db, job->id, &p, error))
        return proposal->status != PROPOSE_COMPLETE;
    if (!p || !g_str_equal(p->state, "open") || p->round == 0 || p->revealed < p->round)
        return true;
    if (!panel_members_of(engine->db, p->id, &members, error) ||
        !ballot_list(engine->db, p->id, &all, error))
        return false;
    if (panel_writes(p))
        return end_writing(engine, txn, job, p, all, error);
    decide(p, members, all, &d, &words);
    g_autofree char *text = report_text(p, members, all, words);
    if (d.verdict != VOTE_NONE && p->cycle && !send_event(engine, txn, p, d.verdict, text, &msgid, &why)) {
        if (!err_is(why, ERR_NEVER) && !err_is(why, ERR_CONFIG))
            return err_pass(error, g_steal_pointer(&why));
        g_autofree char *before = g_steal_pointer(&text);
        g_free(words);
        words = g_strdup_printf("they say %s, which can't be: %s", vote_name(d.verdict), why->message);
        text = g_strdup_printf("%s.\n\n%s", words, before);
        d.verdict = VOTE_NONE;
    }
    if (d.verdict != VOTE_NONE && p->cycle &&
        !panel_discussion_tell(engine, txn, p, vote_name(d.verdict), text, error))
        return false;
    if (d.verdict == VOTE_NONE
            ? !say_undecided(engine, txn, job, p, text, error)
            : !p->cycle && !say(engine, txn, job, p, p->asker, vote_name(d.verdict), text, &msgid, error))
        return false;
    return panel_close(txn, p->id, vote_name(d.verdict), words, msgid ? msgid : "", &was_open, error) &&
           (was_open || err_set(error, ERR_AGAIN, "the panel is closed"));
}

/* --- one claim --- */

static bool
make_void(JobSession *s, const PanelRow *p, const char *why, GError **error)
{
    g_auto(Txn) txn = {.db = s->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, &s->claim, s->in.deadline_us, error) &&
                 panel_void(&txn, p->id, why, error);
    return txn.done;
}

/* Still what is under review? *ret NULL: the panel is void, and nothing takes its place. */
static bool
check_cycle(JobSession *s, PanelRow **io, GError **error)
{
    PanelRow *p = *io;
    g_autoptr(Cycle) c = NULL;
    bool returned = *p->task != '\0', over;

    if (returned && !panel_return_over(s->engine->db, p, &over, error))
        return false;
    if (returned && over && !make_void(s, p, "somebody else has gone on with it", error))
        return false;
    if (returned && over)
        g_clear_pointer(io, panel_row_free);
    if (returned || !p->cycle)
        return true;
    if (!cycle_load(s->engine->db, (CycleId){p->cycle}, &c, error))
        return false;
    over = !c || *c->outcome;
    if (!over && g_str_equal(c->digest, p->digest))
        return true;
    if (!make_void(s, p,
                   over ? "the review was closed by somebody else"
                        : "its author has changed the artifact",
                   error))
        return false;
    if (over) {
        g_clear_pointer(io, panel_row_free);
        return true;
    }
    g_autoptr(FlowEvent) e = NULL;
    g_autoptr(PanelRow) next = NULL;
    g_autoptr(PanelMembers) members = NULL;
    PanelId id;
    if (!flow_event_find(s->engine->db, c->msgid, &e, error) || !e ||
        !panel_ask_request(s->engine, s->job->role, e, &next, &members, error))
        return false;
    next->job = s->job->id;
    next->asker = g_strdup(p->asker);
    g_auto(Txn) txn = {.db = s->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, &s->claim, s->in.deadline_us, error) &&
                 panel_put(&txn, next, members, &id, error);
    g_clear_pointer(io, panel_row_free);
    return txn.done && panel_load(s->engine->db, id, io, error);
}

/* What was decided can't be done: that is heard, with how to go on. */
static bool
cannot(JobSession *s, const PanelRow *p, GError *take_why, GError **error)
{
    g_autoptr(GError) why = take_why;

    if (!err_is(why, ERR_NEVER) && !err_is(why, ERR_CONFIG) && !err_is(why, ERR_LIMIT))
        return err_pass(error, g_steal_pointer(&why));
    g_autofree char *way = *p->task ? panel_return_way_on(p) : NULL;
    g_autofree char *all = g_strconcat(why->message, way ? ". " : NULL, way, NULL);
    return refuse(s, p, all, true, error);
}

/* The job's last step. What is written for the first time lies there before the mail that speaks of it is decided; a revision is
 * one decision with its mail. */
static bool
finish(JobSession *s, const PanelRow *p, const BallotRows *ballots, GError **error)
{
    g_autoptr(GError) why = NULL;

    if (!panel_writes(p) || p->round < panel_rounds(p) || !panel_has_decided(p, ballots, p->round))
        return complete(s, p, error);
    g_autofree char *text = panel_integrate(p, ballots);
    if (!(*p->task ? panel_return_commit(s, p, ballots, &why)
                   : panel_put_file(s->engine, p, text, &why)))
        return cannot(s, p, g_steal_pointer(&why), error);
    CRASH_POINT("panel-written");
    return *p->task || complete(s, p, error);
}

/* Is there another round? */
static bool
goes_on(const PanelRow *p, const PanelMembers *members, const BallotRows *ballots)
{
    if (!panel_writes(p))
        return p->round <= p->discuss && disagree(p, members, ballots);
    return p->round < panel_rounds(p) &&
           (!panel_is_decision(p, p->round) || panel_has_decided(p, ballots, p->round));
}

/* Goes one stage on; *ret_on: there may be another. */
static bool
go_on(JobSession *s, PanelRow *p, bool *ret_on, GError **error)
{
    g_autoptr(PanelMembers) members = NULL;
    g_autoptr(BallotRows) ballots = NULL;

    *ret_on = true;
    if (!panel_members_of(s->engine->db, p->id, &members, error) ||
        !ballot_list(s->engine->db, p->id, &ballots, error))
        return false;
    if (p->round == 0)
        return begin_members(s, p, members, error) &&
               change_round(s, p, members, ballots, false, true, error);
    if (p->revealed >= p->round) {
        *ret_on = false;
        return finish(s, p, ballots, error);
    }
    bool in = all_in(p, members, ballots), late = home_now(s->engine->home) >= p->deadline_us;
    if (in || late)
        return change_round(s, p, members, ballots, true, goes_on(p, members, ballots), error);
    *ret_on = false;
    s->again_us = p->deadline_us;
    s->again_why = "it waits for ballots";
    return session_show(s, error) && ask_members(s, p, members, ballots, error);
}

bool
panel_work(JobSession *s, GError **error)
{
    g_autoptr(BallotRow) ballot = NULL;
    g_autoptr(PanelRow) p = NULL;
    bool on = true;

    if (!ballot_of_job(s->engine->db, s->job->id, &ballot, error))
        return false;
    if (ballot)
        return panel_member_work(s, ballot, error);
    if (!panel_of_job(s->engine->db, s->job->id, &p, error))
        return false;
    bool over = p && !g_str_equal(p->state, "open");
    if (over)
        g_clear_pointer(&p, panel_row_free);
    if (!p && !open_panel(s, over, false, &p, error))
        return false;
    if (!p)
        return true; /* declined */
    if (!check_cycle(s, &p, error) || (!p && !open_panel(s, true, true, &p, error)))
        return false;
    if (!p)
        return true; /* void, and nothing newer is asked */
    while (on) {
        PanelId id = p->id;
        if (!go_on(s, p, &on, error))
            return false;
        g_clear_pointer(&p, panel_row_free);
        if (on && !panel_load(s->engine->db, id, &p, error))
            return false;
    }
    return true;
}
