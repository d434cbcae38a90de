#pragma once

/*
 * The conversation of a job so far, as a brain is shown it: mail that was taken in and settled,
 * and mail that the job wrote, in the order of time. What is open now is not part of it.
 */
#include "engine/context/context.h"
#include "engine/run/commit.h"

/* The header lines that a brain sees before a mail's text, with a blank line behind; caller
 * frees. */
char *conversation_head(const MsgRow *row);
/* Who the sender is ("SENDER IS another agent"), and how far the mail is trusted where its
 * writer had read less trusted words; caller frees. */
char *conversation_sender(const MsgRow *row);
/* The header lines of a mail that somebody forwarded; caller frees. */
char *conversation_head_inside(const Message *m);
/* Appends the text of a mail; of one that has no text its subject, that there is no text, and
 * what the mail holds instead. */
void conversation_add_text(GString *out, const Message *m);

/* Shows the conversation within the room that the context has: in full the mail that the newest
 * of in->shown answers, then the others in full from the newest on while there is room, at most
 * 50, then up to 15 as headers. Older mail is only counted. The last line of our own mails is
 * left out. A session that is resumed is shown only what came since it was told last. */
bool conversation_show(
    Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error);
/* The same for a page that shows some mail already: `seen` is a set of Message-IDs; mail in it
 * is passed over, and what was shown in full is added. */
bool conversation_show_unseen(Engine *engine,
                              const Job *job,
                              const StepInput *in,
                              GHashTable *seen,
                              Context *c,
                              GError **error);

/* One mail that the role wrote, in this job or another, as far as there is room for it. One
 * that is in `seen` is passed over; it is added there. Nothing where there is no such mail. */
bool conversation_show_written(Engine *engine,
                               const Job *job,
                               const char *msgid,
                               GHashTable *seen,
                               Context *c,
                               GError **error);

/* True for the word (`from` of a manifest's part) by which this file's parts are known. */
bool conversation_shows(const char *from);
/* The text of such a part again; *ret NULL: it is gone. Caller frees. */
bool conversation_recall(Recall *r, const ContextPart *part, char **ret, GError **error);
