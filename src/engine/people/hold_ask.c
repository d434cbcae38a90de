#include "base/banned.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/text.h"
#include "engine/out/post.h"
#include "engine/out/role_mail.h"
#include "engine/people/hold.h"
#include "engine/role.h"
#include "engine/run/disarm.h"
#include <inttypes.h>

/*
 * The mail that asks. All that the agent wrote stands behind "| ", so that no text of it can
 * pass for ours, and characters that can't be seen are written out: what a person reads here is
 * what their yes is about.
 */
#define MARGIN "| "

static void
add_marked(GString *s, const char *text)
{
    g_autofree char *seen = text_vis(text, true);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(seen), "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(s, MARGIN "%s\n", *line);
}

static void
add_header(GString *s, const char *label, const char *value)
{
    g_autofree char *safe = disarm_links(value, NULL, DISARM_DATA);
    g_autofree char *seen = text_vis(safe ? safe : value, false);
    g_string_append_printf(s, MARGIN "%s: %s\n", label, seen);
}

static void
add_addresses(GString *s, const char *label, const Addresses *list)
{
    g_autofree char *all = address_show_list(list);
    if (*all)
        add_header(s, label, all);
}

/* The whole text as it was written: what a reader gets is cut and cleaned. Only a link that a
 * yes is needed for must not work before it; true: there is one. */
static bool
add_text(GString *s, const Message *m)
{
    bool disarmed = false;
    for (guint i = 0; i < m->parts->len; i++) {
        const MsgPart *part = g_ptr_array_index(m->parts, i);
        if (!part->text || !part->content)
            continue;
        gsize len;
        const char *data = g_bytes_get_data(part->content, &len);
        g_autofree char *text = text_make_valid(data, (gssize)len);
        g_autofree char *safe = disarm_links(text, NULL, DISARM_DATA);
        add_marked(s, safe ? safe : text);
        disarmed |= safe != NULL;
    }
    return disarmed;
}

static void
add_files(GString *s, const Message *m)
{
    for (guint i = 0; i < m->files->len; i++) {
        const MsgPart *part = g_ptr_array_index(m->files, i);
        gsize len;
        const void *data = g_bytes_get_data(part->content, &len);
        g_autofree char *name = text_vis(part->filename, false);
        Digest digest;
        digest_of(data, len, &digest);
        g_autofree char *hex = digest_hex(&digest);
        g_string_append_printf(
            s, MARGIN "attached: %s, %s, %" G_GSIZE_FORMAT " bytes, SHA-256 %s\n", name,
            part->content_type, len, hex);
    }
}

/* Where a yes alone would not be enough. */
static void
add_reach(const Home *home, GString *s, const Message *m)
{
    const Addresses *lists[] = {m->to, m->cc};
    for (size_t k = 0; k < G_N_ELEMENTS(lists); k++) {
        for (guint i = 0; i < lists[k]->len; i++) {
            const Address *a = g_ptr_array_index(lists[k], i);
            const char *mailbox = config_mailbox_at(home->config, a->spec);
            const char *no_way = outbox_no_way(home->config, mailbox);
            if (no_way)
                g_string_append_printf(s,
                                       "It can't reach %s from here now, even after a yes: "
                                       "%s.\n",
                                       a->spec, no_way);
        }
    }
}

/* The mail, with bytes. */
static bool
load_mail(Engine *engine, OutId id, OutRow **ret, Message **ret_mail, GError **error)
{
    g_autoptr(OutRow) row = NULL;
    if (!outbox_load(engine->db, id, &row, error))
        return false;
    if (!row || !row->bytes)
        return err_set(error, ERR_DAMAGE, "the bytes of mail %" PRId64 " are gone", id.v);
    gsize len;
    const void *data = g_bytes_get_data(row->bytes, &len);
    *ret_mail = message_parse(data, len, MESSAGE_CONTENT, NULL);
    *ret = g_steal_pointer(&row);
    return true;
}

static void
add_content(GString *s, const OutRow *row, const Message *m)
{
    add_header(s, "From", m->from ? m->from->spec : row->from);
    add_addresses(s, "To", m->to);
    add_addresses(s, "Cc", m->cc);
    add_header(s, "Subject", m->subject);
    g_string_append(s, MARGIN "\n");
    bool disarmed = add_text(s, m);
    add_files(s, m);
    g_string_append(s, disarmed ? "\nIn this question links that carry data do not work.\n\n"
                                : "\n");
}

static bool
add_mail(Engine *engine, GString *s, OutId id, GError **error)
{
    g_autoptr(OutRow) row = NULL;
    g_autoptr(Message) m = NULL;
    if (!load_mail(engine, id, &row, &m, error))
        return false;
    g_autofree char *why = text_vis(row->why ? row->why : "policy", false);
    g_string_append_printf(s, "Mail %" PRId64 " is held: %s.\n\n", id.v, why);
    add_content(s, row, m);
    add_reach(engine->home, s, m);
    return true;
}

static const char how[] = "Reply to this mail with one of these alone on the first line:\n\n"
                          "  APPROVE        it leaves exactly as shown\n"
                          "  REJECT         it never leaves\n"
                          "  REJECT: why    likewise, and the agent goes on with what you "
                          "write\n\n"
                          "What you write below that line the agent is told too. An answer "
                          "counts once.";

static char *
question_text(
    Engine *engine, const OutId *mails, size_t n, const Digest *digest, GError **error)
{
    g_autoptr(GString) s = g_string_new(NULL);
    g_autofree char *hex = digest_hex(digest);
    g_string_append_printf(s, "May %s leave? Nothing of %s has left yet.\n\n",
                           n == 1 ? "this mail" : "these mails", n == 1 ? "it" : "them");
    for (size_t i = 0; i < n; i++) {
        if (!add_mail(engine, s, mails[i], error))
            return NULL;
    }
    g_string_append_printf(s, "Digest of what is shown: %s\n\n%s", hex, how);
    return g_string_free(g_steal_pointer(&s), FALSE);
}

bool
hold_may_ask(Engine *engine, JobId job, const char **ret_why, GError **error)
{
    unsigned most = engine->home->config->max_questions;
    g_autoptr(Questions) open = NULL;
    *ret_why = NULL;
    if (most == 0)
        return true;
    if (!questions_open(engine->db, job, &open, error))
        return false;
    if (open->len >= most)
        *ret_why = "it needs a person's yes, and too many questions of this job wait for an "
                   "answer already";
    return true;
}

/* Not tied to the job, so that its brain is not shown the id which a yes must answer. */
bool
hold_ask(Engine *engine,
         Txn *txn,
         const Job *job,
         const RoleMailParent *original,
         const OutId *mails,
         size_t n,
         GError **error)
{
    const ConfRole *role = role_get(engine, job->role, error);
    Digest digest;
    QuestionId id;
    if (!role || !question_digest(engine->db, mails, n, &digest, error))
        return false;
    g_autofree char *text = question_text(engine, mails, n, &digest, error);
    g_autofree char *msgid = NULL;
    g_autoptr(Compose) c =
        text ? role_mail_notice(engine, role, job, engine->home->config->owner, NULL, text,
                                original, error)
             : NULL;
    Post post = {.thread = job->thread, .level = TRUST_ROLE, .mailbox = job->role};
    return c && post_compose(engine, txn, MAIL_QUESTION, c, &post, NULL, &msgid, error) &&
           question_put(txn, msgid, job->id, job->round, &digest, mails, n, &id, error);
}

/* --- mail in doubt --- */

static const char how_doubt[] =
    "Nothing is sent twice by itself. Reply to this mail with one of these alone on the first "
    "line:\n\n"
    "  APPROVE        it is sent once more, exactly as shown\n"
    "  REJECT         it is not: it arrived, or is not needed any more\n"
    "  REJECT: why    likewise, and the agent goes on with what you write\n\n"
    "An answer counts once.";

static char *
doubt_text(Engine *engine, OutId mail, const char *open, const Digest *digest, GError **error)
{
    g_autoptr(OutRow) row = NULL;
    g_autoptr(Message) m = NULL;
    g_autoptr(GString) s = g_string_new(NULL);
    g_autofree char *hex = digest_hex(digest);
    if (!load_mail(engine, mail, &row, &m, error))
        return NULL;
    g_string_append_printf(s,
                           "Has this mail arrived? It was handed over in full, and no answer "
                           "came. Mail %" PRId64 ", <%s>:\n\n%s\n",
                           mail.v, row->msgid, open);
    add_content(s, row, m);
    g_string_append_printf(s, "Digest of what is shown: %s\n\n%s", hex, how_doubt);
    return g_string_free(g_steal_pointer(&s), FALSE);
}

/* As little tied to the job as a question about held mail. */
bool
hold_ask_doubt(Engine *engine,
               Txn *txn,
               const ConfRole *role,
               const Job *job,
               const char *to,
               OutId mail,
               const char *open,
               GError **error)
{
    g_autoptr(OutRow) row = NULL;
    g_autofree char *msgid = NULL;
    Digest digest;
    if (!question_digest(engine->db, &mail, 1, &digest, error) ||
        !outbox_load(engine->db, mail, &row, error))
        return false;
    g_autofree char *text = doubt_text(engine, mail, open, &digest, error);
    RoleMailParent parent = {.msgid = row->msgid, .subject = row->subject};
    g_autoptr(Compose) c =
        text ? role_mail_notice(engine, role, job, to, "has this mail arrived?", text,
                                job ? &parent : NULL, error)
             : NULL;
    Post post = {.thread = job ? job->thread : (ThreadId){0},
                 .level = TRUST_ROLE,
                 .mailbox = role->name};
    return c && post_compose(engine, txn, MAIL_QUESTION, c, &post, NULL, &msgid, error) &&
           question_put_doubt(txn, msgid, job ? job->id : (JobId){0}, row->round, &digest, mail,
                              error);
}
