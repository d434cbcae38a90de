#include "engine/people/delivery_failure.h"
#include "engine/people/hold.h"
#include "engine/people/notice.h"
#include "mail/address.h"
#include "store/job/jobs.h"
#include "store/out/outbox_smtp.h"

#define NUMBER_MAX 9u /* "5.111.111" */
#define NUMBERS_MAX 12u

static bool
names(const DeliveryFailure *list, size_t n, const char *spec)
{
    for (size_t i = 0; i < n; i++) {
        if (address_equal(list[i].address, spec))
            return true;
    }
    return false;
}

/* NULL: there is nobody to tell. */
static const char *
whom(const Engine *engine, const Job *job, const DeliveryFailure *list, size_t n)
{
    const char *owner = engine->home->config->owner;

    if (!names(list, n, owner))
        return owner;
    if (job && !names(list, n, job->asker) && !config_role_at(engine->home->config, job->asker))
        return job->asker;
    return NULL;
}

/* In whose name: the job's role, else the first agent. */
static const ConfRole *
speaker(const Config *config, const Job *job)
{
    const ConfRole *role = job ? config_role(config, job->role) : NULL;

    for (unsigned i = 0; !role && i < config->n_roles; i++) {
        if (!config->roles[i].person)
            role = &config->roles[i];
    }
    return role;
}

static char *
list_text(const OutRow *mail, const DeliveryFailure *list, size_t n, const char *before)
{
    GString *s = g_string_new(before);

    g_string_append_printf(s, "\n\n  <%s> \"%s\"\n", mail->msgid, mail->subject);
    for (size_t i = 0; i < n; i++)
        g_string_append_printf(s, "  to %s: %s\n", list[i].address, list[i].why);
    return g_string_free(s, FALSE);
}

static bool
write_to(Engine *engine,
         Txn *txn,
         const char *to,
         const Job *job,
         const char *subject,
         const char *text,
         const OutRow *mail,
         GError **error)
{
    static const Trust anyone = TRUST_ANYONE; /* a server's words are in it */
    const ConfRole *role = speaker(engine->home->config, job);
    RoleMailParent parent = {.msgid = mail->msgid, .subject = mail->subject};

    if (!role)
        return true;
    const Notice notice = {.kind = MAIL_NOTICE,
                           .role = role,
                           .job = job,
                           .to = to,
                           .subject = subject,
                           .text = text,
                           .parent = job ? &parent : NULL,
                           .floor = &anyone};
    return notice_post(engine, txn, &notice, NULL, error);
}

static bool
load_job(Engine *engine, JobId id, Job **ret, GError **error)
{
    *ret = NULL;
    return id.v == 0 || job_load(engine->db, &VIEWER_OPERATOR, id, ret, error);
}

bool
delivery_failure_tell(Engine *engine,
                      Txn *txn,
                      const OutRow *mail,
                      const DeliveryFailure *lost,
                      size_t n,
                      GError **error)
{
    g_autoptr(Job) job = NULL;
    bool queued;

    if (!load_job(engine, mail->job, &job, error))
        return false;
    if (job && job->state == JOB_PARKED && !job_go_on(txn, job->id, &queued, error))
        return false;
    const char *to = whom(engine, job, lost, n);
    if (!to)
        return true;
    g_autofree char *text = list_text(mail, lost, n, "This mail did not arrive:");
    return write_to(engine, txn, to, job, "a mail did not arrive", text, mail, error);
}

bool
delivery_failure_ask(Engine *engine,
                     Txn *txn,
                     const OutRow *mail,
                     const DeliveryFailure *open,
                     size_t n,
                     GError **error)
{
    g_autoptr(Job) job = NULL;
    g_autoptr(GString) lines = g_string_new(NULL);

    if (!load_job(engine, mail->job, &job, error))
        return false;
    const char *to = whom(engine, NULL, open, n);
    const ConfRole *role = speaker(engine->home->config, job);
    if (!to || !role)
        return true;
    for (size_t i = 0; i < n; i++)
        g_string_append_printf(lines, "  to %s: %s\n", open[i].address, open[i].why);
    return hold_ask_doubt(engine, txn, role, job, to, mail, lines->str, error);
}

/* The numbers of a reply ("550 5.1.1"), which nobody can read as an order: its words are those of
 * whoever runs the server, and the brain takes this for an instruction. Caller frees. */
static char *
numbers_of(const char *why)
{
    g_auto(GStrv) words = g_strsplit(why, " ", -1);
    g_autoptr(GString) out = g_string_new(NULL);

    for (char **word = words; *word && out->len < NUMBERS_MAX; word++) {
        size_t len = strlen(*word);
        if (len > 0 && len <= NUMBER_MAX && strspn(*word, "0123456789.") == len)
            g_string_append_printf(out, "%s%s", out->len ? " " : "", *word);
    }
    return out->len ? g_string_free(g_steal_pointer(&out), FALSE)
                    : g_strdup("the outbox says why");
}

bool
delivery_failure_news(Db *db, JobId job, char **ret_text, GArray **ret_ids, GError **error)
{
    g_autoptr(OutNewsList) all = NULL;
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(int64_t));
    g_autoptr(GString) s = g_string_new(NULL);

    if (!outbox_news(db, job, &all, error))
        return false;
    for (guint i = 0; i < all->len; i++) {
        const OutNews *n = g_ptr_array_index(all, i);
        g_autofree char *numbers = numbers_of(n->why);
        g_array_append_val(ids, n->delivery);
        g_string_append_printf(s, "%sYour mail to %s, <%s>, did not arrive: %s.", i ? "\n" : "",
                               n->address, n->msgid, numbers);
    }
    *ret_text = s->len ? g_string_free(g_steal_pointer(&s), FALSE) : NULL;
    *ret_ids = g_steal_pointer(&ids);
    return true;
}
