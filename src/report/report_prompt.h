#pragma once

/*
 * What the agent of a date is shown before all else: the note ROLE/reply, a template that people edit
 * (base/template.h), with these places:
 *
 *     {date} {name} {subject} {tools} {NN}   words of ours, and what the settings say
 *     {thread}      the whole conversation, fenced; what does not fit is named with its file
 *     {research}    the files in research/, with their first headings and sizes, fenced
 *
 * A template without {thread} gets it at its end.
 */
#include "engine/context/context.h"
#include "report/report_template.h"
#include "store/report.h"

/* led: the brain is a model, which reads files as notes. ERR_CONFIG: thread.md is not there, or no file;
 * 'briefing rebuild' makes it again. */
bool report_prompt_show(Engine *engine, const Report *r, bool led, Context *c, GError **error);
/* True when thread.md is there; else ERR_CONFIG, whose text says how the file is made again. */
bool report_thread_there(const Engine *engine, const Report *r, GError **error);
