/* The verbs that make something happen: each accepted request is a proposal with one mail,
 * through policy, committed as a step under the run's own claim. */
#include "base/digest.h"
#include "base/json.h"
#include "base/limits.h"
#include "engine/act.h"
#include "engine/check/task_check.h"
#include "engine/people/hold.h"
#include "engine/people/words.h"
#include "engine/run/workplace.h"
#include "mail/mime/base64.h"
#include "mail/msgid.h"
#include "mail/parents.h"
#include "port/port_verbs.h"
#include "store/out/outbox.h"
#include <sysexits.h>

static bool
add_address(GPtrArray *list, const char *name, const char *text, GError **error)
{
    g_autofree char *spec = address_normalise(text);
    if (!spec || !address_spec_valid(spec))
        return err_set(error, ERR_NEVER, "%s: '%s' is no address", name, text);
    g_ptr_array_add(list, g_steal_pointer(&spec));
    return true;
}

static bool
add_header_list(GPtrArray *list, const char *name, const char *text, GError **error)
{
    g_autoptr(Addresses) addresses = address_parse_list(text);
    if (addresses->len == 0 && *text)
        return err_set(error, ERR_NEVER, "%s: '%s' holds no address", name, text);
    LIST_EACH(const Address, a, addresses)
        if (!add_address(list, name, a->spec, error))
            return false;
    return true;
}

static bool
read_addresses(const json_t *request, const char *name, GPtrArray *list, GError **error)
{
    const json_t *value = json_object_get(request, name);
    const json_t *item;
    size_t i;

    if (!value || json_is_null(value))
        return true;
    if (json_is_string(value))
        return add_header_list(list, name, json_string_value(value), error);
    if (!json_is_array(value))
        return err_set(error, ERR_NEVER, "%s: must be a string or an array", name);
    json_array_foreach(value, i, item)
    {
        if (!json_is_string(item))
            return err_set(error, ERR_NEVER, "%s[%zu]: must be a string", name, i);
        if (!add_address(list, name, json_string_value(item), error))
            return false;
    }
    return true;
}

static bool
decode_content(const char *path, const char *text, GBytes **ret, GError **error)
{
    size_t len = strlen(text);
    bool damaged = false;

    if (len / 4 * 3 > LIMIT_ATTACHMENT_BYTES)
        return err_set(error, ERR_LIMIT, "%s.content_base64: an attachment is at most %u bytes",
                       path, LIMIT_ATTACHMENT_BYTES);
    g_autofree uint8_t *bytes = g_malloc(BASE64_ROOM(len));
    size_t n = base64_decode(text, len, bytes, &damaged);
    if (damaged)
        return err_set(error, ERR_NEVER, "%s.content_base64: is not base64", path);
    *ret = g_bytes_new_take(g_steal_pointer(&bytes), n);
    return true;
}

static bool
read_attachments(const json_t *request, ProposedMail *mail, GError **error)
{
    static const char *const members[] = {"filename", "content_base64", NULL};
    g_autoptr(GHashTable) names = workplace_names_new();
    const json_t *list, *item;
    size_t i;

    if (!json_object_get(request, "attachments"))
        return true;
    if (!json_get_array(request, "", "attachments", &list, error))
        return false;
    if (json_array_size(list) > WORKPLACE_FILES_MAX)
        return err_set(error, ERR_LIMIT, "attachments: at most %u", WORKPLACE_FILES_MAX);
    json_array_foreach(list, i, item)
    {
        g_autofree char *path = g_strdup_printf("attachments[%zu]", i);
        g_autoptr(GBytes) content = NULL;
        const char *filename, *base64;

        if (!json_is_object(item))
            return err_set(error, ERR_NEVER, "%s: must be an object", path);
        if (!json_only(item, path, members, error) ||
            !json_get_string(item, path, "filename", &filename, error) ||
            !json_get_string(item, path, "content_base64", &base64, error) ||
            !decode_content(path, base64, &content, error))
            return false;
        g_autofree char *safe = workplace_name(names, filename);
        proposed_mail_attach(mail, safe, NULL, content);
    }
    return true;
}

/* The members that send and reply share, with body required. */
static ProposedMail *
read_mail(const json_t *request, GError **error)
{
    ProposedMail *mail = proposed_mail_new();
    const char *body, *subject = NULL;

    if (json_get_string(request, "", "body", &body, error) &&
        json_find_string(request, "", "subject", &subject, error) &&
        read_addresses(request, "to", mail->to, error) &&
        read_addresses(request, "cc", mail->cc, error) &&
        read_attachments(request, mail, error)) {
        mail->body = g_strdup(body);
        mail->subject = g_strdup(subject);
        return mail;
    }
    proposed_mail_free(mail);
    return NULL;
}

/* why: for what it is held; NULL: it is not. */
static void
put_outcome(json_t *answer, const char *msgid, const char *why)
{
    answer_id(answer, "message_id", msgid);
    answer_text(answer, "state", why ? "held" : "ready");
    if (why)
        answer_text(answer, "why", why);
}

/* For what the first mail of these verdicts is held; NULL: it is not. Borrowed. */
static const char *
why_held(const GArray *verdicts)
{
    const Verdict *verdict = &g_array_index(verdicts, Verdict, 0);

    return verdict->kind == VERDICT_HELD ? verdict->why : NULL;
}

/* A program hears at once that nobody can be asked about what would be held. */
static bool
may_ask(PortTalk *talk, const GArray *verdicts, GError **error)
{
    const char *why = NULL;
    if (policy_holds(verdicts) && !hold_may_ask(talk->engine, talk->job->id, &why, error))
        return false;
    if (!why)
        return true;
    talk->status = EX_TEMPFAIL;
    return err_set(error, ERR_NEVER, "%s", why);
}

/* What answers a task with a check is for the end. */
static bool
may_answer(PortTalk *talk, const StepInput *in, const Proposal *p, GError **error)
{
    g_auto(TaskCheck) check = {0};
    if (!task_check_answers(talk->job, in, p))
        return true;
    if (!task_check_find(talk->engine, talk->job, &check, error))
        return false;
    if (!check.command)
        return true;
    talk->status = EX_NOPERM;
    return err_set(error, ERR_NEVER, WORDS_CHECK_AT_END, check.command);
}

bool
port_commit(PortTalk *talk,
            Proposal *p,
            MsgRows *shown,
            GArray **ret_verdicts,
            StepResult *ret,
            GError **error)
{
    g_autoptr(GBytes) read = port_manifest(talk, NULL);
    const StepInput in = {.floor = talk->floor,
                          .shown = shown,
                          .manifest = read,
                          .page = talk->in->manifest,
                          .context = talk->in->context,
                          .deadline_us = talk->in->deadline_us};
    g_autoptr(GArray) verdicts = NULL;
    g_autoptr(GError) failure = NULL;

    if (!may_answer(talk, &in, p, error) ||
        !policy_check(talk->engine, talk->job, &in, p, &verdicts, error))
        return false;
    LIST_EACH(const ProposedNote, note, p->notes) {
        if (!note->refused)
            continue;
        talk->status = EX_NOPERM;
        return err_set(error, ERR_NEVER, "not changed: %s", note->refused);
    }
    for (guint i = 0; i < verdicts->len; i++) {
        const Verdict *verdict = &g_array_index(verdicts, Verdict, i);
        if (verdict->kind != VERDICT_REFUSED)
            continue;
        talk->status = EX_NOPERM;
        return err_set(error, ERR_NEVER, "%s", verdict->why);
    }
    if (!may_ask(talk, verdicts, error))
        return false;
    if (!step_commit(talk->engine, talk->claim, &in, p, verdicts, ret, &failure)) {
        talk->lost = err_is(failure, ERR_NEVER) && g_str_has_prefix(failure->message, "fenced");
        if (talk->lost)
            talk->status = EX_TEMPFAIL;
        return err_pass(error, g_steal_pointer(&failure));
    }
    talk->steps++;
    g_hash_table_remove_all(talk->reads);
    (void)step_settle(talk->engine, ret, NULL); /* the sweep does what is left */
    *ret_verdicts = g_steal_pointer(&verdicts);
    return true;
}

/* One mail through policy and commit. The message id is given for the caller's own record. */
static bool
commit_mail(PortTalk *talk, Proposal *p, MsgRows *shown, char **ret_msgid, GError **error)
{
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};

    p->once = talk->once;
    if (!port_commit(talk, p, shown, &verdicts, &result, error))
        return false;
    *ret_msgid = g_strdup(g_ptr_array_index(result.msgids, 0));
    put_outcome(talk->answer, *ret_msgid, why_held(verdicts));
    return true;
}

/* Whether the role may know that there is such a mail. */
static bool
is_visible(PortTalk *talk, const char *msgid, bool *ret, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(OutRow) out = NULL;

    if (!messages_find(talk->engine->db, &talk->viewer, msgid, &row, error) ||
        !outbox_find(talk->engine->db, &talk->viewer, msgid, &out, error))
        return false;
    *ret = out || (row && mail_is_let_in(row));
    return true;
}

static bool
read_parent(PortTalk *talk, ProposedMail *mail, GError **error)
{
    const char *text = NULL;

    if (!json_find_string(talk->request, "", "in_reply_to", &text, error))
        return false;
    if (!text)
        return true;
    g_autoptr(GPtrArray) ids = msgid_parse_list(text, PARENTS_MAX);
    if (ids->len == 0)
        return answer_absent(talk, text, error);
    LIST_EACH(const char, id, ids) {
        bool visible = false;
        if (!is_visible(talk, id, &visible, error))
            return false;
        g_autofree char *named = ids->len > 1 ? msgid_format(id) : g_strdup(text);
        if (!visible)
            return answer_absent(talk, named, error);
        proposed_mail_answer(mail, id);
    }
    return true;
}

/* A request with `once` that was carried out within the last minute, perhaps by a run that was killed since, is answered as it was,
 * and does nothing: whoever did not hear the answer may ask again. A plain reply to mail that is open now is none of those. */
static bool
make_once(PortTalk *talk, bool reply, PortVerb *make, GError **error)
{
    SentOnce what = {.job = talk->job->id, .round = talk->job->round};
    g_autofree char *request = NULL, *msgid = NULL, *why = NULL;
    bool once = false;

    if (!json_find_bool(talk->request, "", "once", &once, error))
        return false;
    if (!once)
        return make(talk, error);
    request = json_format_sorted(talk->request);
    digest_of(request, strlen(request), &what.digest);
    if (!sent_once_find(talk->engine->db, &what, &msgid, &why, error))
        return false;
    if (msgid && !(reply && talk->unsettled->len > 0 &&
                   !json_object_get(talk->request, "settles"))) {
        put_outcome(talk->answer, msgid, why);
        json_object_set_new(talk->answer, "repeated", json_true());
        return true;
    }
    talk->once = &what;
    bool ok = make(talk, error);
    talk->once = NULL;
    return ok;
}

static bool
make_send(PortTalk *talk, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    g_autofree char *msgid = NULL;
    ProposedMail *mail = read_mail(talk->request, error);

    if (!mail)
        return false;
    proposed_mails_add(p->mails, mail);
    if (!read_parent(talk, mail, error))
        return false;
    if (mail->to->len > 0 && !mail->in_reply_to && !mail->subject)
        return err_set(error, ERR_NEVER, "subject: must be there in a mail that answers none");
    return commit_mail(talk, p, talk->unsettled, &msgid, error);
}

bool
verb_send(PortTalk *talk, GError **error)
{
    return make_once(talk, false, make_send, error);
}

static const MsgRow *
find_shown(const PortTalk *talk, const char *msgid)
{
    LIST_EACH(const MsgRow, row, talk->in->shown)
        if (g_str_equal(row->msgid, msgid))
            return row;
    return NULL;
}

static bool
add_settled(PortTalk *talk, const MsgRow *row, MsgRows *rows, GError **error)
{
    const char *reply = g_hash_table_lookup(talk->answers, &row->id.v);

    if (reply) {
        answer_id(talk->answer, "message_id", reply);
        return err_set(error, ERR_NEVER, "'<%s>' was answered already by '<%s>'", row->msgid,
                       reply);
    }
    if (!g_ptr_array_find(LIST_ARRAY(rows), row, NULL))
        msg_rows_add(rows, (MsgRow *)row);
    return true;
}

/* The mails that a reply settles: those it names, else all that are open. */
static bool
read_settles(PortTalk *talk, MsgRows *rows, GError **error)
{
    const json_t *list, *item;
    size_t i;

    if (!json_object_get(talk->request, "settles")) {
        const MsgRows *from = talk->unsettled->len ? talk->unsettled : talk->in->shown;
        LIST_EACH(const MsgRow, row, from)
            if (!add_settled(talk, row, rows, error))
                return false;
        return true;
    }
    if (!json_get_array(talk->request, "", "settles", &list, error))
        return false;
    json_array_foreach(list, i, item)
    {
        const char *text = json_string_value(item);
        if (!text)
            return err_set(error, ERR_NEVER, "settles[%zu]: must be a string", i);
        g_autofree char *id = msgid_parse(text);
        const MsgRow *row = id ? find_shown(talk, id) : NULL;
        if (!row)
            return answer_absent(talk, text, error);
        if (!add_settled(talk, row, rows, error))
            return false;
    }
    return true;
}

static int
compare_age(gconstpointer a, gconstpointer b)
{
    const MsgRow *x = *(const MsgRow *const *)a, *y = *(const MsgRow *const *)b;
    return (x->id.v > y->id.v) - (x->id.v < y->id.v);
}

static void
mark_settled(PortTalk *talk, const MsgRows *rows, const char *msgid)
{
    LIST_EACH(MsgRow, row, rows) {
        g_ptr_array_remove(LIST_ARRAY(talk->unsettled), row);
        g_hash_table_insert(talk->answers, &row->id.v, g_strdup(msgid));
    }
}

static bool
make_reply(PortTalk *talk, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    g_autoptr(MsgRows) rows = msg_rows_new_view();
    g_autofree char *msgid = NULL;
    ProposedMail *mail = read_mail(talk->request, error);

    if (!mail)
        return false;
    proposed_mails_add(p->mails, mail);
    if (!*mail->body && mail->files->len == 0)
        return err_set(error, ERR_NEVER, "body: must not be empty");
    if (!read_settles(talk, rows, error))
        return false;
    if (rows->len == 0)
        return err_set(error, ERR_NEVER, "there is no mail to answer; use send");
    g_ptr_array_sort(LIST_ARRAY(rows), compare_age);
    const MsgRow *newest = g_ptr_array_index(rows, rows->len - 1);
    mail->in_reply_to = g_strdup(newest->msgid);
    LIST_EACH(const MsgRow, row, rows)
        g_array_append_val(p->settles, row->id);
    if (!commit_mail(talk, p, rows, &msgid, error))
        return false;
    mark_settled(talk, rows, msgid);
    return true;
}

bool
verb_reply(PortTalk *talk, GError **error)
{
    return make_once(talk, true, make_reply, error);
}

/* Those of the mails that the program was shown which the proposal settles. */
static MsgRows *
settled_rows(const PortTalk *talk, const Proposal *p)
{
    MsgRows *rows = msg_rows_new_view();
    LIST_EACH(MsgRow, row, talk->unsettled)
        for (guint i = 0; i < p->settles->len; i++) {
            if (g_array_index(p->settles, MsgId, i).v == row->id.v)
                msg_rows_add(rows, row);
        }
    return rows;
}

/* An act of a face, as a step. */
bool
verb_act(PortTalk *talk, GError **error)
{
    const ActOps *act = act_find(talk->engine, act_text(talk->request, "verb"));
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    g_autoptr(json_t) args = json_copy(talk->request);
    g_autoptr(GArray) verdicts = NULL;
    g_auto(StepResult) result = {0};
    StepInput in = *talk->in;
    g_autoptr(GBytes) read = port_manifest(talk, NULL);
    in.shown = talk->unsettled;
    in.floor = talk->floor;
    in.page = talk->in->manifest;
    in.manifest = read;
    json_object_del(args, "verb");
    if (!act_propose(talk->engine, talk->job, &in, act, args, p, error) ||
        !port_commit(talk, p, talk->unsettled, &verdicts, &result, error))
        return false;
    const char *msgid = result.msgids->len ? g_ptr_array_index(result.msgids, 0) : NULL;
    g_autoptr(MsgRows) rows = settled_rows(talk, p);
    if (msgid)
        put_outcome(talk->answer, msgid, why_held(verdicts));
    LIST_EACH(const ProposedAct, done, p->acts)
        if (done->ops->answer)
            done->ops->answer(done, talk->answer);
    mark_settled(talk, rows, msgid ? msgid : "");
    return true;
}
