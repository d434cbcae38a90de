/*
 * How long a job waits for its worktree in a repository of 10,000 files, from nothing to a
 * workplace that is ready: against a bare `git worktree add` of the same commit on the same
 * disk, in turn.
 */
#include "base/err.h"
#include "engine/run/workplace.h"
#include "measure.h"
#include "place.h"
#include <errno.h>
#include <glib/gstdio.h>

#define FILES 10000u
#define FOLDERS 100u
#define ROUNDS 7u

static bool
write_files(const char *repo, GError **error)
{
    for (unsigned i = 0; i < FILES; i++) {
        g_autofree char *path = g_strdup_printf("%s/d%u/f%u.c", repo, i % FOLDERS, i);
        g_autofree char *folder = g_path_get_dirname(path);
        g_autofree char *text = g_strdup_printf("/* File %u. */\nint f%u(void);\n", i, i);

        if (g_mkdir_with_parents(folder, 0700) < 0)
            return err_set_errno(error, errno, "'%s'", folder);
        if (!g_file_set_contents(path, text, -1, error))
            return false;
    }
    return true;
}

static bool
git(const Place *place, const char *repo, const char *const *args, GError **error)
{
    g_autofree char *program = g_find_program_in_path("git");
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    const char *const begin[] = {program,
                                 "-C",
                                 repo,
                                 "-c",
                                 "user.name=bench",
                                 "-c",
                                 "user.email=bench@localhost",
                                 "-c",
                                 "init.defaultBranch=main"};

    for (size_t i = 0; i < G_N_ELEMENTS(begin); i++)
        g_ptr_array_add(argv, (void *)begin[i]);
    for (; *args; args++)
        g_ptr_array_add(argv, (void *)*args);
    g_ptr_array_add(argv, NULL);
    return place_run(place, (const char *const *)argv->pdata, error);
}

static bool
time_git(const Place *place, const char *repo, unsigned round, Samples *times, GError **error)
{
    g_autofree char *path = g_strdup_printf("%s/bare%u", place->scratch, round);
    g_autofree char *branch = g_strdup_printf("bare%u", round);
    double start = measure_now();

    if (!git(place, repo, GIT_ARGS("worktree", "add", "-q", "-b", branch, path), error))
        return false;
    samples_add(times, (measure_now() - start) * 1e3);
    return true;
}

static bool
time_ours(Engine *engine, const ConfRole *role, unsigned round, Samples *times, GError **error)
{
    g_autoptr(Workplace) place = NULL;
    Job job = {.id = {(int64_t)round + 1}, .role = (char *)role->name};
    const JobClaim claim = {.job = job.id, .fence = 1};
    double start = measure_now();

    if (!workplace_open(engine, &job, role, &claim, &place, error))
        return false;
    samples_add(times, (measure_now() - start) * 1e3);
    return place->tree || err_set(error, ERR_NEVER, "there is no worktree");
}

static bool
measure_rounds(Measure *m, Place *place, Engine *engine, const char *repo, GError **error)
{
    ConfRole role = *config_role(place->home->config, "envoy");
    g_auto(Samples) floor, subject;

    role.workdir = repo;
    samples_init(&floor);
    samples_init(&subject);
    for (unsigned i = 0; i < ROUNDS; i++)
        if (!time_git(place, repo, i, &floor, error) ||
            !time_ours(engine, &role, i, &subject, error))
            return false;
    goal_ratio_most(m, "a job's worktree of 10,000 files, against git worktree add",
                    samples_at(&floor, 0.5), samples_at(&subject, 0.5), "ms", 1.5);
    return true;
}

static bool
measure(Measure *m, GError **error)
{
    g_auto(Place) place = {0};
    g_autofree char *program = g_find_program_in_path("git");

    if (!program) {
        goal_skip("a job's worktree of 10,000 files", "there is no git");
        return true;
    }
    if (!place_open(&place, NULL, error))
        return false;
    g_autofree char *repo = g_build_filename(place.scratch, "repo", NULL);
    Engine engine = {.home = place.home};
    if (g_mkdir(repo, 0700) < 0)
        return err_set_errno(error, errno, "'%s'", repo);
    bool ok = db_open(place.home, DB_WRITE, &engine.db, error) && write_files(repo, error) &&
              git(&place, repo, GIT_ARGS("init", "-q"), error) &&
              git(&place, repo, GIT_ARGS("add", "-A"), error) &&
              git(&place, repo, GIT_ARGS("commit", "-q", "-m", "First"), error) &&
              measure_rounds(m, &place, &engine, repo, error);
    db_close(engine.db);
    return ok;
}

int
main(void)
{
    return measure_main(measure);
}
