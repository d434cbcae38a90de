#pragma once

/*
 * reports/memory.txt, what is kept of people's wishes over all dates: another name of the note reports/memory, whose
 * file is notes/reports/memory.md. It is a link to that file. Where somebody has put a file in its place, as
 * editors do, its text becomes the next version of the note, and the link is made again.
 */
#include "engine/engine.h"
#include "store/job/jobs.h"

#define REPORT_MEMORY "reports/memory"

/* Adds to *n what was taken. */
bool report_memory_look(Engine *engine, unsigned *n, GError **error);
/* Where the note is not written yet: an empty file, so that a program that may make none can write it. */
void report_memory_make(const Home *home);
/* Lets a program that works in its own folder find reports/ there. What can't be is left. */
void report_memory_link(const Engine *engine, const Job *job);
