#pragma once

/*
 * What the master keeps going. A Part is a kind of process: what to start and when it may be
 * started again. A Child is a living one, watched by pidfd: started by us, or adopted from a
 * master that died (or from a person who started it by hand).
 *
 * A part that fails is started again after 1 s, then 2 s, 4 s … 60 s; one that has lived for
 * 60 s begins anew. One that ends within a second, without failing, five times in a row while its
 * work is still there, is slowed down too. One that is meant to stay and ends with exit status 78 says that a person
 * must change something: it is `refused`, and whoever knows why may leave it down. Times are
 * CLOCK_BOOTTIME.
 */
#include "base/home.h"
#include "base/ids.h"
#include "base/proc.h"

typedef struct Part {
    const char *verb; /* account, run, deliver, submit, index; static */
    char *name;       /* of the account; NULL */
    char *option;     /* one more argument; NULL */
    char *lock;       /* in state/, held by the one that lives; NULL: there may be many */
    bool stays;       /* is not meant to end by itself */
    bool spare;       /* waits for a word before it begins (serve/spare.c) */
    bool wanted;      /* accounts: is in the settings */
    bool refused;     /* its last end was exit 78 */
    unsigned live;
    int failures, quick;
    int64_t not_before_us;
} Part;

Part *part_new(const char *verb, const char *name, const char *lock, bool stays);
void part_free(Part *part);
/* "account 'main'", "spare run"; caller frees. */
char *part_title(const Part *part);
bool part_may_start(const Part *part, int64_t now_us);
/* The part has nothing to do now: that it ended at once was in order, and does not slow it
 * down. */
void part_rests(Part *part);
/* Forgets the part's failures, so that it may start at once: what failed was a job, which waits
 * by itself, or may have passed. */
void part_forgive(Part *part);

typedef struct Child Child;
typedef void (*ChildEnded)(Child *child, void *data);
struct Child {
    Part *part;
    pid_t pid;
    int pidfd;
    int word_fd; /* our end of the pipe on which a spare waits; -1: it waits for nothing */
    guint source;
    bool adopted; /* not ours to wait for */
    bool failed;  /* ended, and not as it should */
    char *why;    /* ended: "exit 3"; NULL: in order, or adopted */
    int64_t born_us;
    int64_t kill_us;     /* was asked to end and must be gone then; 0: was not asked */
    JobId job;           /* runs: whose claim it holds; {0}: none yet */
    int64_t deadline_us; /* of that claim, wall clock */
    int64_t overdue_us;  /* the same by our clock, fixed when first seen: it can't jump */
    ChildEnded ended;
    void *data;
};

/* Starts `program --home HOME VERB [--spare] [OPTION] [NAME]`, with in_fd as its stdin; in_fd stays
 * the caller's. Only a `run` gets the keys of models that stand in our environment. ended is called
 * once, from the main loop, when the child has ended; it may free the child. NULL: the program
 * could not be started, which counts as a failure of the part. */
Child *child_start(Part *part,
                   const char *program,
                   const char *home,
                   int in_fd,
                   ChildEnded ended,
                   void *data,
                   GError **error);
/* Watches a process that somebody else has started; ended as for child_start(). NULL: the process
 * is gone already, which is no error. */
Child *child_adopt(Part *part, const ProcIdent *ident, ChildEnded ended, void *data);
/* Gives a spare the word to begin: from now on it belongs to `part`, as if it had just been
 * started. False: the child is gone, was asked to end, or is no spare that waits; nothing has
 * changed then. */
bool child_begin(Child *child, Part *part);
/* Stops watching; signals nobody. `ended` is not called any more. NULL does nothing. */
void child_free(Child *child);
/* TERM now, to its group where it leads one, else to the process alone; KILL is due at kill_us, by
 * child_kill_if_due(). A second call changes nothing. Returns at once. */
void child_end(Child *child, int64_t kill_us);
/* KILL now, in the same way. */
void child_kill(Child *child);
void child_kill_if_due(Child *child, int64_t now_us);
