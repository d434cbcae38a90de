#include "engine/letter.h"
#include "base/banned.h"
#include "mail/msgid.h"

char *
letter_footer(const Job *job)
{
    return g_strdup_printf("job %" G_GINT64_FORMAT
                           " · step %d · reply STOP, STATUS, WHY, or just write",
                           job->id.v, job->steps + 1);
}

static bool
thread_under(Compose *c, const LetterParent *parent, GError **error)
{
    if (!parent || !parent->msgid)
        return true;
    g_autoptr(GPtrArray) refs =
        msgid_answer_references(parent->references, parent->in_reply_to, parent->msgid);
    return compose_thread(c, msgid_is_writable(parent->msgid) ? parent->msgid : NULL, refs,
                          error);
}

static bool
set_subject(Compose *c, const char *subject, const LetterParent *parent, GError **error)
{
    if (subject && *subject)
        return compose_subject(c, subject, error);
    return compose_subject_reply(c, parent && parent->subject ? parent->subject : "your mail",
                                 error);
}

static Compose *
begin(const Home *home, const ConfRole *role, const LetterParent *parent, GError **error)
{
    g_autoptr(Compose) c = compose_new();
    compose_date(c, home_now(home));
    if (!compose_from(c, role->display, role->address, error) ||
        !thread_under(c, parent, error) ||
        !compose_header(c, "Auto-Submitted", parent ? "auto-replied" : "auto-generated", error))
        return NULL;
    return g_steal_pointer(&c);
}

static void
set_text(Compose *c, const char *body, const Job *job)
{
    if (!job) {
        compose_text(c, body);
        return;
    }
    g_autofree char *footer = letter_footer(job);
    g_autofree char *text = g_strdup_printf("%s\n\n-- \n%s\n", body, footer);
    compose_text(c, text);
}

Compose *
letter_answer(const Home *home,
              const ConfRole *role,
              const Job *job,
              const ProposedMail *mail,
              const GPtrArray *to,
              const LetterParent *parent,
              GError **error)
{
    g_autoptr(Compose) c = begin(home, role, parent, error);
    if (!c || !set_subject(c, mail->subject, parent, error))
        return NULL;
    for (guint i = 0; i < to->len; i++) {
        if (!compose_to(c, NULL, g_ptr_array_index(to, i), error))
            return NULL;
    }
    for (guint i = 0; i < mail->cc->len; i++) {
        if (!compose_cc(c, NULL, g_ptr_array_index(mail->cc, i), error))
            return NULL;
    }
    set_text(c, mail->body ? mail->body : "", job);
    for (guint i = 0; i < mail->files->len; i++) {
        const ProposedFile *f = g_ptr_array_index(mail->files, i);
        if (f->content && !compose_attach(c, f->filename, f->content_type, f->content, error))
            return NULL;
    }
    return g_steal_pointer(&c);
}

Compose *
letter_notice(const Home *home,
              const ConfRole *role,
              const Job *job,
              const char *to,
              const char *subject,
              const char *text,
              const LetterParent *parent,
              GError **error)
{
    g_autoptr(Compose) c = begin(home, role, parent, error);
    if (!c || !set_subject(c, subject, parent, error) || !compose_to(c, NULL, to, error))
        return NULL;
    set_text(c, text, job);
    return g_steal_pointer(&c);
}
