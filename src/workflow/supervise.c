#include "workflow/supervise.h"
#include "base/clock.h"
#include "base/crash.h"
#include "engine/in/orders.h"
#include "engine/out/post.h"
#include "store/job/artifact_money.h"
#include "store/job/budget.h"
#include "store/job/role_pauses.h"
#include "store/job/steering.h"
#include "workflow/event_mark.h"

#define WHY_MAX 200 /* characters */
#define DAY_US (24 * 3600 * USEC_PER_SEC)
#define TALK_MAX 6  /* mails between two roles without anything having come of them */
#define ASKED_MAX 3 /* times that a role asks the same */

#define WORDS_COUNTS                                                                           \
    "Of %s so far: %u reviews, %u blocker-reports, %u questions, %u of which had been asked "  \
    "before."
#define WORDS_GO_ON                                                                            \
    "Answer this mail and it goes on, or say: postrider role resume %s. Its work and its "     \
    "mail are kept until then."
#define WORDS_TOMORROW "It goes on by itself tomorrow (UTC). "
#define WORDS_FAILED                                                                           \
    "%u of its tries failed today, which is all that errors-per-day allows; the last: %s"
#define WORDS_SPENT                                                                            \
    "its work has cost %s today, and max-cost-per-day of the role is %s"
#define WORDS_ARTIFACT_SPENT "%s is paused: the work on it has cost %s, and it may cost %s."
#define WORDS_ARTIFACT_NEXT                                                                    \
    "Answer this mail with CONTINUE $5 and it may cost so much more, or in other words and "   \
    "it "                                                                                      \
    "may cost as much once more. All work on it and its mail are kept until then."
#define WORDS_MAY_COST "Done: %s may cost %s more."
#define WORDS_MAY_NOT                                                                          \
    "Nothing was changed: that is for the coordinator, and for who may approve."
#define WORDS_UNANSWERED                                                                       \
    "%s asked %s %s ago, and there is no answer. Whoever can answer does so in reply to "      \
    "<%s>."

/* --- the report --- */

GPtrArray *
supervise_escalate(const Engine *engine)
{
    const char *const *name = engine->home->config->workflow_escalate;
    GPtrArray *names = g_ptr_array_new();

    for (; name && *name; name++)
        g_ptr_array_add(names, g_str_equal(*name, "coordinator")
                                   ? (char *)workflow_coordinator(engine)
                                   : (char *)*name);
    return names;
}

/* A blocker goes to the coordinator and whom else the settings name, a reminder to the coordinator alone. The owner
 * hears of a coordinator who pauses. */
static void
add_recipients(const Engine *engine, const char *from, EventType type, GPtrArray *to)
{
    g_autoptr(GPtrArray) more = supervise_escalate(engine);
    const char *coordinator = workflow_coordinator(engine);

    g_ptr_array_add(to, (char *)(g_str_equal(coordinator, from)
                                     ? engine->home->config->persons[0].name
                                     : coordinator));
    LIST_EACH(const char, name, more) {
        if (type == EVENT_BLOCKER_REPORT &&
            !g_ptr_array_find_with_equal_func(to, name, g_str_equal, NULL))
            g_ptr_array_add(to, (char *)name);
    }
}

/* What the report is about; a NULL: no artifact. */
typedef struct Report {
    const char *from; /* role */
    const Artifact *artifact;
    const char *details, *context, *next;
    EventType type;
    int64_t spent_micro; /* on the artifact, where that is why */
} Report;

static EventVars *
vars_of(const Engine *engine, const Report *r, const char *to)
{
    EventVars *v = event_vars_new();
    const Artifact *a = r->artifact;
    g_autofree char *date = clock_format_mail(home_now(engine->home));
    g_autofree char *title = a ? artifact_title(a->name) : g_strdup("general");

    event_vars_set(v, event_kinds[r->type].needs, r->details);
    if (!g_str_equal(event_kinds[r->type].needs, "CONTEXT"))
        event_vars_set(v, "CONTEXT", r->context);
    event_vars_set(v, "NEXT_ACTIONS", r->next);
    event_vars_set(v, "FROM_ROLE", r->from);
    event_vars_set(v, "TO_ROLE", to);
    event_vars_set(v, "DATE", date);
    event_vars_set(v, "ARTIFACT_NAME", title);
    event_vars_set(v, "ARTIFACT_PATH", a ? a->path : "");
    event_vars_set(v, "WORKFLOW_STATE", a ? a->state : "");
    return v;
}

static bool
compose(Engine *engine, const Report *r, const GPtrArray *to, const char *names, Compose **ret, GError **error)
{
    const Config *config = engine->home->config;
    const char *type = event_kinds[r->type].name;
    const Artifact *a = r->artifact;
    g_autoptr(EventVars) v = vars_of(engine, r, names);
    g_autofree char *form = event_form(r->type), *subject = NULL, *text = NULL;
    g_autoptr(Compose) mail = compose_new();
    const EventMark mark = {.from = (char *)r->from,
                            .to = (char *)names,
                            .digest = (char *)"",
                            .question = (char *)"",
                            .spent_micro = r->spent_micro};
    g_autofree char *told = event_mark_format(&mark);

    event_expand(form, v, &subject, &text);
    compose_date(mail, home_now(engine->home));
    compose_event(mail, r->from, "\001id\001");
    compose_text(mail, text);
    if (!compose_from(mail, NULL, workflow_address(config, r->from), error) ||
        !compose_subject(mail, subject, error) ||
        !compose_header(mail, EVENT_MARK, told, error) ||
        !compose_header(mail, "X-Event-Type", type, error) ||
        (a && (!compose_header(mail, "X-Artifacts", a->name, error) ||
               !compose_header(mail, "X-Workflow-State", a->state, error))))
        return false;
    LIST_EACH(const char, name, to) {
        if (!compose_to(mail, NULL, workflow_address(config, name), error))
            return false;
    }
    *ret = g_steal_pointer(&mail);
    return true;
}

static bool
send(Engine *engine, Txn *txn, const Report *r, char **ret_msgid, GError **error)
{
    const char *address = workflow_address(engine->home->config, r->from);
    const Post post = {.level = post_level_of(engine, address),
                       .mailbox = config_mailbox_at(engine->home->config, address)};
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    g_autoptr(Compose) mail = NULL;
    EventId id;

    add_recipients(engine, r->from, r->type, to);
    g_ptr_array_add(to, NULL);
    g_autofree char *names = g_strjoinv(",", (char **)to->pdata);
    g_ptr_array_set_size(to, (int)to->len - 1);
    if (!compose(engine, r, to, names, &mail, error) ||
        !post_compose(engine, txn, MAIL_EVENT, mail, &post, NULL, ret_msgid, error))
        return false;
    const FlowEvent e = {.type = (char *)event_kinds[r->type].name,
                         .artifact = r->artifact ? r->artifact->id : (ArtifactId){0},
                         .msgid = *ret_msgid,
                         .sender = (char *)r->from,
                         .recipients = names,
                         .state = r->artifact ? r->artifact->state : (char *)"",
                         .digest = (char *)"",
                         .question = (char *)""};
    return flow_event_put(txn, &e, &id, error);
}

/* "...". Caller frees. */
static bool
counts(Db *db, const Artifact *a, char **ret, GError **error)
{
    FlowCount n;

    if (!a) {
        *ret = g_strdup("");
        return true;
    }
    if (!flow_event_count(db, a->id, &n, error))
        return false;
    *ret = g_strdup_printf(WORDS_COUNTS, a->name, n.reviews, n.blockers, n.questions, n.repeated);
    return true;
}

/* The role does nothing more until a person says so, or today alone: until tomorrow (UTC). The coordinator hears it, once. */
static bool
pause_role(Engine *engine,
           Txn *txn,
           const char *role,
           const Artifact *a,
           const char *why,
           bool today,
           GError **error)
{
    g_autofree char *context = NULL, *msgid = NULL;
    g_autofree char *details = g_strdup_printf("%s is paused: %s.", role, why);
    g_autofree char *go_on = g_strdup_printf(WORDS_GO_ON, role);
    g_autofree char *next = g_strconcat(today ? WORDS_TOMORROW : "", go_on, NULL);
    g_autoptr(RolePause) before = NULL;
    bool is_new;

    if (!role_pause_find(txn->db, role, &before, error))
        return false;
    if (before)
        return true;
    if (!counts(txn->db, a, &context, error))
        return false;
    const Report r = {.from = role,
                      .artifact = a,
                      .details = details,
                      .context = context,
                      .next = next,
                      .type = EVENT_BLOCKER_REPORT};
    if (!send(engine, txn, &r, &msgid, error))
        return false;
    CRASH_POINT("role-reported");
    const RolePause p = {.role = (char *)role, .why = (char *)why, .report = msgid};
    if (!role_pause_begin(txn, &p, &is_new, error))
        return false;
    if (!today)
        return true;
    g_autofree char *about = g_strdup_printf("%s %s", role, msgid);
    return timer_set_about(txn, (JobId){0}, SUPERVISE_TOMORROW, about,
                           (txn_now(txn) / DAY_US + 1) * DAY_US, error);
}

/* The role goes on, and what it did is counted anew; what its work has cost is not. */
static bool
resume(Txn *txn, const char *role, GError **error)
{
    bool was;

    return role_pause_end(txn, role, &was, error) && talk_end(txn, role, error) &&
           faults_end(txn, role, error);
}

/* *ret: the work of the role has cost what it may cost on one day; *ret_sum: what it has cost. role NULL: no limit. */
static bool
has_spent(Db *db, const ConfRole *role, int64_t *ret_sum, bool *ret, GError **error)
{
    int64_t limit = role && !role->person ? role->max_cost_per_day_micro : 0;

    *ret_sum = 0;
    if (limit > 0 && !budget_role_today(db, role->name, ret_sum, error))
        return false;
    *ret = limit > 0 && *ret_sum >= limit;
    return true;
}

/* --- ping-pong --- */

/* The event that the mail is, or the newest that it comes after. */
static bool
find_event(Db *db, const Message *m, FlowEvent **ret, GError **error)
{
    if (!flow_event_find(db, m->id, ret, error))
        return false;
    for (guint i = m->references->len; i > 0 && !*ret; i--)
        if (!flow_event_find(db, m->references->pdata[i - 1], ret, error))
            return false;
    return true;
}

/* The artifact that the mail speaks of; *ret NULL: none. Caller frees. */
static bool
find_artifact(Db *db, const Message *m, Artifact **ret, GError **error)
{
    g_autoptr(FlowEvent) e = NULL;

    return find_event(db, m, &e, error) &&
           (!e || !e->artifact.v || artifact_load(db, e->artifact, ret, error));
}

/* Whatever they write about, and in whichever thread. What was on its way already pauses nobody else. */
static bool
count_talk(Engine *engine, Txn *txn, const MsgNew *in, const Message *m, const char *from, GError **error)
{
    g_autoptr(Artifact) a = NULL;
    unsigned n;

    if (!talk_count(txn, from, in->role, &n, error))
        return false;
    if (n != TALK_MAX)
        return true;
    if (!find_artifact(engine->db, m, &a, error))
        return false;
    g_autofree char *why = g_strdup_printf(
        "%u mails went between %s and %s%s%s, while neither moved, changed or decided on an "
        "artifact, or heard a person",
        n, from, in->role, a ? ", the last about " : "", a ? a->name : "");
    return pause_role(engine, txn, in->role, a, why, false, error);
}

/* The limit of the day guards the owner's money against everybody: who may spend more is the coordinator, who is asked,
 * and who may approve. */
static bool
may_spend(const Engine *engine, Trust trust, const Message *m)
{
    const Config *config = engine->home->config;
    const char *name = workflow_name_at(config, m->from->spec);

    return (rights_of(config, m->from->spec, trust) & MAY_APPROVE) ||
           g_strcmp0(name, workflow_coordinator(engine)) == 0;
}

/* A person has answered the report of the role's pause. */
static bool
let_go_on(Engine *engine, Txn *txn, const char *role, const MsgNew *in, const Message *m, GError **error)
{
    bool spent;
    int64_t sum;

    if (may_spend(engine, in->trust, m))
        return resume(txn, role, error) && budget_role_anew(txn, role, error);
    return has_spent(txn->db, config_role(engine->home->config, role), &sum, &spent, error) &&
           (spent || resume(txn, role, error));
}

/* How much more an artifact may cost by this answer to the report: as CONTINUE says, else as much once more; 0: not by this one. */
static int64_t
more_by(const Engine *engine, const ArtifactMoney *money, const Message *m)
{
    g_auto(Order) o = {0};

    order_parse(m, true, &o);
    return o.kind == ORDER_CONTINUE && o.money ? o.money
           : o.kind == ORDER_CONTINUE || o.kind == ORDER_NONE
               ? config_artifact(engine->home->config, money->kind)->max_cost_micro
               : 0;
}

bool
supervise_order(
    Engine *engine, const Judgement *j, const Message *m, Order *ret, GError **error)
{
    g_autoptr(ArtifactMoney) money = NULL;
    g_auto(Order) said = {0};

    if (!m->in_reply_to || j->trust < TRUST_PRINCIPAL)
        return true;
    if (!artifact_money_told_by(engine->db, m->in_reply_to, &money, error))
        return false;
    order_parse(m, true, &said);
    if (!money || said.kind != ORDER_CONTINUE)
        return true;
    g_autofree char *more = text_money(more_by(engine, money, m));
    *ret = (Order){.kind = ORDER_FACE,
                   .said = may_spend(engine, j->trust, m)
                               ? g_strdup_printf(WORDS_MAY_COST, money->name, more)
                               : g_strdup(WORDS_MAY_NOT)};
    return true;
}

/* Whom the mail tells of may go on. */
static bool
hear_person(Engine *engine, Txn *txn, const MsgNew *in, const Message *m, GError **error)
{
    g_autoptr(RolePause) p = NULL;
    g_autoptr(ArtifactMoney) money = NULL;

    if (m->in_reply_to && (!role_pause_told_by(txn->db, m->in_reply_to, &p, error) ||
                           !artifact_money_told_by(txn->db, m->in_reply_to, &money, error)))
        return false;
    int64_t more = money && may_spend(engine, in->trust, m) ? more_by(engine, money, m) : 0;
    return (!p || let_go_on(engine, txn, p->role, in, m, error)) &&
           (more == 0 || artifact_money_add(txn, money, more, error)) &&
           talk_end(txn, in->role, error);
}

bool
supervise_mail(Engine *engine, Txn *txn, const MsgNew *in, GError **error)
{
    const Message *m = in->mail;
    const Config *config = engine->home->config;
    const ConfRole *to = config_role(config, in->role);
    const ConfRole *from = m->from ? config_role_at(config, m->from->spec) : NULL;

    if (in->state == MSG_HELD || in->state == MSG_IGNORED || in->state == MSG_DEAD)
        return true;
    if (in->trust >= TRUST_PRINCIPAL)
        return hear_person(engine, txn, in, m, error);
    if (!*config->workflow_root)
        return true;
    if (in->space) /* which has a limit of its own (store/spaces.h) */
        return true;
    if (in->trust != TRUST_ROLE || in->state != MSG_STORED || !from || from->person || !to || to->person ||
        from == to)
        return true;
    return count_talk(engine, txn, in, m, from->name, error);
}

/* --- events --- */

bool
supervise_event(Engine *engine, Txn *txn, const FlowEvent *e, bool changed, GError **error)
{
    const ConfRole *role = config_role(engine->home->config, e->sender);
    int64_t within = engine->home->config->workflow_answer_us;
    g_autoptr(Artifact) a = NULL;
    bool decides = false;
    unsigned n;

    if ((g_str_equal(e->type, "rejection") || g_str_equal(e->type, "approval")) &&
        !cycle_decides_anew(txn->db, e->cycle, e->msgid, &decides, error))
        return false;
    if ((changed || decides) && !talk_end(txn, e->sender, error))
        return false;
    if (!*e->question)
        return true;
    if (within > 0 && !timer_set_about(txn, (JobId){0}, SUPERVISE_TIMER, e->msgid,
                                       txn_now(txn) + within, error))
        return false;
    if (!role || role->person)
        return true;
    if (!flow_event_asked(txn->db, e->sender, e->question, e->artifact, &n, error))
        return false;
    if (n % ASKED_MAX != 0)
        return true;
    if (e->artifact.v && !artifact_load(txn->db, e->artifact, &a, error))
        return false;
    g_autofree char *why = g_strdup_printf("it has asked %s the same question %u times%s%s",
                                           e->recipients, n, a ? " about " : "", a ? a->name : "");
    return pause_role(engine, txn, e->sender, a, why, false, error);
}

/* --- errors --- */

bool
supervise_failed(Engine *engine, Txn *txn, const Job *job, const char *why, GError **error)
{
    const Config *config = engine->home->config;
    const ConfRole *role = config_role(config, job->role);
    int64_t day = txn_now(txn) / DAY_US;
    g_autoptr(Artifact) a = NULL;
    unsigned n;

    if (!role || role->person || config->workflow_errors == 0)
        return true;
    if (!fault_count(txn, role->name, day, &n, error))
        return false;
    if (n < config->workflow_errors)
        return true;
    if (!artifact_of_job(txn->db, job->id, &a, error))
        return false;
    g_autofree char *line = g_strdelimit(text_shorten(why, WHY_MAX), "\r\n\t", ' ');
    g_autofree char *text = g_strdup_printf(WORDS_FAILED, n, line);
    return pause_role(engine, txn, role->name, a, text, true, error);
}

/* --- money --- */

static bool
pause_spender(Engine *engine, Txn *txn, const Job *job, GError **error)
{
    const ConfRole *role = config_role(engine->home->config, job->role);
    g_autoptr(Artifact) a = NULL;
    int64_t spent;
    bool all;

    if (!has_spent(txn->db, role, &spent, &all, error))
        return false;
    if (!all)
        return true;
    if (!artifact_of_job(txn->db, job->id, &a, error))
        return false;
    g_autofree char *sum = text_money(spent), *most = text_money(role->max_cost_per_day_micro);
    g_autofree char *text = g_strdup_printf(WORDS_SPENT, sum, most);
    return pause_role(engine, txn, role->name, a, text, true, error);
}

/* Who tells of it, and hears the answer: the role of the job, of a member its panel. Caller frees. */
static char *
teller_of(const Engine *engine, const Job *job)
{
    const Config *config = engine->home->config;
    g_autofree char *name = g_strndup(job->role, strcspn(job->role, "."));
    const ConfRole *any = config_role_pick(config, NULL, NULL);

    return workflow_address(config, name)
               ? g_steal_pointer(&name)
               : g_strdup(any ? any->name : workflow_coordinator(engine));
}

static bool
pause_artifact(Engine *engine, Txn *txn, const Job *job, GError **error)
{
    g_autoptr(ArtifactMoney) money = NULL;
    g_autoptr(Artifact) a = NULL;
    g_autofree char *context = NULL, *msgid = NULL;

    if (!artifact_money_of_job(txn->db, job->id, &money, error))
        return false;
    if (!artifact_money_spent(money) || *money->report)
        return true;
    if (!artifact_load(txn->db, money->id, &a, error) || !counts(txn->db, a, &context, error))
        return false;
    g_autofree char *sum = text_money(money->spent_micro),
                    *most = text_money(money->limit_micro);
    g_autofree char *details = g_strdup_printf(WORDS_ARTIFACT_SPENT, a->name, sum, most);
    g_autofree char *from = teller_of(engine, job);
    const Report r = {.from = from,
                      .artifact = a,
                      .details = details,
                      .context = context,
                      .next = WORDS_ARTIFACT_NEXT,
                      .type = EVENT_BLOCKER_REPORT,
                      .spent_micro = money->spent_micro};
    if (!send(engine, txn, &r, &msgid, error))
        return false;
    CRASH_POINT("artifact-reported");
    return artifact_money_tell(txn, a->id, msgid, error);
}

bool
supervise_paid(Engine *engine, Txn *txn, const Job *job, GError **error)
{
    return pause_spender(engine, txn, job, error) && pause_artifact(engine, txn, job, error);
}

bool
supervise_tomorrow(Txn *txn, const Timer *t, GError **error)
{
    size_t len = strcspn(t->subject, " ");
    g_autofree char *role = g_strndup(t->subject, len);
    g_autoptr(RolePause) p = NULL;

    if (!role_pause_find(txn->db, role, &p, error))
        return false;
    return !p || !g_str_has_suffix(t->subject, p->report) || !*p->report ||
           resume(txn, role, error);
}

/* --- questions --- */

bool
supervise_due(Engine *engine, Txn *txn, const Timer *t, GError **error)
{
    g_autoptr(FlowEvent) e = NULL;
    g_autoptr(Artifact) a = NULL;
    g_autofree char *msgid = NULL;

    if (!flow_event_find(txn->db, t->subject, &e, error))
        return false;
    if (!e || *e->answer || !workflow_address(engine->home->config, e->sender))
        return true;
    if (e->artifact.v && !artifact_load(txn->db, e->artifact, &a, error))
        return false;
    g_autofree char *ago = clock_format_span(MAX(txn_now(txn) - e->at_us, 0));
    g_autofree char *text =
        g_strdup_printf(WORDS_UNANSWERED, e->sender, e->recipients, ago, e->msgid);
    const Report r = {
        .from = e->sender, .artifact = a, .details = text, .next = "", .type = EVENT_STATUS_UPDATE};
    return send(engine, txn, &r, &msgid, error);
}
