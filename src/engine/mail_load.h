#pragma once

/*
 * The one reader of stored mail: of mail that came, wherever its file lies now, and of mail
 * that was written. A mail that can't be found any more is NULL, and no error.
 *
 * Within one claim of a job the same mail is wanted several times: its text for the brain, its
 * parts for the workplace, its headers for the answer, its links for the policy; and in the
 * next step all of that again. So what was read is kept from mails_keep() to mails_forget(),
 * and so is what was parsed of it. Mail that was written never changes. The file of a mail that
 * came is looked at once after each mails_keep(), since a person may have changed or deleted it:
 * it is read again unless its number, size and times are those that it had when it was read
 * (FileMark), and parsed again where it holds other bytes. Nobody may change a Message that
 * comes from here.
 */
#include "engine/engine.h"
#include "mail/maildir.h"
#include "mail/message.h"
#include "store/mail/messages.h"
#include "store/out/outbox.h"

/* Reads as much of it as is wanted; where its file is gone, from a copy
 * (store/mail/copies.h). */
bool
mail_load(Engine *engine, const MsgRow *row, MessageWhat what, Message **ret, GError **error);
/* The bytes of the whole mail, as its file has them. */
bool mail_bytes(Engine *engine, const MsgRow *row, GBytes **ret_bytes, GError **error);
/* The bytes of mail that was written: the frozen bytes or, once these are forgotten, those of a
 * copy, the sender's copy before others. mailbox: only a copy in this mailbox counts, since
 * whoever owns a mailbox may change its files; NULL: a copy in any mailbox. */
bool mail_bytes_out(
    Engine *engine, const OutRow *row, const char *mailbox, GBytes **ret_bytes, GError **error);

/* The same, parsed as far as is wanted; *ret NULL: it is gone. The caller frees the result. */
bool mail_load_out(Engine *engine,
                   const OutRow *row,
                   const char *mailbox,
                   MessageWhat what,
                   Message **ret,
                   GError **error);

/* Looks for a copy of a message whose own file is gone. Only a copy that still is the same mail
 * counts. *ret_bytes NULL with true: there is no such copy. *ret_file (may be NULL): the name
 * of its file; caller frees. */
bool mail_find_copy(
    Db *db, Maildir *md, MsgId message, char **ret_file, GBytes **ret_bytes, GError **error);

/* At the beginning of each step: keeps what is read from now on, up to a limit, until the claim
 * ends. */
void mails_keep(Engine *engine);
void mails_forget(Engine *engine);
