#pragma once

/*
 * Short forms of Message-IDs, for people: as many characters as tell one apart from all others in the
 * store, at least SHORT_ID_MIN. An id that we mint begins with the same numbers as its neighbours, so
 * its short form is the beginning of its tag; that of any other is its own beginning.
 */
#include "store/db.h"

#define SHORT_ID_MIN 8

typedef struct ShortIds ShortIds;
/* All ids that are known now. */
bool short_ids_load(Db *db, ShortIds **ret, GError **error);
void short_ids_free(ShortIds *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ShortIds, short_ids_free)
/* Caller frees. Never a number, which would name something else. */
char *short_id(const ShortIds *s, const char *msgid);

/* The ids that text may stand for, at most max and one more; elements are char *. None for a text
 * that is shorter than four characters. Caller frees. */
bool short_id_find(Db *db, const char *text, unsigned max, GPtrArray **ret, GError **error);
