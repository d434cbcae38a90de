#pragma once

/*
 * Where a program works: work/ROLE/JOB beneath the home with in/ (attachments of the mail it is
 * shown) and out/ (files it leaves are attached to its answer); its cwd is the role's workdir
 * where one is set, or, where that lies in a git repository, a worktree of it in
 * work/ROLE/JOB/tree (engine/tree/tree.h). A workdir without git serves one run at a time.
 * log/ has what it said while it worked. out/ is fresh in every claim: what an earlier run
 * left is moved to old/FENCE first, so nothing is attached twice. in/ stays: a file of the
 * same name is replaced, so the newest mail's attachment wins, and earlier ones are still
 * there for a program that goes on with its work.
 *
 * The program runs under our uid and may put anything there, also while we look: links, FIFOs,
 * folders in place of files. So everything is opened beneath a descriptor and without following
 * links, only regular files are read, each up to its cap whatever its size claims to be, and
 * what stands in the way is moved aside.
 */
#include "engine/run/commit.h"
#include "engine/tree/tree.h"

#define WORKPLACE_FILES_MAX 100u        /* in one answer */
#define WORKPLACE_BYTES_MAX (50u << 20) /* over all of them; one: LIMIT_ATTACHMENT_BYTES */
#define WORKPLACE_ENTRIES_MAX 10000u    /* names in out/ that are looked at */

struct Workplace {
    char *path;        /* absolute: work/ROLE/JOB */
    char *cwd;         /* absolute: workdir or path */
    char *in, *out;    /* absolute */
    int fd;            /* of path */
    int64_t fence;     /* of the claim */
    GHashTable *given; /* names in in/ that this claim has used */
    Tree *tree;        /* its worktree, which cwd lies in; NULL: workdir is in no git repository */
    bool busy; /* another run works in workdir, which is in no repository: this one must wait */
    int lock;  /* of workdir; -1: none */
};

/* ERR_CONFIG: the role's workdir is no folder, or there can be no worktree of it. */
bool workplace_open(Engine *engine,
                    const Job *job,
                    const ConfRole *role,
                    const JobClaim *claim,
                    Workplace **ret,
                    GError **error);
void workplace_close(Workplace *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Workplace, workplace_close)

/* Moves whatever has this name in the folder `at` to old/, or beside itself. Nothing there
 * is fine. */
bool workplace_move_aside(Workplace *w, int at, const char *name, GError **error);

/* The path of a job's workplace, there or not; caller frees. */
char *workplace_path(const Home *home, const Job *job);

/*
 * A file name that is safe in any folder and on any terminal, made from one that is not: no
 * path, no leading dot or dash, no control, invisible or shell characters, no name of a device,
 * at most 120 bytes with its extension kept. It differs from every name in taken, even where
 * only upper and lower case would differ, and is added there: "a.txt", "a-2.txt". The same
 * names in the same order give the same result. Caller frees.
 */
GHashTable *workplace_names_new(void);
char *workplace_name(GHashTable *taken, const char *filename);

/* The names (char *) that the attachments of a mail have in in/, in their order; taken: the
 * names of the mails before, from workplace_names_new() on. A page that is built again long
 * after the folder is gone has the same names so. Caller frees. */
GPtrArray *workplace_mail_names(GHashTable *taken, const Message *m);
/* Writes all attachments of the mails into in/, in order, under these names. A mail whose file
 * is gone has no attachments. */
bool workplace_fill(Workplace *w, Engine *engine, const MsgRows *shown, GError **error);
/* Where the stream of its program is kept: log/stream.jsonl, beginning anew where it has grown
 * large. -1: it can't be kept. Caller closes. */
int workplace_log(Workplace *w);
/* Files in out/ by name, regular ones only, within the caps; what was left out is said in
 * *ret_notes (NULL: nothing), a line each, in words for a mail. Names
 * as by workplace_name(). */
bool workplace_take(Workplace *w, ProposedFiles **ret_files, char **ret_notes, GError **error);
