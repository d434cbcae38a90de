#include "engine/out/bounces.h"
#include "engine/out/outward.h"
#include "engine/people/delivery_failure.h"
#include "mail/dsn.h"
#include "mail/msgid.h"
#include "store/out/outbox_smtp.h"

#define WHY_CHARS 200

static void
lost_clear(gpointer data)
{
    DeliveryFailure *u = data;

    free_all((char *)(uintptr_t)u->address, (char *)(uintptr_t)u->why);
}

/* Which mail of ours it speaks of; {0}: none. */
static bool
find_mail(Engine *engine, const Message *m, const Dsn *dsn, OutId *ret, GError **error)
{
    const Key *key = &engine->home->key;
    uint64_t generation = db_generation(engine->db);

    *ret = outward_bounced_at(key, generation, m);
    if (!ret->v && dsn->envid)
        *ret = outward_bounced(key, generation, dsn->envid);
    for (guint i = 0; i < dsn->ids->len && ret->v == 0; i++) {
        g_autoptr(OutRow) row = NULL;
        if (!outbox_find(engine->db, &VIEWER_OPERATOR, g_ptr_array_index(dsn->ids, i), &row,
                         error))
            return false;
        if (row)
            *ret = row->id;
    }
    return true;
}

static char *
why_of(const DsnRcpt *r)
{
    g_autofree char *all =
        g_strdup_printf("it bounced: %s", r->diagnostic ? r->diagnostic
                                          : r->status   ? r->status
                                                        : "no reason is given");
    return text_shorten(all, WHY_CHARS);
}

static bool
fail_recipient(Txn *txn, OutId mail, const DsnRcpt *r, GArray *lost, GError **error)
{
    g_autofree char *why = why_of(r);
    int64_t delivery = 0;

    if (!outbox_bounced(txn, mail, r->address, why, &delivery, error) ||
        (!delivery && r->final && !outbox_bounced(txn, mail, r->final, why, &delivery, error)))
        return false;
    if (delivery) {
        DeliveryFailure one = {g_strdup(r->address), g_steal_pointer(&why)};
        g_array_append_val(lost, one);
    }
    return true;
}

static bool
apply(Engine *engine, Txn *txn, MsgId id, OutId mail, const Dsn *dsn, GError **error)
{
    g_autoptr(GArray) lost = g_array_new(FALSE, FALSE, sizeof(DeliveryFailure));
    g_autoptr(OutRow) row = NULL;

    g_array_set_clear_func(lost, lost_clear);
    LIST_EACH(const DsnRcpt, r, dsn->recipients)
        if (r->action == DSN_FAILED && !fail_recipient(txn, mail, r, lost, error))
            return false;
    g_autofree char *why =
        lost->len ? g_strdup_printf("mail %" PRId64 " did not arrive at %u of its recipients",
                                    mail.v, lost->len)
                  : g_strdup_printf("about mail %" PRId64 ": nothing failed by it", mail.v);
    if (!messages_trace(txn, id, "bounce", why, error))
        return false;
    return lost->len == 0 || (outbox_load(engine->db, mail, &row, error) && row &&
                              delivery_failure_tell(engine, txn, row, lost, error));
}

bool
bounce_take(Engine *engine, Txn *txn, MsgId id, GBytes *raw, GError **error)
{
    g_autoptr(Message) m = message_parse_bytes(raw, MESSAGE_CONTENT);
    g_autoptr(Dsn) dsn = dsn_read(m);
    OutId mail;

    if (!dsn)
        return messages_trace(txn, id, "bounce", "it names nobody", error);
    if (!find_mail(engine, m, dsn, &mail, error))
        return false;
    return mail.v ? apply(engine, txn, id, mail, dsn, error)
                  : messages_trace(txn, id, "bounce", "of no mail of ours", error);
}

bool
bounce_copy(Engine *engine, Txn *txn, const Message *m, GError **error)
{
    const Home *home = engine->home;
    Minted minted;
    unsigned n;

    if (!msgid_read(&home->key, m->id, home->config->domain, &minted) ||
        minted.generation != db_generation(engine->db))
        return true;
    return outbox_copy_came(txn, (OutId){minted.number}, 0, &n, error);
}
