#include "steps/gather.h"
#include "base/log.h"
#include "engine/follow.h"
#include "engine/run/demand.h"
#include "mail/msgid.h"
#include "notes/notes.h"
#include "steps/source.h"
#include "store/index/index.h"

/* Results do not count as something that was shown: words of strangers stay out of them, and those
 * of an agent that had read a stranger. */
#define UNKNOWN "(words of somebody unknown: load it to read them)"

typedef struct Gather {
    Engine *engine;
    const Job *job;
    Viewer viewer;
    const Proposal *p; /* the notes of this step */
    StepState *state;
    bool found;
} Gather;

/* True, and said so, for what was looked for in vain twice already. */
static bool
given_up(Gather *g, const char *what, const char *key)
{
    if (!state_unavailable(g->state, key))
        return false;
    state_add_result(g->state, "%s %s is UNAVAILABLE; it was not looked for again", what, key);
    return true;
}

/* False, and said so, for a page that would begin behind the end. */
static bool
has_page(Gather *g, const char *what, const char *text, int64_t offset)
{
    if (offset == 0 || offset < (int64_t)strlen(text))
        return true;
    state_add_result(g->state, "%s has %zu bytes: there is nothing at %" G_GINT64_FORMAT, what,
                     strlen(text), offset);
    return false;
}

/* What this step makes of a note: 1 it writes it, -1 it takes it away, 0 nothing. */
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
add_own_note(Gather *g, const char *entry, const char *key)
{
    int fate = fate_of(g->p, key);
    if (fate > 0)
        g->found |= state_add_note(g->state, entry);
    if (fate < 0)
        state_add_result(g->state, "note %s: not loaded, this step renames or deletes it", key);
    return fate != 0;
}

/* entry: KEY or KEY@BYTES. */
static bool
add_note(Gather *g, const char *entry, GError **error)
{
    g_autoptr(Note) note = NULL;
    g_autoptr(GError) hidden = NULL;
    g_autofree char *nearest = NULL;
    int64_t offset;
    g_autofree char *key = state_note_key(entry, &offset);
    if (add_own_note(g, entry, key) || given_up(g, "note", key))
        return true;
    if (note_key_valid(key) && !note_load(g->engine->db, &g->viewer, key, 0, &note, error))
        return false;
    if (note) {
        g_autofree char *text = note_text(note);
        g_autofree char *what = g_strdup_printf("note %s", key);
        if (has_page(g, what, text, offset))
            g->found |= state_add_note(g->state, entry);
        return true;
    }
    state_fail(g->state, key);
    g_autofree char *tried = g_strdup_printf("note %s", key);
    (void)state_search_tried(g->state, tried);
    if (!viewer_check_note(g->engine->db, &g->viewer, key, &hidden)) {
        state_add_result(g->state, "note %s: %s", key, hidden->message);
        return true;
    }
    if (!notes_nearest(g->engine->db, &g->viewer, key, &nearest, error))
        return false;
    state_add_result(g->state, "note %s: there is none; %s%s", key,
                     nearest ? "did you mean " : "look for it with search_notes",
                     nearest ? nearest : "");
    return true;
}

/* Mail of its own goes by the id that we gave it: what it is worth is known by that one alone. */
static bool
add_mail(Gather *g, const MailRef *ref, GError **error)
{
    g_autofree char *id = msgid_parse(ref->message_id);
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(OutRow) own = NULL;
    if (given_up(g, "mail", ref->message_id))
        return true;
    if (id && !outbox_find(g->engine->db, &g->viewer, id, &own, error))
        return false;
    if (own) {
        g->found |= state_add_mail(g->state, own->msgid, "Sent");
        return true;
    }
    if (id && !demand_mail(g->engine, g->job->role, id, ref->folder, &row, error))
        return false;
    if (row) {
        g->found |= state_add_mail(g->state, id, *row->folder ? row->folder : "INBOX");
        return true;
    }
    state_fail(g->state, ref->message_id);
    state_add_result(g->state, "mail %s: there is none; look for it with search_emails",
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
find_mails(Gather *g, const char *query, IndexHits **ret_hits, GError **error)
{
    g_autoptr(Index) ix = NULL;
    bool fresh;
    return index_open(g->engine->home, &ix, &fresh, error) &&
           follow_index(g->engine, ix, 0, NULL, error) &&
           index_search(ix, g->engine->db, &g->viewer, query, GATHER_HITS_MAX, ret_hits, error);
}

/* Says what a search gave, and counts one that gave nothing. */
static void
report_hits(Gather *g, const char *query, guint n)
{
    if (n == 0)
        state_search_failed(g->state, query);
    state_add_result(g->state, "search %s: %u found%s", query, n,
                     n == GATHER_HITS_MAX ? " (more are not listed)" : "");
}

static bool
may_search(Gather *g, const char *query)
{
    if (state_search_unavailable(g->state, query)) {
        state_add_result(g->state, "search %s is UNAVAILABLE; it was not tried again", query);
        return false;
    }
    g->found |= state_search_tried(g->state, query);
    return true;
}

static void
report_in(Gather *g, const MsgRow *row)
{
    g_autofree char *date = clock_format_iso(row->date_us);
    state_add_result(g->state, "  <%s> %s, %s, from %s: %s", row->msgid,
                     *row->folder ? row->folder : "INBOX", date, row->from,
                     row->floor < TRUST_ROLE ? UNKNOWN : row->subject);
}

static void
report_out(Gather *g, const OutRow *row)
{
    g_autofree char *date = clock_format_iso(row->created_us);
    state_add_result(g->state, "  <%s> Sent (%s), %s, to %s: %s", row->msgid,
                     out_state_name(row->state), date, row->address,
                     row->floor < TRUST_ROLE ? UNKNOWN : row->subject);
}

static bool
search_mails(Gather *g, const AnswerSearch *s, GError **error)
{
    g_autofree char *query = mail_query(s);
    g_autoptr(IndexHits) hits = NULL;
    if (!may_search(g, query))
        return true;
    if (!find_mails(g, query, &hits, error))
        return false;
    report_hits(g, query, hits->len);
    LIST_EACH(const IndexHit, hit, hits) {
        if (hit->in)
            report_in(g, hit->in);
        else
            report_out(g, hit->out);
    }
    return true;
}

static bool
search_notes(Gather *g, const char *query, GError **error)
{
    g_autoptr(GPtrArray) hits = NULL;
    g_autofree char *shown = g_strdup_printf("notes: %s", query);
    if (!may_search(g, shown))
        return true;
    const NoteQuery q = {&g->viewer, query, GATHER_HITS_MAX};
    if (!notes_search(g->engine->home, g->engine->db, &q, &hits, error))
        return false;
    report_hits(g, shown, hits->len);
    LIST_EACH(const NoteHit, hit, hits) {
        g_autoptr(Note) note = NULL;
        if (!note_look(g->engine->db, &g->viewer, hit->key, 0, &note, error))
            return false;
        bool known = note && note->label >= TRUST_ROLE;
        state_add_result(g->state, "  %s: %s", hit->key, known ? hit->snippet : UNKNOWN);
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
read_attachment(Gather *g, const FileRef *ref, GError **error)
{
    g_autofree char *id = msgid_parse(ref->message_id);
    g_autofree char *key =
        g_strdup_printf("%s of <%s>", ref->filename, id ? id : ref->message_id);
    g_autoptr(MsgRow) row = NULL;
    g_auto(SourceFile) file = {0};
    unsigned takes = context_role_takes(g->engine, g->job->role);
    if (given_up(g, "attachment", key))
        return true;
    if (id && !demand_mail(g->engine, g->job->role, id, NULL, &row, error))
        return false;
    if (row && !source_file(g->engine, row, ref->filename, takes, &file, error))
        return false;
    const char *why = file.there ? why_unreadable(&file, takes) : NULL;
    if (!file.there) {
        state_fail(g->state, key);
        state_add_result(g->state,
                         "attachment %s: there is none; take the filename as its mail lists it",
                         key);
    } else if (why) {
        log_event(LOG_WARN, "the brain asked for a binary attachment", "filename",
                  ref->filename, "message", id, NULL);
        state_add_result(g->state, "UNSUPPORTED: ATTACHMENT %s (%s); ask for it as text",
                         ref->filename, why);
    } else if (has_page(g, key, file.text ? file.text : "", file.text ? ref->offset : 0)) {
        g->found |= state_add_attachment(g->state, id, ref->filename, ref->offset);
    }
    return true;
}

bool
gather(Engine *engine,
       const Job *job,
       const Answer *a,
       const Proposal *p,
       StepState *state,
       bool *ret_found,
       GError **error)
{
    Gather g = {
        .engine = engine, .job = job, .viewer = {.role = job->role}, .p = p, .state = state};
    for (guint i = 0; i < a->drop->len; i++)
        (void)state_drop(state, g_ptr_array_index(a->drop, i));
    LIST_EACH(const char, one, a->add_notes)
        if (!add_note(&g, one, error))
            return false;
    LIST_EACH(const MailRef, one, a->add_emails)
        if (!add_mail(&g, one, error))
            return false;
    LIST_EACH(const AnswerSearch, one, a->search_emails)
        if (!search_mails(&g, one, error))
            return false;
    LIST_EACH(const char, one, a->search_notes)
        if (!search_notes(&g, one, error))
            return false;
    LIST_EACH(const FileRef, one, a->read_attachments)
        if (!read_attachment(&g, one, error))
            return false;
    *ret_found = g.found;
    return true;
}
