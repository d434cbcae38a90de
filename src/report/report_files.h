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

/* The folder of a role's date beneath the home; a file in it. Caller frees. */
char *report_folder(const Config *config, const char *role, const char *date);
char *report_file(const Config *config, const Report *r, const char *name);
/* The same without settings, as the prompt and thread.md name it: reports/DATE/NAME. */
char *report_path(const Report *r, const char *name);
/* "responses/07-reply.md", "responses/120-response.md"; caller frees. */
char *report_reply_name(int n);
char *report_response_name(int n);
/* The number of such a name without its folder; 0: it is none. */
int report_name_number(const char *name, bool *ret_response);

/* A path of a view as what it is. */
typedef struct ReportView {
    char *role, *date;
    const char *name; /* behind the folder of the date; borrowed from the path */
} ReportView;
void report_view_clear(ReportView *v);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ReportView, report_view_clear)
bool report_view_parse(const Config *config, const char *path, ReportView *ret);

/* From:, Date:, Message-ID:, Subject: and Attachment: lines, a blank line, the body. Caller unrefs. */
GBytes *report_reply_format(const Reply *reply, GBytes *body);
/* And back; a file without such lines is all body. Caller frees the reply. */
Reply *report_reply_parse(GBytes *file);
/* .briefing-sent, a JSON object with a newline behind it; and back: false where it is none. */
GBytes *report_sent_format(const Report *r);
bool report_sent_parse(GBytes *file, Report *io, GError **error);
