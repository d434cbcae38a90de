#pragma once

/*
 * What a committed decision still owes to the world outside the store. The row is written in
 * the decision's own transaction and holds all that a redo needs; settling is after the commit,
 * by whoever committed, else by the sweep at start. Every kind can tell "done already" from
 * "not yet" from "somebody else was here" by looking, so settling twice is harmless, a crash
 * costs nothing, and the mark needs no flush.
 *
 *  OWED --look: done--> (row goes)       OWED --look: foreign--> FAILED(why), a finding
 *                                       FAILED --a person was told--> (row goes)
 */
#include "base/ids.h"
#include "store/db.h"

typedef enum EffectKind { EFFECT_MAIL_MOVE, EFFECT_MAIL_FLAG, EFFECT_N_KINDS } EffectKind;
/* EFFECT_COPY: the file is gone, and a copy of the mail (store/mail/copies.h), whose name `why` is, takes
 * its place. */
typedef enum EffectSeen { EFFECT_NOT_YET, EFFECT_DONE, EFFECT_FOREIGN, EFFECT_COPY } EffectSeen;

typedef struct Effect {
    EffectId id;
    EffectKind kind;
    JobId job;
    MsgId message;       /* whose place changes; {0}: none */
    const char *account; /* "" this machine's files */
    const char *subject; /* mailbox/file: effects on one subject keep their order */
    const char *args; /* "Done", "Done+RS" with flags that it gets there; or flags, "+RS-F" */
} Effect;

typedef struct EffectOps {
    bool (*look)(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error);
    bool (*act)(Db *db, const Effect *e, GError **error);
} EffectOps;

bool effect_put(Txn *txn, const Effect *e, EffectId *ret_id, GError **error);
/* A mail of the role is to be moved: "Done", or with flags "Done+S". */
bool effect_put_move(Txn *txn,
                     JobId job,
                     MsgId message,
                     const char *role,
                     const char *file,
                     const char *where,
                     GError **error);
/* Settles what is owed to account, oldest first per subject; ops is indexed by kind, NULL where
 * the caller can't do that kind. Where one can't be settled, later ones of its subject wait.
 * *ret_n: settled now, failed ones included; written also with ERR_LATER, which says that some
 * are left and why the first of them is. A move or flag that is done is written to the message's
 * row, and mail that waited is released, in the transaction that forgets the effect. Blocks for as
 * long as ops do; no transaction is open then. */
bool effects_settle(Db *db,
                    const char *account,
                    const EffectOps *const ops[EFFECT_N_KINDS],
                    unsigned *ret_n,
                    GError **error);
bool effects_count(Db *db, bool failed, unsigned *ret_n, GError **error);
/* Failed ones, for doctor: "what where why" lines. */
bool effects_findings(Db *db, GPtrArray **ret_lines, GError **error);
/* A person has been told of the failed ones, whose world stays as it is. */
bool effects_forget_failed(Txn *txn, GError **error);
