#pragma once

/*
 * A notice: mail of the runtime itself to a person, in the name of a role. It acknowledges,
 * asks, or says what failed or what a job waits for. It is written and posted in one go. All
 * such mail comes by here, but for the mail that says that an order was carried out
 * (engine/in/order_mail.h).
 */
#include "engine/out/role_mail.h"
#include "mail/msgid.h"

/* Posts the notice with these words (engine/people/words.h) in place of notice->text. */
bool notice_say(
    Engine *engine, Txn *txn, const Notice *notice, GError **error, const char *words, ...)
    G_GNUC_PRINTF(5, 6);
/* Posts the notice in the caller's transaction. *ret_msgid (may be NULL): without brackets;
 * caller frees. */
bool
notice_post(Engine *engine, Txn *txn, const Notice *notice, char **ret_msgid, GError **error);
