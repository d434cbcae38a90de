#include "engine/permit/permit.h"
#include "base/crash.h"
#include "base/digest.h"
#include "base/proc.h"
#include "engine/people/hold.h"
#include "engine/permit/asked_call.h"
#include "engine/permit/permit_answer.h"
#include "store/job/permits.h"

/* A person can't judge more than this; it would not be read to its end. */
#define SHOWN_MAX (256u << 10)

struct PermitDesk {
    Engine *engine;
    const Job *job;
    const JobClaim *claim;
    const StepInput *in;
    const ConfRole *role;
    BrainKind client;
    PermitRules rules;
    PermitPlace place;
    ProposedCalls *asked;
    char *hook, *settings; /* as the brain is given them */
};

static BrainPermit
level_of(const ConfRole *role)
{
    return role->permissions == CONF_PERMIT_ALL    ? BRAIN_PERMIT_ALL
           : role->permissions == CONF_PERMIT_EDIT ? BRAIN_PERMIT_EDIT
                                                   : BRAIN_PERMIT_ASK;
}

/* True when this kind of program has a hook, or settings, by which it asks before it calls a
 * tool. */
static bool
can_ask(const ConfBrain *brain)
{
    return brain->kind == BRAIN_CLAUDE || brain->kind == BRAIN_CODEX ||
           brain->kind == BRAIN_OPENCODE;
}

PermitDesk *
permit_desk_new(Engine *engine,
                const Job *job,
                const JobClaim *claim,
                const StepInput *in,
                const ConfRole *role,
                const ConfBrain *brain,
                const Workplace *place)
{
    if (!can_ask(brain))
        return NULL;
    PermitDesk *desk = g_new0(PermitDesk, 1);
    *desk = (PermitDesk){
        .engine = engine,
        .job = job,
        .claim = claim,
        .in = in,
        .role = role,
        .client = brain->kind,
        .rules = {.level = level_of(role), .allow = role->allow},
        .place = {.root = place->cwd, .in = place->in, .out = place->out, .workdir = role->workdir},
        .asked = proposed_calls_new()};
    return desk;
}

void
permit_desk_free(PermitDesk *desk)
{
    if (!desk)
        return;
    proposed_calls_free(desk->asked);
    free_all(desk->hook, desk->settings, desk);
}

void
permit_reply_clear(PermitReply *r)
{
    g_clear_pointer(&r->reason, g_free);
    g_clear_pointer(&r->input, json_decref);
}

/* --- what the client is told --- */

static bool
allow(const PermitDesk *desk, PermitReply *ret)
{
    /* Codex knows no word for yes: it goes on where it hears nothing. */
    ret->decision = desk->client == BRAIN_CODEX ? "" : "allow";
    return true;
}

static bool deny(PermitReply *ret, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
static bool
deny(PermitReply *ret, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ret->decision = "deny";
    ret->reason = g_strdup_vprintf(fmt, args);
    va_end(args);
    return true;
}

/* --- what was granted --- */

/* Under the claim, and on disk before anything is allowed. */
static bool
use_answer(PermitDesk *desk, const Question *q, bool *ret_used, GError **error)
{
    bool used = false;
    CRASH_POINT("permit-before-use");
    g_auto(Txn) txn = {.db = desk->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, desk->claim, desk->in->deadline_us, error) &&
                 question_use(&txn, q->id, &used, error);
    if (!txn.done)
        return false;
    CRASH_POINT("permit-used");
    *ret_used = used;
    return true;
}

static bool
use_standing(PermitDesk *desk, const PermitCall *call, bool *ret_used, GError **error)
{
    bool used = false;
    g_autofree char *covers = permit_covers(&desk->place, call);
    g_autofree char *folder = permit_folder(&desk->place, call);
    const Permit wanted = {.role = (char *)desk->role->name,
                           .tool = (char *)call->tool,
                           .what = (char *)permit_covers_what(call),
                           .covers = covers,
                           .folder = folder};
    g_auto(Txn) txn = {.db = desk->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, desk->claim, desk->in->deadline_us, error) &&
                 permit_use(&txn, &wanted, &used, error);
    if (!txn.done)
        return false;
    CRASH_POINT("permit-counted");
    *ret_used = used;
    return true;
}

/* A yes to a question of the agent's is its answer. */
static bool
allow_answered(const PermitDesk *desk, const Question *q, PermitReply *ret, GError **error)
{
    g_auto(AskedCall) c = {0};
    if (!asked_call_read(q->payload, &c, error))
        return false;
    if (c.is_question)
        ret->input = permit_answers(c.call.input, q->why ? q->why : "");
    return allow(desk, ret);
}

/* The newest question about exactly this call. *ret_new: the call is to be asked about. */
static bool
by_question(
    PermitDesk *desk, const Question *q, PermitReply *ret, bool *ret_new, GError **error)
{
    bool used = false;
    *ret_new = false;
    switch (q->state) {
    case QUESTION_OPEN:
        return deny(ret,
                    "Still waits for a person's yes. The question is open; do not ask again. Do "
                    "without this call now, or end your turn.");
    case QUESTION_APPROVED:
        if (!q->used_us && !use_answer(desk, q, &used, error))
            return false;
        *ret_new = !used;
        return !used || allow_answered(desk, q, ret, error);
    case QUESTION_REJECTED:
        if (!q->used_us && !use_answer(desk, q, &used, error))
            return false;
        *ret_new = !used && q->round < desk->job->round;
        return *ret_new || deny(ret, "%s said no to this call%s%s", q->who ? q->who : "A person",
                                q->why ? ": " : ".", q->why ? q->why : "");
    case QUESTION_VOID:
    case QUESTION_N_STATES:
        break;
    }
    *ret_new = true;
    return true;
}

/* --- what is asked --- */

static ProposedCall *
find_asked(const PermitDesk *desk, const Digest *digest)
{
    LIST_EACH(ProposedCall, c, desk->asked)
        if (digest_equal(&c->digest, digest))
            return c;
    return NULL;
}

static void
put_down(PermitDesk *desk, const PermitCall *call, const PermitVerdict *v)
{
    ProposedCall *c = g_new0(ProposedCall, 1);
    c->doc = asked_call_json(&desk->place, call, v, desk->role->name, brain_kind_word(desk->client));
    asked_call_digest(desk->job->id, call, &c->digest);
    proposed_calls_add(desk->asked, c);
}

static bool
put_to_person(PermitDesk *desk, const PermitCall *call, const PermitVerdict *v, PermitReply *ret, GError **error)
{
    Digest digest;
    const char *too_many;
    asked_call_digest(desk->job->id, call, &digest);
    bool again = find_asked(desk, &digest) != NULL;
    if (!again && desk->asked->len > 0 && desk->client == BRAIN_CLAUDE)
        return deny(ret, "One at a time: another call of yours waits for a person's yes, and "
                         "nobody was asked about this one. Make it again when that one is "
                         "decided.");
    if (!hold_may_ask(desk->engine, desk->job->id, &too_many, error))
        return false;
    g_autofree char *text = json_format(call->input);
    if (!again && too_many)
        return deny(ret, "Not allowed: %s", too_many);
    if (!again && strlen(text) > SHOWN_MAX)
        return deny(ret, "Not allowed: a person would have to say yes, and nobody reads so much. "
                         "Do it in smaller steps.");
    if (!again)
        put_down(desk, call, v);
    if (desk->client == BRAIN_CLAUDE) {
        ret->decision = "defer";
        return true;
    }
    return deny(ret, "This needs a person's yes (%s), who is asked by mail as soon as you end your "
                     "turn. Nothing has happened. End your turn now; when you go on you are told "
                     "the answer, and with a yes exactly this call passes.",
                v->why);
}

bool
permit_decide(PermitDesk *desk, const PermitCall *call, PermitReply *ret, GError **error)
{
    PermitVerdict v = permit_judge(&desk->rules, &desk->place, call);
    g_autoptr(Question) q = NULL;
    Digest digest;
    bool is_new = true, used = false;
    if (v.answer == PERMIT_YES)
        return allow(desk, ret);
    if (v.answer == PERMIT_NO)
        return deny(ret, "Not allowed: %s.", v.why);
    asked_call_digest(desk->job->id, call, &digest);
    if (!question_newest(desk->engine->db, desk->job->id, &digest, &q, error) ||
        (q && !by_question(desk, q, ret, &is_new, error)))
        return false;
    if (!is_new)
        return true;
    if (!v.each_time && !use_standing(desk, call, &used, error))
        return false;
    return used ? allow(desk, ret) : put_to_person(desk, call, &v, ret, error);
}

/* --- before the program starts --- */

/* Tells opencode of a yes: an exact pattern, which is used up by this. */
static bool
grant_pattern(PermitDesk *desk, const Question *q, json_t *bash, GError **error)
{
    g_auto(AskedCall) c = {0};
    bool used;
    if (q->state != QUESTION_APPROVED)
        return true;
    if (!asked_call_read(q->payload, &c, error) || !use_answer(desk, q, &used, error))
        return false;
    if (used && !asked_call_ungrantable(&c))
        json_object_set_new(bash, c.covers, json_string("allow"));
    return true;
}

/* Adds the patterns that were allowed for always. opencode does not say when it makes use of
 * one, so the uses are not counted. */
static bool
grant_standing(const PermitDesk *desk, json_t *bash, GError **error)
{
    g_autoptr(Permits) standing = NULL;
    const PermitCall shell = {.tool = "bash"};
    g_autofree char *folder = permit_folder(&desk->place, &shell);
    if (!permits_list(desk->engine->db, false, &standing, error))
        return false;
    LIST_EACH(const Permit, p, standing)
        if (g_str_equal(p->role, desk->role->name) && g_str_equal(p->tool, shell.tool) &&
            g_str_equal(p->folder, folder) && p->left < 0 && p->until_us == USEC_NEVER)
            json_object_set_new(bash, p->covers, json_string("allow"));
    return true;
}

/* The last pattern that fits counts, so what is always asked stands behind all others. */
static void
add_protected(json_t *rules)
{
    static const char *const behind[] = {"", "/*", " *"};
    for (const char *const *name = permit_protected(); *name; name++) {
        for (size_t i = 0; i < G_N_ELEMENTS(behind); i++) {
            g_autofree char *pattern = g_strdup_printf("*%s%s", *name, behind[i]);
            json_object_set_new(rules, pattern, json_string("ask"));
        }
    }
}

static char *
opencode_rules(PermitDesk *desk, GError **error)
{
    static const char *const reading[] = {"read", "glob", "grep",     "list",
                                          "task", "lsp",  "todowrite", "todoread"};
    bool all = desk->rules.level == BRAIN_PERMIT_ALL;
    bool edits = desk->rules.level != BRAIN_PERMIT_ASK;
    g_autoptr(json_t) bash = json_pack("{s:s}", "*", all ? "allow" : "ask");
    g_autoptr(json_t) edit = json_pack("{s:s}", "*", edits ? "allow" : "ask");
    g_autoptr(json_t) doc = json_pack("{s:s}", "*", "ask");
    g_autoptr(Questions) decided = NULL;
    for (const char *const *p = desk->role->allow; p && *p; p++)
        json_object_set_new(bash, *p, json_string("allow"));
    add_protected(edit);
    add_protected(bash);
    if (!grant_standing(desk, bash, error) ||
        !questions_unused(desk->engine->db, desk->job->id, &decided, error))
        return NULL;
    LIST_EACH(const Question, q, decided)
        if (!grant_pattern(desk, q, bash, error))
            return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(reading); i++)
        json_object_set_new(doc, reading[i], json_string("allow"));
    /* Tools of `postrider mcp`: permit_judge() says why. */
    json_object_set_new(doc, "postrider_*", json_string("allow"));
    json_object_set_new(doc, "postrider_todo_update", json_string(all ? "allow" : "deny"));
    json_object_set_new(doc, "webfetch", json_string(all ? "allow" : "ask"));
    json_object_set_new(doc, "external_directory", json_string("ask"));
    json_object_set(doc, "edit", edit);
    json_object_set(doc, "bash", bash);
    return json_format(doc);
}

bool
permit_set_up(PermitDesk *desk, BrainAsk *ask, GError **error)
{
    ask->permit = desk->rules.level;
    if (desk->client == BRAIN_OPENCODE) {
        desk->settings = opencode_rules(desk, error);
        ask->rules = desk->settings;
        return desk->settings != NULL;
    }
    g_autofree char *front = proc_helper_path("postrider", error);
    if (!front)
        return false;
    g_autofree char *quoted = g_shell_quote(front);
    desk->hook = g_strdup_printf("%s hook pre-tool", quoted);
    ask->hook = desk->hook;
    return true;
}

/* --- at its end --- */

/* Keeps only the call with this id, which the port was asked about: the client kept it, and has
 * dropped the others. False: there is none. */
static bool
keep_asked(PermitDesk *desk, const char *id)
{
    bool found = false;
    for (guint i = desk->asked->len; i-- > 0;) {
        const ProposedCall *c = desk->asked->pdata[i];
        bool same = !found && *id &&
                    g_str_equal(json_string_value(json_object_get(c->doc, "id")), id);
        if (!same)
            g_ptr_array_remove_index(LIST_ARRAY(desk->asked), i);
        found |= same;
    }
    return found;
}

static bool
put_down_deferred(PermitDesk *desk, const BrainAnswer *answer, const json_t *doc)
{
    const char *tool = json_string_value(json_object_get(doc, "name"));
    const char *id = json_string_value(json_object_get(doc, "id"));
    const PermitCall call = {.tool = tool ? tool : "",
                             .input = json_object_get(doc, "input"),
                             .session = answer->session ? answer->session : "",
                             .id = id ? id : ""};
    if (!*call.tool || !json_is_object(call.input))
        return false;
    if (desk->client == BRAIN_CLAUDE && keep_asked(desk, call.id))
        return true;
    PermitVerdict v = permit_judge(&desk->rules, &desk->place, &call);
    if (v.answer != PERMIT_ASK)
        v = (PermitVerdict){PERMIT_ASK, "its client asks before it", false, false};
    put_down(desk, &call, &v);
    return true;
}

bool
permit_deferred(PermitDesk *desk, const BrainAnswer *answer, GError **error)
{
    g_autoptr(json_t) doc = NULL;
    bool none = !answer->deferred_call;
    /* Claude Code went on: it has dropped what it was to wait for. */
    if (none && desk->client == BRAIN_CLAUDE)
        g_ptr_array_set_size(LIST_ARRAY(desk->asked), 0);
    if (none)
        return true;
    if (!json_parse(answer->deferred_call, strlen(answer->deferred_call), 0, &doc, error))
        return err_prefix(error, "reading the call that waits");
    return put_down_deferred(desk, answer, doc) ||
           err_set(error, ERR_NEVER, "the program waits for a call that can't be read");
}

bool
permit_waits(const PermitDesk *desk)
{
    return desk && desk->asked->len > 0;
}

Proposal *
permit_propose(const PermitDesk *desk, const char *said)
{
    Proposal *p = proposal_new(PROPOSE_PARK);
    const ProposedCall *first = g_ptr_array_index(LIST_ARRAY(desk->asked), 0);
    bool question = json_is_true(json_object_get(first->doc, "is_question"));
    LIST_EACH(const ProposedCall, c, desk->asked) {
        ProposedCall *copy = g_new0(ProposedCall, 1);
        copy->doc = json_incref(c->doc);
        copy->digest = c->digest;
        proposed_calls_add(p->calls, copy);
    }
    p->calls_said = said && *said ? g_strdup(said) : NULL;
    p->waiting_for = g_strdup(question ? PERMIT_WAITS_ANSWER : PERMIT_WAITS_YES);
    return p;
}

bool
permit_keep_waiting(Engine *engine, const Job *job, Proposal *p, GError **error)
{
    g_autoptr(Questions) open = NULL;
    if (p->status != PROPOSE_COMPLETE || p->mails->len == 0)
        return true;
    if (!questions_later(engine->db, job->id, NULL, &open, error))
        return false;
    if (open->len == 0)
        return true;
    p->status = PROPOSE_PARK;
    p->waiting_for = g_strdup(PERMIT_WAITS_YES);
    return true;
}

bool
permit_resumes_bare(
    Engine *engine, const Job *job, const ConfBrain *brain, bool *ret, GError **error)
{
    g_autoptr(Questions) decided = NULL;
    *ret = false;
    if (brain->kind != BRAIN_CLAUDE)
        return true;
    if (!questions_unused(engine->db, job->id, &decided, error))
        return false;
    LIST_EACH(const Question, q, decided) {
        g_auto(AskedCall) c = {0};
        if (!asked_call_read(q->payload, &c, error))
            return false;
        bool more = q->state == QUESTION_APPROVED && q->why && !c.is_question;
        if (more || !g_str_equal(c.client, "claude") || c.step != job->steps) {
            *ret = false;
            return true;
        }
        *ret = true;
    }
    return true;
}
