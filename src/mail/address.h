#pragma once

/*
 * Addresses. Decisions are made on the addr-spec alone: display names and encoded words never
 * yield an address. Nothing here uses GMime.
 */
#include "base/list.h"

typedef struct Address {
    char *name; /* decoded, valid UTF-8; "" for none */
    char *spec; /* local@domain, domain in lower case (A-label where given so); valid UTF-8 */
} Address;

Address *address_new(const char *name, const char *spec);
Address *address_copy(const Address *a);
void address_free(Address *a);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Address, address_free)
LIST_OF(Addresses, addresses, Address, address_free)

/* Reads the address list of a header, within limits: groups are flattened, comments are
 * dropped, and what can't be read is skipped. Never NULL; caller frees. Linear in the input. */
Addresses *address_parse_list(const char *header);

/* True for one bare addr-spec that we may write to: its grammar and lengths are right, and it
 * has no control character, space or angle bracket. */
bool address_spec_valid(const char *spec);
/* Lower-cases the domain; caller frees. NULL when not an addr-spec. */
char *address_normalise(const char *spec);
/* True when both mean the same mailbox: domains are compared in any case and in either form of
 * other alphabets, local parts exactly. */
bool address_equal(const char *a, const char *b);
/* True when the address is equal (address_equal()) to one of these texts. */
bool address_in(const GPtrArray *specs, const char *spec);
/* True when the address means `ours`, the address of a role or an account of this home. The
 * local part counts in any case, since here we are the ones who say what it means. */
bool address_is_ours(const char *spec, const char *ours);
/* "envoy+12.abc@x" gives "envoy@x" and "12.abc" (NULL: no tag). Caller frees both. */
void address_split_tag(const char *spec, char **ret_base, char **ret_tag);
/* `Name <spec>` for a header, name quoted or encoded as RFC 2047 where needed; caller frees. */
char *address_format(const char *name, const char *spec);
/* For people to read, and never for a header: "Name <spec>", or spec alone where there is no
 * name (NULL or empty). Nothing is escaped. Caller frees. */
char *address_show(const char *name, const char *spec);
/* The same for a list, with commas between them; "" for none. */
char *address_show_list(const Addresses *list);
/* True for MAILER-DAEMON, postmaster, no-reply, *-request, owner-*, bounce* and their like:
 * such addresses are never answered. */
bool address_is_machine(const char *spec);
