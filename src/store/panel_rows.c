#include "store/panel_rows.h"
#include "store/rows.h"

static const Field panel_fields[] = {
    {"panel", "id", FIELD_INT, offsetof(PanelRow, id)},
    {"job", "job", FIELD_INT, offsetof(PanelRow, job)},
    {"name", "name", FIELD_TEXT, offsetof(PanelRow, name)},
    {"subject", "subject", FIELD_TEXT, offsetof(PanelRow, subject)},
    {"artifact", "artifact", FIELD_TEXT, offsetof(PanelRow, artifact)},
    {NULL, "cycle", FIELD_INT, offsetof(PanelRow, cycle)},
    {"asker", "asker", FIELD_TEXT, offsetof(PanelRow, asker)},
    {"digest", "digest", FIELD_TEXT, offsetof(PanelRow, digest)},
    {NULL, "content", FIELD_BYTES, offsetof(PanelRow, content)},
    {NULL, "instructions", FIELD_TEXT, offsetof(PanelRow, instructions)},
    {NULL, "sections", FIELD_TEXT, offsetof(PanelRow, sections)},
    {"task", "task", FIELD_TEXT, offsetof(PanelRow, task)},
    {NULL, "request", FIELD_TEXT, offsetof(PanelRow, request)},
    {NULL, "said", FIELD_TEXT, offsetof(PanelRow, said)},
    {"rule", "rule", FIELD_TEXT, offsetof(PanelRow, rule)},
    {NULL, "primary_n", FIELD_NUMBER, offsetof(PanelRow, primary)},
    {"quorum", "quorum", FIELD_NUMBER, offsetof(PanelRow, quorum)},
    {"discuss", "discuss", FIELD_NUMBER, offsetof(PanelRow, discuss)},
    {NULL, "span_us", FIELD_INT, offsetof(PanelRow, span_us)},
    {"walls_advice", "advice", FIELD_BOOL, offsetof(PanelRow, advice)},
    {"round", "round", FIELD_NUMBER, offsetof(PanelRow, round)},
    {"revealed", "revealed", FIELD_NUMBER, offsetof(PanelRow, revealed)},
    {"deadline", "deadline_us", FIELD_TIME, offsetof(PanelRow, deadline_us)},
    {"state", "state", FIELD_TEXT, offsetof(PanelRow, state)},
    {"verdict", "verdict", FIELD_TEXT, offsetof(PanelRow, verdict)},
    {"why", "why", FIELD_TEXT, offsetof(PanelRow, why)},
    {"resolved_by", "resolved_by", FIELD_TEXT, offsetof(PanelRow, resolved_by)},
    {"opened", "opened_us", FIELD_TIME, offsetof(PanelRow, opened_us)},
    {"closed", "closed_us", FIELD_TIME, offsetof(PanelRow, closed_us)},
};
const Shape panel_row_shape = {SHAPE("panel", PanelRow, panel_rows, panel_fields)};

static const Field member_fields[] = {
    {NULL, "panel", FIELD_INT, offsetof(PanelMember, panel)},
    {NULL, "n", FIELD_NUMBER, offsetof(PanelMember, n)},
    {"member", "name", FIELD_TEXT, offsetof(PanelMember, name)},
    {"brain", "brain", FIELD_TEXT, offsetof(PanelMember, brain)},
    {"model", "model", FIELD_TEXT, offsetof(PanelMember, model)},
    {"note", "note", FIELD_TEXT, offsetof(PanelMember, note)},
};
const Shape panel_member_shape = {SHAPE("panel_member", PanelMember, panel_members, member_fields)};

static const Field ballot_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(BallotRow, id)},
    {NULL, "panel", FIELD_INT, offsetof(BallotRow, panel)},
    {"round", "round", FIELD_NUMBER, offsetof(BallotRow, round)},
    {NULL, "member", FIELD_NUMBER, offsetof(BallotRow, member)},
    {"job", "job", FIELD_INT, offsetof(BallotRow, job)},
    {"unreadable", "tries", FIELD_NUMBER, offsetof(BallotRow, tries)},
    {"complaint", "complaint", FIELD_TEXT, offsetof(BallotRow, complaint)},
    {"verdict", "verdict", FIELD_TEXT, offsetof(BallotRow, verdict)},
    {"assessment", "assessment", FIELD_TEXT, offsetof(BallotRow, assessment)},
    {NULL, "findings", FIELD_TEXT, offsetof(BallotRow, findings)},
    {"blocker", "blocks", FIELD_BOOL, offsetof(BallotRow, blocks)},
    {"late", "late", FIELD_BOOL, offsetof(BallotRow, late)},
    {"at", "at_us", FIELD_TIME, offsetof(BallotRow, at_us)},
};
const Shape ballot_row_shape = {SHAPE("ballot", BallotRow, ballot_rows, ballot_fields)};

/* --- panels --- */

bool
panel_load(Db *db, PanelId id, PanelRow **ret, GError **error)
{
    return rows_first(db, &panel_row_shape, "FROM panel WHERE id = ?", ret, error, "i", id.v);
}

bool
panel_of_job(Db *db, JobId job, PanelRow **ret, GError **error)
{
    return rows_first(db, &panel_row_shape,
                      "FROM panel WHERE job = ? ORDER BY id DESC LIMIT 1", ret, error, "i",
                      job.v);
}

bool
panel_list(Db *db, const char *artifact, bool open_only, PanelRows **ret, GError **error)
{
    return rows_list(db, &panel_row_shape,
                     "FROM panel WHERE (?1 IS NULL OR artifact = ?1) AND "
                     "(?2 = 0 OR state = 'open') ORDER BY id DESC",
                     ret, error, "si", artifact, (int64_t)open_only);
}

bool
panel_count_task(
    Db *db, const char *name, const char *artifact, const char *task, unsigned *ret, GError **error)
{
    return sql_count(db,
                     "SELECT count(*) FROM panel WHERE name = ? AND artifact = ? AND task = ? AND "
                     "verdict = 'written'",
                     ret, error, "sss", name, artifact, task);
}

bool
panel_members_of(Db *db, PanelId id, PanelMembers **ret, GError **error)
{
    return rows_list(db, &panel_member_shape, "FROM panel_member WHERE panel = ? ORDER BY n",
                     ret, error, "i", id.v);
}

static bool
put_members(Txn *txn, PanelId id, const PanelMembers *members, GError **error)
{
    LIST_EACH(const PanelMember, m, members)
        if (!sql_run(txn,
                     "INSERT INTO panel_member (panel, n, name, brain, model, note) "
                     "VALUES (?, ?, ?, ?, ?, ?)",
                     error, "iissss", id.v, (int64_t)m->n, m->name, m->brain, m->model,
                     m->note))
            return false;
    return true;
}

bool
panel_put(Txn *txn,
          const PanelRow *p,
          const PanelMembers *members,
          PanelId *ret,
          GError **error)
{
    bool there;

    if (!sql_bool(txn->db, "SELECT 1 FROM panel WHERE job = ? AND state = 'open'", &there, error,
                  "i", p->job.v))
        return false;
    if (there)
        return err_set(error, ERR_AGAIN, "the panel has begun already");
    return sql_insert(txn,
                      "INSERT INTO panel (job, name, subject, artifact, cycle, asker, digest, "
                      "content, instructions, sections, rule, primary_n, quorum, discuss, span_us, advice, "
                      "task, request, said, round, revealed, deadline_us, state, verdict, why, "
                      "resolved_by, opened_us, closed_us) "
                      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, "
                      "'open', '', '', '', ?, 0)",
                      &ret->v, error, "isssissbsssiiiiisssi", p->job.v, p->name, p->subject,
                      p->artifact, p->cycle, p->asker, p->digest, p->content, p->instructions, p->sections,
                      p->rule, (int64_t)p->primary, (int64_t)p->quorum, (int64_t)p->discuss,
                      p->span_us, (int64_t)p->advice, p->task, p->request, p->said,
                      txn_now(txn)) &&
           put_members(txn, *ret, members, error);
}

bool
panel_begin_round(Txn *txn, PanelId id, unsigned round, int64_t deadline_us, GError **error)
{
    return sql_run(txn,
                   "UPDATE panel SET round = ?, deadline_us = ? WHERE id = ? AND round = ? AND "
                   "state = 'open'",
                   error, "iiii", (int64_t)round, deadline_us, id.v, (int64_t)round - 1);
}

bool
panel_reveal(Txn *txn, PanelId id, unsigned round, GError **error)
{
    return sql_run(txn, "UPDATE panel SET revealed = ? WHERE id = ? AND revealed < ?", error,
                   "iii", (int64_t)round, id.v, (int64_t)round);
}

bool
panel_close(Txn *txn,
            PanelId id,
            const char *verdict,
            const char *why,
            const char *resolved_by,
            bool *ret_open,
            GError **error)
{
    return sql_changed(txn,
                       "UPDATE panel SET state = 'closed', verdict = ?, why = ?, resolved_by = ?, "
                       "closed_us = ? WHERE id = ? AND state = 'open'",
                       ret_open, error, "sssii", verdict, why, resolved_by, txn_now(txn), id.v);
}

bool
panel_void(Txn *txn, PanelId id, const char *why, GError **error)
{
    return sql_run(txn,
                   "UPDATE panel SET state = 'void', why = ?, closed_us = ? WHERE id = ? AND "
                   "state = 'open'",
                   error, "sii", why, txn_now(txn), id.v);
}

bool
panel_unseal(Txn *txn, PanelId id, const char *who, GError **error)
{
    return sql_run(txn, "INSERT INTO panel_unseal (panel, who, at_us) VALUES (?, ?, ?)", error,
                   "isi", id.v, who, txn_now(txn));
}

bool
panel_unsealed(Db *db, PanelId id, GPtrArray **ret, GError **error)
{
    return sql_strings(db, "SELECT who FROM panel_unseal WHERE panel = ? ORDER BY id", ret,
                       error, "i", id.v);
}

/* --- ballots --- */

bool
ballot_ask(
    Txn *txn, PanelId panel, unsigned round, unsigned member, JobId job, GError **error)
{
    bool there;
    int64_t id;

    if (!sql_bool(txn->db,
                  "SELECT 1 FROM ballot WHERE panel = ? AND round = ? AND member = ?", &there,
                  error, "iii", panel.v, (int64_t)round, (int64_t)member))
        return false;
    if (there)
        return err_set(error, ERR_NEVER, "this member is asked already");
    return sql_insert(txn,
                      "INSERT INTO ballot (panel, round, member, job, tries, complaint, verdict, "
                      "assessment, findings, blocks, late, at_us) "
                      "VALUES (?, ?, ?, ?, 0, '', '', '', '', 0, 0, 0)",
                      &id, error, "iiii", panel.v, (int64_t)round, (int64_t)member, job.v);
}

bool
ballot_of_job(Db *db, JobId job, BallotRow **ret, GError **error)
{
    return rows_first(db, &ballot_row_shape, "FROM ballot WHERE job = ?", ret, error, "i", job.v);
}

bool
ballot_list(Db *db, PanelId panel, BallotRows **ret, GError **error)
{
    return rows_list(db, &ballot_row_shape, "FROM ballot WHERE panel = ? ORDER BY round, member",
                     ret, error, "i", panel.v);
}

bool
ballot_complain(Txn *txn, JobId job, const char *why, GError **error)
{
    return sql_run(txn,
                   "UPDATE ballot SET tries = tries + 1, complaint = ? WHERE job = ? AND "
                   "verdict = ''",
                   error, "si", why, job.v);
}

bool
ballot_cast(Txn *txn,
            JobId job,
            const char *verdict,
            const char *assessment,
            const char *findings,
            bool blocks,
            const char *complaint,
            bool *ret_counts,
            GError **error)
{
    return sql_changed(txn,
                       "UPDATE ballot SET verdict = ?, assessment = ?, findings = ?, blocks = ?, "
                       "complaint = ?, at_us = ?, "
                       "late = CASE WHEN (SELECT state <> 'open' OR revealed >= ballot.round "
                       "FROM panel WHERE panel.id = ballot.panel) THEN 1 ELSE 0 END "
                       "WHERE job = ? AND verdict = ''",
                       ret_counts, error, "sssisii", verdict, assessment, findings,
                       (int64_t)blocks, complaint, txn_now(txn), job.v);
}
