#include "report/report_send.h"
#include "engine/out/post.h"
#include "engine/out/role_mail.h"
#include "engine/role.h"
#include "mail/address.h"
#include "report/report_files.h"
#include "store/job/views.h"

#define SUBJECT_MAX 500 /* characters */

char *
report_msgid(const char *role, const char *date)
{
    return g_strdup_printf("%s-%s@%s.local", role, date, role);
}

/* The first heading of a Markdown text; NULL: it has none. */
static char *
first_heading(GBytes *body)
{
    g_autofree char *text = text_valid_bytes(body);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        size_t marks = strspn(*line, "#");
        if (marks == 0 || marks > 6 || (*line)[marks] != ' ')
            continue;
        g_autofree char *heading = text_vis(g_strstrip(*line + marks), false);
        if (*heading)
            return text_shorten(heading, 200);
    }
    return NULL;
}

char *
report_subject(GBytes *body, const char *date)
{
    g_autofree char *heading = first_heading(body);
    if (heading && strstr(heading, date))
        return g_steal_pointer(&heading);
    return g_strdup_printf("%s — %s", heading ? heading : "Briefing", date);
}

bool
report_raise(Engine *engine, Txn *txn, const Report *r, const char *name, GError **error)
{
    g_autofree char *path = report_file(engine->home->config, r, name);
    bool lock = g_str_equal(name, REPORT_LOCK); /* goes with the lease of the job */
    return view_raise(txn, REPORT_FACE, path, lock ? r->job : (JobId){0}, error);
}

/* --- a briefing --- */

static bool
check_addresses(const GPtrArray *list, GError **error)
{
    LIST_EACH(const char, spec, list)
        if (!address_spec_valid(spec))
            return err_set(error, ERR_NEVER, "'%s' is no address", spec);
    return true;
}

bool
report_new_check(Engine *engine, const ReportNew *in, GError **error)
{
    const ConfRole *role = role_get(engine, in->role, error);
    if (!role)
        return false;
    if (role->person)
        return err_set(error, ERR_NEVER, "'%s' is a person, not a role", in->role);
    if (!clock_date_valid(in->date))
        return err_set(error, ERR_NEVER, "'%s' is no date such as 2026-02-09", in->date);
    if (g_bytes_get_size(in->body) == 0)
        return err_set(error, ERR_NEVER, "the briefing is empty");
    if (in->subject && text_chars(in->subject) > SUBJECT_MAX)
        return err_set(error, ERR_NEVER, "a subject has at most %d characters", SUBJECT_MAX);
    return check_addresses(in->to, error) && check_addresses(in->cc, error);
}

static char *
join_addresses(const GPtrArray *list)
{
    g_autoptr(GString) all = g_string_new(NULL);
    LIST_EACH(const char, spec, list)
        g_string_append_printf(all, "%s%s", all->len ? ", " : "", spec);
    return g_string_free(g_steal_pointer(&all), FALSE);
}

/* The mail; *ret_transport: what the outbox calls it. */
static bool
post_briefing(Engine *engine,
              Txn *txn,
              const ConfRole *role,
              const Report *r,
              const ReportNew *in,
              const GPtrArray *to,
              const Trust *floor,
              ThreadId thread,
              char **ret_transport,
              GError **error)
{
    g_autoptr(ProposedMail) mail = proposed_mail_new();
    OutId id;
    mail->subject = g_strdup(r->subject);
    mail->body = text_valid_bytes(in->body);
    for (guint i = 0; i < in->cc->len; i++)
        g_ptr_array_add(mail->cc, g_strdup(g_ptr_array_index(in->cc, i)));
    g_autoptr(Compose) made = role_mail_answer(engine, role, NULL, mail, to, NULL, error);
    if (!made)
        return false;
    compose_msgid(made, r->msgid);
    const Post post = {.job = r->job,
                       .round = 1,
                       .thread = thread,
                       .level = TRUST_ROLE,
                       .floor = floor,
                       .mailbox = role->name};
    if (!post_compose(engine, txn, MAIL_LETTER, made, &post, &id, NULL, error))
        return false;
    *ret_transport = g_strdup_printf("%" G_GINT64_FORMAT, id.v);
    return true;
}

/* A job that has ended: the first reply begins its round. */
static bool
make_job(Txn *txn,
         const Report *r,
         const char *asker,
         ThreadId *ret_thread,
         JobId *ret,
         GError **error)
{
    JobNew job = {.role = r->role,
                  .face = REPORT_FACE,
                  .subject = r->subject,
                  .asker = asker,
                  .original_msgid = r->msgid};
    if (!thread_new(txn, ret_thread, error))
        return false;
    job.thread = *ret_thread;
    return job_create_ended(txn, &job, ret, error);
}

static bool
raise_sent(Engine *engine, Txn *txn, const Report *r, GError **error)
{
    return report_raise(engine, txn, r, REPORT_BRIEFING, error) &&
           report_raise(engine, txn, r, REPORT_SENT, error) &&
           report_raise(engine, txn, r, REPORT_THREAD, error) &&
           report_raise(engine, txn, r, REPORT_LOCK, error);
}

static bool
refuse_second(const Report *there, GError **error)
{
    return err_set(error, ERR_NEVER,
                   there->sent_us ? "the briefing of %s was sent already"
                                  : "%s was skipped: no briefing is sent for it",
                   there->date);
}

bool
report_send(Engine *engine, Txn *txn, const ReportNew *in, Trust floor, GError **error)
{
    const ConfRole *role = role_get(engine, in->role, error);
    g_autoptr(Report) there = NULL;
    g_autoptr(GPtrArray) owner = g_ptr_array_new();
    if (!role || !report_find(engine->db, in->role, in->date, &there, error))
        return false;
    if (there)
        return refuse_second(there, error);
    g_ptr_array_add(owner, (char *)engine->home->config->owner);
    const GPtrArray *to = in->to->len ? in->to : owner;
    g_autofree char *msgid = report_msgid(in->role, in->date);
    g_autofree char *subject = in->subject && *in->subject ? g_strdup(in->subject)
                                                           : report_subject(in->body, in->date);
    g_autofree char *all = join_addresses(to), *transport = NULL;
    Report r = {.role = (char *)in->role,
                .date = (char *)in->date,
                .name = (char *)role->display,
                .msgid = msgid,
                .subject = subject,
                .to = all,
                .sent_us = txn_now(txn),
                .body = in->body};
    ThreadId thread;
    bool is_new;
    if (!make_job(txn, &r, g_ptr_array_index(to, 0), &thread, &r.job, error) ||
        !post_briefing(engine, txn, role, &r, in, to, &floor, thread, &transport, error))
        return false;
    r.transport = transport;
    return report_put(txn, &r, floor, &is_new, &r.id, error) &&
           raise_sent(engine, txn, &r, error);
}

bool
report_skip(Engine *engine, Txn *txn, const char *role, const char *date, GError **error)
{
    g_autoptr(GBytes) empty = g_bytes_new_static("", 0);
    g_autoptr(Report) there = NULL;
    char none[] = "";
    Report r = {.role = (char *)role,
                .date = (char *)date,
                .name = none,
                .msgid = none,
                .transport = none,
                .subject = none,
                .to = none,
                .body = empty};
    bool is_new;
    ReportId id;
    if (!report_find(engine->db, role, date, &there, error))
        return false;
    if (there && there->sent_us)
        return refuse_second(there, error);
    return there || report_put(txn, &r, TRUST_OPERATOR, &is_new, &id, error);
}

/* --- replies --- */

bool
report_record(Engine *engine,
              Txn *txn,
              const Report *r,
              const Reply *reply,
              Trust floor,
              int *ret_n,
              GError **error)
{
    if (!report_put_reply(txn, r->id, reply, floor, ret_n, error))
        return false;
    if (*ret_n == 0)
        return true;
    g_autofree char *name = report_reply_name(*ret_n);
    bool own = *reply->msgid; /* a file that came as one is its writer's */
    return (!own || report_raise(engine, txn, r, name, error)) &&
           report_raise(engine, txn, r, REPORT_THREAD, error);
}

/* "photo.jpg (image/jpeg, 12 KB)", one per line. */
static char *
format_files(const Message *m)
{
    g_autoptr(GString) all = g_string_new(NULL);
    for (guint i = 0; m->files && i < m->files->len; i++) {
        const MsgPart *part = g_ptr_array_index(m->files, i);
        g_autofree char *size = text_format_size(part->size),
                        *name = text_vis(part->filename, false);
        g_string_append_printf(all, "%s%s (%s, %s)", all->len ? "\n" : "", name,
                               part->content_type, size);
    }
    return g_string_free(g_steal_pointer(&all), FALSE);
}

bool
report_record_mail(Engine *engine,
                   Txn *txn,
                   const Report *r,
                   const Message *m,
                   Trust floor,
                   int *ret_n,
                   GError **error)
{
    const char *text = m->text ? m->text : "";
    g_autofree char *files = format_files(m);
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));
    char none[] = "";
    const Reply reply = {.msgid = m->id,
                         .sender = m->from ? m->from->spec : none,
                         .subject = m->subject,
                         .files = files,
                         .at_us = m->date_us ? m->date_us : txn_now(txn),
                         .cut = (m->flags & MSG_TEXT_CUT) != 0,
                         .body = body};
    return report_record(engine, txn, r, &reply, floor, ret_n, error);
}

/* --- responses --- */

bool
report_respond(Engine *engine,
               Txn *txn,
               const Report *r,
               const GArray *numbers,
               const char *msgid,
               GBytes *body,
               Trust floor,
               GError **error)
{
    int highest = 0;
    bool any = false;
    for (guint i = 0; i < numbers->len; i++)
        highest = MAX(highest, g_array_index(numbers, int, i));
    for (guint i = 0; i < numbers->len; i++) {
        bool settled;
        if (!report_settle(txn, r->id, g_array_index(numbers, int, i), highest, &settled, error))
            return false;
        any |= settled;
    }
    if (!any)
        return true;
    g_autofree char *id = g_strdup(msgid ? msgid : "");
    g_autofree char *name = report_response_name(highest);
    const Response response = {.n = highest, .msgid = id, .at_us = txn_now(txn), .body = body};
    return report_put_response(txn, r->id, &response, floor, error) &&
           report_raise(engine, txn, r, name, error) &&
           report_raise(engine, txn, r, REPORT_THREAD, error);
}

bool
report_raise_all(Engine *engine, Txn *txn, const Report *r, GError **error)
{
    g_autoptr(Replies) replies = NULL;
    g_autoptr(Responses) responses = NULL;
    if (!report_replies(engine->db, r->id, &replies, error) ||
        !report_responses(engine->db, r->id, &responses, error))
        return false;
    LIST_EACH(const Reply, reply, replies) {
        g_autofree char *name = report_reply_name(reply->n);
        if (*reply->msgid && !report_raise(engine, txn, r, name, error))
            return false;
    }
    LIST_EACH(const Response, response, responses) {
        g_autofree char *name = report_response_name(response->n);
        if (!report_raise(engine, txn, r, name, error))
            return false;
    }
    return raise_sent(engine, txn, r, error);
}
