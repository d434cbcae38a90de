#pragma once

/*
 * What comes back to a panel that wrote an artifact, from its reviewers: a panel row of its own, of the same role.
 *
 *   rejection               PANEL_REVISES: members say what must change, the primary writes the text anew, and in one
 *                           transaction the file gets these bytes and the next review-request goes to the same reviewers
 *   clarification-request,
 *   question                PANEL_ANSWERS: the primary alone is asked, and what it says is the answer
 *
 * Where neither can be done, the coordinator hears what came back, and how to go on by hand. A panel revises a text
 * PANEL_REVISIONS_MAX times for other agents; a person may reject it as often as they like.
 */
#include "store/workflow.h"
#include "workflow/panel_write.h"

#define PANEL_REVISIONS_MAX 3u

/* What the event asks of the panel. *ret NULL: nothing, since it is no such event, or a newer review has begun. ERR_NEVER,
 * ERR_LIMIT: it is for this panel, and can't be done; says why, and how to go on. */
bool panel_return_read(JobSession *s,
                       const MsgRow *row,
                       const FlowEvent *e,
                       PanelRow **ret,
                       PanelMembers **ret_members,
                       GError **error);
/* The end of the panel settles what its job was shown, but for what came back meanwhile: that waits for the job's next round. */
bool panel_return_settle(JobSession *s, const PanelRow *p, Proposal *end, GError **error);
/* *ret: a newer review has begun, and nobody waits for this revision any more. */
bool panel_return_over(Db *db, const PanelRow *p, bool *ret, GError **error);
/* Commits what the primary has decided as the job's last step, and closes the panel. ERR_NEVER: it can't be, and nothing has
 * happened; says why, and how to go on. */
bool panel_return_commit(JobSession *s, const PanelRow *p, const BallotRows *all, GError **error);
/* How to go on by hand, behind whatever went wrong. Caller frees. */
char *panel_return_way_on(const PanelRow *p);
