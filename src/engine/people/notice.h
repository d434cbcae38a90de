#pragma once

/*
 * A word of the runtime itself to a person, in the name of a role: an acknowledgement, a question,
 * what failed, what is waited for. Written and posted in one go; all such mail comes by here, but
 * for what says that an order was carried out (engine/in/order_mail.h).
 */
#include "engine/out/role_mail.h"
#include "mail/msgid.h"

/* Says these words (words.h), whatever text it has. */
bool notice_say(
    Engine *engine, Txn *txn, const Notice *notice, GError **error, const char *words, ...)
    G_GNUC_PRINTF(5, 6);
/* ret_msgid: without brackets; caller frees; may be NULL. */
bool
notice_post(Engine *engine, Txn *txn, const Notice *notice, char **ret_msgid, GError **error);
