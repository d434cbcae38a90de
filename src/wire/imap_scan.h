#pragma once

/*
 * A cursor over one response: takes it apart value by value, forward only, without a tree. Each
 * call either takes what it names and returns true, or leaves the cursor and returns false.
 * Nesting costs no stack. Internal to src/wire/imap*.
 */
#include "wire/imap_response.h"

typedef struct ImapScan {
    const ImapResponse *response;
    size_t at, end;
    unsigned next_literal;
} ImapScan;

/* Over the arguments of a data response. */
ImapScan imap_scan_rest(const ImapResponse *response);
/* Over a slice of a response, such as its code; no literals there. */
ImapScan imap_scan_slice(const ImapResponse *response, ImapSlice slice);

bool imap_scan_end(const ImapScan *scan); /* nothing is left */
bool imap_scan_char(ImapScan *scan, char c);
void imap_scan_blanks(ImapScan *scan);
bool imap_scan_atom(ImapScan *scan, ImapSlice *ret);
/* An atom that may hold blanks and parentheses in brackets: BODY[HEADER.FIELDS (To)]<0> */
bool imap_scan_item(ImapScan *scan, ImapSlice *ret);
bool imap_scan_number(ImapScan *scan, uint64_t max, uint64_t *ret);

/* What a value was, if it was a text. */
typedef struct ImapText {
    bool is_nil;
    bool is_literal;
    bool is_written; /* a literal whose bytes went to a descriptor */
    uint64_t size;   /* of the text, or of the literal that was not kept */
    char *bytes;     /* NUL-terminated, may hold NULs; NULL: nil, or not kept */
} ImapText;
void imap_text_clear(ImapText *text);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImapText, imap_text_clear)
/* A quoted string, a literal, NIL, or an atom. */
bool imap_scan_text(ImapScan *scan, ImapText *ret);

/* Any value, with all lists in it. False at the end, at ")" and in a list that never closes. */
bool imap_scan_skip(ImapScan *scan);
