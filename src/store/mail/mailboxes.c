#include "store/mail/mailboxes.h"
#include "base/living.h"
#include "base/lock.h"
#include "store/account_rows.h"
#include "store/out/outbox_smtp.h"
#include "store/sql.h"
#include "view/shape.h"

/* A look is owed that decides what may run. The row is called mb. */
#define LOOK_IS_OWED                                                                           \
    "EXISTS (SELECT 1 FROM account a WHERE a.name = mb.account AND a.survey + a.backup > 0) "

static const char *const names[] = {
    [MAILBOX_OURS] = "ours",
    [MAILBOX_UNSEEN] = "unseen",
    [MAILBOX_AWAY] = "away",
    [MAILBOX_REFUSED] = "refused",
};

static bool
mailbox_state(Db *db, const char *account, MailboxState *ret, GError **error)
{
    g_autofree char *name = NULL;

    *ret = MAILBOX_OURS;
    if (!sql_string(db, "SELECT state FROM mailbox WHERE account = ? AND role = ''", &name,
                    error, "s", account))
        return false;
    (void)words_parse(&(Words){names, G_N_ELEMENTS(names), MAILBOX_OURS}, name, ret);
    return true;
}

static bool
put_row(Txn *txn,
        const char *account,
        const char *role,
        MailboxState state,
        int64_t upto,
        GError **error)
{
    return sql_run(txn, "INSERT INTO mailbox (account, role, state, upto) VALUES (?, ?, ?, ?)",
                   error, "sssi", account, role, names[state], upto);
}

static bool
put_rows(Txn *txn, const ConfAccount *account, MailboxState state, int64_t upto, GError **error)
{
    const Config *config = db_home(txn->db)->config;

    if (!put_row(txn, account->name, "", state, upto, error))
        return false;
    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];
        if (!role->person && config_account_of(config, role) == account &&
            !put_row(txn, account->name, role->name, state, upto, error))
            return false;
    }
    return true;
}

static bool
change(Txn *txn, const ConfAccount *account, MailboxState state, int64_t upto, GError **error)
{
    return sql_run(txn, "DELETE FROM mailbox WHERE account = ?", error, "s", account->name) &&
           (state != MAILBOX_OURS ||
            sql_run(txn, ACCOUNT_SET("take_over"), error, "sn", account->name, false)) &&
           put_rows(txn, account, state, upto, error);
}

bool
mailbox_upto(Db *db, int64_t *ret, GError **error)
{
    return sql_int(db, "SELECT max(id) FROM outbox", ret, error, "");
}

/* The mark need not be flushed: the next look at the mailbox finds again what it says. */
bool
mailbox_set_state(
    Db *db, const ConfAccount *account, MailboxState state, int64_t upto, GError **error)
{
    MailboxState before;
    int64_t old = 0;
    bool wish = false, survey = false, backup = false;

    if (!mailbox_state(db, account->name, &before, error) ||
        !mailbox_survey_owed(db, account->name, &survey, error) ||
        !mailbox_backup_owed(db, account->name, &backup, error) ||
        !mailbox_wants_take_over(db, account->name, &wish, error) ||
        !sql_int(
            db,
            "SELECT coalesce((SELECT upto FROM mailbox WHERE account = ? AND role = ''), -1)",
            &old, error, "s", account->name))
        return false;
    if (state == MAILBOX_AWAY && (survey || backup))
        state = MAILBOX_UNSEEN;
    bool same = before == state && !wish && old >= 0;
    if (same && (state != MAILBOX_OURS || old >= upto))
        return true;
    g_auto(Txn) txn = {.db = db, .flush = same ? TXN_LAZY : TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = change(&txn, account, state, upto, error);
    if (!txn.done)
        return false;
    db_hint(db);
    return true;
}

bool
mailboxes_before_take_over(Db *db, GError **error)
{
    bool foreign = false;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};

    if (!living_is_foreign(db_home(db), &foreign, error))
        return false;
    while (foreign && txn_again(&txn, error))
        txn.ok = outbox_doubt_all(&txn, MAILBOX_DOUBT, error);
    return !foreign || txn.done;
}

bool
mailboxes_begin(Db *db, bool take_over, GError **error)
{
    const Config *config = db_home(db)->config;
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};

    while (txn_again(&txn, error)) {
        /* Without a condition SQLite would empty the table by writing it, also where it is
         * empty. */
        txn.ok = sql_run(&txn, "DELETE FROM mailbox WHERE account <> ''", error, "");
        for (unsigned i = 0; txn.ok && i < config->n_accounts; i++) {
            const ConfAccount *account = &config->accounts[i];
            txn.ok = !config_is_imap(account) ||
                     (put_rows(&txn, account, MAILBOX_UNSEEN, 0, error) &&
                      (!take_over || sql_run(&txn, ACCOUNT_SET("take_over"), error, "sn",
                                             account->name, true)));
        }
    }
    return txn.done;
}

bool
mailboxes_unwatched(Db *db, GError **error)
{
    bool found;
    int64_t upto;
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};

    if (lock_is_held(db_home(db)->state_fd, "master.lock"))
        return true;
    if (!mailbox_upto(db, &upto, error) ||
        !sql_bool(db,
                  "SELECT 1 FROM mailbox mb WHERE (state = 'unseen' AND NOT " LOOK_IS_OWED
                  ") OR (state = 'ours' AND upto < ?) LIMIT 1",
                  &found, error, "i", upto))
        return false;
    while (found && txn_again(&txn, error))
        txn.ok =
            sql_run(&txn,
                    "UPDATE mailbox AS mb SET state = 'away' WHERE state = 'unseen' "
                    "AND NOT " LOOK_IS_OWED,
                    error, "") &&
            sql_run(&txn, "UPDATE mailbox SET upto = ? WHERE state = 'ours'", error, "i", upto);
    return !found || txn.done;
}

bool
mailbox_wants_take_over(Db *db, const char *account, bool *ret, GError **error)
{
    return sql_bool(db, ACCOUNT_GET("take_over"), ret, error, "s", account);
}

bool
mailbox_survey_owed(Db *db, const char *account, bool *ret, GError **error)
{
    return sql_bool(db, ACCOUNT_GET("survey"), ret, error, "s", account);
}

bool
mailbox_set_survey(Txn *txn, const char *account, bool owed, GError **error)
{
    return sql_run(txn, ACCOUNT_SET("survey"), error, "sn", account, owed);
}

bool
mailbox_backup_owed(Db *db, const char *account, bool *ret, GError **error)
{
    return sql_bool(db, ACCOUNT_GET("backup"), ret, error, "s", account);
}

bool
mailbox_owe_backup(Txn *txn, const ConfAccount *account, GError **error)
{
    return sql_run(txn, ACCOUNT_SET("backup"), error, "sn", account->name, true) &&
           change(txn, account, MAILBOX_UNSEEN, 0, error);
}

bool
mailbox_backup_seen(Txn *txn, const char *account, GError **error)
{
    return sql_run(txn, ACCOUNT_SET("backup"), error, "sn", account, false);
}
