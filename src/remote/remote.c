#include "base/lock.h"
#include "base/log.h"
#include "base/proc.h"
#include "mail/msgid.h"
#include "remote/login.h"
#include "remote/remote_internal.h"
#include "store/mail/mailboxes.h"
#include "store/out/outbox.h"
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#define BACKOFF_FIRST_US USEC_PER_SEC
#define BACKOFF_MAX_US (300 * USEC_PER_SEC)
/* Servers lock out who comes with a wrong password too often. */
#define PERSON_US (900 * USEC_PER_SEC)
/* Servers forget to push, and routers to tell: how long we believe in silence. */
#define QUIET_US (600 * USEC_PER_SEC)
/* Whatever is due, we do not come more often than that without being told to. */
#define SOON_US USEC_PER_SEC
/* A connection that lived as long was a good one. */
#define HEALTHY_US (60 * USEC_PER_SEC)
/* What the log has heard since it worked last. */
#define TOLD_AWAY 1u
#define TOLD_PERSON 2u

/* --- the connection --- */

static bool
log_in(Remote *r, GError **error)
{
    const Home *home = r->engine->home;
    const ConfServer *server = &r->account->server;
    const ImapOptions more = {
        .max_body = home->config->max_message, .has_stop = true, .stop_fd = r->stop_fd};
    if (!*server->host)
        return err_set(error, ERR_CONFIG, "[account %s] has no 'host'", r->account->name);
    return login_imap(home, server, more, &r->conn, error);
}

static void
hang_up(Remote *r)
{
    g_clear_pointer(&r->conn, imap_close);
    g_clear_pointer(&r->selected, g_free);
    g_clear_pointer(&r->sent, g_free);
    g_clear_pointer(&r->known, g_ptr_array_unref);
    g_hash_table_remove_all(r->gone);
    remote_probe_forget(r);
}

bool
remote_name(Remote *r, const char *path, char **ret_name, GError **error)
{
    return imap_place(r->conn, path, ret_name, error);
}

bool
remote_select(Remote *r, const char *name, bool to_write, GError **error)
{
    if (g_strcmp0(r->selected, name) == 0 && (r->writable || !to_write))
        return true;
    g_clear_pointer(&r->selected, g_free);
    r->writable = to_write;
    r->selects++;
    if (!imap_select(r->conn, name, !to_write, &r->box, error))
        return err_prefix(error, "folder '%s'", name);
    if (r->box.uidvalidity == 0)
        return err_set(error, ERR_CONFIG, "the server keeps no UIDs in '%s'", name);
    r->selected = g_strdup(name);
    return true;
}

bool
remote_select_path(Remote *r, const char *path, bool to_write, GError **error)
{
    g_autofree char *name = NULL;
    return remote_name(r, path, &name, error) && remote_select(r, name, to_write, error);
}

bool
remote_folders(Remote *r, const GPtrArray **ret, GError **error)
{
    if (!r->known && !imap_list(r->conn, &r->known, error))
        return false;
    *ret = r->known;
    return true;
}

bool
remote_find(Remote *r, const char *msgid, uint32_t *ret_uid, bool *ret_only, GError **error)
{
    g_autofree char *value = msgid_format(msgid);
    ImapQuery query = {.header = "Message-ID", .value = value};
    g_auto(ImapSet) found = {0};
    if (!imap_search(r->conn, &query, &found, error))
        return false;
    const GArray *ranges = found.ranges;
    *ret_uid =
        ranges && ranges->len ? g_array_index(ranges, ImapRange, ranges->len - 1).last : 0;
    if (ret_only)
        *ret_only = imap_set_count(&found) == 1;
    return true;
}

bool
remote_goes_on(const Remote *r, GError **refused, GError **error)
{
    if (!imap_is_broken(r->conn))
        return true;
    return err_pass(error, g_steal_pointer(refused));
}

bool
remote_each_role(Remote *r, RemoteVisit *visit, GError **error)
{
    const Config *config = r->engine->home->config;
    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];
        if (!role->person && config_account_of(config, role) == r->account &&
            !visit(r, role, error))
            return false;
    }
    return true;
}

Maildir *
remote_mailbox(Remote *r, const char *role, GError **error)
{
    Maildir *md = g_hash_table_lookup(r->mailboxes, role);
    if (md)
        return md;
    if (!maildir_open(r->engine->home->mail_fd, role, true, &md, error))
        return NULL;
    maildir_set_redo(md, r->redo);
    g_hash_table_insert(r->mailboxes, g_strdup(role), md);
    return md;
}

void
remote_set_redo(Remote *r, bool maybe)
{
    GHashTableIter iter;
    gpointer md;
    if (r->redo == maybe)
        return;
    r->redo = maybe;
    g_hash_table_iter_init(&iter, r->mailboxes);
    while (g_hash_table_iter_next(&iter, NULL, &md))
        maildir_set_redo(md, maybe);
}

/* --- one connection's life --- */

static void
note_trouble(Remote *r, const char *why)
{
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, &error))
        txn.ok = remote_set_trouble(&txn, r->account->name, why, &error);
    if (!txn.done)
        log_event(LOG_WARN, "can't note what is wrong", "why", error->message, NULL);
}

/* `status` has the newest words; the log has a line when it begins, one when it becomes a
 * person's affair, and one when it is over. Words differ from try to try: a server that is away
 * for a day must not fill the log. */
static void
say_trouble(Remote *r, const GError *why)
{
    const char *name = r->account->name;
    g_autofree char *said = NULL;
    if (!remote_trouble(r->engine->db, name, &said, NULL) || g_strcmp0(said, why->message) == 0)
        return;
    unsigned kind = err_is(why, ERR_CONFIG) ? TOLD_PERSON : TOLD_AWAY;
    if (!(r->told & kind))
        log_event(LOG_ERROR, "the account does not work", "account", name, "why", why->message,
                  NULL);
    r->told |= kind;
    note_trouble(r, why->message);
}

static void
say_works(Remote *r)
{
    g_autofree char *said = NULL;
    r->told = 0;
    if (!remote_trouble(r->engine->db, r->account->name, &said, NULL) || !said)
        return;
    log_event(LOG_INFO, "the account works again", "account", r->account->name, NULL);
    note_trouble(r, NULL);
}

static void
drain(int fd)
{
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == sizeof info)
        continue;
}

/* Until there is news, something is owed, or it is time to look by ourselves. */
static bool
sleep_on(Remote *r, int64_t look_us, GError **error)
{
    int64_t due_us, wait_us = QUIET_US;
    ImapNews news;
    if (!outbox_next_file(r->engine->db, r->account->name, &due_us, error))
        return false;
    if (due_us != USEC_NEVER)
        wait_us = MIN(wait_us, due_us - home_now(r->engine->home));
    if (look_us != USEC_NEVER)
        wait_us = MIN(wait_us, look_us - clock_mono_us());
    if (!imap_idle(r->conn, MAX(wait_us, SOON_US), r->wake_fd, &news, error))
        return false;
    g_autofree char *alert = imap_steal_alert(r->conn);
    if (alert)
        log_event(LOG_WARN, "the server says", "account", r->account->name, "alert", alert,
                  NULL);
    if (news == IMAP_WOKEN)
        drain(r->wake_fd);
    return true;
}

static bool
set_since(Remote *r, int64_t since_us, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = remote_set_since(&txn, r->account->name, since_us, error);
    return txn.done;
}

/* Back in the watched folder there may be news that nobody told us. */
static bool
pass(Remote *r, int64_t *ret_look_us, GError **error)
{
    g_autofree char *watched = NULL;
    int64_t asked, since = r->options->since_us;
    if (!remote_name(r, r->account->folder, &watched, error) ||
        !remote_since(r->engine->db, r->account->name, &asked, error))
        return false;
    if (asked)
        since = since ? MIN(since, asked) : asked;
    if (!remote_learn(r, error))
        return false;
    unsigned selects;
    do {
        if (!remote_select(r, watched, false, error))
            return false;
        selects = r->selects;
        if (!remote_fetch(r, since, error) || (asked && !set_since(r, 0, error)) ||
            !remote_demands(r, error) || !remote_settle(r, error) ||
            !remote_look(r, ret_look_us, error))
            return false;
        since = asked = 0;
    } while (r->selects != selects);
    return true;
}

static bool
live(Remote *r, GError **error)
{
    bool once = r->options->once || r->options->since_us;
    for (;;) {
        int64_t look_us = USEC_NEVER, upto;
        if (!mailbox_upto(r->engine->db, &upto, error) || !remote_claim(r, error) ||
            !remote_survey(r, error) || !remote_catch_up(r, error))
            return false;
        if (r->options->take_over || r->options->caught) {
            if (!mailbox_set_state(r->engine->db, r->account, MAILBOX_OURS, upto, error))
                return false;
            say_works(r);
            db_hint(r->engine->db); /* a master that left it alone may start it again */
            return true;
        }
        /* What is answered lies in Active or Done there before its answer leaves: so another home
         * that takes the mailbox over sees that it was in hand. */
        if (!pass(r, &look_us, error) ||
            !mailbox_set_state(r->engine->db, r->account, MAILBOX_OURS, upto, error))
            return false;
        look_us = MIN(look_us, remote_probe_next_us(r));
        say_works(r);
        if (once)
            return true;
        if (!sleep_on(r, look_us, error))
            return false;
    }
}

static bool
session(Remote *r, GError **error)
{
    r->in_doubt = true;
    remote_set_redo(r, true);
    bool ok = log_in(r, error) && live(r, error);
    hang_up(r);
    return ok;
}

/* --- the process --- */

/* False: we are asked to end. */
static bool
wait_us(const Remote *r, int64_t us)
{
    int64_t end = clock_mono_us() + us;
    for (int64_t left = us; left > 0; left = end - clock_mono_us()) {
        struct pollfd fd = {.fd = r->stop_fd, .events = POLLIN};
        if (poll(&fd, 1, (int)((left + 999) / 1000)) > 0)
            return false;
    }
    return true;
}

static int64_t
next_try(const GError *why, int *failures)
{
    if (err_is(why, ERR_CONFIG))
        return PERSON_US;
    int64_t wait = clock_backoff(BACKOFF_FIRST_US, BACKOFF_MAX_US, (*failures)++);
    return wait + g_random_int_range(0, 1000) * (wait / 4000);
}

/* Why the session ended decides what becomes of the account's mail meanwhile. */
static void
note_state(Remote *r)
{
    g_autoptr(GError) error = NULL;
    if (!mailbox_set_state(r->engine->db, r->account,
                           r->refused ? MAILBOX_REFUSED : MAILBOX_AWAY, 0, &error))
        log_event(LOG_WARN, "can't note whose the mailbox is", "why", error->message, NULL);
}

static int
keep_going(Remote *r)
{
    int failures = 0;
    bool once =
        r->options->once || r->options->take_over || r->options->caught || r->options->since_us;
    for (;;) {
        g_autoptr(GError) error = NULL;
        int64_t began = clock_mono_us();
        if (session(r, &error))
            return 0;
        if (err_is(error, ERR_CANCELLED))
            return 0;
        say_trouble(r, error);
        note_state(r);
        if (once)
            log_event(LOG_ERROR, error->message, "account", r->account->name, NULL);
        if (once || r->refused || err_is(error, ERR_DAMAGE))
            return err_exit_status(error);
        if (clock_mono_us() - began > HEALTHY_US)
            failures = 0;
        int64_t us = next_try(error, &failures);
        log_event(LOG_DEBUG, "trying again later", "account", r->account->name, "why",
                  error->message, NULL);
        if (!wait_us(r, us))
            return 0;
    }
}

/* Whoever is at work for this account does it. */
static bool
ask_holder(Remote *r, const char *lock, GError **error)
{
    pid_t pid = lock_holder(r->engine->home->state_fd, lock);
    if (!set_since(r, r->options->since_us, error))
        return false;
    if (pid > 0)
        (void)kill(pid, SIGURG);
    log_event(LOG_INFO, "the running process of the account fetches it", "account",
              r->account->name, NULL);
    return true;
}

static int
take_lock_and_go(Remote *r)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *name = g_strdup_printf("account-%s.lock", r->account->name);
    auto_fd lock = -1;
    if (lock_take(r->engine->home->state_fd, name, r->options->once ? DB_WAIT_MS : 0, &lock,
                  &error))
        return keep_going(r);
    if (r->options->since_us && err_is(error, ERR_LATER)) {
        g_clear_error(&error);
        if (ask_holder(r, name, &error))
            return 0;
    }
    err_prefix(&error, "account '%s'", r->account->name);
    log_event(LOG_ERROR, error->message, NULL);
    return err_exit_status(error);
}

static void
remote_clear(Remote *r)
{
    g_clear_pointer(&r->mailboxes, g_hash_table_unref);
    g_clear_pointer(&r->gone, g_hash_table_unref);
    g_clear_pointer(&r->doubts, g_hash_table_unref);
    free_all(r->active, r->done, r->home, r->start, r->first);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Remote, remote_clear)

int
remote_main(Engine *engine, const ConfAccount *account, const RemoteOptions *options)
{
    sigset_t before;
    auto_fd stop_fd = proc_watch_signals((const int[]){SIGTERM, SIGINT, 0}, &before);
    auto_fd wake_fd = proc_watch_signals((const int[]){SIGURG, 0}, NULL);
    g_auto(Remote) r = {
        .engine = engine,
        .account = account,
        .options = options,
        .stop_fd = stop_fd,
        .wake_fd = wake_fd,
        .active = g_strconcat(account->folder_prefix, "Active", NULL),
        .done = g_strconcat(account->folder_prefix, "Done", NULL),
        .home = g_strconcat(account->folder_prefix, "Home", NULL),
        .mailboxes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify)maildir_close),
        .gone = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .doubts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    int status = take_lock_and_go(&r);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
