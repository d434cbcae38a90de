#include "workflow/event_send.h"
#include "base/clock.h"
#include "base/config/one_mind.h"
#include "engine/out/post.h"
#include "engine/tree/file_effects.h"
#include "mail/compose.h"
#include "workflow/event_mark.h"
#include "workflow/review_file.h"
#include "workflow/supervise.h"

#define ID_MARK "\001id\001"

struct EventPlan {
    EventType type;
    char *from;
    const char *from_address; /* borrowed from the settings */
    GPtrArray *to;            /* names */
    bool about;               /* an artifact */
    ArtifactPlace place;
    ArtifactMove move;
    Artifact *artifact; /* NULL: the record does not know it yet */
    Cycle *cycle;       /* its newest; NULL: none */
    const char *closes; /* the cycle with this outcome; NULL: it stays as it is */
    bool joins;         /* it belongs to the cycle */
    bool renews;
    bool agent; /* decides it */
    char *state, *digest, *question;
    char *deputy; /* "": none */
    GPtrArray *parents; /* ids of what it answers; empty: it begins a thread */
    Compose *mail;
    char *text; /* of the mail */
};

void
event_plan_free(EventPlan *p)
{
    if (!p)
        return;
    artifact_place_clear(&p->place);
    artifact_move_clear(&p->move);
    artifact_free(p->artifact);
    cycle_free(p->cycle);
    compose_free(p->mail);
    g_ptr_array_unref(p->to);
    free_all(p->from, p->state, p->digest, p->question, p->deputy);
    g_clear_pointer(&p->parents, g_ptr_array_unref);
    free_all(p->text, p);
}

/* --- who --- */

static bool
refuse_nobody(const Config *config, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = workflow_names(config);
    g_autofree char *hint = text_did_you_mean(name, (const char *const *)names->pdata);
    if (config_helper(config, name))
        return err_set(error, ERR_NEVER, "'%s' takes no mail", name);
    return err_set(error, ERR_NEVER, "no role '%s'%s", name, hint);
}

static bool
add_recipient(const Engine *engine, EventPlan *p, const char *said, GError **error)
{
    const char *name = workflow_who(engine->home->config, said);

    if (!workflow_address(engine->home->config, name))
        return refuse_nobody(engine->home->config, name, error);
    if (!g_ptr_array_find_with_equal_func(p->to, name, g_str_equal, NULL))
        g_ptr_array_add(p->to, g_strdup(name));
    return true;
}

/* Names with commas or blanks between. */
static bool
add_recipients(const Engine *engine, EventPlan *p, const char *names, GError **error)
{
    g_auto(GStrv) all = g_strsplit_set(names, ", \t\n", -1);

    for (char **name = all; *name; name++)
        if (**name && !add_recipient(engine, p, *name, error))
            return false;
    return true;
}

/* Who hears of every blocker. */
static bool
escalate(const Engine *engine, EventPlan *p, GError **error)
{
    g_autoptr(GPtrArray) names = supervise_escalate(engine);

    LIST_EACH(const char, name, names) {
        if (!add_recipient(engine, p, name, error))
            return false;
    }
    return true;
}

static bool
find_people(const Engine *engine, const EventNew *in, EventPlan *p, GError **error)
{
    p->from_address = workflow_address(engine->home->config, p->from);
    if (!p->from_address)
        return refuse_nobody(engine->home->config, p->from, error);
    for (guint i = 0; i < in->to->len; i++)
        if (!add_recipients(engine, p, g_ptr_array_index(in->to, i), error))
            return false;
    if (!add_recipients(engine, p, event_var(in->vars, "NEXT_ROLES"), error) ||
        (in->type == EVENT_BLOCKER_REPORT && !escalate(engine, p, error)))
        return false;
    return p->to->len > 0 || err_set(error, ERR_NEVER, "to whom? No role was named");
}

/* Caller frees. */
static char *
join(const GPtrArray *texts, const char *between)
{
    GString *all = g_string_new(NULL);

    LIST_EACH(const char, text, texts)
        g_string_append_printf(all, "%s%s", all->len ? between : "", text);
    return g_string_free(all, FALSE);
}

/* Ids as headers have them. */
static char *
join_ids(const GPtrArray *ids)
{
    g_autofree char *inner = join(ids, "> <");

    return *inner ? g_strdup_printf("<%s>", inner) : g_strdup("");
}

static char *
join_recipients(const EventPlan *p)
{
    return join(p->to, ",");
}

static bool
answers(const EventNew *in)
{
    return in->parents && in->parents->len > 0;
}

/* --- what it decides --- */

static bool
is_open(const Cycle *c)
{
    return c && !*c->outcome;
}

/* Has the sender written what is under review? */
static bool
is_own_work(const EventPlan *p)
{
    return g_str_equal(p->from, p->cycle->author) || g_str_equal(p->from, p->artifact->author);
}

/* Who decides on a review that leads to this state: nobody on their own work, but where the table names the author. */
static bool
check_reviewer(const EventPlan *p, const char *to, GError **error)
{
    const Cycle *c = p->cycle;

    if (!c)
        return err_set(error, ERR_NEVER, "nobody has asked for a review of '%s'",
                       p->place.name);
    if (!is_open(c))
        return err_set(
            error, ERR_NEVER,
            "the review of '%s' is closed: %s by %s; a new review-request begins another",
            p->place.name, c->outcome, *c->by ? c->by : "nobody");
    if (is_own_work(p) && !artifact_is_authors(p->place.kind, p->artifact->state, to))
        return err_set(error, ERR_NEVER, "'%s' wrote '%s', and can't decide on it", p->from,
                       p->place.name);
    return true;
}

/* Approval of one's own work leads to the state that comes next, and not to another one that the table leaves to the author. */
static bool
check_own_approval(const EventPlan *p, const char *to, GError **error)
{
    g_autofree char *next = artifact_next_state(p->place.kind, p->artifact->state);

    return !is_own_work(p) || g_strcmp0(next, to) == 0 ||
           err_set(error, ERR_NEVER, "'%s' wrote '%s': approval by its author leads to '%s', not to '%s'", p->from,
                   p->place.name, next ? next : "", to);
}

/* A store that is older than the project, or one beside it, may have decided already. */
static bool
check_unreviewed(const EventPlan *p, const EventSight *sight, GError **error)
{
    const ReviewFile *r =
        p->closes && sight->reviews ? g_hash_table_lookup(sight->reviews, p->cycle->msgid) : NULL;

    return !r || err_set(error, ERR_NEVER,
                         "the review of '%s' was %s by %s: its record is in the project, though not in "
                         "this store; a new review-request begins another",
                         p->place.name, r->outcome, r->by);
}

/* The author tells others what the reviewer has decided. */
static bool
is_sent_on(const EventPlan *p)
{
    return p->cycle && g_str_equal(p->cycle->outcome, "approved") &&
           g_str_equal(p->from, p->cycle->author);
}

/* Words about a decision of the model that wrote the artifact; NULL: another one decides, or a person. Caller frees. */
static char *
find_doubt(const Config *config, const EventPlan *p)
{
    const ConfBrain *one =
        p->closes && !is_own_work(p) ? config_one_mind(config, p->cycle->author, p->from) : NULL;

    return one ? g_strdup_printf("'%s' and '%s' are both asked by '%s', and overlook the same", p->cycle->author,
                                 p->from, one->name)
               : NULL;
}

/* By the settings `config check` refuses it; for want of a key it is so only now. */
static bool
check_independence(const Engine *engine, const EventPlan *p, GError **error)
{
    const Config *config = engine->home->config;
    bool strict = config->workflow_independence == CONF_INDEPENDENCE_STRICT;
    g_autofree char *doubt = strict && p->agent ? find_doubt(config, p) : NULL;

    return !doubt || !g_str_equal(p->closes, "approved") ||
           err_set(error, ERR_NEVER, "%s ([workflow] independence = strict)", doubt);
}

static bool
plan_move(const Engine *engine, EventPlan *p, const char *to, GError **error)
{
    return artifact_move_plan(engine, &p->place, p->artifact, to, p->from, &p->move, error);
}

static bool
plan_approval(const Engine *engine, EventPlan *p, EventVars *vars, GError **error)
{
    const char *said = event_var(vars, "NEXT_STATE");

    p->joins = true;
    if (is_sent_on(p)) {
        g_autofree char *decided = g_strdup_printf(" by %s", p->cycle->by);
        event_vars_set(vars, "DECIDED", decided);
        return plan_move(engine, p, NULL, error);
    }
    g_autofree char *next = *said ? g_strdup(said)
                            : p->artifact
                                ? artifact_next_state(p->place.kind, p->artifact->state)
                                : NULL;
    if (!check_reviewer(p, next ? next : "", error))
        return false;
    if (!next)
        return err_set(error, ERR_NEVER, "no state follows '%s': say NEXT_STATE=...",
                       p->artifact->state);
    if (!check_own_approval(p, next, error))
        return false;
    if (!g_str_equal(p->cycle->digest, p->digest))
        return err_set(
            error, ERR_NEVER,
            "'%s' is not what was sent for review: it has the digest %s now, and had %s",
            p->place.path, p->digest, p->cycle->digest);
    p->closes = "approved";
    event_vars_set(vars, "NEXT_STATE", next);
    return plan_move(engine, p, next, error);
}

/* Who may approve may reject. Only an author who decides brings what is rejected to another state. */
static bool
plan_rejection(const Engine *engine, EventPlan *p, GError **error)
{
    if (!check_reviewer(p, "rejected", error))
        return false;
    if (is_own_work(p)) {
        p->joins = true;
        p->closes = "rejected";
        return plan_move(engine, p, "rejected", error);
    }
    g_autofree char *next = artifact_next_state(p->place.kind, p->artifact->state);
    g_auto(GStrv) reviewers = g_strsplit(p->cycle->reviewers, ",", -1);
    if (!g_strv_contains((const char *const *)reviewers, p->from) &&
        !artifact_may_move(engine, p->place.kind, p->artifact, p->artifact->state,
                           next ? next : "", p->from, error))
        return false;
    p->joins = true;
    p->closes = "rejected";
    return plan_move(engine, p, NULL, error);
}

static bool
plan_talk(const Engine *engine, EventPlan *p, GError **error)
{
    bool author = is_open(p->cycle) && g_str_equal(p->from, p->cycle->author);

    p->joins = is_open(p->cycle);
    p->renews = author && (p->type == EVENT_ANSWER || p->type == EVENT_STATUS_UPDATE) &&
                !g_str_equal(p->digest, p->cycle->digest);
    if (p->renews && !add_recipients(engine, p, p->cycle->reviewers, error))
        return false;
    return plan_move(engine, p, NULL, error);
}

/* What no move leads from to `blocked`, such as a spec that is proposed, is reported where it is. */
static bool
plan_blocker(const Engine *engine, EventPlan *p, GError **error)
{
    g_autofree char *first = artifact_first_state(p->place.kind);
    const char *now = p->artifact ? p->artifact->state : p->place.state ? p->place.state : first;
    bool leads = artifact_leads(p->place.kind, now, "blocked");

    p->joins = is_open(p->cycle);
    return plan_move(engine, p, leads || g_str_equal(now, "blocked") ? "blocked" : NULL, error);
}

static bool
plan_decision(const Engine *engine, EventPlan *p, EventVars *vars, GError **error)
{
    switch (p->type) {
    case EVENT_APPROVAL:
        return plan_approval(engine, p, vars, error);
    case EVENT_REJECTION:
        return plan_rejection(engine, p, error);
    case EVENT_BLOCKER_REPORT:
        return plan_blocker(engine, p, error);
    default:
        return plan_talk(engine, p, error);
    }
}

/* The artifact, what the record knows of it, and what becomes of it. */
static bool
plan_artifact(
    Engine *engine, const EventNew *in, const EventSight *sight, EventPlan *p, GError **error)
{
    if (!in->path)
        return event_kinds[p->type].may_be_plain ||
               err_set(error, ERR_NEVER, "%s needs an artifact", event_kinds[p->type].name);
    if (!in->place && sight->no_place) {
        g_propagate_error(error, g_error_copy(sight->no_place));
        return false;
    }
    artifact_place_copy(in->place ? in->place : &sight->place, &p->place);
    if (!artifact_find(engine->db, p->place.name, &p->artifact, error) ||
        (p->artifact && !cycle_load(engine->db, p->artifact->cycle, &p->cycle, error)))
        return false;
    p->about = true;
    g_free(p->digest);
    p->digest = digest_hex(&p->place.bytes);
    if (!plan_decision(engine, p, in->vars, error) || !check_unreviewed(p, sight, error) ||
        !check_independence(engine, p, error))
        return false;
    if (p->closes && sight->no_review) {
        g_propagate_error(error, g_error_copy(sight->no_review));
        return false;
    }
    const char *verb = event_kinds[p->type].verb;
    if (engine->home->config->workflow_commit &&
        (p->type == EVENT_REVIEW_REQUEST || p->renews || p->move.to))
        artifact_move_say(&p->move, verb, NULL);
    if (in->commit && !artifact_move_with_commit(engine, &p->move, verb, NULL, error))
        return false;
    g_free(p->state);
    p->state = g_strdup(p->move.to ? p->move.to : p->move.from);
    return true;
}

/* --- the mail --- */

/* What a person who is asked can do without a shell; "": nobody is. */
static const char *
by_reply(const Config *config, const EventPlan *p)
{
    for (guint i = 0; p->type == EVENT_REVIEW_REQUEST && i < p->to->len; i++) {
        if (config_is_person(config, workflow_address(config, p->to->pdata[i])))
            return "From a mail program: a reply whose first line is APPROVE, REJECT: why, "
                   "REVISE: why "
                   "or BLOCKED: why.";
    }
    return "";
}

static void
set_vars(const Engine *engine, const EventPlan *p, EventVars *v)
{
    g_autofree char *date = clock_format_mail(home_now(engine->home));
    g_autofree char *to = join_recipients(p), *answered = join_ids(p->parents),
                    *references = join_ids(compose_get_references(p->mail));

    event_vars_set(v, "EVENT_TYPE", event_kinds[p->type].name);
    event_vars_set(v, "FROM_ROLE", p->from);
    event_vars_set(v, "TO_ROLE", to);
    event_vars_set(v, "DATE", date);
    event_vars_set(v, "MESSAGE_ID", ID_MARK);
    event_vars_set(v, "IN_REPLY_TO", answered);
    event_vars_set(v, "REFERENCES", references);
    if (!*event_var(v, "DECIDED"))
        event_vars_set(v, "DECIDED", "");
    event_vars_set(v, "WORKFLOW_STATE", p->state);
    event_vars_set(v, "DIGEST", p->digest);
    event_vars_set(v, "PREVIOUS_STATE", p->about ? p->move.from : "");
    event_vars_set(v, "ARTIFACT_PATH",
                   !p->about    ? ""
                   : p->move.to ? p->move.to_path
                                : p->place.path);
    event_vars_set(v, "ARTIFACT_NAME", p->about ? p->place.title : "general");
    if (!*event_var(v, "REVIEW_TYPE") && p->about)
        event_vars_set(v, "REVIEW_TYPE", p->place.kind->name);
    event_vars_set(v, "BY_REPLY", by_reply(engine->home->config, p));
    if (!*event_var(v, "BLOCKING"))
        event_vars_set(v, "BLOCKING", "no");
}

static EventDeed
deed_of(const EventPlan *p)
{
    if (p->closes)
        return g_str_equal(p->closes, "approved") ? DEED_APPROVES : DEED_REJECTS;
    if (p->renews)
        return DEED_RENEWS;
    return p->type == EVENT_REVIEW_REQUEST ? DEED_OPENS : DEED_TELLS;
}

/* What a store that lost its rows reads them from. */
static char *
format_mark(const EventPlan *p)
{
    int n = p->cycle ? p->cycle->n : 0;
    g_autofree char *to = join_recipients(p);
    const EventMark mark = {.deed = deed_of(p),
                            .cycle = p->type == EVENT_REVIEW_REQUEST ? n + 1
                                     : p->joins                      ? n
                                                                     : 0,
                            .from = p->from,
                            .to = to,
                            .digest = p->digest,
                            .question = p->question,
                            .deputy = p->deputy};
    return event_mark_format(&mark);
}

static bool
set_headers(const EventPlan *p, const EventVars *v, GError **error)
{
    const char *session = event_var(v, "SESSION_ID");
    g_autofree char *line = g_strdelimit(g_strdup(session), "\n\t", ' ');
    g_autofree char *mark = format_mark(p);

    return compose_header(p->mail, EVENT_MARK, mark, error) &&
           compose_header(p->mail, "X-Event-Type", event_kinds[p->type].name, error) &&
           (!p->about || (compose_header(p->mail, "X-Artifacts", p->place.name, error) &&
                          compose_header(p->mail, "X-Workflow-State", p->state, error))) &&
           (!*session || p->type != EVENT_STATUS_UPDATE ||
            compose_header(p->mail, "X-Session-Id", line, error));
}

/* Under the newest of its cycle, whose file may have been read before. */
static bool
thread_under(Engine *engine, const EventPlan *p, const EventSight *sight, GError **error)
{
    const char *id = g_ptr_array_index(p->parents, 0);
    bool seen = g_strcmp0(sight->parent_id, id) == 0;
    g_autoptr(Message) now = NULL;

    return (seen || post_parent(engine, id, &now, error)) &&
           post_thread(p->mail, id, seen ? sight->parent : now, error);
}

/* *ret_subject: in reply to somebody the subject is theirs; NULL: it is the form's. Caller frees. */
static bool
thread(Engine *engine,
       const EventPlan *p,
       const EventNew *in,
       const EventSight *sight,
       char **ret_subject,
       GError **error)
{
    if (answers(in))
        return post_thread_all(engine, p->mail, p->parents, ret_subject, error);
    return p->parents->len == 0 || thread_under(engine, p, sight, error);
}

static bool
set_subject(const EventPlan *p, const char *theirs, const char *own, GError **error)
{
    return theirs && *theirs ? compose_subject_reply(p->mail, theirs, error)
                             : compose_subject(p->mail, own, error);
}

/* What a reader of an agent's word has to know of its model. */
static void
add_model(const Config *config, EventPlan *p)
{
    g_autofree char *doubt = p->agent ? find_doubt(config, p) : NULL;
    GString *text = g_string_new(p->text);

    if (*p->deputy)
        g_string_append_printf(text, "\nBy %s, which was asked in place of the model of %s.\n", p->deputy, p->from);
    if (doubt)
        g_string_append_printf(text, "\n%s.\n", doubt);
    g_free(p->text);
    p->text = g_string_free(text, FALSE);
}

static bool
compose(Engine *engine, const EventNew *in, const EventSight *sight, EventPlan *p, GError **error)
{
    const Config *config = engine->home->config;
    g_autofree char *subject = NULL, *theirs = NULL;

    if (sight->no_form) {
        g_propagate_error(error, g_error_copy(sight->no_form));
        return false;
    }
    p->mail = compose_new();
    compose_date(p->mail, home_now(engine->home));
    compose_event(p->mail, p->from, ID_MARK);
    if (!thread(engine, p, in, sight, &theirs, error))
        return false;
    set_vars(engine, p, in->vars);
    event_expand(sight->form, in->vars, &subject, &p->text);
    add_model(config, p);
    compose_text(p->mail, p->text);
    if (!compose_from(p->mail, NULL, p->from_address, error) ||
        !set_subject(p, theirs, subject, error) || !set_headers(p, in->vars, error))
        return false;
    for (guint i = 0; i < p->to->len; i++)
        if (!compose_to(p->mail, NULL, workflow_address(config, g_ptr_array_index(p->to, i)),
                        error))
            return false;
    return true;
}

bool
event_parent(Engine *engine, EventType type, const Cycle *c, char **ret, GError **error)
{
    g_autoptr(FlowEvent) last = NULL;

    *ret = NULL;
    if (type == EVENT_REVIEW_REQUEST || (type != EVENT_APPROVAL && !is_open(c)))
        return true;
    if (!flow_event_last(engine->db, c->id, &last, error))
        return false;
    *ret = g_strdup(last ? last->msgid : c->msgid);
    return true;
}

/* What it answers: what was said, else the newest of its cycle. */
static bool
find_parents(Engine *engine, const EventNew *in, EventPlan *p, GError **error)
{
    g_autofree char *newest = NULL;

    if (answers(in)) {
        LIST_EACH(const char, id, in->parents)
            g_ptr_array_add(p->parents, g_strdup(id));
        return true;
    }
    if (in->apart || !p->joins || !p->cycle)
        return true;
    if (!event_parent(engine, p->type, p->cycle, &newest, error))
        return false;
    if (newest)
        g_ptr_array_add(p->parents, g_steal_pointer(&newest));
    return true;
}

bool
event_plan(Engine *engine, const EventNew *in, EventPlan **ret, GError **error)
{
    g_autoptr(EventPlan) p = g_new0(EventPlan, 1);
    g_autoptr(EventSight) now =
        in->sight ? NULL : event_sight_new(engine, in->type, in->path, NULL);
    const EventSight *sight = in->sight ? in->sight : now;

    p->type = in->type;
    p->from = g_strdup(workflow_who(engine->home->config, in->from));
    p->to = g_ptr_array_new_with_free_func(g_free);
    p->parents = g_ptr_array_new_with_free_func(g_free);
    p->state = g_strdup("");
    p->digest = g_strdup("");
    p->deputy = g_strdup(in->deputy ? in->deputy : "");
    p->agent = in->agent;
    if (!event_vars_check(in->vars, in->type, error) || !find_people(engine, in, p, error) ||
        !plan_artifact(engine, in, sight, p, error) || !find_parents(engine, in, p, error))
        return false;
    const EventKind *kind = &event_kinds[p->type];
    p->question = kind->asks ? event_question_digest(event_var(in->vars, kind->needs)) : g_strdup("");
    if (!compose(engine, in, sight, p, error))
        return false;
    *ret = g_steal_pointer(&p);
    return true;
}

char *
event_plan_words(const EventPlan *p)
{
    return g_strdup_printf(p->move.to ? "the %s of '%s', which goes to '%s'" : "the %s of '%s'",
                           event_kinds[p->type].name, p->place.name, p->move.to);
}

/* --- rows --- */

static bool
put_cycle(Txn *txn,
          const EventPlan *p,
          ArtifactId artifact,
          const char *msgid,
          CycleId *io,
          GError **error)
{
    g_autofree char *to = join_recipients(p), *by = event_by(p->from, p->deputy);

    if (p->closes)
        return cycle_close(txn, *io, p->closes, by, msgid, error);
    if (p->renews)
        return cycle_renew(txn, *io, p->digest, error);
    if (p->type != EVENT_REVIEW_REQUEST)
        return true;
    const Cycle c = {.artifact = artifact,
                     .msgid = (char *)msgid,
                     .author = p->from,
                     .reviewers = to,
                     .digest = p->digest};
    if (is_open(p->cycle) &&
        !cycle_close(txn, p->cycle->id, "superseded", p->from, msgid, error))
        return false;
    return cycle_open(txn, &c, io, error);
}

static bool
put_event(Engine *engine,
          Txn *txn,
          const EventPlan *p,
          ArtifactId artifact,
          CycleId cycle,
          const char *msgid,
          GError **error)
{
    g_autofree char *to = join_recipients(p);
    g_autoptr(FlowEvent) last = NULL;
    EventId id;

    if (p->about && !flow_event_newest(txn->db, artifact, &last, error))
        return false;
    const FlowEvent e = {.type = (char *)event_kinds[p->type].name,
                         .artifact = artifact,
                         .cycle = cycle,
                         .msgid = (char *)msgid,
                         .sender = p->from,
                         .recipients = to,
                         .state = p->state,
                         .digest = p->digest,
                         .question = p->question};
    return flow_event_put(txn, &e, &id, error) &&
           (p->type != EVENT_ANSWER || flow_event_answers(txn, p->parents, msgid, error)) &&
           supervise_event(engine, txn, &e,
                           p->about && (last ? !g_str_equal(last->digest, p->digest)
                                              : p->type == EVENT_REVIEW_REQUEST),
                           error);
}

/* What was decided without a move is on file at once; a move first has to be done. */
static bool
put_review(Txn *txn, const EventPlan *p, CycleId cycle, EffectId after, GError **error)
{
    g_autoptr(Cycle) c = NULL;
    g_autoptr(Artifact) a = NULL;

    if (!p->closes || after.v)
        return true;
    return cycle_load(txn->db, cycle, &c, error) &&
           artifact_load(txn->db, c->artifact, &a, error) &&
           review_record(txn, p->place.said_root, a, c, error);
}

const char *
event_plan_name(const EventPlan *p)
{
    return p->about ? p->place.name : NULL;
}

ProposedMail *
event_plan_mail(const Engine *engine, const EventPlan *p)
{
    ProposedMail *mail = proposed_mail_new();

    for (guint i = 0; i < p->to->len; i++)
        g_ptr_array_add(mail->to, g_strdup(workflow_address(engine->home->config,
                                                            g_ptr_array_index(p->to, i))));
    mail->subject = g_strdup(compose_get_subject(p->mail));
    mail->body = g_strdup(p->text);
    LIST_EACH(const char, id, p->parents)
        proposed_mail_answer(mail, id);
    return mail;
}

bool
event_plan_say(EventPlan *p, const char *subject, const char *body, GError **error)
{
    if (body)
        compose_text(p->mail, body);
    return !subject || compose_subject(p->mail, subject, error);
}

static Post
post_of(const Engine *engine, const EventPlan *p, const EventBy *by)
{
    Post post = {.level = post_level_of(engine, p->from_address),
                 .mailbox = config_mailbox_at(engine->home->config, p->from_address)};

    if (by) {
        post.job = by->job->id;
        post.round = by->job->round;
        post.step = by->step;
        post.floor = &by->floor;
    }
    return post;
}

bool
event_commit(Engine *engine,
             Txn *txn,
             const EventPlan *p,
             const EventBy *by,
             char **ret_msgid,
             GError **error)
{
    ArtifactId artifact = {0};
    CycleId cycle = p->joins && p->cycle ? p->cycle->id : (CycleId){0};
    Post post = post_of(engine, p, by);
    g_autofree char *msgid = NULL;

    if (p->about &&
        (!artifact_move_commit(txn, &p->move, p->artifact, &artifact, &post.after, error) ||
         (!post.after.v && !file_effect_last(txn->db, p->place.said_root, p->place.name,
                                             &post.after, error))))
        return false;
    if (!post_compose(engine, txn, MAIL_EVENT, p->mail, &post, NULL, &msgid, error) ||
        !put_cycle(txn, p, artifact, msgid, &cycle, error) ||
        (p->about && artifact_has_claim(p->place.kind, p->type) &&
         !artifact_set_author(txn, artifact, p->from, error)) ||
        !put_event(engine, txn, p, artifact, cycle, msgid, error) ||
        !put_review(txn, p, cycle, p->move.to && !p->move.by_hand ? post.after : (EffectId){0}, error))
        return false;
    *ret_msgid = g_steal_pointer(&msgid);
    return true;
}
