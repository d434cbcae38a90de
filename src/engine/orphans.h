#pragma once

/*
 * What a killed run leaves behind: the program itself dies with its run, but not what it has started.
 * Such processes are known by their environment: POSTRIDER_OUT names a folder of one workplace.
 */
#include <stdbool.h>

/* Kills every process of ours whose $POSTRIDER_OUT is this path; returns how many. */
unsigned orphans_end(const char *out);
