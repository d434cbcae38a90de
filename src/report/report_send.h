#pragma once

/*
 * What happens to a report, as rows: a briefing is sent, a reply is recorded, a response is
 * written down. Each call is part of the caller's transaction, and marks the files that show it
 * to be rendered again ("raises" them, store/job/views.h).
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
/* Looks at a briefing before anything is written. ERR_NEVER says what is wrong with it. */
bool report_new_check(Engine *engine, const ReportNew *in, GError **error);
/* Sends a briefing: its mail, its job and its rows. floor: of whoever wrote it. ERR_NEVER: the
 * date has a briefing already. */
bool report_send(Engine *engine, Txn *txn, const ReportNew *in, Trust floor, GError **error);
/* Notes that no briefing of this date will come. ERR_NEVER: a briefing was sent. */
bool report_skip(Engine *engine, Txn *txn, const char *role, const char *date, GError **error);

/* The Message-ID of a briefing, "carlton-2026-02-09@carlton.local"; caller frees. */
char *report_msgid(const char *role, const char *date);
/* The usual subject of a briefing, "Good morning — 2026-02-09"; caller frees. */
char *report_subject(GBytes *body, const char *date);

/* Records a reply to the report, which came as a mail or as a file. *ret_n: the reply's number;
 * 0: it is known already. */
bool report_record(Engine *engine,
                   Txn *txn,
                   const Report *r,
                   const Reply *reply,
                   Trust floor,
                   int *ret_n,
                   GError **error);
/* The same, made from a mail that came. */
bool report_record_mail(Engine *engine,
                        Txn *txn,
                        const Report *r,
                        const Message *m,
                        Trust floor,
                        int *ret_n,
                        GError **error);
/* Records a response that settles these replies (numbers, of int). Nothing happens where none
 * of them is open. */
bool report_respond(Engine *engine,
                    Txn *txn,
                    const Report *r,
                    const GArray *numbers,
                    const char *msgid,
                    GBytes *body,
                    Trust floor,
                    GError **error);
/* Marks one file of the report to be rendered again. */
bool report_raise(Engine *engine, Txn *txn, const Report *r, const char *name, GError **error);

/* The same for all files of ours that the report has. */
bool report_raise_all(Engine *engine, Txn *txn, const Report *r, GError **error);

/* Answers the open replies up to this number (0: all of them) by a mail that a person has
 * written, or a file of that person. subject NULL: "Re: " and the subject of what it answers.
 * *ret_msgid: caller frees; may be NULL. ERR_NEVER: no reply is open. Unlike the other calls it
 * has a transaction of its own. */
bool report_respond_by_hand(Engine *engine,
                            const Report *r,
                            int upto,
                            GBytes *body,
                            const char *subject,
                            char **ret_msgid,
                            GError **error);
