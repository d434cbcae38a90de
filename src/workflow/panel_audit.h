#pragma once

/* What members of panels were shown, from the manifests of their steps (engine/context/context.h). */
#include "base/json.h"
#include "workflow/panel.h"

/* One object for each ballot of the panel (id not 0), or of all panels that judged the artifact of this name: panel, round,
 * member, brain, model, job, shown, wall, fault. fault is "" where the job was the ballot's alone, its program began anew,
 * and what it was shown is its own instructions, the bytes that are judged and, after the first round, what members said. */
bool panel_audit(Engine *engine,
                 PanelId id,
                 const char *artifact,
                 json_t **ret,
                 unsigned *ret_faults,
                 GError **error);
