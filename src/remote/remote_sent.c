/*
 * What the server's own Sent folder tells about mail that we handed over, where the server puts
 * a Message-ID of its own on it: which one (engine/out/namesake.h), and that it was taken at all.
 * Looked at before new mail is fetched, so that an answer finds what it names. Only headers are
 * read, but for a copy that nothing but its body can tell.
 *
 * How far we have looked is not written down: looking twice changes nothing.
 */
#include "base/crash.h"
#include "base/log.h"
#include "engine/out/namesake.h"
#include "remote/remote_internal.h"
#include "store/out/outbox_smtp.h"
#include "store/out/server_ids.h"

#define LOOK_US (2 * 24 * 3600 * USEC_PER_SEC)

/* A mail of ours that we look for. */
typedef struct Owed {
    OutId id;
    Message *mail; /* headers, and the body's digest */
} Owed;

static void
owed_clear(gpointer data)
{
    Owed *o = data;

    g_clear_pointer(&o->mail, message_free);
}

typedef struct Look {
    Remote *r;
    GArray *owed;  /* of Owed */
    ImapSet alike; /* their bodies must be seen */
} Look;

static void
look_clear(Look *l)
{
    g_clear_pointer(&l->owed, g_array_unref);
    imap_set_clear(&l->alike);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Look, look_clear)

/* --- what is found --- */

/* One decision: its other id with its thread, and that it is not in doubt any more. */
static bool
note_found(Look *l, OutId id, const Message *copy, GError **error)
{
    Engine *engine = l->r->engine;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    bool is_new = false;
    unsigned n = 0;

    while (txn_again(&txn, error)) {
        if (!server_ids_put(&txn, id, copy->id, &is_new, error))
            return false;
        CRASH_POINT("remote-renaming");
        txn.ok = outbox_arrived(&txn, id, "it lies in Sent", &n, error);
    }
    if (!txn.done)
        return false;
    CRASH_POINT("remote-renamed");
    if (is_new)
        log_event(LOG_DEBUG, "the server gave a mail of ours another id", "account",
                  l->r->account->name, "id", copy->id, NULL);
    if (n) {
        log_event(LOG_INFO, "a mail in doubt was sent", "account", l->r->account->name, "id",
                  copy->id, NULL);
        db_hint(engine->db);
    }
    return true;
}

static const Owed *
find_owed(const Look *l, OutId id)
{
    for (guint i = 0; i < l->owed->len; i++) {
        const Owed *o = &g_array_index(l->owed, Owed, i);
        if (o->id.v == id.v)
            return o;
    }
    return NULL;
}

/* By the header alone; one that only looks alike is left for its body. */
static bool
take_header(void *user, const ImapMail *mail, GBytes *lines, const Message *m, GError **error)
{
    Look *l = user;
    Remote *r = l->r;
    bool sure, alike = false;
    OutId id = namesake_of(r->engine->home, db_generation(r->engine->db), m, &sure);
    const Owed *o = find_owed(l, id);

    r->sent_tells |= id.v != 0;
    if (o && (sure || namesake_is_alike(m, o->mail)))
        return note_found(l, id, m, error);
    for (guint i = 0; i < l->owed->len && id.v == 0 && !alike; i++)
        alike = namesake_is_alike(m, g_array_index(l->owed, Owed, i).mail);
    if (alike)
        imap_set_add(&l->alike, mail->uid, mail->uid);
    return true;
}

static bool
take_whole(void *user, const ImapMail *mail, GBytes *lines, const Message *m, GError **error)
{
    Look *l = user;
    for (guint i = 0; i < l->owed->len; i++) {
        const Owed *o = &g_array_index(l->owed, Owed, i);
        if (namesake_is_same(m, o->mail))
            return note_found(l, o->id, m, error);
    }
    return true;
}

/* --- looking --- */

/* What came into Sent since we last looked. */
static bool
search(Look *l, ImapSet *ret, GError **error)
{
    Remote *r = l->r;
    g_auto(ImapSet) from = {0};
    bool again = r->sent_seen.uidvalidity == r->box.uidvalidity;
    ImapQuery query = {.uids = &from, .since_us = home_now(r->engine->home) - LOOK_US};

    imap_set_add(&from, again ? r->sent_seen.uid + 1 : 1, UINT32_MAX);
    if (!imap_search(r->conn, &query, ret, error))
        return false;
    imap_set_keep(ret, &from);
    return true;
}

static bool
look(Look *l, GError **error)
{
    Remote *r = l->r;
    g_auto(ImapSet) found = {0};
    g_autoptr(GError) closed = NULL;

    if (!remote_find_sent(r, error))
        return false;
    if (!remote_select(r, r->sent, false, &closed))
        return remote_goes_on(r, &closed, error); /* there is no such folder */
    if (!search(l, &found, error) ||
        !remote_read(r, &found, IMAP_HEADER, take_header, l, error) ||
        !remote_read(r, &l->alike, IMAP_BODY, take_whole, l, error))
        return false;
    if (!imap_set_is_empty(&found))
        r->sent_seen = (ImapUid){r->box.uidvalidity, imap_set_last(&found)};
    return true;
}

static bool
load_owed(Look *l, GError **error)
{
    Engine *engine = l->r->engine;
    g_autoptr(GArray) ids = NULL;

    if (!server_ids_owed(engine->db, l->r->account->name, home_now(engine->home) - LOOK_US,
                         &ids, error))
        return false;
    for (guint i = 0; i < ids->len; i++) {
        g_autoptr(OutRow) row = NULL;

        if (!outbox_load(engine->db, g_array_index(ids, OutId, i), &row, error))
            return false;
        if (!row || !row->bytes)
            continue;
        Owed one = {row->id, message_parse_bytes(row->bytes, MESSAGE_HEADERS)};
        g_array_append_val(l->owed, one);
    }
    return true;
}

bool
remote_learn(Remote *r, GError **error)
{
    g_auto(Look) l = {.r = r, .owed = g_array_new(FALSE, TRUE, sizeof(Owed))};

    g_array_set_clear_func(l.owed, owed_clear);
    if (r->account->message_id != CONF_MESSAGE_ID_SERVER ||
        r->account->sent_copy != CONF_SENT_COPY_SERVER)
        return true;
    if (!load_owed(&l, error))
        return false;
    return l.owed->len == 0 || look(&l, error);
}
