/*
 * Chat Completions, as OpenAI, llama-server, Ollama, vLLM and llama-cpp-python take it. Asked
 * without a stream: several local servers lose the schema or the usage in one. Where servers
 * differ, the most common form goes first and a complaint leads to the next:
 *
 *   response_format json_schema -> json_object, the schema in words too -> none, in words alone
 *   max_tokens <-> max_completion_tokens
 *   with files -> without
 */
#include "brain/api.h"

#define OWN_URL "https://api.openai.com/v1"

/* --- the question --- */

static json_t *
file_part(const BrainFile *file)
{
    g_autofree char *data = api_file_base64(file, true);

    if (api_is_pdf(file->media_type))
        return json_pack("{s:s,s:{s:s,s:s}}", "type", "file", "file", "filename",
                         file->filename, "file_data", data);
    return json_pack("{s:s,s:{s:s}}", "type", "image_url", "image_url", "url", data);
}

/* Plain text where there is nothing else: some servers know no parts. */
static json_t *
content_of(const BrainAsk *ask)
{
    g_autofree char *question = brain_question(ask);

    if (ask->n_files == 0)
        return json_string(question);
    json_t *parts = json_array();
    for (unsigned i = 0; i < ask->n_files; i++)
        json_array_append_new(parts, file_part(&ask->files[i]));
    json_array_append_new(parts, json_pack("{s:s,s:s}", "type", "text", "text", question));
    return parts;
}

static json_t *
format_of(const BrainAsk *ask, GError **error)
{
    const char *name = ask->schema_name ? ask->schema_name : "answer";
    json_t *schema;

    if (!json_parse(ask->schema, strlen(ask->schema), 0, &schema, error)) {
        err_prefix(error, "the schema of the answer");
        return NULL;
    }
    return json_pack("{s:s,s:{s:s,s:b,s:o}}", "type", "json_schema", "json_schema", "name",
                     name, "strict", 1, "schema", schema);
}

static bool next_format(json_t *question, unsigned *lacks);
static bool swap_limit(json_t *question);

static json_t *
build(const BrainAsk *ask, bool own, GError **error)
{
    unsigned known = 0;
    json_t *format = ask->schema ? format_of(ask, error) : NULL;
    json_t *messages = json_array();

    if (ask->schema && !format) {
        json_decref(messages);
        return NULL;
    }
    if (ask->system)
        json_array_append_new(messages,
                              json_pack("{s:s,s:s}", "role", own ? "developer" : "system",
                                        "content", ask->system));
    json_array_append_new(messages,
                          json_pack("{s:s,s:o}", "role", "user", "content", content_of(ask)));
    json_t *body = json_pack("{s:o,s:I}", "messages", messages,
                             own ? "max_completion_tokens" : "max_tokens",
                             (json_int_t)ask->conf->max_tokens);
    if (*ask->conf->model)
        json_object_set_new(body, "model", json_string(ask->conf->model));
    if (format)
        json_object_set_new(body, "response_format", format);
    if (ask->lacks & BRAIN_LACKS_LIMIT)
        swap_limit(body);
    while ((ask->lacks & ~known & (BRAIN_LACKS_SCHEMA | BRAIN_LACKS_JSON)) &&
           next_format(body, &known))
        ;
    return body;
}

static bool
swap_limit(json_t *question)
{
    bool old = json_object_get(question, "max_tokens") != NULL;
    const char *from = old ? "max_tokens" : "max_completion_tokens";
    const char *to = old ? "max_completion_tokens" : "max_tokens";

    json_object_set(question, to, json_object_get(question, from));
    return json_object_del(question, from) == 0;
}

/* Adds to the first message where that has the instructions, else makes one: two of them are
 * more than some chat templates take. */
static void
add_instruction(json_t *question, const char *text)
{
    json_t *messages = json_object_get(question, "messages");
    json_t *first = json_array_get(messages, 0);
    const char *role = json_string_value(json_object_get(first, "role"));
    const char *content = json_string_value(json_object_get(first, "content"));

    if (g_strcmp0(role, "user") == 0) {
        json_array_insert_new(messages, 0,
                              json_pack("{s:s,s:s}", "role", "system", "content", text));
        return;
    }
    g_autofree char *both = g_strdup_printf("%s\n\n%s", content, text);
    json_object_set_new(first, "content", json_string(both));
}

/* Servers that take json_object may pass over a schema beside it: it stands in the text, too. */
static bool
next_format(json_t *question, unsigned *lacks)
{
    json_t *format = json_object_get(question, "response_format");
    json_t *strict = json_object_get(json_object_get(format, "json_schema"), "schema");
    json_t *loose = json_object_get(format, "schema");

    if (strict) {
        g_autofree char *schema = json_format(strict);
        g_autofree char *rule = brain_schema_rule(schema);
        add_instruction(question, rule);
        json_object_set_new(question, "response_format",
                            json_pack("{s:s,s:O}", "type", "json_object", "schema", strict));
        *lacks |= BRAIN_LACKS_SCHEMA;
        return true;
    }
    if (!loose)
        return false;
    *lacks |= BRAIN_LACKS_JSON;
    return json_object_del(question, "response_format") == 0;
}

static bool
reshape(json_t *question, const char *complaint, unsigned *lacks)
{
    static const char *const limit_words[] = {"max_tokens", "max_completion_tokens", NULL};
    static const char *const format_words[] = {"response_format", "schema", "grammar",
                                               "json_object", NULL};

    json_t *messages = json_object_get(question, "messages");
    json_t *asked = json_array_get(messages, json_array_size(messages) - 1);

    if (api_mentions(complaint, limit_words)) {
        *lacks ^= BRAIN_LACKS_LIMIT;
        return swap_limit(question);
    }
    if (api_drop_files(json_object_get(asked, "content"), complaint))
        return true;
    return api_mentions(complaint, format_words) && next_format(question, lacks);
}

/* --- the reply --- */

/* prompt_tokens counts what came from the cache, too. */
static void
take_usage(const json_t *usage, BrainUsage *ret)
{
    int64_t prompt = api_tokens(usage, "prompt_tokens");
    int64_t cached =
        api_tokens(json_object_get(usage, "prompt_tokens_details"), "cached_tokens");

    ret->cache_read = MIN(cached, prompt);
    ret->input = prompt - ret->cache_read;
    ret->output = api_tokens(usage, "completion_tokens");
}

/* A string, or parts of which the texts count. */
static char *
text_of(const json_t *content)
{
    GString *text = g_string_new(json_string_value(content));
    const json_t *part;
    size_t i;

    json_array_foreach(content, i, part)
    {
        const char *piece = json_string_value(json_object_get(part, "text"));
        if (piece)
            g_string_append(text, piece);
    }
    return g_string_free(text, FALSE);
}

/* Models that think aloud at the beginning of their answer, where the server leaves it in. */
static char *
drop_thinking(char *take_text)
{
    g_autofree char *text = take_text;
    const char *start = text + strspn(text, " \t\r\n");
    const char *end = g_str_has_prefix(start, "<think>") ? strstr(start, "</think>") : NULL;

    if (!end)
        return g_steal_pointer(&text);
    end += strlen("</think>");
    return g_strdup(end + strspn(end, " \t\r\n"));
}

static void
conclude(const json_t *choice, ApiResult *ret)
{
    const json_t *message = json_object_get(choice, "message");
    const char *refusal = json_string_value(json_object_get(message, "refusal"));
    const char *reason = json_string_value(json_object_get(choice, "finish_reason"));

    if (!json_is_object(message))
        api_result_garbled(ret, "the reply has no message");
    else if (refusal && *refusal)
        api_result_fail(ret, BRAIN_REFUSED, "the model refuses: %s", refusal);
    else if (g_strcmp0(reason, "content_filter") == 0)
        api_result_fail(ret, BRAIN_REFUSED, "the model refuses: a filter stopped it");
    else if (g_strcmp0(reason, "length") == 0)
        api_result_fail(ret, BRAIN_TRUNCATED, "the answer is longer than max-tokens");
    else if (reason && !g_str_equal(reason, "stop"))
        api_result_fail(ret, BRAIN_FAILED, "the model stopped for '%s'", reason);
    else if (!*ret->text)
        api_result_fail(ret, BRAIN_FAILED, "the model answered nothing");
}

static void
read_reply(const HttpReply *reply, ApiResult *ret)
{
    g_autoptr(json_t) body = api_read_json(reply, "a completion", ret);

    if (!body)
        return;
    if (json_is_object(json_object_get(body, "error"))) {
        api_error_read_json(json_object_get(body, "error"), ret);
        return;
    }
    const json_t *choice = json_array_get(json_object_get(body, "choices"), 0);
    const json_t *message = json_object_get(choice, "message");
    ret->text = drop_thinking(text_of(json_object_get(message, "content")));
    take_usage(json_object_get(body, "usage"), &ret->usage);
    conclude(choice, ret);
}

static const char *const headers[] = {"content-type: application/json", NULL};

static const ApiKind kind = {
    .url = OWN_URL,
    .path = "/chat/completions",
    .key_env = "OPENAI_API_KEY",
    .headers = headers,
    .key_header = "authorization: Bearer ",
    .request_id_header = "x-request-id",
    .build = build,
    .reshape = reshape,
    .read = read_reply,
};

const BrainOps brain_openai = API_BRAIN_OPS(BRAIN_OPENAI, &kind);
