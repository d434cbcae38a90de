#include "engine/people/notice.h"
#include "engine/out/post.h"

bool
notice_post(Engine *engine, Txn *txn, const Notice *notice, char **ret_msgid, GError **error)
{
    const Job *job = notice->job;
    g_autoptr(Compose) c = role_mail_notice(engine, notice, error);
    Post post = {.level = TRUST_ROLE, .mailbox = notice->role->name};
    if (job && !notice->apart)
        post = post_of_job(job);
    else if (job)
        post.thread = job->thread;
    post.floor = notice->floor;
    post.step = notice->step;
    MailKind kind = notice->kind ? notice->kind : MAIL_NOTICE;
    return c && post_compose(engine, txn, kind, c, &post, NULL, ret_msgid, error);
}

bool
notice_say(
    Engine *engine, Txn *txn, const Notice *notice, GError **error, const char *words, ...)
{
    Notice said = *notice;
    va_list args;
    va_start(args, words);
    g_autofree char *text = g_strdup_vprintf(words, args);
    va_end(args);
    said.text = text;
    return notice_post(engine, txn, &said, NULL, error);
}
