#include "engine/in/judge.h"
#include "mail/maildir.h"
#include "mail/message.h"
#include "mail/origin.h"
#include "mail/parents.h"
#include "workflow/artifact_place.h"
#include "workflow/event_answer.h"
#include "workflow/flow_past_internal.h"
#include "workflow/panel.h"

void
past_event_free(PastEvent *e)
{
    event_mark_clear(&e->mark);
    free_all(e->msgid, e->name, e->state);
    g_ptr_array_unref(e->parents);
    g_hash_table_unref(e->places);
    g_free(e);
}

void
past_ask_free(PastAsk *a)
{
    free_all(a->panel, a->msgid, a->text, a);
}

PastPlace
past_place(const PastEvent *e, const char *mailbox)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(e->places, mailbox));
}

/* --- one mail --- */

/* A mailbox that is read. */
typedef struct Reader {
    const Engine *engine;
    const char *mailbox;
    GHashTable *events; /* msgid -> PastEvent */
    GHashTable *ended;  /* set of msgid */
    PastAsks *asks;
    bool panel; /* the mailbox is a panel's */
} Reader;

/* Most mail is nothing that counts, and need not be parsed to know that. */
static bool
names(GBytes *bytes, const char *header)
{
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len), *end = memmem(data, len, "\n\n", 2);

    return memmem(data, end ? (size_t)(end - data) : len, header, strlen(header)) != NULL;
}

/* What the mail of a version before the header tells. */
static void
mark_by_type(const Config *config, EventType type, const Message *m, EventMark *ret)
{
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    bool asks = event_kinds[type].asks;

    const char *from = m->from ? workflow_name_at(config, m->from->spec) : NULL;

    LIST_EACH(const Address, a, m->to) {
        const char *name = workflow_name_at(config, a->spec);
        g_ptr_array_add(to, (char *)(name ? name : ""));
    }
    g_ptr_array_add(to, NULL);
    *ret = (EventMark){.deed = event_deed_of(type),
                       .from = g_strdup(from ? from : ""),
                       .to = g_strjoinv(",", (char **)to->pdata),
                       .digest = g_strdup(""),
                       .question = g_strdup(asks ? m->id : ""),
                       .deputy = g_strdup("")};
}

static PastEvent *
event_of(const Reader *r, const Message *m)
{
    const Config *config = r->engine->home->config;
    const char *said = message_header(m, "X-Event-Type"), *mark = message_header(m, EVENT_MARK);
    const char *name = message_header(m, "X-Artifacts"),
               *state = message_header(m, "X-Workflow-State");
    EventType type;

    if (!said || !event_type_parse(said, &type, NULL))
        return NULL;
    PastEvent *e = g_new0(PastEvent, 1);
    *e = (PastEvent){.type = type,
                     .msgid = g_strdup(m->id),
                     .name = g_strdup(name ? name : ""),
                     .state = g_strdup(state ? state : ""),
                     .parents = parents_of(m),
                     .at_us = m->date_us,
                     .places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    (void)msgid_read(&r->engine->home->key, m->id, config->domain, &e->minted);
    if (!mark || !event_mark_parse(mark, &e->mark))
        mark_by_type(config, type, m, &e->mark);
    return e;
}

/* A reply in plain words somewhere below an event. It came after what it replies to. */
static PastEvent *
reply_of(const Reader *r, const Message *m)
{
    const Home *home = r->engine->home;
    g_auto(EventAnswer) a = {0};
    Minted newest = {0}, one;

    for (guint i = 0; i < m->references->len; i++)
        if (msgid_read(&home->key, m->references->pdata[i], home->config->domain, &one) &&
            minted_compare(&one, &newest) > 0)
            newest = one;
    if (!newest.number || !event_answer_read(home, m, &a))
        return NULL;
    PastEvent *e = g_new0(PastEvent, 1);
    *e = (PastEvent){.minted = newest,
                     .plain = true,
                     .type = *a.question ? EVENT_QUESTION : EVENT_ANSWER,
                     .mark = {.from = g_steal_pointer(&a.from),
                              .to = g_steal_pointer(&a.to),
                              .digest = g_strdup(""),
                              .question = g_steal_pointer(&a.question)},
                     .msgid = g_steal_pointer(&a.msgid),
                     .name = g_strdup(""),
                     .state = g_strdup(""),
                     .parents = g_steal_pointer(&a.parents),
                     .at_us = m->date_us,
                     .places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    (void)msgid_read(&home->key, m->id, home->config->domain, &e->minted);
    return e;
}

/* Of a mail from outside the server that took it in says who wrote it. */
static bool
is_from_person(const Reader *r, const Message *m)
{
    const ConfRole *role = config_role(r->engine->home->config, r->mailbox);
    Judgement j;

    if (!role || role->person)
        return false;
    judge(r->engine->home, role, m, true, &j);
    return j.state == MSG_STORED && j.trust >= TRUST_PRINCIPAL;
}

static PastPlace
place_of(const MaildirEntry *e)
{
    return *e->folder == '\0' ? e->in_new ? PAST_UNREAD : PAST_READ
           : g_str_equal(e->folder, "Active") ? PAST_READ
                                              : PAST_FILED;
}

/* Only the operator asks a panel so, and what it has dealt with is filed. */
static void
take_ask(Reader *r, const MaildirEntry *entry, const Message *m, const OriginClaim *origin)
{
    if (place_of(entry) == PAST_FILED || origin->level != TRUST_OPERATOR || !m->text ||
        *m->text != '{')
        return;
    PastAsk *a = g_new0(PastAsk, 1);
    *a = (PastAsk){g_strdup(r->mailbox), g_strdup(m->id), g_strdup(m->text)};
    past_asks_add(r->asks, a);
}

/* Each once, and where its copies lie. */
static void
keep(Reader *r,
     const MaildirEntry *entry,
     const Message *m,
     PastEvent *(*make)(const Reader *r, const Message *m))
{
    PastEvent *e = g_hash_table_lookup(r->events, m->id);

    if (!e && (e = make(r, m)))
        g_hash_table_insert(r->events, e->msgid, e);
    if (e)
        g_hash_table_replace(e->places, g_strdup(r->mailbox),
                             GINT_TO_POINTER(MAX(place_of(entry), past_place(e, r->mailbox))));
}

static bool
take(void *user, const MaildirEntry *entry, GBytes *bytes, GError **error)
{
    Reader *r = user;
    const Home *home = r->engine->home;
    g_auto(OriginClaim) origin = {0};
    Minted minted;

    bool asks = r->panel && names(bytes, "\nSubject: " PANEL_SUBJECT);
    bool replies = names(bytes, "\nIn-Reply-To: ");
    if (!asks && !replies && !names(bytes, "\nX-Event-Type: ") &&
        !names(bytes, "\n" PANEL_MARK ": "))
        return true;
    g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_TEXT);
    bool proved = m && origin_check(&home->key, m, r->mailbox, &origin) == ORIGIN_PROVED;
    if (replies && m && (proved ? origin.level >= TRUST_ROLE : is_from_person(r, m)))
        keep(r, entry, m, reply_of);
    if (!proved)
        return true;
    if (asks)
        take_ask(r, entry, m, &origin);
    if (!msgid_read(&home->key, m->id, home->config->domain, &minted))
        return true;
    const char *request = message_header(m, PANEL_MARK);
    char *ended = request && minted.kind == MAIL_NOTICE ? msgid_parse(request) : NULL;
    if (ended)
        g_hash_table_add(r->ended, ended);
    if (minted.kind == MAIL_EVENT)
        keep(r, entry, m, event_of);
    return true;
}

/* --- all mailboxes --- */

static bool
read_mailbox(Reader *r, const char *mailbox, GError **error)
{
    const Home *home = r->engine->home;
    g_autoptr(Maildir) md = NULL;
    g_autoptr(GPtrArray) folders = NULL;

    r->mailbox = mailbox;
    r->panel = g_str_equal(mailbox, PANEL_ROLE) || config_panel(home->config, mailbox);
    if (!maildir_open(home->mail_fd, mailbox, false, &md, NULL))
        return true; /* nobody has written to it */
    if (!maildir_folders(md, &folders, error) ||
        !maildir_each(md, "", home->config->max_message, take, r, error))
        return false;
    LIST_EACH(const char, folder, folders) {
        if (!maildir_each(md, folder, home->config->max_message, take, r, error))
            return false;
    }
    return true;
}

static int
by_id(gconstpointer a, gconstpointer b)
{
    const PastEvent *one = *(const PastEvent *const *)a, *other = *(const PastEvent *const *)b;
    int order = minted_compare(&one->minted, &other->minted);

    return order ? order : one->plain - other->plain;
}

bool
past_read_events(Engine *engine,
                 PastEvents **ret,
                 PastAsks **ret_asks,
                 GHashTable **ret_ended,
                 GError **error)
{
    const Config *config = engine->home->config;
    g_autoptr(GHashTable) events = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) ended = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(PastAsks) asks = past_asks_new();
    Reader r = {.engine = engine, .events = events, .ended = ended, .asks = asks};
    bool ok = config_role(config, PANEL_ROLE) || read_mailbox(&r, PANEL_ROLE, error);

    for (unsigned i = 0; i < config->n_roles && ok; i++)
        ok = read_mailbox(&r, config->roles[i].name, error);
    for (unsigned i = 0; i < config->n_persons && ok; i++)
        ok = !config->persons[i].local || config_role(config, config->persons[i].name) ||
             read_mailbox(&r, config->persons[i].name, error);
    PastEvents *all = past_events_new();
    GHashTableIter each;
    gpointer e;
    g_hash_table_iter_init(&each, events);
    while (g_hash_table_iter_next(&each, NULL, &e))
        past_events_add(all, e);
    g_ptr_array_sort(LIST_ARRAY(all), by_id);
    if (!ok) {
        past_events_free(all);
        return false;
    }
    *ret = all;
    *ret_asks = g_steal_pointer(&asks);
    *ret_ended = g_steal_pointer(&ended);
    return true;
}
