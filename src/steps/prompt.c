#include "engine/act.h"
#include "engine/context/conversation.h"
#include "engine/mail_load.h"
#include "steps/prompt_internal.h"
#include "steps/source.h"

/* --- our own words --- */

/* The fields of an answer that this job has beside the usual ones; caller frees. NULL: none. */
static char *
format_acts(const GPtrArray *acts)
{
    if (!acts || acts->len == 0)
        return NULL;
    GString *s = g_string_new("Your answer has further fields here; each is a list, empty where "
                              "you do nothing of it:");
    for (guint i = 0; i < acts->len; i++) {
        const ActOps *act = g_ptr_array_index(acts, i);
        g_string_append_printf(s, "\n- %s [{", act->name);
        for (const ActField *f = act->fields; f->name; f++)
            g_string_append_printf(s, "%s%s", f == act->fields ? "" : ", ", f->name);
        g_string_append_printf(s, "}]: %s; that is your answer to whoever asked.", act->about);
        for (const ActField *f = act->fields; f->name; f++)
            g_string_append_printf(s, " `%s`: %s.", f->name, f->about);
    }
    return g_string_free(s, FALSE);
}

/* The same from step to step, so that a provider can keep it. */
static void
instruct(Prompt *p)
{
    g_autofree char *further = format_acts(p->in->acts);
    g_autofree char *who =
        g_strdup_printf("You are %s <%s>, an agent that people reach by mail.",
                        p->role->display, p->role->address);
    context_instruct(p->c, who);
    context_instruct_words(p->c, SOURCE_RULES, source_words(SOURCE_RULES));
    if (further)
        context_instruct(p->c, further);
}

/* --- mail --- */

/* Shows what we know ourselves of the mail that began the round, when the mail is gone. */
static void
show_gone(Prompt *p)
{
    g_autofree char *text =
        g_strdup_printf("Subject: %s\nFrom: %s\n\nUNAVAILABLE: the mail itself is gone.",
                        p->job->subject, p->job->asker);
    context_show_cut(p->c, "ORIGINAL MAIL", p->job->original_msgid, text);
}

/* The original comes in full; only one that leaves no room for anything else is cut, to half of
 * it. */
static bool
show_mail(Prompt *p, const char *what, const MsgRow *row, bool original, GError **error)
{
    g_autofree char *text = NULL;
    size_t head = 0;
    if (!g_hash_table_add(p->shown_mails, g_strdup(row->msgid)))
        return true;
    if (!source_mail(p->engine, row, context_takes(p->c), &text, &head, error))
        return false;
    if (!text && original)
        show_gone(p);
    if (!text)
        return true;
    size_t room = context_room(p->c);
    g_autofree char *sender = conversation_sender(row);
    g_autofree char *title = g_strdup_printf("%s, %s", what, sender);
    const ContextPart part = {.title = title,
                              .from = "mail",
                              .id = row->msgid,
                              .offset = -(int64_t)head,
                              .floor = &row->floor,
                              .more = "read_attachments, filename " SOURCE_TEXT ", offset "};
    if (original && strlen(text) + CONTEXT_FRAME > room)
        context_reserve(p->c, p->keep + room / 2);
    context_show_part_cut(p->c, &part, text);
    return true;
}

/* The mail that began the round; where it is gone, what we know of it. Mostly it is open still. */
static bool
show_original(Prompt *p, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    LIST_EACH(const MsgRow, open, p->in->shown)
        if (open->id.v == p->job->original.v)
            return show_mail(p, "ORIGINAL MAIL", open, true, error);
    if (!messages_load(p->engine->db, &VIEWER_OF(p->job->role), p->job->original, &row,
                       error) ||
        (!row && !messages_find(p->engine->db, &VIEWER_OF(p->job->role), p->job->original_msgid,
                                &row, error)))
        return false;
    if (row)
        return show_mail(p, "ORIGINAL MAIL", row, true, error);
    show_gone(p);
    return true;
}

static bool
show_new(Prompt *p, GError **error)
{
    LIST_EACH(const MsgRow, row, p->in->shown) {
        const char *what = row->state == MSG_STORED ? "NEW MAIL" : "MAIL TO ANSWER";
        if (!show_mail(p, what, row, false, error))
            return false;
    }
    return true;
}

static bool
show_gathered_mails(Prompt *p, GError **error)
{
    LIST_EACH(const MailRef, ref, p->state->mail_refs) {
        g_autoptr(MsgRow) row = NULL;
        if (!messages_find(p->engine->db, &VIEWER_OF(p->job->role), ref->message_id, &row,
                           error))
            return false;
        bool ok = row ? show_mail(p, "GATHERED MAIL", row, false, error)
                      : conversation_show_written(p->engine, p->job, ref->message_id,
                                                  p->shown_mails, p->c, error);
        if (!ok)
            return false;
    }
    return true;
}

/* --- attachments --- */

/* Shows the name of a file that the brain can't see this time, though it could when it asked
 * for the file. */
static void
show_binary(Prompt *p, const char *title, const FileRef *ref)
{
    g_autofree char *text =
        g_strdup_printf("ATTACHMENT %s (binary, not readable)", ref->filename);
    context_show_cut(p->c, title, ref->message_id, text);
}

/* Attachments mostly come from the same mail: it is read once for all of them in a row. */
static bool
open_mail(Prompt *p, const char *message_id, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    if (g_strcmp0(p->opened_id, message_id) == 0)
        return true;
    g_clear_pointer(&p->opened, message_free);
    g_free(p->opened_id);
    p->opened_id = g_strdup(message_id);
    return messages_find(p->engine->db, &VIEWER_OF(p->job->role), message_id, &row, error) &&
           (!row || mail_load(p->engine, row, MESSAGE_CONTENT, &p->opened, error));
}

static bool
show_attachment(Prompt *p, const FileRef *ref, GError **error)
{
    g_auto(SourceFile) file = {0};
    g_autofree char *behind = ref->offset
                                  ? g_strdup_printf(" from byte %" G_GINT64_FORMAT, ref->offset)
                                  : g_strdup("");
    g_autofree char *title =
        g_strdup_printf("ATTACHMENT: %s%s (from <%s>)", ref->filename, behind, ref->message_id);
    ContextPart part = {.title = title, .id = ref->message_id, .filename = ref->filename};
    if (!open_mail(p, ref->message_id, error))
        return false;
    source_part(p->opened, ref->filename, context_takes(p->c), &file);
    if (!file.there) {
        context_show_cut(p->c, title, ref->message_id, "UNAVAILABLE: it is gone.");
    } else if (file.text) {
        g_autofree char *page = source_page(file.text, ref->offset);
        part.from = "attachment";
        part.offset = ref->offset;
        part.more = "read_attachments, the same filename, offset ";
        context_show_part_cut(p->c, &part, page);
    } else if (file.type && (context_takes(p->c) & context_type_takes(file.type))) {
        part.from = "file";
        part.content_type = file.type;
        context_attach(p->c, &part, file.data);
    } else {
        show_binary(p, title, ref);
    }
    return true;
}

static bool
show_attachments(Prompt *p, GError **error)
{
    LIST_EACH(const FileRef, ref, p->state->attachment_refs)
        if (!show_attachment(p, ref, error))
            return false;
    return true;
}

/* --- what the job carries along --- */

static void
show_state(Prompt *p, const char *title, const char *id, const char *text)
{
    const ContextPart part = {.title = title, .from = "state", .id = id};
    if (*text)
        context_show_part_cut(p->c, &part, text);
}

static void
show_memory(Prompt *p)
{
    if (p->job->instruction && *p->job->instruction) {
        context_say(p->c, "\nA person who may steer this job adds:");
        context_show_cut(p->c, "INSTRUCTION", ":instruction", p->job->instruction);
    }
    show_state(p, "YOUR WORKING NOTE", ":working_note", p->state->working_note);
}

/* Our own words as long as there is room for them. */
static void
say_block(Prompt *p, const char *title, const char *id, const char *text)
{
    if (*text && strlen(text) + PROMPT_FRAME <= context_room(p->c))
        context_say(p->c, text);
    else
        show_state(p, title, id, text);
}

static void
show_results(Prompt *p)
{
    show_state(p, "RESULTS OF YOUR LAST STEP", ":results", p->results);
    say_block(p, "SEARCHES TRIED", ":tried", p->tried);
    say_block(p, "UNAVAILABLE", ":unavailable", p->unavailable);
}

/* --- all of it --- */

static size_t
size_of(const char *text)
{
    return text && *text ? strlen(text) + CONTEXT_FRAME : 0;
}

static size_t
size_of_memory(const Prompt *p)
{
    return size_of(p->state->working_note) + size_of(p->job->instruction);
}

/* The size of the results of the last step, which come last of all. */
static size_t
size_of_results(const Prompt *p)
{
    return size_of(p->results) + size_of(p->tried) + size_of(p->unavailable);
}

/* What the job carries along comes last and must not be pushed out; but no more than a quarter
 * of all is kept for it. */
/* The conversation has half of the room at most: notes and files that were asked for come
 * behind it. */
static bool
show_thread(Prompt *p, size_t results, GError **error)
{
    if (context_is_told(p->c))
        return true;
    context_reserve(p->c, results + context_room(p->c) / 2);
    bool ok = conversation_show_unseen(p->engine, p->job, p->in, p->shown_mails, p->c, error);
    context_reserve(p->c, results);
    return ok;
}

static bool
show_all(Prompt *p, GError **error)
{
    if (!prompt_show_instructions(p, error))
        return false;
    p->keep = MIN(size_of_memory(p) + size_of_results(p), context_room(p->c) / 4);
    context_reserve(p->c, p->keep);
    if (!show_original(p, error))
        return false;
    context_reserve(p->c, MAX(p->keep, context_room(p->c) / 4));
    if (!show_new(p, error))
        return false;
    size_t memory = MIN(size_of_memory(p), p->keep / 2);
    size_t results = MIN(size_of_results(p), p->keep - memory);
    context_reserve(p->c, results);
    show_memory(p);
    if (!show_thread(p, results, error) || !prompt_show_bundle(p, error) ||
        !prompt_show_notes(p, error) || !show_gathered_mails(p, error) ||
        !show_attachments(p, error))
        return false;
    context_reserve(p->c, 0);
    show_results(p);
    return true;
}

static bool
fill(Prompt *p, GError **error)
{
    g_auto(Snapshot) reads = {0};
    if (!prompt_import_edits(p, error))
        return false;
    instruct(p);
    prompt_say_head(p);
    snapshot_begin(p->engine->db, &reads);
    return show_all(p, error) && prompt_mark_shown(p, error);
}

bool
prompt_fill(Engine *engine,
            const Job *job,
            const ConfRole *role,
            const StepInput *in,
            const char *workdir,
            Context *c,
            GError **error)
{
    g_autoptr(StepState) state = NULL;
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) notes =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GHashTable) mails = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (!state_parse(in->state, &state, error))
        return false;
    Prompt p = {.engine = engine,
                .job = job,
                .role = role,
                .viewer = {.role = role->name},
                .in = in,
                .c = c,
                .state = state,
                .phase = prompt_phase(state),
                .seen_notes = seen,
                .shown_notes = notes,
                .shown_mails = mails,
                .results = source_results(in->results, state),
                .tried = state_format_tried(state),
                .unavailable = state_format_unavailable(state)};
    bool ok = fill(&p, error);
    state_give_back(in->state, g_steal_pointer(&state)); /* the answer begins with the same */
    g_free(p.opened_id);
    message_free(p.opened);
    free_all(p.results, p.tried, p.unavailable);
    return ok;
}
