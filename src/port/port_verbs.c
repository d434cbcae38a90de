#include "port/port_verbs.h"
#include "base/json.h"
#include "base/limits.h"
#include "engine/act.h"
#include "engine/context/manifest.h"
#include "mail/msgid.h"
#include "store/note/note_versions.h"
#include "store/spaces.h"
#include <sysexits.h>

typedef struct Verb {
    const char *name;
    const char *const *members;
    PortVerb *run;
    bool looks; /* and needs no job */
} Verb;

void
port_talk_init(
    PortTalk *talk, Engine *engine, const Job *job, const JobClaim *claim, const StepInput *in)
{
    *talk =
        (PortTalk){.engine = engine,
                   .claim = claim,
                   .floor = in->floor,
                   .reads = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                   .spaces = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                   .notes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                   .unsettled = msg_rows_new_view(),
                   .answers = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free)};
    port_talk_renew(talk, job, in);
}

void
port_talk_renew(PortTalk *talk, const Job *job, const StepInput *in)
{
    talk->job = job;
    talk->in = in;
    talk->viewer = (Viewer){.role = job->role};
    talk->floor = MIN(talk->floor, in->floor);
    g_hash_table_remove_all(talk->reads);
    g_hash_table_remove_all(talk->answers);
    g_ptr_array_set_size(LIST_ARRAY(talk->unsettled), 0);
    g_ptr_array_extend(LIST_ARRAY(talk->unsettled), LIST_ARRAY(in->shown), NULL, NULL);
}

void
port_talk_clear(PortTalk *talk)
{
    g_clear_pointer(&talk->reads, g_hash_table_unref);
    g_clear_pointer(&talk->spaces, g_hash_table_unref);
    g_clear_pointer(&talk->notes, g_hash_table_unref);
    g_clear_pointer(&talk->unsettled, msg_rows_free);
    g_clear_pointer(&talk->answers, g_hash_table_unref);
}

void
port_has_read(PortTalk *talk, const char *id, int64_t version, const char *space)
{
    g_hash_table_add(talk->reads, g_strdup_printf("%" G_GINT64_FORMAT " %s", version, id));
    if (space && !g_hash_table_contains(talk->spaces, space))
        g_hash_table_insert(talk->spaces, g_strdup(space), GINT_TO_POINTER(false));
}

GBytes *
port_manifest(const PortTalk *talk, GBytes *page)
{
    g_autoptr(GPtrArray) keys = g_ptr_array_new();
    g_autoptr(json_t) reads = json_array();
    GHashTableIter i;
    gpointer read_key;
    g_hash_table_iter_init(&i, talk->reads);
    while (g_hash_table_iter_next(&i, &read_key, NULL))
        g_ptr_array_add(keys, read_key);
    g_ptr_array_sort(keys, text_compare);
    LIST_EACH(const char, key, keys) {
        int64_t version = g_ascii_strtoll(key, NULL, 10);
        json_t *read = json_pack("{s:s}", "id", strchr(key, ' ') + 1);
        if (version > 0)
            json_object_set_new(read, "version", json_integer(version));
        json_array_append_new(reads, read);
    }
    return manifest_add_reads(page, reads);
}

/* The job is behind the wall of what its program was just shown, also when the run dies before its next step. */
static bool
enter_spaces(PortTalk *talk, GError **error)
{
    GHashTableIter i;
    gpointer name, known;
    bool any = false;
    g_hash_table_iter_init(&i, talk->spaces);
    while (g_hash_table_iter_next(&i, &name, &known))
        any |= !GPOINTER_TO_INT(known);
    g_auto(Txn) txn = {.db = talk->engine->db, .flush = TXN_DURABLE};
    while (any && txn_again(&txn, error)) {
        g_hash_table_iter_init(&i, talk->spaces);
        while (g_hash_table_iter_next(&i, &name, NULL))
            if (!job_space_add(&txn, talk->job->id, name, error))
                return false;
        txn.ok = true;
    }
    if (any && !txn.done)
        return false;
    g_hash_table_iter_init(&i, talk->spaces);
    while (any && g_hash_table_iter_next(&i, &name, NULL))
        g_hash_table_iter_replace(&i, GINT_TO_POINTER(true));
    return true;
}

/* The versions that it was shown, against which a later write is held. */
static bool
mark_notes(PortTalk *talk, GError **error)
{
    GHashTableIter i;
    gpointer key, version;
    g_auto(Txn) txn = {.db = talk->engine->db, .flush = TXN_LAZY};
    while (g_hash_table_size(talk->notes) > 0 && txn_again(&txn, error)) {
        txn.ok = true;
        g_hash_table_iter_init(&i, talk->notes);
        while (txn.ok && g_hash_table_iter_next(&i, &key, &version))
            txn.ok = note_mark_shown(&txn, talk->job->id, key, GPOINTER_TO_SIZE(version), error);
    }
    if (g_hash_table_size(talk->notes) > 0 && !txn.done)
        return false;
    g_hash_table_remove_all(talk->notes);
    return true;
}

/* What was read is noted for the job, as soon as there is one. */
static bool
write_reads(PortTalk *talk, GError **error)
{
    return talk->begin || (mark_notes(talk, error) && enter_spaces(talk, error));
}

/* The job begins with the first request that needs it. */
static bool
have_job(PortTalk *talk, GError **error)
{
    if (!talk->begin)
        return true;
    if (!talk->begin(talk->begin_data, error))
        return false;
    talk->begin = NULL;
    return write_reads(talk, error);
}

void
answer_text(json_t *object, const char *name, const char *value)
{
    json_object_set_new(object, name, value ? json_string(value) : json_null());
}

void
answer_id(json_t *object, const char *name, const char *msgid)
{
    g_autofree char *bracketed = msgid_format(msgid);
    answer_text(object, name, bracketed);
}

bool
answer_absent(PortTalk *talk, const char *id, GError **error)
{
    talk->status = EX_NOINPUT;
    return err_set(error, ERR_NEVER, "no mail '%s'", id);
}

bool
mail_is_let_in(const MsgRow *row)
{
    return row->state != MSG_HELD && row->state != MSG_DEAD;
}

static bool
report_status(PortTalk *talk, GError **error)
{
    const Job *job = talk->job;
    const JobInHand in = {.job = job->id,
                          .role = job->role,
                          .round = job->round,
                          .steps = job->steps + (int)talk->steps,
                          .subject = job->subject,
                          .asker = job->asker,
                          .answered = talk->unsettled->len == 0,
                          .shown = talk->in->shown,
                          .open = talk->unsettled};

    return json_object_update_new(talk->answer, shape_json(&job_in_hand_shape, &in)) == 0;
}

static const char *const send_members[] = {"verb",        "to",          "cc",   "subject", "body",
                                           "in_reply_to", "attachments", "once", NULL};

static const char *const reply_members[] = {"verb",    "body", "attachments",
                                            "settles", "once", NULL};
static const char *const list_members[] = {"verb", "limit", NULL};
static const char *const show_members[] = {"verb", "id", NULL};
static const char *const search_members[] = {"verb", "query", "limit", NULL};
static const char *const get_members[] = {"verb", "key", "version", NULL};
static const char *const put_members[] = {"verb", "key", "content", "if_version", NULL};
static const char *const append_members[] = {"verb", "key", "content", NULL};
static const char *const prefix_members[] = {"verb", "prefix", NULL};
static const char *const key_members[] = {"verb", "key", NULL};
static const char *const rename_members[] = {"verb", "from", "to", NULL};
static const char *const permit_members[] = {"verb",    "tool", "input", "call",
                                             "session", "cwd",  NULL};
static const char *const changes_members[] = {"verb", "keys", NULL};
static const char *const no_members[] = {"verb", NULL};
static const Verb verbs[] = {
    {"send", send_members, verb_send},
    {"reply", reply_members, verb_reply},
    {"mail.list", list_members, verb_mail_list, true},
    {"mail.search", search_members, verb_mail_search, true},
    {"mail.show", show_members, verb_mail_show, true},
    {"mail.thread", no_members, verb_mail_thread},
    {"note.get", get_members, verb_note_get, true},
    {"note.put", put_members, verb_note_put},
    {"note.append", append_members, verb_note_append},
    {"note.list", prefix_members, verb_note_list, true},
    {"note.search", search_members, verb_note_search, true},
    {"note.history", key_members, verb_note_history, true},
    {"note.rename", rename_members, verb_note_rename},
    {"note.delete", key_members, verb_note_delete},
    {"changes", changes_members, verb_changes, true},
    {"permit", permit_members, verb_permit},
    {"status", no_members, report_status},
};

/* An act of a face checks its members by itself. */
static const Verb act_verb = {"", NULL, verb_act};

static const Verb *
find_verb(PortTalk *talk, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = act_names(talk->engine);

    if (talk->only && !g_str_equal(name, talk->only)) {
        talk->status = EX_NOPERM;
        err_set(error, ERR_NEVER, "this job may %s by its port, and nothing else", talk->only);
        return NULL;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
        if (g_str_equal(verbs[i].name, name))
            return &verbs[i];
        g_ptr_array_add(names, (char *)verbs[i].name);
    }
    if (act_find(talk->engine, name))
        return &act_verb;
    talk->status = EX_USAGE;
    g_ptr_array_add(names, NULL);
    g_autofree char *shown = text_shorten(name, 40),
                    *hint = text_did_you_mean(name, (const char *const *)names->pdata);
    err_set(error, ERR_NEVER, "no verb '%s'%s", shown, hint);
    return NULL;
}

static bool
carry_out(PortTalk *talk, const char *line, size_t len, GError **error)
{
    const char *name;

    if (!json_parse(line, len, LIMIT_PORT_REQUEST, &talk->request, error))
        return false;
    if (!json_is_object(talk->request))
        return err_set(error, ERR_NEVER, "a request is an object");
    if (!json_get_string(talk->request, "", "verb", &name, error))
        return false;
    const Verb *verb = find_verb(talk, name, error);
    return verb &&
           (!verb->members || json_only(talk->request, "", verb->members, error)) &&
           (verb->looks || have_job(talk, error)) && verb->run(talk, error);
}

static char *
format_line(const json_t *answer)
{
    g_autofree char *text = json_format(answer);
    return g_strconcat(text, "\n", NULL);
}

static void
put_refusal(json_t *answer, const char *why, int status)
{
    json_object_set_new(answer, "ok", json_false());
    answer_text(answer, "error", why);
    json_object_set_new(answer, "status", json_integer(status));
}

char *
port_refuse(const char *why, int status)
{
    g_autoptr(json_t) answer = json_object();
    put_refusal(answer, why, status);
    return format_line(answer);
}

char *
port_talk(PortTalk *talk, const char *line, size_t len)
{
    g_autoptr(json_t) answer = talk->answer = json_pack("{s:b}", "ok", 1);
    g_autoptr(GError) error = NULL;

    talk->status = 0;
    if (!carry_out(talk, line, len, &error) || !write_reads(talk, &error)) {
        json_object_clear(answer);
        put_refusal(answer, error->message,
                    talk->status ? talk->status : err_exit_status(error));
    }
    g_clear_pointer(&talk->request, json_decref);
    return format_line(answer);
}
