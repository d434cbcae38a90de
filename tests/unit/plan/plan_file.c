/*
 * The state on disk under many writers that are killed at any moment. On a file system in memory where there is one: what
 * is tested is the order of the calls, and not the disk. POSTRIDER_WRITES=2000 is the long run: each write waits for its
 * turn, and on a busy machine that takes a while.
 */
#include "plan/file/plan_file.h"
#include "../base/tmpdir.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "plan/file/plan_log.h"
#include "plan/file/plan_rules.h"
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define WRITERS 8
#define WRITES_MAX 10000
#define TAKERS 32
#define TODOS 200

static int writes = 150;    /* of each writer */
static unsigned kills = 60; /* at most */

/* What the children of a test tell their parent, also when they are killed. */
typedef struct Shared {
    int acked[WRITERS];        /* the last write that was acknowledged */
    int holder[TODOS];         /* pid of who works on it */
    int complete[TODOS];
    int taken[TODOS];          /* how often */
    int wrong;                 /* a rule was broken: which one */
} Shared;

static Shared *
shared_new(void)
{
    Shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    g_assert_true(shared != MAP_FAILED);
    return shared;
}

/* No child is left behind when the test itself is ended. */
static void
die_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
        _exit(1);
}

static TmpDir
fast_folder(void)
{
    if (access("/dev/shm", W_OK) == 0)
        g_setenv("TMPDIR", "/dev/shm", TRUE);
    return tmpdir_new();
}

static PlanFile *
open_file(const TmpDir *dir)
{
    PlanFile *file = NULL;

    g_assert_true(plan_file_open_dir(dir->path, true, &file, NULL));
    return file;
}

static void
begin_plan(const TmpDir *dir, int todos)
{
    g_autoptr(PlanFile) file = open_file(dir);
    g_auto(PlanEdit) edit = {.lock = -1};

    g_assert_true(plan_edit_begin(file, -1, &edit, NULL));
    edit.plan = plan_new(&(PlanNew){.branch = "", .plan_file = "p", .max_iterations = 7, .level = LEVEL_NORMAL});
    for (int i = 0; i < todos; i++) {
        g_autofree char *id = g_strdup_printf("T-%d", i);
        json_t *todo = plan_add_todo(edit.plan, id, NULL, NULL);

        if (i >= 10) { /* ten chains that cross each other */
            g_autofree char *one = g_strdup_printf("T-%d", i - 10);
            g_autofree char *two = g_strdup_printf("T-%d", (i / 10 - 1) * 10 + (i * 7) % 10);
            json_object_set_new(todo, "after", json_pack("[s, s]", one, two));
        }
    }
    g_assert_true(plan_check_todos(edit.plan, NULL));
    g_assert_true(plan_edit_commit(&edit, json_pack("{s:s}", "act", "execute"), NULL));
}

/* --- writers --- */

static void
write_once(const TmpDir *dir, int writer, Shared *shared)
{
    g_autoptr(PlanFile) file = open_file(dir);
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autoptr(GError) error = NULL;
    g_autofree char *name = g_strdup_printf("writer_%d", writer);

    if (!plan_edit_begin(file, -1, &edit, &error) || !edit.plan)
        _exit(2);
    int n = (int)plan_number(edit.plan->members, name) + 1;
    plan_set_number(edit.plan->members, name, n);
    if (!plan_edit_commit(&edit, json_pack("{s:s, s:i, s:i}", "act", "write", "writer", writer, "n", n),
                          &error))
        _exit(3);
    shared->acked[writer] = n;
}

static pid_t
start_writer(const TmpDir *dir, int writer, Shared *shared)
{
    pid_t parent = getpid(), pid = fork();

    g_assert_cmpint(pid, >=, 0);
    if (pid == 0) {
        die_with(parent);
        while (shared->acked[writer] < writes)
            write_once(dir, writer, shared);
        _exit(0);
    }
    return pid;
}

/* The state and its backup are whole, whoever is killed where. */
static void
look(const TmpDir *dir)
{
    static const char *const names[] = {PLAN_STATE, PLAN_BACKUP};

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(dir->path, names[i], NULL);
        g_autofree char *text = NULL;
        gsize len;

        if (!g_file_get_contents(path, &text, &len, NULL))
            continue; /* before the second write there is no backup */
        g_autoptr(GBytes) bytes = g_bytes_new(text, len);
        g_autoptr(Plan) plan = NULL;
        g_autoptr(GError) error = NULL;
        (void)plan_parse(bytes, &plan, &error);
        g_assert_no_error(error);
    }
}

/* Kills one of them now and then and starts it again, until all are done. Returns how many were killed. */
static unsigned
drive_writers(const TmpDir *dir, Shared *shared)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(8);
    pid_t pids[WRITERS];
    unsigned killed = 0, running = WRITERS;

    for (int i = 0; i < WRITERS; i++)
        pids[i] = start_writer(dir, i, shared);
    while (running > 0) {
        int status, victim = g_rand_int_range(rand, 0, WRITERS);

        look(dir);
        if (pids[victim] > 0 && shared->acked[victim] < writes && killed < kills)
            (void)kill(pids[victim], SIGKILL);
        for (int i = 0; i < WRITERS; i++) {
            if (pids[i] <= 0 || waitpid(pids[i], &status, WNOHANG) != pids[i])
                continue;
            pids[i] = 0;
            killed += WIFSIGNALED(status) != 0;
            g_assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
            if (shared->acked[i] < writes)
                pids[i] = start_writer(dir, i, shared);
            else
                running--;
        }
        g_usleep(3000);
    }
    return killed;
}

static void
test_writers(void)
{
    g_auto(TmpDir) dir = fast_folder();
    Shared *shared = shared_new();
    g_autoptr(json_t) lines = NULL;
    g_autoptr(Plan) plan = NULL, before = NULL;
    g_autoptr(GHashTable) revisions = g_hash_table_new(g_int64_hash, g_int64_equal);

    begin_plan(&dir, 3);
    g_assert_cmpuint(drive_writers(&dir, shared), >, WRITERS);
    write_once(&dir, 0, shared); /* a quiet one, after which the backup is the generation before */
    g_autoptr(PlanFile) file = open_file(&dir);
    g_assert_true(plan_file_read(file, &plan, NULL, NULL));
    g_assert_null(file->notice);

    /* No acknowledged write is lost: the state has the last one, and the log each of them. */
    g_assert_true(plan_log_read(file->state_fd, 0, &lines, NULL));
    g_autofree bool *logged = g_new0(bool, WRITERS * (WRITES_MAX + 1));
    g_autofree int64_t *numbers = g_new0(int64_t, json_array_size(lines));
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);

        numbers[i] = plan_number(line, "revision");
        g_assert_true(g_hash_table_add(revisions, &numbers[i])); /* no revision twice */
        if (json_object_get(line, "writer"))
            logged[plan_number(line, "writer") * (WRITES_MAX + 1) + plan_number(line, "n")] = true;
    }
    for (int w = 0; w < WRITERS; w++) {
        g_autofree char *name = g_strdup_printf("writer_%d", w);

        g_assert_cmpint((int)plan_number(plan->members, name), >=, writes);
        for (int n = 1; n <= writes; n++)
            g_assert_true(logged[w * (WRITES_MAX + 1) + n]);
    }
    const json_t *last = json_array_get(lines, json_array_size(lines) - 1);
    g_autofree char *path = g_build_filename(dir.path, PLAN_BACKUP, NULL);
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
    g_assert_true(plan_parse(bytes, &before, NULL));
    g_assert_cmpint((int)plan_number(before->members, "revision"), ==, (int)plan_number(last, "from"));
    g_assert_cmpint((int)plan_number(plan->members, "revision"), ==, (int)plan_number(last, "revision"));
    (void)munmap(shared, sizeof *shared);
}

/* --- takers --- */

static void
broken(Shared *shared, int rule)
{
    shared->wrong = rule;
    _exit(4);
}

/* What the shared page knows of a todo's predecessors, without asking the plan's own rules. */
static void
check_order(const json_t *todo, Shared *shared)
{
    const json_t *after = json_object_get(todo, "after");

    for (size_t i = 0; i < json_array_size(after); i++) {
        const char *id = json_string_value(json_array_get(after, i));
        if (!shared->complete[atoi(id + 2)])
            broken(shared, 1); /* begun before what it waits for */
    }
}

static bool
is_alive(int pid)
{
    ProcIdent ident;

    return pid > 0 && proc_ident_of(pid, &ident);
}

static int
take_one(const TmpDir *dir, const Taker *taker, Shared *shared)
{
    g_autoptr(PlanFile) file = open_file(dir);
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(file);
    PlanNow now = {.time = time, .alive = claim_is_alive};

    if (!plan_edit_begin(file, -1, &edit, NULL) || !edit.plan)
        _exit(2);
    if (plan_open(edit.plan) == 0)
        return -1;
    json_t *todo = plan_next(edit.plan, taker, NULL, &now);
    if (!todo)
        return -2;
    int n = atoi(plan_text(todo, "id") + 2);
    check_order(todo, shared);
    if (!plan_take(edit.plan, todo, taker, &now, NULL) ||
        !plan_edit_commit(&edit, json_pack("{s:s}", "act", "claim"), NULL))
        _exit(3);
    /* Still under the lock, so nobody else can be between its claim and this line. */
    if (shared->holder[n] != getpid() && is_alive(shared->holder[n]))
        broken(shared, 2); /* two at a time */
    shared->holder[n] = getpid();
    shared->taken[n]++;
    return n;
}

static void
finish_one(const TmpDir *dir, int n, Shared *shared)
{
    g_autoptr(PlanFile) file = open_file(dir);
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(file), *id = g_strdup_printf("T-%d", n);
    PlanNow now = {.time = time, .alive = claim_is_alive};

    if (!plan_edit_begin(file, -1, &edit, NULL))
        _exit(2);
    if (shared->holder[n] != getpid())
        broken(shared, 3); /* another got it meanwhile */
    plan_move(edit.plan, plan_find_todo(edit.plan, id), TODO_COMPLETE, NULL, &now);
    shared->complete[n] = 1; /* as soon as anybody can see it */
    shared->holder[n] = 0;
    if (!plan_edit_commit(&edit, json_pack("{s:s}", "act", "mark"), NULL))
        _exit(3);
}

static pid_t
start_taker(const TmpDir *dir, Shared *shared)
{
    pid_t parent = getpid(), pid = fork();

    g_assert_cmpint(pid, >=, 0);
    if (pid > 0)
        return pid;
    die_with(parent);
    Taker taker = taker_of_caller(NULL);
    (void)proc_ident_self(&taker.process);
    for (;;) {
        int n = take_one(dir, &taker, shared);

        if (n == -1)
            _exit(0);
        if (n < 0)
            (void)g_usleep(2000);
        else
            finish_one(dir, n, shared);
    }
}

static void
test_takers(void)
{
    g_auto(TmpDir) dir = fast_folder();
    g_autoptr(GRand) rand = g_rand_new_with_seed(32);
    Shared *shared = shared_new();
    pid_t pids[TAKERS];
    unsigned running = TAKERS, killed = 0, again = 0;

    g_unsetenv("CLAUDE_CODE_SESSION_ID");
    g_unsetenv("CODEX_SESSION_ID");
    begin_plan(&dir, TODOS);
    for (int i = 0; i < TAKERS; i++)
        pids[i] = start_taker(&dir, shared);
    while (running > 0) {
        int status, victim = g_rand_int_range(rand, 0, TAKERS);

        if (pids[victim] > 0 && killed < 3 * TAKERS)
            (void)kill(pids[victim], SIGKILL);
        for (int i = 0; i < TAKERS; i++) {
            if (pids[i] <= 0 || waitpid(pids[i], &status, WNOHANG) != pids[i])
                continue;
            killed += WIFSIGNALED(status) != 0;
            g_assert_cmpint(shared->wrong, ==, 0);
            g_assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
            pids[i] = WIFSIGNALED(status) ? start_taker(&dir, shared) : 0;
            running -= pids[i] == 0;
        }
        g_usleep(2000);
    }
    for (int i = 0; i < TODOS; i++) {
        g_assert_cmpint(shared->complete[i], ==, 1);
        again += shared->taken[i] > 1;
    }
    g_test_message("%u takers killed, %u todos taken again", killed, again);
    g_assert_cmpuint(killed, >, 0);
    (void)munmap(shared, sizeof *shared);
}

int
main(int argc, char **argv)
{
    const char *wanted = g_getenv("POSTRIDER_WRITES");
    int64_t number;

    g_test_init(&argc, &argv, NULL);
    if (wanted && text_parse_int(wanted, 1, WRITES_MAX - 100, &number)) {
        writes = (int)number;
        kills = (unsigned)number / 4;
    }
    g_test_add_func("/plan-file/writers", test_writers);
    g_test_add_func("/plan-file/takers", test_takers);
    return g_test_run();
}
