#pragma once

/*
 * The small vocabulary that every room shares: one struct type per kind of id, so that two
 * kinds can't be swapped in a call, the digest, and forward names of the store's handles. A
 * zero id means "none".
 */

typedef struct MsgId {
    int64_t v;
} MsgId; /* a row of `message`: one mail as one role has it */
typedef struct ThreadId {
    int64_t v;
} ThreadId;
typedef struct JobId {
    int64_t v;
} JobId;
typedef struct OutId {
    int64_t v;
} OutId; /* a row of `outbox`: one frozen mail */
typedef struct EffectId {
    int64_t v;
} EffectId;
typedef struct QuestionId {
    int64_t v;
} QuestionId; /* a row of `question`: may held mail leave? */
typedef struct PermitId {
    int64_t v;
} PermitId; /* a row of `permit`: a standing permission */

/* SHA-256. */
#define DIGEST_SIZE 32
typedef struct Digest {
    uint8_t v[DIGEST_SIZE];
} Digest;

typedef struct Db Db;   /* store/db.h */
typedef struct Txn Txn; /* store/db.h */
