/* `show JOB@N`: all that one step did, and what it rests on. */
#include "base/json.h"
#include "cli/job/show_job.h"
#include "cli/job/step_view.h"
#include "show/job_whole.h"

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
    cli_print_line(cli, "Step %d of job %" PRId64 " (%s), round %d", step->n, job->id.v,
                   job->subject, step->round);
    cli_print(cli, "\n");
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
print_whole(Cli *cli, const StepWhole *w)
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
    g_autoptr(json_t) answer = step_answer_json(step);
    if (!step->answer)
        return;
    g_autofree char *text = json_is_string(answer)
                                ? g_strdup(json_string_value(answer))
                                : json_dumps(answer, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    cli_print(cli, "\nwhat the brain said:\n");
    cli_print_vis(cli, text ? text : "", true);
    cli_print(cli, "\n");
}

int
show_step(Cli *cli, JobId id, int n)
{
    g_auto(StepWhole) w = {0};
    g_autoptr(Job) job = NULL;
    if (!job_load(cli->db, &VIEWER_OPERATOR, id, &job, &cli->error) ||
        !step_whole_load(cli->db, id, n, &w, &cli->error))
        return cli_failed(cli, 0);
    if (!w.step)
        return cli_fail(EX_NOINPUT, "job %" PRId64 " has no step %d; its newest is step %d",
                        id.v, n, job->steps);
    if (cli->json) {
        cli_print_json(cli, step_whole_json(&w));
        return 0;
    }
    print_head(cli, job, w.step);
    g_autoptr(GPtrArray) results = step_results_parse(w.step->results);
    for (guint i = 0; i < results->len; i++)
        print_line(cli, i == 0 ? "results" : "", results->pdata[i]);
    print_whole(cli, &w);
    print_answer(cli, w.step);
    if (w.step->manifest)
        cli_print(cli, "\nwhat it was shown: postrider show --context %" PRId64 "@%d\n", id.v,
                  n);
    return 0;
}
