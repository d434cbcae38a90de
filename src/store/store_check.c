#include "store/sql.h"

#define FINDINGS_PER_RULE "20"

/* Conditions that no row may meet, whatever led to it. Each rule is a query whose rows are
 * findings, ready to print. An index can't help most of these queries, so `doctor` runs them,
 * and not every start. */
static const char *const rules[] = {
    /* Messages. */
    "SELECT 'mail ' || id || ' has the unknown state ''' || state || '''' FROM message "
    "WHERE state NOT IN ('stored', 'shown', 'handled', 'ignored', 'held', 'dead')",
    "SELECT 'mail ' || id || ' is handled, but by no step and for no reason' FROM message "
    "WHERE state = 'handled' AND step = 0 AND why IS NULL",
    "SELECT 'mail ' || id || ' is ' || state || ', but no job has it' FROM message "
    "WHERE state IN ('stored', 'shown') AND job = 0",
    "SELECT 'mail ' || id || ' is ' || state || ' without a reason' FROM message "
    "WHERE state IN ('ignored', 'held', 'dead') AND why IS NULL",
    "SELECT 'mail ' || m.id || ' belongs to job ' || m.job || ', which is not there' "
    "FROM message m WHERE m.job <> 0 AND NOT EXISTS (SELECT 1 FROM job WHERE id = m.job)",
    "SELECT 'a trace speaks of mail ' || t.message || ', which is not there' FROM trace t "
    "WHERE NOT EXISTS (SELECT 1 FROM message WHERE id = t.message)",
    "SELECT 'a copy is of mail ' || c.message || ', which is not there' FROM copy c "
    "WHERE NOT EXISTS (SELECT 1 FROM message WHERE id = c.message)",

    /* Threads. */
    "SELECT 'thread ' || t.id || ' was joined to ' || t.into_thread || ', which is no thread "
    "of its own' FROM thread t LEFT JOIN thread r ON r.id = t.into_thread "
    "WHERE t.into_thread IS NOT NULL AND (r.id IS NULL OR r.into_thread IS NOT NULL)",
    "SELECT 'id <' || m.id || '> is in thread ' || m.thread || ', which is not there' "
    "FROM msgid m WHERE NOT EXISTS (SELECT 1 FROM thread WHERE id = m.thread)",

    /* Notes. */
    "SELECT 'note ' || n.key || ' is at version ' || n.version || ', which is not there' "
    "FROM note n WHERE NOT EXISTS (SELECT 1 FROM note_version v "
    "WHERE v.key = n.key AND v.version = n.version)",
    "SELECT 'note ' || n.key || ' was written to its file in version ' || n.mirrored || ', "
    "which is later than the newest' FROM note n WHERE n.mirrored > n.version",

    /* Jobs and steps. */
    "SELECT 'job ' || id || ' has the unknown state ''' || state || '''' FROM job WHERE state "
    "NOT IN ('queued', 'running', 'parked', 'done', 'failed', 'stopped', 'cancelled')",
    "SELECT 'job ' || id || ' is running, but nobody owns it' FROM job "
    "WHERE state = 'running' AND (owner_pid IS NULL OR owner_boot IS NULL)",
    "SELECT 'job ' || j.id || ' counts ' || j.steps || ' steps, but step ' || s.n || ' is "
    "there' FROM job j JOIN (SELECT job, max(n) AS n FROM step GROUP BY job) s ON s.job = j.id "
    "WHERE s.n > j.steps",
    "SELECT 'step ' || s.n || ' belongs to job ' || s.job || ', which is not there' "
    "FROM step s WHERE NOT EXISTS (SELECT 1 FROM job WHERE id = s.job)",

    /* Mail that leaves. */
    "SELECT 'mail <' || o.msgid || '> in the outbox goes to nobody' FROM outbox o "
    "WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE outbox = o.id)",
    "SELECT 'a delivery to ' || d.address || ' has no mail' FROM delivery d "
    "WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE id = d.outbox)",
    "SELECT 'the delivery to ' || address || ' has the unknown state ''' || state || '''' "
    "FROM delivery WHERE state NOT IN "
    "('waiting', 'ready', 'sending', 'sent', 'retry', 'in_doubt', 'held', 'failed')",
    "SELECT 'mail <' || o.msgid || '> has not left, but its bytes are gone' FROM outbox o "
    "WHERE o.bytes IS NULL AND EXISTS (SELECT 1 FROM delivery d WHERE d.outbox = o.id AND "
    "d.state NOT IN ('sent', 'failed'))",
    "SELECT 'mail <' || o.msgid || '> is asked about by question ' || o.question || "
    "', which is not there' FROM outbox o WHERE o.question IS NOT NULL AND "
    "NOT EXISTS (SELECT 1 FROM question WHERE id = o.question)",
    "SELECT 'question ' || q.id || ' is ' || q.state || ', but no mail is held for it' "
    "FROM question q WHERE q.state NOT IN ('approved', 'rejected', 'void') AND "
    "q.kind = 'held-mail' AND NOT EXISTS "
    "(SELECT 1 FROM outbox o JOIN delivery d ON d.outbox = o.id WHERE o.question = q.id AND "
    "d.state = 'held')",
    "SELECT 'the delivery to ' || d.address || ' waits for an effect that is not owed' "
    "FROM delivery d WHERE d.state = 'waiting' AND coalesce(d.after_effect, 1) > 0 AND "
    "NOT EXISTS (SELECT 1 FROM effect WHERE id = d.after_effect)",
};

static bool
add_findings(Db *db, const char *sql, GPtrArray *findings, GError **error)
{
    SqlStmt *st = sql_get(db, sql, error);
    int rc = 0;

    while (st && (rc = sql_next(st, error)) == 1) {
        g_autofree char *line = sql_text(st, 0);

        if (strcmp(line, "ok") != 0)
            g_ptr_array_add(findings, g_steal_pointer(&line));
    }
    return st && rc == 0;
}

static bool
add_rule(Db *db, const char *rule, GPtrArray *findings, GError **error)
{
    g_autofree char *sql = g_strconcat(rule, " LIMIT " FINDINGS_PER_RULE, NULL);

    return add_findings(db, g_intern_string(sql), findings, error);
}

/* A file so broken that a query fails is a finding as well, not a failure of the check. */
static bool
as_finding(GPtrArray *findings, GError *why, GError **error)
{
    if (!err_is(why, ERR_DAMAGE))
        return err_pass(error, why);
    g_ptr_array_add(findings, g_strdup(why->message));
    g_error_free(why);
    return true;
}

bool
db_check(Db *db, bool full, GPtrArray **ret_findings, GError **error)
{
    g_autoptr(GPtrArray) findings = g_ptr_array_new_with_free_func(g_free);
    const char *sql = full ? "PRAGMA integrity_check(20)" : "PRAGMA quick_check(20)";
    GError *why = NULL;
    bool ok = add_findings(db, sql, findings, &why);

    for (size_t i = 0; ok && i < G_N_ELEMENTS(rules); i++)
        ok = add_rule(db, rules[i], findings, &why);
    if (!ok && !as_finding(findings, why, error))
        return false;
    *ret_findings = g_steal_pointer(&findings);
    return true;
}
