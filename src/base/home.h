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

/* The absolute path of the home: what --home says (option), else $POSTRIDER_HOME, else
 * ~/.postrider. Looks at no file. Caller frees. NULL with ERR_CONFIG: none of them is set, or the
 * path is longer than LIMIT_HOME_PATH. */
char *home_find(const char *option, GError **error);
/* Opens the home: reads its key and its settings, and makes the folders mail/ and state/ where
 * they are missing. ERR_CONFIG: the folder is no home, belongs to somebody else or may be changed
 * by others, or its settings or its key are wrong. The text says what to do ("run: postrider
 * init"). */
bool home_open(const char *path, Home **ret, GError **error);
/* As home_open() without reading postrider.conf: for `config check`, `doctor`, `init`. config
 * is NULL. */
bool home_open_bare(const char *path, Home **ret, GError **error);
/* Reads the settings again; on error the old ones stay. While somebody is just writing them this
 * call waits, for half a second at most, as home_open() does. */
bool home_reload(Home *home, GError **error);
/* The text of postrider.conf as it is now, "" where there is none; caller frees. */
bool home_read_config(const Home *home, char **ret, GError **error);
/* What tells one postrider.conf from another without reading it: compare with settings_mark. 0:
 * it can't be looked at. */
uint64_t home_mark_settings(const Home *home);
/* True when postrider.conf has changed since it was read, and the new one has no mistake: a
 * process that is about to take up work starts anew with it (ENGINE_AGAIN). Waits as
 * home_reload() does. */
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
