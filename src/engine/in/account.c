#include "engine/in/account.h"
#include "base/living.h"
#include "base/log.h"
#include "base/proc.h"
#include "engine/in/intake.h"
#include "mail/maildir.h"
#include <poll.h>
#include <sys/inotify.h>

#define WATCH_MASK (IN_MOVED_TO | IN_CREATE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_ONLYDIR)
/* After a pass that failed for now (disk full, gate busy). */
#define RETRY_MS 5000
/* While a mail is being written in its place. The end of that is an event, but one that may
 * come a moment before the kernel lets go of the file. Grows to RETRY_MS. */
#define UNFINISHED_MS 50

/* A mailbox, and what is new in it. */
typedef struct Box {
    const ConfRole *role;
    int watch_new, watch_cur; /* -1: none */
    GPtrArray *files;         /* "new/NAME", "cur/NAME": said to be new */
    bool whole;               /* names are not enough: look at all of it next time */
    bool due;
    bool failed;
} Box;

static void
box_free(gpointer data)
{
    Box *box = data;
    g_ptr_array_unref(box->files);
    g_free(box);
}

typedef struct Account {
    Engine *engine;
    Intake *intake;
    int inotify;
    GPtrArray *boxes; /* of Box */
    int broken;       /* exit status: waiting mends nothing */
    int wait_ms;      /* until the next look without news; -1: none */
} Account;

static int
watch_sub(const Account *a, const Box *box, const char *sub)
{
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d/%s/%s", a->engine->home->mail_fd,
                                            box->role->name, sub);
    return inotify_add_watch(a->inotify, path, WATCH_MASK);
}

/* Watching again what is watched already changes nothing; a mailbox that was deleted and made
 * anew is another one. */
static bool
watch(const Account *a, Box *box, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    if (!maildir_open(a->engine->home->mail_fd, box->role->name, true, &md, error))
        return false;
    box->watch_new = watch_sub(a, box, "new");
    if (box->watch_new >= 0)
        box->watch_cur = watch_sub(a, box, "cur");
    return (box->watch_new >= 0 && box->watch_cur >= 0) ||
           err_set_errno(error, errno, "watching mailbox '%s'", box->role->name);
}

static void
add_box(Account *a, const ConfRole *role)
{
    Box *box = g_new0(Box, 1);
    box->role = role;
    box->files = g_ptr_array_new_with_free_func(g_free);
    box->watch_new = box->watch_cur = -1;
    g_ptr_array_add(a->boxes, box);
}

static void
all_due(Account *a)
{
    LIST_EACH(Box, box, a->boxes)
        box->due = box->whole = true;
}

static void
note_event(Account *a, const struct inotify_event *e)
{
    if (e->mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_IGNORED)) {
        all_due(a);
        return;
    }
    LIST_EACH(Box, box, a->boxes) {
        bool in_new = e->wd == box->watch_new;
        if (e->len == 0 || (!in_new && e->wd != box->watch_cur))
            continue;
        box->due = true;
        if (!box->whole)
            g_ptr_array_add(box->files,
                            g_strdup_printf("%s/%s", in_new ? "new" : "cur", e->name));
    }
}

static void
read_events(Account *a)
{
    char buf[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t n;
    while ((n = read(a->inotify, buf, sizeof buf)) > 0) {
        for (char *p = buf; p < buf + n;) {
            const struct inotify_event *e = (const struct inotify_event *)(void *)p;
            note_event(a, e);
            p += sizeof *e + e->len;
        }
    }
}

/* Watch first, then look: nothing can fall between the two. A mailbox that can't be watched is
 * taken in all the same. */
static bool
take_whole(const Account *a, Box *box, IntakeStats *stats, GError **error)
{
    g_autoptr(GError) unwatched = NULL;
    bool watched = watch(a, box, &unwatched);
    if (!intake_mailbox(a->intake, box->role, stats, error))
        return false;
    if (!watched)
        g_propagate_error(error, g_steal_pointer(&unwatched));
    return watched;
}

/* A mail that failed or could not be read is found again by a look at the whole mailbox: after
 * a while, or when there is other news. */
static void
take_box(Account *a, Box *box, IntakeStats *stats)
{
    g_autoptr(GError) error = NULL;
    unsigned left = stats->left;
    stats->unfinished = g_ptr_array_new_with_free_func(g_free);
    bool ok = box->whole ? take_whole(a, box, stats, &error)
                         : intake_files(a->intake, box->role, box->files, stats, &error);
    if (!ok && err_is(error, ERR_DAMAGE))
        a->broken = err_exit_status(error);
    if (!ok)
        log_event(LOG_ERROR, a->broken ? "intake failed" : "intake failed, trying again in 5 s",
                  "why", error->message, NULL);
    box->failed = !ok;
    box->whole = !ok || stats->left > left;
    g_ptr_array_unref(box->files);
    box->files = g_steal_pointer(&stats->unfinished);
    box->due = !ok || box->files->len > 0;
}

/* When to look again without being told to: mail that is being written soon, then less and less
 * often. */
static int
next_wait(const Account *a)
{
    bool unfinished = false;
    LIST_EACH(const Box, box, a->boxes) {
        if (box->failed)
            return RETRY_MS;
        unfinished |= box->due;
    }
    if (!unfinished)
        return -1;
    return a->wait_ms < 0 ? UNFINISHED_MS : MIN(2 * a->wait_ms, RETRY_MS);
}

/* Takes in what is due; what could not be done now stays due. */
static void
work(Account *a)
{
    IntakeStats stats = {0};
    LIST_EACH(Box, box, a->boxes)
        if (box->due)
            take_box(a, box, &stats);
    a->wait_ms = next_wait(a);
    if (stats.taken) {
        g_autofree char *taken = g_strdup_printf("%u", stats.taken);
        g_autofree char *held = stats.held ? g_strdup_printf("%u", stats.held) : NULL;
        log_event(LOG_INFO, "mail came in", "taken", taken, "held", held, NULL);
    }
}

static int
wait_for_news(Account *a, int signal_fd)
{
    struct pollfd fds[] = {{.fd = a->inotify, .events = POLLIN},
                           {.fd = signal_fd, .events = POLLIN}};
    int n = poll(fds, G_N_ELEMENTS(fds), a->wait_ms);
    if (n < 0 && errno != EINTR)
        return -1;
    if (fds[1].revents)
        return 0;
    if (fds[0].revents) {
        read_events(a);
        a->wait_ms = -1;
    }
    return 1;
}

static int
watch_loop(Account *a, int signal_fd)
{
    const Config *config = a->engine->home->config;
    a->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (a->inotify < 0) {
        log_say(LOG_ERROR, "inotify: %s", g_strerror(errno));
        return 75;
    }
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (!config->roles[i].person)
            add_box(a, &config->roles[i]);
    }
    all_due(a);
    int more = 1;
    while (more > 0) {
        g_autoptr(GError) error = NULL;
        if (!living_check(a->engine->home, false, &error)) {
            log_event(LOG_ERROR, error->message, NULL);
            return err_exit_status(error);
        }
        if (home_outdated(a->engine->home))
            return ENGINE_AGAIN;
        work(a);
        if (a->broken)
            return a->broken;
        more = wait_for_news(a, signal_fd);
    }
    return more == 0 ? 0 : 75;
}

int
account_main(Engine *engine, const ConfAccount *account, bool once)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Intake) intake = NULL;
    if (!intake_open(engine, account, once ? DB_WAIT_MS : 0, &intake, &error)) {
        log_event(LOG_ERROR, error->message, NULL);
        return err_exit_status(error);
    }
    if (once) {
        IntakeStats stats = {0};
        if (intake_pass(intake, &stats, &error))
            return 0;
        log_event(LOG_ERROR, error->message, NULL);
        return err_exit_status(error);
    }

    auto_fd signals = proc_watch_signals((const int[]){SIGTERM, SIGINT, 0}, NULL);
    g_autoptr(GPtrArray) boxes = g_ptr_array_new_with_free_func(box_free);
    Account a = {
        .engine = engine, .intake = intake, .inotify = -1, .boxes = boxes, .wait_ms = -1};
    int status = watch_loop(&a, signals);
    if (a.inotify >= 0)
        close(a.inotify);
    return status;
}
