#pragma once

/*
 * Briefings and what people say to them (src/report): one report per role and date. Its replies
 * are numbered from 1 on; a response names the replies that it settles, and bears the number of
 * the highest of them.
 *
 *     reply: open (settled 0)  --report_settle()-->  settled (the response's number), for ever
 *
 * REPLY_ELSEWHERE in a response's place says that another home has answered the reply: this
 * store knows no response.
 *
 * A reply that came as a mail names it; one that came as a file has no Message-ID (""). The job
 * of a report is made with it and has ended until a reply comes.
 */
#include "mail/origin.h"
#include "store/tables.h"
#include "view/shape.h"

extern const SqlPart report_tables;

typedef struct ReportId {
    int64_t v;
} ReportId;

typedef struct Report {
    ReportId id;
    JobId job;
    char *role, *date; /* date: 2026-02-09 */
    char *name;        /* of the role, as its thread is called */
    char *msgid;       /* of the briefing's mail; "": the date was skipped, nothing was sent */
    char *transport;   /* what the transport calls that mail; "": not known */
    char *subject, *to;
    int64_t sent_us; /* 0: it was skipped */
    int shown;       /* the highest reply that the present run of its job was shown; 0 */
    GBytes *body;    /* of the briefing, byte by byte */
} Report;
SHAPE_OF(Report, report, Reports, reports)

#define REPLY_ELSEWHERE (-1)
typedef struct Reply {
    int n;
    char *msgid, *sender, *subject, *files; /* files: one attachment per line; "" */
    int64_t at_us;
    int settled; /* number of the response; 0: it is open; or REPLY_ELSEWHERE */
    bool cut;    /* body is the beginning; the mail has the rest */
    GBytes *body;
} Reply;
SHAPE_OF(Reply, reply, Replies, replies)

typedef struct Response {
    int n;
    char *msgid; /* "": a file that was here before this store */
    int after;   /* the highest reply that was recorded when it was sent: it stands behind that one,
                    whatever clocks say; when put, 0: as it is now */
    int64_t at_us;
    GBytes *body;
} Response;
SHAPE_OF(Response, response, Responses, responses)

/* A line of `briefing status`. */
typedef struct ReportLine {
    char *role, *date, *subject, *state; /* state: of the job, as people read it */
    JobId job;
    int64_t sent_us;
    int replies, responses, open;
    int64_t cost_micro;
} ReportLine;
SHAPE_OF(ReportLine, report_line, ReportLines, report_lines)

/* Are there tables? A store that no face has opened yet has none. */
bool report_known(Db *db, bool *ret, GError **error);

/* NULL: there is none. */
bool report_find(Db *db, const char *role, const char *date, Report **ret, GError **error);
bool report_of_job(Db *db, JobId job, Report **ret, GError **error);
/* All of them, newest date first; role NULL: of all roles; date NULL: of all dates. */
bool report_lines(
    Db *db, const char *role, const char *date, ReportLines **ret, GError **error);
bool report_replies(Db *db, ReportId report, Replies **ret, GError **error);
/* In the order in which they were sent. */
bool report_responses(Db *db, ReportId report, Responses **ret, GError **error);
bool report_reply(Db *db, ReportId report, int n, Reply **ret, GError **error);
bool report_response(Db *db, ReportId report, int n, Response **ret, GError **error);
/* The replies that are open; without their bodies. */
bool report_open_replies(Db *db, ReportId report, Replies **ret, GError **error);
/* Which numbers its replies, or its responses, have: a set of GINT_TO_POINTER(n); caller
 * unrefs. */
bool report_numbers(Db *db, ReportId report, bool responses, GHashTable **ret, GError **error);
/* Which mail of the report's thread is to be trusted the least: its id. Caller frees. */
bool report_least_trusted(Db *db, ReportId report, char **ret_msgid, GError **error);

/* *ret_new false: there is one of this role and date already. */
bool report_put(Txn *txn, const Report *r, Trust floor, bool *ret_new, ReportId *ret, GError **error);
/* n 0: the next number. *ret_n 0: the report has that reply already. */
bool report_put_reply(
    Txn *txn, ReportId report, const Reply *reply, Trust floor, int *ret_n, GError **error);
bool report_put_response(
    Txn *txn, ReportId report, const Response *response, Trust floor, GError **error);
/* Settles the reply of this number by the response of that number. *ret false: there is no such
 * reply, or it is not open. */
bool report_settle(Txn *txn, ReportId report, int n, int response, bool *ret, GError **error);
/* The number of the open reply of this mail; 0: none. */
bool report_open_reply(Db *db, ReportId report, const char *msgid, int *ret_n, GError **error);
/* The run that begins now shows the replies up to this one. */
bool report_set_shown(Txn *txn, ReportId report, int n, GError **error);
