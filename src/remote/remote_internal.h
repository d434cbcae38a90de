#pragma once

/*
 * The inside of an imap account's process: remote.c (the loop), remote_home.c (whose mailbox it
 * is), remote_survey.c (after a take-over), remote_backup.c (after a backup), remote_mark.c (what is new), remote_route.c (whose mail it is), remote_fetch.c (mail
 * in), remote_copy.c (of our own), remote_demand.c (mail that somebody asks for),
 * remote_settle.c (what is owed), remote_probe.c (mail in doubt), remote_look.c (what a person
 * did there).
 *
 * Folders have a path, as the settings name it and rows remember it ("postrider/Done"), and a
 * name, as this server calls it ("INBOX.postrider.Done").
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
    char *active, *done, *home; /* paths */
    GHashTable *mailboxes;      /* of roles: name -> Maildir */
    bool redo;                  /* files may be there whose rows are not */
    bool refused;               /* the mailbox is another home's */
    char *start;                /* of our mark there; NULL: not put yet */
    char *first;                /* what the mark says of the first visit ever (remote_home.c) */
    ImapMailbox home_box;       /* its folder, when our mark was last seen in it */
    unsigned told;              /* TOLD_… */

    /* As long as a connection lasts. */
    ImapConn *conn;
    char *selected;   /* name of the selected folder; NULL: none */
    bool writable;    /* it */
    ImapMailbox box;  /* of it */
    unsigned selects; /* how often we did */
    char *sent;       /* name; NULL: not asked for yet */
    GPtrArray *known; /* ImapFolder, all there are; NULL: not asked for yet */
    bool in_doubt;    /* what is to be filed may be there already */
    /* Mail in doubt (remote_probe.c). */
    GHashTable *doubts;                 /* char * set: those that were looked for */
    bool probe_young;                   /* one of them may be about to be filed there */
    int64_t probe_at_us, probe_wait_us; /* the next look, by clock_mono_us(); since the last */
    /* Of its Sent folder, as long as the process lasts (remote_sent.c). */
    ImapUid sent_seen; /* the last that was looked at */
    bool sent_tells;   /* mail of ours was recognised there */

    GHashTable *gone; /* Message-ID -> when we first did not find it, int64_t * */
} Remote;

/* remote.c */

/* Selects a folder by name, if it is not selected yet; by path. Only who changes something
 * there asks to write: the others take no \Recent from anybody. */
bool remote_select(Remote *r, const char *name, bool to_write, GError **error);
bool remote_select_path(Remote *r, const char *path, bool to_write, GError **error);
bool remote_name(Remote *r, const char *path, char **ret_name, GError **error);
/* All folders of the server. Borrowed. */
bool remote_folders(Remote *r, const GPtrArray **ret, GError **error);
/* The newest mail of that id in the selected folder; 0: none. *ret_only (may be NULL): there is
 * no other. */
bool
remote_find(Remote *r, const char *msgid, uint32_t *ret_uid, bool *ret_only, GError **error);
/* The server refused something: true, and the account goes on without it. False where the connection
 * broke, with that as the error. */
bool remote_goes_on(const Remote *r, GError **refused, GError **error);
/* Each role whose mail lies on this server, until one of them fails. */
typedef bool RemoteVisit(Remote *r, const ConfRole *role, GError **error);
bool remote_each_role(Remote *r, RemoteVisit *visit, GError **error);
/* The mailbox of a role. Borrowed; NULL with error. */
Maildir *remote_mailbox(Remote *r, const char *role, GError **error);
/* How hard filing looks for what is there already (maildir_set_redo()). */
void remote_set_redo(Remote *r, bool maybe);

/* remote_home.c: makes our folders and sees whose mailbox it is; before every pass. ERR_CONFIG, and
 * r->refused, when it is another home's. */
bool remote_claim(Remote *r, GError **error);

/* remote_survey.c: after a take-over, before anything of the account runs: which of our jobs, and
 * which mail that is not ours, the other home had in hand. */
bool remote_survey(Remote *r, GError **error);
/* What lies in Active there and is not known here: as history that is listed, or as a file in Active
 * alone. *ret_n: how many. */
bool remote_survey_active(Remote *r, bool files_alone, unsigned *ret_n, GError **error);
/* Of rows of remote_open(): which of the mails lie in the selected folder, by UID. */
bool remote_find_there(Remote *r, const RemoteRows *rows, ImapSet *ret, GError **error);

/* remote_backup.c: after a backup was accepted, before anything of the account runs: what happened
 * since to the mail there. */
bool remote_catch_up(Remote *r, GError **error);

/* remote_route.c: the roles whose mail it is, the first one's before all; elements are
 * ConfRole, borrowed. None: nobody's here. Caller frees. */
GPtrArray *remote_route(const Remote *r, const Message *m);

/* remote_mark.c: the mark of the watched folder, which is selected; made where there is none,
 * or where the server has numbered its mail anew. */
bool remote_mark_load(Remote *r, RemoteMark *ret, GError **error);
/* remote_body.c: a place for bodies, one after the other; the descriptor of the next one (-1
 * with error); and what was written there, with lines as in our files. */
bool remote_body_open(int *ret_fd, GError **error);
int remote_body_begin(int fd, GError **error);
bool remote_body_read(int fd, const ImapMail *mail, GBytes **ret, GError **error);
/* The name of the file that a mail of the selected folder gets in this folder here; caller frees. Files
 * it there for a role, as seen and flushed; once more is the same. */
char *remote_file_name(const Remote *r, const char *folder, const ImapMail *mail);
bool remote_file(Remote *r,
                 const ConfRole *role,
                 const char *folder,
                 const char *base,
                 GBytes *lines,
                 GError **error);
/* Reads mails of the selected folder, their headers or all of them; uids NULL: every mail there. take()
 * gets each one, flagged as deleted or not, with its lines; false with error ends it. */
typedef bool
RemoteTake(void *user, const ImapMail *mail, GBytes *lines, const Message *m, GError **error);
bool remote_read(Remote *r,
                 const ImapSet *uids,
                 ImapPart part,
                 RemoteTake *take,
                 void *user,
                 GError **error);

/* remote_fetch.c: what came since the mark; the watched folder is selected. since_us: older
 * mail too. */
bool remote_fetch(Remote *r, int64_t since_us, GError **error);

/* remote_demand.c: what is asked for by Message-ID. Another folder may be selected then. */
bool remote_demands(Remote *r, GError **error);

/* remote_settle.c: moves and mail to be filed. The watched folder may not be selected any more.
 */
bool remote_settle(Remote *r, GError **error);
/* Sets r->sent: the folder that the server says is for sent mail, else one of that name. */
bool remote_find_sent(Remote *r, GError **error);

/* remote_sent.c: what our mail is called since the server took it. */
bool remote_learn(Remote *r, GError **error);

/* remote_probe.c: mail in doubt that the server's Sent folder speaks of. */
bool remote_probe(Remote *r, GError **error);
/* When to look for it again, by clock_mono_us(); USEC_NEVER: when there is news. */
int64_t remote_probe_next_us(const Remote *r);
/* A new connection looks for all of it. */
void remote_probe_forget(Remote *r);

/* remote_copy.c: is it a copy of our own mail that we sent ourselves? Then it is dealt with, and
 * nobody's. */
bool remote_take_copy(Remote *r, const Message *m, bool *ret_is_one, GError **error);

/* remote_look.c: what became of the checkpoints of parked jobs. *ret_again_us: when to look
 * again, by clock_mono_us(); USEC_NEVER: when there is news. */
bool remote_look(Remote *r, int64_t *ret_again_us, GError **error);
