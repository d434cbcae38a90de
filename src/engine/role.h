#pragma once

/*
 * Roles: those that the settings name, and those that a face has put into the store
 * (store/job/role_rows.h), which have no brain. A role without a brain is worked by the face
 * that leads its jobs (FaceOps.decide).
 */
#include "engine/engine.h"

/* The role of this name, borrowed from the settings or the engine; NULL: there is no such
 * role. */
const ConfRole *role_find(Engine *engine, const char *name);
/* The same; NULL with ERR_NEVER where there is no such role. */
const ConfRole *role_get(Engine *engine, const char *name, GError **error);
