#pragma once

/* The inside of engine/tree/file_effects.h, shared by the files of the effects; nobody else
 * includes it. */
#include "engine/tree/file_effects.h"
#include "engine/tree/git.h"

/* The lines of an effect, the first of them the whole path of the folder; NULL: it is damaged.
 * Caller frees. */
char **effect_lines(Db *db, const Effect *e, unsigned n, GError **error);
/* The repository in which the folder lies; *ret NULL: it lies in none, or in a bare one. */
bool effect_repo(Db *db, const char *root, GitRepo **ret, GError **error);

bool commit_effect_look(
    Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error);
bool commit_effect_act(Db *db, const Effect *e, GError **error);
