#include "engine/people/delivery_failure.h"
#include "engine/people/hold.h"
#include "engine/people/notice.h"
#include "engine/people/question_kind.h"
#include "engine/people/words.h"
#include "mail/address.h"
#include "store/job/jobs.h"
#include "store/out/outbox_smtp.h"

#define NUMBER_MAX 9u /* "5.111.111" */
#define NUMBERS_MAX 12u

static bool
names(const GArray *list, const char *spec)
{
    for (guint i = 0; i < list->len; i++) {
        if (address_equal(g_array_index(list, DeliveryFailure, i).address, spec))
            return true;
    }
    return false;
}

/* NULL: there is nobody to tell. */
static const char *
whom(const Engine *engine, const Job *job, const GArray *list)
{
    const char *owner = engine->home->config->owner;
    if (!names(list, owner))
        return owner;
    if (job && !names(list, job->asker) && !config_role_at(engine->home->config, job->asker))
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

static void
add_lines(GString *s, const GArray *list)
{
    for (guint i = 0; i < list->len; i++) {
        const DeliveryFailure *one = &g_array_index(list, DeliveryFailure, i);
        g_string_append_printf(s, "  to %s: %s\n", one->address, one->why);
    }
}

static bool
load_job(Engine *engine, JobId id, Job **ret, GError **error)
{
    *ret = NULL;
    return id.v == 0 || job_load(engine->db, &VIEWER_OPERATOR, id, ret, error);
}

bool
delivery_failure_tell(
    Engine *engine, Txn *txn, const OutRow *mail, const GArray *lost, GError **error)
{
    static const Trust anyone = TRUST_ANYONE; /* a server's words are in it */
    const RoleMailParent parent = {.msgid = mail->msgid, .subject = mail->subject};
    g_autoptr(Job) job = NULL;
    bool queued;
    if (lost->len == 0)
        return true;
    if (!load_job(engine, mail->job, &job, error))
        return false;
    if (job && job->state == JOB_PARKED && !job_go_on(txn, job->id, &queued, error))
        return false;
    const char *to = whom(engine, job, lost);
    const ConfRole *role = speaker(engine->home->config, job);
    if (!to || !role)
        return true;
    g_autoptr(GString) text = g_string_new(WORDS_LOST_TEXT);
    g_string_append_printf(text, "\n\n  <%s> \"%s\"\n", mail->msgid, mail->subject);
    add_lines(text, lost);
    const Notice notice = {.role = role,
                           .job = job,
                           .to = to,
                           .subject = WORDS_LOST_SUBJECT,
                           .text = text->str,
                           .parent = job ? &parent : NULL,
                           .floor = &anyone};
    return notice_post(engine, txn, &notice, NULL, error);
}

bool
delivery_failure_ask(
    Engine *engine, Txn *txn, const OutRow *mail, const GArray *open, GError **error)
{
    g_autoptr(Job) job = NULL;
    g_autoptr(GString) lines = g_string_new(NULL);
    if (open->len == 0)
        return true;
    if (!load_job(engine, mail->job, &job, error))
        return false;
    const char *to = whom(engine, NULL, open);
    const ConfRole *role = speaker(engine->home->config, job);
    if (!to || !role)
        return true;
    add_lines(lines, open);
    const RoleMailParent parent = {.msgid = mail->msgid, .subject = mail->subject};
    g_autofree char *id = g_strdup_printf("%" G_GINT64_FORMAT, mail->id.v);
    const HoldQuestion ask = {.kind = &question_mail_in_doubt,
                              .asks = "has this mail arrived?",
                              .payload = id,
                              .about = mail->id,
                              .role = role,
                              .job = job,
                              .round = mail->round,
                              .to = to,
                              .ahead = lines->str,
                              .parent = job ? &parent : NULL};
    return hold_ask(engine, txn, &ask, error);
}

/* The numbers of a reply ("550 5.1.1"), which nobody can read as an order: its words are those
 * of whoever runs the server, and the brain takes this for an instruction. Caller frees. */
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
