#include "store/workflow.h"
#include "store/job/artifact_money.h"
#include "store/panel_rows.h"
#include "store/rows.h"

static const char *const sql[] = {
    "CREATE TABLE artifact ("
    "  id INTEGER PRIMARY KEY,"
    "  name TEXT NOT NULL UNIQUE,"
    "  kind TEXT NOT NULL,"
    "  state TEXT NOT NULL,"
    "  path TEXT NOT NULL,"
    "  author TEXT NOT NULL,"
    "  holder TEXT NOT NULL,"
    "  since_us INTEGER NOT NULL,"
    "  to_state TEXT NOT NULL,"
    "  to_path TEXT NOT NULL,"
    "  mover TEXT NOT NULL,"
    "  cycle INTEGER NOT NULL,"
    "  host TEXT NOT NULL"
    ");"
    "CREATE TABLE cycle ("
    "  id INTEGER PRIMARY KEY,"
    "  artifact INTEGER NOT NULL,"
    "  n INTEGER NOT NULL,"
    "  msgid TEXT NOT NULL,"
    "  author TEXT NOT NULL,"
    "  reviewers TEXT NOT NULL,"
    "  digest TEXT NOT NULL,"
    "  opened_us INTEGER NOT NULL,"
    "  closed_us INTEGER NOT NULL,"
    "  outcome TEXT NOT NULL,"
    "  decided_by TEXT NOT NULL,"
    "  resolved_by TEXT NOT NULL,"
    "  UNIQUE (artifact, n)"
    ");"
    "CREATE TABLE event ("
    "  id INTEGER PRIMARY KEY,"
    "  type TEXT NOT NULL,"
    "  artifact INTEGER NOT NULL,"
    "  cycle INTEGER NOT NULL,"
    "  msgid TEXT NOT NULL UNIQUE,"
    "  sender TEXT NOT NULL,"
    "  recipients TEXT NOT NULL,"
    "  state TEXT NOT NULL,"
    "  digest TEXT NOT NULL,"
    "  question TEXT NOT NULL,"
    "  answer TEXT NOT NULL,"
    "  at_us INTEGER NOT NULL"
    ");"
    "CREATE INDEX event_artifact ON event (artifact);"
    "CREATE INDEX event_cycle ON event (cycle);",
    PANEL_TABLES,
    /* Mails between two roles about one thing since it last came further. */
    "CREATE TABLE talk ("
    "  one TEXT NOT NULL,"
    "  other TEXT NOT NULL,"
    "  about TEXT NOT NULL,"
    "  n INTEGER NOT NULL,"
    "  PRIMARY KEY (one, other, about)"
    ");"
    "CREATE INDEX event_question ON event (question) WHERE question <> '';"
    "CREATE TABLE waiting ("
    "  role TEXT NOT NULL,"
    "  message INTEGER NOT NULL,"
    "  PRIMARY KEY (role, message)"
    ");"
    "CREATE TABLE event_to ("
    "  role TEXT NOT NULL,"
    "  event INTEGER NOT NULL,"
    "  rank INTEGER NOT NULL," /* in which order they are read */
    "  type TEXT NOT NULL,"
    "  state TEXT NOT NULL,"
    "  artifact INTEGER NOT NULL,"
    "  done INTEGER NOT NULL," /* it waits for nothing any more */
    "  PRIMARY KEY (role, event)"
    ");"
    "CREATE INDEX event_to_order ON event_to (role, done, rank, event);"
    "CREATE INDEX event_to_artifact ON event_to (role, artifact, done, rank, event);"
    "CREATE INDEX event_to_type ON event_to (role, type, done, rank, event);"
    "CREATE INDEX event_to_state ON event_to (role, state, done, rank, event);"
    "CREATE INDEX event_to_event ON event_to (event);"
    "CREATE INDEX event_asked ON event (sender, answer) WHERE question <> '';",
    /* The digest of the bytes that a job wrote last into a file of its worktree. */
    "CREATE TABLE tree_write ("
    "  job INTEGER NOT NULL,"
    "  name TEXT NOT NULL,"
    "  digest TEXT NOT NULL,"
    "  PRIMARY KEY (job, name)"
    ");",
    /* Tries of a role that failed on its last day with any. */
    "CREATE TABLE fault ("
    "  role TEXT PRIMARY KEY,"
    "  day INTEGER NOT NULL,"
    "  n INTEGER NOT NULL,"
    "  report TEXT NOT NULL"
    ");"
    "CREATE INDEX event_to_both ON event_to (role, type, state, done, rank, event);",
    /* Mails between two roles since either of them came further, whatever they are about. */
    "CREATE TABLE talk_pair ("
    "  one TEXT NOT NULL,"
    "  other TEXT NOT NULL,"
    "  n INTEGER NOT NULL,"
    "  PRIMARY KEY (one, other)"
    ");"
    "INSERT INTO talk_pair SELECT one, other, max(n) FROM talk GROUP BY one, other;"
    "DROP TABLE talk;"
    "ALTER TABLE talk_pair RENAME TO talk;",
    PANEL_RETURNS,
    /* The timer of a pause until tomorrow names the mail that tells of it. */
    "UPDATE timer SET subject = subject || ' ' || (SELECT report FROM fault WHERE role = "
    "subject) "
    "  WHERE purpose = 'workflow:tomorrow' AND subject IN (SELECT role FROM fault);"
    "ALTER TABLE fault DROP COLUMN report;",
    ARTIFACT_MONEY_TABLE,
};
const SqlPart workflow_tables = {sql, G_N_ELEMENTS(sql)};

static const Field artifact_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(Artifact, id)},
    {"name", "name", FIELD_TEXT, offsetof(Artifact, name)},
    {"kind", "kind", FIELD_TEXT, offsetof(Artifact, kind)},
    {"state", "state", FIELD_TEXT, offsetof(Artifact, state)},
    {"path", "path", FIELD_TEXT, offsetof(Artifact, path)},
    {"author", "author", FIELD_TEXT, offsetof(Artifact, author)},
    {"holder", "holder", FIELD_TEXT, offsetof(Artifact, holder)},
    {"since", "since_us", FIELD_TIME, offsetof(Artifact, since_us)},
    {"moving_to", "to_state", FIELD_TEXT, offsetof(Artifact, to)},
    {NULL, "to_path", FIELD_TEXT, offsetof(Artifact, to_path)},
    {NULL, "mover", FIELD_TEXT, offsetof(Artifact, mover)},
    {NULL, "cycle", FIELD_INT, offsetof(Artifact, cycle)},
};
const Shape artifact_shape = {SHAPE("artifact", Artifact, artifacts, artifact_fields)};

static const Field cycle_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(Cycle, id)},
    {NULL, "artifact", FIELD_INT, offsetof(Cycle, artifact)},
    {"cycle", "n", FIELD_NUMBER, offsetof(Cycle, n)},
    {"message_id", "msgid", FIELD_MSGID, offsetof(Cycle, msgid)},
    {"author", "author", FIELD_TEXT, offsetof(Cycle, author)},
    {"reviewers", "reviewers", FIELD_TEXT, offsetof(Cycle, reviewers)},
    {"digest", "digest", FIELD_TEXT, offsetof(Cycle, digest)},
    {"opened", "opened_us", FIELD_TIME, offsetof(Cycle, opened_us)},
    {"closed", "closed_us", FIELD_TIME, offsetof(Cycle, closed_us)},
    {"outcome", "outcome", FIELD_TEXT, offsetof(Cycle, outcome)},
    {"decided_by", "decided_by", FIELD_TEXT, offsetof(Cycle, by)},
    {"resolved_by", "resolved_by", FIELD_MSGID, offsetof(Cycle, resolved_by)},
};
const Shape cycle_shape = {SHAPE("cycle", Cycle, cycles, cycle_fields)};

static const Field flow_event_fields[] = {
    {NULL, "event.id", FIELD_INT, offsetof(FlowEvent, id)},
    {"at", "event.at_us", FIELD_TIME, offsetof(FlowEvent, at_us)},
    {"event", "event.type", FIELD_TEXT, offsetof(FlowEvent, type)},
    {"artifact", "(SELECT name FROM artifact WHERE artifact.id = event.artifact)", FIELD_TEXT,
     offsetof(FlowEvent, name)},
    {NULL, "event.artifact", FIELD_INT, offsetof(FlowEvent, artifact)},
    {NULL, "event.cycle", FIELD_INT, offsetof(FlowEvent, cycle)},
    {"from", "event.sender", FIELD_TEXT, offsetof(FlowEvent, sender)},
    {"to", "event.recipients", FIELD_TEXT, offsetof(FlowEvent, recipients)},
    {"state", "event.state", FIELD_TEXT, offsetof(FlowEvent, state)},
    {"message_id", "event.msgid", FIELD_MSGID, offsetof(FlowEvent, msgid)},
    {"digest", "event.digest", FIELD_TEXT, offsetof(FlowEvent, digest)},
    {NULL, "event.question", FIELD_TEXT, offsetof(FlowEvent, question)},
    {"answered_by", "event.answer", FIELD_TEXT, offsetof(FlowEvent, answer)},
};
const Shape flow_event_shape = {SHAPE(NULL, FlowEvent, flow_events, flow_event_fields)};

bool
workflow_known(Db *db, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM part WHERE face = 'workflow'", ret, error, "");
}

/* --- artifacts --- */

bool
artifact_find(Db *db, const char *name, Artifact **ret, GError **error)
{
    return rows_first(db, &artifact_shape, "FROM artifact WHERE name = ?", ret, error, "s", name);
}

bool
artifact_load(Db *db, ArtifactId id, Artifact **ret, GError **error)
{
    return rows_first(db, &artifact_shape, "FROM artifact WHERE id = ?", ret, error, "i", id.v);
}

bool
artifact_list(Db *db, const char *kind, const char *state, Artifacts **ret, GError **error)
{
    return rows_list(db, &artifact_shape,
                     "FROM artifact WHERE (?1 IS NULL OR kind = ?1) AND "
                     "(?2 IS NULL OR state = ?2) ORDER BY kind, name",
                     ret, error, "ss", kind, state);
}

bool
artifact_put(Txn *txn, const Artifact *a, ArtifactId *ret, GError **error)
{
    return sql_insert(txn,
                      "INSERT INTO artifact (name, kind, state, path, author, holder, since_us, "
                      "to_state, to_path, mover, cycle, host) "
                      "VALUES (?, ?, ?, ?, '', '', ?, '', '', '', 0, '')",
                      &ret->v, error, "ssssi", a->name, a->kind, a->state, a->path, txn_now(txn));
}

bool
artifact_set_author(Txn *txn, ArtifactId id, const char *author, GError **error)
{
    return sql_run(txn, "UPDATE artifact SET author = ? WHERE id = ? AND author = ''", error,
                   "si", author, id.v);
}

bool
artifact_begin_move(Txn *txn,
                    ArtifactId id,
                    const char *state,
                    const char *path,
                    const char *mover,
                    GError **error)
{
    return sql_run(txn, "UPDATE artifact SET to_state = ?, to_path = ?, mover = ? WHERE id = ?",
                   error, "sssi", state, path, mover, id.v);
}

bool
artifact_end_move(Txn *txn, ArtifactId id, bool done, GError **error)
{
    if (done && !sql_run(txn,
                         "UPDATE artifact SET state = to_state, path = to_path, holder = mover, "
                         "since_us = ? WHERE id = ? AND to_state <> ''",
                         error, "ii", txn_now(txn), id.v))
        return false;
    return sql_run(txn, "UPDATE artifact SET to_state = '', to_path = '', mover = '' WHERE id = ?",
                   error, "i", id.v);
}

bool
artifact_set_state(Txn *txn,
                   ArtifactId id,
                   const char *state,
                   const char *path,
                   const char *mover,
                   GError **error)
{
    return artifact_begin_move(txn, id, state, path, mover, error) &&
           artifact_end_move(txn, id, true, error);
}

/* --- cycles --- */

bool
cycle_load(Db *db, CycleId id, Cycle **ret, GError **error)
{
    return rows_first(db, &cycle_shape, "FROM cycle WHERE id = ?", ret, error, "i", id.v);
}

bool
cycle_resolved_by(Db *db, const char *request, char **ret, GError **error)
{
    bool known;

    *ret = NULL;
    return sql_bool(db, "SELECT 1 FROM part WHERE face = 'workflow'", &known, error, "") &&
           (!known ||
            sql_string(db,
                       "SELECT CASE WHEN outcome = '' THEN '' ELSE NULLIF(resolved_by, '') END "
                       "FROM cycle WHERE msgid = ?1 "
                       "UNION ALL SELECT answer FROM event WHERE msgid = ?1 AND question <> ''",
                       ret, error, "s", request));
}

bool
cycle_list_decided(Db *db, ArtifactId artifact, Cycles **ret, GError **error)
{
    return rows_list(db, &cycle_shape,
                     "FROM cycle WHERE artifact = ? AND outcome IN ('approved', 'rejected') ORDER BY id",
                     ret, error, "i", artifact.v);
}

bool
cycle_decides_anew(Db *db, CycleId id, const char *msgid, bool *ret, GError **error)
{
    return sql_bool(db,
                    "SELECT 1 FROM cycle c WHERE c.id = ? AND c.resolved_by = ? AND "
                    "c.outcome IN ('approved', 'rejected') "
                    "AND NOT EXISTS (SELECT 1 FROM cycle b WHERE b.artifact = c.artifact AND "
                    "b.id < c.id AND b.digest = c.digest AND b.outcome IN ('approved', 'rejected'))",
                    ret, error, "is", id.v, msgid);
}

bool
cycle_open(Txn *txn, const Cycle *c, CycleId *ret, GError **error)
{
    int64_t n;

    return sql_int(txn->db, "SELECT max(n) FROM cycle WHERE artifact = ?", &n, error, "i",
                   c->artifact.v) &&
           sql_insert(txn,
                      "INSERT INTO cycle (artifact, n, msgid, author, reviewers, digest, "
                      "opened_us, closed_us, outcome, decided_by, resolved_by) "
                      "VALUES (?, ?, ?, ?, ?, ?, ?, 0, '', '', '')",
                      &ret->v, error, "iissssi", c->artifact.v, n + 1, c->msgid, c->author,
                      c->reviewers, c->digest, txn_now(txn)) &&
           sql_run(txn, "UPDATE artifact SET cycle = ? WHERE id = ?", error, "ii", ret->v,
                   c->artifact.v);
}

bool
cycle_renew(Txn *txn, CycleId id, const char *digest, GError **error)
{
    return sql_run(txn, "UPDATE cycle SET digest = ? WHERE id = ?", error, "si", digest, id.v);
}

/* Its review-request waits for the reviewers, or does not any more. */
static bool
set_request(Txn *txn, CycleId id, int done, GError **error)
{
    return sql_run(txn,
                   "UPDATE event_to SET done = ? WHERE type = 'review-request' AND event IN "
                   "(SELECT id FROM event WHERE cycle = ?)",
                   error, "ii", (int64_t)done, id.v);
}

bool
cycle_close(Txn *txn,
            CycleId id,
            const char *outcome,
            const char *by,
            const char *msgid,
            GError **error)
{
    bool open;

    if (!sql_changed(txn,
                     "UPDATE cycle SET outcome = ?, decided_by = ?, resolved_by = ?, closed_us = ? "
                     "WHERE id = ? AND outcome = ''",
                     &open, error, "sssii", outcome, by, msgid, txn_now(txn), id.v))
        return false;
    return open ? set_request(txn, id, 1, error)
                : err_set(error, ERR_AGAIN, "the review was closed meanwhile; try again");
}

bool
cycle_reopen(Txn *txn, CycleId id, GError **error)
{
    return sql_run(txn,
                   "UPDATE cycle SET outcome = '', decided_by = '', resolved_by = '', "
                   "closed_us = 0 WHERE id = ?",
                   error, "i", id.v) &&
           set_request(txn, id, 0, error);
}

/* --- mail that waits --- */

bool
flow_waiting_put(Txn *txn, const char *role, MsgId message, GError **error)
{
    return sql_run(txn, "INSERT INTO waiting (role, message) VALUES (?, ?)", error, "si", role,
                   message.v);
}

bool
flow_waiting_take(Txn *txn, const char *role, GArray **ret, GError **error)
{
    return sql_ints(txn->db, "SELECT message FROM waiting WHERE role = ? ORDER BY message", ret,
                    error, "s", role) &&
           ((*ret)->len == 0 ||
            sql_run(txn, "DELETE FROM waiting WHERE role = ?", error, "s", role));
}

/* --- events --- */

/* Blockers, then reviews, questions, and what is only told. */
static int
rank_of(const char *type)
{
    static const char *const ranks[][4] = {
        {"blocker-report"},
        {"review-request", "approval", "rejection"},
        {"clarification-request", "question", "answer"},
    };

    for (int i = 0; i < (int)G_N_ELEMENTS(ranks); i++)
        if (g_strv_contains(ranks[i], type))
            return i;
    return G_N_ELEMENTS(ranks);
}

static bool
put_recipients(Txn *txn, const FlowEvent *e, EventId id, GError **error)
{
    g_auto(GStrv) to = g_strsplit(e->recipients, ",", -1);

    for (char **role = to; *role; role++)
        if (!sql_run(txn,
                     "INSERT INTO event_to (role, event, rank, type, state, artifact, done) "
                     "VALUES (?, ?, ?, ?, ?, ?, 0)",
                     error, "siissi", *role, id.v, (int64_t)rank_of(e->type), e->type, e->state,
                     e->artifact.v))
            return false;
    return true;
}

bool
flow_event_put(Txn *txn, const FlowEvent *e, EventId *ret, GError **error)
{
    return sql_insert(txn,
                      "INSERT INTO event (type, artifact, cycle, msgid, sender, recipients, state, "
                      "digest, question, answer, at_us) "
                      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)",
                      &ret->v, error, "siissssssi", e->type, e->artifact.v, e->cycle.v, e->msgid,
                      e->sender, e->recipients, e->state, e->digest, e->question,
                      e->at_us ? e->at_us : txn_now(txn)) &&
           put_recipients(txn, e, *ret, error);
}

bool
flow_event_find(Db *db, const char *msgid, FlowEvent **ret, GError **error)
{
    return rows_first(db, &flow_event_shape, "FROM event WHERE msgid = ?", ret, error, "s", msgid);
}

bool
flow_event_list(Db *db, ArtifactId artifact, FlowEvents **ret, GError **error)
{
    return rows_list(db, &flow_event_shape,
                     "FROM event WHERE ?1 = 0 OR artifact = ?1 ORDER BY id", ret, error, "i",
                     artifact.v);
}

bool
flow_event_last(Db *db, CycleId cycle, FlowEvent **ret, GError **error)
{
    return rows_first(db, &flow_event_shape, "FROM event WHERE cycle = ? ORDER BY id DESC LIMIT 1",
                      ret, error, "i", cycle.v);
}

bool
flow_event_newest(Db *db, ArtifactId artifact, FlowEvent **ret, GError **error)
{
    return rows_first(db, &flow_event_shape,
                      "FROM event WHERE artifact = ? AND digest <> '' ORDER BY id DESC LIMIT 1",
                      ret, error, "i", artifact.v);
}

static bool
answer_one(Txn *txn, const char *question_msgid, const char *answer_msgid, GError **error)
{
    return sql_run(txn,
                   "UPDATE event SET answer = ? WHERE msgid = ? AND question <> '' AND answer = ''",
                   error, "ss", answer_msgid, question_msgid) &&
           sql_run(txn,
                   "UPDATE event_to SET done = 1 WHERE event IN "
                   "(SELECT id FROM event WHERE msgid = ? AND answer <> '')",
                   error, "s", question_msgid);
}

bool
flow_event_answers(Txn *txn, const GPtrArray *ids, const char *answer_msgid, GError **error)
{
    LIST_EACH(const char, id, ids)
        if (!answer_one(txn, id, answer_msgid, error))
            return false;
    return true;
}

/* --- what waits for a role --- */

#define NEEDS_NO_ANSWER "type IN ('approval', 'rejection', 'answer', 'status-update')"

bool
flow_seen(Txn *txn, const char *role, EventId upto, GError **error)
{
    return sql_run(txn,
                   "UPDATE event_to SET done = 1 WHERE role = ? AND done = 0 AND event <= ? "
                   "AND " NEEDS_NO_ANSWER,
                   error, "si", role, upto.v);
}

bool
flow_handled(Txn *txn, const char *role, const char *msgid, GError **error)
{
    return sql_run(txn,
                   "UPDATE event_to SET done = 1 WHERE role = ? AND done = 0 AND event IN "
                   "(SELECT id FROM event WHERE msgid = ?) AND " NEEDS_NO_ANSWER,
                   error, "ss", role, msgid);
}

bool
flow_newest_id(Db *db, EventId *ret, GError **error)
{
    return sql_int(db, "SELECT max(id) FROM event", &ret->v, error, "");
}

bool
flow_inbox(Db *db, const FlowInbox *q, FlowEvents **ret, GError **error)
{
    /* A field that is not asked for adds no condition, so that the index of the other fields is
     * used. "+ 0" keeps SQLite from walking through all events of the role because the event is
     * to be new. */
    g_autofree char *rest = g_strdup_printf(
        "FROM event_to JOIN event ON event.id = event_to.event WHERE event_to.role = ?1 "
        "AND %s AND %s AND %s AND event_to.event + 0 > ?5 %s "
        "event_to.rank, event_to.event LIMIT ?6",
        q->type ? "event_to.type = ?2" : "?2 IS NULL",
        q->state ? "event_to.state = ?3" : "?3 IS NULL",
        q->artifact.v ? "event_to.artifact = ?4" : "?4 = 0",
        q->all ? "ORDER BY" : "AND event_to.done = 0 ORDER BY event_to.done,");

    return rows_list(db, &flow_event_shape, rest, ret, error, "sssiii", q->role, q->type,
                     q->state, q->artifact.v, q->behind.v, (int64_t)(q->limit ? q->limit : 50));
}

bool
flow_asked(Db *db, const char *role, FlowEvents **ret, GError **error)
{
    return rows_list(db, &flow_event_shape,
                     "FROM event WHERE sender = ? AND question <> '' AND answer = '' ORDER BY id "
                     "LIMIT 50",
                     ret, error, "s", role);
}

bool
flow_event_asked(
    Db *db, const char *sender, const char *question, ArtifactId artifact, unsigned *ret, GError **error)
{
    return sql_count(db,
                     "SELECT count(*) FROM event WHERE question = ? AND question <> '' "
                     "AND sender = ? AND artifact = ?",
                     ret, error, "ssi", question, sender, artifact.v);
}

bool
flow_event_count(Db *db, ArtifactId artifact, FlowCount *ret, GError **error)
{
    return sql_count(db, "SELECT count(*) FROM event WHERE artifact = ? AND question <> ''",
                     &ret->questions, error, "i", artifact.v) &&
           sql_count(db,
                     "SELECT count(*) - count(DISTINCT question) FROM event "
                     "WHERE artifact = ? AND question <> ''",
                     &ret->repeated, error, "i", artifact.v) &&
           sql_count(db, "SELECT count(*) FROM cycle WHERE artifact = ?", &ret->reviews, error, "i",
                     artifact.v) &&
           sql_count(db,
                     "SELECT count(*) FROM event WHERE artifact = ? AND type = 'blocker-report'",
                     &ret->blockers, error, "i", artifact.v);
}

bool
flow_events_open(Db *db, FlowEvents **ret, GError **error)
{
    bool known, any = false;

    *ret = NULL;
    return workflow_known(db, &known, error) &&
           (!known || rows_any(db, "SELECT 1 FROM event WHERE question <> '' LIMIT 1",
                               &flow_event_shape, ret, &any, error)) &&
           (!any ||
            rows_list(db, &flow_event_shape,
                      "FROM event WHERE question <> '' AND answer = '' ORDER BY id", ret, error, ""));
}

/* --- talk --- */

bool
talk_count(Txn *txn, const char *a, const char *b, unsigned *ret, GError **error)
{
    const char *one = strcmp(a, b) < 0 ? a : b, *other = one == a ? b : a;

    return sql_run(txn,
                   "INSERT INTO talk (one, other, n) VALUES (?, ?, 1) "
                   "ON CONFLICT (one, other) DO UPDATE SET n = talk.n + 1",
                   error, "ss", one, other) &&
           sql_count(txn->db, "SELECT n FROM talk WHERE one = ? AND other = ?", ret, error, "ss",
                     one, other);
}

bool
talk_end(Txn *txn, const char *who, GError **error)
{
    return sql_run(txn, "DELETE FROM talk WHERE one = ?1 OR other = ?1", error, "s", who);
}

/* --- faults --- */

bool
fault_count(Txn *txn, const char *role, int64_t day, unsigned *ret, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO fault (role, day, n) VALUES (?, ?, 1) "
                   "ON CONFLICT (role) DO UPDATE SET day = excluded.day, "
                   "n = CASE WHEN fault.day = excluded.day THEN fault.n + 1 ELSE 1 END",
                   error, "si", role, day) &&
           sql_count(txn->db, "SELECT n FROM fault WHERE role = ?", ret, error, "s", role);
}

bool
faults_end(Txn *txn, const char *role, GError **error)
{
    return sql_run(txn, "DELETE FROM fault WHERE role = ?", error, "s", role);
}

bool
artifact_of_job(Db *db, JobId job, Artifact **ret, GError **error)
{
    return rows_first(db, &artifact_shape,
                      "FROM artifact WHERE name = (SELECT " ARTIFACT_OF_STEP
                      " FROM (SELECT id AS job, " SQL_NEVER
                      " AS at_us FROM job WHERE id = ?) s)",
                      ret, error, "i", job.v);
}

/* --- worktrees --- */

bool
artifact_written(Db *db, JobId job, const char *name, char **ret, GError **error)
{
    return sql_string(db, "SELECT digest FROM tree_write WHERE job = ? AND name = ?", ret,
                      error, "is", job.v, name);
}

bool
artifact_set_written(Txn *txn, JobId job, const char *name, const char *digest, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO tree_write (job, name, digest) VALUES (?, ?, ?) "
                   "ON CONFLICT (job, name) DO UPDATE SET digest = excluded.digest",
                   error, "iss", job.v, name, digest);
}
