/*
 * Mail in doubt, where the provider itself files in Sent what it accepts: what is there was
 * sent, and what is not there after a while was not, and goes again. Where it puts another id
 * on our mail, that it is not there means something only if other mail of ours was recognised;
 * else, or once the owner was asked, nothing is sent by itself.
 */
#include "base/log.h"
#include "remote/remote_internal.h"
#include "store/job/questions.h"
#include "store/mail/messages.h"
#include "store/out/outbox_smtp.h"

/* Servers file at once; this is for those that do it behind our back. */
#define ABSENT_US (10 * 60 * USEC_PER_SEC)
/* Between two looks for the same mail: 1 s, 2 s, 4 s … */
#define FIRST_US USEC_PER_SEC
#define EVERY_US (30 * USEC_PER_SEC)
#define MANY 100

/* Does it mean something that it is not there? */
static bool
may_resend(const Remote *r, const OutRow *row, bool *ret, GError **error)
{
    g_autoptr(Question) asked = NULL;
    if (!question_of(r->engine->db, row->id, &asked, error))
        return false;
    *ret = home_now(r->engine->home) - row->next_us >= ABSENT_US &&
           (r->account->message_id == CONF_MESSAGE_ID_OURS || r->sent_tells) &&
           !(asked && asked->about.v);
    return true;
}

static bool
settle_one(Remote *r, const OutRow *row, GError **error)
{
    bool late;
    uint32_t uid = 0;
    unsigned n;
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    if (!may_resend(r, row, &late, error) || !remote_find(r, row->msgid, &uid, NULL, error))
        return false;
    if (uid == 0 && !late)
        return true;
    log_event(LOG_INFO, uid ? "a mail in doubt was sent" : "a mail in doubt was not sent",
              "message", row->msgid, NULL);
    while (txn_again(&txn, error))
        txn.ok = (uid ? outbox_arrived(&txn, row->id, "it lies in Sent", &n, error)
                      : outbox_resend(&txn, row->id, &n, error));
    if (!txn.done)
        return false;
    db_hint(r->engine->db);
    return true;
}

/* Whether a doubt is one that we have not looked for yet. */
static bool
note_doubt(Remote *r, const OutRow *row)
{
    return g_hash_table_add(r->doubts, g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                                                       row->delivery, row->next_us));
}

/* Ours among the rows, and whether it is time to look for them: at once for a new one, then less
 * and less often. What is not there for long is looked for when we look by ourselves. */
static bool
is_time(Remote *r, OutRows *rows)
{
    bool fresh = false, young = false;
    for (guint i = rows->len; i > 0; i--) {
        const OutRow *row = g_ptr_array_index(rows, i - 1);
        if (!g_str_equal(row->account, r->account->name)) {
            g_ptr_array_remove_index(LIST_ARRAY(rows), i - 1);
            continue;
        }
        fresh |= note_doubt(r, row);
        young |= home_now(r->engine->home) - row->next_us < ABSENT_US;
    }
    if (rows->len == 0) {
        remote_probe_forget(r);
        return false;
    }
    if (!fresh && clock_mono_us() < r->probe_at_us)
        return false;
    r->probe_wait_us = fresh ? FIRST_US : MIN(2 * r->probe_wait_us, EVERY_US);
    r->probe_at_us = clock_mono_us() + r->probe_wait_us;
    r->probe_young = young;
    return true;
}

void
remote_probe_forget(Remote *r)
{
    g_hash_table_remove_all(r->doubts);
    r->probe_young = false;
}

int64_t
remote_probe_next_us(const Remote *r)
{
    return r->probe_young ? r->probe_at_us : USEC_NEVER;
}

bool
remote_probe(Remote *r, GError **error)
{
    const OutQuery q = {.state = "in_doubt", .limit = MANY};
    g_autoptr(OutRows) rows = NULL;
    if (r->account->in_doubt != CONF_DOUBT_PROBE ||
        r->account->sent_copy != CONF_SENT_COPY_SERVER)
        return true;
    if (!outbox_list(r->engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    if (!is_time(r, rows))
        return true;
    if (!remote_find_sent(r, error) || !remote_select(r, r->sent, false, error))
        return false;
    for (guint i = 0; i < rows->len; i++) {
        if (!settle_one(r, g_ptr_array_index(rows, i), error))
            return false;
    }
    return true;
}
