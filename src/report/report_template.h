#pragma once

/* The text that a new note ROLE/reply has: a template for what the agent of a briefing is
 * shown. report/report_prompt.h lists the places in it. */
extern const char report_prompt_default[];
