#pragma once

/*
 * The grammar of two fields that receiving servers write: Authentication-Results (RFC 8601) and
 * Received (RFC 5321 4.4). Plain text in, structs out; who may be believed is auth.h's
 * business.
 */

/* One method's result. Properties that occur twice make the whole result worthless. */
typedef struct AuthResult {
    char *method; /* lower case: dmarc, dkim, spf, auth, … */
    char *result; /* lower case: pass, fail, none, … */
    char *header_from, *header_d, *header_i, *smtp_mailfrom, *smtp_auth; /* NULL: not said */
    bool repeated;
} AuthResult;

typedef struct AuthResults {
    char *id;        /* authserv-id as written; NULL: none, as Microsoft has it */
    GPtrArray *list; /* of AuthResult, in order */
    bool bad;        /* does not keep to the grammar, or has too many results; list is empty */
} AuthResults;

/* NULL where neither an id nor a method begins it. A field of which only the id can be read is
 * `bad`: it says nothing, but it is still the first of its server. A version other than 1 is
 * bad too. Comments count nowhere; a quoted string is its content. The form without an
 * authserv-id is read too. */
AuthResults *auth_results_parse(const char *value);
void auth_results_free(AuthResults *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AuthResults, auth_results_free)

/* What one Received field says: who gave the mail to whom. */
typedef struct AuthHop {
    char *from;   /* what the client called itself; NULL: the field has no "from" */
    char *remark; /* the comment right behind it: its real name and address; "" for none */
    char *by;     /* lower case, without a last dot; NULL */
    char *rest;   /* the field as it stands */
} AuthHop;
/* Reads the value of a Received field. Never NULL: what can't be read is NULL or "" in the
 * result. */
AuthHop *auth_hop_parse(const char *value);
void auth_hop_free(AuthHop *hop);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AuthHop, auth_hop_free)
