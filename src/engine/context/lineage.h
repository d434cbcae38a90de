#pragma once

/* The conversation of a job: its own mail, and for a fork what was said in the jobs that it
 * comes from until it was forked. For any other job these are the lists of the store
 * themselves. */
#include "engine/engine.h"
#include "store/job/jobs.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"

/* As messages_list() and outbox_list() with q, which names the job. Rows that a fork has from
 * other jobs come whatever their state is. */
bool
lineage_mail_in(Db *db, const Viewer *viewer, const MsgQuery *q, MsgRows **ret, GError **error);
bool lineage_mail_out(
    Db *db, const Viewer *viewer, const OutQuery *q, OutRows **ret, GError **error);
