#include "base/json.h"
#include "engine/checkpoint/continuation.h"
#include "mail/msgid.h"
#include "store/job/steering.h"

#define MAC_MARK ",\"mac\":\""
#define MAC_HEX (2 * DIGEST_SIZE)
#define MAC_TAIL (sizeof MAC_MARK - 1 + MAC_HEX + 2) /* and "} */
#define COUNT_MAX 1000000000

void
continuation_free(Continuation *c)
{
    if (!c)
        return;
    free_all(c->role, c->face, c->phase, c->original_msgid, c->original_subject,
             c->original_from, c->waiting_for, c->stopped, c->results);
    g_clear_pointer(&c->document, json_decref);
    g_clear_pointer(&c->session, session_free);
    g_free(c);
}

/* --- raw bytes --- */

static bool
mac_holds(const Key *key, const char *data, size_t len)
{
    if (len <= MAC_TAIL)
        return false;
    const char *tail = data + len - MAC_TAIL;
    const char *hex = tail + sizeof MAC_MARK - 1;
    if (memcmp(tail, MAC_MARK, sizeof MAC_MARK - 1) != 0 ||
        memcmp(hex + MAC_HEX, "\"}", 2) != 0)
        return false;
    g_autofree char *digits = g_strndup(hex, MAC_HEX);
    Digest mac;
    return digest_parse_hex(digits, &mac) &&
           key_verify(key, CONTINUATION_MAC_USE, data, len - MAC_TAIL, &mac);
}

/* True when the bytes claim to be a continuation. This only searches the bytes: nothing is
 * parsed before its MAC was checked. */
static bool
claims_to_be(const char *data, size_t len)
{
    return data && memmem(data, len, "\"type\"", 6) &&
           memmem(data, len, "\"continuation\"", 14);
}

/* --- the document --- */

static char *
get_id(const json_t *doc, GError **error)
{
    const char *text;
    if (!json_get_string(doc, "", "original_message_id", &text, error))
        return NULL;
    char *id = msgid_parse(text);
    if (!id)
        err_set(error, ERR_NEVER, "original_message_id: '%s' is no Message-ID", text);
    return id;
}

static bool
get_count(const json_t *doc, const char *name, int *ret, GError **error)
{
    int64_t n;
    if (!json_get_int(doc, "", name, 0, COUNT_MAX, &n, error))
        return false;
    *ret = (int)n;
    return true;
}

/* The fields of the first continuations. */
static bool
read_seed(const json_t *doc, Continuation *c, GError **error)
{
    const char *type, *subject, *from, *phase;
    if (!json_is_object(doc))
        return err_set(error, ERR_NEVER, "not a JSON object");
    if (!json_get_string(doc, "", "type", &type, error) ||
        !json_get_string(doc, "", "original_subject", &subject, error) ||
        !json_get_string(doc, "", "original_from", &from, error) ||
        !json_get_string(doc, "", "current_phase", &phase, error) ||
        !get_count(doc, "total_iterations", &c->total_iterations, error))
        return false;
    if (!g_str_equal(type, "continuation"))
        return err_set(error, ERR_NEVER, "type: must be \"continuation\"");
    c->original_msgid = get_id(doc, error);
    c->original_subject = g_strdup(subject);
    c->original_from = g_strdup(from);
    c->phase = g_strdup(phase);
    c->steps = c->total_iterations;
    c->round = 1;
    c->resume = DUE_NEVER;
    c->floor = TRUST_OPERATOR; /* who brings it in vouches for it */
    c->may = rights_of(NULL, NULL, TRUST_OPERATOR);
    return c->original_msgid != NULL;
}

static bool
read_resume(const json_t *doc, Continuation *c, GError **error)
{
    const char *text;
    if (!json_get_string(doc, "", "resume_after", &text, error))
        return false;
    /* Mails of before do not say that it is a span. */
    c->resume = (Due){USEC_NEVER, !json_is_true(json_object_get(doc, "resume_span"))};
    if (*text && !clock_parse_iso(text, &c->resume.us))
        return err_set(error, ERR_NEVER, "resume_after: '%s' is no time", text);
    return true;
}

/* Mails of before have none, and a word of a later version is none to us: then it goes on. */
static void
read_then(const json_t *doc, Continuation *c)
{
    const char *then = json_string_value(json_object_get(doc, "wait_then"));
    if (!then || !wait_then_parse(then, &c->wait_then))
        c->wait_then = WAIT_CONTINUE;
}

/* What the job had read and who had asked decide what it may do now. A document that does not
 * say so counts as one that may have read anything, asked for by anybody. */
static void
read_floor(const json_t *doc, Continuation *c)
{
    const char *floor = json_string_value(json_object_get(doc, "floor"));
    if (!floor || !trust_parse(floor, &c->floor))
        c->floor = TRUST_ANYONE;
    int64_t may;
    c->may = json_get_int(doc, "", "may", 0, UINT32_MAX, &may, NULL) ? (unsigned)may : 0;
}

/* Older ones do not say it. */
static void
read_day(const json_t *doc, Continuation *c)
{
    int64_t written, cost;
    if (!json_get_int(doc, "", "written", 0, INT64_MAX, &written, NULL) ||
        !json_get_int(doc, "", "day_cost_micro", 0, INT64_MAX, &cost, NULL))
        return;
    c->written_us = written;
    c->day_cost_micro = cost;
}

/* A session that can't be read is none: the program begins another. */
static void
read_session(const json_t *doc, Continuation *c)
{
    static const char where[] = "session.";
    const json_t *o = json_object_get(doc, "session");
    const char *id, *brain, *kind, *folder, *told;
    int step;
    if (!o || !json_get_string(o, where, "id", &id, NULL) ||
        !json_get_string(o, where, "brain", &brain, NULL) ||
        !json_get_string(o, where, "kind", &kind, NULL) ||
        !json_get_string(o, where, "folder", &folder, NULL) ||
        !json_get_string(o, where, "told", &told, NULL) || !get_count(o, "step", &step, NULL))
        return;
    Session *s = c->session = g_new0(Session, 1);
    s->id = g_strdup(id);
    s->brain = g_strdup(brain);
    s->kind = g_strdup(kind);
    s->folder = g_strdup(folder);
    s->host = g_strdup("");
    s->heard = g_strdup("");
    s->began = true;
    s->step = step;
    (void)(clock_parse_iso(told, &s->told_us) &&
           json_get_int(o, where, "input_tokens", 0, INT64_MAX, &s->input, NULL) &&
           json_get_int(o, where, "output_tokens", 0, INT64_MAX, &s->output, NULL) &&
           json_get_int(o, where, "cache_read_tokens", 0, INT64_MAX, &s->cache_read, NULL) &&
           json_get_int(o, where, "cache_write_tokens", 0, INT64_MAX, &s->cache_write, NULL));
}

/* Reads the document of a job, which we signed ourselves. */
static bool
read_job(const json_t *doc, Continuation *c, GError **error)
{
    const char *role, *face, *waiting;
    int64_t version;
    if (!json_get_int(doc, "", "version", 1, 1, &version, error) ||
        !json_get_int(doc, "", "job", 1, INT64_MAX, &c->job.v, error) ||
        !json_get_string(doc, "", "role", &role, error) ||
        !get_count(doc, "round", &c->round, error) ||
        !json_get_int(doc, "", "seq", 1, INT64_MAX, &c->seq, error) ||
        !json_get_int(doc, "", "epoch", 1, INT64_MAX, &c->epoch, error) ||
        !read_resume(doc, c, error) ||
        !json_get_string(doc, "", "waiting_for", &waiting, error) ||
        !json_get_string(doc, "", "face", &face, error) ||
        !json_get_int(doc, "", "born", 0, INT64_MAX, &c->born_us, error) ||
        !get_count(doc, "steps", &c->steps, error) ||
        !get_count(doc, "step_limit", &c->step_limit, error) ||
        !json_get_int(doc, "", "round_cost_micro", 0, INT64_MAX, &c->round_cost_micro, error))
        return false;
    const char *stopped = json_string_value(json_object_get(doc, "stopped"));
    c->stopped = stopped && *stopped ? g_strdup(stopped) : NULL;
    read_then(doc, c);
    read_floor(doc, c);
    read_day(doc, c);
    read_session(doc, c);
    c->role = g_strdup(role);
    /* Mails of before name how a brain was asked. */
    c->face = g_strdup(g_str_equal(face, "steps") ? "" : face);
    c->waiting_for = *waiting ? g_strdup(waiting) : NULL;
    const json_t *results = json_object_get(doc, "step_results");
    c->results = json_array_size(results) ? json_format(results) : NULL;
    return true;
}

static Continuation *
read_document(const char *data, size_t len, bool ours, GError **error)
{
    g_autoptr(Continuation) c = g_new0(Continuation, 1);
    g_autoptr(json_t) doc = NULL;
    if (!json_parse(data, len, len, &doc, error) || !read_seed(doc, c, error) ||
        (ours && !read_job(doc, c, error)))
        return NULL;
    c->document = g_steal_pointer(&doc);
    return g_steal_pointer(&c);
}

ContinuationSeen
continuation_parse(const Key *key, const char *data, size_t len, Continuation **ret_c)
{
    g_autoptr(GError) wrong = NULL;
    if (!mac_holds(key, data, len)) {
        if (!claims_to_be(data, len))
            return CONT_NOT_ONE;
        return memmem(data, len, "\"mac\"", 5) ? CONT_FORGED : CONT_UNSIGNED;
    }
    *ret_c = read_document(data, len, true, &wrong);
    return *ret_c ? CONT_SIGNED : CONT_FORGED; /* ours, but of a version that we can't read */
}

bool
continuation_parse_seed(const char *data, size_t len, Continuation **ret_c, GError **error)
{
    Continuation *c = read_document(data, len, false, error);
    if (!c)
        return err_prefix(error, CONTINUATION_FILE);
    *ret_c = c;
    return true;
}

/* --- the mail --- */

static bool
is_candidate(const MsgPart *part)
{
    return part->attachment && g_str_equal(part->content_type, "application/json");
}

bool
continuation_possible(const Message *m)
{
    for (guint i = 0; m->parts && i < m->parts->len; i++) {
        if (is_candidate(g_ptr_array_index(m->parts, i)))
            return true;
    }
    return false;
}

/* The parts that claim to be one; elements are borrowed. */
static GPtrArray *
documents(const Message *m)
{
    GPtrArray *found = g_ptr_array_new();
    for (guint i = 0; m->parts && i < m->parts->len; i++) {
        const MsgPart *part = g_ptr_array_index(m->parts, i);
        if (!is_candidate(part) || !part->content)
            continue;
        gsize len;
        const char *data = g_bytes_get_data(part->content, &len);
        if (data && claims_to_be(data, len))
            g_ptr_array_add(found, part->content);
    }
    return found;
}

GBytes *
continuation_part(const Message *m)
{
    g_autoptr(GPtrArray) found = documents(m);
    return found->len ? g_ptr_array_index(found, 0) : NULL;
}

ContinuationSeen
continuation_read(const Key *key, const Message *m, Continuation **ret_c)
{
    g_autoptr(GPtrArray) found = documents(m);
    if (found->len == 0)
        return CONT_NOT_ONE;
    if (found->len > 1 || m->flags & MSG_AMBIGUOUS)
        return CONT_AMBIGUOUS;
    gsize len;
    const char *data = g_bytes_get_data(g_ptr_array_index(found, 0), &len);
    return continuation_parse(key, data, len, ret_c);
}

/* --- its fate --- */

static ContinuationFate
judge_job(const Continuation *c, const Job *job, int64_t now_us, const char **ret_why)
{
    if (job->created_us != c->born_us) {
        *ret_why = "stale: another job has its number now";
        return CONT_STALE;
    }
    if (c->epoch > job->epoch || c->seq > job->seq) {
        *ret_why = "the store is older than this checkpoint";
        return CONT_AHEAD;
    }
    if (c->epoch < job->epoch) {
        *ret_why = "stale: the job was stopped since";
        return CONT_STALE;
    }
    if (c->seq < job->seq || job->state != JOB_PARKED) {
        *ret_why = c->seq < job->seq ? "stale: there is a newer one" : "stale: used already";
        return CONT_STALE;
    }
    *ret_why = "checkpoint of its parked job";
    return job->resume.us <= now_us ? CONT_WAKES : CONT_EARLY;
}

bool
continuation_judge(Db *db,
                   const Continuation *c,
                   const char *role,
                   int64_t now_us,
                   ContinuationFate *ret_fate,
                   const char **ret_why,
                   GError **error)
{
    g_autoptr(Job) job = NULL;
    if (!g_str_equal(c->role, role)) {
        *ret_why = "forged: a checkpoint of another role";
        *ret_fate = CONT_FOREIGN;
        return true;
    }
    if (!job_load(db, &VIEWER_OPERATOR, c->job, &job, error))
        return false;
    if (!job) {
        *ret_why = "checkpoint of a job that the store does not know";
        *ret_fate = CONT_RESTORES;
        return true;
    }
    *ret_fate = judge_job(c, job, now_us, ret_why);
    return true;
}
