#pragma once

/*
 * A kind of question (store/job/questions.h): how its payload is shown to the person, what a yes
 * does, and what a no does. Asking, the mail that asks, who may answer, until when, that what was
 * shown is still what is there, and that an answer counts once are the same for all of them
 * (hold.h). Adding a kind is one QuestionKind and its name in question_kind.c.
 */
#include "engine/people/hold.h"

/* One answer on its way. A kind adds a line for all that it has decided, and one for what it could
 * not: an answer that decides nothing changes nothing, and the question stays open. */
typedef struct Deciding {
    Txn *txn;
    const Question *question;
    const HoldAnswer *answer;
    GString *done, *stuck; /* lines "  …\n" */
    unsigned n_done;
} Deciding;

struct QuestionKind {
    const char *name;
    unsigned may;          /* MAY_…: all of them whoever answers must have */
    bool later;            /* the job waits for the answer; a yes is used later, by question_use() */
    const char *subject;   /* of the mail that asks; NULL: that of the conversation */
    const char *how;       /* what can be answered, and what each answer does */
    const char *changed;   /* "What is held is no longer what was shown, so …" */
    const char *no_way;    /* before the lines of what could not be decided */
    const char *traces[2]; /* of the mail that answers: no, yes */
    /* What is said of what was decided, before the lines: no, yes; of one, of several. */
    const char *said[2][2];
    /* Writes what a yes is about; ahead is what whoever asks says in front. */
    bool (*describe)(
        Engine *engine, const Question *q, const char *ahead, GString *s, GError **error);
    /* Of what is there now. ERR_DAMAGE: something of it is gone. */
    bool (*digest)(Db *db, const Question *q, Digest *ret, GError **error);
    bool (*asked)(Txn *txn,
                  const Question *q,
                  GError **error);               /* q has its id; NULL: nothing */
    bool (*decide)(Deciding *d, GError **error); /* as the answer says */
    const char *became[2]; /* "Your mail to …" or "Your change of …": no, yes */
    /* What became of it, in lines for the job. */
    bool (*news)(Db *db, const Question *q, GString *s, GError **error);
};
extern const QuestionKind question_held_mail, question_mail_in_doubt, question_note,
    question_permit, question_agent;

/* The kind of this name; NULL: this version does not know it, and nobody's yes counts. */
const QuestionKind *question_kind(const char *name);

/* Text of an agent, line by line behind a margin, so that no text of it can pass for ours; what
 * can't be seen is written out. */
#define QUESTION_MARGIN "| "
void question_add_text(GString *s, const char *text);
