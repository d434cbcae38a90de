/* May the program's client make this tool call? It is asked by `postrider hook pre-tool`. */
#include "base/json.h"
#include "port/port_verbs.h"

static bool
read_call(const json_t *request, PermitCall *ret, GError **error)
{
    const json_t *input = json_object_get(request, "input");
    *ret = (PermitCall){.input = input, .session = "", .id = ""};
    if (!json_is_object(input))
        return err_set(error, ERR_NEVER, "input: must be an object");
    return json_get_string(request, "", "tool", &ret->tool, error) &&
           json_find_string(request, "", "session", &ret->session, error) &&
           json_find_string(request, "", "call", &ret->id, error) &&
           json_find_string(request, "", "cwd", &ret->cwd, error);
}

bool
verb_permit(PortTalk *talk, GError **error)
{
    g_auto(PermitReply) reply = {.decision = ""};
    g_autoptr(GError) failure = NULL;
    PermitCall call;
    if (!read_call(talk->request, &call, error))
        return false;
    if (talk->desk && !permit_decide(talk->desk, &call, &reply, &failure)) {
        talk->lost = err_is(failure, ERR_NEVER) && g_str_has_prefix(failure->message, "fenced");
        return err_pass(error, g_steal_pointer(&failure));
    }
    answer_text(talk->answer, "decision", reply.decision);
    answer_text(talk->answer, "reason", reply.reason);
    json_object_set(talk->answer, "input", reply.input ? reply.input : json_null());
    return true;
}
