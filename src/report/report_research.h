#pragma once

/*
 * reports/DATE/research: what was found out for a briefing, one file for each matter. The folder is a link to
 * notes/reports/DATE/research, so that its files NAME.md are the notes reports/DATE/research/NAME: a
 * program reads and writes files, a model reads and writes notes. A folder that somebody made in the
 * link's place is moved there.
 */
#include "engine/engine.h"

/* Makes the link and the folder to which it leads. folder: of the date, beneath the home. A
 * second call changes nothing. */
bool report_research_link(const Home *home, const char *folder, GError **error);
/* Moves the files of a folder that is in the link's place, and makes the link; adds to *n how
 * many files were moved. */
bool report_research_look(const Home *home, const char *folder, unsigned *n, GError **error);
/* The folder to which the link leads, beneath the home. Caller frees. */
char *report_research_folder(const char *folder);
