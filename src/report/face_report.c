#include "report/face_report.h"
#include "base/limits.h"
#include "base/log.h"
#include "engine/act.h"
#include "engine/in/recurrence.h"
#include "engine/mail_load.h"
#include "engine/people/notice.h"
#include "engine/people/words.h"
#include "engine/role.h"
#include "report/report_files.h"
#include "report/report_look.h"
#include "report/report_memory.h"
#include "report/report_prompt.h"
#include "report/report_research.h"
#include "report/report_send.h"
#include "report/report_thread.h"
#include "store/job/views.h"
#include "store/report.h"
#include <fcntl.h>
#include <sys/stat.h>

#define REPORT_TIMER REPORT_FACE ":by"

/* --- mail comes in --- */

static bool
stored(Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error)
{
    g_autoptr(Report) r = NULL;
    int n;
    if (!job.v || in->state != MSG_STORED)
        return true;
    return report_of_job(engine->db, job, &r, error) &&
           (!r || report_record_mail(engine, txn, r, in->mail, MIN(in->trust, in->floor), &n,
                                    error));
}

/* --- a job of its own runs --- */

/* Mail of the job that nobody has recorded: it was let in by an order, or an older store knew it. */
static bool
record_rest(Engine *engine, const Job *job, const Report *r, GError **error)
{
    g_autoptr(MsgRows) open = NULL;
    if (!messages_open(engine->db, job->id, &open, error))
        return false;
    LIST_EACH(const MsgRow, row, open) {
        g_autoptr(Message) m = NULL;
        int n;
        if (!report_open_reply(engine->db, r->id, row->msgid, &n, error))
            return false;
        if (n > 0)
            continue;
        if (!mail_load(engine, row, MESSAGE_TEXT, &m, error))
            return false;
        if (!m)
            continue;
        g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
        while (txn_again(&txn, error))
            txn.ok = report_record_mail(engine, &txn, r, m, row->floor, &n, error);
        if (!txn.done)
            return false;
    }
    return true;
}

/* Replies whose mail is handled although no response of ours settles them: another home, or a store that came after this
 * one's backup, has answered them. An agent that was shown them would answer once more. */
static bool
settle_elsewhere(Engine *engine, const Job *job, const Report *r, GError **error)
{
    g_autoptr(Replies) open = NULL;
    if (!report_open_replies(engine->db, r->id, &open, error))
        return false;
    LIST_EACH(const Reply, reply, open) {
        g_autoptr(MsgRow) row = NULL;
        bool settled;
        if (*reply->msgid &&
            !messages_find(engine->db, &VIEWER_OF(job->role), reply->msgid, &row, error))
            return false;
        if (!row || row->state != MSG_HANDLED)
            continue;
        g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
        while (txn_again(&txn, error))
            txn.ok = report_settle(&txn, r->id, reply->n, REPLY_ELSEWHERE, &settled, error) &&
                     report_raise(engine, &txn, r, REPORT_THREAD, error);
        if (!txn.done)
            return false;
    }
    return true;
}

static bool
mark_shown(Engine *engine, const Report *r, GError **error)
{
    g_autoptr(Replies) open = NULL;
    if (!report_open_replies(engine->db, r->id, &open, error))
        return false;
    int highest = thread_highest_reply(open);
    if (highest == r->shown)
        return true;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = report_set_shown(&txn, r->id, highest, error);
    return txn.done;
}

static bool
ready(Engine *engine, const Job *job, int64_t *ret_until, GError **error)
{
    g_autoptr(Report) r = NULL;
    if (!report_of_job(engine->db, job->id, &r, error))
        return false;
    if (!r)
        return err_set(error, ERR_CONFIG, "the briefing of this job is gone");
    *ret_until = report_lock_until(engine, r);
    return *ret_until ||
           (record_rest(engine, job, r, error) && settle_elsewhere(engine, job, r, error) &&
            mark_shown(engine, r, error) && report_thread_there(engine, r, error));
}

static bool
frame(Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error)
{
    g_autoptr(Report) r = NULL;
    return report_of_job(engine->db, job->id, &r, error) &&
           (!r || report_prompt_show(engine, r, step_hears(in), c, error));
}

static void
add_place(Sandbox *s, SandboxKind kind, const Home *home, const char *path)
{
    g_autofree char *whole = g_build_filename(home->path, path, NULL);
    sandbox_add(s, kind, whole);
}

/* Who answers replies reads all of it and writes memory.txt; who writes the briefings also writes what is
 * found out today. */
static void
shows(Engine *engine, const Job *job, Sandbox *s)
{
    const Home *home = engine->home;
    bool curates = g_str_equal(job->role, home->config->report_curator);
    if ((!curates && !g_str_equal(job->face, REPORT_FACE)) ||
        !role_find(engine, home->config->report_role))
        return;
    g_autofree char *today = clock_date("today", home_now(home));
    g_autofree char *folder = report_folder(home->config, home->config->report_role, today),
                    *research = report_research_folder(folder);
    g_autoptr(GError) failed = NULL;
    if (curates && !report_research_link(home, folder, &failed))
        log_event(LOG_WARN, "there is no folder for what is found out", "why", failed->message,
                  NULL);
    report_memory_link(engine, job);
    if (!s)
        return;
    report_memory_make(home);
    add_place(s, SANDBOX_READ, home, REPORT_FOLDER);
    add_place(s, SANDBOX_READ, home, "notes/" REPORT_FOLDER);
    add_place(s, SANDBOX_WRITE, home, "notes/" REPORT_MEMORY ".md");
    if (curates)
        add_place(s, SANDBOX_WRITE, home, research);
}

static bool
root(Engine *engine, const Job *job, char **ret_msgid, GError **error)
{
    g_autoptr(Report) r = NULL;
    if (!report_of_job(engine->db, job->id, &r, error))
        return false;
    *ret_msgid = r ? g_strdup(r->msgid) : NULL;
    return true;
}

/* A date is one job. */
static char **
watched(Engine *engine, const Job *job)
{
    g_autoptr(Report) r = NULL;
    if (!report_of_job(engine->db, job->id, &r, NULL) || !r)
        return NULL;
    const char *const watch[] = {"--role", r->role, "--date", r->date, NULL};
    return g_strdupv((char **)watch);
}

/* The mail of the step that is the response: the first that left to whoever asked, else the first. */
static int
find_response(const Job *job, const Proposal *p, const StepResult *result)
{
    int found = -1;
    for (guint i = 0; i < p->mails->len; i++) {
        const ProposedMail *mail = g_ptr_array_index(p->mails, i);
        if (!g_ptr_array_index(result->msgids, i))
            continue;
        if (mail->to->len == 0 || address_in(mail->to, job->asker))
            return (int)i;
        if (found < 0)
            found = (int)i;
    }
    return found;
}

/* Is the reply a mail that this or a later step settles? One that came as a file has none; after a lost store the mail of an
 * open reply is history, and no run is begun by it any more. */
static bool
mail_waits(Engine *engine, const Job *job, const Reply *reply, bool *ret, GError **error)
{
    g_autoptr(MsgRow) row = NULL;

    *ret = false;
    if (!*reply->msgid)
        return true;
    if (!messages_find(engine->db, &VIEWER_OF(job->role), reply->msgid, &row, error))
        return false;
    *ret = row && row->state != MSG_HANDLED && row->state != MSG_IGNORED;
    return true;
}

static bool
has_number(const GArray *numbers, int n)
{
    for (guint i = 0; i < numbers->len; i++)
        if (g_array_index(numbers, int, i) == n)
            return true;
    return false;
}

/* The numbers of the replies that this step settles. */
static bool
find_numbers(Engine *engine,
             const Job *job,
             const Report *r,
             const StepInput *in,
             const StepResult *result,
             GArray *numbers,
             GError **error)
{
    g_autoptr(Replies) open = NULL;
    LIST_EACH(const MsgRow, row, in->shown)
        for (guint i = 0; i < result->settled->len; i++) {
            int n;
            if (g_array_index(result->settled, MsgId, i).v != row->id.v)
                continue;
            if (!report_open_reply(engine->db, r->id, row->msgid, &n, error))
                return false;
            if (n > 0)
                g_array_append_val(numbers, n);
        }
    /* Those whose mail no step is going to settle are settled with the rest, as far as they were shown. */
    if (numbers->len == 0 && in->shown->len > 0)
        return true;
    if (!report_open_replies(engine->db, r->id, &open, error))
        return false;
    LIST_EACH(const Reply, reply, open) {
        bool waits;
        if (reply->n > r->shown || has_number(numbers, reply->n))
            continue;
        if (!mail_waits(engine, job, reply, &waits, error))
            return false;
        if (!waits)
            g_array_append_val(numbers, reply->n);
    }
    return true;
}

static bool
commit(Engine *engine,
       Txn *txn,
       const Job *job,
       const StepInput *in,
       const Proposal *p,
       const StepResult *result,
       GError **error)
{
    g_autoptr(Report) r = NULL;
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));
    int at = find_response(job, p, result);
    if (at < 0 || p->status == PROPOSE_FAIL || p->status == PROPOSE_LIMIT)
        return true;
    if (!report_of_job(engine->db, job->id, &r, error))
        return false;
    if (r && !find_numbers(engine, job, r, in, result, numbers, error))
        return false;
    if (numbers->len == 0)
        return true;
    const ProposedMail *mail = g_ptr_array_index(p->mails, (guint)at);
    const Verdict *v = &g_array_index(result->verdicts, Verdict, at);
    g_autofree char *text = g_strdup(v->body ? v->body : mail->body);
    g_autofree char *line = g_strconcat(g_strchomp(text), "\n", NULL);
    g_autoptr(GBytes) body = g_bytes_new(line, strlen(line));
    return report_respond(engine, txn, r, numbers, g_ptr_array_index(result->msgids, (guint)at),
                          body, in->floor, error);
}

/* --- what it shows --- */

static GBytes *
text_bytes(char *take_text)
{
    return g_bytes_new_take(take_text, strlen(take_text));
}

/* Gone files are not made again in silence: whoever removed thread.md, or the disk that lost it, is
 * told so by the next run. */
static bool
was_removed(Engine *engine, const char *path, bool *ret, GError **error)
{
    g_autoptr(View) view = NULL;
    struct stat st;
    if (!view_find(engine->db, path, &view, error))
        return false;
    bool written = view && *view->digests && *view->digests != ' ';
    *ret = written && fstatat(engine->home->fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0;
    return true;
}

static bool
render_thread(Engine *engine, const Report *r, const char *path, GBytes **ret, GError **error)
{
    g_autoptr(Replies) replies = NULL;
    g_autoptr(Responses) responses = NULL;
    bool removed;
    if (!was_removed(engine, path, &removed, error))
        return false;
    if (removed)
        return report_thread_there(engine, r, error);
    if (!report_replies(engine->db, r->id, &replies, error) ||
        !report_responses(engine->db, r->id, &responses, error))
        return false;
    *ret = text_bytes(thread_format(r, replies, responses, SIZE_MAX));
    return true;
}

/* Who works on the date, while somebody does. */
static bool
render_lock(Engine *engine, const Report *r, const char *path, GBytes **ret, GError **error)
{
    g_autoptr(Job) job = NULL;
    *ret = report_lock_by_hand(engine, path);
    if (*ret)
        return true;
    if (!job_load(engine->db, &VIEWER_OPERATOR, r->job, &job, error))
        return false;
    if (!job || job->state != JOB_RUNNING)
        return true;
    g_autoptr(GDateTime) at = g_date_time_new_from_unix_utc(job->updated_us / USEC_PER_SEC);
    g_autofree char *since = g_date_time_format(at, "%Y-%m-%dT%H:%M:%S");
    *ret = text_bytes(g_strdup_printf("%s.%03dZ\npid %d start %" G_GINT64_FORMAT
                                      "\njob %" G_GINT64_FORMAT "\n",
                                      since, (int)(job->updated_us / 1000 % 1000),
                                      (int)job->owner.pid, job->owner.start_time, job->id.v));
    return true;
}

/* The whole text, also of a mail that is longer than a reader gets; of one that is gone its beginning. */
static bool
load_body(Engine *engine, const Report *r, const Reply *reply, GBytes **ret, GError **error)
{
    const MessageLimits limits = {.max_text = LIMIT_MESSAGE_BYTES};
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(GBytes) bytes = NULL;
    *ret = g_bytes_ref(reply->body);
    if (!reply->cut)
        return true;
    if (!messages_find(engine->db, &VIEWER_OF(r->role), reply->msgid, &row, error) ||
        (row && !mail_bytes(engine, row, &bytes, error)))
        return false;
    if (!bytes)
        return true;
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    g_autoptr(Message) m = message_parse(data, len, MESSAGE_TEXT, &limits);
    g_bytes_unref(*ret);
    *ret = g_bytes_new(m->text ? m->text : "", m->text ? strlen(m->text) : 0);
    return true;
}

static bool
render_reply(Engine *engine, const Report *r, int n, GBytes **ret, GError **error)
{
    g_autoptr(Reply) reply = NULL;
    g_autoptr(GBytes) body = NULL;
    if (!report_reply(engine->db, r->id, n, &reply, error))
        return false;
    if (reply && !load_body(engine, r, reply, &body, error))
        return false;
    *ret = reply ? report_reply_format(reply, body) : NULL;
    return true;
}

static bool
render_numbered(Engine *engine, const Report *r, const char *name, GBytes **ret, GError **error)
{
    g_autoptr(Response) response = NULL;
    bool is_response;
    const char *base = strrchr(name, '/');
    int n = base ? report_name_number(base + 1, &is_response) : 0;
    if (n == 0)
        return true;
    if (!is_response)
        return render_reply(engine, r, n, ret, error);
    if (!report_response(engine->db, r->id, n, &response, error))
        return false;
    *ret = response ? g_bytes_ref(response->body) : NULL;
    return true;
}

static bool
render(Engine *engine, const char *subject, GBytes **ret, GError **error)
{
    g_auto(ReportView) v = {0};
    g_autoptr(Report) r = NULL;
    g_auto(Snapshot) reads = {0};
    *ret = NULL;
    if (!report_view_parse(engine->home->config, subject, &v))
        return true;
    snapshot_begin(engine->db, &reads);
    if (!report_find(engine->db, v.role, v.date, &r, error))
        return false;
    if (!r)
        return true;
    if (g_str_equal(v.name, REPORT_THREAD))
        return render_thread(engine, r, subject, ret, error);
    if (g_str_equal(v.name, REPORT_LOCK))
        return render_lock(engine, r, subject, ret, error);
    if (g_str_equal(v.name, REPORT_BRIEFING))
        *ret = g_bytes_ref(r->body);
    else if (g_str_equal(v.name, REPORT_SENT))
        *ret = report_sent_format(r);
    else
        return render_numbered(engine, r, v.name, ret, error);
    return true;
}

/* --- respond, as an act --- */

static const ActField respond_fields[] = {
    {"date", "of the briefing, such as 2026-02-09", true, false},
    {"body", "the response, as text or Markdown", true, true},
    {"subject", "empty for Re: and the subject of what it answers", false, false},
    {NULL, NULL, false, false},
};

static bool
propose_response(const ActCall *c, GError **error)
{
    g_autoptr(Report) r = NULL;
    const char *date = act_text(c->act->args, "date"),
               *body = act_text(c->act->args, "body"),
               *subject = act_text(c->act->args, "subject");
    if (!report_of_job(c->engine->db, c->job->id, &r, error))
        return false;
    if (!r || !g_str_equal(r->date, date))
        return err_set(error, ERR_NEVER, "this job does not answer for the briefing of '%s'",
                       date);
    if (!*body)
        return err_set(error, ERR_NEVER, "the response is empty");
    if (c->in->shown->len == 0 && !c->job->instruction)
        return err_set(error, ERR_NEVER, "all replies that were shown are answered already");
    ProposedMail *mail = proposal_add_mail(c->p);
    mail->body = g_strdup(body);
    mail->subject = subject && *subject ? g_strdup(subject) : NULL;
    LIST_EACH(const MsgRow, row, c->in->shown)
        g_array_append_val(c->p->settles, row->id);
    return true;
}

static bool
offer_response(Engine *engine, const Job *job, bool *ret, GError **error)
{
    *ret = g_str_equal(job->face, REPORT_FACE);
    return true;
}

static const ActOps act_respond = {
    .name = "respond",
    .about = "answers the open replies to a briefing, once",
    .fields = respond_fields,
    .offered = offer_response,
    .propose = propose_response,
};

/* --- a briefing, as an act --- */

static const ActField briefing_fields[] = {
    {"date", "such as 2026-02-09, or today", true, false},
    {"body", "the briefing, as Markdown", true, true},
    {"subject", "empty for its first heading and the date", false, false},
    {"to", "addresses of people of this home; empty for the owner", false, false},
    {NULL, NULL, false, false},
};

/* What the arguments say. It borrows from them. */
typedef struct Wish {
    char *date;
    GBytes *body;
    GPtrArray *to, *cc;
    ReportNew in;
} Wish;

static void
wish_clear(Wish *w)
{
    g_clear_pointer(&w->date, g_free);
    g_clear_pointer(&w->body, g_bytes_unref);
    g_clear_pointer(&w->to, g_ptr_array_unref);
    g_clear_pointer(&w->cc, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Wish, wish_clear)

static bool
read_wish(Engine *engine, const json_t *args, Wish *ret, GError **error)
{
    const char *body = act_text(args, "body"), *to = act_text(args, "to");
    g_auto(GStrv) specs = g_strsplit_set(to ? to : "", ", ", -1);
    ret->date = clock_date(act_text(args, "date"), home_now(engine->home));
    ret->body = g_bytes_new(body, strlen(body));
    ret->to = g_ptr_array_new_with_free_func(g_free);
    ret->cc = g_ptr_array_new();
    for (char **spec = specs; *spec; spec++) {
        if (**spec)
            g_ptr_array_add(ret->to, g_strdup(*spec));
    }
    if (!ret->date)
        return err_set(error, ERR_NEVER, "'%s' is no date such as 2026-02-09",
                       act_text(args, "date"));
    ret->in = (ReportNew){.role = engine->home->config->report_role,
                          .date = ret->date,
                          .body = ret->body,
                          .subject = act_text(args, "subject"),
                          .to = ret->to,
                          .cc = ret->cc};
    return true;
}

/* It goes to people whom we work for, and only on the word of somebody who may steer. */
static bool
propose_briefing(const ActCall *c, GError **error)
{
    g_auto(Wish) wish = {0};
    g_autoptr(Report) there = NULL;
    const char *below = round_below_steer(c->job, c->in);
    if (below)
        return err_set(error, ERR_NEVER, "this job may send no briefing: %s", below);
    if (!read_wish(c->engine, c->act->args, &wish, error) || !report_new_check(c->engine, &wish.in, error) ||
        !report_find(c->engine->db, wish.in.role, wish.date, &there, error))
        return false;
    if (there)
        return err_set(error, ERR_NEVER, "the briefing of %s was sent already", wish.date);
    LIST_EACH(const char, spec, wish.to)
        if (!config_is_person(c->engine->home->config, spec))
            return err_set(error, ERR_NEVER, "'%s' is nobody we work for", spec);
    LIST_EACH(const MsgRow, row, c->in->shown)
        g_array_append_val(c->p->settles, row->id);
    return true;
}

static bool
commit_briefing(const ActCall *c, char **ret_did, GError **error)
{
    g_auto(Wish) wish = {0};
    if (!read_wish(c->engine, c->act->args, &wish, error) ||
        !report_send(c->engine, c->txn, &wish.in, c->in->floor, error))
        return false;
    *ret_did = g_strdup_printf("sent the briefing of %s", wish.date);
    return true;
}

static bool
offer_briefing(Engine *engine, const Job *job, bool *ret, GError **error)
{
    const Config *config = engine->home->config;
    *ret = g_str_equal(job->role, config->report_curator) &&
           role_find(engine, config->report_role);
    return true;
}

static const ActOps act_briefing = {
    .name = "briefing",
    .about = "sends the briefing of a date, once",
    .fields = briefing_fields,
    .offered = offer_briefing,
    .propose = propose_briefing,
    .commit = commit_briefing,
};
static const ActOps *const acts[] = {&act_respond, &act_briefing, NULL};

/* --- a briefing that did not come --- */

static bool
due(Engine *engine, Txn *txn, const Timer *t, GError **error)
{
    const Config *config = engine->home->config;
    const ConfRole *role = role_find(engine, config->report_role);
    Recurrence when;
    g_autoptr(Report) there = NULL;
    if (!role || !recurrence_parse(config->report_by, &when, NULL, NULL))
        return true;
    g_autoptr(GDateTime) at = g_date_time_new_from_unix_local(t->due_us / USEC_PER_SEC);
    g_autofree char *date = g_date_time_format(at, "%Y-%m-%d");
    g_autofree char *subject = g_strdup_printf("No briefing of %s", date);
    const Notice notice = {.role = role, .subject = subject};
    if (!report_find(engine->db, role->name, date, &there, error) ||
        (!there && !notice_say(engine, txn, &notice, error, WORDS_REPORT_MISSING, date, date)))
        return false;
    return timer_set_about(txn, (JobId){0}, REPORT_TIMER, role->name,
                           recurrence_next(&when, t->due_us, t->due_us), error);
}

/* When the owner hears that there is no briefing, by the settings as they are now. */
static bool
plan_due(Engine *engine, GError **error)
{
    const Config *config = engine->home->config;
    Recurrence when;
    int64_t now = home_now(engine->home), planned;
    if (!timer_find(engine->db, (JobId){0}, REPORT_TIMER, &planned, error))
        return false;
    bool wanted = role_find(engine, config->report_role) && *config->report_by &&
                  recurrence_parse(config->report_by, &when, NULL, NULL);
    int64_t next = wanted ? recurrence_next(&when, now, now) : USEC_NEVER;
    if (planned == next || (wanted && planned <= now))
        return true;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = timer_drop(&txn, (JobId){0}, REPORT_TIMER, error) &&
                 (!wanted || timer_set_about(&txn, (JobId){0}, REPORT_TIMER,
                                             config->report_role, next, error));
    return txn.done;
}

static bool
look(Engine *engine, unsigned *n, GError **error)
{
    return report_look(engine, n, error) && report_memory_look(engine, n, error) &&
           plan_due(engine, error);
}

static const char *const watches[] = {REPORT_FOLDER, NULL};

const FaceOps face_report = {
    .name = REPORT_FACE,
    .tables = &report_tables,
    .watches = watches,
    .stored = stored,
    .ready = ready,
    .frame = frame,
    .shows = shows,
    .root = root,
    .watched = watched,
    .commit = commit,
    .acts = acts,
    .render = render,
    .look = look,
    .due = due,
    .check = report_check,
};
