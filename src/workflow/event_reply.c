#include "workflow/event_reply.h"
#include "mail/parents.h"
#include "mail/quote.h"
#include "store/out/outbox.h"

static const struct {
    const char *word;
    EventType type;
    bool reasoned; /* a colon and why must follow */
} words[] = {
    {"APPROVE", EVENT_APPROVAL, false},
    {"REJECT", EVENT_REJECTION, true},
    {"REVISE", EVENT_REJECTION, true},
    {"BLOCKED", EVENT_BLOCKER_REPORT, true},
};

/* *ret_why: what stands behind the colon; caller frees. */
static bool
read_line(const char *line, EventType *ret, char **ret_why)
{
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        size_t len = strlen(words[i].word);
        const char *rest = line + len;
        if (g_ascii_strncasecmp(line, words[i].word, len) != 0)
            continue;
        rest += strspn(rest, " \t");
        if (words[i].reasoned ? *rest != ':' : rest[strspn(rest, ".!")] != '\0')
            continue;
        *ret = words[i].type;
        *ret_why = g_strstrip(g_strdup(words[i].reasoned ? rest + 1 : ""));
        return true;
    }
    return false;
}

/* The name that the workflow knows a person by; NULL: the sender is none. Borrowed. */
static const char *
person_of(const Config *config, const char *address)
{
    return config_is_person(config, address) ? workflow_name_at(config, address) : NULL;
}

/* The event that the mail answers, and its artifact with the review that is open; *ret_a NULL: there is none. */
static bool
find_event(Engine *engine,
           const Message *m,
           FlowEvent **ret_e,
           Artifact **ret_a,
           Cycle **ret_c,
           GError **error)
{
    if (!m->in_reply_to || !flow_event_find(engine->db, m->in_reply_to, ret_e, error))
        return m->in_reply_to == NULL;
    if (!*ret_e || !(*ret_e)->artifact.v)
        return true;
    return artifact_load(engine->db, (*ret_e)->artifact, ret_a, error) &&
           (!*ret_a || cycle_load(engine->db, (*ret_a)->cycle, ret_c, error));
}

static EventVars *
vars_of(EventType type, const char *why, const char *rest)
{
    EventVars *vars = event_vars_new();
    const char *needs = event_kinds[type].needs;
    g_autofree char *all = g_strjoin("\n", why, rest, NULL);

    event_vars_set(vars, needs ? needs : "REVIEWER_COMMENTS", g_strstrip(all));
    return vars;
}

static bool
goes_to(const Addresses *list, const char *address)
{
    LIST_EACH(const Address, a, list)
        if (address_equal(a->spec, address))
            return true;
    return false;
}

/* Is it here that this reply decides? One to an agent does where the agent's mailbox is taken in, one to a person, whose mailbox is
 * not, on its way; what went by neither, since a person wrote it elsewhere, where anybody takes it in. */
static bool
decides_here(Engine *engine, const FlowEvent *e, const Message *m, bool on_way, bool *ret, GError **error)
{
    const Config *config = engine->home->config;
    const char *asker = workflow_address(config, e->sender);
    g_autoptr(OutRow) own = NULL;
    bool person = asker && config_is_person(config, asker);

    *ret = on_way ? person && (goes_to(m->to, asker) || goes_to(m->cc, asker)) : !person;
    if (on_way || !person)
        return true;
    if (!outbox_find(engine->db, &VIEWER_OPERATOR, m->id, &own, error))
        return false;
    *ret = !own;
    return true;
}

bool
event_reply(Engine *engine,
            Trust trust,
            const Message *m,
            bool on_way,
            bool *ret,
            EventPlan **ret_plan,
            char **ret_why,
            GError **error)
{
    g_autofree char *first = m->text ? quote_first_line(m->text) : NULL, *why = NULL,
                    *parent = NULL;
    g_autoptr(FlowEvent) e = NULL;
    g_autoptr(Artifact) a = NULL;
    g_autoptr(Cycle) c = NULL;
    g_autoptr(GError) refused = NULL;
    EventType type;
    bool here;

    *ret = false;
    const char *from = m->from ? person_of(engine->home->config, m->from->spec) : NULL;
    if (trust < TRUST_PRINCIPAL || !from || !first || !read_line(first, &type, &why))
        return true;
    if (!find_event(engine, m, &e, &a, &c, error))
        return false;
    if (!a || (type != EVENT_BLOCKER_REPORT && (!c || e->cycle.v != c->id.v)))
        return true;
    if (!decides_here(engine, e, m, on_way, &here, error))
        return false;
    if (!here)
        return true;
    if (c && !event_parent(engine, type, c, &parent, error))
        return false;
    const EventSight *sight = event_sight_get(engine, type, a->name, parent, error);
    if (!sight)
        return false;
    *ret = true;
    g_autoptr(GPtrArray) parents = parents_of(m);
    if (parents->len > 1) {
        *ret_why = g_strdup("it answers several mails; reply to one of them");
        return true;
    }
    g_autofree char *rest = quote_after_first_line(m->text);
    g_autoptr(EventVars) vars = vars_of(type, why, rest);
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    g_ptr_array_add(to, type == EVENT_BLOCKER_REPORT   ? (char *)workflow_coordinator(engine)
                        : g_str_equal(from, c->author) ? c->reviewers
                                                       : c->author);
    const EventNew in = {.type = type,
                         .path = a->name,
                         .from = from,
                         .to = to,
                         .vars = vars,
                         .sight = sight};
    if (!event_plan(engine, &in, ret_plan, &refused))
        *ret_why = g_strdup(refused->message);
    return true;
}
