#pragma once

/*
 * The process of an imap account: a mirror beside the Maildirs, which holds the connection and
 * the password and decides nothing.
 *
 *   server --fetch--> the role's Maildir --inotify--> intake, in the process of the local
 * account message moved here --owed--> moved there        checkpoint, copy in Sent --owed-->
 * filed there a person deletes a checkpoint there --> deleted here, where the evidence rules
 * act
 *
 * (1) The first login ever sets a mark: mail that lay there is never work, and nothing about it
 *     changes. (2) A file's name derives from account, UIDVALIDITY and UID, so fetching again
 *     changes nothing; the mark moves when files are flushed. (3) Only mail that became work is
 *     moved; only `folder` is watched; our own folders lie below `folder-prefix`. (4) A mailbox
 *     has one home: its id lies in our folder "Home". (5) A server that is away is tried again
 *     after 1 s, 2 s … 5 min, one that refuses the login or can't be trusted after 15 min;
 *     `status` says why, once.
 *
 * SIGURG says that something is owed: whoever is not ready for it ignores it.
 */
#include "engine/engine.h"

/* In front of a fetched mail whose text was left on the server, being larger than max-message:
 * its size there. Intake holds such mail. */
#define REMOTE_LARGE_HEADER "X-Postrider-Left-On-Server"

typedef struct RemoteOptions {
    bool once;        /* one pass, no waiting */
    bool take_over;   /* the mailbox is ours from now on; nothing else is done */
    int64_t since_us; /* one pass that also fetches older mail, received since then; 0: none */
} RemoteOptions;

/* Runs until SIGTERM or SIGINT. Exit status 78: the mailbox is another home's, or (once) the
 * login is refused. */
int remote_main(Engine *engine, const ConfAccount *account, const RemoteOptions *options);
