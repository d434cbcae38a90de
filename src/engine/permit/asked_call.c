#include "engine/permit/asked_call.h"
#include "base/digest.h"
#include "base/limits.h"
#include <limits.h>

void
asked_call_clear(AskedCall *c)
{
    g_clear_pointer(&c->doc, json_decref);
}

json_t *
asked_call_json(const PermitPlace *place,
                const PermitCall *call,
                const PermitVerdict *verdict,
                const char *role,
                const char *client)
{
    g_autofree char *covers = permit_covers(place, call), *folder = permit_folder(place, call);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:O, s:s, s:s, s:s, s:b, s:b}", "role", role, "client",
        client, "tool", call->tool, "id", call->id ? call->id : "", "session",
        call->session ? call->session : "", "why", verdict->why, "input", call->input, "what",
        permit_covers_what(call), "covers", covers, "folder", folder, "each_time",
        verdict->each_time, "is_question", verdict->is_question);
}

static bool
read_texts(AskedCall *c)
{
    const struct {
        const char *name, **ret;
    } texts[] = {{"role", &c->role},          {"client", &c->client}, {"tool", &c->call.tool},
                 {"session", &c->call.session}, {"id", &c->call.id},  {"why", &c->why},
                 {"what", &c->what},          {"covers", &c->covers}, {"folder", &c->folder}};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        if (!json_get_string(c->doc, "", texts[i].name, texts[i].ret, NULL))
            return false;
    }
    return true;
}

bool
asked_call_read(const char *payload, AskedCall *ret, GError **error)
{
    const char *text = payload ? payload : "";
    g_auto(AskedCall) c = {0};
    int64_t step = 0;
    if (!json_parse(text, strlen(text), LIMIT_PORT_REQUEST, &c.doc, NULL) || !read_texts(&c) ||
        !json_get_bool(c.doc, "", "each_time", &c.each_time, NULL) ||
        !json_get_bool(c.doc, "", "is_question", &c.is_question, NULL) ||
        !json_find_int(c.doc, "", "step", 0, INT_MAX, &step, NULL) ||
        !json_is_object(json_object_get(c.doc, "input")))
        return err_set(error, ERR_DAMAGE, "a question about a tool call has a broken payload");
    c.call.input = json_object_get(c.doc, "input");
    c.step = (int)step;
    *ret = c;
    c.doc = NULL;
    return true;
}

void
asked_call_digest(JobId job, const PermitCall *call, Digest *ret)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, job.v);
    g_autofree char *input = json_format_sorted(call->input);
    const char *parts[] = {number, call->session ? call->session : "", call->tool, input};
    DigestCtx *ctx = digest_new();
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        digest_update(ctx, parts[i], strlen(parts[i]) + 1);
    digest_final(ctx, ret);
}

char *
asked_call_line(const PermitCall *call)
{
    const char *command = permit_command(call);
    const char *path = json_string_value(json_object_get(call->input, "file_path"));
    g_autofree char *input = command || path ? NULL : json_format(call->input);
    g_autofree char *seen = text_vis(command ? command : path ? path : input, false);
    g_autofree char *line = g_strdup_printf("%s: %s", call->tool, seen);
    return text_shorten(line, 80);
}

const char *
asked_call_ungrantable(const AskedCall *c)
{
    if (!g_str_equal(c->client, "opencode") || c->is_question)
        return NULL;
    if (!g_str_equal(c->call.tool, "bash"))
        return "opencode can be allowed exact commands, but no other call; a file of its folder "
               "it may change with 'permissions = edit' of the role";
    return strpbrk(c->covers, "*?") ? "opencode takes * and ? as wildcards, so it would allow "
                                      "more than is shown here"
                                    : NULL;
}
