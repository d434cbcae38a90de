#include "engine/face.h"
#include "engine/people/words.h"
#include "engine/run/commit.h"
#include "mail/address.h"
#include "store/out/outbox.h"

void
proposed_file_free(ProposedFile *f)
{
    free_all(f->filename, f->content_type, f->note_key);
    g_clear_pointer(&f->content, g_bytes_unref);
    g_free(f);
}

ProposedMail *
proposed_mail_new(void)
{
    ProposedMail *m = g_new0(ProposedMail, 1);
    m->to = g_ptr_array_new_with_free_func(g_free);
    m->cc = g_ptr_array_new_with_free_func(g_free);
    m->answers_too = g_ptr_array_new_with_free_func(g_free);
    m->files = proposed_files_new();
    return m;
}

void
proposed_mail_free(ProposedMail *m)
{
    if (!m)
        return;
    g_ptr_array_unref(m->to);
    g_ptr_array_unref(m->cc);
    proposed_files_free(m->files);
    free_all(m->subject, m->body, m->in_reply_to);
    g_ptr_array_unref(m->answers_too);
    g_free(m);
}

void
proposed_mail_answer(ProposedMail *m, const char *id)
{
    if (m->in_reply_to)
        g_ptr_array_add(m->answers_too, g_strdup(id));
    else
        m->in_reply_to = g_strdup(id);
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
    proposed_files_add(m->files, f);
}

void
proposed_note_free(ProposedNote *n)
{
    free_all(n->key, n->to, n->refused);
    g_clear_pointer(&n->body, g_bytes_unref);
    g_free(n);
}

void
proposed_call_free(ProposedCall *c)
{
    json_decref(c->doc);
    g_free(c);
}

void
proposed_move_free(ProposedMove *m)
{
    free_all(m->msgid, m->folder, m);
}

Proposal *
proposal_new(ProposalStatus status)
{
    Proposal *p = g_new0(Proposal, 1);
    p->status = status;
    p->resume = DUE_NEVER;
    p->notes = proposed_notes_new();
    p->mails = proposed_mails_new();
    p->moves = proposed_moves_new();
    p->acts = proposed_acts_new();
    p->calls = proposed_calls_new();
    p->settles = g_array_new(FALSE, FALSE, sizeof(MsgId));
    return p;
}

ProposedMail *
proposal_add_mail(Proposal *p)
{
    ProposedMail *mail = proposed_mail_new();
    proposed_mails_add(p->mails, mail);
    return mail;
}

ProposedNote *
proposal_add_note(Proposal *p, NoteAct act, const char *key)
{
    ProposedNote *note = g_new0(ProposedNote, 1);
    note->act = act;
    note->key = g_strdup(key);
    proposed_notes_add(p->notes, note);
    return note;
}

bool
proposal_fail(Proposal *p,
              Engine *engine,
              const Job *job,
              const char *why,
              const char *log,
              GError **error)
{
    const Config *config = engine->home->config;
    bool listens;
    if (!asker_listens(engine, job, &listens, error))
        return false;
    ProposedMail *mail = proposal_add_mail(p);
    mail->plain = true;
    p->status = PROPOSE_FAIL;
    p->why = g_strdup(why);
    if (!listens && config_role_at(config, job->asker))
        g_ptr_array_add(mail->to, g_strdup(config->owner));
    else if (!address_equal(job->asker, config->owner))
        g_ptr_array_add(mail->cc, g_strdup(config->owner));
    mail->body = g_strdup_printf(WORDS_RUN_FAILED, why, log && *log ? WORDS_RUN_FAILED_LOG : "",
                                 log ? log : "");
    return true;
}

void
proposal_free(Proposal *p)
{
    if (!p)
        return;
    free_all(p->phase, p->because, p->why, p->waiting_for);
    proposed_notes_free(p->notes);
    proposed_moves_free(p->moves);
    proposed_acts_free(p->acts);
    proposed_calls_free(p->calls);
    g_free(p->calls_said);
    g_clear_pointer(&p->state, g_bytes_unref);
    proposed_mails_free(p->mails);
    g_array_unref(p->settles);
    g_free(p);
}

const char *
round_below_steer(const Job *job, const StepInput *in)
{
    if (in->floor < TRUST_ROLE)
        return "this round has read words of somebody unknown";
    return job->may & MAY_STEER ? NULL : "not everybody who asked in this round may steer";
}

bool
asker_listens(Engine *engine, const Job *job, bool *ret, GError **error)
{
    const Config *config = engine->home->config;
    g_autoptr(OutRow) asked = NULL;
    g_autoptr(Job) theirs = NULL;
    g_autoptr(MsgRow) original = NULL;
    *ret = false;
    if (!messages_load(engine->db, &VIEWER_OPERATOR, job->original, &original, error))
        return false;
    if (original && original->space)
        return true;
    *ret = config_is_person(config, job->asker);
    if (*ret || !config_role_at(config, job->asker))
        return true;
    if (!outbox_find(engine->db, &VIEWER_OPERATOR, job->original_msgid, &asked, error) ||
        (asked && !job_load(engine->db, &VIEWER_OPERATOR, asked->job, &theirs, error)))
        return false;
    *ret = theirs && (theirs->state == JOB_QUEUED || theirs->state == JOB_RUNNING ||
                      theirs->state == JOB_PARKED);
    return true;
}

bool
step_may_be_silent(Engine *engine, const StepInput *in, bool *ret, GError **error)
{
    *ret = in->shown->len > 0;
    LIST_EACH(const MsgRow, row, in->shown) {
        bool tells = row->space != NULL;
        if (!tells && !faces_tell(engine, row, &tells, error))
            return false;
        *ret &= tells;
    }
    return true;
}

GPtrArray *
step_askers(const Job *job, const StepInput *in)
{
    GPtrArray *to = g_ptr_array_new();
    bool asked = false; /* by somebody, and not just said in a space */
    LIST_EACH(const MsgRow, row, in->shown)
        asked |= !row->space;
    for (guint i = in->shown->len; i-- > 0;) {
        MsgRow *row = g_ptr_array_index(in->shown, i);
        if (*row->answer_to && !(asked && row->space) && !address_in(to, row->answer_to))
            g_ptr_array_add(to, row->answer_to);
        if (row->space && to->len > 0)
            break; /* a mail to one space goes to no other */
    }
    if (to->len == 0)
        g_ptr_array_add(to, job->asker);
    return to;
}

void
step_result_clear(StepResult *r)
{
    g_clear_pointer(&r->msgids, g_ptr_array_unref);
}
