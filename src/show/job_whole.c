#include "show/job_whole.h"
#include "base/json.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"

#define ANSWER_MAX (64u << 20)
#define JOB_MAIL_MAX 200
#define STEP_MAIL_MAX 1000

/* --- a job --- */

bool
job_whole_load(Db *db, JobId id, JobWhole *ret, GError **error)
{
    return job_load(db, &VIEWER_OPERATOR, id, &ret->job, error) &&
           steps_list(db, &VIEWER_OPERATOR, id, 0, &ret->steps, error) &&
           fork_of(db, id, &ret->from, error) && forks_list(db, id, &ret->forks, error) &&
           (ret->job->state != JOB_RUNNING ||
            doing_last(db, id, ret->job->fence, &ret->doing, error));
}

void
job_whole_clear(JobWhole *w)
{
    job_free(w->job);
    steps_free(w->steps);
    forks_free(w->forks);
    doing_free(w->doing);
}

json_t *
job_whole_json(const JobWhole *w)
{
    json_t *o = shape_pick(&job_shape, w->job, "id", "role", "state", "phase", "subject",
                           "from", "round", "total_iterations", "cost_usd", NULL);
    json_object_set_new(o, "steps", shape_list_json(&step_shape, w->steps));
    json_object_set_new(o, "forks", shape_list_json(&fork_shape, w->forks));
    json_object_set_new(
        o, "forked_from",
        w->from.job.v
            ? json_pack("{s:I, s:i}", "job", (json_int_t)w->from.job.v, "step", w->from.step)
            : json_null());
    json_object_set_new(o, "doing",
                        w->doing ? shape_json(&doing_shape, w->doing) : json_null());
    return o;
}

static json_t *
mail_line(const char *mail, int64_t at_us, const char *state, const char *who, const char *what)
{
    return json_pack("{s:s, s:o, s:s, s:s, s:s}", "mail", mail, "when", shape_time(at_us),
                     "state", state, "who", who, "subject", what);
}

bool
job_mail_json(Db *db, JobId id, json_t **ret, GError **error)
{
    g_autoptr(MsgRows) in = NULL;
    g_autoptr(OutRows) out = NULL;
    MsgQuery mq = {.job = id, .oldest_first = true, .limit = JOB_MAIL_MAX};
    OutQuery oq = {.job = id, .all = true, .limit = JOB_MAIL_MAX};
    if (!messages_list(db, &VIEWER_OPERATOR, &mq, &in, error) ||
        !outbox_list(db, &VIEWER_OPERATOR, &oq, &out, error))
        return false;
    *ret = json_array();
    guint i = 0, left = out->len; /* the newest of these is the first */
    while (i < in->len || left > 0) {
        if (left == 0 ||
            (i < in->len && in->pdata[i]->received_us <= out->pdata[left - 1]->created_us)) {
            const MsgRow *m = in->pdata[i++];
            json_array_append_new(
                *ret,
                mail_line("in", m->received_us, msg_state_name(m->state), m->from, m->subject));
        } else {
            const OutRow *o = out->pdata[--left];
            json_array_append_new(*ret,
                                  mail_line("out", o->created_us, out_state_name(o->state),
                                            o->address, o->subject));
        }
    }
    return true;
}

/* --- a step --- */

bool
step_whole_load(Db *db, JobId job, int n, StepWhole *ret, GError **error)
{
    MsgQuery in = {.job = job, .step = n, .oldest_first = true, .limit = STEP_MAIL_MAX};
    OutQuery out = {.job = job, .step = n, .all = true, .limit = STEP_MAIL_MAX};
    if (!step_upto(db, &VIEWER_OPERATOR, job, n, &ret->step, error))
        return false;
    if (ret->step && ret->step->n != n)
        g_clear_pointer(&ret->step, step_free);
    return !ret->step || (step_notes(db, job, n, &ret->notes, error) &&
                          messages_list(db, &VIEWER_OPERATOR, &in, &ret->in, error) &&
                          outbox_list(db, &VIEWER_OPERATOR, &out, &ret->out, error));
}

void
step_whole_clear(StepWhole *w)
{
    step_free(w->step);
    notes_free(w->notes);
    msg_rows_free(w->in);
    out_rows_free(w->out);
}

json_t *
step_answer_json(const Step *step)
{
    g_autofree char *text = text_valid_bytes(step->answer);
    json_t *value = NULL;
    if (!step->answer)
        return json_null();
    return json_parse(text, strlen(text), ANSWER_MAX, &value, NULL) ? value : json_string(text);
}

json_t *
step_whole_json(const StepWhole *w)
{
    json_t *o = shape_json(&step_shape, w->step);
    json_t *notes = json_array(), *in = json_array(), *out = json_array();
    g_autoptr(GPtrArray) results = step_results_parse(w->step->results);
    LIST_EACH(const Note, n, w->notes) {
        json_array_append_new(notes, json_pack("{s:s, s:I, s:b}", "key", n->key, "version",
                                               (json_int_t)n->version, "deleted", n->deleted));
    }
    LIST_EACH(const MsgRow, m, w->in) {
        json_t *mail =
            shape_pick(&msg_row_shape, m, "message_id", "from", "state", "subject", NULL);
        json_object_set_new(mail, "from", json_string(m->from)); /* without the name */
        json_array_append_new(in, mail);
    }
    LIST_EACH(const OutRow, r, w->out)
        json_array_append_new(
            out, shape_pick(&out_row_shape, r, "message_id", "to", "state", "subject", NULL));
    json_object_set_new(o, "job", json_integer(w->step->job.v));
    json_object_set_new(o, "results", shape_texts(results));
    json_object_set_new(o, "notes", notes);
    json_object_set_new(o, "mail_in", in);
    json_object_set_new(o, "mail_out", out);
    json_object_set_new(o, "answer", step_answer_json(w->step));
    return o;
}
