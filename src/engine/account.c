#include "engine/account.h"
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/log.h"
#include "engine/intake.h"
#include "mail/maildir.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

#define WATCH_MASK (IN_MOVED_TO | IN_CREATE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_ONLYDIR)
/* After a pass that failed for now (disk full, gate busy). */
#define RETRY_MS 5000

typedef struct Account {
    Engine *engine;
    Intake *intake;
    int inotify;
    GHashTable *watches; /* watch descriptor -> const ConfRole * */
    GHashTable *due;     /* const ConfRole * set: mailboxes with news */
} Account;

static void
watch_role(Account *a, const ConfRole *role)
{
    static const char *const folders[] = {"new", "cur"};
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_strdup_printf(
            "/proc/self/fd/%d/%s/%s", a->engine->home->mail_fd, role->name, folders[i]);
        int wd = inotify_add_watch(a->inotify, path, WATCH_MASK);
        if (wd < 0)
            log_event(LOG_WARN, "can't watch a mailbox", "mailbox", role->name, "why",
                      g_strerror(errno), NULL);
        else
            g_hash_table_insert(a->watches, GINT_TO_POINTER(wd), (gpointer)role);
    }
}

static void
all_due(Account *a)
{
    const Config *config = a->engine->home->config;
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (!config->roles[i].person)
            g_hash_table_add(a->due, (gpointer)&config->roles[i]);
    }
}

/* Reads what inotify has; which mailboxes have news is all that matters, so names are not used.
 */
static void
read_events(Account *a)
{
    char buf[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t n;
    while ((n = read(a->inotify, buf, sizeof buf)) > 0) {
        for (char *p = buf; p < buf + n;) {
            const struct inotify_event *e = (const struct inotify_event *)(void *)p;
            gpointer role = g_hash_table_lookup(a->watches, GINT_TO_POINTER(e->wd));
            if (e->mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_IGNORED))
                all_due(a);
            else if (role)
                g_hash_table_add(a->due, role);
            p += sizeof *e + e->len;
        }
    }
}

/* Takes in what is due; what could not be done now stays due. */
static bool
work(Account *a)
{
    GHashTableIter iter;
    gpointer role;
    IntakeStats stats = {0};
    bool all = true;
    g_hash_table_iter_init(&iter, a->due);
    while (g_hash_table_iter_next(&iter, &role, NULL)) {
        g_autoptr(GError) error = NULL;
        if (intake_mailbox(a->intake, role, &stats, &error)) {
            g_hash_table_iter_remove(&iter);
        } else {
            log_event(LOG_ERROR, "intake failed, trying again in 5 s", "why", error->message,
                      NULL);
            all = false;
        }
    }
    if (stats.taken) {
        g_autofree char *taken = g_strdup_printf("%u", stats.taken);
        g_autofree char *held = stats.held ? g_strdup_printf("%u", stats.held) : NULL;
        log_event(LOG_INFO, "mail came in", "taken", taken, "held", held, NULL);
    }
    return all;
}

static int
wait_for_news(Account *a, int signal_fd, bool retry)
{
    struct pollfd fds[] = {{.fd = a->inotify, .events = POLLIN},
                           {.fd = signal_fd, .events = POLLIN}};
    int n = poll(fds, G_N_ELEMENTS(fds), retry ? RETRY_MS : -1);
    if (n < 0 && errno != EINTR)
        return -1;
    if (fds[1].revents)
        return 0;
    if (fds[0].revents)
        read_events(a);
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
        g_autoptr(Maildir) md = NULL;
        g_autoptr(GError) error = NULL;
        if (config->roles[i].person)
            continue;
        if (!maildir_open(a->engine->home->mail_fd, config->roles[i].name, true, &md, &error))
            log_event(LOG_ERROR, "can't open a mailbox", "why", error->message, NULL);
        else
            watch_role(a, &config->roles[i]);
    }
    /* Watches first, then the full pass: nothing can fall between the two. */
    all_due(a);
    int more = 1;
    while (more > 0)
        more = wait_for_news(a, signal_fd, !work(a));
    return more == 0 ? 0 : 75;
}

static int
block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
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

    auto_fd signals = block_signals();
    g_autoptr(GHashTable) watches = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) due = g_hash_table_new(NULL, NULL);
    Account a = {
        .engine = engine, .intake = intake, .inotify = -1, .watches = watches, .due = due};
    int status = watch_loop(&a, signals);
    if (a.inotify >= 0)
        close(a.inotify);
    return status;
}
