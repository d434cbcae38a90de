#include "engine/out/post.h"
#include "base/limits.h"
#include "base/log.h"
#include "engine/face.h"
#include "engine/mail_load.h"
#include "engine/out/outward.h"
#include "mail/address.h"
#include "mail/msgid.h"
#include "mail/parents.h"
#include "store/job/jobs.h"
#include "store/mail/messages.h"
#include "store/out/server_ids.h"
#include "store/spaces.h"

Trust
post_level_of(const Engine *engine, const char *spec)
{
    const Config *config = engine->home->config;
    if (config_person_at(config, spec))
        return TRUST_PRINCIPAL;
    if (config_role_at(config, spec))
        return TRUST_ROLE;
    return TRUST_ANYONE;
}

/* A role whose mail is on a server leaves there what it leaves for itself, which is its
 * checkpoints, unseen in INBOX; and its copies in Sent, unless the server sees to that. */
static void
add_server(const Config *config, GArray *to, size_t n_rcpts, const char *from, const Post *post)
{
    const ConfRole *role = config_role(config, post->mailbox);
    const ConfAccount *account = role && !role->person ? config_account_of(config, role) : NULL;
    if (!account)
        return;
    for (size_t i = 0; i < n_rcpts; i++) {
        const OutTo *one = &g_array_index(to, OutTo, i);
        OutTo own = {.address = one->address, .folder = "INBOX", .account = account->name};
        if (g_strcmp0(one->mailbox, post->mailbox) == 0)
            g_array_append_val(to, own);
    }
    OutTo copy = {.address = from, .folder = "Sent", .flags = "S", .account = account->name};
    if (account->sent_copy == CONF_SENT_COPY_APPEND)
        g_array_append_val(to, copy);
}

/* Where a mail goes, and what of it lives as long. */
typedef struct Route {
    Db *db;
    GArray *to;       /* of OutTo */
    GPtrArray *words; /* char *: names and addresses of members */
    char *space;      /* of the mail; NULL: none */
} Route;

static void
route_clear(Route *r)
{
    g_array_unref(r->to);
    g_ptr_array_unref(r->words);
    g_free(r->space);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Route, route_clear)

static bool
add_members(Route *r, const Space *space, const char *from, GError **error)
{
    g_autoptr(GPtrArray) members = NULL;
    g_autofree char *writer = NULL;
    if (!space_members(r->db, space->name, &members, error) ||
        !member_at(r->db, from, &writer, error))
        return false;
    g_free(r->space);
    r->space = g_strdup(space->name);
    LIST_EACH(const char, member, members) {
        char *address = NULL;
        if (g_strcmp0(member, writer) == 0)
            continue;
        if (!member_address(r->db, member, &address, error))
            return false;
        OutTo one = {.address = address ? address : space->address, .mailbox = g_strdup(member), .folder = ""};
        g_ptr_array_add(r->words, (char *)one.mailbox);
        g_ptr_array_add(r->words, address);
        g_array_append_val(r->to, one);
    }
    return true;
}

/* Adds a recipient, who may be unknown to the settings. */
static bool
add_recipient(Route *r, const char *rcpt, const char *from, const ConfAccount *way, GError **error)
{
    const char *mailbox = config_mailbox_at(db_home(r->db)->config, rcpt);
    g_autoptr(Space) space = NULL;
    if (!mailbox && !space_for(r->db, rcpt, from, &space, error))
        return false;
    guint n = r->to->len;
    if (space && !add_members(r, space, from, error))
        return false;
    if (r->to->len > n)
        return true;
    OutTo one = {.address = rcpt,
                 .mailbox = mailbox,
                 .folder = "",
                 .account = mailbox || !way ? NULL : way->name};
    g_array_append_val(r->to, one);
    return true;
}

/* Recipients as deliveries, the copies in Sent last. */
static bool
route(Route *r, const char *const *rcpts, const char *from, const Post *post, GError **error)
{
    const Config *config = db_home(r->db)->config;
    const ConfAccount *way = config_way_out(config, post->mailbox);
    GArray *to = r->to = g_array_new(FALSE, TRUE, sizeof(OutTo));
    r->words = g_ptr_array_new_with_free_func(g_free);
    for (; *rcpts && !post->copy_only; rcpts++) {
        if (!add_recipient(r, *rcpts, from, way, error))
            return false;
    }
    if (post->mailbox) {
        guint n = to->len;
        OutTo copy = {
            .address = from, .mailbox = post->mailbox, .folder = "Sent", .flags = "S"};
        g_array_append_val(to, copy);
        add_server(config, to, n, from, post);
    }
    return true;
}

/* True when the mail is for somebody other than its writer and the owner (no space keeps mail
 * from the owner). */
static bool
is_for_another(const Route *r, const OutTo *to, const Post *post)
{
    return !*to->folder && g_strcmp0(to->mailbox, post->mailbox) != 0 &&
           !address_equal(to->address, db_home(r->db)->config->owner);
}

/* A mail of a job that has been in a space, to members of it alone, stays behind that wall,
 * though it was not sent to the space. */
static bool
stay_within(Route *r, const Post *post, GError **error)
{
    g_autoptr(GPtrArray) names = NULL;
    bool others = false;
    if (r->space || !post->job.v)
        return true;
    for (guint i = 0; i < r->to->len; i++)
        others |= is_for_another(r, &g_array_index(r->to, OutTo, i), post);
    if (!others || !job_spaces(r->db, post->job, &names, error))
        return !others;
    LIST_EACH(const char, name, names) {
        bool within = true;
        for (guint i = 0; i < r->to->len && within; i++) {
            const OutTo *to = &g_array_index(r->to, OutTo, i);
            if (!is_for_another(r, to, post))
                continue;
            within = to->mailbox != NULL;
            if (within && !space_has(r->db, name, to->mailbox, &within, error))
                return false;
        }
        if (!within)
            continue;
        r->space = g_strdup(name);
        return true;
    }
    return true;
}

/* Puts one mail into the outbox. mail holds what post does not say. */
static bool
put(Engine *engine,
    Txn *txn,
    MailKind kind,
    OutId id,
    OutMail mail,
    const char *const *rcpts,
    const Post *post,
    GError **error)
{
    g_auto(Route) r = {.db = txn->db};
    if (!route(&r, rcpts, mail.from, post, error) || !stay_within(&r, post, error))
        return false;
    mail.level = post->level;
    mail.floor = post->floor;
    mail.job = post->job;
    mail.round = post->round;
    mail.step = post->step;
    mail.thread = post->thread;
    mail.answers = post->answers;
    mail.after = post->after;
    mail.held = post->held;
    mail.space = r.space;
    mail.to = (const OutTo *)(void *)r.to->data;
    mail.n_to = r.to->len;
    return outbox_put(txn, id, &mail, error) &&
           (post->held || post->copy_only || faces_posted(engine, txn, kind, mail.bytes, error));
}

bool
post_released(Engine *engine, Txn *txn, const GPtrArray *ids, GError **error)
{
    const Home *home = engine->home;
    LIST_EACH(const char, id, ids) {
        g_autoptr(OutRow) row = NULL;
        Minted minted;
        if (!outbox_find(engine->db, &VIEWER_OPERATOR, id, &row, error))
            return false;
        if (row && row->bytes && msgid_read(&home->key, id, home->config->domain, &minted) &&
            !faces_posted(engine, txn, minted.kind, row->bytes, error))
            return false;
    }
    return true;
}

static bool
goes_outside(const Engine *engine, const Compose *mail, const Post *post, bool *ret, GError **error)
{
    g_autoptr(GPtrArray) rcpts = compose_recipients(mail);
    bool here = true;
    for (guint i = 0; !post->copy_only && here && i < rcpts->len; i++) {
        if (!address_is_here(engine->db, g_ptr_array_index(rcpts, i), &here, error))
            return false;
    }
    *ret = !here;
    return true;
}

/* Mail that goes to anybody outside has as many References as others read, and a role's has an address that answers find. */
static bool
dress(const Engine *engine, Compose *mail, const Post *post, GError **error)
{
    const Config *config = engine->home->config;
    const ConfRole *role = post->mailbox ? config_role(config, post->mailbox) : NULL;
    bool outside;
    if (!goes_outside(engine, mail, post, &outside, error))
        return false;
    if (!outside)
        return true;
    compose_cut_references(mail, LIMIT_REFERENCES_OUTSIDE);
    return !role || role->person || !config_way_out(config, role->name) ||
           outward_dress(engine->home, role, post->job, mail, error);
}

Post
post_of_job(const Job *job)
{
    return (Post){.job = job->id,
                  .round = job->round,
                  .thread = job->thread,
                  .level = TRUST_ROLE,
                  .mailbox = job->role};
}

void
post_guard_length(const Config *config, const char *body, const char *const *rcpts)
{
    size_t chars = text_chars(body ? body : "");
    g_autofree char *to = g_strjoinv(", ", (char **)(void *)(uintptr_t)rcpts);
    if (config->body_warn_chars > 0 && chars > (size_t)config->body_warn_chars)
        log_say(LOG_WARN,
                "Email to '%s' body is %zu chars (>%" G_GINT64_FORMAT
                "). Consider using an attachment instead.",
                to, chars, config->body_warn_chars);
}

bool
post_parent(Engine *engine, const char *id, Message **ret, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(OutRow) own = NULL;
    bool ours;

    *ret = NULL;
    if (!outbox_find(engine->db, &VIEWER_OPERATOR, id, &own, error))
        return false;
    ours = own && own->bytes;
    if (ours)
        *ret = message_parse_bytes(own->bytes, MESSAGE_HEADERS);
    return ours || (messages_find(engine->db, &VIEWER_OPERATOR, id, &row, error) &&
                    (!row || mail_load(engine, row, MESSAGE_HEADERS, ret, error)));
}

static GPtrArray *
chain_of(const char *id, const Message *parent)
{
    return msgid_answer_references(parent ? parent->references : NULL,
                                   parent ? parent->in_reply_to : NULL, id);
}

bool
post_thread(Compose *mail, const char *id, const Message *parent, GError **error)
{
    g_autoptr(GPtrArray) refs = chain_of(id, parent);
    return compose_thread(mail, msgid_is_writable(id) ? id : NULL, refs, error);
}

bool
post_thread_all(
    Engine *engine, Compose *mail, const GPtrArray *ids, char **ret_subject, GError **error)
{
    g_autoptr(GPtrArray) chains =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    for (guint i = 0; i < ids->len; i++) {
        g_autoptr(Message) parent = NULL;
        if (!post_parent(engine, ids->pdata[i], &parent, error))
            return false;
        g_ptr_array_add(chains, chain_of(ids->pdata[i], parent));
        if (i == 0 && ret_subject)
            *ret_subject = parent ? g_strdup(parent->subject) : NULL;
    }
    return parents_thread(mail, ids, chains, error);
}

bool
post_compose(Engine *engine,
             Txn *txn,
             MailKind kind,
             Compose *mail,
             const Post *post,
             OutId *ret_id,
             char **ret_msgid,
             GError **error)
{
    const Home *home = engine->home;
    OutId id;
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *msgid = NULL;
    if (!dress(engine, mail, post, error) || !outbox_next(txn, &id, error) ||
        !compose_freeze(mail, &home->key, kind, db_generation(engine->db), id.v,
                        home->config->domain, &bytes, &msgid, error))
        return false;

    g_autoptr(GPtrArray) rcpts = compose_recipients(mail);
    g_ptr_array_add(rcpts, NULL);
    const OutMail out = {.msgid = msgid,
                         .from = compose_get_from(mail),
                         .subject = compose_get_subject(mail),
                         .bytes = bytes,
                         .in_reply_to = compose_get_parent(mail)};
    if (!put(engine, txn, kind, id, out, (const char *const *)rcpts->pdata, post, error) ||
        (compose_brings_msgid(mail) && !server_ids_put_own(txn, id, msgid, error)))
        return false;
    if (ret_id)
        *ret_id = id;
    if (ret_msgid)
        *ret_msgid = g_steal_pointer(&msgid);
    return true;
}

bool
post_raw(Engine *engine,
         Txn *txn,
         GBytes *rest,
         const char *msgid,
         const char *from,
         const char *subject,
         const char *const *rcpts,
         const Post *post,
         GError **error)
{
    const Home *home = engine->home;
    OutId id;
    if (!outbox_next(txn, &id, error))
        return false;

    gsize len;
    const char *data = g_bytes_get_data(rest, &len);
    g_autofree char *own = msgid
                               ? g_strdup(msgid)
                               : msgid_mint(&home->key, MAIL_LETTER, db_generation(engine->db),
                                            id.v, data, len, home->config->domain);
    g_autoptr(GString) all = g_string_sized_new(len + 128);
    g_autofree char *bracketed = msgid_format(own);
    g_string_append_printf(all, "Message-ID: %s\n", bracketed);
    g_string_append_len(all, data, (gssize)len);
    g_autoptr(GBytes) bytes = g_bytes_new(all->str, all->len);

    const OutMail mail = {.msgid = own, .from = from, .subject = subject, .bytes = bytes};
    return put(engine, txn, MAIL_LETTER, id, mail, rcpts, post, error);
}
