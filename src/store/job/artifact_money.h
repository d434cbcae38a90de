#pragma once

/*
 * What all work on one artifact may cost, as `max-cost` of its kind says, and what it has cost, which is the sum that
 * `postrider cost --by artifact` tells. Where that is spent, the artifact pauses: no job about it asks its brain, and the
 * coordinator is told by one mail (workflow/supervise.h). The artifact's row in the table artifact_money has what the steps
 * don't tell: what a lost store knew, what a person has added, and which mail tells of the pause.
 */
#include "store/workflow.h"

#define ARTIFACT_MONEY_TABLE                                                                   \
    "CREATE TABLE artifact_money ("                                                            \
    "  artifact INTEGER PRIMARY KEY,"                                                          \
    "  before_micro INTEGER NOT NULL,"                                                         \
    "  limit_micro INTEGER NOT NULL,"                                                          \
    "  report TEXT NOT NULL,"                                                                  \
    "  since_us INTEGER NOT NULL"                                                              \
    ");"

typedef struct ArtifactMoney {
    ArtifactId id;
    char *name, *kind;
    int64_t before_micro; /* what a store that was lost knew of */
    int64_t limit_micro;  /* what it may cost */
    int64_t spent_micro;
    char *report;     /* Message-ID of the mail that tells of its pause; "": there is none */
    int64_t since_us; /* the pause */
} ArtifactMoney;
SHAPE_OF(ArtifactMoney, artifact_money, ArtifactMoneys, artifact_moneys)

/* Has any kind a limit? */
bool artifact_money_limits(const Config *config);
/* Of the artifact that the job is about now; NULL: there is none, or it may cost any sum. */
bool artifact_money_of_job(Db *db, JobId job, ArtifactMoney **ret, GError **error);
/* Of the pause that this mail tells of; NULL: it tells of none. */
bool artifact_money_told_by(Db *db, const char *msgid, ArtifactMoney **ret, GError **error);
/* Those that pause; *ret NULL: there are none. */
bool artifact_moneys_paused(Db *db, ArtifactMoneys **ret, GError **error);
/* What the calls that are under way about it may cost at most. */
bool artifact_money_aside(Db *db, const ArtifactMoney *m, int64_t *ret, GError **error);

/* True when it pauses, whether or not anybody was told. */
bool artifact_money_spent(const ArtifactMoney *m);
/* Why a job about it waits then; caller frees. */
char *artifact_money_why(const ArtifactMoney *m);
/* This mail tells of its pause. */
bool artifact_money_tell(Txn *txn, ArtifactId id, const char *report, GError **error);
/* It may cost so much more than now, and goes on, with the jobs that wait for it. */
bool artifact_money_add(Txn *txn, const ArtifactMoney *m, int64_t more_micro, GError **error);
/* The work on it had cost so much, says mail that a lost store has left. */
bool artifact_money_recall(Txn *txn, const Artifact *a, int64_t spent_micro, GError **error);
