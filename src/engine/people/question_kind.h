#pragma once

/*
 * A kind of question (store/job/questions.h), such as "may this mail leave?" or "may this note
 * change?". A kind says how its payload is shown to the person, what a yes does, and what a no
 * does. The rest is the same for all kinds (hold.h): the mail that asks, who may answer and
 * until when, that a yes counts only for what was shown, and that an answer counts once. A new
 * kind is one QuestionKind, and its name in question_kind.c.
 */
#include "engine/people/hold.h"

/* An answer that is being carried out. decide() adds a line to `done` for each thing that it
 * has decided, and a line to `stuck` for each that it could not decide. If n_done stays 0,
 * nothing is changed, and the question stays open. */
typedef struct Deciding {
    Txn *txn;
    const Question *question;
    const HoldAnswer *answer;
    GString *done, *stuck; /* lines "  …\n" */
    unsigned n_done;       /* lines in done */
} Deciding;

struct QuestionKind {
    const char *name;
    unsigned may; /* the rights (MAY_…), all of which the person who answers must have */
    bool later;   /* true: the job waits for the answer, and uses a yes later, by question_use() */
    /* Texts. Of a pair the first is for a no, the second for a yes. */
    const char *subject;    /* of the mail that asks; NULL: the subject of the conversation */
    const char *how;        /* end of the mail that asks: the answers, and what each of them does */
    const char *changed;    /* the end of "What is held is no longer what was shown, so …" */
    const char *no_way;     /* the line above the lines of Deciding.stuck */
    const char *traces[2];  /* a line for the trace of the mail that answers */
    const char *said[2][2]; /* the line above the lines of Deciding.done: for one, for several */
    /* Appends to s what a yes would cause. ahead: a text of the caller of hold_ask() to be put
     * in front; NULL: none. */
    bool (*describe)(
        Engine *engine, const Question *q, const char *ahead, GString *s, GError **error);
    /* *ret: the digest of what the question is about, as it is in the store now. ERR_DAMAGE: a
     * part of it is gone. */
    bool (*digest)(Db *db, const Question *q, Digest *ret, GError **error);
    /* Called once the question is in the store, with its id in q; NULL: nothing more to do. */
    bool (*asked)(Txn *txn, const Question *q, GError **error);
    /* Does what the answer says. */
    bool (*decide)(Deciding *d, GError **error);
    const char *became[2]; /* for the job: the end of "Your mail to …" or "Your change of …" */
    /* Appends lines for the job to s: what became of the question. */
    bool (*news)(Db *db, const Question *q, GString *s, GError **error);
};
extern const QuestionKind question_held_mail, question_mail_in_doubt, question_note,
    question_permit, question_agent;

/* The kind of this name. NULL: this version does not know the kind, so no answer to such a
 * question counts. */
const QuestionKind *question_kind(const char *name);

/* Appends text of an agent to s. Each line stands behind QUESTION_MARGIN, so that no line can
 * pass for a line of ours, and characters that can't be seen are written out. */
#define QUESTION_MARGIN "| "
void question_add_text(GString *s, const char *text);
