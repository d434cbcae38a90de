#include "base/log.h"
#include "base/proc.h"
#include "remote/submit_internal.h"

#define PAUSE_MIN_US (60 * USEC_PER_SEC)

void
submit_hang_up(Pass *p)
{
    submission_clear(&p->out);
    p->account = NULL;
}

/* 0 would be without end. */
int64_t
submit_stop_us(const Pass *p)
{
    return MAX(p->engine->home->config->drain_us, 1);
}

static bool
connect_to(Pass *p, const ConfAccount *account, GError **error)
{
    submit_hang_up(p);
    p->out.place = (SmtpPlace){.stop = proc_asked_to_stop, .stop_us = submit_stop_us(p)};
    if (!login_smtp(p->engine->home, &account->smtp, &p->out, error))
        return err_prefix(error, "account '%s'", account->name);
    p->account = account;
    return true;
}

/* All that waits for this account has met the same. */
static bool
mark_unreached(Pass *p, const ConfAccount *account, const GError *why, GError **error)
{
    g_autoptr(OutRows) rows = NULL;

    if (!outbox_due(p->engine->db, home_now(p->engine->home), false, UINT_MAX / 2, &rows,
                    error))
        return false;
    for (guint i = 0; i < rows->len;) {
        g_auto(Parcel) c = {.pass = p, .account = account, .rows = out_rows_new_view()};
        OutId id = ((const OutRow *)g_ptr_array_index(rows, i))->id;

        for (; i < rows->len; i++) {
            OutRow *row = g_ptr_array_index(rows, i);
            if (row->id.v != id.v)
                break;
            if (!*row->account || g_str_equal(row->account, account->name))
                out_rows_add(c.rows, row);
        }
        if (c.rows->len && !parcel_end(&c, SMTP_RETRY, why->message, error))
            return false;
    }
    return true;
}

static bool
pause_account(Pass *p, const ConfAccount *account, const char *why, GError **error)
{
    const Home *home = p->engine->home;
    int64_t until = home_now(home) + MAX(home->config->retry_first_us, PAUSE_MIN_US);
    g_auto(Txn) txn = {.db = p->engine->db, .flush = TXN_DURABLE};
    bool first;
    while (txn_again(&txn, error))
        txn.ok = outbox_pause_account(&txn, account->name, until, why, &first, error);
    if (!txn.done)
        return false;
    if (first)
        log_event(LOG_WARN, "mail can't leave until somebody mends this", "account",
                  account->name, "why", why, NULL);
    return true;
}

static bool
resume_account(Pass *p, const ConfAccount *account, GError **error)
{
    g_auto(Txn) txn = {.db = p->engine->db, .flush = TXN_DURABLE};
    g_autofree char *why = NULL;
    int64_t until;

    if (!outbox_account_paused(p->engine->db, account->name, &until, &why, error))
        return false;
    while (why && txn_again(&txn, error))
        txn.ok = outbox_resume_account(&txn, account->name, error);
    return !why || txn.done;
}

bool
submit_reach(Pass *p, const ConfAccount *account, bool *ret_ready, GError **error)
{
    g_autoptr(GError) failed = NULL;
    g_autofree char *why = NULL;
    int64_t until;

    *ret_ready = true;
    if (account->submit == CONF_SUBMIT_SENDMAIL ||
        (p->account == account && p->out.smtp && smtp_is_open(p->out.smtp)))
        return true;
    if (!outbox_account_paused(p->engine->db, account->name, &until, &why, error))
        return false;
    *ret_ready = false;
    if (why && home_now(p->engine->home) < until)
        return pause_account(p, account, why, error);
    if (connect_to(p, account, &failed)) {
        *ret_ready = true;
        return resume_account(p, account, error);
    }
    if (err_is(failed, ERR_CANCELLED))
        return true;
    if (err_is(failed, ERR_CONFIG))
        return pause_account(p, account, failed->message, error);
    return mark_unreached(p, account, failed, error);
}
