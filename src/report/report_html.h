#pragma once

/* The conversation of a date as one page of HTML: to be kept, printed, or read on a phone. Every text is
 * escaped; there is no script, and nothing is loaded from anywhere. */
#include "store/report.h"

/* The whole page; caller frees. */
char *report_html(const Report *r, const Replies *replies, const Responses *responses);
