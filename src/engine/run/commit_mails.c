#include "engine/checkpoint/proof.h"
#include "engine/face.h"
#include "engine/mail_load.h"
#include "engine/out/post.h"
#include "engine/run/commit_internal.h"
#include "store/note/note_versions.h"
#include "store/spaces.h"

void
commit_parent_free(CommitParent *p)
{
    if (!p)
        return;
    msg_row_free(p->row);
    message_free(p->headers);
    g_clear_pointer(&p->references, g_ptr_array_unref);
    g_clear_pointer(&p->too_chains, g_ptr_array_unref);
    free_all(p->msgid, p);
}

static bool
has_id(const GPtrArray *ids, const char *id)
{
    LIST_EACH(const char, one, ids)
        if (g_str_equal(one, id))
            return true;
    return false;
}

/* Clients leave out what came before, and a server may have given the first mail another id. */
static void
put_root_first(CommitParent *p, const char *root)
{
    RoleMailParent *letter = &p->letter;
    const char *before = letter->in_reply_to;
    if (g_str_equal(root, letter->msgid) || (letter->references && has_id(letter->references, root)))
        return;
    p->references = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(p->references, g_strdup(root));
    for (guint i = 0; letter->references && i < letter->references->len; i++)
        g_ptr_array_add(p->references, g_strdup(letter->references->pdata[i]));
    if (p->references->len == 1 && before && !g_str_equal(before, root))
        g_ptr_array_add(p->references, g_strdup(before));
    letter->references = p->references;
}

static bool
put_below(Engine *engine, const Job *job, CommitParent *p, GError **error)
{
    const FaceOps *face = engine_face(engine, job->face);
    g_autofree char *root = NULL;
    if (!face || !face->root || p->row->job.v != job->id.v)
        return true;
    if (!face->root(engine, job, &root, error))
        return false;
    if (root)
        put_root_first(p, root);
    return true;
}

CommitParent *
commit_parent_load(Engine *engine, const Job *job, const char *msgid, GError **error)
{
    g_autoptr(CommitParent) p = g_new0(CommitParent, 1);
    p->msgid = g_strdup(msgid);
    p->letter = (RoleMailParent){.msgid = p->msgid, .subject = job->subject};
    if (!messages_find(engine->db, &VIEWER_OF(job->role), msgid, &p->row, error))
        return NULL;
    if (!p->row)
        return g_steal_pointer(&p);
    (void)mail_load(engine, p->row, MESSAGE_HEADERS, &p->headers, NULL);
    p->letter = (RoleMailParent){
        .msgid = p->row->msgid,
        .subject = p->row->subject,
        .in_reply_to = p->row->in_reply_to,
        .references = p->headers ? p->headers->references : NULL,
    };
    return put_below(engine, job, p, error) ? g_steal_pointer(&p) : NULL;
}

static bool
goes_to_asker(const Job *job, const StepInput *in, const ProposedMail *mail)
{
    bool goes = mail->to->len == 0 || address_in(mail->to, job->asker);
    LIST_EACH(const MsgRow, row, in->shown)
        goes |= row->space && address_in(mail->to, row->answer_to);
    return goes;
}

/* The newest that was shown; where it came by a space, and the mail goes elsewhere, one that
 * did not. */
static const char *
newest_for(const MsgRows *shown, const ProposedMail *mail, const Job *job)
{
    for (guint i = shown->len; i-- > 0;) {
        const MsgRow *row = g_ptr_array_index(shown, i);
        if (!row->space || address_in(mail->to, row->answer_to) ||
            (mail->to->len == 0 && i == shown->len - 1))
            return row->msgid;
    }
    return shown->len > 0 ? NULL : job->original_msgid;
}

const char *
step_parent_id(const Job *job, const StepInput *in, const ProposedMail *mail)
{
    const MsgRows *shown = in->shown;
    if (mail->in_reply_to)
        return mail->in_reply_to;
    if (mail->to->len > 0 && !(step_hears(in) && goes_to_asker(job, in, mail)))
        return NULL;
    return newest_for(shown, mail, job);
}

static bool
load_others(Commit *c, const ProposedMail *mail, CommitParent *p, GError **error)
{
    p->too_chains = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    LIST_EACH(const char, id, mail->answers_too) {
        g_autoptr(CommitParent) other = commit_parent_load(c->engine, c->job, id, error);
        if (!other)
            return false;
        g_ptr_array_add(p->too_chains, role_mail_chain(&other->letter));
    }
    p->letter.too = mail->answers_too;
    p->letter.too_chains = p->too_chains;
    return true;
}

bool
commit_load_parents(Commit *c, GError **error)
{
    c->parents = g_ptr_array_new_with_free_func((GDestroyNotify)commit_parent_free);
    for (guint i = 0; i < c->p->mails->len; i++) {
        const ProposedMail *mail = g_ptr_array_index(c->p->mails, i);
        const char *msgid = step_parent_id(c->job, c->in, mail);
        CommitParent *parent =
            msgid ? commit_parent_load(c->engine, c->job, msgid, error) : NULL;
        if (msgid && !parent)
            return false;
        g_ptr_array_add(c->parents, parent);
        if (mail->answers_too->len && !load_others(c, mail, parent, error))
            return false;
    }
    return true;
}

/* True when all recipients are people to whom the closing line means something. For others a
 * job's number has no use, its cost is none of their business, and their orders count for
 * nothing. */
static bool
are_insiders(const Commit *c, const GPtrArray *specs)
{
    const Config *config = c->engine->home->config;
    LIST_EACH(const char, spec, specs)
        if (!address_equal(spec, c->job->asker) && !config_is_person(config, spec) &&
            !config_role_at(config, spec))
            return false;
    return true;
}

/* A file that is a note: its newest version, also when this very step wrote it. */
static bool
attach_note(Commit *c, Compose *mail, const ProposedFile *f, GError **error)
{
    g_autoptr(Note) note = NULL;
    if (!note_load(c->engine->db, &VIEWER_OF(c->job->role), f->note_key, 0, &note, error))
        return false;
    if (!note)
        return err_set(error, ERR_NEVER, "the note '%s' to attach does not exist", f->note_key);
    const char *type = f->content_type ? f->content_type : compose_type_of(f->filename);
    return compose_attach(mail, f->filename, type, note->body, error);
}

static Compose *
compose_mail(Commit *c,
             const ProposedMail *mail,
             const Verdict *v,
             const CommitParent *parent,
             GError **error)
{
    g_autoptr(GPtrArray) asked = mail->to->len == 0 ? step_askers(c->job, c->in) : NULL;
    ProposedMail said = *mail;
    said.subject = v->subject ? v->subject : mail->subject;
    said.body = v->body ? v->body : mail->body;
    const GPtrArray *to = asked ? asked : mail->to;
    bool inside = are_insiders(c, to) && are_insiders(c, mail->cc);
    g_autoptr(Compose) made =
        role_mail_answer(c->engine, c->role, inside ? c->job : NULL, &said, to,
                         parent ? &parent->letter : NULL, error);
    if (!made)
        return NULL;
    LIST_EACH(const ProposedFile, f, mail->files)
        if (f->note_key && !attach_note(c, made, f, error))
            return NULL;
    return g_steal_pointer(&made);
}

/* NULL-terminated. */
static GPtrArray *
recipients(const Compose *mail)
{
    GPtrArray *to = compose_recipients(mail);
    g_ptr_array_add(to, NULL);
    return to;
}

/* The recipients that no mail can reach from here, and why; NULL: there are none. */
static bool
unreached(const Commit *c, const Compose *mail, bool *ret_all, char **ret, GError **error)
{
    g_autoptr(GPtrArray) to = compose_recipients(mail);
    g_autoptr(GString) names = g_string_new(NULL);
    const Config *config = c->engine->home->config;
    const char *why = NULL;
    unsigned n = 0;
    LIST_EACH(const char, spec, to) {
        const char *no_way = outbox_no_way(config, config_mailbox_at(config, spec));
        bool here;
        if (no_way && !address_is_here(c->engine->db, spec, &here, error))
            return false;
        if (!no_way || here)
            continue;
        g_string_append_printf(names, "%s%s", n++ ? ", " : "", spec);
        why = no_way;
    }
    *ret_all = n == to->len;
    *ret = why ? g_strdup_printf("%s: %s", names->str, why) : NULL;
    return true;
}

static bool
say_allowed(Commit *c,
            const Compose *made,
            const char *to,
            const char *msgid,
            char **ret_no_way,
            GError **error)
{
    bool all;
    g_autofree char *no_way = NULL;
    if (!unreached(c, made, &all, &no_way, error))
        return false;
    if (!no_way)
        commit_result(c, "mail to %s was sent; its Message-ID is <%s>", to, msgid);
    else
        commit_result(c, "mail to %s %s (%s); its Message-ID is <%s>", to,
                      all ? "is held" : "was sent, but not to all", no_way, msgid);
    *ret_no_way = g_steal_pointer(&no_way);
    return true;
}

/* Notes what the owner must hear about this mail. */
static void
note_for_owner(
    Commit *c, const ProposedMail *mail, const Compose *made, const Verdict *v, char *no_way)
{
    const char *owner = c->engine->home->config->owner;
    g_autoptr(GPtrArray) to = compose_recipients(made);
    g_autofree char *why = no_way;
    bool owner_gets = address_in(to, owner);
    c->owner_answered |= owner_gets && address_equal(c->job->asker, owner);
    if (!v->third || owner_gets)
        return;
    CommitOutside *o = g_new0(CommitOutside, 1);
    *o = (CommitOutside){
        .mail = mail, .to = g_strdup(v->third), .no_way = g_steal_pointer(&why)};
    g_ptr_array_add(c->outside, o);
}

/* Names in the mail the mails that it answers, so that the mail alone proves this when the
 * store is lost: those settled in this step that it replies to, or that its recipients
 * wrote. */
static bool
name_settled(Commit *c,
             Compose *made,
             const CommitParent *parent,
             bool held,
             MailKind *ret,
             GError **error)
{
    g_autoptr(GPtrArray) to = compose_recipients(made);
    g_autoptr(GPtrArray) settled = g_ptr_array_new();
    LIST_EACH(const MsgRow, row, c->in->shown) {
        bool replies = parent && g_str_equal(parent->letter.msgid, row->msgid);
        if ((!replies && !address_in(to, row->from) && !address_in(to, row->answer_to)) ||
            !commit_settles(c, row))
            continue;
        g_ptr_array_add(settled, row->msgid);
        if (!held)
            g_array_append_val(c->answered, row->id.v);
    }
    bool failed = c->status == PROPOSE_FAIL || c->status == PROPOSE_LIMIT;
    *ret = settled->len ? MAIL_ANSWER : failed ? MAIL_FAILURE : MAIL_INTERIM;
    return proof_name(c->engine->home, made, c->job, commit_ends(c),
                      parent ? parent->letter.msgid : NULL, settled, error);
}

static bool
put_mail(Commit *c,
         Txn *txn,
         const ProposedMail *mail,
         Compose *made,
         const Verdict *v,
         const CommitParent *parent,
         GError **error)
{
    g_autoptr(GPtrArray) rcpts = recipients(made);
    g_autofree char *to = g_strjoinv(", ", (char **)rcpts->pdata);
    const MsgRow *answers = parent ? parent->row : NULL;
    bool held = v->kind == VERDICT_HELD;
    char *msgid, *no_way = NULL;
    OutId id;
    MailKind kind;
    Post post = post_of_job(c->job);
    post.step = c->step;
    post.floor = &c->in->floor;
    post.held = held ? v->why : NULL;
    if (mail->apart)
        post.thread = (ThreadId){0};
    if (commit_may_mark(c, answers))
        post.answers = answers->id;
    post_guard_length(c->engine->home->config, mail->body, (const char *const *)rcpts->pdata);
    if (!name_settled(c, made, parent, held, &kind, error) ||
        !post_compose(c->engine, txn, kind, made, &post, &id, &msgid, error))
        return false;
    g_ptr_array_add(c->msgids, msgid);
    commit_did(c, "%s %s<%s>", mail->to->len ? "wrote" : "answered", held ? "(held) " : "",
               msgid);
    if (held) {
        commit_result(c, "mail to %s is held for a person's yes (%s); its Message-ID is <%s>",
                      to, v->why, msgid);
        g_array_append_val(c->held, id);
        return true;
    }
    if (!say_allowed(c, made, to, msgid, &no_way, error))
        return false;
    note_for_owner(c, mail, made, v, no_way);
    return true;
}

/* Why this mail is not even composed; NULL: it is. */
static const char *
why_not_composed(const Commit *c, const Verdict *v)
{
    if (v->kind == VERDICT_REFUSED)
        return v->why;
    if (c->notes_failed)
        return "a note of the same step failed";
    return v->kind == VERDICT_HELD ? c->no_question : NULL;
}

static void
draft_free(gpointer p)
{
    CommitDraft *d = p;
    compose_free(d->made);
    free_all(d->why, d);
}

static bool
compose_one(Commit *c, guint i, CommitDraft *draft, GError **error)
{
    const ProposedMail *mail = g_ptr_array_index(c->p->mails, i);
    const Verdict *v = &g_array_index(c->verdicts, Verdict, i);
    g_autoptr(GError) failed = NULL;
    draft->why = g_strdup(why_not_composed(c, v));
    if (!draft->why)
        draft->made = compose_mail(c, mail, v, g_ptr_array_index(c->parents, i), &failed);
    if (draft->made) {
        c->mails_put++;
        return true;
    }
    c->mails_failed++;
    if (failed &&
        !(step_hears(c->in) && (err_is(failed, ERR_NEVER) || err_is(failed, ERR_LIMIT))))
        return err_pass(error, g_steal_pointer(&failed));
    if (failed)
        draft->why = g_strdup(failed->message);
    return true;
}

bool
commit_compose_mails(Commit *c, GError **error)
{
    c->drafts = g_ptr_array_new_with_free_func(draft_free);
    for (guint i = 0; i < c->p->mails->len; i++) {
        CommitDraft *draft = g_new0(CommitDraft, 1);
        g_ptr_array_add(c->drafts, draft);
        if (!compose_one(c, i, draft, error))
            return false;
    }
    return true;
}

static void
not_sent(Commit *c, const ProposedMail *mail, const char *why)
{
    const char *to = mail->to->len ? g_ptr_array_index(mail->to, 0) : c->job->asker;
    g_ptr_array_add(c->msgids, NULL);
    commit_result(c, "mail to %s was not sent: %s", to, why);
    commit_did(c, "did not send a mail (%s)", why);
}

bool
commit_put_mails(Commit *c, Txn *txn, GError **error)
{
    for (guint i = 0; i < c->p->mails->len; i++) {
        const ProposedMail *mail = g_ptr_array_index(c->p->mails, i);
        const CommitDraft *draft = g_ptr_array_index(c->drafts, i);
        if (mail->at_end && !commit_ends(c))
            g_ptr_array_add(c->msgids, NULL);
        else if (!draft->made)
            not_sent(c, mail, draft->why);
        else if (!put_mail(c, txn, mail, draft->made, &g_array_index(c->verdicts, Verdict, i),
                           g_ptr_array_index(c->parents, i), error))
            return false;
    }
    return true;
}
