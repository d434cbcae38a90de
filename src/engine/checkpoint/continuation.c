#include "engine/checkpoint/continuation.h"
#include "base/json.h"
#include "engine/face.h"
#include "engine/mode.h"
#include "mail/msgid.h"
#include "notes/note_links.h"
#include "notes/notes.h"
#include "store/job/budget.h"
#include "store/job/sessions.h"
#include "store/mail/messages.h"
#include "store/spaces.h"

#define VERSION 1

/* --- the document --- */

static void
set_string(json_t *doc, const char *name, const char *value)
{
    json_object_set_new(doc, name, json_string(value ? value : ""));
}

static void
set_int(json_t *doc, const char *name, int64_t value)
{
    json_object_set_new(doc, name, json_integer(value));
}

static void
add_origin(json_t *doc, const Job *job)
{
    g_autofree char *id = msgid_format(job->original_msgid);
    set_string(doc, "type", "continuation");
    set_string(doc, "original_message_id", id);
    set_string(doc, "original_subject", job->subject);
    set_string(doc, "original_from", job->asker);
    set_int(doc, "iteration", job->iteration);
    set_int(doc, "total_iterations", job->total_iterations);
}

/* Adds what the job's mode and its face keep. */
static bool
add_members(Engine *engine, json_t *doc, const CheckpointInput *in, GError **error)
{
    const ModeOps *mode = engine_mode(engine, in->role);
    const FaceOps *face = engine_face(engine, in->job->face);
    set_string(doc, "current_phase", in->job->phase);
    return (!mode || !mode->members || mode->members(in->state, doc, error)) &&
           (!face || !face->members || face->members(engine, in->job, doc, error));
}

/* Adds what the job's program remembers, under the program's own name for its session. The
 * document does not say which open mail the program has read, since another store numbers mail
 * in its own way. */
static bool
add_session(Engine *engine, json_t *doc, const Job *job, GError **error)
{
    g_autoptr(Session) s = NULL;
    if (!session_load(engine->db, job->id, &s, error))
        return false;
    json_object_del(doc, "session");
    if (s && s->began && !*s->host)
        json_object_set_new(doc, "session", shape_json(&session_shape, s));
    return true;
}

/* The walls that it is behind (store/spaces.h). */
static bool
add_spaces(Engine *engine, json_t *doc, const Job *job, GError **error)
{
    g_autoptr(GPtrArray) names = NULL;
    if (!job_spaces(engine->db, job->id, &names, error))
        return false;
    json_object_del(doc, "spaces");
    if (names->len > 0)
        json_object_set_new(doc, "spaces", shape_texts(names));
    return true;
}

/* Ours stand last and win over whatever others call their own. */
static void
add_job(json_t *all, const CheckpointInput *in, int64_t now_us)
{
    g_autoptr(json_t) doc = json_object();
    const char *name;
    json_t *value;
    const Job *job = in->job;
    const GPtrArray *results = in->results;
    g_autofree char *resume =
        job->resume.us == USEC_NEVER ? g_strdup("") : clock_format_iso(job->resume.us);
    json_t *lines = json_array();
    for (guint i = 0; results && i < results->len; i++)
        json_array_append_new(lines, json_string(g_ptr_array_index(results, i)));
    set_int(doc, "version", VERSION);
    set_int(doc, "job", job->id.v);
    set_string(doc, "role", job->role);
    set_int(doc, "round", job->round);
    set_int(doc, "seq", job->seq);
    set_int(doc, "epoch", job->epoch);
    set_string(doc, "resume_after", resume);
    if (*resume && !job->resume.moment)
        json_object_set_new(doc, "resume_span", json_true());
    set_string(doc, "waiting_for", job->waiting_for);
    set_string(doc, "stopped", job->state == JOB_STOPPED ? job->why : "");
    set_string(doc, "wait_then", wait_then_name(job->wait_then));
    set_string(doc, "face", job->face);
    set_int(doc, "born", job->created_us);
    set_int(doc, "steps", job->steps);
    set_int(doc, "step_limit", job->step_limit);
    set_int(doc, "round_cost_micro", job->round_cost_micro);
    set_string(doc, "floor", trust_name(job->floor));
    set_int(doc, "may", job->may);
    set_int(doc, "written", now_us);
    set_int(doc, "day_cost_micro", in->day_cost_micro);
    json_object_set_new(doc, "step_results", lines);
    json_object_del(all, "resume_span");
    json_object_del(all, "mac");
    json_object_foreach(doc, name, value) json_object_del(all, name);
    json_object_update(all, doc);
}

static char *
sign(const Key *key, const json_t *doc)
{
    g_autofree char *text = json_format(doc);
    size_t len = strlen(text) - 1; /* without the last brace */
    Digest mac;
    key_mac(key, CONTINUATION_MAC_USE, text, len, &mac);
    g_autofree char *hex = digest_hex(&mac);
    return g_strdup_printf("%.*s,\"mac\":\"%s\"}", (int)len, text, hex);
}

char *
continuation_format(Engine *engine, const CheckpointInput *in, GError **error)
{
    const Home *home = engine->home;
    g_autoptr(json_t) doc = json_object();
    add_origin(doc, in->job);
    if (!add_members(engine, doc, in, error))
        return NULL;
    add_job(doc, in, home_now(home));
    if (!add_session(engine, doc, in->job, error) ||
        !add_spaces(engine, doc, in->job, error))
        return NULL;
    return sign(&home->key, doc);
}

/* --- the text for people --- */

static void
add_line(GString *text, const char *what, const char *value)
{
    g_string_append_printf(text, "%-14s%s\n", what, value && *value ? value : "(none)");
}

static void
add_when(GString *text, const Job *job)
{
    static const char *const thens[] = {"it goes on by itself", "a reminder goes out",
                                        "the owner is asked"};
    _Static_assert(G_N_ELEMENTS(thens) == WAIT_N, "words for every WaitThen");
    g_autofree char *at =
        job->resume.us == USEC_NEVER ? NULL : clock_format_iso(job->resume.us);
    if (job->state == JOB_STOPPED) {
        g_string_append_printf(text, "It was stopped: %s.\nCONTINUE lets it go on.\n",
                               job->why);
        return;
    }
    if (job->waiting_for && *job->waiting_for)
        g_string_append_printf(text, "It waits for %s", job->waiting_for);
    else
        g_string_append(text, "It came to its limit of steps for one run");
    if (at)
        g_string_append_printf(text, "; %s after %s", thens[job->wait_then], at);
    g_string_append(text,
                    ".\nA reply to this mail is shown to it. Deleting this mail stops the "
                    "job.\n");
}

static void
add_key(GString *text, GHashTable *seen, const char *key, const char *how)
{
    if (g_hash_table_add(seen, g_strdup(key)))
        g_string_append_printf(text, "  %s%s\n", key, how);
}

/* The bundle, and those notes that it lists and that there are: each step loads them. */
static bool
add_bundle(Engine *engine,
           GString *text,
           GHashTable *seen,
           const Job *job,
           const char *bundle,
           GError **error)
{
    const Viewer viewer = {.role = job->role};
    g_autoptr(Note) note = NULL;
    add_key(text, seen, bundle, " (bundle)");
    if (!note_key_valid(bundle))
        return true;
    if (!note_load(engine->db, &viewer, bundle, 0, &note, error))
        return false;
    g_autofree char *listing = note ? note_text(note) : g_strdup("");
    g_auto(GStrv) keys = note_links_keys(listing);
    for (char **k = keys; *k; k++) {
        g_autoptr(Note) listed = NULL;
        if (note_key_valid(*k) && !note_look(engine->db, &viewer, *k, 0, &listed, error))
            return false;
        if (listed && !listed->deleted)
            add_key(text, seen, *k, " (by the bundle)");
    }
    return true;
}

static bool
add_notes(Engine *engine, GString *text, const Job *job, const ModeSummary *sum, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_string_append(text, "\nNotes in context:\n");
    if (*sum->bundle && !add_bundle(engine, text, seen, job, sum->bundle, error))
        return false;
    for (guint i = 0; i < sum->note_keys->len; i++)
        add_key(text, seen, g_ptr_array_index(sum->note_keys, i), "");
    if (g_hash_table_size(seen) == 0)
        g_string_append(text, "  (none)\n");
    return true;
}

static bool
add_mail(Engine *engine,
         GString *text,
         const Job *job,
         const char *id,
         const char *folder,
         GError **error)
{
    const Viewer viewer = {.role = job->role};
    g_autoptr(MsgRow) row = NULL;
    g_autofree char *msgid = msgid_parse(id);
    if (!msgid)
        return true;
    if (!messages_find(engine->db, &viewer, msgid, &row, error))
        return false;
    const char *where = folder && *folder     ? folder
                        : row && *row->folder ? row->folder
                                              : "INBOX";
    g_string_append_printf(text, "  <%s>  %s  %s\n", msgid, where,
                           row ? row->subject : "(not here any more)");
    return true;
}

static bool
add_mails(Engine *engine, GString *text, const Job *job, const ModeMails *mails, GError **error)
{
    g_string_append(text, "\nMails in context (Message-ID, folder, subject):\n");
    if (!add_mail(engine, text, job, job->original_msgid, NULL, error))
        return false;
    LIST_EACH(const ModeMail, mail, mails)
        if (!add_mail(engine, text, job, mail->msgid, mail->folder, error))
            return false;
    return true;
}

static char *
format_text(Engine *engine, const CheckpointInput *in, GError **error)
{
    const Job *job = in->job;
    const ConfRole *role = in->role;
    g_auto(ModeSummary) sum = {0};
    mode_summary(engine_mode(engine, role), in->state, &sum);
    g_autofree char *id = msgid_format(job->original_msgid);
    g_autofree char *steps = g_strdup_printf(
        "%d in this run, %d of %" G_GINT64_FORMAT " in all", job->iteration,
        job->total_iterations, job->step_limit ? job->step_limit : role->total_iterations);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "Job %" G_GINT64_FORMAT " keeps its place with this mail. ",
                           job->id.v);
    add_when(text, job);
    g_string_append(text, "\n");
    add_line(text, "Subject:", job->subject);
    add_line(text, "From:", job->asker);
    add_line(text, "Message-ID:", id);
    add_line(text, "Steps:", steps);
    add_line(text, "Phase:", *sum.phase ? sum.phase : job->phase);
    g_string_append_printf(text, "\nWorking note:\n%s\n", *sum.note ? sum.note : "(none)");
    if (!add_notes(engine, text, job, &sum, error) ||
        !add_mails(engine, text, job, sum.mails, error))
        return NULL;
    return g_string_free(g_steal_pointer(&text), FALSE);
}

bool
continuation_compose(Engine *engine,
                     const CheckpointInput *in,
                     Compose **ret_mail,
                     GError **error)
{
    const Job *job = in->job;
    CheckpointInput all = *in;
    int64_t limit;
    if (!budget_today(engine->db, &limit, &all.day_cost_micro, error))
        return false;
    g_autofree char *json = continuation_format(engine, &all, error);
    g_autofree char *text = json ? format_text(engine, in, error) : NULL;
    if (!text)
        return false;
    g_autofree char *subject =
        g_strdup_printf("[checkpoint %" G_GINT64_FORMAT ".%" G_GINT64_FORMAT "] %s", job->id.v,
                        job->seq, job->subject);
    const Notice notice = {.role = in->role,
                           .to = in->role->address,
                           .subject = subject,
                           .text = text,
                           .parent = in->original};
    g_autoptr(Compose) c = role_mail_notice(engine, &notice, error);
    g_autoptr(GBytes) bytes = g_bytes_new(json, strlen(json));
    if (!c || !compose_attach(c, CONTINUATION_FILE, "application/json", bytes, error))
        return false;
    *ret_mail = g_steal_pointer(&c);
    return true;
}
