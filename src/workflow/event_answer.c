#include "workflow/event_answer.h"
#include "engine/in/orders.h"
#include "mail/msgid.h"
#include "mail/parents.h"
#include "mail/quote.h"
#include "workflow/artifact_place.h"
#include "workflow/event_kind.h"

void
event_answer_clear(EventAnswer *a)
{
    free_all(a->msgid, a->from, a->to, a->question);
    g_clear_pointer(&a->parents, g_ptr_array_unref);
}

/* --- the mail --- */

/* What a person or role wrote, and not the runtime, or a machine. */
static bool
is_own_word(const Home *home, const Message *m)
{
    Minted minted;

    if (!msgid_read(&home->key, m->id, home->config->domain, &minted) ||
        minted.kind == MAIL_LETTER)
        return m->automatic == MSG_AUTO_NO;
    return minted.kind == MAIL_ANSWER || minted.kind == MAIL_INTERIM;
}

/* A person's STOP is for the runtime. */
static bool
is_order(const Config *config, const Message *m)
{
    g_auto(Order) order = {0};

    if (config_is_person(config, m->from->spec))
        order_parse(m, true, &order);
    return order.kind != ORDER_NONE;
}

/* The names of those whom it goes to; caller frees. */
static char *
names_of(const Config *config, const Message *m)
{
    const Addresses *const lists[] = {m->to, m->cc};
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        LIST_EACH(const Address, a, lists[i]) {
            const char *name = workflow_name_at(config, a->spec);
            if (name && !g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
                g_ptr_array_add(names, (char *)name);
        }
    }
    g_ptr_array_add(names, NULL);
    return g_strjoinv(",", (char **)names->pdata);
}

bool
event_answer_read(const Home *home, const Message *m, EventAnswer *ret)
{
    const char *from = m->from ? workflow_name_at(home->config, m->from->spec) : NULL;

    if (!m->in_reply_to || !from || !is_own_word(home, m) || is_order(home->config, m))
        return false;
    g_autofree char *words = quote_own_text(m->text ? m->text : "");
    *ret = (EventAnswer){.msgid = g_strdup(m->id),
                         .from = g_strdup(from),
                         .to = names_of(home->config, m),
                         .question = g_str_has_suffix(g_strchomp(words), "?")
                                         ? event_question_digest(words)
                                         : g_strdup(""),
                         .parents = parents_of(m)};
    return true;
}

/* --- what it answers --- */

static bool
has_name(const char *names, const char *name)
{
    g_auto(GStrv) all = g_strsplit(names, ",", -1);

    return g_strv_contains((const char *const *)all, name);
}

static bool
is_for(const Engine *engine, const FlowEvent *e, const EventAnswer *a, AnswerTo to, const char *role)
{
    const ConfRole *asker = config_role(engine->home->config, e->sender);
    bool agent = asker && !asker->person;
    bool heard = to == ANSWER_TO_ANY || !agent ||
                 (to == ANSWER_TO_AGENT && g_str_equal(role, e->sender));

    return heard && *e->question && !*e->answer && has_name(a->to, e->sender) &&
           (has_name(e->recipients, a->from) ||
            g_str_equal(a->from, workflow_coordinator(engine)));
}

/* The questions among its parents that it answers; *ret_first: the first, NULL: none. */
static bool
find_questions(Engine *engine,
               const EventAnswer *a,
               AnswerTo to,
               const char *role,
               GPtrArray *ids,
               FlowEvent **ret_first,
               GError **error)
{
    LIST_EACH(const char, id, a->parents) {
        g_autoptr(FlowEvent) e = NULL;
        if (!flow_event_find(engine->db, id, &e, error))
            return false;
        if (!e || !is_for(engine, e, a, to, role))
            continue;
        g_ptr_array_add(ids, (char *)id);
        if (!*ret_first)
            *ret_first = g_steal_pointer(&e);
    }
    return true;
}

bool
event_answer_put(Engine *engine,
                 Txn *txn,
                 const EventAnswer *a,
                 AnswerTo to,
                 const char *role,
                 FlowEvent **ret,
                 GError **error)
{
    g_autoptr(GPtrArray) ids = g_ptr_array_new();
    g_autoptr(FlowEvent) asked = NULL, known = NULL;
    g_autoptr(Artifact) artifact = NULL;
    EventId id;

    if (ret)
        *ret = NULL;
    if (!flow_event_find(engine->db, a->msgid, &known, error) ||
        !find_questions(engine, a, to, role, ids, &asked, error))
        return false;
    if (!asked)
        return true;
    if (known) /* of a mail to several askers: another mailbox has written the event */
        return flow_event_answers(txn, ids, a->msgid, error);
    if (!artifact_load(engine->db, asked->artifact, &artifact, error))
        return false;
    const EventType type = *a->question ? EVENT_QUESTION : EVENT_ANSWER;
    const FlowEvent e = {.type = (char *)event_kinds[type].name,
                         .artifact = asked->artifact,
                         .cycle = asked->cycle,
                         .msgid = a->msgid,
                         .sender = a->from,
                         .recipients = a->to,
                         .state = artifact ? artifact->state : asked->state,
                         .digest = (char *)"",
                         .question = a->question,
                         .at_us = a->at_us};
    return flow_event_put(txn, &e, &id, error) && flow_event_answers(txn, ids, a->msgid, error) &&
           (!ret || flow_event_find(txn->db, a->msgid, ret, error));
}
