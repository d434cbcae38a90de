#pragma once

/*
 * A home for one bench in a folder of its own below $TMPDIR, made by `postrider init` and given
 * other settings. The program is $POSTRIDER_BIN, else the one that was built beside the bench.
 */
#include "base/home.h"
#include <sys/types.h>

typedef struct Place {
    char *program; /* postrider */
    char *scratch; /* a folder that the bench may use */
    char *path;    /* of the home, in that folder */
    Home *home;
} Place;

/* conf: the whole postrider.conf; NULL: what init writes. */
bool place_open(Place *place, const char *conf, GError **error);
/* Removes all of it. */
void place_clear(Place *place);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Place, place_clear)

/* Settings with n roles "r0" to "r(n-1)" and nobody to answer; caller frees. */
char *place_conf_roles(unsigned n);

/* Starts argv (its first a path) for this home, silent. */
bool place_start(const Place *place, const char *const *argv, pid_t *ret_pid, GError **error);
/* Starts it and waits; ERR_NEVER for an exit other than 0. */
bool place_run(const Place *place, const char *const *argv, GError **error);
/* Ends what place_start() started, by TERM. */
void place_stop(pid_t pid);
