#pragma once

/* What the note ROLE/reply begins as: the places in it are those of report/report_prompt.h. */
extern const char report_prompt_default[];
