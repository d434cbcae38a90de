#pragma once

/*
 * What a panel is asked for: a review-request, what `panel review` and `panel write` wrote, or what came back from reviewers
 * (panel_return.h). Gives its row and members, not yet written down.
 */
#include "store/workflow.h"
#include "workflow/panel.h"

/* What a review-request asks of the panel of this role. ERR_NEVER: it can't be judged; says why. */
bool panel_ask_request(Engine *engine,
                       const char *role,
                       const FlowEvent *e,
                       PanelRow **ret,
                       PanelMembers **ret_members,
                       GError **error);
/* What the mail that the job is shown asks of the panel. over: the job had a panel that has ended, so that only what came
 * back from reviewers asks for another. *ret NULL: no panel is asked for. ERR_DAMAGE: the request belongs to a review that
 * was lost with the store. */
bool panel_ask_read(
    JobSession *s, bool over, PanelRow **ret, PanelMembers **ret_members, GError **error);
