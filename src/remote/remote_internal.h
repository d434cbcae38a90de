#pragma once

/*
 * The inside of an imap account's process. Each file has one job:
 *
 *   remote.c         the loop                          remote_demand.c  mail that a part of postrider asks for
 *   remote_home.c    whose mailbox it is               remote_settle.c  moves, flags and copies that are owed
 *   remote_survey.c  after a take-over                 remote_sent.c    ids that the server gave to our mail
 *   remote_backup.c  after a backup was put back       remote_probe.c   mail in doubt, looked for in Sent
 *   remote_mark.c    which mail is new                 remote_copy.c    copies of mail that we sent ourselves
 *   remote_route.c   whose mail it is                  remote_look.c    checkpoints that a person has deleted
 *   remote_fetch.c   new mail, taken in                remote_body.c    bodies on their way into files
 *
 * A folder has two names. Its path is what the settings and our rows say ("postrider/Done"); its
 * name is what this server calls it ("INBOX.postrider.Done").
 */
#include "mail/maildir.h"
#include "mail/message.h"
#include "remote/remote.h"
#include "store/mail/server_mail.h"
#include "wire/imap.h"

typedef struct Remote {
    Engine *engine;
    const ConfAccount *account;
    const RemoteOptions *options;
    int stop_fd, wake_fd;
    char *active, *done, *home; /* paths of our folders */
    GHashTable *mailboxes;      /* name of a role -> its Maildir */
    bool redo;                  /* files may be there whose rows are not */
    bool refused;               /* the mailbox belongs to another home */
    char *start;                /* the mark of this start, as it stands on the server; NULL: not put there yet */
    char *first;                /* what the mark says of the first visit ever (remote_home.c) */
    ImapMailbox home_box;       /* the folder of the mark, as it was when the mark was last seen there */
    unsigned told;              /* TOLD_… */

    /* As long as a connection lasts. */
    ImapConn *conn;
    char *selected;   /* name of the selected folder; NULL: no folder is selected */
    bool writable;    /* the selected folder was opened for writing */
    ImapMailbox box;  /* what the server said of the selected folder */
    unsigned selects; /* how often a folder was selected */
    char *sent;       /* name of the folder for sent mail; NULL: not asked for yet */
    GPtrArray *known; /* ImapFolder, all folders of the server; NULL: not asked for yet */
    bool in_doubt;    /* what is to be filed may be there already */
    /* Mail in doubt (remote_probe.c). */
    GHashTable *doubts;                 /* set of char *: Message-IDs that were looked for */
    bool probe_young;                   /* one of these mails may be about to be filed in Sent */
    int64_t probe_at_us, probe_wait_us; /* the next look, by clock_mono_us(); the wait before it */
    /* The folder for sent mail, as long as the process lasts (remote_sent.c). */
    ImapUid sent_seen; /* the last mail that was looked at */
    bool sent_tells;   /* mail of ours was recognised there */

    GHashTable *gone; /* Message-ID -> int64_t *, when the mail was first missed */
} Remote;

/* --- remote.c --- */

/* Selects a folder by its name, or by its path, if it is not selected yet. Ask to write only to change something:
 * a folder that is opened for reading takes no \Recent flag from anybody. */
bool remote_select(Remote *r, const char *name, bool to_write, GError **error);
bool remote_select_path(Remote *r, const char *path, bool to_write, GError **error);
/* The name that the server has for a path; caller frees. */
bool remote_name(Remote *r, const char *path, char **ret_name, GError **error);
/* All folders of the server, of ImapFolder. Borrowed. */
bool remote_folders(Remote *r, const GPtrArray **ret, GError **error);
/* The newest mail of the selected folder with that Message-ID; 0: there is no such mail. *ret_only (may be
 * NULL): there is exactly one. */
bool
remote_find(Remote *r, const char *msgid, uint32_t *ret_uid, bool *ret_only, GError **error);
/* After a call that failed with *refused. True: the server refused that one thing, and the account goes on
 * without it. False: the connection broke, and *refused moves to error. */
bool remote_goes_on(const Remote *r, GError **refused, GError **error);
/* Visits each role whose mail lies on this server, until a visit fails. */
typedef bool RemoteVisit(Remote *r, const ConfRole *role, GError **error);
bool remote_each_role(Remote *r, RemoteVisit *visit, GError **error);
/* The local mailbox of a role. Borrowed; NULL with error. */
Maildir *remote_mailbox(Remote *r, const char *role, GError **error);
/* maybe: files may be there already, so filing looks for them first (maildir_set_redo()). */
void remote_set_redo(Remote *r, bool maybe);

/* --- remote_home.c --- */

/* Makes our folders and sees whose mailbox it is; called before every pass. ERR_CONFIG, and r->refused,
 * where it is another home's. */
bool remote_claim(Remote *r, GError **error);

/* --- remote_survey.c --- */

/* After a take-over, before any part of the account runs: finds which of our jobs, and which mail that does
 * not belong to us, the other home had in hand. */
bool remote_survey(Remote *r, GError **error);
/* Takes in mail of the server's folder Active that the store does not know: as history that is listed, or, with
 * files_alone, as a file in the local folder Active and no row. *ret_n: how many. */
bool remote_survey_active(Remote *r, bool files_alone, unsigned *ret_n, GError **error);
/* Which mails of these rows (from remote_open()) lie in the selected folder, by UID. */
bool remote_find_there(Remote *r, const RemoteRows *rows, ImapSet *ret, GError **error);

/* --- remote_backup.c --- */

/* After a backup was accepted, before any part of the account runs: finds what became of its mail on the server
 * since the backup was made. */
bool remote_catch_up(Remote *r, GError **error);

/* --- remote_route.c --- */

/* The roles whose mail it is, of ConfRole (borrowed); the first one leads. Empty: it is for nobody here. Caller
 * frees the array. */
GPtrArray *remote_route(const Remote *r, const Message *m);

/* --- remote_mark.c --- */

/* The mark of the watched folder, which must be selected. Makes the mark where there is none, or where the
 * server has numbered its mail anew. */
bool remote_mark_load(Remote *r, RemoteMark *ret, GError **error);

/* --- remote_body.c --- */

/* Opens a place for bodies, which are written one after the other. */
bool remote_body_open(int *ret_fd, GError **error);
/* The descriptor for the next body; -1 with error. */
int remote_body_begin(int fd, GError **error);
/* The body that was written last, with line ends as our files have them. */
bool remote_body_read(int fd, const ImapMail *mail, GBytes **ret, GError **error);
/* The name of the local file for a mail of the selected folder; caller frees. */
char *remote_file_name(const Remote *r, const char *folder, const ImapMail *mail);
/* Files the mail under that name in a folder of the role, as seen, and flushes it. Calling it again changes
 * nothing. */
bool remote_file(Remote *r,
                 const ConfRole *role,
                 const char *folder,
                 const char *base,
                 GBytes *lines,
                 GError **error);
/* Reads mails of the selected folder, their headers alone or all of them; uids NULL: every mail there. Calls
 * take() for each mail with its lines, also where the mail is flagged as deleted; false with error from take()
 * ends the reading. */
typedef bool
RemoteTake(void *user, const ImapMail *mail, GBytes *lines, const Message *m, GError **error);
bool remote_read(Remote *r,
                 const ImapSet *uids,
                 ImapPart part,
                 RemoteTake *take,
                 void *user,
                 GError **error);

/* --- remote_fetch.c --- */

/* Takes in what came since the mark; the watched folder is selected. since_us: also older mail that was
 * received since then; 0: no older mail. */
bool remote_fetch(Remote *r, int64_t since_us, GError **error);

/* --- remote_demand.c --- */

/* Fetches mail that is asked for by its Message-ID (store/mail/demands.h). Another folder may be selected
 * afterwards. */
bool remote_demands(Remote *r, GError **error);

/* --- remote_settle.c --- */

/* Carries out the moves that are owed, and files the mail that is to be filed. The watched folder may not be
 * selected any more afterwards. */
bool remote_settle(Remote *r, GError **error);
/* Sets r->sent: the folder that the server marks as the one for sent mail, else a folder of that name. */
bool remote_find_sent(Remote *r, GError **error);

/* --- remote_sent.c --- */

/* Learns from the folder for sent mail which Message-IDs the server gave to our mail. */
bool remote_learn(Remote *r, GError **error);

/* --- remote_probe.c --- */

/* Looks into the server's Sent folder for mail in doubt. */
bool remote_probe(Remote *r, GError **error);
/* When to look again, by clock_mono_us(); USEC_NEVER: only when the server has news. */
int64_t remote_probe_next_us(const Remote *r);
/* Called for a new connection: all mail in doubt is looked for again. */
void remote_probe_forget(Remote *r);

/* --- remote_copy.c --- */

/* Is this mail the copy that we sent to ourselves? Then it is dealt with here and is nobody's mail. */
bool remote_take_copy(Remote *r, const Message *m, bool *ret_is_one, GError **error);

/* --- remote_look.c --- */

/* Looks what became of the checkpoint mails of parked jobs. *ret_again_us: when to look again, by
 * clock_mono_us(); USEC_NEVER: only when the server has news. */
bool remote_look(Remote *r, int64_t *ret_again_us, GError **error);
