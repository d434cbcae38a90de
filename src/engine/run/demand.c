#include "engine/run/demand.h"
#include "base/lock.h"
#include "engine/in/judge.h"
#include "engine/in/quotes.h"
#include "engine/mail_load.h"
#include "store/mail/demands.h"
#include "store/mail/server_mail.h"
#include "store/out/outbox.h"
#include <poll.h>
#include <signal.h>

/* As many as a context shows. */
#define ANCESTORS_MAX 16u
#define LOOK_FIRST_MS 5
#define LOOK_MAX_MS 100

/* Who is asked for whom. */
typedef struct Asked {
    Engine *engine;
    const ConfAccount *account; /* NULL: there is no server */
    const char *role;
    bool again; /* what was looked for in vain, too */
} Asked;

static Asked
asked_of(Engine *engine, const char *name, bool again)
{
    const Config *config = engine->home->config;
    const ConfRole *role = config_role(config, name);
    const ConfAccount *account = role ? config_account_of(config, role) : NULL;
    for (unsigned i = 0; role && !account && i < config->n_accounts; i++) {
        if (config_is_imap(&config->accounts[i])) /* one that has no mailbox of its own */
            account = &config->accounts[i];
    }
    return (Asked){.engine = engine, .account = account, .role = name, .again = again};
}

static bool
put(const Asked *a, Txn *txn, const char *msgid, const char *folder, GError **error)
{
    return demand_put(txn, a->account->name, a->role, msgid, folder ? folder : "", a->again,
                      error);
}

bool
demand_later(Engine *engine,
             Txn *txn,
             const char *role,
             const char *msgid,
             const char *folder,
             GError **error)
{
    Asked a = asked_of(engine, role, false);
    return !a.account || put(&a, txn, msgid, folder, error);
}

/* True: somebody is at work for the account, and its server is there. */
static bool
wake(const Asked *a)
{
    int state = a->engine->home->state_fd;
    g_autofree char *lock = g_strdup_printf("account-%s.lock", a->account->name);
    g_autofree char *trouble = NULL;
    if (!lock_is_held(state, lock) ||
        !remote_trouble(a->engine->db, a->account->name, &trouble, NULL) || trouble)
        return false;
    pid_t pid = lock_holder(state, lock);
    return pid > 0 && kill(pid, SIGURG) == 0;
}

/* A run that is told to end, or that its job has changed, hears of it by a signal that it has
 * blocked. */
static bool
is_called(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1 ||
            sigismember(&pending, SIGUSR1) == 1);
}

/* For all that is asked for on behalf of the role, by whomever. */
static bool
wait_for_all(const Asked *a, GError **error)
{
    Db *db = a->engine->db;
    const char *account = a->account->name;
    int64_t end_us = clock_mono_us() + DEMAND_WAIT_US;
    int look_ms = LOOK_FIRST_MS;
    bool open;
    if (!demands_wait(db, account, a->role, &open, error))
        return false;
    if (!open || !wake(a))
        return true;
    while (open && clock_mono_us() < end_us && !is_called()) {
        (void)poll(NULL, 0, look_ms);
        look_ms = MIN(2 * look_ms, LOOK_MAX_MS);
        if (!demands_wait(db, account, a->role, &open, error))
            return false;
    }
    return true;
}

static bool
ask(const Asked *a, const GPtrArray *msgids, const char *folder, GError **error)
{
    g_auto(Txn) txn = {.db = a->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error)) {
        for (guint i = 0; i < msgids->len; i++)
            if (!put(a, &txn, g_ptr_array_index(msgids, i), folder, error))
                return false;
        txn.ok = true;
    }
    return txn.done;
}

bool
demand_mail(Engine *engine,
            const char *role,
            const char *msgid,
            const char *folder,
            MsgRow **ret,
            GError **error)
{
    Asked a = asked_of(engine, role, true);
    g_autoptr(GPtrArray) one = g_ptr_array_new();
    if (!messages_find(engine->db, &VIEWER_OF(role), msgid, ret, error))
        return false;
    if (*ret || !a.account)
        return true;
    g_ptr_array_add(one, (gpointer)msgid);
    return ask(&a, one, folder, error) && wait_for_all(&a, error) &&
           messages_find(engine->db, &VIEWER_OF(role), msgid, ret, error);
}

/* --- ancestors --- */

static bool
is_here(const Asked *a, const char *msgid, bool *ret, GError **error)
{
    g_autoptr(MsgRow) in = NULL;
    g_autoptr(OutRow) out = NULL;
    if (!messages_find(a->engine->db, &VIEWER_OF(a->role), msgid, &in, error) ||
        !outbox_find(a->engine->db, &VIEWER_OF(a->role), msgid, &out, error))
        return false;
    *ret = in || out;
    return true;
}

static bool
add_id(const Asked *a, const char *msgid, GPtrArray *ids, GError **error)
{
    bool here;
    if (!msgid || ids->len >= ANCESTORS_MAX ||
        g_ptr_array_find_with_equal_func(ids, msgid, g_str_equal, NULL))
        return true;
    if (!is_here(a, msgid, &here, error))
        return false;
    if (!here)
        g_ptr_array_add(ids, g_strdup(msgid));
    return true;
}

/* Adds the ids of the mail that this mail answers, and of those in References, the nearest
 * first. */
static bool
add_ancestors(const Asked *a, const MsgRow *row, GPtrArray *ids, GError **error)
{
    g_autoptr(Message) m = NULL;
    if (!mail_load(a->engine, row, MESSAGE_HEADERS, &m, error))
        return false;
    if (!m)
        return true;
    if (!add_id(a, m->in_reply_to, ids, error))
        return false;
    for (guint i = m->references->len; i-- > 0;) {
        if (!add_id(a, g_ptr_array_index(m->references, i), ids, error))
            return false;
    }
    return true;
}

bool
demand_ancestors(Engine *engine, const Job *job, const MsgRows *mails, GError **error)
{
    g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
    Asked a = asked_of(engine, job->role, false);
    for (guint i = 0; a.account && i < mails->len; i++) {
        const MsgRow *row = g_ptr_array_index(mails, i);
        if (g_str_equal(row->account, a.account->name) && row->class != MSG_UNREADABLE &&
            !add_ancestors(&a, row, ids, error))
            return false;
    }
    return !a.account ||
           ((ids->len == 0 || ask(&a, ids, "", error)) && wait_for_all(&a, error));
}

bool
demand_store(Engine *engine,
             Txn *txn,
             const ConfAccount *account,
             const ConfRole *role,
             const char *folder,
             const char *file,
             const Message *mail,
             MsgState state,
             const char *why,
             GError **error)
{
    MsgNew in = {.role = role->name,
                 .account = account->name,
                 .folder = folder,
                 .file = file,
                 .mail = mail,
                 .class = MSG_HISTORY,
                 .state = state,
                 .why = why};
    Judgement j;
    MsgId id;
    bool is_new;
    judge(engine->home, role, mail, true, &j);
    in.trust = j.trust;
    in.floor = j.floor;
    in.space = *j.space ? j.space : NULL;
    return messages_thread(txn, mail, &in.thread, error) &&
           quotes_lower_floor(engine, &in, (JobId){0}, error) &&
           messages_store(txn, &in, &id, &is_new, error);
}
