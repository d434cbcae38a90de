#pragma once

/* The workflow: artifacts that roles and people hand on by typed mail (docs/teams.md). What an event decides is in
 * event_send.h; here is where that hangs on the engine. */
#include "engine/engine.h"

extern const FaceOps face_workflow;

/* Where file, header and record of an artifact disagree, and what to do: char *. name NULL: of all. */
bool workflow_check(Engine *engine, const char *name, GPtrArray *findings, GError **error);
