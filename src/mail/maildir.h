#pragma once

/*
 * Maildir++ as Dovecot and mutt write it: new, cur, tmp, and folders as ".Name" beside them. A
 * mail is known by its base name, the part before ":2,"; flags and the move from new to cur
 * change the rest at any moment, under our hands. So looking a mail up means looking for its
 * base name.
 *
 * Delivery flushes twice: the file, then the folder. The caller names the file, so delivering
 * again is recognised.
 */

typedef struct Maildir Maildir;

/* root_fd is the folder that holds the mailboxes (home/mail). make: creates what is missing. */
bool maildir_open(int root_fd, const char *mailbox, bool make, Maildir **ret, GError **error);
void maildir_close(Maildir *md);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Maildir, maildir_close)

/* Everywhere below folder is "" for INBOX, else "Done", "Sent", "Active", … */

typedef struct MaildirEntry {
    char *base; /* unique part of the name */
    char *name; /* as it lies there, with flags */
    char *folder;
    bool in_new;
    char flags[8]; /* sorted letters: D F P R S T */
    int64_t mtime_us, size;
} MaildirEntry;
void maildir_entry_free(MaildirEntry *e);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MaildirEntry, maildir_entry_free)

/* A unique base name in the usual manner (time, pid, counter, host). */
char *maildir_name(int64_t wall_us);

/*
 * Files bytes under base in new (or in cur with these flags, when flags is not NULL). head is
 * put in front (the origin line; may be ""). *ret_was_there: a mail of that base name is
 * anywhere in this mailbox already, and nothing was done. ERR_LATER for a full disk.
 */
bool maildir_deliver(Maildir *md,
                     const char *folder,
                     const char *base,
                     const char *flags,
                     const char *head,
                     const void *bytes,
                     size_t len,
                     bool *ret_was_there,
                     GError **error);

/*
 * How hard delivery looks for a mail that is there already. True (the default): anywhere in the
 * mailbox, in one listing that is made at the first delivery after opening or after this call;
 * for work that a dead process may have done. False: only under the very name that it would
 * get, at no cost; for work that is new. A base name has one deliverer at a time.
 */
void maildir_set_redo(Maildir *md, bool maybe);

/* Many at once, 64 at a time: all files are written and flushed, then renamed, then each folder
 * is flushed once. On false some may be there: do it again. */
typedef struct MaildirItem {
    const char *folder, *base, *flags, *head;
    const void *bytes;
    size_t len;
    bool was_there; /* result */
    bool skip;      /* set by the gate: it is not to appear after all */
    void *user;     /* the caller's own */
} MaildirItem;
bool maildir_deliver_many(Maildir *md, MaildirItem *items, size_t n, GError **error);
/* Who may still take mail back is asked at the last moment: open() comes when the files are
 * written and flushed, right before they are renamed, and close() when they are there for good,
 * or not (ok); between the two is one flush of each folder. What close() says counts. */
typedef struct MaildirGate {
    bool (*open)(void *data, MaildirItem *items, size_t n, GError **error);
    bool (*close)(void *data, MaildirItem *items, size_t n, bool ok, GError **error);
    void *data;
} MaildirGate;
void maildir_set_gate(Maildir *md, const MaildirGate *gate); /* borrowed; NULL: none */

/* All mails of new and cur; entries that are no mail (foreign files, folders, FIFOs, dot files)
 * are skipped and counted; no such folder is no mail. Elements are MaildirEntry, oldest name
 * first, each mail once. new_only: leave cur alone. A mail that somebody moves at this moment
 * may be missing: only maildir_find() can say that one is gone. */
bool maildir_scan(Maildir *md,
                  const char *folder,
                  bool new_only,
                  GPtrArray **ret_entries,
                  unsigned *ret_foreign,
                  GError **error);
/* The base names alone, in no order, a mail that moves perhaps twice: no file is looked at, so
 * this is cheap in a large folder. Elements are char *. */
bool maildir_names(Maildir *md, const char *folder, GPtrArray **ret_names, GError **error);
/* One mail by its name in new or cur of a folder, as maildir_scan() gives it; NULL with true:
 * no mail of that name is there. */
bool maildir_look(Maildir *md,
                  const char *folder,
                  bool in_new,
                  const char *name,
                  MaildirEntry **ret,
                  GError **error);
/* In all folders, new and cur, again while anything changes, to meet a mail that moves; NULL
 * without error: not there. */
bool maildir_find(Maildir *md, const char *base, MaildirEntry **ret, GError **error);
/* Its file, beneath the folder of this mailbox and of all others; caller frees. */
char *maildir_entry_path(const char *mailbox, const MaildirEntry *e);
/* ERR_LIMIT above max. NULL with true: gone meanwhile. */
bool maildir_read(
    Maildir *md, const MaildirEntry *e, size_t max, GBytes **ret_bytes, GError **error);
/* Its first bytes, max at most; NULL with true: it is not where the entry says. */
bool maildir_read_head(
    Maildir *md, const MaildirEntry *e, size_t max, GBytes **ret_bytes, GError **error);
/* Each mail of the folder that can be read, oldest name first; false with error from take()
 * ends it. */
typedef bool MaildirTake(void *user, const MaildirEntry *e, GBytes *bytes, GError **error);
bool maildir_each(
    Maildir *md, const char *folder, size_t max, MaildirTake *take, void *user, GError **error);
/* As maildir_read(), but *ret_unfinished, and NULL, while somebody has it open for writing:
 * Maildir asks for a file that is whole before it gets its name, but not everybody obeys. Where
 * the kernel can't tell it is taken for whole. */
bool maildir_read_finished(Maildir *md,
                           const MaildirEntry *e,
                           size_t max,
                           bool *ret_unfinished,
                           GBytes **ret_bytes,
                           GError **error);
/* Moves to a folder, made where missing, keeping flags (new stays new); flushed in both. Done
 * already and gone are true. ERR_AGAIN when others move it faster than we do. */
bool maildir_move(Maildir *md, const char *base, const char *folder, GError **error);
/* The same, and adds flag letters on the way, by the one rename: then it lies in cur. */
bool maildir_move_flagged(
    Maildir *md, const char *base, const char *folder, const char *add, GError **error);
/* The same without a flush: for one of several files of a mail. If the power fails, it may lie
 * where it lay. */
bool maildir_move_copy(
    Maildir *md, const char *base, const char *folder, const char *add, GError **error);
/* Adds and removes flag letters; a mail in new goes to cur. Gone is true. */
bool maildir_flag(
    Maildir *md, const char *base, const char *add, const char *remove, GError **error);
/* Names of the folders beside INBOX. */
bool maildir_folders(Maildir *md, GPtrArray **ret_names, GError **error);
/* Removes what dead deliveries left in tmp, last written before that wall time (Maildir says
 * 36 hours ago). */
bool maildir_sweep(Maildir *md, int64_t before_us, unsigned *ret_removed, GError **error);
/* The name it was opened by; borrowed. */
const char *maildir_mailbox(const Maildir *md);
/* Makes a folder where it is missing. */
bool maildir_make_folder(Maildir *md, const char *folder, GError **error);
