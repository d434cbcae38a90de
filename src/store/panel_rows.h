#pragma once

/*
 * Panels of the workflow (src/workflow/panel.h): what each is to judge, who is on it, and
 * ballots.
 *
 *     panel    open --panel_close()--> closed, with a verdict
 *                '--panel_void()--> void: what it was to judge has changed; another row takes its place
 *     ballot   asked --ballot_cast()--> in, for ever. Nobody reads it before panel_reveal() of its round
 *
 * A ballot is one row for (panel, round, member): one that is sent twice counts once.
 */
#include "base/ids.h"
#include "store/db.h"
#include "view/shape.h"

#define PANEL_TABLES                                                                           \
    "CREATE TABLE panel ("                                                                     \
    "  id INTEGER PRIMARY KEY,"                                                                \
    "  job INTEGER NOT NULL,"                                                                  \
    "  name TEXT NOT NULL,"                                                                    \
    "  subject TEXT NOT NULL,"                                                                 \
    "  artifact TEXT NOT NULL,"                                                                \
    "  cycle INTEGER NOT NULL,"                                                                \
    "  asker TEXT NOT NULL,"                                                                   \
    "  digest TEXT NOT NULL,"                                                                  \
    "  content BLOB NOT NULL,"                                                                 \
    "  instructions TEXT NOT NULL,"                                                            \
    "  sections TEXT NOT NULL,"                                                                \
    "  rule TEXT NOT NULL,"                                                                    \
    "  primary_n INTEGER NOT NULL,"                                                            \
    "  quorum INTEGER NOT NULL,"                                                               \
    "  discuss INTEGER NOT NULL,"                                                              \
    "  span_us INTEGER NOT NULL,"                                                              \
    "  advice INTEGER NOT NULL,"                                                               \
    "  round INTEGER NOT NULL,"                                                                \
    "  revealed INTEGER NOT NULL,"                                                             \
    "  deadline_us INTEGER NOT NULL,"                                                          \
    "  state TEXT NOT NULL,"                                                                   \
    "  verdict TEXT NOT NULL,"                                                                 \
    "  why TEXT NOT NULL,"                                                                     \
    "  resolved_by TEXT NOT NULL,"                                                             \
    "  opened_us INTEGER NOT NULL,"                                                            \
    "  closed_us INTEGER NOT NULL"                                                             \
    ");"                                                                                       \
    "CREATE INDEX panel_job ON panel (job);"                                                   \
    "CREATE INDEX panel_artifact ON panel (artifact);"                                         \
    "CREATE TABLE panel_member ("                                                              \
    "  panel INTEGER NOT NULL,"                                                                \
    "  n INTEGER NOT NULL,"                                                                    \
    "  name TEXT NOT NULL,"                                                                    \
    "  brain TEXT NOT NULL,"                                                                   \
    "  model TEXT NOT NULL,"                                                                   \
    "  note TEXT NOT NULL,"                                                                    \
    "  PRIMARY KEY (panel, n)"                                                                 \
    ");"                                                                                       \
    "CREATE TABLE ballot ("                                                                    \
    "  id INTEGER PRIMARY KEY,"                                                                \
    "  panel INTEGER NOT NULL,"                                                                \
    "  round INTEGER NOT NULL,"                                                                \
    "  member INTEGER NOT NULL,"                                                               \
    "  job INTEGER NOT NULL UNIQUE,"                                                           \
    "  tries INTEGER NOT NULL,"                                                                \
    "  complaint TEXT NOT NULL,"                                                               \
    "  verdict TEXT NOT NULL,"                                                                 \
    "  assessment TEXT NOT NULL,"                                                              \
    "  findings TEXT NOT NULL,"                                                                \
    "  blocks INTEGER NOT NULL,"                                                               \
    "  late INTEGER NOT NULL,"                                                                 \
    "  at_us INTEGER NOT NULL,"                                                                \
    "  UNIQUE (panel, round, member)"                                                          \
    ");"                                                                                       \
    "CREATE TABLE panel_unseal ("                                                              \
    "  id INTEGER PRIMARY KEY,"                                                                \
    "  panel INTEGER NOT NULL,"                                                                \
    "  who TEXT NOT NULL,"                                                                     \
    "  at_us INTEGER NOT NULL"                                                                 \
    ");"

/* A writing panel's work on what its reviewers sent back. */
#define PANEL_RETURNS                                                                          \
    "ALTER TABLE panel ADD COLUMN task TEXT NOT NULL DEFAULT '';"                              \
    "ALTER TABLE panel ADD COLUMN request TEXT NOT NULL DEFAULT '';"                           \
    "ALTER TABLE panel ADD COLUMN said TEXT NOT NULL DEFAULT '';"
#define PANEL_REVISES "revise"
#define PANEL_ANSWERS "answer"

typedef struct PanelId {
    int64_t v;
} PanelId;

typedef struct PanelRow {
    PanelId id;
    JobId job;
    char *name;     /* of its role */
    char *subject;  /* what it judges, for people */
    char *artifact; /* its name in the record, or where what is written is to lie; "": it is none */
    int64_t cycle;  /* 0: none */
    char *asker;    /* address of whoever asked */
    char *digest;   /* of content */
    GBytes *content;
    char *instructions;
    char *sections; /* that it writes, a title a line; "": it reviews */
    char *task;     /* PANEL_REVISES, PANEL_ANSWERS: content, for the sake of an event; "": it is asked for a text or a judgement */
    char *request;  /* Message-ID of that event; "" */
    char *said;     /* what that event says; "" */
    char *rule;
    unsigned primary, quorum, discuss;
    int64_t span_us; /* of a round */
    bool advice;
    unsigned round;    /* 1 is the first; 0: not begun */
    unsigned revealed; /* the ballots of so many rounds may be read */
    int64_t deadline_us;
    char *state; /* open, closed, void */
    char *verdict, *why;
    char *resolved_by; /* Message-ID; "" */
    int64_t opened_us, closed_us;
} PanelRow;
SHAPE_OF(PanelRow, panel_row, PanelRows, panel_rows)

typedef struct PanelMember {
    PanelId panel;
    unsigned n; /* the first is 0 */
    char *name, *brain, *model;
    char *note; /* what is to be said of it: "no brain 'gemini': by 'default'"; "" */
} PanelMember;
SHAPE_OF(PanelMember, panel_member, PanelMembers, panel_members)

typedef struct BallotRow {
    int64_t id;
    PanelId panel;
    unsigned round, member;
    JobId job;
    unsigned tries;    /* answers that could not be read */
    char *complaint;   /* about the last of them; of a member that gave none: why. "" */
    char *verdict;     /* approve, reject, revise, abstain; none: it is gone; "": not in yet */
    char *assessment;  /* what it says */
    char *findings;    /* JSON: [{where, what, severity}] */
    bool blocks, late;
    int64_t at_us;
} BallotRow;
SHAPE_OF(BallotRow, ballot_row, BallotRows, ballot_rows)

/* NULL: there is none. The newest of a job. */
bool panel_load(Db *db, PanelId id, PanelRow **ret, GError **error);
bool panel_of_job(Db *db, JobId job, PanelRow **ret, GError **error);
/* Newest first; artifact NULL: all. */
bool panel_list(Db *db, const char *artifact, bool open_only, PanelRows **ret, GError **error);
/* How many panels of this name had the task about the artifact, and wrote something. */
bool panel_count_task(
    Db *db, const char *name, const char *artifact, const char *task, unsigned *ret, GError **error);
bool panel_members_of(Db *db, PanelId id, PanelMembers **ret, GError **error);
/* With its members; ERR_AGAIN: the job has an open panel already. */
bool panel_put(
    Txn *txn, const PanelRow *p, const PanelMembers *members, PanelId *ret, GError **error);
/* The next round begins; nothing where it has begun. */
bool panel_begin_round(
    Txn *txn, PanelId id, unsigned round, int64_t deadline_us, GError **error);
/* From now on the ballots of this round can be read, and no other of it counts. */
bool panel_reveal(Txn *txn, PanelId id, unsigned round, GError **error);
/* *ret_open false: it was closed already, and nothing has changed. */
bool panel_close(Txn *txn,
                 PanelId id,
                 const char *verdict,
                 const char *why,
                 const char *resolved_by,
                 bool *ret_open,
                 GError **error);
bool panel_void(Txn *txn, PanelId id, const char *why, GError **error);
/* Somebody reads sealed ballots. */
bool panel_unseal(Txn *txn, PanelId id, const char *who, GError **error);
/* By whom, and when, a line each: char *. */
bool panel_unsealed(Db *db, PanelId id, GPtrArray **ret, GError **error);

/* A member is asked, by this job. ERR_AGAIN: it has been. */
bool ballot_ask(
    Txn *txn, PanelId panel, unsigned round, unsigned member, JobId job, GError **error);
/* NULL: the job is no member's. */
bool ballot_of_job(Db *db, JobId job, BallotRow **ret, GError **error);
/* By round and member. */
bool ballot_list(Db *db, PanelId panel, BallotRows **ret, GError **error);
/* An answer that can't be read. */
bool ballot_complain(Txn *txn, JobId job, const char *why, GError **error);
/* The first counts: *ret_counts false where it is in already. One that comes when its round was
 * revealed, or its panel is over, is late. complaint: why a member gives none. */
bool ballot_cast(Txn *txn,
                 JobId job,
                 const char *verdict,
                 const char *assessment,
                 const char *findings,
                 bool blocks,
                 const char *complaint,
                 bool *ret_counts,
                 GError **error);
