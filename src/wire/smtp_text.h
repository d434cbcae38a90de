#pragma once

/*
 * What goes over an SMTP wire: envelope addresses that can't carry a second command, and a mail
 * with the line ends and the dots that DATA asks for. Pure functions.
 */

/* True for one local@domain that may stand between angle brackets: valid UTF-8, at most 64
 * bytes before the "@" and 254 in all, no white space, control character, "<" or ">" anywhere,
 * and nothing that could be read as two addresses. Whether the address exists is for the server
 * to say. */
bool smtp_address_valid(const char *spec);
/* The address as it is written to the wire: a domain in another script as its A-label, which
 * every server understands. Caller frees. What is not ASCII then needs SMTPUTF8. */
char *smtp_address_wire(const char *spec);
/* A value for ENVID and ORCPT (RFC 3461); caller frees. */
char *smtp_xtext(const char *value);

/* What a mail asks of a server. */
typedef struct SmtpNeeds {
    bool eight_bit;   /* bytes above 127: 8BITMIME */
    bool utf8_header; /* some in its own header block: SMTPUTF8 (RFC 6531 3.2) */
    bool nul;         /* no server may be given one */
    uint64_t size;    /* with every line end as CRLF, as SIZE counts */
} SmtpNeeds;
SmtpNeeds smtp_needs_of(const void *mail, size_t len);

/* The mail as DATA sends it: every LF, CR and CRLF is one CRLF, so that no two servers can
 * disagree on where it ends; a dot at the start of a line is doubled; the last line is "."
 * alone. Caller unrefs. */
GByteArray *smtp_encode(const void *mail, size_t len);
