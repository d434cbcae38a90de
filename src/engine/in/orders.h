#pragma once

/*
 * Orders: a reply that is a command. The first non-empty unquoted line of a permitted person's
 * mail, if it is the order alone, in any case, with or without end punctuation: STOP, CANCEL,
 * CONTINUE [N|$N], APPROVE [ALWAYS|N|UNTIL WHEN], REJECT[: why], FORK [N], STATUS, WHY, HELP.
 * Lines after it are kept as an instruction. "Stop using tabs" is a task. In a reply STOP ALL
 * is an order too; as the subject of a new mail: STATUS, STOP ALL, HELP. Carried out inside
 * intake's own transaction and answered in one mail; the order itself goes to Done.
 *
 * STOP and CANCEL raise the job's epoch, so a program at work can commit nothing any more.
 * After the commit its run is told to look (engine/run/poke.h): it finds its claim gone, ends
 * the program with all that the program started, and commits nothing.
 */
#include "engine/engine.h"
#include "mail/message.h"
#include "store/mail/messages.h"

typedef enum OrderKind {
    ORDER_NONE,
    ORDER_STOP,
    ORDER_CANCEL,
    ORDER_CONTINUE,
    ORDER_APPROVE,
    ORDER_REJECT,
    ORDER_FORK,
    ORDER_STATUS,
    ORDER_WHY,
    ORDER_HELP,
    ORDER_STOP_ALL,
    ORDER_UNCLEAR,
    ORDER_FACE,   /* of a face, which carries it out (engine/face.h) */
    ORDER_ANSWER, /* words in reply to a question that takes words (engine/people/hold.h) */
    ORDER_N
} OrderKind;

typedef struct Order {
    OrderKind kind;
    int steps;         /* CONTINUE N; 0: as configured */
    int64_t money;     /* CONTINUE $N, in millionths; 0: none */
    int fork_step;     /* FORK N; 0: the newest */
    /* APPROVE ALWAYS, APPROVE 10, APPROVE UNTIL FRI: for longer than once. */
    bool always;
    int64_t times;     /* 0: not said */
    char *until;       /* as written; NULL: not said */
    char *instruction; /* text behind the order; for REJECT also behind its colon; NULL */
    char *said;        /* ORDER_UNCLEAR: the line as written; ORDER_FACE: what is answered;
                          ORDER_ANSWER: the words */
} Order;
void order_clear(Order *o);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Order, order_clear)

/* in_thread: the mail continues a job. ORDER_UNCLEAR: a lone word of five letters or more that
 * is one edit away from an order, or an order with a number that it can't have. */
void order_parse(const Message *m, bool in_thread, Order *ret);
/* True when somebody with these rights (MAY_…) may give this order; else the text is plain
 * mail. APPROVE and REJECT are orders from any principal, who then hears whether they count
 * (engine/people/hold.h). */
bool order_permitted(const Order *o, unsigned may);

/* "the order STOP": why its mail is handled. Static. */
const char *order_why(const Order *o);

/* An order that is carried out. */
typedef struct OrderCase {
    Engine *engine;
    Txn *txn;
    const Order *order;
    const MsgRow *mail; /* that says it */
    const Message *m;
    JobId job;    /* that the mail belongs to; {0}: none. May become another, or none */
    GArray *poke; /* gets the jobs (JobId) whose living runs must look at their claims after the
                     commit (engine/run/poke.h) */
    const char *word; /* result: "STOP", "CANCEL", what was done to the job; NULL: neither */
} OrderCase;

/* Carries the order out and queues the answer, in c->txn. */
bool order_apply(OrderCase *c, GError **error);
