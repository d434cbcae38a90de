#pragma once

/*
 * What whoever opens the mailbox sees of a mail that was work: S once it is handled, R once a
 * mail that leaves answers it; in the file's name here, and as \Seen and \Answered on a server.
 * The letters are written to the message's row in the decision's own transaction. A server is
 * owed them from then on; the file gets them in the one rename that moves it away
 * (mail_flags_move()), or, where it lies in its last place already, by an effect.
 */
#include "store/mail/messages.h"
#include "store/out/outbox.h"

/* Gives a mail these letters ("S", "RS"), beside those that it has. */
bool mail_flags_mark(Txn *txn, const MsgRow *row, const char *letters, GError **error);
/* To be called when a mail that was held leaves after all: marks what that mail answers as
 * answered. */
bool mail_flags_by(Txn *txn, OutId id, GError **error);
/* For the args of an EFFECT_MAIL_MOVE: the folder and the letters that it gets there, as
 * "Done+RS". Active is not the last place, so it gets none. Caller frees; NULL with error. */
char *mail_flags_move(Db *db, MsgId id, const char *folder, GError **error);
