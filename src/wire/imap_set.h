#pragma once

/*
 * A set of UIDs as ranges, sorted, without overlap: what SEARCH finds and what FETCH is asked
 * for. It may come from a hostile server, so its size is that of the ranges, not of the UIDs.
 */

typedef struct ImapRange {
    uint32_t first, last; /* UINT32_MAX as last: "*" and all that may come */
} ImapRange;

typedef struct ImapSet {
    GArray *ranges; /* of ImapRange; NULL: empty */
} ImapSet;
void imap_set_clear(ImapSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImapSet, imap_set_clear)

/* Adds all UIDs from first to last, in whichever order the two are. 0 is no UID, and is left
 * out. */
void imap_set_add(ImapSet *set, uint32_t first, uint32_t last);
void imap_set_remove(ImapSet *set, uint32_t uid);
/* Leaves only what is in the other set too. */
void imap_set_keep(ImapSet *set, const ImapSet *other);
bool imap_set_has(const ImapSet *set, uint32_t uid);
bool imap_set_is_empty(const ImapSet *set);
uint64_t imap_set_count(const ImapSet *set);
/* The lowest UID; 0: empty. */
uint32_t imap_set_first(const ImapSet *set);
/* The highest; 0: empty. */
uint32_t imap_set_last(const ImapSet *set);
/* Moves the lowest UIDs, at most max of them in at most max_ranges ranges, into a new set; an
 * open range ("*") moves whole. */
ImapSet imap_set_take(ImapSet *set, uint32_t max, unsigned max_ranges);

/* "1:3,7,9:*"; caller frees. */
char *imap_set_format(const ImapSet *set);
/* False for what is no set. "*" is UINT32_MAX. */
bool imap_set_parse(const char *text, size_t len, ImapSet *ret);
/* The set of all these ranges, of ImapRange in any order; takes the array. Costs no more time than
 * sorting them. */
ImapSet imap_set_take_ranges(GArray *ranges);
