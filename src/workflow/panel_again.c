#include "workflow/panel_again.h"
#include "base/crash.h"
#include "base/log.h"
#include "engine/in/release.h"
#include "engine/people/notice.h"
#include "engine/role.h"
#include "mail/address.h"
#include "store/mail/mailbox_visit.h"
#include "workflow/artifact_place.h"
#include "workflow/panel_write.h"

#define AGAIN_US USEC_PER_SEC

#define WORDS_LOST "The store that knew its ballots was lost"
#define WORDS_VOID                                                                             \
    WORDS_LOST " while %s had %s under review. That panel is void. Its members are asked "     \
               "anew about the same request; nobody has to do anything."
#define WORDS_SEND                                                                             \
    WORDS_LOST " while %s was to review %s, and its mailbox does not have the request. "       \
               "Nobody is asked before it is sent again: postrider notify review-request %s %s"
#define WORDS_ASKED                                                                            \
    WORDS_LOST                                                                                 \
        " while %s was %s %s. That panel is void, and nobody is asked again by itself: "       \
        "begin it anew with 'postrider panel %s'."
#define WORDS_REVISING                                                                         \
    WORDS_LOST " while %s was to revise %s. Its members are asked anew about the same "         \
               "rejection; nobody has to do anything."
#define WORDS_REVISE                                                                           \
    WORDS_LOST " while %s was to revise %s, and its mailbox does not have the rejection. By "   \
               "hand: postrider artifact write %s FILE, then: postrider notify review-request %s %s"
#define WORDS_UNSAID                                                                           \
    "The review of %s has ended: %s by %s. That is on file, and the mail that said so was "    \
    "lost with the store before it was delivered. Nothing is decided again."

/* Author and coordinator, in one mail, in the name of a role. */
static bool
tell(Engine *engine, Txn *txn, const char *role, const Cycle *c, const char *subject, const char *text, GError **error)
{
    const Config *config = engine->home->config;
    const char *coordinator = workflow_address(config, workflow_coordinator(engine));
    const char *author = config_panel(config, c->author) /* whom a mail would ask for something */
                             ? NULL
                             : workflow_address(config, c->author);
    const ConfRole *from = role ? role_find(engine, role) : NULL;
    g_autoptr(GPtrArray) others = g_ptr_array_new();

    if (!from)
        from = config_role_pick(config, NULL, NULL);
    if (!from)
        return true;
    if (author && coordinator && !address_equal(author, coordinator))
        g_ptr_array_add(others, (char *)coordinator);
    const Notice notice = {.role = from,
                           .to = author ? author : coordinator,
                           .others = others,
                           .subject = subject,
                           .text = text};
    return notice_post(engine, txn, &notice, NULL, error);
}

/* A row for lists: that it was there, and is void. Its terms are those of now; where the settings don't allow it any more, the mail
 * alone says it. */
static bool
put_void(Engine *engine, Txn *txn, const char *name, const Artifact *a, const Cycle *c, GError **error)
{
    g_autofree char *title = g_path_get_basename(a->name);
    const PanelAsk ask = {
        .name = name, .subject = title, .quorum = -1, .discuss = -1, .deadline_us = -1};
    g_autoptr(PanelRow) p = NULL;
    g_autoptr(PanelMembers) members = NULL;
    PanelId id;

    if (!panel_terms(engine, &ask, &p, &members, NULL))
        return true;
    g_free(p->artifact);
    p->artifact = g_strdup(a->name);
    p->cycle = c->id.v;
    p->asker = g_strdup(c->author);
    p->digest = g_strdup(c->digest);
    p->content = g_bytes_new_static("", 0);
    return panel_put(txn, p, members, &id, error) &&
           panel_void(txn, id, WORDS_LOST, error);
}

bool
panel_void_lost(Engine *engine,
                Txn *txn,
                const char *panel,
                const Artifact *a,
                const Cycle *c,
                bool asked,
                GError **error)
{
    bool visited;

    if (!mailbox_visited(engine->db, panel, &visited, error))
        return false;
    if (asked && visited) /* it is news to an old store, and taken in as such */
        return true;
    g_autofree char *title = g_path_get_basename(a->name);
    g_autofree char *subject = g_strdup_printf(PANEL_SUBJECT "%s: void", title);
    g_autofree char *text = asked ? g_strdup_printf(WORDS_VOID, panel, a->path)
                                  : g_strdup_printf(WORDS_SEND, panel, a->path, a->path, panel);
    g_autofree char *about = g_strdup_printf("%s %s", panel, c->msgid);
    return tell(engine, txn, panel, c, subject, text, error) &&
           (!asked || (put_void(engine, txn, panel, a, c, error) &&
                       timer_set_about(txn, (JobId){0}, PANEL_AGAIN, about, txn_now(txn), error)));
}

bool
panel_lose_revision(
    Engine *engine, Txn *txn, const Artifact *a, const Cycle *c, bool asked, GError **error)
{
    const char *panel = c->author;
    g_autofree char *title = g_path_get_basename(a->name);
    g_autofree char *subject = g_strdup_printf(PANEL_SUBJECT "%s: void", title);
    g_autofree char *about = g_strdup_printf("%s %s", panel, c->resolved_by);
    g_autofree char *text =
        asked ? g_strdup_printf(WORDS_REVISING, panel, a->path)
              : g_strdup_printf(WORDS_REVISE, panel, a->path, a->path, a->path, c->reviewers);
    bool visited;

    if (!mailbox_visited(engine->db, panel, &visited, error))
        return false;
    if (asked && visited) /* it is news to an old store, and taken in as such */
        return true;
    return tell(engine, txn, panel, c, subject, text, error) &&
           (!asked || timer_set_about(txn, (JobId){0}, PANEL_AGAIN, about, txn_now(txn), error));
}

bool
panel_void_asked(Engine *engine,
                 Txn *txn,
                 const char *panel,
                 const char *msgid,
                 const char *text,
                 GError **error)
{
    const Config *config = engine->home->config;
    g_autoptr(PanelRow) p = NULL;
    g_autoptr(PanelMembers) members = NULL;
    g_autoptr(MsgRow) known = NULL;
    PanelId id;

    if (!messages_find(txn->db, &VIEWER_OPERATOR, msgid, &known, error) || known)
        return known != NULL; /* an old store, which goes on with it */
    if (!panel_mail_read(engine, panel, text, &p, &members, NULL))
        return true; /* no panel, or the settings don't allow it any more */
    p->asker = g_strdup(config->owner);
    p->digest = digest_hex_of(p->content);
    bool writes = panel_writes(p);
    g_autofree char *subject = g_strdup_printf(PANEL_SUBJECT "%s: void", p->subject);
    g_autofree char *words = g_strdup_printf(WORDS_ASKED, panel, writes ? "writing" : "judging",
                                             p->subject, writes ? "write" : "review");
    g_autofree char *request = msgid_format(msgid);
    const Notice notice = {.role = config_role_pick(config, NULL, NULL),
                           .to = workflow_address(config, workflow_coordinator(engine)),
                           .subject = subject,
                           .text = words,
                           .header = PANEL_MARK,
                           .value = request};
    return (!notice.role || notice_post(engine, txn, &notice, NULL, error)) &&
           panel_put(txn, p, members, &id, error) && panel_void(txn, id, WORDS_LOST, error);
}

bool
panel_tell_unsaid(Engine *engine, Txn *txn, const Artifact *a, const Cycle *c, GError **error)
{
    g_autofree char *title = g_path_get_basename(a->name);
    g_autofree char *subject = g_strdup_printf("The review of %s has ended", title);
    g_autofree char *text = g_strdup_printf(WORDS_UNSAID, a->path, c->outcome, c->by);

    return tell(engine, txn, NULL, c, subject, text, error);
}

/* --- asked anew --- */

/* The request in the panel's mailbox; *ret NULL: it is not there, or intake has not seen it yet. */
static bool
find_request(Engine *engine, const char *about, MsgRow **ret, char **ret_panel, GError **error)
{
    size_t len = strcspn(about, " ");

    *ret_panel = g_strndup(about, len);
    return messages_find(engine->db, &VIEWER_OF(*ret_panel), about + len + 1, ret, error);
}

bool
panel_again_look(Engine *engine, unsigned *n, GError **error)
{
    g_autoptr(Timers) due = NULL;

    if (!timers_due(engine->db, home_now(engine->home), &due, error))
        return false;
    LIST_EACH(const Timer, t, due) {
        g_autoptr(MsgRow) row = NULL;
        g_autofree char *panel = NULL;
        g_autoptr(GError) why = NULL;
        if (!g_str_equal(t->purpose, PANEL_AGAIN))
            continue;
        if (!find_request(engine, t->subject, &row, &panel, error))
            return false;
        if (!row || row->class != MSG_HISTORY || row->job.v)
            continue;
        if (!release_filed(engine, row->id, &why))
            log_event(LOG_WARN, "a panel is not asked anew", "panel", panel, "why", why->message,
                      NULL);
        CRASH_POINT("panel-released");
        (*n)++;
    }
    return true;
}

bool
panel_again_due(Engine *engine, Txn *txn, const Timer *t, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autofree char *panel = NULL;
    bool visited;

    if (!find_request(engine, t->subject, &row, &panel, error) ||
        !mailbox_visited(engine->db, panel, &visited, error))
        return false;
    if (row || visited || !config_panel(engine->home->config, panel))
        return true;
    return timer_set_about(txn, (JobId){0}, PANEL_AGAIN, t->subject, txn_now(txn) + AGAIN_US, error);
}
