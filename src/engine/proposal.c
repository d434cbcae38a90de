#include "base/banned.h"
#include "engine/commit.h"

static void
proposed_file_free(ProposedFile *f)
{
    g_free(f->filename);
    g_free(f->content_type);
    g_bytes_unref(f->content);
    g_free(f);
}

ProposedMail *
proposed_mail_new(void)
{
    ProposedMail *m = g_new0(ProposedMail, 1);
    m->to = g_ptr_array_new_with_free_func(g_free);
    m->cc = g_ptr_array_new_with_free_func(g_free);
    m->files = g_ptr_array_new_with_free_func((GDestroyNotify)proposed_file_free);
    return m;
}

void
proposed_mail_free(ProposedMail *m)
{
    if (!m)
        return;
    g_ptr_array_unref(m->to);
    g_ptr_array_unref(m->cc);
    g_ptr_array_unref(m->files);
    g_free(m->subject);
    g_free(m->body);
    g_free(m->in_reply_to);
    g_free(m);
}

void
proposed_mail_attach(ProposedMail *m,
                     const char *filename,
                     const char *content_type,
                     GBytes *content)
{
    ProposedFile *f = g_new0(ProposedFile, 1);
    f->filename = g_strdup(filename);
    f->content_type = g_strdup(content_type);
    f->content = g_bytes_ref(content);
    g_ptr_array_add(m->files, f);
}

Proposal *
proposal_new(ProposalStatus status)
{
    Proposal *p = g_new0(Proposal, 1);
    p->status = status;
    p->mails = g_ptr_array_new_with_free_func((GDestroyNotify)proposed_mail_free);
    p->settles = g_array_new(FALSE, FALSE, sizeof(MsgId));
    return p;
}

void
proposal_free(Proposal *p)
{
    if (!p)
        return;
    g_free(p->phase);
    g_free(p->because);
    g_free(p->why);
    g_ptr_array_unref(p->mails);
    g_array_unref(p->settles);
    g_free(p);
}

void
step_result_clear(StepResult *r)
{
    g_clear_pointer(&r->msgids, g_ptr_array_unref);
}
