#pragma once

/*
 * The leaves of a message (parts that hold no other part): what the header of each says, its
 * bytes decoded, and the text that all of them make. The MIME parser finds the leaves
 * (message_parse.c); this is plain C.
 */
#include "mail/message.h"

/* A leaf as it lies in the message. Borrowed. */
typedef struct Leaf {
    const char *type;        /* Content-Type, unfolded; NULL: none */
    const char *disposition; /* Content-Disposition; NULL: none */
    const char *encoding;    /* Content-Transfer-Encoding; NULL: none */
    const char *data;        /* encoded */
    size_t len;
    unsigned group; /* the multipart/alternative that it belongs to; 0: none */
} Leaf;

typedef struct PartList PartList;

/* Reads the content of a forwarded mail; NULL: it stays a file. The caller owns the result. */
typedef Message *PartOpen(void *user, const char *data, size_t len);

/* keep: the content of each part is kept too. max_text: bytes of the message's text at most.
 * open must not be NULL; user is handed to it. */
PartList *partlist_new(bool keep, size_t max_text, PartOpen *open, void *user);
void partlist_free(PartList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PartList, partlist_free)

/* Reads one leaf; its data must stay where it is until partlist_finish(). */
void partlist_add(PartList *list, const Leaf *leaf);
/* Chooses what the message's text is (plain before HTML within one alternative), names and
 * lists whatever is not just that text, and gives all of it to m: parts, files, text, flags. */
void partlist_finish(PartList *list, Message *m);
