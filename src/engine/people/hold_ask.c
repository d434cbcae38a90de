#include "base/digest.h"
#include "engine/people/notice.h"
#include "engine/people/question_kind.h"
#include "engine/role.h"

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
hold_ask(Engine *engine, Txn *txn, const HoldQuestion *ask, GError **error)
{
    const QuestionKind *kind = ask->kind;
    const Job *job = ask->job;
    g_autofree char *msgid = NULL;
    g_autoptr(GString) s = g_string_new(NULL);
    Question q = {.kind = (char *)kind->name,
                  .asks = (char *)ask->asks,
                  .payload = (char *)ask->payload,
                  .may = kind->may,
                  .about = ask->about,
                  .job = job ? job->id : (JobId){0},
                  .round = ask->round,
                  .until_us = USEC_NEVER};
    if (!kind->digest(engine->db, &q, &q.digest, error) ||
        !kind->describe(engine, &q, ask->ahead, s, error))
        return false;
    g_autofree char *hex = digest_hex(&q.digest);
    g_string_append_printf(s, "Digest of what is shown: %s\n\n%s", hex, kind->how);
    const Notice notice = {.kind = MAIL_QUESTION,
                           .role = ask->role,
                           .job = job,
                           .apart = true,
                           .to = ask->to,
                           .subject = kind->subject,
                           .text = s->str,
                           .parent = ask->parent};
    if (!notice_post(engine, txn, &notice, &msgid, error))
        return false;
    q.msgid = msgid;
    return question_put(txn, &q, &q.id, error) && (!kind->asked || kind->asked(txn, &q, error));
}

bool
hold_ask_mails(Engine *engine,
               Txn *txn,
               const Job *job,
               const RoleMailParent *original,
               const OutId *mails,
               size_t n,
               GError **error)
{
    const Config *config = engine->home->config;
    g_autoptr(GString) ids = g_string_new(NULL);
    for (size_t i = 0; i < n; i++)
        g_string_append_printf(ids, "%s%" G_GINT64_FORMAT, i ? " " : "", mails[i].v);
    HoldQuestion ask = {.kind = &question_held_mail,
                        .asks = "may held mail leave?",
                        .payload = ids->str,
                        .role = role_get(engine, job->role, error),
                        .job = job,
                        .round = job->round,
                        .to = config->owner,
                        .parent = original};
    return ask.role && hold_ask(engine, txn, &ask, error);
}
