#include "store/report.h"
#include "store/rows.h"

static const char *const sql[] = {
    "CREATE TABLE report ("
    "  id INTEGER PRIMARY KEY,"
    "  role TEXT NOT NULL,"
    "  date TEXT NOT NULL,"
    "  job INTEGER NOT NULL,"
    "  name TEXT NOT NULL,"
    "  msgid TEXT NOT NULL,"
    "  transport TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  recipients TEXT NOT NULL,"
    "  sent_us INTEGER NOT NULL,"
    "  shown INTEGER NOT NULL,"
    "  floor INTEGER NOT NULL,"
    "  body BLOB NOT NULL,"
    "  UNIQUE (role, date)"
    ");"
    "CREATE INDEX report_job ON report (job);"
    "CREATE TABLE report_reply ("
    "  report INTEGER NOT NULL,"
    "  n INTEGER NOT NULL,"
    "  msgid TEXT NOT NULL,"
    "  sender TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  files TEXT NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  settled INTEGER NOT NULL," /* number of the response; 0: it is open */
    "  floor INTEGER NOT NULL,"
    "  cut INTEGER NOT NULL,"
    "  body BLOB NOT NULL,"
    "  PRIMARY KEY (report, n)"
    ");"
    "CREATE INDEX report_reply_mail ON report_reply (report, msgid);"
    "CREATE INDEX report_reply_settled ON report_reply (report, settled);"
    "CREATE TABLE report_response ("
    "  report INTEGER NOT NULL,"
    "  n INTEGER NOT NULL,"
    "  msgid TEXT NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  floor INTEGER NOT NULL,"
    "  body BLOB NOT NULL,"
    "  PRIMARY KEY (report, n)"
    ");",
    /* Until then responses stood behind the last reply that they answer. */
    "ALTER TABLE report_response ADD COLUMN after_n INTEGER NOT NULL DEFAULT 0;"
    "UPDATE report_response SET after_n = n;"
    /* With n, or those that are open would be looked for among all. */
    "DROP INDEX report_reply_settled;"
    "CREATE INDEX report_reply_open ON report_reply (report, settled, n);",
};
const SqlPart report_tables = {sql, G_N_ELEMENTS(sql)};

static const Field report_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(Report, id)},
    {"job", "job", FIELD_INT, offsetof(Report, job)},
    {"role", "role", FIELD_TEXT, offsetof(Report, role)},
    {"date", "date", FIELD_TEXT, offsetof(Report, date)},
    {NULL, "name", FIELD_TEXT, offsetof(Report, name)},
    {"message_id", "msgid", FIELD_MSGID, offsetof(Report, msgid)},
    {NULL, "transport", FIELD_TEXT, offsetof(Report, transport)},
    {"subject", "subject", FIELD_TEXT, offsetof(Report, subject)},
    {"to", "recipients", FIELD_TEXT, offsetof(Report, to)},
    {"sent", "sent_us", FIELD_TIME, offsetof(Report, sent_us)},
    {NULL, "shown", FIELD_NUMBER, offsetof(Report, shown)},
    {NULL, "body", FIELD_BYTES, offsetof(Report, body)},
};
const Shape report_shape = {SHAPE("report", Report, reports, report_fields)};

static const Field reply_fields[] = {
    {"n", "n", FIELD_NUMBER, offsetof(Reply, n)},
    {"message_id", "msgid", FIELD_MSGID, offsetof(Reply, msgid)},
    {"from", "sender", FIELD_TEXT, offsetof(Reply, sender)},
    {"subject", "subject", FIELD_TEXT, offsetof(Reply, subject)},
    {NULL, "files", FIELD_TEXT, offsetof(Reply, files)},
    {"date", "at_us", FIELD_TIME, offsetof(Reply, at_us)},
    {"settled_by", "settled", FIELD_NUMBER, offsetof(Reply, settled)},
    {NULL, "cut", FIELD_BOOL, offsetof(Reply, cut)},
    {NULL, "body", FIELD_BYTES, offsetof(Reply, body), .flags = FIELD_HEAVY},
};
const Shape reply_shape = {SHAPE("report_reply", Reply, replies, reply_fields)};
static const Shape reply_whole = {SHAPE("report_reply", Reply, replies, reply_fields),
                                  .whole = true};

static const Field response_fields[] = {
    {"n", "n", FIELD_NUMBER, offsetof(Response, n)},
    {"message_id", "msgid", FIELD_MSGID, offsetof(Response, msgid)},
    {"date", "at_us", FIELD_TIME, offsetof(Response, at_us)},
    {NULL, "after_n", FIELD_NUMBER, offsetof(Response, after)},
    {NULL, "body", FIELD_BYTES, offsetof(Response, body)},
};
const Shape response_shape = {SHAPE("report_response", Response, responses, response_fields)};

static const Field line_fields[] = {
    {"date", "report.date", FIELD_TEXT, offsetof(ReportLine, date)},
    {"role", "report.role", FIELD_TEXT, offsetof(ReportLine, role)},
    {"subject", "report.subject", FIELD_TEXT, offsetof(ReportLine, subject)},
    {"sent", "report.sent_us", FIELD_TIME, offsetof(ReportLine, sent_us)},
    {"job", "report.job", FIELD_ID, offsetof(ReportLine, job)},
    {"state", "COALESCE(job.state, '')", FIELD_TEXT, offsetof(ReportLine, state)},
    {"replies", "(SELECT count(*) FROM report_reply r WHERE r.report = report.id)", FIELD_NUMBER,
     offsetof(ReportLine, replies)},
    {"responses", "(SELECT count(*) FROM report_response r WHERE r.report = report.id)",
     FIELD_NUMBER, offsetof(ReportLine, responses)},
    {"open",
     "(SELECT count(*) FROM report_reply r WHERE r.report = report.id AND r.settled = 0)",
     FIELD_NUMBER, offsetof(ReportLine, open)},
    {"cost_usd", "COALESCE(job.cost_micro, 0)", FIELD_MONEY, offsetof(ReportLine, cost_micro)},
};
const Shape report_line_shape = {SHAPE(NULL, ReportLine, report_lines, line_fields)};

bool
report_known(Db *db, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM part WHERE face = 'report'", ret, error, "");
}

bool
report_find(Db *db, const char *role, const char *date, Report **ret, GError **error)
{
    return rows_first(db, &report_shape, "FROM report WHERE role = ? AND date = ?", ret, error,
                      "ss", role, date);
}

bool
report_of_job(Db *db, JobId job, Report **ret, GError **error)
{
    return rows_first(db, &report_shape, "FROM report WHERE job = ? AND job <> 0", ret, error,
                      "i", job.v);
}

bool
report_lines(Db *db, const char *role, const char *date, ReportLines **ret, GError **error)
{
    return rows_list(db, &report_line_shape,
                     "FROM report LEFT JOIN job ON job.id = report.job "
                     "WHERE (?1 IS NULL OR report.role = ?1) AND (?2 IS NULL OR report.date = ?2) "
                     "ORDER BY report.date DESC, report.role",
                     ret, error, "ss", role, date);
}

bool
report_replies(Db *db, ReportId report, Replies **ret, GError **error)
{
    return rows_list(db, &reply_whole, "FROM report_reply WHERE report = ? ORDER BY n", ret,
                     error, "i", report.v);
}

bool
report_responses(Db *db, ReportId report, Responses **ret, GError **error)
{
    return rows_list(db, &response_shape, "FROM report_response WHERE report = ? ORDER BY after_n, at_us, n",
                     ret, error, "i", report.v);
}

bool
report_reply(Db *db, ReportId report, int n, Reply **ret, GError **error)
{
    return rows_first(db, &reply_whole, "FROM report_reply WHERE report = ? AND n = ?", ret,
                      error, "in", report.v, n);
}

bool
report_response(Db *db, ReportId report, int n, Response **ret, GError **error)
{
    return rows_first(db, &response_shape, "FROM report_response WHERE report = ? AND n = ?",
                      ret, error, "in", report.v, n);
}

bool
report_open_replies(Db *db, ReportId report, Replies **ret, GError **error)
{
    return rows_list(db, &reply_shape,
                     "FROM report_reply WHERE report = ? AND settled = 0 ORDER BY n", ret, error,
                     "i", report.v);
}

bool
report_numbers(Db *db, ReportId report, bool responses, GHashTable **ret, GError **error)
{
    g_autoptr(GHashTable) all = g_hash_table_new(NULL, NULL);
    SqlStmt *st = sql_get(db,
                          responses ? "SELECT n FROM report_response WHERE report = ?"
                                    : "SELECT n FROM report_reply WHERE report = ?",
                          error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "i", report.v);
    while ((rc = sql_next(st, error)) == 1)
        g_hash_table_add(all, GINT_TO_POINTER((int)sql_col_int(st, 0)));
    if (rc == 0)
        *ret = g_steal_pointer(&all);
    return rc == 0;
}

bool
report_least_trusted(Db *db, ReportId report, char **ret_msgid, GError **error)
{
    return sql_string(db,
                      "SELECT msgid FROM (SELECT msgid, floor FROM report WHERE id = ?1 "
                      "UNION ALL SELECT msgid, floor FROM report_reply WHERE report = ?1 "
                      "UNION ALL SELECT msgid, floor FROM report_response WHERE report = ?1) "
                      "AS said WHERE msgid <> '' ORDER BY floor LIMIT 1",
                      ret_msgid, error, "i", report.v);
}

bool
report_put(
    Txn *txn, const Report *r, Trust floor, bool *ret_new, ReportId *ret, GError **error)
{
    bool there;

    if (!sql_bool(txn->db, "SELECT 1 FROM report WHERE role = ? AND date = ?", &there, error,
                  "ss", r->role, r->date))
        return false;
    *ret_new = !there;
    return there ||
           sql_insert(txn,
                      "INSERT INTO report (role, date, job, name, msgid, transport, subject, "
                      "recipients, sent_us, shown, floor, body) "
                      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
                      &ret->v, error, "ssisssssinb", r->role, r->date, r->job.v, r->name,
                      r->msgid, r->transport, r->subject, r->to, r->sent_us, (int)floor,
                      r->body);
}

/* By the key, from its end: a thousand replies cost no more than one. */
static bool
highest_reply(Db *db, ReportId report, int64_t *ret, GError **error)
{
    return sql_int(db, "SELECT n FROM report_reply WHERE report = ? ORDER BY n DESC LIMIT 1", ret,
                   error, "i", report.v);
}

static bool
next_number(Db *db, ReportId report, int *ret, GError **error)
{
    int64_t reply, response;

    if (!highest_reply(db, report, &reply, error) ||
        !sql_int(db, "SELECT n FROM report_response WHERE report = ? ORDER BY n DESC LIMIT 1",
                 &response, error, "i", report.v))
        return false;
    *ret = (int)MAX(reply, response) + 1;
    return true;
}

bool
report_put_reply(
    Txn *txn, ReportId report, const Reply *reply, Trust floor, int *ret_n, GError **error)
{
    bool there;
    int n = reply->n;

    *ret_n = 0;
    if (!sql_bool(txn->db, "SELECT 1 FROM report_reply WHERE report = ? AND n = ?", &there, error,
                  "in", report.v, n))
        return false;
    if (!there && *reply->msgid &&
        !sql_bool(txn->db, "SELECT 1 FROM report_reply WHERE report = ? AND msgid = ?", &there,
                  error, "is", report.v, reply->msgid))
        return false;
    if (there)
        return true;
    if (n == 0 && !next_number(txn->db, report, &n, error))
        return false;
    *ret_n = n;
    return sql_run(txn,
                   "INSERT INTO report_reply (report, n, msgid, sender, subject, files, at_us, "
                   "settled, floor, cut, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   error, "inssssinnnb", report.v, n, reply->msgid, reply->sender,
                   reply->subject, reply->files, reply->at_us, reply->settled, (int)floor,
                   reply->cut, reply->body);
}

bool
report_put_response(
    Txn *txn, ReportId report, const Response *response, Trust floor, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO report_response (report, n, msgid, at_us, floor, after_n, body) "
                   "VALUES (?1, ?2, ?3, ?4, ?5, coalesce((SELECT max(n) FROM report_reply WHERE "
                   "report = ?1 AND n > ?2 AND ?6 = 0), ?7), ?8)",
                   error, "insinnnb", report.v, response->n, response->msgid, response->at_us,
                   (int)floor, response->after, MAX(response->after, response->n), response->body);
}

bool
report_open_reply(Db *db, ReportId report, const char *msgid, int *ret_n, GError **error)
{
    int64_t n;

    if (!sql_int(db,
                 "SELECT n FROM report_reply WHERE report = ? AND msgid = ? AND settled = 0", &n,
                 error, "is", report.v, msgid))
        return false;
    *ret_n = (int)n;
    return true;
}

bool
report_settle(Txn *txn, ReportId report, int n, int response, bool *ret, GError **error)
{
    return sql_changed(txn,
                       "UPDATE report_reply SET settled = ? "
                       "WHERE report = ? AND n = ? AND settled = 0",
                       ret, error, "nin", response, report.v, n);
}

bool
report_set_shown(Txn *txn, ReportId report, int n, GError **error)
{
    return sql_run(txn, "UPDATE report SET shown = ? WHERE id = ?", error, "ni", n, report.v);
}
