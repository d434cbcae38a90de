#pragma once

/*
 * reports/memory.txt, what is kept of people's wishes over all dates: another name of the note reports/memory, whose
 * file is notes/reports/memory.md. It is a link to that file. Where somebody has put a file in its place, as
 * editors do, its text becomes the next version of the note, and the link is made again.
 */
#include "engine/engine.h"
#include "store/job/jobs.h"

#define REPORT_MEMORY "reports/memory"

/* Looks whether a file stands in the link's place, takes its text into the note, and makes the
 * link. Adds 1 to *n when a text was taken. Does nothing where there is no folder reports/, or no
 * role that writes briefings. Has transactions of its own. */
bool report_memory_look(Engine *engine, unsigned *n, GError **error);
/* Makes an empty file of the note where there is none yet, so that a program which may not make
 * files can write to it. */
void report_memory_make(const Home *home);
/* Makes a link to reports/ in the job's folder, for a program that works there. A failure keeps
 * no job from its work. */
void report_memory_link(const Engine *engine, const Job *job);
