#pragma once

/*
 * The process of an imap account: a mirror beside the Maildirs, which holds the connection and
 * the password and decides nothing.
 *
 *   on the server                      here
 *   mail comes          --fetch-->     the role's Maildir, then intake (the local account's)
 *   it is moved         <--owed--      it was moved
 *   it is flagged       <--owed--      it was handled, answered
 *   Sent, INBOX         <--owed--      a copy, a checkpoint
 *   some other mail     --kept-->      somebody asks for it (store/mail/demands.h)
 *   a person deletes    --seen-->      the job is stopped, by the rules of
 *   a checkpoint                       engine/checkpoint/checkpoint.h
 *
 * (1) The first login ever sets a mark: mail that lay there is never work, and nothing about it
 *     changes.
 * (2) A file's name derives from account, UIDVALIDITY and UID, so fetching again changes
 *     nothing; the mark moves when files are flushed.
 * (3) Only mail that became work is moved or flagged; only `folder` is watched; our own folders
 *     lie below `folder-prefix`.
 * (4) A mailbox has one home: its mark lies in our folder "Home" (remote_home.c). What the look finds
 *     stands in the store (store/mail/mailboxes.h), and runs and deliveries go by that.
 * (5) A server that is away is tried again after 1 s, 2 s … 5 min; one that refuses the login,
 *     or can't be trusted, after 15 min. `status` says why; the log says so once, and once more
 *     when it works again.
 *
 * SIGURG tells the process that something is owed to the server. A program that does not know
 * the signal is not harmed: by default SIGURG is ignored.
 */
#include "engine/checkpoint/catch_up.h"

typedef struct RemoteOptions {
    bool once;        /* one pass, no waiting */
    bool take_over;   /* the mailbox is ours from now on; nothing else is done */
    CatchUp *caught;  /* after a backup: only looks what happened since, and adds it here */
    int64_t since_us; /* one pass that also fetches older mail, received since then; 0: none */
} RemoteOptions;

/* Runs until SIGTERM or SIGINT. Exit status 78: the mailbox is another home's, or (once) the
 * login is refused. */
int remote_main(Engine *engine, const ConfAccount *account, const RemoteOptions *options);
