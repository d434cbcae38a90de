/*
 * Copies of our own mail, which the sender added as one more recipient (`in-doubt = probe`):
 * that one has come proves that the server took the mail, for all recipients of that very try,
 * and shows under which Message-ID. Its address has a token that only the server and we know;
 * where the server does not say to which address a mail came, it is ours by its Message-ID,
 * which only we can make, and by the very body that we sent. It is nobody's mail: it is not
 * filed here, so that nothing is made of it and nobody is shown it.
 */
#include "base/log.h"
#include "engine/out/namesake.h"
#include "engine/out/outward.h"
#include "mail/msgid.h"
#include "remote/remote_internal.h"
#include "store/out/outbox_smtp.h"
#include "store/out/server_ids.h"

typedef struct Copy {
    OutId mail;
    int64_t try;   /* 0: nobody can tell */
    Message *ours; /* NULL: our mail is not in the store any more */
} Copy;

static void
copy_clear(Copy *copy)
{
    g_clear_pointer(&copy->ours, message_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Copy, copy_clear)

static bool
load_ours(Remote *r, Copy *copy, GError **error)
{
    g_autoptr(OutRow) row = NULL;
    if (!outbox_load(r->engine->db, copy->mail, &row, error))
        return false;
    copy->ours = row && row->bytes ? message_parse_bytes(row->bytes, MESSAGE_HEADERS) : NULL;
    return true;
}

/* mail {0}: it is none. */
static bool
find_by_id(Remote *r, const Message *m, Copy *copy, GError **error)
{
    const Home *home = r->engine->home;
    Minted minted;
    unsigned n;
    if (!msgid_read(&home->key, m->id, home->config->domain, &minted) ||
        minted.generation != db_generation(r->engine->db))
        return true;
    if (!outbox_probes(r->engine->db, (OutId){minted.number}, &n, error))
        return false;
    if (n == 0)
        return true;
    copy->mail = (OutId){minted.number};
    if (!load_ours(r, copy, error))
        return false;
    if (!copy->ours || memcmp(&copy->ours->body, &m->body, sizeof m->body) != 0)
        copy->mail.v = 0;
    return true;
}

/* One decision: what it proves, and what it teaches. */
static bool
settle(Remote *r, const Copy *copy, const Message *m, bool renamed, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    bool is_new;
    unsigned n;
    while (txn_again(&txn, error))
        txn.ok = (!renamed || server_ids_put(&txn, copy->mail, m->id, &is_new, error)) &&
                 outbox_copy_came(&txn, copy->mail, copy->try, &n, error);
    if (!txn.done)
        return false;
    if (n == 0)
        return true;
    log_event(LOG_INFO, "a mail without an answer was sent: our own copy came", "account",
              r->account->name, "message", m->id, NULL);
    db_hint(r->engine->db);
    return true;
}

bool
remote_take_copy(Remote *r, const Message *m, bool *ret_is_one, GError **error)
{
    g_auto(Copy) copy = {0};
    bool awaited;
    if (outward_is_copy(&r->engine->home->key, m, &copy.mail, &copy.try)
            ? !load_ours(r, &copy, error)
            : !find_by_id(r, m, &copy, error))
        return false;
    *ret_is_one = copy.mail.v != 0;
    if (!*ret_is_one || !copy.ours)
        return true;
    bool renamed = !g_str_equal(copy.ours->id, m->id) && namesake_is_same(m, copy.ours);
    return outbox_awaits_copy(r->engine->db, copy.mail, copy.try, &awaited, error) &&
           ((!awaited && !renamed) || settle(r, &copy, m, renamed, error));
}
