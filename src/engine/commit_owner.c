/*
 * What the owner hears of the mails of a step, in the step's own transaction: one question
 * about all that is held, and one word about what goes to people outside who take no part in
 * the job. The word is spared where the owner gets that very mail, or asked for it and gets an
 * answer in the same step.
 */
#include "base/banned.h"
#include "engine/commit_internal.h"
#include "engine/hold.h"
#include "engine/post.h"

void
commit_outside_free(gpointer p)
{
    CommitOutside *o = p;
    g_free(o->to);
    g_free(o->no_way);
    g_free(o);
}

bool
commit_speaks_to_owner(const Commit *c)
{
    for (guint i = 0; i < c->verdicts->len; i++) {
        const Verdict *v = &g_array_index(c->verdicts, Verdict, i);
        if (v->kind == VERDICT_HELD || v->third)
            return true;
    }
    return false;
}

static void
add_outside(GString *s, const Commit *c, const CommitOutside *o)
{
    g_string_append_printf(s, "%sFor job %" G_GINT64_FORMAT " this goes to %s:\n\n%s",
                           s->len ? "\n\n" : "", c->job->id.v, o->to,
                           o->mail->body ? o->mail->body : "");
    for (guint i = 0; i < o->mail->files->len; i++) {
        const ProposedFile *f = g_ptr_array_index(o->mail->files, i);
        g_string_append_printf(s, "\n\nAttached: %s%s%s", f->filename,
                               f->note_key ? ", note " : "", f->note_key ? f->note_key : "");
    }
    if (o->no_way)
        g_string_append_printf(s, "\n\n(It is held: %s.)", o->no_way);
}

static bool
report(Commit *c, Txn *txn, GError **error)
{
    const Home *home = c->engine->home;
    g_autoptr(GString) s = g_string_new(NULL);
    for (guint i = 0; i < c->outside->len; i++)
        add_outside(s, c, g_ptr_array_index(c->outside, i));
    g_autoptr(Compose) mail = letter_notice(home, c->role, c->job, home->config->owner, NULL,
                                            s->str, &c->original->letter, error);
    Post post = {.job = c->job->id,
                 .round = c->job->round,
                 .step = c->step,
                 .thread = c->job->thread,
                 .level = TRUST_ROLE,
                 .mailbox = c->job->role};
    return mail && post_compose(c->engine, txn, mail, &post, NULL, NULL, error);
}

bool
commit_tell_owner(Commit *c, Txn *txn, GError **error)
{
    if (c->held->len > 0 &&
        !hold_ask(c->engine, txn, c->job, &c->original->letter,
                  (const OutId *)(void *)c->held->data, c->held->len, error))
        return false;
    return c->outside->len == 0 || c->owner_answered || report(c, txn, error);
}
