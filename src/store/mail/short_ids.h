#pragma once

/*
 * Short forms of Message-IDs, for people: as many characters as tell one apart from all others
 * in the store, at least SHORT_ID_MIN. An id that we mint begins with the same numbers as its
 * neighbours, so its short form is the beginning of its tag. The short form of any other id is
 * the beginning of the id.
 */
#include "store/db.h"

#define SHORT_ID_MIN 8

typedef struct ShortIds ShortIds;
/* All ids that are known now. */
bool short_ids_load(Db *db, ShortIds **ret, GError **error);
void short_ids_free(ShortIds *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ShortIds, short_ids_free)
/* The short form of an id. It is never a number alone, since a number names something else.
 * Caller frees. */
char *short_id(const ShortIds *s, const char *msgid);

/* The ids that a text may stand for, of char *. At most max + 1 of them, so that the caller
 * sees that there are more than max. The list is empty for a text of less than four characters.
 * Caller unrefs. */
bool short_id_find(Db *db, const char *text, unsigned max, GPtrArray **ret, GError **error);
