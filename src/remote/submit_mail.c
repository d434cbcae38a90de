#include "base/crash.h"
#include "base/proc.h"
#include "engine/out/attempt.h"
#include "engine/out/namesake.h"
#include "engine/out/outward.h"
#include "engine/people/delivery_failure.h"
#include "remote/submit_internal.h"
#include "store/out/server_ids.h"

#define SENDMAIL "/usr/sbin/sendmail"
/* How long a copy to ourselves may be on its way. */
#define COPY_US (30 * 60 * USEC_PER_SEC)

void
parcel_clear(Parcel *c)
{
    if (c->results)
        smtp_results_clear(c->results, c->rows->len + 1);
    g_clear_pointer(&c->results, g_free);
    g_clear_pointer(&c->rows, out_rows_free);
    free_all(c->envelope, c->tag, c->probe);
}
static const OutRow *
row_of(const Parcel *c, guint i)
{
    return g_ptr_array_index(c->rows, i);
}

/* --- what became of it --- */

/* Where the provider files what it accepts, the account's process looks there, and nobody need
 * be asked. */
static bool
is_told_by_sent(const ConfAccount *account)
{
    return account->in_doubt == CONF_DOUBT_PROBE && config_is_imap(account) &&
           account->sent_copy == CONF_SENT_COPY_SERVER;
}

/* Elsewhere a copy to ourselves, in the same transaction, tells. NULL: nowhere to send it. */
static const char *
copy_address(const ConfAccount *account)
{
    return account->in_doubt == CONF_DOUBT_PROBE && !is_told_by_sent(account)
               ? outward_address(account)
               : NULL;
}

/* With a tag where the server is known to take one: then the copy is nobody's mail, and says of
 * which try it is. The account's process looks for that when it fetches. */
static void
set_probe(Parcel *c)
{
    const Home *home = c->pass->engine->home;
    const char *own = copy_address(c->account);
    Random random = {0};
    uint32_t number;

    if (!own)
        return;
    random_bytes(&random, &number, sizeof number);
    c->try = (int64_t)number + 1;
    if (c->account->envelope == CONF_ENVELOPE_VERP && config_is_imap(c->account))
        c->probe = outward_copy_address(&home->key, own, row_of(c, 0)->id, c->try);
    if (!c->probe)
        c->probe = g_strdup(own);
}

/* What Sent tells is no proof where our mail has another name there: then later. */
static int64_t
ask_us(const Parcel *c)
{
    bool later = c->copy_comes ||
                 (is_told_by_sent(c->account) && c->account->message_id == CONF_MESSAGE_ID_SERVER);

    return later ? home_now(c->pass->engine->home) + COPY_US : USEC_NEVER;
}

/* The server may say under which id it has the mail. */
static bool
learn_id(const Parcel *c, Txn *txn, const char *reply, GError **error)
{
    g_autoptr(GPtrArray) envelope = g_ptr_array_new();
    bool is_new;

    for (guint i = 0; i < c->rows->len; i++)
        g_ptr_array_add(envelope, row_of(c, i)->address);
    g_ptr_array_add(envelope, c->envelope);
    if (c->probe)
        g_ptr_array_add(envelope, c->probe);
    g_autofree char *id = namesake_in_reply(
        reply, row_of(c, 0)->msgid, (const char *const *)envelope->pdata, envelope->len);
    return !id || server_ids_put(txn, row_of(c, 0)->id, id, &is_new, error);
}

static bool
mark_failed(Parcel *c, Txn *txn, guint i, bool never, GArray *lost, GError **error)
{
    const OutRow *row = row_of(c, i);
    DeliveryFailure one = {.address = row->address, .why = c->results[i].text};
    bool given_up;
    if (!attempt_failed(txn, row, never, one.why, &given_up, error))
        return false;
    c->pass->stats.failed += given_up;
    c->pass->stats.retried += !given_up;
    if (!given_up)
        return true;
    g_array_append_val(lost, one);
    return row->job.v == 0 || outbox_set_news(txn, row->delivery, error);
}

static bool
mark_row(Parcel *c, Txn *txn, guint i, GArray *lost, GArray *open, GError **error)
{
    const OutRow *row = row_of(c, i);
    const SmtpResult *r = &c->results[i];
    DeliveryFailure one = {.address = row->address, .why = r->text};

    switch (r->end) {
    case SMTP_SENT:
        c->pass->stats.sent++;
        return outbox_sent(txn, row->delivery, r->text, error) &&
               learn_id(c, txn, r->text, error) && outbox_release_copies(txn, row->id, error);
    case SMTP_DOUBT:
        if (c->account->in_doubt == CONF_DOUBT_RESEND)
            return mark_failed(c, txn, i, false, lost, error);
        c->pass->stats.doubt++;
        g_array_append_val(open, one);
        return outbox_doubt(txn, row->delivery, r->text, ask_us(c), error);
    case SMTP_RETRY:
    case SMTP_NEVER:
        break;
    }
    return mark_failed(c, txn, i, r->end == SMTP_NEVER, lost, error);
}

/* One decision: the end of every recipient, and what is said about it. */
static bool
mark_parcel(Parcel *c, GError **error)
{
    Engine *engine = c->pass->engine;
    bool ask_now = !is_told_by_sent(c->account) && !c->copy_comes;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};

    while (txn_again(&txn, error)) {
        g_autoptr(GArray) lost = g_array_new(FALSE, FALSE, sizeof(DeliveryFailure));
        g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(DeliveryFailure));
        for (guint i = 0; i < c->rows->len; i++) {
            if (!mark_row(c, &txn, i, lost, open, error))
                return false;
        }
        txn.ok = delivery_failure_tell(engine, &txn, row_of(c, 0), lost, error) &&
                 (!ask_now || delivery_failure_ask(engine, &txn, row_of(c, 0), open, error));
    }
    if (!txn.done)
        return false;
    db_hint(engine->db);
    return true;
}

/* --- one mail --- */

/* The moment before the server can have it. */
static bool
commit_sending(void *user, GError **error)
{
    Parcel *c = user;
    g_auto(Txn) txn = {.db = c->pass->engine->db, .flush = TXN_DURABLE};
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(int64_t));
    bool all = false;

    CRASH_POINT("submit-before-sending");
    for (guint i = 0; i < c->rows->len; i++)
        g_array_append_val(ids, row_of(c, i)->delivery);
    while (txn_again(&txn, error)) {
        const int64_t *rows = (const int64_t *)(void *)ids->data;
        if (!outbox_sending(&txn, rows, ids->len, &all, error))
            return false;
        if (!all) {
            c->taken_back = true;
            return err_set(error, ERR_CANCELLED, "it was taken back");
        }
        txn.ok =
            !c->try || outbox_set_probe(&txn, row_of(c, 0)->id, rows, ids->len, c->try, error);
    }
    if (!txn.done)
        return false;
    CRASH_POINT("submit-sending");
    return true;
}

static void
give_all(Parcel *c, SmtpEnd end, const char *text)
{
    for (guint i = 0; i < c->rows->len; i++)
        c->results[i] = (SmtpResult){.end = end, .text = g_strdup(text)};
}

static void
send_by_program(const Parcel *c, const SmtpMail *mail)
{
    const SmtpPlace place = {.stop = proc_asked_to_stop, .stop_us = submit_stop_us(c->pass)};
    g_autofree char *found = g_find_program_in_path("sendmail");
    const char *argv[] = {found ? found : SENDMAIL, "-i", NULL};

    smtp_program_send(argv, &place, mail, c->results);
}

static void
hand_over(Parcel *c)
{
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    const OutRow *first = row_of(c, 0);

    for (guint i = 0; i < c->rows->len; i++)
        g_ptr_array_add(to, row_of(c, i)->address);
    if (c->probe)
        g_ptr_array_add(to, c->probe);

    const SmtpMail mail = {.from = c->envelope,
                           .to = (const char *const *)to->pdata,
                           .n_to = to->len,
                           .bytes = first->bytes,
                           .envid = c->tag,
                           .last_byte = commit_sending,
                           .user = c};
    if (!first->bytes)
        give_all(c, SMTP_NEVER, "its text is gone from the store");
    else if (c->account->submit == CONF_SUBMIT_SENDMAIL)
        send_by_program(c, &mail);
    else
        smtp_send(c->pass->out.smtp, &mail, c->results);
}

bool
parcel_send(Parcel *c, GError **error)
{
    const Home *home = c->pass->engine->home;
    uint64_t generation = db_generation(c->pass->engine->db);
    const OutRow *first = row_of(c, 0);

    c->envelope = outward_envelope(home, c->account, generation, first->id, first->from);
    c->tag = outward_bounce_tag(&home->key, generation, first->id);
    set_probe(c);
    c->results = g_new0(SmtpResult, c->rows->len + 1);
    CRASH_POINT("submit-before-mail");
    hand_over(c);
    CRASH_POINT("submit-answered");
    c->copy_comes = c->probe && c->results[c->rows->len].end == SMTP_DOUBT;
    if (c->taken_back) /* what is left of it is still due, and goes by itself */
        return true;
    if (!mark_parcel(c, error))
        return false;
    CRASH_POINT("submit-marked");
    return true;
}

bool
parcel_end(Parcel *c, SmtpEnd end, const char *why, GError **error)
{
    c->results = g_new0(SmtpResult, c->rows->len + 1);
    give_all(c, end, why);
    c->copy_comes = copy_address(c->account) != NULL;
    return mark_parcel(c, error);
}
