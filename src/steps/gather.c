#include "steps/gather.h"
#include "base/log.h"
#include "engine/follow.h"
#include "engine/mail_load.h"
#include "engine/run/demand.h"
#include "mail/msgid.h"
#include "notes/notes.h"
#include "steps/source.h"
#include "store/index/index.h"

/* Results do not count as something that was shown: words of strangers stay out of them, and
 * those of an agent that had read a stranger. */
#define UNKNOWN "(words of somebody unknown: load it to read them)"

/* True, and said so, for what was looked for in vain twice already. */
static bool
given_up(Turn *t, const char *what, const char *key)
{
    if (!state_unavailable(t->state, key))
        return false;
    state_add_result(t->state, "%s %s is UNAVAILABLE; it was not looked for again", what, key);
    return true;
}

/* False, and said so, for a page that would begin behind the end. */
static bool
has_page(Turn *t, const char *what, const char *text, int64_t offset)
{
    if (offset == 0 || offset < (int64_t)strlen(text))
        return true;
    state_add_result(t->state, "%s has %zu bytes: there is nothing at %" G_GINT64_FORMAT, what,
                     strlen(text), offset);
    return false;
}

/* What this step does with a note: 1: the step writes it; -1: the step deletes it; 0:
 * neither. */
static int
fate_of(const Proposal *p, const char *key)
{
    int fate = 0;
    LIST_EACH(const ProposedNote, n, p->notes) {
        bool writes = n->act == NOTE_REPLACE || n->act == NOTE_APPEND;
        if (g_str_equal(n->key, key))
            fate = writes ? 1 : -1;
        if (n->to && g_str_equal(n->to, key))
            fate = 1;
    }
    return fate;
}

/* True for a note that is settled by the writes of this step, whatever the store says of it. */
static bool
add_own_note(Turn *t, const char *entry, const char *key)
{
    int fate = fate_of(t->p, key);
    if (fate > 0)
        t->fresh |= state_add_note(t->state, entry);
    if (fate < 0)
        state_add_result(t->state, "note %s: not loaded, this step renames or deletes it", key);
    return fate != 0;
}

/* entry: KEY or KEY@BYTES. */
static bool
add_note(Turn *t, const char *entry, GError **error)
{
    g_autoptr(Note) note = NULL;
    g_autoptr(GError) hidden = NULL;
    g_autofree char *nearest = NULL;
    int64_t offset;
    g_autofree char *key = state_note_key(entry, &offset);
    if (add_own_note(t, entry, key) || given_up(t, "note", key))
        return true;
    if (note_key_valid(key) &&
        !note_load(t->engine->db, &VIEWER_OF(t->job->role), key, 0, &note, error))
        return false;
    if (note) {
        g_autofree char *text = note_text(note);
        g_autofree char *what = g_strdup_printf("note %s", key);
        if (has_page(t, what, text, offset))
            t->fresh |= state_add_note(t->state, entry);
        return true;
    }
    state_fail(t->state, key);
    g_autofree char *tried = g_strdup_printf("note %s", key);
    (void)state_search_tried(t->state, tried);
    if (!viewer_check_note(t->engine->db, &VIEWER_OF(t->job->role), key, &hidden)) {
        state_add_result(t->state, "note %s: %s", key, hidden->message);
        return true;
    }
    if (!notes_nearest(t->engine->db, &VIEWER_OF(t->job->role), key, &nearest, error))
        return false;
    state_add_result(t->state, "note %s: there is none; %s%s", key,
                     nearest ? "did you mean " : "look for it with search_notes",
                     nearest ? nearest : "");
    return true;
}

/* Mail of its own goes by the id that we gave it: what it is worth is known by that one
 * alone. */
static bool
add_mail(Turn *t, const MailRef *ref, GError **error)
{
    g_autofree char *id = msgid_parse(ref->message_id);
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(OutRow) own = NULL;
    if (given_up(t, "mail", ref->message_id))
        return true;
    if (id && !outbox_find(t->engine->db, &VIEWER_OF(t->job->role), id, &own, error))
        return false;
    if (own) {
        t->fresh |= state_add_mail(t->state, own->msgid, "Sent");
        return true;
    }
    if (id && !demand_mail(t->engine, t->job->role, id, ref->folder, &row, error))
        return false;
    if (row) {
        t->fresh |= state_add_mail(t->state, id, *row->folder ? row->folder : "INBOX");
        return true;
    }
    state_fail(t->state, ref->message_id);
    state_add_result(t->state, "mail %s: there is none; look for it with search_emails",
                     ref->message_id);
    return true;
}

/* --- searches --- */

static void
add_term(GString *query, const char *operator, const char * value)
{
    if (!value || !*value)
        return;
    g_string_append_printf(query, "%s%s", query->len ? " " : "", operator);
    /* A value of several words is one phrase for its operator. */
    g_autofree char *plain = g_strdelimit(g_strdup(value), "\"\r\n\t", ' ');
    bool phrase = strchr(plain, ' ') && *operator;
    g_string_append_printf(query, phrase ? "\"%s\"" : "%s", g_strstrip(plain));
}

static void
add_day(GString *query, const char *operator, int64_t wall_us)
{
    if (wall_us == 0)
        return;
    g_autofree char *iso = clock_format_iso(wall_us);
    iso[strlen("YYYY-MM-DD")] = '\0';
    add_term(query, operator, iso);
}

static char *
mail_query(const AnswerSearch *s)
{
    GString *q = g_string_new(NULL);
    add_term(q, "from:", s->from);
    add_term(q, "to:", s->to);
    add_term(q, "subject:", s->subject);
    add_term(q, "folder:", g_ascii_strcasecmp(s->folder, "INBOX") == 0 ? "" : s->folder);
    add_day(q, "since:", s->since_us);
    add_day(q, "before:", s->before_us);
    add_term(q, "", s->text);
    return g_string_free(q, FALSE);
}

static bool
find_mails(Turn *t, const char *query, IndexHits **ret_hits, GError **error)
{
    g_autoptr(Index) ix = NULL;
    bool fresh;
    return index_open(t->engine->home, &ix, &fresh, error) &&
           follow_index(t->engine, ix, 0, NULL, error) &&
           index_search(ix, t->engine->db, &VIEWER_OF(t->job->role), query, GATHER_HITS_MAX,
                        ret_hits, error);
}

/* Says what a search gave, and counts one that gave nothing. */
static void
report_hits(Turn *t, const char *query, guint n)
{
    if (n == 0)
        state_search_failed(t->state, query);
    state_add_result(t->state, "search %s: %u found%s", query, n,
                     n == GATHER_HITS_MAX ? " (more are not listed)" : "");
}

static bool
may_search(Turn *t, const char *query)
{
    if (state_search_unavailable(t->state, query)) {
        state_add_result(t->state, "search %s is UNAVAILABLE; it was not tried again", query);
        return false;
    }
    t->fresh |= state_search_tried(t->state, query);
    return true;
}

static void
report_in(Turn *t, const MsgRow *row)
{
    g_autofree char *date = clock_format_iso(row->date_us);
    state_add_result(t->state, "  <%s> %s, %s, from %s: %s", row->msgid,
                     *row->folder ? row->folder : "INBOX", date, row->from,
                     row->floor < TRUST_ROLE ? UNKNOWN : row->subject);
}

static void
report_out(Turn *t, const OutRow *row)
{
    g_autofree char *date = clock_format_iso(row->created_us);
    state_add_result(t->state, "  <%s> Sent (%s), %s, to %s: %s", row->msgid,
                     out_state_name(row->state), date, row->address,
                     row->floor < TRUST_ROLE ? UNKNOWN : row->subject);
}

static bool
search_mails(Turn *t, const AnswerSearch *s, GError **error)
{
    g_autofree char *query = mail_query(s);
    g_autoptr(IndexHits) hits = NULL;
    if (!may_search(t, query))
        return true;
    if (!find_mails(t, query, &hits, error))
        return false;
    report_hits(t, query, hits->len);
    LIST_EACH(const IndexHit, hit, hits) {
        if (hit->in)
            report_in(t, hit->in);
        else
            report_out(t, hit->out);
    }
    return true;
}

static bool
search_notes(Turn *t, const char *query, GError **error)
{
    g_autoptr(NoteHits) hits = NULL;
    g_autofree char *shown = g_strdup_printf("notes: %s", query);
    if (!may_search(t, shown))
        return true;
    const NoteQuery q = {&VIEWER_OF(t->job->role), query, GATHER_HITS_MAX};
    if (!notes_search(t->engine->home, t->engine->db, &q, &hits, error))
        return false;
    report_hits(t, shown, hits->len);
    LIST_EACH(const NoteHit, hit, hits) {
        g_autoptr(Note) note = NULL;
        if (!note_look(t->engine->db, &VIEWER_OF(t->job->role), hit->key, 0, &note, error))
            return false;
        bool known = note && note->label >= TRUST_ROLE;
        state_add_result(t->state, "  %s: %s", hit->key, known ? hit->snippet : UNKNOWN);
    }
    return true;
}

/* --- attachments --- */

/* NULL: the brain can be shown it. */
static const char *
why_unreadable(const SourceFile *file, unsigned takes)
{
    if (file->text)
        return NULL;
    if (!file->type || !(takes & context_type_takes(file->type)))
        return "binary, not readable";
    bool fits = g_bytes_get_size(file->data) <= source_size_max(file->type);
    return fits ? NULL : "too large to be shown";
}

static bool
read_attachment(Turn *t, const FileRef *ref, GError **error)
{
    g_autofree char *id = msgid_parse(ref->message_id);
    g_autofree char *key =
        g_strdup_printf("%s of <%s>", ref->filename, id ? id : ref->message_id);
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Message) m = NULL;
    g_auto(SourceFile) file = {0};
    unsigned takes = context_role_takes(t->engine, t->job->role);
    if (given_up(t, "attachment", key))
        return true;
    if (id && !demand_mail(t->engine, t->job->role, id, NULL, &row, error))
        return false;
    if (row && !mail_load(t->engine, row, MESSAGE_CONTENT, &m, error))
        return false;
    source_part(m, ref->filename, takes, &file);
    const char *why = file.there ? why_unreadable(&file, takes) : NULL;
    if (!file.there) {
        state_fail(t->state, key);
        state_add_result(t->state,
                         "attachment %s: there is none; take the filename as its mail lists it",
                         key);
    } else if (why) {
        log_event(LOG_WARN, "the brain asked for a binary attachment", "filename",
                  ref->filename, "message", id, NULL);
        state_add_result(t->state, "UNSUPPORTED: ATTACHMENT %s (%s); ask for it as text",
                         ref->filename, why);
    } else if (has_page(t, key, file.text ? file.text : "", file.text ? ref->offset : 0)) {
        t->fresh |= state_add_attachment(t->state, id, ref->filename, ref->offset);
    }
    return true;
}

bool
gather(Turn *t, GError **error)
{
    const Answer *a = t->answer;
    LIST_EACH(const char, one, a->drop)
        (void)state_drop(t->state, one);
    LIST_EACH(const char, one, a->add_notes)
        if (!add_note(t, one, error))
            return false;
    LIST_EACH(const MailRef, one, a->add_emails)
        if (!add_mail(t, one, error))
            return false;
    LIST_EACH(const AnswerSearch, one, a->search_emails)
        if (!search_mails(t, one, error))
            return false;
    LIST_EACH(const char, one, a->search_notes)
        if (!search_notes(t, one, error))
            return false;
    LIST_EACH(const FileRef, one, a->read_attachments)
        if (!read_attachment(t, one, error))
            return false;
    return true;
}
