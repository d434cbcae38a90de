#include "cli/job/step_lines.h"
#include "cli/cli.h"
#include "cli/job/step_view.h"

#define LINE_CHARS 300

bool
step_lines_wanted(void)
{
    return isatty(STDERR_FILENO);
}

static void
say(Db *db, const Step *s)
{
    Cli cli = {.db = db};
    g_autofree char *took = clock_format_span(s->took_us);
    g_autofree char *did = cli_short_ids(&cli, s->did);
    g_autofree char *line =
        g_strdup_printf("%s%s%s", did, s->because && *s->because ? ", because " : "",
                        s->because ? s->because : "");
    g_autofree char *cut = text_shorten(line, LINE_CHARS);
    (void)cli_fail(0, "job %" G_GINT64_FORMAT ", step %d (%s): %s", s->job.v, s->n, took, cut);
    short_ids_free(cli.ids);
}

void
step_lines_tell(Db *db, JobId job, int *told)
{
    g_autoptr(Steps) steps = NULL;
    if (!job.v || !steps_list(db, &VIEWER_OPERATOR, job, *told, &steps, NULL))
        return;
    LIST_EACH(const Step, s, steps) {
        say(db, s);
        *told = s->n;
    }
}

void
step_lines_show(const Engine *engine, JobId job)
{
    g_autoptr(Step) s = NULL;
    if (step_last(engine->db, job, &s, NULL) && s)
        say(engine->db, s);
}
