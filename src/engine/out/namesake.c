#include "engine/out/namesake.h"
#include "mail/address.h"
#include "mail/msgid.h"
#include "store/out/server_ids.h"

#define ORIGINAL_HEADER "X-Microsoft-Original-Message-ID"

/* --- what a server says --- */

static bool
is_address(const char *id, const char *const *envelope, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (address_equal(id, envelope[i]))
            return true;
    }
    return false;
}

char *
namesake_in_reply(const char *reply, const char *ours, const char *const *envelope, size_t n)
{
    const char *open = strchr(reply, '<');
    const char *close = open ? strchr(open, '>') : NULL;
    g_autofree char *text = close ? g_strndup(open, (gsize)(close - open) + 1) : NULL;
    g_autofree char *id = text ? msgid_parse(text) : NULL;

    if (!id || g_str_equal(id, ours) || is_address(id, envelope, n))
        return NULL;
    return g_steal_pointer(&id);
}

/* --- copies --- */

static bool
read_id(const Home *home, const char *id, Minted *ret)
{
    return id && msgid_read(&home->key, id, home->config->domain, ret);
}

bool
namesake_minted(const Home *home, const Message *m, Minted *ret, bool *ret_sure)
{
    const char *original = message_header(m, ORIGINAL_HEADER);
    g_autofree char *id = original ? msgid_parse(original) : NULL;

    *ret_sure = read_id(home, m->id, ret) || read_id(home, id, ret);
    if (*ret_sure || m->references->len == 0)
        return *ret_sure;
    const char *last = g_ptr_array_index(m->references, m->references->len - 1);
    return g_strcmp0(last, m->in_reply_to) != 0 && read_id(home, last, ret);
}

OutId
namesake_of(const Home *home, uint64_t generation, const Message *m, bool *ret_sure)
{
    Minted minted;

    if (!namesake_minted(home, m, &minted, ret_sure) || minted.generation != generation) {
        *ret_sure = false;
        return (OutId){0};
    }
    return (OutId){minted.number};
}

bool
namesake_is_alike(const Message *copy, const Message *ours)
{
    return copy->date_us && copy->date_us == ours->date_us &&
           g_str_equal(copy->subject, ours->subject);
}

bool
namesake_is_same(const Message *copy, const Message *ours)
{
    return namesake_is_alike(copy, ours) &&
           memcmp(&copy->body, &ours->body, sizeof copy->body) == 0;
}

/* --- mail that comes in --- */

/* By the id that the mail came with: a transaction that is run again finds ours in the
 * struct. */
static bool
learn(Engine *engine, Txn *txn, const Message *m, GError **error)
{
    bool sure, is_new;
    const char *header = message_header(m, "Message-ID");
    g_autofree char *came = header ? msgid_parse(header) : NULL;
    OutId mail = namesake_of(engine->home, db_generation(engine->db), m, &sure);
    g_autoptr(OutRow) row = NULL;

    if (mail.v == 0 || !came)
        return true;
    if (!outbox_load(engine->db, mail, &row, error))
        return false;
    if (!row || !row->bytes || g_str_equal(row->msgid, came))
        return true;
    g_autoptr(Message) ours = message_parse_bytes(row->bytes, MESSAGE_HEADERS);
    return !namesake_is_same(m, ours) || server_ids_put(txn, mail, came, &is_new, error);
}

static bool
exchange(Db *db, char **id, GError **error)
{
    char *ours = NULL;

    if (!*id)
        return true;
    if (!server_ids_find(db, *id, &ours, error))
        return false;
    if (ours) {
        g_free(*id);
        *id = ours;
    }
    return true;
}

/* Theirs stays: it stands in the References of our answers. Calling it twice adds ours once. */
static bool
add_behind(Db *db, GPtrArray *ids, GError **error)
{
    for (guint i = 0; i < ids->len; i++) {
        g_autofree char *ours = NULL;

        if (!server_ids_find(db, g_ptr_array_index(ids, i), &ours, error))
            return false;
        if (ours && !(i + 1 < ids->len && g_str_equal(ids->pdata[i + 1], ours)))
            g_ptr_array_insert(ids, (gint)++i, g_steal_pointer(&ours));
    }
    return true;
}

bool
namesake_take(Engine *engine, Txn *txn, Message *m, GError **error)
{
    bool any;

    return learn(engine, txn, m, error) && server_ids_any(engine->db, &any, error) &&
           (!any || (exchange(engine->db, &m->id, error) &&
                     exchange(engine->db, &m->in_reply_to, error) &&
                     add_behind(engine->db, m->references, error)));
}
