#pragma once

/* Reading rows of `message`, for messages*.c and index.c. */
#include "store/mail/messages.h"
#include "store/sql.h"

/* In the order that msg_rows_read() takes them; the thread is the one it was joined to. */
#define MSG_COLUMNS                                                                            \
    "id, coalesce((SELECT into_thread FROM thread t WHERE t.id = message.thread), thread), "   \
    "job, round, step, state, class, trust, role, account, folder, file, msgid, in_reply_to, " \
    "from_name, from_spec, to_specs, subject, why, date_us, received_us, size, flags, body, "  \
    "floor, own_words"
/* Binds nothing; reads the rows to the end. */
bool msg_rows_read(Db *db, SqlStmt *st, MsgRows **ret_rows, GError **error);
