#include "steps/mails.h"
#include "mail/address.h"
#include "mail/msgid.h"
#include "store/out/outbox.h"

/* Models write "Ann <ann@example.org>" too. What is no address stays as it is, to be refused by
 * the policy with its name. */
static void
copy_addresses(GPtrArray *to, const GPtrArray *from)
{
    LIST_EACH(const char, given, from) {
        g_autoptr(Addresses) list = address_parse_list(given);
        const Address *only = list->len == 1 ? g_ptr_array_index(list, 0) : NULL;
        g_ptr_array_add(to, g_strdup(only && strchr(given, '<') ? only->spec : given));
    }
}

/* A name that the model gave, else the key's last part; one without an extension is Markdown.
 */
static char *
file_name(const AnswerFile *f)
{
    if (*f->filename)
        return g_strdup(f->filename);
    g_autofree char *base = g_path_get_basename(f->note_key);
    return strchr(base, '.') ? g_steal_pointer(&base) : g_strconcat(base, ".md", NULL);
}

/* The newest mail of this step, else the one that began the round. */
static const char *
newest_mail(const Turn *t)
{
    const GPtrArray *shown = LIST_ARRAY(t->in->shown);
    return shown->len ? ((const MsgRow *)shown->pdata[shown->len - 1])->msgid
                      : t->job->original_msgid;
}

/* Mail that this role has, or has written. */
static bool
knows_mail(Engine *engine, const Job *job, const char *id, bool *ret, GError **error)
{
    g_autoptr(MsgRow) in = NULL;
    g_autoptr(OutRow) out = NULL;
    if (!messages_find(engine->db, &VIEWER_OF(job->role), id, &in, error) ||
        (!in && !outbox_find(engine->db, &VIEWER_OF(job->role), id, &out, error)))
        return false;
    *ret = in || out;
    return true;
}

/* The mail that this mail answers: the one that it names, if there is such a mail. Otherwise it
 * goes into the thread, when it is for somebody who takes part. *ret NULL: it begins a thread
 * of its own. */
static bool
find_parent(Turn *t, const AnswerMail *m, char **ret, GError **error)
{
    g_autofree char *id = *m->in_reply_to ? msgid_parse(m->in_reply_to) : NULL;
    bool known = false, takes_part = m->to->len == 0;
    if (id && !knows_mail(t->engine, t->job, id, &known, error))
        return false;
    if (known) {
        *ret = g_steal_pointer(&id);
        return true;
    }
    if (*m->in_reply_to)
        state_add_result(t->state, "in_reply_to %s: there is no such mail; it was not used",
                         m->in_reply_to);
    for (guint i = 0; i < m->to->len && !takes_part; i++) {
        if (!messages_takes_part(t->engine->db, t->job->id, g_ptr_array_index(m->to, i), false,
                                 &takes_part, error))
            return false;
    }
    *ret = takes_part ? g_strdup(newest_mail(t)) : NULL;
    return true;
}

/* An end or a wait that speaks of it is none. */
static void
refuse_empty(Turn *t, const AnswerMail *m)
{
    state_add_result(t->state,
                     "mail to %s was not sent: its body is empty. Say in it what they should "
                     "know, also where something is attached",
                     m->to->len ? (const char *)g_ptr_array_index(m->to, 0) : "whoever asked");
    t->p->status = PROPOSE_CONTINUE;
    g_free(t->p->why);
    t->p->why = g_strdup("wrote an empty mail: refused");
}

/* True when any recipient gets this text for the first time in this round. */
static bool
is_fresh(Turn *t, const ProposedMail *mail)
{
    bool fresh = mail->to->len == 0 && state_say(t->state, t->job->asker, mail->body);
    LIST_EACH(const char, address, mail->to) {
        g_autofree char *to = g_ascii_strdown(address, -1);
        fresh |= state_say(t->state, to, mail->body);
    }
    return fresh;
}

static bool
propose_mail(Turn *t, const AnswerMail *m, GError **error)
{
    g_autofree char *body = g_strstrip(g_strdup(m->body));
    if (!*body) {
        refuse_empty(t, m);
        return true;
    }
    ProposedMail *mail = proposal_add_mail(t->p);
    copy_addresses(mail->to, m->to);
    copy_addresses(mail->cc, m->cc);
    mail->subject = *m->subject ? g_strdup(m->subject) : NULL;
    mail->body = g_strdup(m->body);
    t->fresh |= is_fresh(t, mail);
    LIST_EACH(const AnswerFile, f, m->attachments) {
        ProposedFile *file = g_new0(ProposedFile, 1);
        file->note_key = g_strdup(f->note_key);
        file->filename = file_name(f);
        proposed_files_add(mail->files, file);
    }
    return find_parent(t, m, &mail->in_reply_to, error);
}

bool
mails_propose(Turn *t, GError **error)
{
    LIST_EACH(const AnswerMail, m, t->answer->send_emails)
        if (!propose_mail(t, m, error))
            return false;
    return true;
}
