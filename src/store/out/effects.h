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

typedef enum EffectKind {
    EFFECT_MAIL_MOVE,
    EFFECT_MAIL_FLAG,
    EFFECT_FILE_MOVE, /* a file of a folder that people work in gets another place there */
    EFFECT_FILE_NEW,  /* a file appears there, once */
    EFFECT_FILE_WRITE, /* a file there gets other bytes */
    EFFECT_GIT_INDEX, /* the index of its repository follows a move */
    EFFECT_GIT_COMMIT, /* it is committed */
    EFFECT_N_KINDS
} EffectKind;
/* The account of the kinds FILE and GIT (engine/tree/file_effects.h). They are settled by
 * themselves, so that a folder which can't be written delays no mail but the one that waits for
 * it. */
#define EFFECT_FILES "/files"

/* EFFECT_COPY: the file is gone, and a copy of the mail (store/mail/copies.h), whose name `why`
 * is, takes its place. */
typedef enum EffectSeen { EFFECT_NOT_YET, EFFECT_DONE, EFFECT_FOREIGN, EFFECT_COPY } EffectSeen;

typedef struct Effect {
    EffectId id;
    EffectKind kind;
    JobId job;
    MsgId message;       /* whose place changes; {0}: none */
    const char *account; /* "" this machine's files */
    const char *subject; /* mailbox/file: effects on one subject keep their order */
    const char *args; /* "Done", "Done+RS" with flags that it gets there; or flags, "+RS-F"; of files: lines */
} Effect;

typedef struct EffectOps {
    bool (*look)(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error);
    bool (*act)(Db *db, const Effect *e, GError **error);
} EffectOps;

/* Told of each effect that is settled, in the transaction that marks it; why NULL: it is done,
 * else somebody else was there. */
typedef struct EffectTold {
    bool (*settled)(void *data, Txn *txn, const Effect *e, const char *why, GError **error);
    void *data;
} EffectTold;

bool effect_put(Txn *txn, const Effect *e, EffectId *ret_id, GError **error);
/* Queues the move of a mail of the role: to "Done", or with flags "Done+S". */
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
 * are left and why the first of them is. A move or flag that is done is written to the
 * message's row, and mail that waited is released, in the transaction that forgets the effect.
 * Blocks for as long as ops do; no transaction is open then. told may be NULL. */
bool effects_settle(Db *db,
                    const char *account,
                    const EffectOps *const ops[EFFECT_N_KINDS],
                    const EffectTold *told,
                    unsigned *ret_n,
                    GError **error);
/* *ret: an effect of this kind and subject is still to be done. */
bool effect_is_owed(Db *db, EffectKind kind, const char *subject, bool *ret, GError **error);
/* The newest effect that is still owed on a subject; {0}: none is. */
bool effect_last(
    Db *db, const char *account, const char *subject, EffectId *ret, GError **error);
bool effects_count(Db *db, bool failed, unsigned *ret_n, GError **error);
/* *ret: something is owed to files of this machine: an effect, a copy of a mail, or a view.
 * Most steps owe nothing, and ask this instead of each of them. */
bool effects_owed_here(Db *db, bool *ret, GError **error);
/* Failed ones, for doctor: "what where why" lines. */
bool effects_findings(Db *db, GPtrArray **ret_lines, GError **error);
/* A person has been told of the failed ones, whose world stays as it is. */
bool effects_forget_failed(Txn *txn, GError **error);
