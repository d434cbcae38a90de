#pragma once

/* Reading manifests: what a step's manifest says that the brain was shown. A manifest is a part
 * of the store, so one that can't be read is ERR_DAMAGE in each call. */
#include "base/json.h"
#include "base/list.h"
#include "engine/engine.h"
#include "mail/origin.h"

/* Ids of its parts: Message-IDs, keys of notes, names of our own words. whole: only of parts
 * that were shown uncut. The array owns its elements (char *), and is empty where manifest is
 * NULL. */
bool manifest_ids(GBytes *manifest, bool whole, GPtrArray **ret, GError **error);
/* A mail or note that was shown, or that a program read for itself. */
typedef struct ManifestPart {
    char *id; /* a Message-ID, or the key of a note */
    int64_t version; /* of the note */
} ManifestPart;
ManifestPart *manifest_part_new(const char *id, int64_t version);
void manifest_part_free(ManifestPart *part);
LIST_OF(ManifestParts, manifest_list, ManifestPart, manifest_part_free)
/* All such mails and notes; the list is empty where manifest is NULL. */
bool manifest_parts(GBytes *manifest, ManifestParts **ret, GError **error);
/* The manifest with what a program read through its port, an array of {id, version}, as its
 * member "read". manifest may be NULL; the result is NULL where reads is empty too. Caller
 * unrefs. */
GBytes *manifest_add_reads(GBytes *manifest, json_t *reads);
/* Lowers *floor to the least trusted mail or note among them, as the role has it. */
bool manifest_floor(
    Engine *engine, const char *role, GBytes *manifest, Trust *floor, GError **error);
/* True when parts with this `from` are our own words, or what the job itself kept from its last
 * step: no mail or note has to be looked up for such a part. from NULL: the part is from
 * nowhere. */
bool manifest_is_own(const char *from);
/* Lowers *floor likewise to one mail or note. */
bool manifest_part_floor(
    Engine *engine, const char *role, const ManifestPart *part, Trust *floor, GError **error);
