#pragma once

/*
 * Birth and death of children. A child is started with posix_spawn through a small trampoline
 * (libexec `limit`) that sets its resource limits, in a process group of its own, with a built
 * environment and no descriptor but 0, 1, 2 (and PROC_WORD_FD where that is asked for). It is
 * watched by pidfd; its output is read up to a cap and then discarded; at the end of its time
 * its group gets TERM, then KILL.
 *
 * Two ways: proc_start() for something that lives on by itself (the master's children), and
 * proc_talk() for a program whose output we want, inside the caller's own poll loop; such a
 * program dies with us, however we end.
 */
#include <poll.h>
#include <signal.h>
#include <sys/types.h>

/* What every program does first; log_init() and proc_talk() do it too. SIGPIPE and SIGXFSZ are
 * ignored (there is no other way to hear EPIPE and EFBIG), and descriptors 0 to 2 are made to
 * exist, so that no file of ours gets one of these numbers; reading or writing one that was
 * closed still fails. */
void proc_init(void);
/* Where an executable of ours lies: $POSTRIDER_LIBEXEC, beside this program, in the build tree
 * around it, or where it is installed. Caller frees; NULL with ERR_CONFIG when nowhere. */
char *proc_helper_path(const char *name, GError **error);
/* In the environment of a program of ours, with the value 1: GnuTLS, which libcurl brings
 * along and which nobody here uses, does not set itself up. That saves the process a tenth
 * of a megabyte. The program takes it out at once, since the programs that it starts may use
 * GnuTLS. */
#define PROC_NO_GNUTLS "GNUTLS_NO_IMPLICIT_INIT"

typedef struct ProcLimits {
    int64_t time_us;     /* 0: none */
    int64_t grace_us;    /* between TERM and KILL; 0: 5 s */
    size_t out_max;      /* bytes of stdout kept; 0: LIMIT_PROGRAM_OUTPUT */
    size_t err_max;      /* bytes of stderr kept (the last ones); 0: LIMIT_PROGRAM_LOG */
    uint64_t memory;     /* RLIMIT_AS; 0: none */
    uint64_t file_size;  /* RLIMIT_FSIZE; 0: none */
    uint64_t processes;  /* RLIMIT_NPROC; 0: none */
    uint64_t open_files; /* RLIMIT_NOFILE; 0: 1024 */
} ProcLimits;

/* The one descriptor above 2 that a child of proc_start() may be given. */
#define PROC_WORD_FD 3

typedef struct ProcSpec {
    const char *const *argv; /* argv[0] is a path, or a name looked up in env's PATH */
    const char *const *env;  /* the whole environment; NULL: ours */
    const char *cwd;         /* NULL: ours */
    GBytes *input;           /* for proc_talk(): what the child reads on stdin; NULL: nothing */
    bool keep_input;         /* for proc_talk(): stdin stays open behind the input: proc_feed() */
    /* For proc_talk(): gets stdout as it comes, from within proc_work(), and nothing of it is
     * kept; NULL: the first out_max bytes are kept. */
    void (*out)(void *data, const void *bytes, size_t len);
    void *out_data;
    int in_fd;               /* for proc_start(): its stdin; 0: /dev/null */
    int word_fd;             /* for proc_start(): the child has it as PROC_WORD_FD; 0 or -1: nothing */
    bool walled;             /* for proc_talk(): argv begins with a wall (base/sandbox.h); TERM is for what is behind it */
    ProcLimits limits;
} ProcSpec;

/* Who a process is, across pid reuse and reboots. */
typedef struct ProcIdent {
    pid_t pid;
    int64_t start_time; /* field 22 of /proc/PID/stat */
} ProcIdent;
bool proc_ident_self(ProcIdent *ret);
bool proc_ident_of(pid_t pid, ProcIdent *ret); /* false: no such process (a zombie is none) */
bool proc_alive(const ProcIdent *ident);
/* True when another file lies where the one of this program lay when it started: an update. */
bool proc_outdated(void);
/* Boot id and host name of this machine; borrowed for ever. */
const char *proc_boot_id(void);
/* machine-id(5), which stays the same as long as the system is installed; "host NAME" where
 * there is none. $POSTRIDER_MACHINE_ID is for tests. Borrowed for ever. */
#define PROC_NO_MACHINE_ID "host"
const char *proc_machine_id(void);
const char *proc_host(void);

/* A child that lives by itself: stdin is /dev/null or in_fd, stdout and stderr are ours. Own
 * group. */
bool proc_start(const ProcSpec *spec, pid_t *ret_pid, int *ret_pidfd, GError **error);
/* The pidfd of a process that is not our child, checked against its start time. -1: gone. */
int proc_watch(const ProcIdent *ident);
/* Signals the whole group of a child that proc_start() or proc_talk() made. */
void proc_signal_group(pid_t pid, int signal);

typedef struct Proc Proc;
typedef struct ProcEnd {
    bool timed_out, out_cut;
    int status; /* as of waitpid */
    char *why;  /* "exit 3", "killed by signal 9", "ran longer than 60 s", "can't run 'x': No
                   such  file or directory"; NULL for exit 0 */
    GBytes *out, *err; /* what was kept */
} ProcEnd;

bool proc_talk(const ProcSpec *spec, Proc **ret_proc, GError **error);
/* Fills at most 4 entries for poll(2); returns how many. *ret_wait_us: how long to wait at most
 * (USEC_NEVER: until something happens). */
unsigned proc_poll(Proc *proc, struct pollfd fds[4], int64_t *ret_wait_us);
/* Works off what poll(2) said; true once the child is gone and its pipes are drained. What is
 * left of its group is killed then; what left the group is not waited for. */
bool proc_work(Proc *proc);
/* More for the child's stdin, behind what it has not read yet. False: its stdin is closed, or
 * more than LIMIT_PROGRAM_INPUT would wait there. */
bool proc_feed(Proc *proc, const void *data, size_t len);
/* Ends the child's stdin, once all that was fed is written. */
void proc_close_input(Proc *proc);
bool proc_takes_input(const Proc *proc); /* true until its stdin is closed */
/* Asks it to end: TERM now, KILL after the grace. */
void proc_end(Proc *proc);
/* The same after this span, unless it is gone by then or its time is up sooner. */
void proc_end_after(Proc *proc, int64_t span_us);
/* Valid once proc_work() returned true. Borrowed. */
const ProcEnd *proc_result(const Proc *proc);
void proc_free(Proc *proc); /* kills the group if it still lives */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Proc, proc_free)

/* Waits until it is gone: for callers without a loop of their own. */
bool proc_wait(Proc *proc, GError **error);
/* Start, wait, collect: the same. */
bool proc_run(const ProcSpec *spec, Proc **ret_ended, GError **error);

/* --- signals --- */

/* From now on these signals (ended by 0) do not end us, but can be read from the descriptor
 * that is returned. ret_before: the mask until now; may be NULL. */
int proc_watch_signals(const int *signals, sigset_t *ret_before);
/* SIGTERM and SIGINT wait until we end by ourselves. Has one of them come? */
void proc_hold_stop(void);
bool proc_asked_to_stop(void);
