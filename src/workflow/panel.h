#pragma once

/*
 * A panel: several members judge one artifact, each alone, and one decision comes of it.
 *
 *   asked      by a mail to its role: a review-request, or what `panel review` wrote (panel_mail_format())
 *   round 1    each member has a job of its own, in a new thread: instructions and the artifact, nothing else. Ballots are
 *              sealed until all are in, or the deadline has passed; then they are revealed in one transaction
 *   round 2    where members disagree: each tells the others what it said, in a space of theirs (panel_space.h), is shown
 *              what they said, and votes again (`discuss`)
 *   decided    by quorum and rule (panel_decide.h): one mail in a new thread, which closes the cycle of the
 *              review-request. Where there is no decision, the coordinator hears it
 *
 * The panel's own job is one of the face workflow, of a role without a brain; so are those of its members, whose roles
 * are called PANEL.MEMBER. What was to be judged has changed, by a word of its author: the panel is void, and
 * another one of the same job takes its place.
 */
#include "engine/session.h"
#include "store/panel_rows.h"
#include "workflow/panel_decide.h"

#define PANEL_ROLE "panel" /* of panels without settings */
#define PANEL_SUBJECT                                                                          \
    "[PANEL] " /* in front of all subjects of mail of and to panels that is no event */
#define PANEL_TIMER "workflow:panel"
#define PANEL_MARK "X-Postrider-Panel" /* header of a panel's last word, where that is no event: the request */
#define PANEL_CONTENT_MAX (128u << 10) /* a longer artifact would not be shown whole */

/* What is asked of a panel. */
typedef struct PanelAsk {
    const char *name; /* role */
    const char *subject;
    const char *const *members; /* NULL: as the settings have the panel of this name, or the usual members */
    const char *primary, *rule; /* NULL: likewise */
    int64_t quorum, discuss, deadline_us; /* -1: likewise */
    bool advice;
    bool usual; /* members NULL: the usual members (CONFIG_USUAL_MEMBERS) */
    const char *sections; /* it writes: their titles, a line each; NULL: it reviews */
    const char *path;     /* and where, beneath the root */
    const char *task, *request, *said; /* of what came back (panel_return.h); NULL: nothing did */
} PanelAsk;

/* Settings, presets and what was said, made one: row and members without job and content. ERR_NEVER, ERR_CONFIG: it can't be a
 * panel, or a member can't be asked; says why. */
bool panel_terms(Engine *engine,
                 const PanelAsk *ask,
                 PanelRow **ret,
                 PanelMembers **ret_members,
                 GError **error);
/* Is this the role of a panel, or of a member? */
bool panel_is_role(const Engine *engine, const char *role);
/* The text of the mail that begins a panel without a review-request; caller frees. */
char *panel_mail_format(const PanelAsk *ask, const char *content);
/* Row and members as that text has them, without job. */
bool panel_mail_read(Engine *engine,
                     const char *role,
                     const char *text,
                     PanelRow **ret,
                     PanelMembers **ret_members,
                     GError **error);
/* ERR_NEVER: the content is too long, or no text. */
bool panel_check_content(GBytes *content, GError **error);
/* Wakes the panel's job, now or once its run has given it back. */
bool panel_wake(Txn *txn, JobId job, GError **error);

/* FaceOps.work of both, FaceOps.stored for the mail that begins a member's job, FaceOps.commit for the panel's. */
bool panel_work(JobSession *s, GError **error);
bool panel_stored(Engine *engine, Txn *txn, const MsgNew *in, JobId job, GError **error);
bool panel_decided(Engine *engine, Txn *txn, const Job *job, const Proposal *p, GError **error);
bool panel_member_work(JobSession *s, const BallotRow *ballot, GError **error);
/* Is this what the panel itself tells a member, in front of what is judged or written? */
bool panel_tells(const PanelRow *p, const char *text);
/* A member that is a program may vote while it works. */
extern const ActOps panel_act_vote;
/* STOP or CANCEL of such a job. */
bool panel_ordered(Txn *txn, const Job *job, bool cancelled, GError **error);
