#include "engine/checkpoint/proof.h"
#include "base/limits.h"
#include "engine/out/namesake.h"
#include "mail/msgid.h"

#define SETTLES "X-Postrider-Settles"
#define JOB "X-Postrider-Job"
#define ENDED " ended"          /* behind the token */
#define TOKEN_USE "job token 1" /* of key_mac() */
#define TOKEN_CHARS 26

char *
proof_token(const Home *home, JobId job, int64_t born_us)
{
    g_autofree char *data =
        g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, job.v, born_us);
    Digest mac;
    key_mac(&home->key, TOKEN_USE, data, strlen(data), &mac);
    return digest_token(&mac, TOKEN_CHARS);
}

char *
proof_token_of(const Message *m, bool *ret_ends)
{
    const char *value = message_header(m, JOB);
    size_t len = value ? strcspn(value, " ") : 0;
    if (!value)
        return NULL;
    *ret_ends = g_str_equal(value + len, ENDED);
    return g_strndup(value, len);
}

static bool
name_settled(Compose *mail, const char *in_reply_to, const GPtrArray *settled, GError **error)
{
    g_autoptr(GString) value = g_string_new(NULL);
    if (settled->len == 1 && in_reply_to && msgid_is_writable(in_reply_to) &&
        g_str_equal(g_ptr_array_index(settled, 0), in_reply_to))
        return true;
    for (guint i = 0; i < settled->len && i < LIMIT_REFERENCES; i++) {
        const char *id = g_ptr_array_index(settled, i);
        if (msgid_is_plain(id) && value->len + strlen(id) + 3 <= LIMIT_HEADER_WRITTEN)
            g_string_append_printf(value, "%s<%s>", value->len ? " " : "", id);
    }
    return value->len == 0 || compose_header(mail, SETTLES, value->str, error);
}

bool
proof_name(const Home *home,
           Compose *mail,
           const Job *job,
           bool ends,
           const char *in_reply_to,
           const GPtrArray *settled,
           GError **error)
{
    g_autofree char *token = proof_token(home, job->id, job->created_us);
    g_autofree char *value = g_strconcat(token, ends ? ENDED : NULL, NULL);
    return compose_header(mail, JOB, value, error) &&
           (settled->len == 0 || name_settled(mail, in_reply_to, settled, error));
}

/* Everything that it hangs below. */
static GPtrArray *
ancestors(const Message *m)
{
    GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);
    if (m->in_reply_to)
        g_ptr_array_add(ids, g_strdup(m->in_reply_to));
    for (guint i = 0; i < m->references->len; i++)
        g_ptr_array_add(ids, g_strdup(g_ptr_array_index(m->references, i)));
    return ids;
}

GPtrArray *
proof_read(const Home *home, const Message *m)
{
    const char *settles = message_header(m, SETTLES);
    Minted minted;
    bool sure;
    if (!namesake_minted(home, m, &minted, &sure) || minted.kind == MAIL_UNSAID)
        return ancestors(m);
    if (minted.kind == MAIL_ANSWER && settles)
        return msgid_parse_list(settles, LIMIT_REFERENCES);
    GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);
    if (minted.kind == MAIL_ANSWER && m->in_reply_to)
        g_ptr_array_add(ids, g_strdup(m->in_reply_to));
    return ids;
}

void
said_init(Said *s)
{
    s->last = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    s->asked = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void
said_clear(Said *s)
{
    g_clear_pointer(&s->last, g_hash_table_unref);
    g_clear_pointer(&s->asked, g_hash_table_unref);
}

void
said_add(Said *s, const Home *home, const Message *m)
{
    g_autoptr(GPtrArray) ids = proof_read(home, m);
    bool ends = false, sure;
    g_autofree char *token = proof_token_of(m, &ends);
    Minted minted;
    for (guint i = 0; i < ids->len; i++)
        g_hash_table_add(s->last, g_strdup(g_ptr_array_index(ids, i)));
    if (!m->in_reply_to || !namesake_minted(home, m, &minted, &sure))
        return;
    if (minted.kind == MAIL_ANSWER || (token && ends))
        g_hash_table_add(s->last, g_strdup(m->in_reply_to));
    else if (minted.kind == MAIL_QUESTION)
        g_hash_table_add(s->asked, g_strdup(m->in_reply_to));
}

const char *
said_lost(const Said *s, const char *msgid, bool answered)
{
    if (!s->last || g_hash_table_contains(s->last, msgid))
        return NULL;
    if (answered)
        return "history: filed as answered, and no answer lies in Sent";
    return g_hash_table_contains(s->asked, msgid)
               ? "history: its answer waited for a yes, and no answer lies in Sent"
               : NULL;
}
