#include "plan/act_todo.h"
#include "engine/role.h"
#include "engine/run/workplace.h"
#include "engine/tree/tree.h"
#include "engine/wall/wall.h"
#include "plan/plan_ask.h"

/* The plan of a job, opened. */
typedef struct Site {
    Project *project;
    PlanFile *file;
    char *session, **wall, *work;
    char *checks_in; /* a folder of the job's worktree; NULL: the project */
    PlanSite at;
} Site;

static void
site_clear(Site *s)
{
    taker_clear(&s->at.taker);
    g_clear_pointer(&s->file, plan_file_close);
    g_clear_pointer(&s->project, project_free);
    g_clear_pointer(&s->wall, g_strfreev);
    g_clear_pointer(&s->session, g_free);
    g_clear_pointer(&s->work, g_free);
    g_clear_pointer(&s->checks_in, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Site, site_clear)

/* ret->file NULL: no plan was begun in the project around this folder. */
static bool
find_around(const char *folder, Site *ret, GError **error)
{
    g_clear_pointer(&ret->project, project_free);
    if (!*folder || !g_file_test(folder, G_FILE_TEST_IS_DIR))
        return true;
    return project_find(folder, false, &ret->project, error) &&
           (!ret->project || plan_file_open(ret->project, false, &ret->file, error));
}

/* The folder of the worktree that stands for the project: workdir is the project or lies in it, and tree stands for workdir.
 * Caller frees. */
static char *
in_worktree(const char *tree, const char *workdir, const char *project)
{
    g_autofree char *whole = g_canonicalize_filename(workdir, NULL);
    size_t len = strlen(project);
    const char *below = g_str_has_prefix(whole, project) ? whole + len : "";
    return g_strndup(tree, strlen(tree) - (g_str_has_suffix(tree, below) ? strlen(below) : 0));
}

/* Of a job that is not the plan's own. */
static bool
find_for_role(Engine *engine, const Job *job, Site *ret, GError **error)
{
    const ConfRole *role = role_find(engine, job->role);
    g_autofree char *tree = NULL;
    if (!role || !tree_place(engine, job, &tree, error))
        return !role;
    if ((tree && !find_around(tree, ret, error)) ||
        (!ret->file && !find_around(role->workdir, ret, error)))
        return false;
    if (tree && ret->file && !g_str_has_prefix(tree, ret->project->path))
        ret->checks_in = in_worktree(tree, role->workdir, ret->project->path);
    return true;
}

/* The plan whose job this is, or whose job has asked this one for a todo. */
static bool
find_row(Engine *engine, const Job *job, PlanRow **ret, GError **error)
{
    g_autoptr(PlanAsk) ask = NULL;
    return plan_ask_by(engine->db, job->id, &ask, error) &&
           plan_row_of_job(engine->db, ask ? ask->job : job->id, ret, error);
}

/* ret->file NULL: the job works on no plan. */
static bool
find(Engine *engine, const Job *job, Site *ret, GError **error)
{
    g_autoptr(PlanRow) row = NULL;
    if (!find_row(engine, job, &row, error) ||
        !(row ? find_around(row->project, ret, error) : find_for_role(engine, job, ret, error)))
        return false;
    ret->session = row ? g_strdup_printf(TAKER_RUN "%s", row->session_id)
                       : g_strdup_printf("job-%" G_GINT64_FORMAT, job->id.v);
    return true;
}

/* As who it is moved; the check runs behind the wall of the role's programs, which may have written what it starts. */
static bool
make_site(Engine *engine, const Job *job, const StepInput *in, Site *s, GError **error)
{
    const ConfRole *role = role_get(engine, job->role, error);
    if (!role)
        return false;
    s->work = workplace_path(engine->home, job);
    g_autofree char *forbids = wall_forbids(role, in->floor);
    if (forbids)
        return err_set(error, ERR_NEVER, "%s", forbids);
    const WallView view = {.engine = engine,
                           .job = job,
                           .role = role,
                           .brain = config_brain(engine->home->config, role->brain),
                           .work = s->work,
                           .cwd = s->checks_in ? s->checks_in : s->project->path};
    if (!wall_argv(&view, &s->wall, error))
        return false;
    s->at = (PlanSite){.project = s->project,
                       .file = s->file,
                       .taker = taker_of_caller(s->session),
                       .wait_ms = PLAN_WAIT_HOOK_MS,
                       .checks_in = s->checks_in,
                       .wall = (const char *const *)s->wall};
    (void)proc_ident_self(&s->at.taker.process);
    return true;
}

static bool
offered(Engine *engine, const Job *job, bool *ret, GError **error)
{
    g_auto(Site) s = {0};
    g_autoptr(Plan) plan = NULL;
    g_autoptr(GError) unread = NULL;
    if (!find(engine, job, &s, error))
        return false;
    *ret = s.file && plan_file_read(s.file, &plan, NULL, &unread) && plan &&
           plan_may_take(plan, NULL);
    return true;
}

typedef struct Check {
    Engine *engine;
    const Job *job;
} Check;

/* Does the job go on? An order changes its epoch; a signal waits for us. */
static bool
goes_on(void *data)
{
    const Check *c = data;
    g_autoptr(Job) now = NULL;
    sigset_t pending;
    if (sigpending(&pending) == 0 &&
        (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT)))
        return false;
    return !job_load(c->engine->db, &VIEWER_OPERATOR, c->job->id, &now, NULL) ||
           (now && now->epoch == c->job->epoch && now->fence == c->job->fence);
}

static bool
wait_for_check(Engine *engine, const Job *job, Proc *check, GError **error)
{
    Check c = {engine, job};
    return plan_wait(check, goes_on, &c) ||
           err_set(error, ERR_NEVER, "the job was called off while the check ran");
}

static bool
read_order(const json_t *args, MarkOrder *ret, GError **error)
{
    const char *status = act_text(args, "status"), *why = act_text(args, "why");
    int word = plan_word(todo_status_names, status);
    if (word < 0)
        return err_set(error, ERR_NEVER,
                       "status: '%s' is none of pending, in_progress, complete, blocked",
                       status);
    if (word == TODO_BLOCKED && (!why || !*why))
        return err_set(error, ERR_NEVER, "why: say what is missing, for a person to read");
    *ret = (MarkOrder){.id = act_text(args, "id"),
                       .status = (TodoStatus)word,
                       .why = why && *why ? why : NULL,
                       .act = "act"};
    return true;
}

/* What another has, or what waits, is refused like any other: the brain is told. */
static bool
mark(Engine *engine, const Job *job, Site *s, const MarkOrder *order, GError **error)
{
    g_auto(MarkTry) attempt = {0};
    g_auto(MarkResult) result = {0};
    if (!plan_mark_begin(&s->at, order, &attempt, error) ||
        (attempt.check && !wait_for_check(engine, job, attempt.check, error)) ||
        !plan_mark_end(&s->at, order, &attempt, &result, error))
        return false;
    return !result.failure ||
           err_set(error, ERR_NEVER, "'%s' is not complete: its check failed (%s)\n%s",
                   order->id, result.failure, result.output);
}

static bool
propose(const ActCall *c, GError **error)
{
    g_auto(Site) s = {0};
    MarkOrder order;
    g_autoptr(GError) failed = NULL;
    if (!read_order(c->act->args, &order, error) || !find(c->engine, c->job, &s, error))
        return false;
    if (!s.file)
        return err_set(error, ERR_NEVER, "this job works on no plan");
    if (!make_site(c->engine, c->job, c->in, &s, error))
        return false;
    if (mark(c->engine, c->job, &s, &order, &failed))
        return true;
    return err_set(error, ERR_NEVER, "%s", failed->message);
}

static bool
commit(const ActCall *c, char **ret_did, GError **error)
{
    *ret_did = g_strdup_printf("todo %s: %s", act_text(c->act->args, "id"),
                               act_text(c->act->args, "status"));
    return true;
}

static const ActField fields[] = {
    {"id", "of the todo, such as SC-1", true, false},
    {"status", "pending, in_progress, complete or blocked; complete runs its check", true, false},
    {"why", "what is missing; for blocked", false, true},
    {NULL, NULL, false, false},
};

const ActOps act_todo = {
    .name = "todo",
    .about = "moves a todo of the plan that this job works on",
    .fields = fields,
    .outside = true,
    .offered = offered,
    .propose = propose,
    .commit = commit,
};
