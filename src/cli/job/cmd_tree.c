/* job diff, job apply: what a job has done in a git repository. */
#include "base/workdir.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "engine/tree/tree_apply.h"

#define STAT_MAX (1u << 20)

/* All about the job's branch. */
typedef struct Branch {
    Job *job;
    TreeRow *row;
    const ConfRole *role; /* NULL: the settings do not have it any more */
    GitRepo *repo;
    char *head, *from; /* commits: its newest, and what people have of it */
} Branch;

static void
branch_clear(Branch *b)
{
    job_free(b->job);
    tree_row_free(b->row);
    git_repo_free(b->repo);
    free_all(b->head, b->from);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Branch, branch_clear)

static int
find_row(Cli *cli, const char *text, Branch *b)
{
    JobId id;
    int status = cli_db(cli, DB_READ);

    if (status || (status = cli_job(cli, text, &id)))
        return status;
    if (!job_load(cli->db, &VIEWER_OPERATOR, id, &b->job, &cli->error) ||
        !tree_find(cli->db, id, &b->row, &cli->error))
        return cli_failed(cli, 0);
    if (!b->row)
        return cli_fail(EX_NOINPUT,
                        "job %" G_GINT64_FORMAT " has not worked in a git repository", id.v);
    b->role = config_role(cli->home->config, b->job->role);
    return 0;
}

static int
find_branch(Cli *cli, const char *text, Branch *b)
{
    g_autoptr(GError) none = NULL;
    g_autofree char *base = NULL;
    int status = find_row(cli, text, b);

    if (status)
        return status;
    if (!git_open(cli->home, b->row->repo, &b->repo, &cli->error) ||
        !tree_head(b->repo, b->row, &b->head, &cli->error))
        return cli_failed(cli, 0);
    if (!b->head)
        return cli_fail(EX_NOINPUT, "there is no branch '%s' any more", b->row->branch);
    if (b->role)
        (void)tree_base(b->repo, b->role, &base, &none); /* it may be gone by now */
    if (!tree_from(b->repo, b->row, base, b->head, &b->from, &cli->error))
        return cli_failed(cli, 0);
    return 0;
}

/* For a terminal: what the program wrote is escaped, so the colours are ours. */
static void
print_coloured(Cli *cli, GBytes *diff)
{
    g_autofree char *text = text_valid_bytes(diff);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (char **line = lines; *line && (line[1] || **line); line++) {
        g_autofree char *visible = text_vis(*line, false);
        const char *color = !cli->color         ? ""
                            : visible[0] == '+' ? "\033[32m"
                            : visible[0] == '-' ? "\033[31m"
                            : visible[0] == '@' ? "\033[36m"
                                                : "";
        cli_print(cli, "%s%s%s\n", color, visible, *color ? "\033[m" : "");
    }
}

static void
print_diff(Cli *cli, const Branch *b, bool stat, GBytes *diff)
{
    if (cli->json) {
        g_autofree char *text = text_valid_bytes(diff);
        cli_print_json(cli,
                       json_pack("{s:I, s:s, s:s, s:s, s:s}", "job", (json_int_t)b->job->id.v,
                                 "branch", b->row->branch, "from", b->from, "head", b->head,
                                 stat ? "stat" : "diff", text));
    } else if (isatty(STDOUT_FILENO) || stat) {
        print_coloured(cli, diff);
    } else {
        cli_print_bytes(cli, diff);
    }
}

int
cmd_job_diff(Cli *cli, int argc, char **argv)
{
    g_auto(Branch) b = {0};
    g_autoptr(GBytes) diff = NULL;
    bool stat = cli_flag(cli, "stat");
    int status;

    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "job diff: an agent has its worktree for that");
    if ((status = find_branch(cli, argv[1], &b)))
        return status;
    const GitCall call = {
        .repo = b.repo, .content = true, .max = stat ? STAT_MAX : GIT_OUTPUT_MAX};
    if (!git_run(&call,
                 GIT_ARGS("diff", "--no-ext-diff", "--no-textconv", "--no-color", "-M",
                          stat ? "--stat" : "--binary", b.from, b.head),
                 &diff, &cli->error))
        return cli_failed(cli, 0);
    print_diff(cli, &b, stat, diff);
    return 0;
}

static int
print_applied(Cli *cli, const Branch *b, const TreeApplied *a)
{
    bool same = g_str_equal(a->before, a->after);

    if (cli->json)
        cli_print_json(cli, json_pack("{s:s, s:s, s:s, s:s, s:b}", "branch", b->row->branch,
                                      "into", a->into, "before", a->before, "after", a->after,
                                      "changed", !same));
    else if (same)
        cli_print_line(cli, "%s has all of %s already", a->into, b->row->branch);
    else
        cli_print_line(cli, "merged %s into %s: %.12s, before %.12s", b->row->branch, a->into,
                       a->after, a->before);
    return 0;
}

int
cmd_job_apply(Cli *cli, int argc, char **argv)
{
    g_auto(Branch) b = {0};
    g_auto(TreeApplied) applied = {0};
    int status;

    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "job apply: an agent may not");
    if ((status = find_row(cli, argv[1], &b)))
        return status;
    if (!b.role || !b.role->workdir || !*b.role->workdir)
        return cli_fail(EX_CONFIG, "role '%s' has no workdir any more", b.job->role);
    g_autofree char *folder = workdir_path(cli->home, b.role);
    if (!tree_apply(cli->home, folder, b.row, &applied, &cli->error))
        return cli_failed(cli, 0);
    return print_applied(cli, &b, &applied);
}
