#include "engine/in/order_mail.h"
#include "base/limits.h"
#include "engine/out/post.h"
#include "engine/out/role_mail.h"
#include "engine/people/words.h"
#include "mail/msgid.h"

#define HEADER "X-Postrider-Order"
#define USE "order 1" /* of key_mac() */
#define MAC_MARK " mac="

void
order_mail_clear(OrderMail *o)
{
    g_clear_pointer(&o->word, g_free);
    g_clear_pointer(&o->mails, g_ptr_array_unref);
}

bool
order_mail_mark(const Home *home,
                Compose *c,
                const char *word,
                const Job *job,
                const GPtrArray *mails,
                GError **error)
{
    g_autoptr(GString) value = g_string_new(NULL);
    Digest mac;

    g_string_printf(
        value, "%s job=%" G_GINT64_FORMAT " born=%" G_GINT64_FORMAT " epoch=%" G_GINT64_FORMAT,
        word, job ? job->id.v : 0, job ? job->created_us : 0, job ? job->epoch : 0);
    for (guint i = 0; mails && i < mails->len; i++)
        g_string_append_printf(value, " <%s>", (const char *)g_ptr_array_index(mails, i));
    key_mac(&home->key, USE, value->str, value->len, &mac);
    g_autofree char *hex = digest_hex(&mac);
    g_string_append_printf(value, MAC_MARK "%s", hex);
    return compose_header(c, HEADER, value->str, error);
}

static char *
say(const char *word, const char *who, const Job *job, const GPtrArray *mails)
{
    GString *text = g_string_new(NULL);

    g_string_printf(text, WORDS_ORDER_GIVEN, word, who);
    if (job)
        g_string_append_printf(text, WORDS_ORDER_GIVEN_JOB, job->id.v);
    g_string_append(text, WORDS_ORDER_KEPT);
    for (guint i = 0; mails && i < mails->len; i++)
        g_string_append_printf(text, "\n  <%s>", (const char *)g_ptr_array_index(mails, i));
    return g_string_free(text, FALSE);
}

bool
order_mail_file(Engine *engine,
                Txn *txn,
                const char *word,
                const char *who,
                JobId id,
                const char *from,
                const GPtrArray *mails,
                GError **error)
{
    const Config *config = engine->home->config;
    g_autoptr(Job) job = NULL;

    if (id.v && !job_load(engine->db, &VIEWER_OPERATOR, id, &job, error))
        return false;
    const ConfRole *role = job    ? config_role(config, job->role)
                           : from ? config_role_at(config, from)
                                  : NULL;
    if (!role)
        return true; /* a person's own mail, or a role that is gone: there is no such folder */
    RoleMailParent parent = {.msgid = job ? job->original_msgid : NULL};
    g_autofree char *text = say(word, who, job, mails);
    g_autofree char *subject =
        g_strdup_printf(WORDS_ORDER_SUBJECT, word, job ? ": " : "", job ? job->subject : "");
    const Notice notice = {.role = role,
                           .to = role->address,
                           .subject = subject,
                           .text = text,
                           .parent = job ? &parent : NULL};
    g_autoptr(Compose) c = role_mail_notice(engine, &notice, error);
    /* Not tied to the job, whose mail the order may have taken back. */
    Post post = {.thread = job ? job->thread : (ThreadId){0},
                 .level = TRUST_ROLE,
                 .mailbox = role->name,
                 .copy_only = true};
    return c && order_mail_mark(engine->home, c, word, job, mails, error) &&
           post_compose(engine, txn, MAIL_ORDER, c, &post, NULL, NULL, error);
}

static bool
mac_holds(const Home *home, const char *value, const char *mark)
{
    Digest mac;

    return digest_parse_hex(mark + strlen(MAC_MARK), &mac) &&
           key_verify(&home->key, USE, value, (size_t)(mark - value), &mac);
}

/* "job=12" as the word at this place. */
static bool
read_number(const char *word, const char *name, int64_t *ret)
{
    size_t len = strlen(name);

    return strncmp(word, name, len) == 0 && text_parse_int(word + len, 0, INT64_MAX, ret);
}

bool
order_mail_read(const Home *home, const Message *m, OrderMail *ret)
{
    const char *value = message_header(m, HEADER);
    const char *mark = value ? strstr(value, MAC_MARK) : NULL;
    OrderMail o = {0};

    if (!mark || !mac_holds(home, value, mark))
        return false;
    g_auto(GStrv) words = g_strsplit(value, " ", 5);
    if (g_strv_length(words) != 5 || !read_number(words[1], "job=", &o.job.v) ||
        !read_number(words[2], "born=", &o.born_us) ||
        !read_number(words[3], "epoch=", &o.epoch))
        return false;
    o.word = g_strdup(words[0]);
    o.mails = msgid_parse_list(words[4], LIMIT_REFERENCES);
    *ret = o;
    return true;
}
