#include "report/report_look.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "report/report_files.h"
#include "report/report_research.h"
#include "report/report_send.h"
#include "report/report_thread.h"
#include "store/job/jobs.h"
#include "store/mail/messages.h"
#include <fcntl.h>
#include <sys/stat.h>

#define DATES_MAX 400    /* the newest are looked at */
#define FILES_MAX 20000u /* in one responses/ */
#define LOCK_MAX (64u << 10)

/* One date of a role, as its files have it. */
typedef struct Date {
    Engine *engine;
    const ConfRole *role;
    char *date, *folder; /* folder beneath the home */
    GPtrArray *findings; /* char *; NULL: nobody wants them */
    bool held;           /* the store is older than its mail: what is known to have happened is taken, and nothing begins */
    unsigned *taken;
} Date;

static void find(const Date *d, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
static void
find(const Date *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_autofree char *text = g_strdup_vprintf(fmt, args);
    va_end(args);
    if (d->findings)
        g_ptr_array_add(d->findings, g_steal_pointer(&text));
}

static bool
read_part(const Date *d, const char *name, GBytes **ret, int64_t *ret_mtime_us)
{
    g_autofree char *path = g_strdup_printf("%s/%s", d->folder, name);
    g_autoptr(GError) error = NULL;
    bool unfinished = false;
    struct stat st;
    *ret = NULL;
    if (fstatat(d->engine->home->fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return true;
    if (!S_ISREG(st.st_mode)) {
        find(d, "'%s' is no file", path);
        return false;
    }
    if (!file_read_finished(d->engine->home->fd, path, LIMIT_MESSAGE_BYTES, &unfinished, ret,
                            &error)) {
        find(d, "'%s' can't be read: %s", path, error->message);
        return false;
    }
    if (ret_mtime_us)
        *ret_mtime_us = (int64_t)st.st_mtim.tv_sec * USEC_PER_SEC;
    return !unfinished;
}

/* --- numbered files --- */

typedef struct Numbered {
    int n;
    bool response;
    char *name; /* with its folder: responses/NN-… */
} Numbered;
static void
numbered_free(Numbered *f)
{
    free_all(f->name, f);
}
LIST_OF(NumberedFiles, numbered_files, Numbered, numbered_free)

/* By number, a reply before its response. */
static int
by_number(gconstpointer a, gconstpointer b)
{
    const Numbered *x = *(const Numbered *const *)a, *y = *(const Numbered *const *)b;
    return x->n != y->n ? (x->n > y->n) - (x->n < y->n) : x->response - y->response;
}

/* Those that are rows already. */
typedef struct Known {
    GHashTable *replies, *responses; /* sets of numbers */
} Known;

static void
known_clear(Known *k)
{
    g_clear_pointer(&k->replies, g_hash_table_unref);
    g_clear_pointer(&k->responses, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Known, known_clear)

static bool
is_known(const Known *k, int n, bool response)
{
    return k && g_hash_table_contains(response ? k->responses : k->replies, GINT_TO_POINTER(n));
}

/* Without those that are known; NULL: none is. */
static NumberedFiles *
list_numbered(const Date *d, const Known *known)
{
    NumberedFiles *all = numbered_files_new();
    g_autofree char *path = g_strdup_printf("%s/" REPORT_RESPONSES, d->folder);
    auto_fd fd = dir_open_beneath(d->engine->home->fd, path, NULL);
    DIR *dir = fd < 0 ? NULL : dir_list(fd, ".");
    const struct dirent *e;
    while (dir && all->len < FILES_MAX && (e = dir_next(dir))) {
        bool response;
        int n = report_name_number(e->d_name, &response);
        if (n == 0 || is_known(known, n, response))
            continue;
        Numbered *f = g_new0(Numbered, 1);
        *f = (Numbered){n, response, g_strdup_printf(REPORT_RESPONSES "/%s", e->d_name)};
        numbered_files_add(all, f);
    }
    if (dir)
        (void)closedir(dir);
    g_ptr_array_sort(LIST_ARRAY(all), by_number);
    return all;
}

/* "": there is none. Caller frees. */
static char *
read_thread(const Date *d)
{
    g_autoptr(GBytes) thread = NULL;
    if (!read_part(d, REPORT_THREAD, &thread, NULL))
        g_clear_pointer(&thread, g_bytes_unref);
    return text_from_bytes(thread);
}

/* What a reply's file leaves out. */
static Reply *
read_reply(const Date *d, const Numbered *f)
{
    g_autoptr(GBytes) file = NULL;
    int64_t mtime_us = 0;
    if (!read_part(d, f->name, &file, &mtime_us) || !file)
        return NULL;
    Reply *reply = report_reply_parse(file);
    reply->n = f->n;
    if (reply->at_us == 0)
        reply->at_us = mtime_us;
    if (!*reply->sender) {
        g_free(reply->sender);
        reply->sender = g_strdup(d->engine->home->config->owner);
    }
    return reply;
}

/* --- a date that only its files know --- */

static bool
read_briefing(const Date *d, Report *r)
{
    g_autoptr(GBytes) sent = NULL, thread = NULL;
    g_autofree char *text = NULL;
    int64_t mtime_us = 0;
    if (!read_part(d, REPORT_SENT, &sent, &mtime_us) ||
        !read_part(d, REPORT_THREAD, &thread, NULL) ||
        !read_part(d, REPORT_BRIEFING, &r->body, NULL))
        return false;
    if (!sent && !thread) /* it was not sent */
        return false;
    g_autoptr(GError) wrong = NULL;
    if (sent && !report_sent_parse(sent, r, &wrong))
        find(d, "'%s/" REPORT_SENT "' is not as postrider writes it: %s", d->folder,
             wrong->message);
    text = thread ? g_strndup(g_bytes_get_data(thread, NULL), g_bytes_get_size(thread)) : NULL;
    if (r->sent_us == 0 && (!text || !thread_read_sent(text, &r->sent_us)))
        r->sent_us = MAX(mtime_us, 1);
    if (!r->body)
        r->body = g_bytes_new_static("", 0);
    return true;
}

static void
set_if_empty(char **text, char *value)
{
    if (*text && **text) {
        g_free(value);
        return;
    }
    g_free(*text);
    *text = value;
}

/* What is not said by the files follows from role and date. */
static void
complete(const Date *d, Report *r)
{
    const Config *config = d->engine->home->config;
    r->role = g_strdup(d->role->name);
    r->date = g_strdup(d->date);
    r->name = g_strdup(d->role->display);
    set_if_empty(&r->msgid, report_msgid(r->role, r->date));
    set_if_empty(&r->subject, report_subject(r->body, r->date));
    set_if_empty(&r->to, g_strdup(config->owner));
    set_if_empty(&r->transport, g_strdup(""));
}

/* The job with its old number, where a checkpoint has brought it back; else one that has ended. Its
 * thread knows the briefing's id, so that replies find it. */
static bool
find_or_make_job(Engine *engine, Txn *txn, const Report *r, JobId *ret, GError **error)
{
    g_autoptr(Job) there = NULL;
    g_auto(GStrv) to = g_strsplit(r->to, ", ", 2);
    JobNew job = {.role = r->role,
                  .face = REPORT_FACE,
                  .subject = r->subject,
                  .asker = *to && **to ? *to : engine->home->config->owner,
                  .original_msgid = r->msgid,
                  .id = r->job};
    if (r->job.v && !job_load(engine->db, &VIEWER_OPERATOR, r->job, &there, error))
        return false;
    if (there && g_str_equal(there->face, REPORT_FACE) && g_str_equal(there->role, r->role)) {
        *ret = there->id;
        return true;
    }
    return thread_new(txn, &job.thread, error) &&
           messages_thread_own(txn, r->msgid, job.thread, error) &&
           job_create_ended(txn, &job, ret, error);
}

static bool
import_numbered(Txn *txn,
                const Report *r,
                const Replies *replies,
                const Responses *responses,
                GError **error)
{
    int n;
    LIST_EACH(const Reply, reply, replies)
        if (!report_put_reply(txn, r->id, reply, TRUST_OPERATOR, &n, error))
            return false;
    LIST_EACH(const Response, response, responses)
        if (!report_put_response(txn, r->id, response, TRUST_OPERATOR, error))
            return false;
    return true;
}

/* By the seed's rule: a response answers all before it that nothing answered. */
static void
settle_before(const Replies *replies, int n)
{
    LIST_EACH(Reply, reply, replies)
        if (reply->n <= n && !reply->settled)
            reply->settled = n;
}

static void
read_numbered(const Date *d, Replies *replies, Responses *responses)
{
    g_autoptr(NumberedFiles) files = list_numbered(d, NULL);
    g_autofree char *thread = read_thread(d);
    LIST_EACH(const Numbered, f, files) {
        g_autoptr(GBytes) body = NULL;
        int64_t mtime_us = 0;
        if (!f->response) {
            Reply *reply = read_reply(d, f);
            if (reply)
                replies_add(replies, reply);
        } else if (read_part(d, f->name, &body, &mtime_us) && body) {
            Response *response = g_new0(Response, 1);
            *response = (Response){.n = f->n,
                                   .msgid = g_strdup(""),
                                   .after = MAX(thread_read_after(thread, f->n), f->n),
                                   .at_us = mtime_us,
                                   .body = g_steal_pointer(&body)};
            responses_add(responses, response);
            settle_before(replies, f->n);
        }
    }
}

static bool
import_date(const Date *d, GError **error)
{
    Engine *engine = d->engine;
    g_autoptr(Report) r = g_new0(Report, 1);
    g_autoptr(Replies) replies = replies_new();
    g_autoptr(Responses) responses = responses_new();
    if (!read_briefing(d, r))
        return true;
    complete(d, r);
    read_numbered(d, replies, responses);
    JobId known = r->job;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        bool is_new = false;
        r->job = known;
        txn.ok = find_or_make_job(engine, &txn, r, &r->job, error) &&
                 report_put(&txn, r, TRUST_OPERATOR, &is_new, &r->id, error) &&
                 (!is_new || (import_numbered(&txn, r, replies, responses, error) &&
                              report_raise(engine, &txn, r, REPORT_LOCK, error)));
    }
    if (!txn.done)
        return err_prefix(error, "taking over '%s'", d->folder);
    log_event(LOG_INFO, "a briefing was taken over from its files", "date", r->date, NULL);
    ++*d->taken;
    return true;
}

/* --- a date that is known --- */

static bool
take_reply(const Date *d, const Report *r, const Numbered *f, GError **error)
{
    g_autoptr(Reply) reply = read_reply(d, f);
    int n = 0;
    if (!reply)
        return true;
    g_autofree char *why =
        g_strdup_printf("Reply #%d was put into " REPORT_RESPONSES "/.", f->n);
    g_auto(Txn) txn = {.db = d->engine->db, .flush = TXN_DURABLE};
    /* A file has no mail: it is a reply by its number. */
    reply->msgid[0] = '\0';
    while (txn_again(&txn, error)) {
        bool queued;
        txn.ok = report_record(d->engine, &txn, r, reply, TRUST_OPERATOR, &n, error) &&
                 (n == 0 || (job_go_on(&txn, r->job, &queued, error) &&
                             job_instruct(&txn, r->job, why, error)));
    }
    if (!txn.done)
        return false;
    *d->taken += n > 0;
    if (n > 0)
        db_hint(d->engine->db);
    return true;
}

/* Nothing that can't be answered is mailed: it stays where it is. */
static bool
take_response(const Date *d, const Report *r, const Numbered *f, GError **error)
{
    g_autoptr(GBytes) body = NULL;
    g_autoptr(GError) failed = NULL;
    if (!read_part(d, f->name, &body, NULL) || !body)
        return true;
    if (d->findings) {
        find(d, "'%s/%s' answers no reply that is open", d->folder, f->name);
        return true;
    }
    if (report_respond_by_hand(d->engine, r, f->n, body, NULL, NULL, &failed)) {
        log_event(LOG_INFO, "a response was taken from its file", "date", r->date, NULL);
        ++*d->taken;
        return true;
    }
    if (err_is(failed, ERR_NEVER) || err_is(failed, ERR_LIMIT)) {
        log_event(LOG_WARN, "a file is no response", "file", f->name, "why", failed->message,
                  NULL);
        return true;
    }
    return err_pass(error, g_steal_pointer(&failed));
}

static bool
settle_history(Txn *txn, const Report *r, int n, int after, GBytes *body, GError **error)
{
    char none[] = "";
    const Response response = {
        .n = n, .msgid = none, .after = after, .at_us = txn_now(txn), .body = body};
    g_autoptr(Replies) open = NULL;
    bool settled;
    if (!report_open_replies(txn->db, r->id, &open, error))
        return false;
    LIST_EACH(const Reply, reply, open)
        if (reply->n <= n && !report_settle(txn, r->id, reply->n, n, &settled, error))
            return false;
    return report_put_response(txn, r->id, &response, TRUST_OPERATOR, error);
}

/* Our own thread.md, of a newer store than this one, says that it was recorded or sent then. */
static bool
take_history(
    const Date *d, const Report *r, const Numbered *f, const char *said, GError **error)
{
    g_autoptr(Reply) reply = f->response ? NULL : read_reply(d, f);
    g_autoptr(GBytes) body = NULL;
    int n, after = thread_read_after(said, f->n);
    if (f->response && !read_part(d, f->name, &body, NULL))
        return true;
    g_auto(Txn) txn = {.db = d->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        if (reply)
            txn.ok = report_put_reply(&txn, r->id, reply, TRUST_OPERATOR, &n, error);
        else
            txn.ok = !body || settle_history(&txn, r, f->n, after, body, error);
    }
    *d->taken += txn.done;
    return txn.done;
}

static bool
is_row(const Date *d, const Report *r, const Numbered *f, bool *ret, GError **error)
{
    g_autoptr(Reply) reply = NULL;
    g_autoptr(Response) response = NULL;
    bool ok = f->response ? report_response(d->engine->db, r->id, f->n, &response, error)
                          : report_reply(d->engine->db, r->id, f->n, &reply, error);
    *ret = reply || response;
    return ok;
}

static bool
take_numbered(const Date *d, const Report *r, GError **error)
{
    g_auto(Known) known = {0};
    if (!report_numbers(d->engine->db, r->id, false, &known.replies, error) ||
        !report_numbers(d->engine->db, r->id, true, &known.responses, error))
        return false;
    g_autoptr(NumberedFiles) files = list_numbered(d, &known);
    g_autofree char *said = files->len ? read_thread(d) : NULL;
    LIST_EACH(const Numbered, f, files) {
        bool there; /* rows come before files: what was written meanwhile is known by now */
        if (!is_row(d, r, f, &there, error))
            return false;
        if (there || (d->findings && !f->response))
            continue;
        bool ok = thread_names(said, f->n, f->response) ? take_history(d, r, f, said, error)
                  : d->held                             ? true
                  : f->response                         ? take_response(d, r, f, error)
                                                        : take_reply(d, r, f, error);
        if (!ok)
            return err_prefix(error, "taking in '%s/%s'", d->folder, f->name);
    }
    return true;
}

/* --- the lock --- */

GBytes *
report_lock_by_hand(const Engine *engine, const char *path)
{
    g_autoptr(GBytes) bytes = NULL;
    struct stat st;
    if (fstatat(engine->home->fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        !file_read(engine->home->fd, path, LOCK_MAX, &bytes, NULL) || !bytes)
        return NULL;
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    bool ours = len > 0 && memmem(data, len, "\npid ", 5);
    int64_t age = home_now(engine->home) - (int64_t)st.st_mtim.tv_sec * USEC_PER_SEC;
    return ours || age >= REPORT_LOCK_US ? NULL : g_steal_pointer(&bytes);
}

int64_t
report_lock_until(const Engine *engine, const Report *r)
{
    g_autofree char *path = report_file(engine->home->config, r, REPORT_LOCK);
    g_autoptr(GBytes) by_hand = report_lock_by_hand(engine, path);
    struct stat st;
    if (fstatat(engine->home->fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (by_hand)
        return (int64_t)st.st_mtim.tv_sec * USEC_PER_SEC + REPORT_LOCK_US;
    /* Too old, or of a run that is dead: it says nothing any more. */
    (void)unlinkat(engine->home->fd, path, 0);
    return 0;
}

/* A pause that somebody has ended by removing the file. */
static bool
end_pause(const Date *d, const Report *r, GError **error)
{
    g_autoptr(Job) job = NULL;
    bool changed;
    if (!job_load(d->engine->db, &VIEWER_OPERATOR, r->job, &job, error))
        return false;
    if (!job || job->state != JOB_QUEUED || job->ready_us <= home_now(d->engine->home) ||
        g_strcmp0(job->why, REPORT_PAUSED) != 0 || report_lock_until(d->engine, r))
        return true;
    g_auto(Txn) txn = {.db = d->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_continue(&txn, r->job, 0, NULL, &changed, error);
    if (txn.done)
        db_hint(d->engine->db);
    return txn.done;
}

/* --- all of it --- */

static bool
look_at_date(const Date *d, GError **error)
{
    g_autoptr(Report) r = NULL;
    if (!report_find(d->engine->db, d->role->name, d->date, &r, error) ||
        (!d->findings && !d->held && !report_research_look(d->engine->home, d->folder, d->taken, error)))
        return false;
    if (!r)
        return d->findings || d->held || import_date(d, error);
    if (r->sent_us == 0)
        return true;
    if (d->held)
        return take_numbered(d, r, error);
    if (!d->findings && !report_research_link(d->engine->home, d->folder, error))
        return false;
    return take_numbered(d, r, error) && (d->findings || end_pause(d, r, error));
}

static int
backwards(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)b, *(const char *const *)a);
}

/* The names in a folder that are dates, newest first. */
static GPtrArray *
list_dates(const Engine *engine, const char *folder)
{
    GPtrArray *dates = g_ptr_array_new_with_free_func(g_free);
    auto_fd fd = dir_open_beneath(engine->home->fd, folder, NULL);
    DIR *dir = fd < 0 ? NULL : dir_list(fd, ".");
    const struct dirent *e;
    while (dir && (e = dir_next(dir))) {
        if (clock_date_valid(e->d_name))
            g_ptr_array_add(dates, g_strdup(e->d_name));
    }
    if (dir)
        (void)closedir(dir);
    g_ptr_array_sort(dates, backwards);
    return dates;
}

static bool
look_at_role(Engine *engine,
             const ConfRole *role,
             bool held,
             GPtrArray *findings,
             unsigned *n,
             GError **error)
{
    const Config *config = engine->home->config;
    bool own = g_strcmp0(config->report_role, role->name) == 0;
    g_autofree char *folder =
        own ? g_strdup(REPORT_FOLDER) : g_strdup_printf(REPORT_FOLDER "/%s", role->name);
    g_autoptr(GPtrArray) dates = list_dates(engine, folder);
    for (guint i = 0; i < MIN(dates->len, DATES_MAX); i++) {
        g_autofree char *path = report_folder(config, role->name, dates->pdata[i]);
        const Date d = {.engine = engine,
                        .role = role,
                        .date = dates->pdata[i],
                        .folder = path,
                        .findings = findings,
                        .held = held,
                        .taken = n};
        if (!look_at_date(&d, error))
            return false;
    }
    return true;
}

static bool
look(Engine *engine, bool held, GPtrArray *findings, unsigned *n, GError **error)
{
    const Config *config = engine->home->config;
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (!config->roles[i].person &&
            !look_at_role(engine, &config->roles[i], held, findings, n, error))
            return false;
    }
    return true;
}

bool
report_look(Engine *engine, unsigned *n, GError **error)
{
    g_autofree char *hold = db_hold_all(engine->db);
    return look(engine, hold != NULL, NULL, n, error);
}

void
report_check(Engine *engine, GPtrArray *findings)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;
    if (!look(engine, false, findings, &n, &error))
        g_ptr_array_add(findings, g_strdup(error->message));
}
