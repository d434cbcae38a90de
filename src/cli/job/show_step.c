/* `show JOB@N`: all that one step did, and what it rests on. */
#include "base/json.h"
#include "base/text.h"
#include "cli/job/show_job.h"
#include "cli/job/step_view.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"
#include <inttypes.h>

#define ANSWER_MAX (64u << 20)
#define MAIL_MAX 1000

typedef struct Whole {
    Notes *notes; /* versions that it wrote */
    MsgRows *in;  /* what it handled */
    OutRows *out; /* what it wrote */
} Whole;

static void
whole_clear(Whole *w)
{
    g_clear_pointer(&w->notes, notes_free);
    g_clear_pointer(&w->in, msg_rows_free);
    g_clear_pointer(&w->out, out_rows_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Whole, whole_clear)

static bool
load(Db *db, const Job *job, const Step *step, Whole *w, GError **error)
{
    MsgQuery in = {.job = job->id, .oldest_first = true, .limit = MAIL_MAX};
    OutQuery out = {.job = job->id, .all = true, .limit = MAIL_MAX};
    if (!step_notes(db, job->id, step->n, &w->notes, error) ||
        !messages_list(db, &VIEWER_OPERATOR, &in, &w->in, error) ||
        !outbox_list(db, &VIEWER_OPERATOR, &out, &w->out, error))
        return false;
    for (guint i = w->in->len; i-- > 0;) {
        const MsgRow *m = g_ptr_array_index(w->in, i);
        if (m->step != step->n)
            g_ptr_array_remove_index(LIST_ARRAY(w->in), i);
    }
    for (guint i = w->out->len; i-- > 0;) {
        const OutRow *o = g_ptr_array_index(w->out, i);
        if (o->step != step->n)
            g_ptr_array_remove_index(LIST_ARRAY(w->out), i);
    }
    return true;
}

/* What the brain said, as JSON where it is; else as a string. NULL: nobody was asked. */
static json_t *
answer_json(const Step *step)
{
    g_autofree char *text = step->answer ? text_valid_bytes(step->answer) : NULL;
    json_t *value = NULL;
    if (!text)
        return NULL;
    if (json_parse(text, strlen(text), ANSWER_MAX, &value, NULL))
        return value;
    return json_string(text);
}

static json_t *
results_json(const Step *step)
{
    json_t *list = NULL;
    if (step->results &&
        json_parse(step->results, strlen(step->results), ANSWER_MAX, &list, NULL))
        return list;
    return json_array();
}

/* --- as JSON --- */

static void
print_json(Cli *cli, const Job *job, const Step *step, const Whole *w)
{
    json_t *o = shape_json(&step_shape, step);
    json_t *notes = json_array(), *in = json_array(), *out = json_array();
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
    json_t *answer = answer_json(step);
    json_object_set_new(o, "job", json_integer(job->id.v));
    json_object_set_new(o, "results", results_json(step));
    json_object_set_new(o, "notes", notes);
    json_object_set_new(o, "mail_in", in);
    json_object_set_new(o, "mail_out", out);
    json_object_set_new(o, "answer", answer ? answer : json_null());
    cli_print_json(cli, o);
}

/* --- for people --- */

static void
print_line(Cli *cli, const char *name, const char *text)
{
    unsigned width = step_columns();
    g_auto(GStrv) lines = step_wrap(text, width > 20 ? width - 10 : UINT_MAX);
    cli_print(cli, "%-10s", name);
    for (char **line = lines; *line; line++)
        cli_print(cli, "%*s%s\n", line == lines ? 0 : 10, "", *line);
}

static void
print_head(Cli *cli, const Job *job, const Step *step)
{
    g_autofree char *at = clock_format_iso(step->at_us);
    g_autofree char *took = clock_format_span(step->took_us);
    g_autofree char *cost = text_money(step->cost_micro);
    cli_print(cli, "Step %d of job %" PRId64 " (", step->n, job->id.v);
    cli_print_vis(cli, job->subject, false);
    cli_print(cli, "), round %d\n\n", step->round);
    print_line(cli, "at", at);
    print_line(cli, "took", took);
    print_line(cli, "cost", cost);
    if (step->brain)
        print_line(cli, "brain", step->brain);
    if (*step->phase) /* a program has none */
        print_line(cli, "phase", step->phase);
    print_line(cli, "did", step->did);
    if (step->because)
        print_line(cli, "because", step->because);
}

static void
print_results(Cli *cli, const Step *step)
{
    g_autoptr(json_t) list = results_json(step);
    size_t i;
    json_t *line;
    json_array_foreach(list, i, line)
    {
        if (json_is_string(line))
            print_line(cli, i == 0 ? "results" : "", json_string_value(line));
    }
}

static void
print_whole(Cli *cli, const Whole *w)
{
    for (guint i = 0; i < w->notes->len; i++) {
        const Note *n = g_ptr_array_index(w->notes, i);
        g_autofree char *text =
            g_strdup_printf("%s, %s %" PRId64, n->key,
                            n->deleted ? "deleted in version" : "version", n->version);
        print_line(cli, i == 0 ? "notes" : "", text);
    }
    for (guint i = 0; i < w->in->len; i++) {
        const MsgRow *m = g_ptr_array_index(w->in, i);
        g_autofree char *text = g_strdup_printf(
            "%s, from %s: %s (<%s>)", msg_state_name(m->state), m->from, m->subject, m->msgid);
        print_line(cli, i == 0 ? "mail in" : "", text);
    }
    for (guint i = 0; i < w->out->len; i++) {
        const OutRow *o = g_ptr_array_index(w->out, i);
        g_autofree char *text = g_strdup_printf(
            "%s%s%s, to %s: %s (<%s>)", out_state_name(o->state), o->why ? ": " : "",
            o->why ? o->why : "", o->address, o->subject, o->msgid);
        print_line(cli, i == 0 ? "mail out" : "", text);
    }
}

static void
print_answer(Cli *cli, const Step *step)
{
    g_autoptr(json_t) answer = answer_json(step);
    if (!answer)
        return;
    g_autofree char *text = json_is_string(answer)
                                ? g_strdup(json_string_value(answer))
                                : json_dumps(answer, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    cli_print(cli, "\nwhat the brain said:\n");
    cli_print_vis(cli, text ? text : "", true);
    cli_print(cli, "\n");
}

int
show_step(Cli *cli, const Job *job, const Step *step)
{
    g_auto(Whole) w = {0};
    GError *error = NULL;
    if (!load(cli->db, job, step, &w, &error))
        return cli_error(0, error);
    if (cli->json) {
        print_json(cli, job, step, &w);
        return 0;
    }
    print_head(cli, job, step);
    print_results(cli, step);
    print_whole(cli, &w);
    print_answer(cli, step);
    if (step->manifest)
        cli_print(cli, "\nwhat it was shown: postrider show --context %" PRId64 "@%d\n",
                  job->id.v, step->n);
    return 0;
}
