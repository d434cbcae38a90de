#pragma once

/* Steps for people: how money, times and long texts look in a table. */
#include "cli/cli.h"
#include "store/job/step_rows.h"

/* "$1.20"; less than a dollar to a hundredth of a cent: "$0.0312"; something is never nothing:
 * "<$0.0001". Caller frees. */
/* "11-15 12:33:50", in UTC as all times that we print; caller frees. */
char *step_time(int64_t wall_us);
/* Columns of the terminal, or of $COLUMNS; 0: nobody counts them (a pipe). */
unsigned step_columns(void);
/* The text in lines of at most width characters, broken at blanks where there are blanks;
 * control characters are escaped before. Caller frees with g_strfreev(). */
GStrv step_wrap(const char *text, unsigned width);

/* The table: step, at, took, cost, did, because. */
void step_print_table(Cli *cli, const Steps *steps);
