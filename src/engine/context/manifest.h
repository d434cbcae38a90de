#pragma once

/* What a step's manifest says that the brain was shown. */
#include "base/json.h"
#include "base/list.h"
#include "engine/engine.h"
#include "mail/origin.h"

/* Ids of its parts: Message-IDs, keys of notes, names of our own words. whole: only those that
 * came uncut. char *, each owned by the array; empty where there is no manifest. ERR_DAMAGE
 * where it is no JSON. */
bool manifest_ids(GBytes *manifest, bool whole, GPtrArray **ret, GError **error);
/* A mail or note that was shown, or that a program read for itself. */
typedef struct ManifestPart {
    char *id; /* a Message-ID, or the key of a note */
    int64_t version; /* of the note */
} ManifestPart;
void manifest_part_free(ManifestPart *part);
LIST_OF(ManifestParts, manifest_list, ManifestPart, manifest_part_free)
/* All of them; empty where there is no manifest. */
bool manifest_parts(GBytes *manifest, ManifestParts **ret, GError **error);
/* The manifest with what a program read through its port, an array of {id, version}, as its member "read". manifest NULL: of
 * nothing else. NULL where both are nothing; caller unrefs. */
GBytes *manifest_add_reads(GBytes *manifest, json_t *reads);
/* Lowers *floor to the least trusted mail or note among them, as the role has it. */
bool manifest_floor(
    Engine *engine, const char *role, GBytes *manifest, Trust *floor, GError **error);
/* Are parts `from` there our own words, or what the job itself kept from its last step? Of such a part no
 * mail or note has to be looked up. NULL: from nowhere. */
bool manifest_is_own(const char *from);
/* The same of one of its parts, before they become a manifest. */
bool manifest_part_floor(
    Engine *engine, const char *role, const json_t *part, Trust *floor, GError **error);
