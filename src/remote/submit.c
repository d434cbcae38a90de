#include "base/crash.h"
#include "base/living.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/proc.h"
#include "engine/people/delivery_failure.h"
#include "remote/submit_internal.h"
#include "store/mail/mailboxes.h"
#include "store/mail/messages.h"

#define LOCK_NAME "submit.lock"
#define BATCH 50

static bool
hold_without_way(Pass *p, OutId id, GError **error)
{
    g_auto(Txn) txn = {.db = p->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = outbox_hold(&txn, id, outbox_no_way(p->engine->home->config, NULL), error);
    return txn.done;
}

/* --- all of it --- */

static int
compare_rows(gconstpointer a, gconstpointer b)
{
    const OutRow *x = *(const OutRow *const *)a, *y = *(const OutRow *const *)b;
    int order = strcmp(x->account, y->account);

    if (order == 0)
        order = (x->id.v > y->id.v) - (x->id.v < y->id.v);
    return order ? order : (x->delivery > y->delivery) - (x->delivery < y->delivery);
}

static const ConfAccount *
account_of(const Config *config, const OutRow *row)
{
    const ConfAccount *named = *row->account ? config_account(config, row->account) : NULL;

    if (named && (*named->smtp.host || named->submit == CONF_SUBMIT_SENDMAIL))
        return named;
    return config_way_out(config, NULL);
}

/* The next mail of the sorted rows, with all its recipients that are among them. */
static Parcel
next_parcel(Pass *p, const OutRows *rows, guint *next)
{
    const OutRow *first = rows->pdata[*next];
    Parcel c = {.pass = p,
                .account = account_of(p->engine->home->config, first),
                .rows = out_rows_new_view()};
    while (*next < rows->len && rows->pdata[*next]->id.v == first->id.v)
        out_rows_add(c.rows, rows->pdata[(*next)++]);
    return c;
}

static bool
send_rows(Pass *p, OutRows *rows, GError **error)
{
    g_ptr_array_sort(LIST_ARRAY(rows), compare_rows);
    for (guint next = 0; next < rows->len && !proc_asked_to_stop();) {
        g_auto(Parcel) c = next_parcel(p, rows, &next);
        bool ready = false;
        if (!c.account) {
            if (!hold_without_way(p, c.rows->pdata[0]->id, error))
                return false;
            continue;
        }
        if (!submit_reach(p, c.account, &ready, error))
            return false;
        if (!ready)
            return true; /* what is due is another list now */
        if (!parcel_send(&c, error))
            return false;
    }
    return true;
}

/* Whoever sent before us died with these in hand. */
static bool
settle_stranded(Pass *p, GError **error)
{
    static const ConfAccount none = {
        .in_doubt = CONF_DOUBT_HOLD, .kind = CONF_ACCOUNT_MAILDIR, .sent_copy = CONF_SENT_COPY_APPEND};
    const OutQuery q = {.state = "sending", .limit = UINT_MAX};
    g_autoptr(OutRows) rows = NULL;
    if (!outbox_list(p->engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    g_ptr_array_sort(LIST_ARRAY(rows), compare_rows);
    for (guint next = 0; next < rows->len;) {
        g_auto(Parcel) c = next_parcel(p, rows, &next);
        c.account = c.account ? c.account : &none;
        if (!parcel_end(&c, SMTP_DOUBT, "whoever sent it died before the answer came", error))
            return false;
    }
    return true;
}

static bool
ask_about(Engine *engine, OutId id, GError **error)
{
    const OutQuery q = {.id = id, .state = "in_doubt", .limit = UINT_MAX};
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};

    while (txn_again(&txn, error)) {
        g_autoptr(OutRows) rows = NULL;
        g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(DeliveryFailure));
        if (!outbox_list(engine->db, &VIEWER_OPERATOR, &q, &rows, error))
            return false;
        for (guint i = rows->len; i-- > 0;) {
            const OutRow *row = g_ptr_array_index(rows, i);
            DeliveryFailure one = {.address = row->address,
                                   .why = row->why ? row->why : "no answer"};
            g_array_append_val(open, one);
        }
        txn.ok = (rows->len == 0 ||
                  delivery_failure_ask(engine, &txn, rows->pdata[0], open, error)) &&
                 outbox_asked(&txn, id, error);
        CRASH_POINT("submit-before-asking");
    }
    if (!txn.done)
        return false;
    CRASH_POINT("submit-asked");
    db_hint(engine->db);
    return true;
}

/* No copy came back in time, which proves nothing. */
static bool
ask_doubts(Pass *p, GError **error)
{
    g_autoptr(GArray) ids = NULL;

    if (!outbox_to_ask(p->engine->db, home_now(p->engine->home), &ids, error))
        return false;
    for (guint i = 0; i < ids->len; i++) {
        if (!ask_about(p->engine, g_array_index(ids, OutId, i), error))
            return false;
    }
    return true;
}

static bool
send_due(Pass *p, GError **error)
{
    if (!settle_stranded(p, error) || !ask_doubts(p, error))
        return false;
    while (!proc_asked_to_stop()) {
        g_autoptr(OutRows) rows = NULL;

        if (!outbox_due(p->engine->db, home_now(p->engine->home), false, BATCH, &rows, error))
            return false;
        if (rows->len == 0)
            return true;
        if (!send_rows(p, rows, error))
            return false;
    }
    return true;
}

bool
submit_pass(Engine *engine, int wait_ms, SubmitStats *ret, GError **error)
{
    Pass p = {.engine = engine};
    auto_fd lock = -1;

    if (!living_check(engine->home, false, error) ||
        !lock_take(engine->home->state_fd, LOCK_NAME, wait_ms, &lock, error))
        return false;
    bool ok = send_due(&p, error);
    submit_hang_up(&p);
    *ret = p.stats;
    return ok;
}

/* True when nothing is left for us: sent, or somebody else is at it. */
static bool
submit_once(Engine *engine, bool *ret_done, GError **error)
{
    SubmitStats stats = {0};
    bool ready = false;

    *ret_done = true;
    if (!submit_pass(engine, 0, &stats, error)) {
        if (!err_is(*error, ERR_LATER) || !lock_is_held(engine->home->state_fd, LOCK_NAME))
            return false;
        g_clear_error(error);
        return true;
    }
    if (stats.retried || stats.failed || stats.doubt)
        log_say(LOG_WARN,
                "mail by SMTP: %u sent, %u to be tried again, %u failed, %u in doubt; see: "
                "postrider outbox list",
                stats.sent, stats.retried, stats.failed, stats.doubt);
    /* Who found the lock taken relies on us. */
    if (proc_asked_to_stop())
        return true;
    if (!outbox_smtp_ready(engine->db, home_now(engine->home), &ready, error))
        return false;
    *ret_done = !ready;
    return true;
}

int
submit_main(Engine *engine)
{
    g_autoptr(GError) error = NULL;
    bool done = false;
    proc_hold_stop();
    while (!done) {
        if (!mailboxes_unwatched(engine->db, &error) || !submit_once(engine, &done, &error)) {
            log_event(LOG_ERROR, "sending failed", "error", error->message, NULL);
            return err_exit_status(error);
        }
    }
    return EXIT_SUCCESS;
}
