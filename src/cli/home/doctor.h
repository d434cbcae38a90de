#pragma once

/*
 * What `doctor` looks at. A finding is something wrong, mended or not; a note is worth knowing
 * and no reason to worry. Checks go on where they can: one that fails is itself a finding.
 */
#include "cli/cli.h"
#include "engine/engine.h"

typedef struct Finding {
    char *what, *where;
    bool fixed;
} Finding;
SHAPE_OF(Finding, finding, Findings, findings)

typedef struct Doctor {
    Cli *cli;
    Engine *engine;
    bool full, brains;
    Findings *findings;
    GPtrArray *notes; /* of char * */
} Doctor;

void doctor_find(Doctor *d, bool fixed, const char *where, const char *fmt, ...)
    G_GNUC_PRINTF(4, 5);
void doctor_note(Doctor *d, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

/* Every mail that a query finds, newest first, a page at a time: there may be any number. The
 * query's limit and below_id are ours. */
typedef bool (*DoctorVisit)(Doctor *d, const MsgRow *row, void *data, GError **error);
bool doctor_each_mail(Doctor *d, MsgQuery q, DoctorVisit visit, void *data, GError **error);

/* doctor_files.c: files and the store agree; leftovers; who may read what. */
bool doctor_mail(Doctor *d, GError **error);
bool doctor_copies(Doctor *d, GError **error);
bool doctor_leftovers(Doctor *d, GError **error);
bool doctor_modes(Doctor *d, GError **error);

/* doctor_servers.c: can we still log in to mail servers, and send? */
bool doctor_servers(Doctor *d, GError **error);
/* Tests of `setup` again, by the program that has them: argv behind "setup", ended by NULL. Its lines
 * that say "failed" are findings of `where`. ERR_LATER where it ended otherwise. */
bool doctor_setup(Doctor *d, const char *where, const char *const *argv, GError **error);

/* doctor_brains.c: are the programs there that think, and which versions? With --brains: do all
 * brains answer? */
bool doctor_brains(Doctor *d, GError **error);

/* doctor_accept.c: --accept-backup; exit status. */
int doctor_accept(Doctor *d);
