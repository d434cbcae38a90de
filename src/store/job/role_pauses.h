#pragma once

/*
 * Roles that do no work for a while: their jobs stay queued, their mail is taken in, and none
 * of their attempts counts. A person pauses one by `role pause`; the workflow one that talks in
 * circles (workflow/supervise.h). Both end by `role resume`, and a pause of the workflow by a
 * person's answer to the mail that tells of it.
 */
#include "store/db.h"
#include "view/shape.h"

typedef struct RolePause {
    char *role, *why;
    char *report; /* Message-ID of the mail that tells of it; "": a person did it */
    int64_t since_us;
} RolePause;
SHAPE_OF(RolePause, role_pause, RolePauses, role_pauses)

#define ROLE_WAITS "its role pauses" /* why a job is queued that gave its claim back */
/* A condition for other statements of the store; the argument names a column with a role. */
#define ROLE_IS_AWAKE(role) "NOT EXISTS (SELECT 1 FROM role_pause rp WHERE rp.role = " role ") "

/* *ret_new false: it was paused before, and stays so as it was. */
bool role_pause_begin(Txn *txn, const RolePause *p, bool *ret_new, GError **error);
/* *ret_was: it was paused. */
bool role_pause_end(Txn *txn, const char *role, bool *ret_was, GError **error);
/* The pause of this role; NULL: the role is not paused. */
bool role_pause_find(Db *db, const char *role, RolePause **ret, GError **error);
/* The pause of which this mail tells; NULL: it tells of none. */
bool role_pause_told_by(Db *db, const char *msgid, RolePause **ret, GError **error);
bool role_pauses_list(Db *db, RolePauses **ret, GError **error);
