#pragma once

/*
 * JSON-RPC as the Model Context Protocol has it: one object per line, no batches, ids that are a text or a whole number.
 *
 * There are two eras, and each request says by itself which one it belongs to: a modern one (2026-07-28) has its protocol
 * version in params._meta; all others are legacy, for which `initialize` agrees on a version. Nothing is remembered of
 * earlier requests.
 */
#include <jansson.h>

#define MCP_MODERN "2026-07-28"
#define MCP_LEGACY "2025-11-25" /* the newest of that era */
#define MCP_META "io.modelcontextprotocol/"

typedef enum RpcCode {
    RPC_PARSE = -32700,
    RPC_INVALID = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_NO_RESOURCE = -32002, /* legacy; modern: RPC_PARAMS */
    RPC_VERSION = -32022,
} RpcCode;

typedef struct Rpc {
    json_t *whole;
    const json_t *id;     /* NULL: a notification, which is never answered */
    const char *method;   /* NULL: an answer, which we have not asked for */
    const json_t *params; /* an object; NULL: none */
    bool modern;
} Rpc;
void rpc_free(Rpc *rpc);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rpc, rpc_free)

/* Reads one line. False: the line can't be used. *ret_answer is then an error to be sent
 * (caller unrefs), or NULL where the line is a notification or an answer, which nobody
 * answers. */
bool rpc_parse(const char *line, size_t len, Rpc **ret, json_t **ret_answer);
/* An answer that is an error. id NULL: nobody knows it. data is taken; NULL: none. */
json_t *rpc_error(const json_t *id, RpcCode code, const char *text, json_t *data);
/* The versions that we speak, newest first. Caller unrefs. */
json_t *rpc_versions(void);
/* The version to answer to a legacy client that offers this one. */
const char *rpc_legacy_version(const char *offered);
/* A member of params; "" where it is none or no text. Borrowed. */
const char *rpc_text(const Rpc *rpc, const char *name);
/* params._meta; NULL: there is no such object. Borrowed. */
const json_t *rpc_meta(const Rpc *rpc);
