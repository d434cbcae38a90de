#include "base/digest.h"
#include "base/json.h"
#include "base/limits.h"
#include "engine/out/role_mail.h"
#include "engine/people/question_kind.h"
#include "engine/role.h"
#include "engine/run/commit.h"
#include "engine/run/disarm.h"
#include "store/note/note_versions.h"
#include <limits.h>

/*
 * May a note be changed that tells an agent what to do? Its payload is the change as JSON: what
 * the brain proposed, in which step, and the least that it had read.
 */
static const char *const acts[] = {"write", "append to", "rename", "delete"};

/* note and by borrow from doc. */
typedef struct Change {
    json_t *doc;
    ProposedNote note;
    NoteBy by;
} Change;

static void
change_clear(Change *c)
{
    g_clear_pointer(&c->doc, json_decref);
    g_clear_pointer(&c->note.body, g_bytes_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Change, change_clear)

/* NULL: its text is none that a person could be shown. */
static char *
format_change(const ProposedNote *n, const NoteBy *by)
{
    g_autoptr(json_t) doc = json_pack("{s:i, s:s, s:s*, s:s, s:s, s:i}", "act", (int)n->act,
                                      "key", n->key, "to", n->to, "author", by->author, "floor",
                                      trust_name(by->label), "step", by->step);
    gsize len = 0;
    const char *body = n->body ? g_bytes_get_data(n->body, &len) : NULL;
    if (n->body && json_object_set_new(doc, "text", json_stringn(body ? body : "", len)) < 0)
        return NULL;
    return json_format(doc);
}

/* The payload is a row that we wrote ourselves: a mistake in it is damage. */
static bool
parse_change(const Question *q, Change *ret, GError **error)
{
    const char *text = q->payload ? q->payload : "", *key, *floor;
    int64_t act, step;
    if (!json_parse(text, strlen(text), LIMIT_NOTE_BYTES * 8, &ret->doc, NULL) ||
        !json_get_int(ret->doc, "", "act", 0, G_N_ELEMENTS(acts) - 1, &act, NULL) ||
        !json_get_int(ret->doc, "", "step", 0, INT_MAX, &step, NULL) ||
        !json_get_string(ret->doc, "", "key", &key, NULL) ||
        !json_get_string(ret->doc, "", "author", &ret->by.author, NULL) ||
        !json_get_string(ret->doc, "", "floor", &floor, NULL) ||
        !trust_parse(floor, &ret->by.label))
        return err_set(error, ERR_DAMAGE, "question %" PRId64 " has a broken payload", q->id.v);
    const json_t *body = json_object_get(ret->doc, "text");
    ret->by.job = q->job;
    ret->by.step = (int)step;
    ret->note = (ProposedNote){
        .act = (NoteAct)act,
        .key = (char *)key,
        .to = (char *)json_string_value(json_object_get(ret->doc, "to")),
        .body = body ? g_bytes_new(json_string_value(body), json_string_length(body)) : NULL};
    return true;
}

/* Over the payload, and which versions it would change. */
static bool
digest_change(Db *db, const Question *q, Digest *ret, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_auto(Change) c = {0};
    if (!parse_change(q, &c, error))
        return false;
    g_autoptr(GString) s = g_string_new(q->payload);
    const char *keys[] = {c.note.key, c.note.to};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_autoptr(Note) newest = NULL;
        if (keys[i] && !note_look(db, &viewer, keys[i], 0, &newest, error))
            return false;
        g_string_append_printf(s, "\n%" PRId64, newest ? newest->version : 0);
    }
    digest_of(s->str, s->len, ret);
    return true;
}

static bool
describe_change(
    Engine *engine, const Question *q, const char *ahead, GString *s, GError **error)
{
    g_auto(Change) c = {0};
    if (!parse_change(q, &c, error))
        return false;
    g_string_append_printf(
        s,
        "May this note be changed? It tells an agent what to do, and %s. "
        "Nothing of it is changed yet.\n\nThe agent would %s the note %s%s%s",
        ahead, acts[c.note.act], c.note.key, c.note.to ? " to " : "",
        c.note.to ? c.note.to : "");
    if (c.note.body) {
        g_autofree char *text =
            g_strndup(g_bytes_get_data(c.note.body, NULL), g_bytes_get_size(c.note.body));
        g_autofree char *safe = disarm_links(text, NULL, DISARM_DATA);
        g_string_append(s, ":\n\n");
        question_add_text(s, safe ? safe : text);
        g_string_append(s, safe ? "\nIn this question links that carry data do not work.\n\n"
                                : "\n");
    } else {
        g_string_append(s, ".\n\n");
    }
    return true;
}

static bool
decide_change(Deciding *d, GError **error)
{
    g_auto(Change) c = {0};
    g_autoptr(GError) failed = NULL;
    int64_t version;
    if (!parse_change(d->question, &c, error))
        return false;
    if (!d->answer->approve || proposed_note_apply(d->txn, &c.note, &c.by, &version, &failed)) {
        g_string_append_printf(d->done, "  note %s\n", c.note.key);
        d->n_done++;
        return true;
    }
    g_string_append_printf(d->stuck, "  note %s: %s\n", c.note.key, failed->message);
    if (err_is(failed, ERR_NEVER) || err_is(failed, ERR_LIMIT))
        return true;
    return err_pass(error, g_steal_pointer(&failed));
}

static bool
change_news(Db *db, const Question *q, GString *s, GError **error)
{
    g_auto(Change) c = {0};
    if (!parse_change(q, &c, error))
        return false;
    g_string_append_printf(s, "Your change of the note %s was %s.\n", c.note.key,
                           question_note.became[q->state == QUESTION_APPROVED]);
    return true;
}

const QuestionKind question_note = {
    .name = "note",
    .may = MAY_APPROVE | MAY_STEER,
    .subject = "may this note be changed?",
    .how = "Reply to this mail with one of these alone on the first line:\n\n"
           "  APPROVE        it is changed exactly as shown\n"
           "  REJECT         it stays as it is\n"
           "  REJECT: why    likewise, and the agent goes on with what you write\n\n"
           "What you write below that line the agent is told too. An answer counts once.",
    .changed =
        "The note was changed since, so this does not happen. Nothing changed now. REJECT "
        "ends it",
    .no_way = "It can't be changed so",
    .traces = {"the change of a note was rejected", "the change of a note was approved"},
    .said = {{"This note stays as it is", "These notes stay as they are"},
             {"This note is changed now", "These notes are changed now"}},
    .describe = describe_change,
    .digest = digest_change,
    .decide = decide_change,
    .became = {"not made: a person rejected it", "made: a person approved it"},
    .news = change_news,
};

/* *ret is true when a question about this key is open: further changes that the brain writes
 * meanwhile are not asked about. */
static bool
is_open(Db *db, JobId job, const char *asks, bool *ret, GError **error)
{
    g_autoptr(Questions) open = NULL;
    if (!questions_open(db, job, &open, error))
        return false;
    *ret = false;
    LIST_EACH(const Question, q, open)
        *ret |= g_str_equal(q->asks, asks);
    return true;
}

bool
hold_ask_note(Engine *engine,
              Txn *txn,
              const Job *job,
              const ProposedNote *n,
              const NoteBy *by,
              const char *why,
              bool *ret_asked,
              GError **error)
{
    const RoleMailParent parent = role_mail_original(job);
    const char *too_many;
    g_autofree char *asks = g_strdup_printf("may the note %s be changed?", n->key);
    g_autofree char *payload = format_change(n, by);
    HoldQuestion ask = {.kind = &question_note,
                        .asks = asks,
                        .payload = payload,
                        .role = role_get(engine, job->role, error),
                        .job = job,
                        .round = job->round,
                        .to = engine->home->config->owner,
                        .ahead = why,
                        .parent = &parent};
    if (!ask.role || !is_open(engine->db, job->id, asks, ret_asked, error) ||
        (!*ret_asked && !hold_may_ask(engine, job->id, &too_many, error)))
        return false;
    if (*ret_asked || too_many || !payload)
        return true;
    *ret_asked = true;
    return hold_ask(engine, txn, &ask, error);
}
