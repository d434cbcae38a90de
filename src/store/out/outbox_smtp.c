#include "store/out/outbox_smtp.h"
#include "mail/address.h"
#include "store/account_rows.h"
#include "store/job/questions.h"
#include "store/rows.h"

/* The deliveries that go by SMTP; the same condition as in outbox_due(). */
#define BY_SMTP " mailbox IS NULL AND folder = '' "

bool
outbox_sending(Txn *txn, const int64_t *deliveries, size_t n, bool *ret_all, GError **error)
{
    *ret_all = true;
    for (size_t i = 0; i < n && *ret_all; i++) {
        if (!outbox_is_due(txn, deliveries[i], ret_all, error))
            return false;
    }
    for (size_t i = 0; i < n && *ret_all; i++) {
        if (!sql_run(txn, "UPDATE delivery SET state = 'sending' WHERE id = ?", error, "i",
                     deliveries[i]))
            return false;
    }
    return true;
}

/* --- the copy to ourselves --- */

#define AWAITS                                                                                 \
    " outbox = ?1 AND state IN ('sending', 'in_doubt') AND (probe = ?2 OR (?2 = 0 AND "        \
    "(SELECT probes FROM outbox WHERE id = ?1) <= 1)) "

bool
outbox_set_probe(
    Txn *txn, OutId id, const int64_t *deliveries, size_t n, int64_t probe, GError **error)
{
    for (size_t i = 0; i < n; i++) {
        if (!sql_run(txn, "UPDATE delivery SET probe = ? WHERE id = ?", error, "ii", probe,
                     deliveries[i]))
            return false;
    }
    return sql_run(txn, "UPDATE outbox SET probes = probes + 1 WHERE id = ?", error, "i", id.v);
}

bool
outbox_probes(Db *db, OutId id, unsigned *ret_n, GError **error)
{
    return sql_count(db, "SELECT probes FROM outbox WHERE id = ?", ret_n, error, "i", id.v);
}

bool
outbox_awaits_copy(Db *db, OutId id, int64_t probe, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM delivery WHERE" AWAITS "LIMIT 1", ret, error, "ii", id.v,
                    probe);
}

bool
outbox_copy_came(Txn *txn, OutId id, int64_t probe, unsigned *ret_n, GError **error)
{
    return sql_changes(txn,
                       "UPDATE delivery SET state = 'sent', ask_us = NULL, "
                       "why = 'arrived: our own copy came back' WHERE" AWAITS,
                       ret_n, error, "ii", id.v, probe) &&
           (*ret_n == 0 ||
            (outbox_release_copies(txn, id, error) && questions_settle(txn, id, error)));
}

bool
outbox_end_copies(Txn *txn, OutId id, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET state = 'failed', why = 'nobody got this mail' "
                   "WHERE outbox = ?1 AND folder <> '' AND state IN ('waiting', 'ready', "
                   "'retry') AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.outbox = ?1 AND "
                   "d.folder = '' AND d.state <> 'failed')",
                   error, "i", id.v);
}

/* --- in doubt --- */

bool
outbox_doubt(Txn *txn, int64_t delivery, const char *why, int64_t ask_us, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET state = 'in_doubt', attempts = attempts + 1, "
                   "next_us = steady(?), why = ?, ask_us = steady(?) "
                   "WHERE id = ? AND state = 'sending'",
                   error, "isii", txn_now(txn), why, ask_us, delivery);
}

bool
outbox_doubt_all(Txn *txn, const char *why, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET state = 'in_doubt', next_us = steady(?1), why = ?2, "
                   "ask_us = steady(?1) "
                   "WHERE state IN ('waiting', 'ready', 'retry', 'sending') AND" BY_SMTP,
                   error, "is", txn_now(txn), why);
}

#define TO_ASK " ask_us IS NOT NULL AND ask_us <= steady(?) AND state = 'in_doubt' "

bool
outbox_to_ask(Db *db, int64_t now_us, GArray **ret, GError **error)
{
    return sql_ints(db, "SELECT DISTINCT outbox FROM delivery WHERE" TO_ASK "ORDER BY outbox",
                    ret, error, "i", now_us);
}

bool
outbox_asked(Txn *txn, OutId id, GError **error)
{
    return sql_run(txn, "UPDATE delivery SET ask_us = NULL WHERE outbox = ?", error, "i", id.v);
}

bool
outbox_count_sent(Txn *txn, OutId id, const char *why, unsigned *ret_n, GError **error)
{
    return sql_changes(txn,
                       "UPDATE delivery SET state = 'sent', why = ? "
                       "WHERE outbox = ? AND state = 'in_doubt'",
                       ret_n, error, "si", why, id.v) &&
           (*ret_n == 0 || outbox_release_copies(txn, id, error));
}

bool
outbox_arrived(Txn *txn, OutId id, const char *who, unsigned *ret_n, GError **error)
{
    g_autofree char *why = g_strdup_printf("arrived: %s", who);

    return outbox_count_sent(txn, id, why, ret_n, error) && questions_settle(txn, id, error);
}

bool
outbox_resend(Txn *txn, OutId id, unsigned *ret_n, GError **error)
{
    return sql_changes(txn,
                       "UPDATE delivery SET state = 'ready', attempts = 0, next_us = steady(?) "
                       "WHERE outbox = ? AND state = 'in_doubt'",
                       ret_n, error, "ii", txn_now(txn), id.v);
}

bool
outbox_bounced(Txn *txn,
               OutId id,
               const char *address,
               const char *why,
               int64_t *ret_delivery,
               GError **error)
{
    g_autofree char *normal = address_normalise(address);

    *ret_delivery = 0;
    if (!normal)
        return true;
    if (!sql_int(txn->db,
                 "SELECT id FROM delivery WHERE outbox = ? AND lower(address) = lower(?) AND "
                 "state IN ('sent', 'in_doubt') AND" BY_SMTP,
                 ret_delivery, error, "is", id.v, normal))
        return false;
    return *ret_delivery == 0 ||
           (sql_run(txn, "UPDATE delivery SET state = 'failed', why = ?, news = 1 WHERE id = ?",
                    error, "si", why, *ret_delivery) &&
            outbox_end_copies(txn, id, error) && questions_settle(txn, id, error));
}

bool
outbox_smtp_ready(Db *db, int64_t now_us, bool *ret, GError **error)
{
    g_autoptr(OutRows) due = NULL;
    bool left, asks;

    if (!outbox_due(db, now_us, false, 1, &due, error) ||
        !sql_bool(db,
                  "SELECT 1 FROM delivery WHERE state IN ('sending', 'in_doubt') "
                  "AND state = 'sending' LIMIT 1",
                  &left, error, "") ||
        !sql_bool(db, "SELECT 1 FROM delivery WHERE" TO_ASK "LIMIT 1", &asks, error, "i",
                  now_us))
        return false;
    *ret = due->len > 0 || left || asks;
    return true;
}

bool
outbox_count_doubt(Db *db, unsigned *ret_n, GError **error)
{
    return sql_count(db,
                     "SELECT count(*) FROM delivery WHERE state IN ('sending', 'in_doubt') "
                     "AND state = 'in_doubt'",
                     ret_n, error, "");
}

bool
outbox_count_round(Db *db, const Job *job, unsigned enough, unsigned *ret_n, GError **error)
{
    /* The first count is by an index alone. */
    return sql_count(
        db,
        "SELECT CASE WHEN (SELECT count(*) FROM outbox WHERE job = ?1 AND job <> 0) "
        "< ?4 THEN 0 ELSE "
        "(SELECT count(*) FROM outbox o WHERE o.job = ?1 AND o.job <> 0 AND "
        "o.round = ?2 AND EXISTS (SELECT 1 FROM delivery d WHERE d.outbox = o.id AND "
        "d.folder = '' AND coalesce(d.mailbox, '') <> ?3 AND d.state <> 'held')) END",
        ret_n, error, "insu", job->id.v, job->round, job->role, enough);
}

/* Numbers grow with time, so only what is newer is looked at. */
bool
outbox_count_to(Db *db, const char *address, int64_t since_us, unsigned *ret_n, GError **error)
{
    int64_t before = 0;

    return sql_int(db,
                   "SELECT id FROM outbox WHERE since_us < steady(?) ORDER BY id DESC LIMIT 1",
                   &before, error, "i", since_us) &&
           sql_count(db,
                     "SELECT count(DISTINCT outbox) FROM delivery WHERE outbox > ?1 AND "
                     "(?2 IS NULL OR address = ?2) AND state <> 'held' AND" BY_SMTP,
                     ret_n, error, "is", before, address);
}

bool
outbox_last_to(Db *db, JobId job, const char *address, int64_t *ret_us, GError **error)
{
    return sql_int(
        db,
        "SELECT wall(max(o.since_us)) FROM outbox o JOIN delivery d ON d.outbox = o.id "
        "WHERE o.job = ? AND o.job <> 0 AND d.address = ? AND d.state <> 'held'",
        ret_us, error, "is", job.v, address);
}

/* --- accounts that do not work --- */

bool
outbox_pause_account(Txn *txn,
                     const char *account,
                     int64_t until_us,
                     const char *why,
                     bool *ret_first,
                     GError **error)
{
    g_autofree char *before = NULL;

    if (!sql_string(txn->db, ACCOUNT_GET("smtp_why"), &before, error, "s", account))
        return false;
    *ret_first = before == NULL;
    return sql_run(txn,
                   "INSERT INTO account (name, smtp_why, smtp_until_us) "
                   "VALUES (?, ?, steady(?)) ON CONFLICT (name) DO UPDATE SET "
                   "smtp_why = excluded.smtp_why, smtp_until_us = excluded.smtp_until_us",
                   error, "ssi", account, why, until_us) &&
           sql_run(txn,
                   "UPDATE delivery SET state = 'retry', next_us = steady(?1), why = ?2 "
                   "WHERE state IN ('ready', 'retry') AND next_us < steady(?1) AND "
                   "affinity IN ('', ?3) AND" BY_SMTP,
                   error, "iss", until_us, why, account);
}

bool
outbox_account_paused(
    Db *db, const char *account, int64_t *ret_until, char **ret_why, GError **error)
{
    return sql_string(db, ACCOUNT_GET("smtp_why"), ret_why, error, "s", account) &&
           sql_int(db, ACCOUNT_GET("wall(smtp_until_us)"), ret_until, error, "s", account);
}

bool
outbox_resume_account(Txn *txn, const char *account, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET next_us = steady(?) WHERE state IN ('ready', 'retry') "
                   "AND next_us = (SELECT smtp_until_us FROM account WHERE name = ? AND "
                   "smtp_why IS NOT NULL) AND affinity IN ('', ?) AND" BY_SMTP,
                   error, "iss", txn_now(txn), account, account) &&
           sql_run(txn,
                   "UPDATE account SET smtp_why = NULL WHERE name = ? AND smtp_why IS NOT NULL",
                   error, "s", account);
}

bool
outbox_resume_all(Db *db, GError **error)
{
    const Config *config = db_home(db)->config;

    for (unsigned i = 0; i < config->n_accounts; i++) {
        g_autofree char *why = NULL;
        g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};
        int64_t until;

        if (!outbox_account_paused(db, config->accounts[i].name, &until, &why, error))
            return false;
        while (why && txn_again(&txn, error))
            txn.ok = outbox_resume_account(&txn, config->accounts[i].name, error);
        if (why && !txn.done)
            return false;
    }
    return true;
}

/* --- what a job hears --- */

static const Field news_fields[] = {
    {NULL, "d.id", FIELD_INT, offsetof(OutNews, delivery)},
    {NULL, "d.address", FIELD_TEXT, offsetof(OutNews, address)},
    {NULL, "o.msgid", FIELD_TEXT, offsetof(OutNews, msgid)},
    {NULL, "d.why", FIELD_TEXT, offsetof(OutNews, why)},
};
const Shape out_news_shape = {SHAPE(NULL, OutNews, out_news_list, news_fields)};

bool
outbox_set_news(Txn *txn, int64_t delivery, GError **error)
{
    return sql_run(txn, "UPDATE delivery SET news = 1 WHERE id = ?", error, "i", delivery);
}

bool
outbox_news(Db *db, JobId job, OutNewsList **ret, GError **error)
{
    return rows_list(db, &out_news_shape,
                     "FROM delivery d JOIN outbox o ON o.id = d.outbox "
                     "WHERE d.news <> 0 AND o.job = ? AND o.job <> 0 ORDER BY d.id",
                     ret, error, "i", job.v);
}

bool
outbox_news_told(Txn *txn, const int64_t *deliveries, size_t n, GError **error)
{
    for (size_t i = 0; i < n; i++) {
        if (!sql_run(txn, "UPDATE delivery SET news = 0 WHERE id = ?", error, "i",
                     deliveries[i]))
            return false;
    }
    return true;
}
