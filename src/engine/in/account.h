#pragma once

/*
 * The account process: sleeps in inotify on the mailboxes of its roles, and takes in what
 * comes. A full pass at the start, when inotify overflowed, and when a mailbox appeared;
 * nothing polls. One per account: the kernel holds state/account-NAME.lock. At each wake-up the
 * process looks whether the mail folder is still this home's (base/living.h), and ends if not.
 */
#include "engine/engine.h"

/* Runs until SIGTERM or SIGINT, and returns an exit status. once: one pass, and then the
 * end. */
int account_main(Engine *engine, const ConfAccount *account, bool once);
