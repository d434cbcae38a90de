#pragma once

/*
 * Points at which a test may let the program die, as by kill -9: POSTRIDER_DIE_AT=name, or =N
 * for the N-th point that is reached; POSTRIDER_POINTS=FILE appends the name of each point
 * reached. Without these variables a point costs one load and one branch.
 */
extern int crash_armed; /* -1 before the environment was read */
void crash_point_reached(const char *name);
#define CRASH_POINT(name)                                                                      \
    do {                                                                                       \
        if (crash_armed)                                                                       \
            crash_point_reached(name);                                                         \
    } while (0)
