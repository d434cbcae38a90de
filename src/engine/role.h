#pragma once

/*
 * Who has an address and works: the roles that the settings name, and those that a face has put into
 * the store (store/job/role_rows.h), which have no brain. A role without a brain is worked by the face that leads its jobs
 * (FaceOps.decide).
 */
#include "engine/engine.h"

/* NULL: there is none. Borrowed from the settings or the engine. */
const ConfRole *role_find(Engine *engine, const char *name);
/* The same; an error where there is none. */
const ConfRole *role_get(Engine *engine, const char *name, GError **error);
