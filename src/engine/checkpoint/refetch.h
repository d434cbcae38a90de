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

/* For all parked jobs of the role. What is found is stored as handled; what is not is asked for
 * where the role has a mail server (engine/run/demand.h), else left to the job, which hears that it
 * is UNAVAILABLE. */
bool refetch_gathered(const RoleMailbox *box, GError **error);
