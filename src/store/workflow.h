#pragma once

/*
 * The workflow's record (src/workflow): artifacts, the cycles of their reviews, and events,
 * which are its typed mails. What stands in a mail's headers is a copy of its event.
 *
 *     artifact   proposed --artifact_begin_move()--> (moving to todo) --artifact_end_move()--> todo
 *                                                          '-- somebody else was there --> proposed
 *     cycle      open --cycle_close()--> approved or rejected, for ever
 *
 * An artifact is named by its path, in which the folder of its state is "*": specs/(*)/auth.md
 * without the parentheses; so its name stays when it moves.
 */
#include "base/ids.h"
#include "store/tables.h"
#include "view/shape.h"

extern const SqlPart workflow_tables;
/* Has this store the tables? */
bool workflow_known(Db *db, bool *ret, GError **error);

typedef struct ArtifactId {
    int64_t v;
} ArtifactId;
typedef struct CycleId {
    int64_t v;
} CycleId;
typedef struct EventId {
    int64_t v;
} EventId;

typedef struct Artifact {
    ArtifactId id;
    char *name, *kind, *state;
    char *path;         /* where it lies beneath the root, while it is in this state */
    char *author;       /* who asked for its review first; "": nobody has */
    char *holder;       /* who moved it last; "": nobody has */
    int64_t since_us;   /* it is in this state */
    char *to, *to_path; /* it is being moved: to which state and place; "": it is not */
    char *mover;        /* and by whom */
    CycleId cycle;      /* the newest; {0}: it was never sent for review */
} Artifact;
SHAPE_OF(Artifact, artifact, Artifacts, artifacts)

typedef struct Cycle {
    CycleId id;
    ArtifactId artifact;
    int n;           /* 1 is the artifact's first */
    char *msgid;     /* of the review-request */
    char *author;    /* who sent it */
    char *reviewers; /* to whom, with commas between */
    char *digest;    /* of the bytes that are under review */
    int64_t opened_us, closed_us;
    char *outcome; /* "": it is open; approved, rejected */
    char *by;      /* who decided */
    char *resolved_by;
} Cycle;
SHAPE_OF(Cycle, cycle, Cycles, cycles)

typedef struct FlowEvent {
    EventId id;
    char *type;
    ArtifactId artifact; /* {0}: it is about none */
    CycleId cycle;
    char *msgid, *sender, *recipients;
    char *state;    /* as its header says */
    char *digest;   /* of the artifact's bytes then; "" */
    char *question; /* digest of what it asks; "": nothing */
    char *answer;   /* Message-ID of the event that answers it; "": none has */
    char *name;     /* of the artifact; "" */
    int64_t at_us;
} FlowEvent;
SHAPE_OF(FlowEvent, flow_event, FlowEvents, flow_events)

/* NULL: there is none. */
bool artifact_find(Db *db, const char *name, Artifact **ret, GError **error);
bool artifact_load(Db *db, ArtifactId id, Artifact **ret, GError **error);
/* kind, state NULL: all. By kind and name. */
bool artifact_list(
    Db *db, const char *kind, const char *state, Artifacts **ret, GError **error);
/* It is known from now on, in this state. */
bool artifact_put(Txn *txn, const Artifact *a, ArtifactId *ret, GError **error);
bool artifact_set_author(Txn *txn, ArtifactId id, const char *author, GError **error);
/* A file is to be moved; and it was, *ret_moved, or somebody else was there, why. Nothing where
 * no move to this place was begun. */
bool artifact_begin_move(
    Txn *txn, ArtifactId id, const char *state, const char *path, const char *mover, GError **error);
bool artifact_end_move(
    Txn *txn, ArtifactId id, bool done, GError **error);
/* No file has to be moved: it is there, or its state stands in the record alone. */
bool artifact_set_state(
    Txn *txn, ArtifactId id, const char *state, const char *path, const char *mover, GError **error);
/* Digest of what a job wrote last of the bytes of its worktree (workflow/flow_tree.h); NULL:
 * nothing. Caller frees. */
bool artifact_written(Db *db, JobId job, const char *name, char **ret, GError **error);
bool
artifact_set_written(Txn *txn, JobId job, const char *name, const char *digest, GError **error);

bool cycle_load(Db *db, CycleId id, Cycle **ret, GError **error);
/* Message-ID of what closed the review that this mail asked for, or answered it; "": that is
 * open; NULL: it asked for nothing, or another review has begun since, or the store knows no
 * workflow. Caller frees. */
bool cycle_resolved_by(Db *db, const char *request, char **ret, GError **error);
/* Those of an artifact that were decided on, oldest first. */
bool cycle_list_decided(Db *db, ArtifactId artifact, Cycles **ret, GError **error);
/* True when this mail decided the cycle, and none before it of the same bytes was decided on. */
bool cycle_decides_anew(Db *db, CycleId id, const char *msgid, bool *ret, GError **error);
/* The next of its artifact. */
bool cycle_open(Txn *txn, const Cycle *c, CycleId *ret, GError **error);
bool cycle_renew(Txn *txn, CycleId id, const char *digest, GError **error);
/* ERR_AGAIN: somebody else has closed it. */
bool cycle_close(
    Txn *txn, CycleId id, const char *outcome, const char *by, const char *msgid, GError **error);
/* Not closed after all. */
bool cycle_reopen(Txn *txn, CycleId id, GError **error);

/* What waits for a role: reviews that are open, questions and blockers without an answer, and
 * what nobody has read yet. In the order of reading: blockers, reviews, questions, what is
 * told; the oldest first. */
typedef struct FlowInbox {
    const char *role;
    const char *type, *state; /* NULL: any */
    ArtifactId artifact;      /* {0}: any */
    EventId behind;           /* newer ones only */
    bool all;                 /* what waits for nothing too */
    unsigned limit;           /* 0: 50 */
} FlowInbox;
bool flow_inbox(Db *db, const FlowInbox *q, FlowEvents **ret, GError **error);
/* The first 50 questions of the role that nobody has answered. */
bool flow_asked(Db *db, const char *role, FlowEvents **ret, GError **error);
bool flow_newest_id(Db *db, EventId *ret, GError **error);
/* What needs no answer was read: all up to this event, or one mail. */
bool flow_seen(Txn *txn, const char *role, EventId upto, GError **error);
bool flow_handled(Txn *txn, const char *role, const char *msgid, GError **error);

/* Mail that waits until its role has other mail. take gives the ids, of int64_t, oldest first;
 * caller unrefs. */
bool flow_waiting_put(Txn *txn, const char *role, MsgId message, GError **error);
bool flow_waiting_take(Txn *txn, const char *role, GArray **ret, GError **error);

/* at_us 0: it is now. */
bool flow_event_put(Txn *txn, const FlowEvent *e, EventId *ret, GError **error);
bool flow_event_find(Db *db, const char *msgid, FlowEvent **ret, GError **error);
/* Of an artifact, {0}: of all; oldest first. */
bool flow_event_list(Db *db, ArtifactId artifact, FlowEvents **ret, GError **error);
/* The newest of an artifact that says which bytes it had; NULL: none. */
bool flow_event_newest(Db *db, ArtifactId artifact, FlowEvent **ret, GError **error);
/* The newest of a cycle; NULL: none. */
bool flow_event_last(Db *db, CycleId cycle, FlowEvent **ret, GError **error);
/* The questions among the mails with these ids have their answer. The first counts. */
bool
flow_event_answers(Txn *txn, const GPtrArray *ids, const char *answer_msgid, GError **error);

/* How often this sender has asked this about the artifact. */
bool flow_event_asked(
    Db *db, const char *sender, const char *question, ArtifactId artifact, unsigned *ret, GError **error);
/* What has become of an artifact, in numbers. */
typedef struct FlowCount {
    unsigned questions, repeated; /* asked; of them what was asked before */
    unsigned reviews, blockers;
} FlowCount;
bool flow_event_count(Db *db, ArtifactId artifact, FlowCount *ret, GError **error);
/* Questions without an answer, oldest first; NULL: this store knows no workflow. */
bool flow_events_open(Db *db, FlowEvents **ret, GError **error);

/* One mail more between the two; *ret: since either of them came further. */
bool talk_count(Txn *txn, const char *a, const char *b, unsigned *ret, GError **error);
/* The role moved, changed or decided on an artifact, or a person spoke to it. */
bool talk_end(Txn *txn, const char *who, GError **error);

/* One more try of the role has failed on this day; *ret: how many have. */
bool fault_count(Txn *txn, const char *role, int64_t day, unsigned *ret, GError **error);
bool faults_end(Txn *txn, const char *role, GError **error);
/* The artifact that a step "s" of another statement is about, by name: the newest that its job had come to before, else the next
 * one that came; NULL: none. */
#define ARTIFACT_OF_STEP                                                                       \
    "(SELECT f.name FROM (SELECT a.name AS name, m.received_us - s.at_us AS gap "              \
    "FROM message m JOIN event e ON e.msgid = m.msgid JOIN artifact a ON a.id = e.artifact "   \
    "WHERE m.job = s.job AND m.job <> 0 UNION ALL "                                            \
    "SELECT a.name, o.created_us - s.at_us FROM outbox o JOIN event e ON e.msgid = o.msgid "   \
    "JOIN artifact a ON a.id = e.artifact WHERE o.job = s.job AND o.job <> 0 UNION ALL "       \
    "SELECT p.artifact, p.opened_us - s.at_us FROM panel p WHERE p.job = s.job UNION ALL "     \
    "SELECT p.artifact, p.opened_us - s.at_us FROM ballot b JOIN panel p ON p.id = b.panel "   \
    "WHERE b.job = s.job) f ORDER BY f.gap > 0, abs(f.gap), f.name LIMIT 1)"
/* The newest that the job is about; NULL: none. */
bool artifact_of_job(Db *db, JobId job, Artifact **ret, GError **error);
