#pragma once

/*
 * The inside of Maildir, shared by maildir.c (looking and moving) and maildir_deliver.c; nobody
 * else includes it. A Folder is one Maildir++ folder, opened for the time of one call: mail
 * clients may remove and make folders between two calls. Only deliveries keep theirs open,
 * until one fails: in a folder that was removed nothing can be made, so it is noticed.
 */
#include "mail/maildir.h"

#define MAILDIR_FOLDER_MAX 200
#define MAILDIR_BASE_MAX                                                                       \
    200 /* of ours: leaves room for ":2," and every letter below NAME_MAX */

struct Maildir {
    char *mailbox;
    int fd;
    pid_t pid;
    unsigned n_tmp; /* both for unique names in tmp */
    bool maybe_redo;
    GHashTable *known;  /* all base names as of the first look; NULL: not listed yet */
    bool known_durable; /* the folders were flushed after known was made */
    GPtrArray *targets; /* of Folder: delivered to; NULL: none */
    const MaildirGate *gate;
};

typedef enum Sub { SUB_NEW, SUB_CUR, SUB_TMP, SUB_N } Sub;
extern const char *const folder_sub_names[SUB_N];

typedef struct Folder {
    char *name; /* "" for INBOX */
    int fd;
    int sub[SUB_N];    /* -1: not opened yet */
    bool dirty[SUB_N]; /* has names that were not flushed */
} Folder;

/* *ret is NULL, with true, when there is no such folder and it is not to be made. ERR_NEVER for
 * a name that can't be one. */
bool folder_open(int mailbox_fd, const char *name, bool make, Folder **ret, GError **error);
void folder_close(Folder *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Folder, folder_close)
/* A descriptor of the sub-folder that lives as long as f, or -1 with errno. */
int folder_sub(Folder *f, Sub s);
/* Makes the sub-folder's names durable. */
bool folder_flush(Folder *f, Sub s, GError **error);
/* ".Name", or "." for INBOX; caller frees. */
char *folder_dir_name(const char *folder);
/* INBOX first, then as maildir_folders(). */
bool maildir_all_folders(Maildir *md, GPtrArray **ret_names, GError **error);

/* These two return as their system calls do; no symbolic link is followed. */
bool dir_make_at(int at, const char *name); /* there already is true */
/* As renameat(2), but EEXIST where the name is taken. */
int file_rename_new(int from, const char *from_name, int to, const char *to_name);

/* One component of a path, without a leading dot or control characters. */
bool name_is_plain(const char *name, size_t max);
/* Where ":2," begins, or NULL. */
const char *name_info(const char *name);
size_t name_base_length(const char *name);
/* The info part, ":2,…", with letters added and removed, in ASCII order; letters that we don't
 * know (Dovecot's keywords) stay. Caller frees. */
char *name_change_info(const char *name, const char *add, const char *remove);
bool name_flags_valid(const char *flags);
