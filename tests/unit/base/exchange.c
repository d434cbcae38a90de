/*
 * A person edits a file while we write it, thousands of times. The person is a process with
 * two habits: some editors write a new file and rename it into place, others truncate the old
 * one and write into it. Each edit has a number of its own.
 *
 * The editor makes an edit and then waits: until we have told it that we saw that edit, or
 * until we have come round so often since that we can't see it any more. In the second case
 * the edit is lost, and the editor counts it. So an edit never disappears under the editor's
 * own next one, and every lost one is counted. Before each edit it idles for a random part of
 * our round, or it would always meet us at the step at which we told it to go on.
 *
 * The same run with "look, then rename over" instead of the exchange is the control: it must
 * lose some, or the test can't see anything.
 */
#include "base/exchange.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "tmpdir.h"
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define EDITS 10000
/* Where flushing a file takes long, or others need the processors, so many must do. */
#define AT_LEAST 1000
#define ENOUGH_US (60 * USEC_PER_SEC)
#define CONTROL_EDITS 300
#define FOLDER_ROUNDS 20000
#define NOTE "note.md"
/* About as long as one of our rounds takes. */
#define ROUND_US 1000
#define LOOK_US 50
/* Rounds after which what was displaced has been looked at for the last time, with one to
 * spare: displaced in one, finished in the next. */
#define ROUNDS_TO_SEE 4

typedef struct Shared {
    atomic_uint rounds; /* how often the writer has come round */
    atomic_bool done;   /* the editor has ended */
    atomic_uint lost;
    atomic_bool seen[EDITS];
} Shared;

static char *
edit_text(unsigned n)
{
    /* Long enough to take a moment; the end proves that it is whole. */
    g_autofree char *padding = g_strnfill(2000, 'e');

    return g_strdup_printf("edit %u %s end %u\n", n, padding, n);
}

static void
edit_by_rename(int dir_fd, const char *text)
{
    int fd = openat(dir_fd, "editor.swp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    g_assert_true(file_write_all(fd, text, strlen(text), NULL));
    (void)close(fd);
    g_assert_cmpint(renameat(dir_fd, "editor.swp", dir_fd, NOTE), ==, 0);
}

static void
edit_in_place(int dir_fd, const char *text)
{
    int fd = openat(dir_fd, NOTE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t half = strlen(text) / 2;

    g_assert_true(file_write_all(fd, text, half, NULL));
    g_assert_true(file_write_all(fd, text + half, strlen(text) - half, NULL));
    (void)close(fd);
}

/* Sleeps: where others need the processors too, who spins takes them from whoever it waits for. */
static void
rest(int64_t us)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

/* True when edit n was seen while there was still a chance to see it. */
static bool
wait_until_seen(Shared *shared, unsigned n)
{
    unsigned start = atomic_load(&shared->rounds);

    while (!atomic_load(&shared->seen[n])) {
        if (atomic_load(&shared->rounds) - start > ROUNDS_TO_SEE)
            return atomic_load(&shared->seen[n]);
        rest(LOOK_US);
    }
    return true;
}

static void
idle(Random *random)
{
    uint32_t word;

    random_bytes(random, &word, sizeof word);
    rest(word % ROUND_US);
}

static bool
is_enough(unsigned n, int64_t end_us)
{
    return n >= AT_LEAST && clock_mono_us() > end_us;
}

typedef enum Habit { BY_RENAME, IN_PLACE, BOTH_WAYS } Habit;

static void
run_editor(int dir_fd, Shared *shared, Habit habit, unsigned edits)
{
    Random random = {.seed = 1};
    int64_t end = clock_mono_us() + ENOUGH_US;

    for (unsigned n = 0; n < edits; n++) {
        if (is_enough(n, end))
            break;
        g_autofree char *text = edit_text(n);
        idle(&random);
        bool rename = habit == BY_RENAME || (habit == BOTH_WAYS && n % 2 == 0);

        (rename ? edit_by_rename : edit_in_place)(dir_fd, text);
        if (!wait_until_seen(shared, n))
            atomic_fetch_add(&shared->lost, 1);
    }
    atomic_store(&shared->done, true);
}

/* Takes note of the edit that these bytes are, if they are a whole one. */
static void
look_at(Shared *shared, GBytes *bytes)
{
    g_autofree char *text = NULL;
    unsigned n, end;

    if (!bytes)
        return;
    text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
    if (sscanf(text, "edit %u %*s end %u", &n, &end) == 2 && n == end && n < EDITS)
        atomic_store(&shared->seen[n], true);
}

/* What was displaced before and could not be let go, since an editor still had it open. */
static void
finish_old(int dir_fd, Shared *shared, GPtrArray *kept)
{
    for (guint i = 0; i < kept->len;) {
        g_autoptr(GBytes) last = NULL;
        g_autoptr(GError) error = NULL;

        if (!file_exchange_finish(dir_fd, g_ptr_array_index(kept, i), &last, &error)) {
            g_assert_true(err_is(error, ERR_LATER));
            i++;
            continue;
        }
        look_at(shared, last);
        g_ptr_array_remove_index(kept, i);
    }
}

static void
write_by_exchange(int dir_fd, Shared *shared, GPtrArray *kept, const char *text)
{
    g_autoptr(GBytes) displaced = NULL;
    g_autoptr(GError) error = NULL;
    char *tmp = NULL;

    file_exchange(dir_fd, NOTE, text, strlen(text), 0600, &displaced, &tmp, &error);
    g_assert_no_error(error);
    look_at(shared, displaced);
    finish_old(dir_fd, shared, kept);
    if (tmp)
        g_ptr_array_add(kept, tmp);
}

/* "Look, then rename over." */
static void
write_naively(int dir_fd, Shared *shared, GPtrArray *kept, const char *text)
{
    g_autoptr(GBytes) there = NULL;

    g_assert_true(file_read(dir_fd, NOTE, G_MAXINT32, &there, NULL));
    look_at(shared, there);
    g_assert_true(file_replace(dir_fd, NOTE, text, strlen(text), 0600, NULL));
}

typedef void (*Writer)(int dir_fd, Shared *shared, GPtrArray *kept, const char *text);

/* How many edits were lost. */
static unsigned
run_both(Habit habit, unsigned edits, Writer write_note)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func(g_free);
    Shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;

    g_assert_true(shared != MAP_FAILED);
    pid_t editor = fork();
    if (editor == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* else it waits for a writer that failed */
        run_editor(dir.fd, shared, habit, edits);
        _exit(0);
    }
    while (!atomic_load(&shared->done) && waitpid(editor, &status, WNOHANG) == 0) {
        g_autofree char *text = g_strdup_printf("version %u\n", atomic_load(&shared->rounds));

        write_note(dir.fd, shared, kept, text);
        atomic_fetch_add(&shared->rounds, 1);
    }
    g_assert_true(atomic_load(&shared->done));
    (void)waitpid(editor, &status, 0);

    unsigned lost = atomic_load(&shared->lost);
    (void)munmap(shared, sizeof *shared);
    return lost;
}

static void
test_exchange(gconstpointer habit)
{
    unsigned lost = run_both(*(const Habit *)habit, EDITS, write_by_exchange);

    g_test_message("%u of %u edits lost", lost, EDITS);
    g_assert_cmpuint(lost, ==, 0);
}

static void
test_naive(gconstpointer habit)
{
    unsigned lost = run_both(*(const Habit *)habit, CONTROL_EDITS, write_naively);

    g_test_message("%u of %u edits lost", lost, CONTROL_EDITS);
    g_assert_cmpuint(lost, >, 0);
}

/* --- a folder with the name of the note --- */

/* Until it is ended: the name is a folder, then nothing, then one again. Each waits until the
 * last is back, since only one can have the name. */
static void
make_folders(int dir_fd)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        (void)unlinkat(dir_fd, NOTE, 0);
        if (mkdirat(dir_fd, NOTE, 0700) < 0)
            continue;
        (void)sched_yield();
        while (unlinkat(dir_fd, NOTE, AT_REMOVEDIR) < 0)
            (void)sched_yield();
    }
}

static unsigned
count_displaced_folders(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    unsigned n = 0;
    const char *name;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *full = g_build_filename(path, name, NULL);
        n += file_swap_of(name) && g_file_test(full, G_FILE_TEST_IS_DIR);
    }
    return n;
}

static void
test_folder(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    pid_t person = fork();
    unsigned refused = 0;
    int64_t end = clock_mono_us() + ENOUGH_US;

    if (person == 0)
        make_folders(dir.fd);
    for (unsigned i = 0; i < FOLDER_ROUNDS && !is_enough(i, end); i++) {
        g_autoptr(GBytes) displaced = NULL;
        g_autoptr(GError) error = NULL;
        g_autofree char *tmp = NULL;

        if (i % 2 ? file_displace(dir.fd, NOTE, &displaced, &tmp, &error)
                  : file_exchange(dir.fd, NOTE, "x", 1, 0600, &displaced, &tmp, &error))
            continue;
        g_assert_true(err_is(error, ERR_NEVER) || err_is(error, ERR_AGAIN));
        refused++;
    }
    (void)kill(person, SIGKILL);
    (void)waitpid(person, NULL, 0);
    g_test_message("%u of %d refused", refused, FOLDER_ROUNDS);
    g_assert_cmpuint(refused, >, 0);
    g_assert_cmpuint(count_displaced_folders(dir.path), ==, 0);
}

int
main(int argc, char **argv)
{
    static const Habit by_rename = BY_RENAME, in_place = IN_PLACE, both = BOTH_WAYS;

    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/exchange/control/rename", &by_rename, test_naive);
    g_test_add_data_func("/exchange/control/in-place", &in_place, test_naive);
    g_test_add_data_func("/exchange/both-ways", &both, test_exchange);
    g_test_add_func("/exchange/folder", test_folder);
    return g_test_run();
}
