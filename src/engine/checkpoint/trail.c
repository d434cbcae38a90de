#include "engine/checkpoint/trail.h"
#include "engine/checkpoint/proof.h"
#include "store/job/budget.h"
#include "store/out/outbox.h"

/* A mail that a step wrote. */
typedef struct StepMail {
    char *token; /* of its job: proof_token() */
    Minted id;
    bool ends; /* its job */
} StepMail;

static void
step_mail_free(gpointer p)
{
    StepMail *s = p;
    free_all(s->token, s);
}

static void
trail_job_free(gpointer p)
{
    TrailJob *t = p;
    continuation_free(t->inbox);
    continuation_free(t->most);
    continuation_free(t->halted);
    order_mail_clear(&t->order);
    g_free(t);
}

void
trail_clear(Trail *t)
{
    g_clear_pointer(&t->jobs, g_hash_table_unref);
    g_clear_pointer(&t->steps, g_ptr_array_unref);
}

static TrailJob *
get_job(Trail *t, JobId job, int64_t born_us)
{
    g_autofree char *key =
        g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, job.v, born_us);
    TrailJob *found = g_hash_table_lookup(t->jobs, key);
    if (!found) {
        found = g_new0(TrailJob, 1);
        g_hash_table_insert(t->jobs, g_steal_pointer(&key), found);
    }
    return found;
}

/* --- one mail --- */

static bool
keep_highest(Continuation **slot, Continuation *c)
{
    if (*slot && (*slot)->seq >= c->seq) {
        continuation_free(c);
        return false;
    }
    continuation_free(*slot);
    *slot = c;
    return true;
}

/* A mailbox that is read. */
typedef struct Reading {
    Trail *t;
    Engine *engine;
    const ConfRole *role;
} Reading;

static void
take_checkpoint(const Reading *r, const char *folder, const Minted *id, Continuation *c)
{
    Trail *t = r->t;
    if (budget_is_today(r->engine->home, c->written_us))
        t->spent_micro = MAX(t->spent_micro, c->day_cost_micro);
    if (!g_str_equal(c->role, r->role->name)) {
        continuation_free(c);
        return;
    }
    TrailJob *job = get_job(t, c->job, c->born_us);
    if (!c->stopped && g_str_equal(folder, "Done"))
        job->done_seq = MAX(job->done_seq, c->seq);
    Continuation **slot = c->stopped ? &job->halted : *folder ? &job->most : &job->inbox;
    Minted *slot_id = c->stopped ? &job->halted_id : *folder ? &job->most_id : &job->inbox_id;
    if (keep_highest(slot, c))
        *slot_id = *id;
}

static void
take_order(Trail *t, const Home *home, const Message *m, const Minted *id)
{
    g_auto(OrderMail) o = {0};
    if (!order_mail_read(home, m, &o) ||
        (!g_str_equal(o.word, "STOP") && !g_str_equal(o.word, "CANCEL")))
        return;
    TrailJob *job = get_job(t, o.job, o.born_us);
    if (job->order.word && job->order.epoch >= o.epoch)
        return;
    order_mail_clear(&job->order);
    job->order = o;
    job->order_id = *id;
    o = (OrderMail){0};
}

static void
take_step_mail(Trail *t, const Message *m, const Minted *id)
{
    bool ends;
    char *token = proof_token_of(m, &ends);
    if (!token)
        return;
    StepMail *s = g_new(StepMail, 1);
    *s = (StepMail){.token = token, .id = *id, .ends = ends};
    g_ptr_array_add(t->steps, s);
}

static bool
take_mail(void *user, const MaildirEntry *e, GBytes *bytes, GError **error)
{
    const Reading *r = user;
    const Home *home = r->engine->home;
    bool sent = g_str_equal(e->folder, "Sent");
    g_autoptr(OutRow) known = NULL;
    Continuation *c = NULL;
    Minted id = {0};
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    /* Most mail is no checkpoint, and its content need not be read. */
    bool maybe = memmem(data, len, CONTINUATION_FILE, strlen(CONTINUATION_FILE)) != NULL;
    if (!maybe && !sent)
        return true;
    g_autoptr(Message) m =
        message_parse_bytes(bytes, maybe ? MESSAGE_CONTENT : MESSAGE_HEADERS);
    bool ours = msgid_read(&home->key, m->id, home->config->domain, &id);
    if (maybe && continuation_read(&home->key, m, &c) == CONT_SIGNED) {
        take_checkpoint(r, e->folder, &id, c);
        return true;
    }
    if (!ours || !sent)
        return true;
    if (!outbox_find(r->engine->db, &VIEWER_OPERATOR, m->id, &known, error))
        return false;
    if (!known && id.kind == MAIL_ORDER)
        take_order(r->t, home, m, &id);
    else if (!known && (id.kind == MAIL_ANSWER || id.kind == MAIL_INTERIM || id.kind == MAIL_FAILURE))
        take_step_mail(r->t, m, &id);
    return true;
}

/* --- all of it --- */

bool
trail_read(Engine *engine, const ConfRole *role, Maildir *md, Trail *ret, GError **error)
{
    static const char *const folders[] = {"", "Done", "Sent"};
    g_auto(Trail)
        t = {.jobs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, trail_job_free),
             .steps = g_ptr_array_new_with_free_func(step_mail_free)};
    Reading r = {.t = &t, .engine = engine, .role = role};
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        if (!maildir_each(md, folders[i], engine->home->config->max_message, take_mail, &r,
                          error))
            return false;
    }
    *ret = t;
    t = (Trail){0};
    return true;
}

const TrailJob *
trail_of(Trail *t, const Home *home, JobId id, int64_t born_us)
{
    g_autofree char *token = proof_token(home, id, born_us);
    TrailJob *job = get_job(t, id, born_us);
    LIST_EACH(const StepMail, s, t->steps) {
        if (!g_str_equal(s->token, token) ||
            (job->wrote && minted_compare(&job->last, &s->id) >= 0))
            continue;
        job->last = s->id;
        job->wrote = true;
        job->ended = s->ends || s->id.kind == MAIL_ANSWER;
    }
    return job;
}

bool
trail_is_past(const TrailJob *t)
{
    return !t->inbox || t->done_seq >= t->inbox->seq ||
           (t->wrote && minted_compare(&t->last, &t->inbox_id) > 0);
}

Continuation *
trail_place(const TrailJob *t)
{
    const Continuation *h = t->halted;
    bool parked =
        h && ((t->inbox && t->inbox->seq > h->seq) || (t->most && t->most->seq > h->seq));
    bool wrote = h && t->wrote && minted_compare(&t->last, &t->halted_id) > 0;
    if (h && !parked && !wrote)
        return t->halted;
    return trail_is_past(t) ? NULL : t->inbox;
}

bool
trail_has_ended(const TrailJob *t)
{
    return t->wrote && t->ended && (!t->most || minted_compare(&t->most_id, &t->last) < 0) &&
           (!t->inbox || minted_compare(&t->inbox_id, &t->last) < 0);
}

const OrderMail *
trail_order(const TrailJob *t, int64_t epoch)
{
    return t->order.word && t->order.epoch > epoch &&
                   (!t->wrote || minted_compare(&t->order_id, &t->last) > 0)
               ? &t->order
               : NULL;
}
