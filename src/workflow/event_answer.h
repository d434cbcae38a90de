#pragma once

/*
 * Answers in plain words. A mail without a type that replies (In-Reply-To) to a question, clarification-request or
 * blocker-report which nobody has answered is its answer, and becomes an event:
 *
 *   (1) Its writer is one of those who were asked, or the coordinator, who hears of questions that wait; and the mail goes to
 *       whoever asked. So a forward answers nothing.
 *   (2) A person or role wrote it: no mail of the runtime itself, no automatic answer, no order such as STOP, and none of the
 *       first lines of event_reply.h. A subject means nothing.
 *   (3) Where the writer's own words, without quotations and signature, end with a question mark, the mail asks back: it is a
 *       question, which waits for whoever asked first. Else it is an answer. Either ends the wait for the first question.
 *
 * Such an answer changes no bytes under review, and moves nothing: for that there is `notify`.
 *
 * The answer to an agent is known once it is taken in; the answer to a person, whose mailbox nobody takes in, once it is on its
 * way. After a lost store it is read from the mailboxes again (flow_past.h).
 */
#include "engine/engine.h"
#include "mail/message.h"
#include "mail/origin.h"
#include "store/workflow.h"

typedef struct EventAnswer {
    char *msgid, *from, *to; /* names; to with commas between */
    char *question;          /* digest of what it asks back; "": it answers */
    GPtrArray *parents;      /* ids of what it replies to */
    int64_t at_us;           /* 0: now */
} EventAnswer;
void event_answer_clear(EventAnswer *a);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EventAnswer, event_answer_clear)

/* Whose questions a mail may answer. */
typedef enum AnswerTo {
    ANSWER_TO_AGENT,  /* of this role, whose mailbox it was taken in by; or of a person */
    ANSWER_TO_PEOPLE, /* it is on its way */
    ANSWER_TO_ANY     /* it was found in a mailbox */
} AnswerTo;

/* Reads a mail with its text. False: it is no such mail, whatever it replies to. */
bool event_answer_read(const Home *home, const Message *m, EventAnswer *ret);
/* Writes it down. *ret (may be NULL): the event that it has become; NULL: it answers nothing that is open. */
bool event_answer_put(Engine *engine,
                      Txn *txn,
                      const EventAnswer *a,
                      AnswerTo to,
                      const char *role,
                      FlowEvent **ret,
                      GError **error);
