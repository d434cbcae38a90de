#pragma once

/*
 * The home: one folder, one uid, one trust domain. A Home is opened once by a program and
 * passed to everything below; it holds what would otherwise be global: folders, settings, key,
 * clock.
 */
#include "base/clock.h"
#include "base/config/config.h"
#include "base/digest.h"
#include <sys/types.h>

typedef struct Home {
    char *path; /* absolute */
    int fd;     /* the folder */
    int mail_fd;
    int state_fd;
    Config *config;
    /* Of the postrider.conf that config was read from, or that was refused. */
    uint64_t settings_mark;
    Key key;
    Clock clock;
    Random random;
} Home;

/* The settings; in messages about a text that is not there yet. */
#define HOME_CONFIG "postrider.conf"
#define HOME_CONFIG_NEW HOME_CONFIG " (as it would be)"

/* There while `init` is at work: a folder with this file in it is no home yet, and one that a
 * later `init` may finish. */
#define HOME_UNFINISHED ".init-unfinished"

/* --home, else $POSTRIDER_HOME, else ~/.postrider; caller frees. ERR_CONFIG without any of
 * them. */
char *home_find(const char *option, GError **error);
/* ERR_CONFIG when it is not a home, is open to others (mode), or its settings or key are wrong.
 * The text says what to do ("run: postrider init"). */
bool home_open(const char *path, Home **ret, GError **error);
/* As home_open() without reading postrider.conf: for `config check`, `doctor`, `init`. config
 * is NULL. */
bool home_open_bare(const char *path, Home **ret, GError **error);
/* Reads the settings again; on error the old ones stay. As home_open(), it waits for a moment
 * while somebody is just writing them. */
bool home_reload(Home *home, GError **error);
/* The text of postrider.conf as it is now, "" where there is none; caller frees. */
bool home_read_config(const Home *home, char **ret, GError **error);
/* What tells one postrider.conf from another without reading it: compare with settings_mark. 0:
 * it can't be looked at. */
uint64_t home_mark_settings(const Home *home);
/* True when there is a newer postrider.conf than the one that was read, and it is a good one:
 * whoever is about to take up work begins again with it (ENGINE_AGAIN). */
bool home_outdated(Home *home);
void home_close(Home *home);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Home, home_close)

int64_t home_now(const Home *home); /* wall clock */
/* The process that serves this home; 0: none does. */
pid_t home_master(const Home *home);

/* The log file of the settings, NULL for none. Caller frees. */
char *home_log_file(const Home *home);
/* From here on the program logs as the settings say. quiet: to the file alone. $POSTRIDER_LOG
 * is for whoever looks for a fault, and wins over log-level. False, with errno: the file can't
 * be written. */
bool home_log(const Home *home, const char *prog, bool quiet);
