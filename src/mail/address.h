#pragma once

/*
 * Addresses. Decisions are made on the addr-spec alone: display names and encoded words never
 * yield an address. Nothing here uses GMime.
 */
#include "base/list.h"
#include <glib.h>
#include <stdbool.h>

typedef struct Address {
    char *name; /* decoded, valid UTF-8; "" for none */
    char *spec; /* local@domain, domain in lower case (A-label where given so); valid UTF-8 */
} Address;

Address *address_new(const char *name, const char *spec);
Address *address_copy(const Address *a);
void address_free(Address *a);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Address, address_free)
LIST_OF(Addresses, addresses, Address, address_free)

/* A header's address list within limits: groups are flattened, comments dropped, what can't be
 * read is skipped. Linear in the input. */
Addresses *address_parse_list(const char *header);

/* One bare addr-spec that we may write to: grammar, lengths, no CTL, space or angle brackets.
 */
bool address_spec_valid(const char *spec);
/* Lower-cases the domain; caller frees. NULL when not an addr-spec. */
char *address_normalise(const char *spec);
/* Same mailbox: domains in any case and in either form of other alphabets, local parts exact.
 */
bool address_equal(const char *a, const char *b);
/* Is it equal to one of these texts? */
bool address_in(const GPtrArray *specs, const char *spec);
/* Does the address mean `ours`, the one of a role or an account of this home? Its local part counts in any
 * case: here it is we who say what it means. */
bool address_is_ours(const char *spec, const char *ours);
/* "envoy+12.abc@x" gives "envoy@x" and "12.abc" (NULL: no tag). Caller frees both. */
void address_split_tag(const char *spec, char **ret_base, char **ret_tag);
/* `Name <spec>` for a header, name quoted or encoded as RFC 2047 where needed; caller frees. */
char *address_format(const char *name, const char *spec);
/* For people to read, and never for a header: "Name <spec>", or spec alone where there is no name
 * (NULL or empty). Nothing is escaped. Caller frees. */
char *address_show(const char *name, const char *spec);
/* The same for a list, with commas between them; "" for none. */
char *address_show_list(const Addresses *list);
/* True for MAILER-DAEMON, postmaster, no-reply, *-request, owner-*, bounce*: never answered. */
bool address_is_machine(const char *spec);
