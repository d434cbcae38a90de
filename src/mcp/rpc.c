#include "mcp/rpc.h"
#include "base/json.h"

static const char *const versions[] = {MCP_MODERN,   MCP_LEGACY,   "2025-06-18",
                                       "2025-03-26", "2024-11-05", NULL};

void
rpc_free(Rpc *rpc)
{
    if (rpc)
        json_decref(rpc->whole);
    g_free(rpc);
}

json_t *
rpc_error(const json_t *id, RpcCode code, const char *text, json_t *data)
{
    json_t *error = json_pack("{s:i, s:s}", "code", (int)code, "message", text);

    if (data)
        json_object_set_new(error, "data", data);
    return json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id",
                     id ? json_incref((json_t *)id) : json_null(), "error", error);
}

json_t *
rpc_versions(void)
{
    json_t *list = json_array();

    for (const char *const *version = versions; *version; version++)
        json_array_append_new(list, json_string(*version));
    return list;
}

const char *
rpc_legacy_version(const char *offered)
{
    for (const char *const *version = versions + 1; *version; version++)
        if (g_str_equal(*version, offered))
            return *version;
    return MCP_LEGACY;
}

const char *
rpc_text(const Rpc *rpc, const char *name)
{
    const char *text = json_string_value(json_object_get(rpc->params, name));

    return text ? text : "";
}

const json_t *
rpc_meta(const Rpc *rpc)
{
    const json_t *meta = json_object_get(rpc->params, "_meta");

    return json_is_object(meta) ? meta : NULL;
}

/* What every modern request has to say about itself. */
static json_t *
check_meta(const Rpc *rpc, const json_t *version)
{
    const char *said = json_string_value(version);

    if (!said)
        return rpc_error(rpc->id, RPC_PARAMS,
                         "_meta." MCP_META "protocolVersion: must be a string", NULL);
    if (!g_str_equal(said, MCP_MODERN))
        return rpc_error(
            rpc->id, RPC_VERSION, "this protocol version is not spoken here",
            json_pack("{s:o, s:s}", "supported", rpc_versions(), "requested", said));
    if (!json_is_object(json_object_get(rpc_meta(rpc), MCP_META "clientCapabilities")))
        return rpc_error(rpc->id, RPC_PARAMS,
                         "_meta." MCP_META "clientCapabilities: must be an object", NULL);
    return NULL;
}

static json_t *
read_request(Rpc *rpc)
{
    const json_t *id = json_object_get(rpc->whole, "id");
    const json_t *params = json_object_get(rpc->whole, "params");

    if (id && !json_is_string(id) && !json_is_integer(id))
        return rpc_error(NULL, RPC_INVALID, "id: must be a string or a whole number", NULL);
    rpc->id = id;
    if (g_strcmp0(json_string_value(json_object_get(rpc->whole, "jsonrpc")), "2.0") != 0)
        return rpc_error(id, RPC_INVALID, "jsonrpc: must be \"2.0\"", NULL);
    rpc->method = json_string_value(json_object_get(rpc->whole, "method"));
    if (!rpc->method && json_object_get(rpc->whole, "method"))
        return rpc_error(id, RPC_INVALID, "method: must be a string", NULL);
    if (!rpc->method && !json_object_get(rpc->whole, "result") &&
        !json_object_get(rpc->whole, "error"))
        return rpc_error(id, RPC_INVALID, "there is no method", NULL);
    if (params && !json_is_object(params))
        return rpc_error(id, RPC_PARAMS, "params: must be an object", NULL);
    rpc->params = params;
    const json_t *version = json_object_get(rpc_meta(rpc), MCP_META "protocolVersion");
    rpc->modern = version;
    return version && rpc->id ? check_meta(rpc, version) : NULL;
}

/* A notification, or an answer: nobody answers it, whatever is wrong with it. */
static bool
is_for_nobody(const json_t *whole)
{
    return json_is_string(json_object_get(whole, "method"))
               ? !json_object_get(whole, "id")
               : json_object_get(whole, "result") || json_object_get(whole, "error");
}

bool
rpc_parse(const char *line, size_t len, Rpc **ret, json_t **ret_answer)
{
    g_autoptr(Rpc) rpc = g_new0(Rpc, 1);
    g_autoptr(GError) error = NULL;

    *ret_answer = NULL;
    if (!json_parse(line, len, 0, &rpc->whole, &error))
        err_prefix(&error, "no JSON object on a line of its own");
    if (error)
        *ret_answer = rpc_error(NULL, RPC_PARSE, error->message, NULL);
    else if (json_is_array(rpc->whole))
        *ret_answer = rpc_error(NULL, RPC_INVALID, "no batches: one request per line", NULL);
    else if (!json_is_object(rpc->whole))
        *ret_answer = rpc_error(NULL, RPC_INVALID, "a request is an object", NULL);
    else
        *ret_answer = read_request(rpc);
    if (*ret_answer) {
        if (is_for_nobody(rpc->whole))
            g_clear_pointer(ret_answer, json_decref);
        return false;
    }
    *ret = g_steal_pointer(&rpc);
    return true;
}
