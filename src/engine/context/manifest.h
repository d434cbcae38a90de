#pragma once

/* What a step's manifest says that the brain was shown. */
#include "base/json.h"
#include "engine/engine.h"
#include "mail/origin.h"

/* Ids of its parts: Message-IDs, keys of notes, names of our own words. whole: only those that
 * came uncut. char *, each owned by the array; empty where there is no manifest. ERR_DAMAGE
 * where it is no JSON. */
bool manifest_ids(GBytes *manifest, bool whole, GPtrArray **ret, GError **error);
/* Lowers *floor to the least trusted mail or note among them, as the role has it. */
bool manifest_floor(
    Engine *engine, const char *role, GBytes *manifest, Trust *floor, GError **error);
/* The same from context_parts(), before they become a manifest. */
bool manifest_parts_floor(
    Engine *engine, const char *role, const json_t *parts, Trust *floor, GError **error);
