#pragma once

/*
 * A wall around a program, made by bubblewrap(1): the program sees a read-only picture of the
 * system in which some places are hidden, empty or writable, has namespaces of its own (user,
 * pid, ipc, uts, cgroup and, where wanted, network), no capability and no terminal, and dies
 * with whoever started it.
 *
 * What the wall always has: the root folder read-only, and fresh ones of /proc, /dev, /tmp,
 * /var/tmp and /run. What else is seen is a list of places. A place counts for all that lies
 * beneath it, up to the next place: hide the home, and show one folder in it. Of two words
 * about the same path the stricter counts.
 *
 * The kernel does not ask a mount whether a socket may be connected to: a socket that is seen
 * can be spoken to, also from a network namespace of its own. That is why /run and /tmp are
 * fresh.
 */
#include "base/list.h"

/* From the loosest to the strictest. */
typedef enum SandboxKind {
    SANDBOX_WRITE,   /* seen as it is, and may be changed */
    SANDBOX_READ,    /* seen as it is */
    SANDBOX_SCRATCH, /* a folder: fresh, may be written to, and goes with the program */
    SANDBOX_HIDE,    /* a folder or a file: empty, and stays so */
} SandboxKind;

typedef struct SandboxPlace {
    SandboxKind kind;
    char *path;  /* absolute, without symbolic links */
    char *from;  /* what is seen there; mostly the path itself */
    bool folder; /* from is one */
} SandboxPlace;
void sandbox_place_free(SandboxPlace *place);
LIST_OF(SandboxPlaces, sandbox_places, SandboxPlace, sandbox_place_free)

typedef struct Sandbox {
    SandboxPlaces *places; /* in any order */
    bool net;              /* the network of this machine; false: a loopback without anybody */
} Sandbox;

Sandbox *sandbox_new(void);
void sandbox_free(Sandbox *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sandbox, sandbox_free)

/* Symbolic links are followed now. What is not there is left out: nothing beneath a read-only
 * folder can be made by the program, and nothing beneath a writable one was there to be
 * protected. */
void sandbox_add(Sandbox *s, SandboxKind kind, const char *path);
/* The same for a name in a folder that the program may have written to. A symbolic link is left
 * out: it may lead into a place that is hidden. */
void sandbox_add_in(Sandbox *s, SandboxKind kind, const char *folder, const char *name);
/* `from` is seen in the place of `path`, which is not touched, and which need not be there
 * beneath a folder that is fresh. /dev/null: an empty file that stays so. */
void sandbox_put(Sandbox *s, SandboxKind kind, const char *from, const char *path);
/* A file that is to be started: it and what it is a link to are seen, also in a folder that is
 * not, and in a writable folder it stays as it is. To be called last. */
void sandbox_add_program(Sandbox *s, const char *path);

/* The words in front of a program's own. ERR_CONFIG: there is no bubblewrap, or it does not
 * work here. */
char **sandbox_argv(const Sandbox *s, GError **error);
/* Why there is no wall on this machine, as a clause for people: "there is no bubblewrap (bwrap)
 * in PATH"; NULL: there is. Tried once in the life of this process, within some milliseconds;
 * net as in Sandbox. Borrowed for ever. */
const char *sandbox_lacks(bool net);
