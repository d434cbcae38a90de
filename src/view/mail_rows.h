#pragma once

/* Mail as it stands in the tables, and as everybody is shown it: mail that came in, and mail
 * that leaves. What happens to it: store/mail/messages.h, store/out/outbox.h. */
#include "base/ids.h"
#include "mail/origin.h"
#include "view/shape.h"

extern const Words trust_words;

/* --- mail that came in --- */

typedef enum MsgState {
    MSG_STORED,
    MSG_SHOWN,
    MSG_HANDLED,
    MSG_IGNORED,
    MSG_HELD,
    MSG_DEAD,
    MSG_N_STATES
} MsgState;
WORDS_OF(MsgState, msg_state)

/* What a mail is, decided at intake. */
typedef enum MsgClass {
    MSG_TASK,
    MSG_REPLY,
    MSG_ORDER,
    MSG_CHECKPOINT,
    MSG_EVENT,
    MSG_BOUNCE,
    MSG_AUTOMATIC,
    MSG_STRANGER,
    MSG_UNREADABLE,
    MSG_HISTORY,
    MSG_N_CLASSES
} MsgClass;
WORDS_OF(MsgClass, msg_class)

/* A row; strings live as long as the row does. */
typedef struct MsgRow {
    MsgId id;
    ThreadId thread;
    JobId job;
    int round, step; /* step that handled it; 0: none */
    MsgState state;
    MsgClass class;
    Trust trust; /* who sent it: may it start work? */
    Trust floor; /* what its words may cause: trust, or less where its writer had read less */
    char *role, *account, *folder, *file;
    char *msgid, *in_reply_to, *from_name, *from, *to, *subject, *why;
    char *space; /* that it was sent to (store/spaces.h); NULL: none */
    char *answer_to; /* whom an answer goes to: its space, or from */
    int64_t date_us, received_us, size;
    unsigned flags;
    Digest body, own_words;
    bool words_known;
} MsgRow;
SHAPE_OF(MsgRow, msg_row, MsgRows, msg_rows)
bool msg_rows_have(const MsgRows *rows, MsgId id);

/* What became of a mail, a line each. */
typedef struct TraceRow {
    int64_t at_us;
    char *what, *why;
} TraceRow;
SHAPE_OF(TraceRow, trace_row, TraceRows, trace_rows)

/* --- mail that leaves --- */

typedef enum OutState {
    OUT_WAITING,
    OUT_READY,
    OUT_SENDING,
    OUT_SENT,
    OUT_RETRY,
    OUT_IN_DOUBT,
    OUT_HELD,
    OUT_FAILED,
    OUT_N_STATES
} OutState;
WORDS_OF(OutState, out_state)

/* One recipient of one mail. */
typedef struct OutRow {
    OutId id;
    int64_t delivery; /* row of the delivery */
    JobId job;
    OutState state;
    int attempts, round, step;
    QuestionId question; /* that it is held for, or was; {0}: none */
    Trust level;
    Trust floor; /* the lowest of anything that its writer had read */
    char *msgid, *from, *address, *mailbox, *folder, *flags, *subject, *why;
    char *in_reply_to; /* an id; "": it answers nothing; NULL: its bytes say it */
    char *account;     /* whose process does it; "": any */
    char *space;       /* that it was sent to; NULL: none */
    char *role;        /* whose job wrote it; outbox_whole() knows, NULL: no role's */
    int64_t created_us, next_us;
    int64_t since_us; /* the same as created_us, by the wall clock of now: for its age */
    GBytes *bytes;    /* NULL in lists, and once it is in Sent */
} OutRow;
SHAPE_OF(OutRow, out_row, OutRows, out_rows)
extern const Shape out_row_whole; /* with its bytes */
/* A mail as lists show it. One of the two is NULL: `in` is mail that came in, `out` mail that
 * was written. */
json_t *mail_json(const MsgRow *in, const OutRow *out);
