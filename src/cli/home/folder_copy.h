#pragma once

/*
 * A folder copied file by file, for `backup` and `restore`: regular files and folders, with
 * their times; never wider open than for their owner. Links, sockets and pipes are left out and
 * counted. Nothing is flushed here: the caller flushes the file system once, at the end.
 *
 * The source may be in use. A Maildir's files change names under our hands, and one that moves
 * at the wrong moment is in no listing; so a Maildir's mail is known by its base name, is
 * copied once however often it is seen, and folder_copy() walks until a walk finds nothing new.
 */

typedef struct FolderStats {
    unsigned files, left_out;
    uint64_t bytes;
} FolderStats;

/* Copies a folder. skip: names at its top that are not copied, NULL-terminated. tell is called
 * now and then, to show that something happens; may be NULL. Adds to stats. */
typedef void (*TreeTell)(const FolderStats *stats);
bool folder_copy(int from_fd,
                 int to_fd,
                 const char *const *skip,
                 TreeTell tell,
                 FolderStats *stats,
                 GError **error);
