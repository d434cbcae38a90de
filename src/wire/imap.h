#pragma once

/*
 * One connection to an IMAP server, as straight-line blocking calls. libcurl finds the host and
 * does TLS, with or without STARTTLS; from then on it only carries bytes, and everything that
 * they say is read here (wire/imap_response.h), as hostile.
 *
 *              imap_open()                imap_select()
 *    (nothing) ----------> LOGGED IN -------------------> SELECTED <--> imap_idle()
 *                              |     <---- fails: NO -----    |
 *                              |                              |
 *                              '-----> BROKEN <---------------'   imap_close() from anywhere
 *                                BYE, end of file, too late, too much, no IMAP,
 *                                a failing write of ours, stop_fd
 *
 * (1) A password or token leaves only over a verified TLS connection or to a loopback address.
 *     It appears in no error and no log.
 * (2) No argument can become a command: each is an atom that we wrote, a checked quoted
 *     string, or a literal (wire/imap_command.h).
 * (3) A message is named by its UID alone, and UIDs mean something only together with the
 *     UIDVALIDITY that imap_select() gave. Sequence numbers are never used, so nothing that
 *     the server says between can make us touch another mail.
 * (4) Reading changes nothing: BODY.PEEK everywhere. Only UIDs that were named are ever
 *     flagged, moved or removed; without UIDPLUS nothing is expunged at all.
 * (5) Memory is bounded, and so is time: time_us for each command, plus what it takes to
 *     carry the bytes at 1 KB/s, at most 30 minutes.
 *
 * Errors say what to do:
 *
 *     ERR_LATER      the network, or the server can't now: wait, then try again, with a new
 *                    connection if imap_is_broken()
 *     ERR_CONFIG     login, certificate, folder, right: a person must change something
 *     ERR_NEVER      the server refuses this command, or we can't write it
 *     ERR_LIMIT      one of our caps; the connection is broken
 *     ERR_CANCELLED  stop_fd; the connection is broken
 *
 * A broken connection fails every call in the same words. The command under which it broke
 * may or may not have been carried out.
 *
 * One per process at a time is usual, more are possible. Nothing here logs or starts a thread
 * of ours.
 */
#include "wire/imap_set.h"

typedef struct ImapConn ImapConn;

typedef enum ImapTls { IMAP_TLS_IMPLICIT, IMAP_TLS_STARTTLS, IMAP_TLS_NONE } ImapTls;

/* Borrowed until imap_open() returns. */
typedef struct ImapOptions {
    const char *host;
    unsigned port; /* 0: 993, or 143 without implicit TLS */
    ImapTls tls;
    const char *ca_file; /* NULL: the system's */
    const char *user;
    const char *password; /* PLAIN, else LOGIN */
    const char *token;    /* instead: OAUTHBEARER, else XOAUTH2 */
    int64_t time_us;      /* 0: 60 s; to connect, and for each answer */
    int64_t idle_us;      /* 0: 25 min; how long one IDLE lasts, less where routers forget */
    uint64_t max_body;    /* of a mail; 0: LIMIT_MESSAGE_BYTES */
    bool has_stop;
    int stop_fd; /* readable: whatever waits ends with ERR_CANCELLED */
} ImapOptions;

/* Connects and logs in. ERR_CONFIG for a wrong password, an expired token, a certificate that
 * does not hold, a server that offers no STARTTLS; ERR_LATER for one that is away or busy. */
bool imap_open(const ImapOptions *options, ImapConn **ret, GError **error);
/* Says LOGOUT if there is still somebody, without waiting long. NULL is fine. */
void imap_close(ImapConn *conn);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImapConn, imap_close)

bool imap_is_broken(const ImapConn *conn);
/* True when the server offered it: "UIDPLUS", "MOVE", "IDLE"… */
bool imap_can(const ImapConn *conn, const char *capability);
/* The newest [ALERT] since the last call, which people must be shown; escaped. NULL: none.
 * Caller frees. */
char *imap_steal_alert(ImapConn *conn);
bool imap_noop(ImapConn *conn, GError **error);

/* --- folders --- */

typedef enum ImapFolderUse {
    IMAP_USE_NONE,
    IMAP_USE_SENT,
    IMAP_USE_TRASH,
    IMAP_USE_DRAFTS,
    IMAP_USE_JUNK,
    IMAP_USE_ARCHIVE,
    IMAP_USE_ALL,
    IMAP_USE_FLAGGED,
} ImapFolderUse;

typedef struct ImapFolder {
    char *name;     /* UTF-8, with the server's separator */
    char separator; /* '\0': flat */
    ImapFolderUse use;
    bool can_select;
} ImapFolder;
void imap_folder_free(ImapFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImapFolder, imap_folder_free)

/* All folders, of ImapFolder *; at most 10,000. Those whose name is no proper mUTF-7 are left
 * out: we could not name them. */
bool imap_list(ImapConn *conn, GPtrArray **ret, GError **error);
/* Turns "postrider/Done" into what this server calls it ("INBOX.postrider.Done"). INBOX stays.
 * ERR_CONFIG when a part holds the server's separator. Caller frees. */
bool imap_place(ImapConn *conn, const char *path, char **ret_name, GError **error);
/* Makes a folder and subscribes to it; true as well when it is there already. */
bool imap_create(ImapConn *conn, const char *name, GError **error);

typedef struct ImapMailbox {
    uint32_t uidvalidity;   /* 0: the server keeps no UIDs; believe none of an earlier visit */
    uint32_t uidnext;       /* 0: not told; else no mail that comes later has a lower UID */
    uint32_t exists;        /* mails in it */
    uint64_t highestmodseq; /* 0: no CONDSTORE here */
    bool read_only;
    bool takes_keywords; /* new ones can be made by using them */
} ImapMailbox;
/* read_only: EXAMINE. ERR_CONFIG when there is no such folder, or it may not be opened. */
bool
imap_select(ImapConn *conn, const char *name, bool read_only, ImapMailbox *ret, GError **error);

/* Of a folder that is not selected: uidvalidity, uidnext and exists, 0 where the server does
 * not tell. */
bool imap_status(ImapConn *conn, const char *name, ImapMailbox *ret, GError **error);

/* --- reading --- */

/* All that is said must hold; at least one thing is. */
typedef struct ImapQuery {
    const ImapSet *uids; /* NULL: all */
    const char *header;  /* a name, such as "Message-ID"; NULL: none */
    const char *value;   /* contained in that header, as the server compares */
    int64_t since_us;    /* received on that day (UTC) or later; 0: any time */
} ImapQuery;
/* ERR_LIMIT when more than a million are found. A header search is a hint: servers differ in
 * what "contains" means, so look at what it finds. */
bool imap_search(ImapConn *conn, const ImapQuery *query, ImapSet *ret, GError **error);

#define IMAP_SEEN (1u << 0)
#define IMAP_ANSWERED (1u << 1)
#define IMAP_FLAGGED (1u << 2)
#define IMAP_DELETED (1u << 3)
#define IMAP_DRAFT (1u << 4)

typedef enum ImapPart { IMAP_NO_BODY, IMAP_HEADER, IMAP_BODY } ImapPart;
typedef enum ImapBodyState {
    IMAP_BODY_NONE,    /* not asked for, or the server gave none */
    IMAP_BODY_WRITTEN, /* all of it is in the descriptor */
    IMAP_BODY_LARGE,   /* more than max_body: read past, nothing was written */
} ImapBodyState;

/* Borrowed during the call. */
typedef struct ImapMail {
    uint32_t uid;
    bool has_flags;
    unsigned flags;
    const char *const *keywords; /* NULL-terminated, valid UTF-8; never NULL */
    uint64_t size;               /* as the server says; some guess */
    uint64_t modseq;             /* 0: not told */
    int64_t received_us;         /* 0: not told */
    ImapBodyState body;
    uint64_t body_bytes;
} ImapMail;

/*
 * Where mail goes that is fetched. For each body the server is about to send, begin() gives a
 * descriptor that takes it (a tmp file; it stays the caller's), or -1 with error. Then done()
 * gets the mail, or NULL when the bytes belong to nothing that was asked for and must be thrown
 * away. Without a body done() comes alone. False with error from either ends the fetch and
 * breaks the connection. Bytes are as on the wire, lines ending in CRLF.
 */
typedef struct ImapTaker {
    int (*begin)(void *user, uint64_t size, GError **error); /* NULL with IMAP_NO_BODY */
    bool (*done)(void *user, const ImapMail *mail, GError **error);
    void *user;
} ImapTaker;

typedef struct ImapFetch {
    const ImapSet *uids;
    ImapPart part;
    uint64_t changed_since; /* 0: all; else only what has a higher modseq (needs CONDSTORE) */
} ImapFetch;
/* Each mail comes at most once, in any order; those that have vanished don't come, and that is
 * no error. Large sets are asked for in several commands. */
bool imap_fetch(ImapConn *conn, const ImapFetch *fetch, const ImapTaker *taker, GError **error);

/* --- changing --- */

/* Adds or removes flags and at most one keyword (NULL: none) of these mails. */
bool imap_flag(ImapConn *conn,
               const ImapSet *uids,
               bool add,
               unsigned flags,
               const char *keyword,
               GError **error);

/* Where a mail lies now; all 0 when the server does not tell. */
typedef struct ImapUid {
    uint32_t uidvalidity, uid;
} ImapUid;
/* Files bytes as a new mail; bare line ends become CRLF. received_us 0: now. When the
 * connection breaks it is in doubt: search for the Message-ID before trying again. ERR_NEVER
 * for a NUL byte; *ret_missing (may be NULL) with ERR_NEVER: there is no such folder. */
typedef struct ImapNew {
    const char *folder;
    GBytes *mail;
    unsigned flags;
    const char *keyword;
    int64_t received_us;
} ImapNew;
bool imap_append(
    ImapConn *conn, const ImapNew *new_mail, ImapUid *ret, bool *ret_missing, GError **error);
/* Moves one mail out of the selected folder: MOVE, else COPY and imap_remove(). A mail that is
 * not there any more is no error, *ret is 0 then. After a break look where it is before trying
 * again: with COPY it may be in both. */
bool imap_move(ImapConn *conn,
               uint32_t uid,
               const char *folder,
               ImapUid *ret,
               bool *ret_missing,
               GError **error);
/* Flags these mails \Deleted and, where the server can expunge by UID, expunges them and no
 * others. Without UIDPLUS they stay, flagged. */
bool imap_remove(ImapConn *conn, const ImapSet *uids, GError **error);

/* --- waiting --- */

typedef enum ImapNews {
    IMAP_QUIET, /* the time is over */
    IMAP_NEWS,  /* mail came, went or changed, perhaps */
    IMAP_WOKEN, /* wake_fd is readable */
} ImapNews;
/* Sleeps until something happens in the selected folder, wake_fd (-1: none) becomes readable,
 * or timeout_us (of time that also passes in suspend) is over. IDLE, renewed every idle_us;
 * without it a NOOP per minute. What the server told since the last call counts, so nothing
 * that comes between reading and sleeping is slept through. Servers forget to push: look after
 * IMAP_QUIET too. */
bool imap_idle(ImapConn *conn, int64_t timeout_us, int wake_fd, ImapNews *ret, GError **error);
