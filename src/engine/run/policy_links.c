/*
 * Links in what leaves. One that a person whom we work for wrote, that stands in a note of
 * theirs, or that leads to a host in `[trust] links`, stays as it is. Any other, where data is
 * whatever stands beside the bare name of a site:
 *
 *                       nobody unknown was read      words of a stranger were read
 *   without data        stays                        made not to work
 *   with data           held                         held
 *     to the owner      made not to work             made not to work
 *
 * The owner is not asked whether the owner may have a mail: the question would show the same
 * text. For that reason, and because people must hear of it, what the runtime says itself about
 * a failure or a limit is never held. A file can't be changed: one with such a link is held,
 * whoever gets it, unless everybody who asked may steer and nobody unknown was read.
 */
#include "engine/context/manifest.h"
#include "engine/mail_load.h"
#include "engine/run/disarm.h"
#include "engine/run/links.h"
#include "engine/run/policy_internal.h"
#include "mail/address.h"
#include "mail/quote.h"
#include "store/note/note_versions.h"

#define MAILS_MAX 200
#define SHOWN_MAX 80

/* --- links that were there before --- */

/* Adds the links of a mail from people who may give work: only those in their own words, not
 * those in words that the mail repeats of somebody below them. */
static void
add_mail_links(Check *k, const MsgRow *row)
{
    g_autoptr(Message) m = NULL;
    if (row->trust < TRUST_PRINCIPAL || !mail_load(k->engine, row, MESSAGE_TEXT, &m, NULL) ||
        !m)
        return;
    bool whole = row->floor >= TRUST_PRINCIPAL;
    g_autofree char *own = whole ? NULL : quote_own_text(m->text);
    links_add(k->links, whole ? m->subject : "");
    links_add(k->links, own ? own : m->text);
}

static bool
add_job_mails(Check *k, GError **error)
{
    const MsgQuery q = {.job = k->job->id, .limit = MAILS_MAX};
    g_autoptr(MsgRows) rows = NULL;
    if (!messages_list(k->engine->db, &VIEWER_OF(k->job->role), &q, &rows, error))
        return false;
    LIST_EACH(const MsgRow, row, rows)
        add_mail_links(k, row);
    return true;
}

static bool
add_part(Check *k, const char *id, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Note) note = NULL;
    if (!messages_find(k->engine->db, &VIEWER_OF(k->job->role), id, &row, error))
        return false;
    if (row) {
        add_mail_links(k, row);
        return true;
    }
    if (!note_key_valid(id))
        return true;
    if (!note_load(k->engine->db, &VIEWER_OF(k->job->role), id, 0, &note, error))
        return false;
    g_autofree char *text = note && note->label >= TRUST_PRINCIPAL ? note_text(note) : NULL;
    if (text)
        links_add(k->links, text);
    return true;
}

static bool
load_known(Check *k, GError **error)
{
    g_autoptr(GPtrArray) ids = NULL;
    if (k->links)
        return true;
    k->links = links_new();
    for (const char *const *host = k->engine->home->config->link_hosts; host && *host; host++)
        links_add_host(k->links, *host);
    if (k->job->instruction)
        links_add(k->links, k->job->instruction);
    if (!add_job_mails(k, error) || !manifest_ids(k->in->manifest, false, &ids, error))
        return false;
    LIST_EACH(const char, id, ids)
        if (!add_part(k, id, error))
            return false;
    return true;
}

/* --- what is new --- */

static bool
has_link(const char *text)
{
    Link link;
    return text && link_find(text, text, &link);
}

static void
hold_for(Verdict *v, const Link *link, const char *where)
{
    g_autofree char *dead = disarm_link(link);
    g_autofree char *line = text_vis(dead, false);
    bool cut = strlen(line) > SHOWN_MAX;
    if (cut)
        line[SHOWN_MAX] = '\0';
    g_autofree char *valid = text_make_valid(line, -1);
    verdict_hold(v, g_strdup_printf("new link with data%s%s: %s%s", *where ? " in " : "", where,
                                    valid, cut ? "..." : ""));
}

/* The runtime's own word about an end, or a mail that the owner alone gets. */
static bool
is_never_held(const Check *k, const ProposedMail *mail)
{
    const char *owner = k->engine->home->config->owner;
    g_autoptr(GPtrArray) to = policy_recipients(k, mail);
    if (k->p->status == PROPOSE_FAIL || k->p->status == PROPOSE_LIMIT)
        return true;
    LIST_EACH(const char, spec, to)
        if (!address_equal(spec, owner))
            return false;
    return true;
}

static bool
check_text(Check *k, const ProposedMail *mail, Verdict *v, GError **error)
{
    const char *texts[] = {mail->subject, mail->body};
    bool low = k->in->floor < TRUST_ROLE, held = false;
    Link link;
    if (!has_link(mail->subject) && !has_link(mail->body))
        return true;
    if (!load_known(k, error))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(texts) && !is_never_held(k, mail); i++) {
        if (!texts[i] || !links_find_new(k->links, texts[i], &link))
            continue;
        hold_for(v, &link, "");
        held = true;
        break;
    }
    unsigned what = (low ? DISARM_PLAIN : 0) | (held ? 0 : DISARM_DATA);
    v->subject = mail->subject ? disarm_links(mail->subject, k->links, what) : NULL;
    v->body = mail->body ? disarm_links(mail->body, k->links, what) : NULL;
    return true;
}

/* --- files --- */

/* The text of a file that is attached. If the file is a note, the text that this very step
 * writes into the note comes on top of what the note says already. */
static bool
file_text(const Check *k, const ProposedFile *f, GString *ret, GError **error)
{
    g_autoptr(Note) note = NULL;
    g_autofree char *there = NULL;
    if (!f->note_key) {
        g_autofree char *text = text_valid_bytes(f->content);
        g_string_append(ret, text);
        return true;
    }
    const char *key = f->note_key;
    for (guint i = k->p->notes->len; i-- > 0;) {
        const ProposedNote *n = g_ptr_array_index(k->p->notes, i);
        if (n->act == NOTE_RENAME && g_str_equal(n->to, key))
            key = n->key;
        if (!g_str_equal(n->key, key) || !n->body)
            continue;
        g_autofree char *text = text_valid_bytes(n->body);
        g_string_append_printf(ret, "%s\n", text);
    }
    if (!note_load(k->engine->db, &VIEWER_OF(k->job->role), key, 0, &note, error))
        return false;
    there = note ? note_text(note) : NULL;
    g_string_append(ret, there ? there : "");
    return true;
}

static bool
check_files(Check *k, const ProposedMail *mail, Verdict *v, GError **error)
{
    Link link;
    if (!round_below_steer(k->job, k->in))
        return true;
    LIST_EACH(const ProposedFile, f, mail->files) {
        g_autoptr(GString) text = g_string_new(NULL);
        if (!file_text(k, f, text, error))
            return false;
        if (!has_link(text->str))
            continue;
        if (!load_known(k, error))
            return false;
        if (links_find_new(k->links, text->str, &link))
            hold_for(v, &link, f->filename);
    }
    return true;
}

bool
policy_links(Check *k, const ProposedMail *mail, Verdict *v, GError **error)
{
    return check_text(k, mail, v, error) && check_files(k, mail, v, error);
}
