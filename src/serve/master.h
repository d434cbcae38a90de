#pragma once

/*
 * The inside of the master, shared by master.c (the loop), staff.c (who lives, who is started),
 * spare.c (the run that waits) and adopt.c (who lives already).
 */
#include "base/home.h"
#include "serve/alarm.h"
#include "serve/child.h"
#include "serve/serve.h"
#include "store/db.h"

#define MASTER_LOCK "master.lock"
/* Between TERM and KILL, for what has nothing to bring to an end. */
#define GRACE_US (5 * USEC_PER_SEC)
/* The stdin of everybody whom a master of this home has started: shared while one of them lives. */
#define PARTS_LOCK "parts.lock"

typedef struct Master {
    Home *home;
    Db *db;
    const char *self; /* the front program */
    ServeProgram *program;
    GMainLoop *loop;
    int lock_fd, parts_fd, signal_fd, wake_fd;
    int edits_home; /* the mark of the home in it */
    int edits_fd;   /* tells of files in the home, such as postrider.conf; -1: nothing tells */
    Alarm alarm;
    char *notify;
    char *start;    /* of our mark in the mail folder (base/living.h) */
    bool take_over; /* marks of other homes are replaced */
    Part *run, *deliver, *submit, *index;
    Part *timers;            /* a run that takes no job */
    Part *spare;             /* a run that waits for the next job (spare.c) */
    GPtrArray *accounts;     /* of Part; those that left the settings stay, unwanted */
    GPtrArray *children;     /* of Child */
    int64_t now_us, wall_us; /* the moment of the present look, by both clocks: what is not due
                                then must find its alarm set, not lie between two readings */
    int64_t sweep_us;        /* when the next sweep is due */
    int64_t more_us;         /* when more runs may be started for what is ready; 0: there is no more */
    int64_t stuck_us; /* wall clock: something was due then and nobody takes it; 0: nothing */
    int64_t stuck_delay_us, stuck_look_us; /* how long we wait to look again, and until when */
    uint64_t settings_seen; /* the mark of a postrider.conf that we have not read */
    int64_t
        settings_us;   /* when we read it if it is still that one; USEC_NEVER: there is none */
    bool index_wanted; /* something happened since the last time */
    bool look_wanted;  /* files that people made have changed: a run looks at them */
    bool effects_owed; /* somebody died between a commit and its files: a run settles that */
    bool stopping;
    bool strays;       /* somebody of a killed master lives, and may be unknown to us */
    int64_t strays_us; /* until when we wait for them */
    bool over;
    int status; /* our exit status */
} Master;

/* What a look at the store finds living. */
typedef struct Adopted {
    unsigned runs, accounts;
} Adopted;

/* adopt.c */

/* Watches every living owner of a job on this machine, and notes whose deadline is when. *count is
 * added to, here and below. */
bool adopt_owners(Master *m, Adopted *count, GError **error);
/* When somebody holds the part's lock: watches them, if we do not yet. True: nothing to start. */
bool adopt_holder(Master *m, Part *part, Adopted *count);

/* staff.c */

/* Starts what has work and may be started. */
bool staff_fill(Master *m, GError **error);
/* Starts a process of this part now, whether or not it may start. A failure is logged, and puts
 * the next start off. */
void staff_start(Master *m, Part *part);
/* The settings are new: no part waits for an earlier failure any more. The accounts that run, and
 * the spare run, are asked to end; staff_fill() starts those that are still wanted. */
void staff_reload(Master *m);
/* Everybody is asked to end, also who is at work here and was not seen yet; staff_patience() kills
 * whoever is left after drain and a little more. Whoever delivers or submits by hand is left alone,
 * and not watched any more. Returns at once. */
void staff_end(Master *m);
/* True: nobody whom this or an earlier master started lives any more. One that was started by a
 * master which was killed at once may have taken neither lock nor job yet. Only for a master
 * that stops: closes parts_fd, and sets `strays`. */
bool staff_is_gone(Master *m);
/* Kills everybody whom we watch, now. */
void staff_kill(Master *m);
/* For children that are gone: takes them off the list, gives their jobs back, and calls
 * master_child_ended(). data is the Master. */
void staff_ended(Child *child, void *data);
/* Ends owners past their deadline, kills what was asked to end and did not. */
void staff_patience(Master *m);
/* The next moment behind now_us at which one of the parts or children needs us; USEC_NEVER: there is
 * none. */
int64_t staff_next_us(const Master *m);

/* spare.c */

/* A run for what is ready: the spare one takes it. Where no spare waits, or the last run failed, an
 * ordinary run is started. */
void spare_or_start(Master *m);
/* Keeps one run that waits, while one more may work. */
void spare_fill(Master *m);
/* The settings are new: the spare run is asked to end. Another one follows. */
void spare_reload(Master *m);

/* master.c */

/* Gives jobs of dead owners back, in a transaction of its own, and notes whether any of the dead owe
 * effects. *ret_n: how many jobs. */
bool master_reap(Master *m, unsigned *ret_n, GError **error);
/* A child is gone, and off the list: looks at everything anew. Where the master stops, and this was
 * the last child, the loop ends. */
void master_child_ended(Master *m);
