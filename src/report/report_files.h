#pragma once

/*
 * The files of a report: where they lie, how they are called, and what is written in them. Of the
 * role that `[report] role` names they lie in reports/DATE, of another role in reports/ROLE/DATE.
 *
 *     briefing.md  .briefing-sent  thread.md  research/
 *     responses/NN-reply.md  NN-response.md  .processing
 *
 * All but research/ are views of the store (engine/run/view_files.h).
 */
#include "base/home.h"
#include "store/report.h"

#define REPORT_FOLDER "reports"
#define REPORT_BRIEFING "briefing.md"
#define REPORT_SENT ".briefing-sent"
#define REPORT_THREAD "thread.md"
#define REPORT_RESEARCH "research"
#define REPORT_RESPONSES "responses"
#define REPORT_LOCK REPORT_RESPONSES "/.processing"
/* A lock that somebody made by hand counts for so long. */
#define REPORT_LOCK_US (600 * USEC_PER_SEC)

/* Paths beneath the home: the folder of a role's date, and a file in that folder. Caller
 * frees. */
char *report_folder(const Config *config, const char *role, const char *date);
char *report_file(const Config *config, const Report *r, const char *name);
/* A file as the prompt and thread.md name it, whatever role it is of: reports/DATE/NAME. Caller
 * frees. */
char *report_path(const Report *r, const char *name);
/* "responses/07-reply.md", "responses/120-response.md"; caller frees. */
char *report_reply_name(int n);
char *report_response_name(int n);
/* The number in such a name, without its folder; 0: it is no such name. */
int report_name_number(const char *name, bool *ret_response);

/* The parts of the path of a view. */
typedef struct ReportView {
    char *role, *date;
    const char *name; /* behind the folder of the date; borrowed from the path */
} ReportView;
void report_view_clear(ReportView *v);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ReportView, report_view_clear)
/* False: it is no path of a file in such a folder. */
bool report_view_parse(const Config *config, const char *path, ReportView *ret);

/* From:, Date:, Message-ID:, Subject: and Attachment: lines, a blank line, the body. Caller unrefs. */
GBytes *report_reply_format(const Reply *reply, GBytes *body);
/* Reads such a file back; a file without such lines is all body. Never NULL; caller frees. */
Reply *report_reply_parse(GBytes *file);
/* The content of .briefing-sent, a JSON object with a newline behind it; caller unrefs. And
 * read back into *io: false with an error where the file is no JSON. */
GBytes *report_sent_format(const Report *r);
bool report_sent_parse(GBytes *file, Report *io, GError **error);
