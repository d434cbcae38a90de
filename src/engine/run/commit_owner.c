/* Tells people about the mails of a step, in the step's own transaction. The owner gets one
 * question about all held mails, and one notice about mail to people outside who take no part
 * in the job. The notice is left out where the owner gets that very mail, or asked for it and
 * gets an answer in the same step. A person who asked and is not the owner hears that something
 * is held. */
#include "engine/out/breaker.h"
#include "engine/out/post.h"
#include "engine/people/hold.h"
#include "engine/people/notice.h"
#include "engine/people/words.h"
#include "engine/run/commit_internal.h"

void
commit_outside_free(gpointer p)
{
    CommitOutside *o = p;
    free_all(o->to, o->no_way, o);
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
    g_string_append_printf(s, WORDS_OUTSIDE_TEXT, s->len ? "\n\n" : "", c->job->id.v, o->to,
                           o->mail->body ? o->mail->body : "");
    LIST_EACH(const ProposedFile, f, o->mail->files)
        g_string_append_printf(s, WORDS_OUTSIDE_ATTACHED, f->filename,
                               f->note_key ? ", note " : "", f->note_key ? f->note_key : "");
    if (o->no_way)
        g_string_append_printf(s, WORDS_OUTSIDE_HELD, o->no_way);
}

/* step 0: words of ours, and no mail of the step. */
static bool
post_notice(
    const Commit *c, Txn *txn, const char *to, const char *text, int step, GError **error)
{
    const Notice notice = {.role = c->role,
                           .job = c->job,
                           .to = to,
                           .text = text,
                           .parent = &c->original->letter,
                           .floor = step > 0 ? &c->in->floor : NULL,
                           .step = step};
    return notice_post(c->engine, txn, &notice, NULL, error);
}

static bool
report(Commit *c, Txn *txn, GError **error)
{
    g_autoptr(GString) s = g_string_new(NULL);
    for (guint i = 0; i < c->outside->len; i++)
        add_outside(s, c, g_ptr_array_index(c->outside, i));
    return post_notice(c, txn, c->engine->home->config->owner, s->str, c->step, error);
}

/* Tells the asker that mail is held, and nothing of its content: whether they may know it is
 * part of the question. */
static bool
tell_asker_of_hold(const Commit *c, Txn *txn, GError **error)
{
    const Config *config = c->engine->home->config;
    const char *asker = c->job->asker;
    bool listens;
    if (!asker_listens(c->engine, c->job, &listens, error))
        return false;
    if (!listens || address_equal(asker, config->owner))
        return true;
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    g_autofree char *limit = NULL;
    g_ptr_array_add(to, c->job->asker);
    if (!breaker_out(c->engine, c->job, to, 0, &limit, error))
        return false;
    if (limit) /* a word about the silence would break it */
        return true;
    bool one = c->held->len == 1;
    g_autofree char *text = g_strdup_printf(
        WORDS_HELD_ASKED, one ? WORDS_HELD_MAIL : WORDS_HELD_MAILS, config->owner);
    return post_notice(c, txn, asker, text, 0, error);
}

static bool
ask_about_held(const Commit *c, Txn *txn, GError **error)
{
    return hold_ask_mails(c->engine, txn, c->job, &c->original->letter,
                          (const OutId *)(void *)c->held->data, c->held->len, error) &&
           tell_asker_of_hold(c, txn, error);
}

bool
commit_tell_people(Commit *c, Txn *txn, GError **error)
{
    if (c->held->len > 0 && !ask_about_held(c, txn, error))
        return false;
    return c->outside->len == 0 || c->owner_answered || report(c, txn, error);
}
