/*
 * Notes that go along with a mail. A role attaches only what it may see (store/viewer.h); else
 * the mail is refused, by the line that a write of that note gets. The owner may read every
 * note, a role of this home those that it may see; and anybody those that only jobs wrote in
 * which they take part. So what came out of the work for one person does not go to another
 * without a yes, nor does what the owner wrote. What the job itself wrote in this note is its
 * own to send: it could stand in the mail as well.
 *
 * A note does not become another's by being renamed, neither before
 * (store/note/note_versions.h: note_writers) nor in the same step.
 */
#include "engine/run/policy_internal.h"
#include "mail/address.h"
#include "store/note/note_versions.h"

/* Adds the jobs that wrote it, each once. */
static bool
add_writers(const Check *k, const char *key, GArray *jobs, GError **error)
{
    g_autoptr(GArray) more = NULL;
    if (!note_writers(k->engine->db, key, &more, error))
        return false;
    for (guint i = 0; i < more->len; i++) {
        JobId job = g_array_index(more, JobId, i);
        bool known = job.v == k->job->id.v;
        for (guint n = 0; n < jobs->len && !known; n++)
            known = g_array_index(jobs, JobId, n).v == job.v;
        if (!known)
            g_array_append_val(jobs, job);
    }
    return true;
}

/* Under every name that this step takes it from. */
static bool
find_writers(const Check *k, const char *key, GArray *jobs, GError **error)
{
    for (guint i = k->p->notes->len; i-- > 0;) {
        const ProposedNote *n = g_ptr_array_index(k->p->notes, i);
        if (n->act != NOTE_RENAME || !g_str_equal(n->to, key))
            continue;
        if (!add_writers(k, key, jobs, error))
            return false;
        key = n->key;
    }
    return add_writers(k, key, jobs, error);
}

static bool
may_read(const Check *k,
         const char *key,
         const char *spec,
         const GArray *jobs,
         bool *ret,
         GError **error)
{
    const Config *config = k->engine->home->config;
    const ConfRole *role = config_role_at(config, spec);
    *ret = true;
    if (address_equal(spec, config->owner) ||
        viewer_sees_note(k->engine->db, &VIEWER_OF(role && !role->person ? role->name : NULL),
                         key))
        return true;
    for (guint i = 0; i < jobs->len && *ret; i++) {
        JobId job = g_array_index(jobs, JobId, i);
        if (!messages_takes_part(k->engine->db, job, spec, false, ret, error))
            return false;
    }
    return true;
}

/* False: the mail is refused, v says why. */
static bool
may_attach(const Check *k, const char *key, Verdict *v)
{
    g_autoptr(GError) hidden = NULL;
    if (viewer_check_note(k->engine->db, &VIEWER_OF(k->job->role), key, &hidden))
        return true;
    verdict_refuse(v, g_strdup(hidden->message));
    return false;
}

bool
policy_notes(const Check *k, const ProposedMail *mail, Verdict *v, GError **error)
{
    g_autoptr(GPtrArray) to = policy_recipients(k, mail);
    LIST_EACH(const ProposedFile, f, mail->files) {
        g_autoptr(GArray) jobs = g_array_new(FALSE, FALSE, sizeof(JobId));
        if (!f->note_key)
            continue;
        if (!may_attach(k, f->note_key, v))
            return true;
        if (!find_writers(k, f->note_key, jobs, error))
            return false;
        LIST_EACH(const char, spec, to) {
            bool may;
            if (!may_read(k, f->note_key, spec, jobs, &may, error))
                return false;
            if (may)
                continue;
            verdict_hold(v,
                         g_strdup_printf("note %s is not for %s to read", f->note_key, spec));
            break;
        }
    }
    return true;
}
