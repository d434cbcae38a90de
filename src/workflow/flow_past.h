#pragma once

/*
 * The record of the workflow, read from mail: a store that was lost leaves the events of its home in the Maildirs.
 *
 * What counts as evidence:
 *
 *   (1) An event is a mail in a Maildir of a role or person of this home, in any of its folders, Sent too. Its origin line must
 *       hold for that mailbox (mail/origin.h), and this home must have minted its Message-ID as that of an event. So no agent
 *       can write one, and a copy in another mailbox proves nothing. What the event did stands in its header (event_mark.h).
 *   (2) A review record of the project closes a review that (1) knows, where its decision was made and the mail about it was
 *       not delivered yet, or lies in another home. It opens nothing: who writes into the project can't bring a decision about, only end a review,
 *       which its author begins anew.
 *   (3) A panel's last word that is no event, "no decision", says that it had ended: a mail as in (1) with PANEL_MARK.
 *   (4) Where a file lies is the state of its artifact. But where an approval leads, and nothing of (1) or (2) has it, the
 *       record keeps the state that the newest event names, and `artifact check` says so.
 *
 * Nothing else does. Checkpoint mails know no artifact. What was not delivered when the store was lost was said to nobody, and
 * may be decided again. Who made a move without a mail is not known any more, so its holder is nobody.
 *
 * Open reviews are open again. A panel that had one is void, and is asked anew (panel_again.h). Reading goes on before
 * any mail is taken in, and before a command looks at the record; it is one transaction, once in the life of a store, and
 * once more when an old one was accepted.
 */
#include "engine/engine.h"

/* Does nothing where it was done. */
bool flow_past_take(Engine *engine, GError **error);
