#pragma once

/*
 * What a program may ask for through the agent port. port.c knows sockets and lines;
 * port_verbs.c knows which line means what, port_propose.c makes proposals of them,
 * port_read.c looks things up, and port_notes.c does both for notes. Nobody else includes this.
 * Nothing here blocks but the commit itself.
 */
#include "engine/permit/permit.h"
#include "engine/run/commit.h"
#include <jansson.h>

/* The state of one conversation between a run and its program. */
typedef struct PortTalk {
    Engine *engine;
    const Job *job;
    const JobClaim *claim;
    const StepInput *in;
    Viewer viewer;
    Trust floor;         /* of in, lowered by what was read */
    GHashTable *reads;   /* what was read since the last step: "VERSION ID" */
    GHashTable *spaces;  /* of what was read: name -> is it written down? */
    GHashTable *notes;   /* that were read and are not written down: key -> version */
    MsgRows *unsettled;  /* borrowed from in */
    GHashTable *answers; /* MsgId.v -> id of the reply that settled it */
    const SentOnce *once; /* what the mail that is made now answers; NULL: it may be made again */
    unsigned steps;
    bool (*begin)(void *data, GError **error); /* the job; NULL: it is there */
    void *begin_data;
    bool lost;        /* the claim is somebody else's now */
    const char *only; /* the one verb that is served; borrowed; NULL: all are */
    PermitDesk *desk; /* for tool calls; borrowed; NULL: nobody asks */
    /* The request that is carried out just now, and what is said to it. */
    json_t *request, *answer;
    int status; /* of a refusal; 0: the one that belongs to the error */
} PortTalk;

void port_talk_init(
    PortTalk *talk, Engine *engine, const Job *job, const JobClaim *claim, const StepInput *in);
/* The job and its open mail were loaded anew, after a step. What was read still lowers the floor. */
void port_talk_renew(PortTalk *talk, const Job *job, const StepInput *in);
void port_talk_clear(PortTalk *talk);

/* Carries out one request line; the answer is one line with its newline; caller frees. */
char *port_talk(PortTalk *talk, const char *line, size_t len);
/* The answer to a request that was never read to its end; caller frees. */
char *port_refuse(const char *why, int status);

/* A verb reads talk->request and adds its members to talk->answer. On false it may set talk->status
 * where the one that belongs to the error does not fit. */
typedef bool PortVerb(PortTalk *talk, GError **error);
PortVerb verb_send, verb_reply, verb_act, verb_mail_list, verb_mail_search, verb_mail_show,
    verb_mail_thread, verb_changes;
PortVerb verb_permit;
PortVerb verb_note_get, verb_note_put, verb_note_append, verb_note_list, verb_note_search,
    verb_note_history, verb_note_rename, verb_note_delete;

/* Takes a proposal through policy and commit, as a step under the run's claim. shown: the mail
 * on which the step rests; borrowed. Where the result is false, nothing has happened. */
bool port_commit(PortTalk *talk,
                 Proposal *p,
                 MsgRows *shown,
                 GArray **ret_verdicts,
                 StepResult *ret,
                 GError **error);

/* Notes that the program has read a mail (version 0) or this version of a note, or a part of
 * it. space: whose mail or note it is; NULL: of no space. */
void port_has_read(PortTalk *talk, const char *id, int64_t version, const char *space);
/* The manifest of a page (NULL: there was no page) with what the program has read; NULL: there
 * is neither. Caller unrefs. */
GBytes *port_manifest(const PortTalk *talk, GBytes *page);
/* Members of an answer: text (NULL is null), "<id>", a time (0 is null). */
void answer_text(json_t *object, const char *name, const char *value);
void answer_id(json_t *object, const char *name, const char *msgid);
/* Something that is not there, or not for this role: the same words for both. */
bool answer_absent(PortTalk *talk, const char *id, GError **error);
/* Mail that waits for a person's yes, or can't be read, is absent for programs. */
bool mail_is_let_in(const MsgRow *row);
