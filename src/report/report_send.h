#pragma once

/*
 * What happens to a report, as rows: a briefing is sent, a reply is recorded, a response is written
 * down. Each call is part of one transaction, and raises the files that show it.
 */
#include "engine/engine.h"
#include "engine/run/commit.h"
#include "store/report.h"

/* The face's name in jobs, views and timers. */
#define REPORT_FACE "report"

/* A briefing that is to be sent. */
typedef struct ReportNew {
    const char *role, *date;
    GBytes *body;
    const char *subject; /* NULL or "": the first heading of the body, and the date */
    const GPtrArray *to; /* char *; empty: the owner */
    const GPtrArray *cc; /* char * */
} ReportNew;
/* What is wrong with it, before anything is written: ERR_NEVER. */
bool report_new_check(Engine *engine, const ReportNew *in, GError **error);
/* Mail, job and rows. floor: of whoever wrote it. ERR_NEVER: the date has one already. */
bool report_send(Engine *engine, Txn *txn, const ReportNew *in, Trust floor, GError **error);
/* No briefing of this date will come. ERR_NEVER: one was sent. */
bool report_skip(Engine *engine, Txn *txn, const char *role, const char *date, GError **error);

/* "carlton-2026-02-09@carlton.local"; caller frees. */
char *report_msgid(const char *role, const char *date);
/* "Good morning — 2026-02-09"; caller frees. */
char *report_subject(GBytes *body, const char *date);

/* A mail, or a file, is a reply to this report. *ret_n: its number; 0: it is known already. */
bool report_record(Engine *engine,
                   Txn *txn,
                   const Report *r,
                   const Reply *reply,
                   Trust floor,
                   int *ret_n,
                   GError **error);
/* The same of a mail that came. */
bool report_record_mail(Engine *engine,
                        Txn *txn,
                        const Report *r,
                        const Message *m,
                        Trust floor,
                        int *ret_n,
                        GError **error);
/* A response settles these open replies (of int). Nothing where none of them is open. */
bool report_respond(Engine *engine,
                    Txn *txn,
                    const Report *r,
                    const GArray *numbers,
                    const char *msgid,
                    GBytes *body,
                    Trust floor,
                    GError **error);
/* The file shows something else now. */
bool report_raise(Engine *engine, Txn *txn, const Report *r, const char *name, GError **error);

/* The same for all files of ours that the report has. */
bool report_raise_all(Engine *engine, Txn *txn, const Report *r, GError **error);

/* A person, or a file of theirs, answers the open replies up to this number (0: all of them), with a
 * mail. subject NULL: "Re: " of what it answers. *ret_msgid: caller frees; may be NULL. ERR_NEVER:
 * there is nothing to answer. A transaction of its own. */
bool report_respond_by_hand(Engine *engine,
                            const Report *r,
                            int upto,
                            GBytes *body,
                            const char *subject,
                            char **ret_msgid,
                            GError **error);
