/*
 * First the events are played in the order in which they were written, in memory: what stands under artifacts and cycles here is
 * what the rows are to be. Then all of it is written in one transaction.
 */
#include "workflow/flow_past.h"
#include "base/crash.h"
#include "base/log.h"
#include "mail/maildir.h"
#include "store/job/artifact_money.h"
#include "store/workflow_past.h"
#include "workflow/artifact_place.h"
#include "workflow/event_answer.h"
#include "workflow/flow_past_internal.h"
#include "workflow/panel_again.h"
#include "workflow/review_file.h"
#include "workflow/supervise.h"

typedef struct PastCycle {
    Cycle row;
    const PastEvent *opener;
    bool unsaid; /* a review record alone knows that it ended */
} PastCycle;

typedef struct PastArtifact {
    Artifact row;
    GPtrArray *cycles; /* of PastCycle */
    const char *teller; /* who sent the first status-update; NULL: nobody has */
    bool is_new;       /* it has an event, or a decision, that the store does not know */
} PastArtifact;

typedef struct Past {
    Engine *engine;
    PastEvents *events;
    PastAsks *asks;
    GHashTable *artifacts; /* name -> PastArtifact */
    GPtrArray *kept;       /* of these: what is written down */
    GHashTable *reviews;   /* of review_files() */
    GHashTable *ended;     /* of past_read_events() */
} Past;

static void
cycle_clear(gpointer p)
{
    PastCycle *c = p;

    free_all(c->row.digest, c->row.outcome, c->row.by, c->row.resolved_by, c);
}

static void
artifact_clear(gpointer p)
{
    PastArtifact *a = p;

    free_all(a->row.kind, a->row.state, a->row.path, a->row.author, a->row.holder);
    g_ptr_array_unref(a->cycles);
    g_free(a);
}

static void
past_clear(Past *past)
{
    past_events_free(past->events);
    past_asks_free(past->asks);
    g_clear_pointer(&past->kept, g_ptr_array_unref);
    g_clear_pointer(&past->artifacts, g_hash_table_unref);
    g_clear_pointer(&past->reviews, g_hash_table_unref);
    g_clear_pointer(&past->ended, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Past, past_clear)

static void
set(char **text, const char *value)
{
    g_free(*text);
    *text = g_strdup(value);
}

/* --- played --- */

static PastArtifact *
artifact_of(Past *past, const PastEvent *e)
{
    PastArtifact *a = g_hash_table_lookup(past->artifacts, e->name);

    if (a)
        return a;
    a = g_new0(PastArtifact, 1);
    a->cycles = g_ptr_array_new_with_free_func(cycle_clear);
    a->row = (Artifact){.name = e->name,
                        .kind = g_strdup(""),
                        .state = g_strdup(e->state),
                        .path = g_strdup(""),
                        .author = g_strdup(""),
                        .holder = g_strdup(""),
                        .since_us = e->at_us};
    g_hash_table_insert(past->artifacts, e->name, a);
    return a;
}

static PastCycle *
newest_cycle(const PastArtifact *a)
{
    return a->cycles->len ? g_ptr_array_index(a->cycles, a->cycles->len - 1) : NULL;
}

/* The cycle of its artifact that the event names; one without the header means the newest. NULL: it is not known. */
static PastCycle *
cycle_of(const PastArtifact *a, const PastEvent *e)
{
    LIST_EACH(PastCycle, c, a->cycles) {
        if (c->row.n == e->mark.cycle)
            return c;
    }
    return e->mark.cycle == 0 && e->mark.deed != DEED_TELLS ? newest_cycle(a) : NULL;
}

static void
end_cycle(PastCycle *c, const char *outcome, const char *by, const char *msgid, int64_t at_us)
{
    set(&c->row.outcome, outcome);
    set(&c->row.by, by);
    set(&c->row.resolved_by, msgid);
    c->row.closed_us = at_us;
}

static void
open_cycle(PastArtifact *a, const PastEvent *e)
{
    PastCycle *before = newest_cycle(a), *c = g_new0(PastCycle, 1);

    if (before && !*before->row.outcome)
        end_cycle(before, "superseded", e->mark.from, e->msgid, e->at_us);
    c->opener = e;
    c->row = (Cycle){.n = e->mark.cycle ? e->mark.cycle : before ? before->row.n + 1 : 1,
                     .msgid = e->msgid,
                     .author = e->mark.from,
                     .reviewers = e->mark.to,
                     .digest = g_strdup(e->mark.digest),
                     .opened_us = e->at_us,
                     .outcome = g_strdup(""),
                     .by = g_strdup(""),
                     .resolved_by = g_strdup("")};
    g_ptr_array_add(a->cycles, c);
    if (!*a->row.author)
        set(&a->row.author, e->mark.from);
}

static void
play(Past *past, const PastEvent *e)
{
    PastArtifact *a = artifact_of(past, e);
    PastCycle *c = cycle_of(a, e);
    g_autofree char *by = event_by(e->mark.from, e->mark.deputy);
    bool open = c && !*c->row.outcome;

    /* A reminder of the runtime has no digest, and tells of nothing in the name of the role that asked. */
    if (e->type == EVENT_STATUS_UPDATE && *e->mark.digest && !a->teller && !*a->row.author)
        a->teller = e->mark.from;
    if (e->mark.deed == DEED_OPENS)
        open_cycle(a, e);
    else if (open && e->mark.deed == DEED_RENEWS)
        set(&c->row.digest, e->mark.digest);
    else if (open && (e->mark.deed == DEED_APPROVES || e->mark.deed == DEED_REJECTS))
        end_cycle(c, e->mark.deed == DEED_APPROVES ? "approved" : "rejected", by, e->msgid, e->at_us);
    if (g_str_equal(a->row.state, e->state))
        return;
    set(&a->row.state, e->state);
    set(&a->row.holder, e->mark.from);
    a->row.since_us = e->at_us;
}

/* --- what review records and files add --- */

static void
read_review(Past *past, PastCycle *c)
{
    const ReviewFile *r = g_hash_table_lookup(past->reviews, c->row.msgid);

    if (!r || (*c->row.outcome && !g_str_equal(c->row.resolved_by, r->decision)))
        return;
    c->unsaid = !*c->row.outcome;
    if (c->unsaid)
        end_cycle(c, r->outcome, r->by, r->decision, r->closed_us);
    c->row.id.v = r->cycle;
    c->row.closed_us = r->closed_us; /* to the second that its name has */
}

/* Has the store a review open that was decided? */
static bool
knows_less(Past *past, const PastCycle *c, bool *ret, GError **error)
{
    g_autofree char *known = NULL;

    *ret = false;
    if (!c->unsaid)
        return true;
    if (!cycle_resolved_by(past->engine->db, c->row.msgid, &known, error))
        return false;
    *ret = !known || !*known;
    return true;
}

/* Its kind, and where it is. False: no kind of the settings has it. */
static bool
read_place(Past *past, PastArtifact *a)
{
    g_auto(ArtifactPlace) p = {0};
    const PastCycle *c = newest_cycle(a);
    bool approved = c && c->unsaid && g_str_equal(c->row.outcome, "approved");

    if (!artifact_place_look(past->engine, a->row.name, &p, NULL))
        return false;
    set(&a->row.kind, p.kind->name);
    if (a->teller && artifact_has_claim(p.kind, EVENT_STATUS_UPDATE))
        set(&a->row.author, a->teller);
    if (p.state && !g_str_equal(p.state, a->row.state) &&
        (approved || !artifact_is_gate(p.kind, a->row.state, p.state))) {
        set(&a->row.state, p.state);
        g_autofree char *who = approved ? g_strndup(c->row.by, strcspn(c->row.by, " ")) : g_strdup("");
        set(&a->row.holder, who);
        a->row.since_us = home_now(past->engine->home); /* behind its newest event */
    }
    g_free(a->row.path);
    a->row.path = artifact_place_in(&p, a->row.state);
    return true;
}

static bool
play_all(Past *past, GError **error)
{
    GHashTableIter each;
    gpointer value;

    past->artifacts = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, artifact_clear);
    past->reviews = review_files(past->engine, NULL);
    past->kept = g_ptr_array_new();
    LIST_EACH(const PastEvent, e, past->events) {
        g_autoptr(FlowEvent) there = NULL;
        if (!flow_event_find(past->engine->db, e->msgid, &there, error))
            return false;
        if (!*e->name)
            continue;
        play(past, e);
        artifact_of(past, e)->is_new |= !there;
    }
    g_hash_table_iter_init(&each, past->artifacts);
    while (g_hash_table_iter_next(&each, NULL, &value)) {
        PastArtifact *a = value;
        LIST_EACH(PastCycle, c, a->cycles) {
            bool less;
            read_review(past, c);
            if (!knows_less(past, c, &less, error))
                return false;
            a->is_new |= less;
        }
        if (read_place(past, a) && a->is_new)
            g_ptr_array_add(past->kept, a);
        else
            g_hash_table_iter_remove(&each);
    }
    return true;
}

/* --- written down --- */

/* What is only told counts as read by whom it does not lie new in the mailbox of. */
static bool
mark_read(Txn *txn, const PastEvent *e, GError **error)
{
    g_auto(GStrv) to = g_strsplit(e->mark.to, ",", -1);

    for (char **role = to; *role; role++)
        if (past_place(e, *role) != PAST_UNREAD && !flow_handled(txn, *role, e->msgid, error))
            return false;
    return true;
}

/* What was told of it, and a question waits anew. */
static bool
put_wait(Past *past, Txn *txn, const PastEvent *e, GError **error)
{
    int64_t within = past->engine->home->config->workflow_answer_us;

    return mark_read(txn, e, error) &&
           (!*e->mark.question || within <= 0 ||
            timer_set_about(txn, (JobId){0}, SUPERVISE_TIMER, e->msgid, txn_now(txn) + within,
                            error));
}

static bool
put_plain(Past *past, Txn *txn, const PastEvent *e, GError **error)
{
    const EventAnswer a = {.msgid = e->msgid,
                           .from = e->mark.from,
                           .to = e->mark.to,
                           .question = e->mark.question,
                           .parents = e->parents,
                           .at_us = e->at_us};
    g_autoptr(FlowEvent) row = NULL;

    return event_answer_put(past->engine, txn, &a, ANSWER_TO_ANY, NULL, &row, error) &&
           (!row || put_wait(past, txn, e, error));
}

static bool
put_event(Past *past, Txn *txn, const PastEvent *e, GError **error)
{
    const PastArtifact *a = *e->name ? g_hash_table_lookup(past->artifacts, e->name) : NULL;
    const PastCycle *c = a ? cycle_of(a, e) : NULL;
    bool is_new;

    if (e->plain)
        return put_plain(past, txn, e, error);
    if (*e->name && !a)
        return true;
    const FlowEvent row = {.type = (char *)event_kinds[e->type].name,
                           .artifact = a ? a->row.id : (ArtifactId){0},
                           .cycle = c ? c->row.id : (CycleId){0},
                           .msgid = e->msgid,
                           .sender = e->mark.from,
                           .recipients = e->mark.to,
                           .state = e->state,
                           .digest = e->mark.digest,
                           .question = e->mark.question,
                           .at_us = e->at_us};
    if (!flow_event_restore(txn, &row, &is_new, error) || !is_new)
        return !is_new;
    return put_wait(past, txn, e, error) &&
           (!a || !e->mark.spent_micro ||
            artifact_money_recall(txn, &a->row, e->mark.spent_micro, error)) &&
           (e->type != EVENT_ANSWER || flow_event_answers(txn, e->parents, e->msgid, error));
}

/* Those whose number a review record has are first, so that nobody takes it. */
static bool
put_cycles(Txn *txn, const GPtrArray *artifacts, bool numbered, GError **error)
{
    LIST_EACH(const PastArtifact, a, artifacts) {
        LIST_EACH(PastCycle, c, a->cycles) {
            c->row.artifact = a->row.id;
            if ((c->row.id.v != 0) == numbered &&
                !cycle_restore(txn, &c->row, &c->row.id, error))
                return false;
        }
    }
    return true;
}

static bool
put_artifacts(Txn *txn, const GPtrArray *artifacts, GError **error)
{
    LIST_EACH(PastArtifact, a, artifacts) {
        if (!artifact_restore(txn, &a->row, &a->row.id, error))
            return false;
    }
    return put_cycles(txn, artifacts, true, error) && put_cycles(txn, artifacts, false, error);
}

/* A panel that wrote, and has not sent the artifact for review again. */
static bool
lose_revision(Past *past, Txn *txn, const PastArtifact *a, const PastCycle *c, GError **error)
{
    if (c != newest_cycle(a) || !g_str_equal(c->row.outcome, "rejected") ||
        !g_str_equal(c->row.author, a->row.author) ||
        !config_panel(past->engine->home->config, c->row.author))
        return true;
    LIST_EACH(const PastEvent, e, past->events) {
        if (g_str_equal(e->msgid, c->row.resolved_by))
            return panel_lose_revision(past->engine, txn, &a->row, &c->row,
                                       past_place(e, c->row.author) != PAST_NOWHERE, error);
    }
    return true;
}

/* Whom a review that is open, or whose decision nobody has heard, means something to. */
static bool
tell(Past *past, Txn *txn, const PastArtifact *a, const PastCycle *c, GError **error)
{
    g_auto(GStrv) reviewers = g_strsplit(c->row.reviewers, ",", -1);

    if (c->unsaid)
        return panel_tell_unsaid(past->engine, txn, &a->row, &c->row, error);
    if (g_hash_table_contains(past->ended, c->row.msgid))
        return true;
    if (*c->row.outcome)
        return lose_revision(past, txn, a, c, error);
    for (char **name = reviewers; *name; name++) {
        bool asked = past_place(c->opener, *name) != PAST_NOWHERE;
        if (config_panel(past->engine->home->config, *name) &&
            !panel_void_lost(past->engine, txn, *name, &a->row, &c->row, asked, error))
            return false;
    }
    return true;
}

static bool
put_all(Past *past, Txn *txn, GError **error)
{
    if (!put_artifacts(txn, past->kept, error))
        return false;
    LIST_EACH(const PastEvent, e, past->events) {
        if (!put_event(past, txn, e, error))
            return false;
    }
    LIST_EACH(const PastArtifact, a, past->kept) {
        LIST_EACH(const PastCycle, c, a->cycles) {
            bool was_open;
            if (!cycle_restore_end(txn, c->row.id, &c->row, &was_open, error) ||
                (was_open && !tell(past, txn, a, c, error)))
                return false;
        }
    }
    LIST_EACH(const PastAsk, ask, past->asks) {
        if (!g_hash_table_contains(past->ended, ask->msgid) &&
            !panel_void_asked(past->engine, txn, ask->panel, ask->msgid, ask->text, error))
            return false;
    }
    return true;
}

/* A home without artifacts may have had panels that were asked by hand. */
static bool
has_any(const Home *home)
{
    g_autoptr(Maildir) md = NULL;
    return *home->config->workflow_root ||
           maildir_open(home->mail_fd, PANEL_ROLE, false, &md, NULL);
}

bool
flow_past_take(Engine *engine, GError **error)
{
    g_auto(Past) past = {.engine = engine};
    g_autofree char *held = db_hold_all(engine->db);
    bool known;

    if (held || !has_any(engine->home))
        return true;
    if (!flow_past_known(engine->db, &known, error))
        return false;
    if (known)
        return true;
    if (!past_read_events(engine, &past.events, &past.asks, &past.ended, error) ||
        !play_all(&past, error))
        return false;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        txn.ok = put_all(&past, &txn, error) && flow_past_set_known(&txn, error);
        CRASH_POINT("workflow-past");
    }
    if (txn.done && past.kept->len > 0)
        log_event(LOG_INFO, "reviews were read from mail", NULL);
    return txn.done;
}
