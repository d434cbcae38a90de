#pragma once

/*
 * What a program leaves behind when it ends, or when its run is killed: its group ends with it,
 * but not what has left the group, and an order to stop means that too. Such processes are
 * known by their environment: POSTRIDER_WORK names the workplace of one job.
 */

/* Kills every process of ours whose $POSTRIDER_WORK is this path; returns how many. */
unsigned orphans_end(const char *work);
/* The same for those that have all of these in their environment, "NAME=VALUE", ended by NULL;
 * never this process. */
unsigned orphans_end_with(const char *const *variables);
