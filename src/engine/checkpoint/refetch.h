#pragma once

/*
 * Mail that a job had gathered before the store was lost. It is known by Message-ID and by the
 * folder where it lay, which need not be one that the first look at a mailbox takes in; so it
 * is looked for there first, then in all other folders.
 */
#include "engine/engine.h"
#include "mail/maildir.h"

/* The mailbox of a role, opened. */
typedef struct RoleMailbox {
    Engine *engine;
    const ConfAccount *account;
    const ConfRole *role;
    Maildir *md;
} RoleMailbox;

/* Looks for such mail of all parked jobs of the role. Mail that is found is stored as handled.
 * For the rest the role's mail server is asked, if it has one (engine/run/demand.h); else the
 * job hears that the mail is UNAVAILABLE. */
bool refetch_gathered(const RoleMailbox *box, GError **error);
