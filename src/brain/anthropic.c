/*
 * The Messages API. Asked as a stream, so that a long answer is no silent connection; read
 * when it has ended, since nothing is done with half an answer. A stream counts only with its
 * `message_stop`. Servers that ignore `stream` and send one JSON object are understood too.
 */
#include "base/clock.h"
#include "brain/api.h"
#include "wire/sse.h"

/* The first use of a schema may take 180 s; afterwards pings come all the time. */
#define STALL_US (300 * USEC_PER_SEC)

/* --- the question --- */

static json_t *
text_block(const char *text)
{
    return json_pack("{s:s,s:s}", "type", "text", "text", text);
}

static json_t *
file_block(const BrainFile *file)
{
    g_autofree char *data = api_file_base64(file, false);
    const char *type = api_is_pdf(file->media_type) ? "document" : "image";
    json_t *block = json_pack("{s:s,s:{s:s,s:s,s:s}}", "type", type, "source", "type", "base64",
                              "media_type", file->media_type, "data", data);

    if (api_is_pdf(file->media_type))
        json_object_set_new(block, "title", json_string(file->filename));
    return block;
}

/* The instructions change with the phase only: worth a cache. */
static json_t *
system_blocks(const char *text)
{
    json_t *block = text_block(text);

    json_object_set_new(block, "cache_control", json_pack("{s:s}", "type", "ephemeral"));
    return json_pack("[o]", block);
}

static json_t *
build_whole(const BrainAsk *ask, GError **error)
{
    g_autofree char *question = brain_question(ask);
    g_autoptr(json_t) schema = NULL;

    if (ask->schema && !json_parse(ask->schema, strlen(ask->schema), 0, &schema, error)) {
        err_prefix(error, "the schema of the answer");
        return NULL;
    }
    json_t *content = json_array();
    for (unsigned i = 0; i < ask->n_files; i++) /* documents go before the question */
        json_array_append_new(content, file_block(&ask->files[i]));
    json_array_append_new(content, text_block(question));

    json_t *body = json_pack("{s:s,s:I,s:b,s:[{s:s,s:o}]}", "model", ask->conf->model,
                             "max_tokens", (json_int_t)ask->conf->max_tokens, "stream", 1,
                             "messages", "role", "user", "content", content);
    if (ask->system)
        json_object_set_new(body, "system", system_blocks(ask->system));
    if (schema)
        json_object_set_new(
            body, "output_config",
            json_pack("{s:{s:s,s:O}}", "format", "type", "json_schema", "schema", schema));
    return body;
}

/* Not every server and model has structured output: then the schema is told in words. */
static bool
drop_format(json_t *question)
{
    json_t *config = json_object_get(question, "output_config");
    json_t *schema = json_object_get(json_object_get(config, "format"), "schema");
    json_t *system = json_object_get(question, "system");

    if (!schema)
        return false;
    g_autofree char *text = json_format(schema);
    g_autofree char *rule = brain_schema_rule(text);
    if (!system) {
        system = json_array();
        json_object_set_new(question, "system", system);
    }
    json_array_append_new(system, text_block(rule));
    json_object_del(question, "output_config");
    return true;
}

static json_t *
build(const BrainAsk *ask, bool own, GError **error)
{
    json_t *question = build_whole(ask, error);

    if (question && (ask->lacks & BRAIN_LACKS_JSON))
        drop_format(question);
    return question;
}

/* Nor can every file be read. */
static bool
reshape(json_t *question, const char *complaint, unsigned *lacks)
{
    static const char *const words[] = {"output_config", "schema", "grammar", "format", NULL};
    json_t *message = json_array_get(json_object_get(question, "messages"), 0);

    if (api_drop_files(json_object_get(message, "content"), complaint))
        return true;
    if (!api_mentions(complaint, words) || !drop_format(question))
        return false;
    *lacks |= BRAIN_LACKS_JSON;
    return true;
}

/* --- the reply --- */

/* What a stream or a message has told so far. */
typedef struct Told {
    GString *text;
    char *stop;    /* stop_reason; NULL: none yet */
    char *refused; /* why; NULL */
    bool whole;
    ApiResult *result;
} Told;

static void
told_clear(Told *t)
{
    g_string_free(t->text, TRUE);
    free_all(t->stop, t->refused);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Told, told_clear)

/* Counts are totals: a later one replaces an earlier one, an absent one does not. */
static void
take_usage(const json_t *usage, BrainUsage *ret)
{
    const struct {
        const char *name;
        int64_t *to;
    } counts[] = {
        {"input_tokens", &ret->input},
        {"output_tokens", &ret->output},
        {"cache_read_input_tokens", &ret->cache_read},
        {"cache_creation_input_tokens", &ret->cache_write},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        *counts[i].to = MAX(*counts[i].to, api_tokens(usage, counts[i].name));
}

/* Of a message, or of the delta that ends one. */
static void
take_stop(Told *t, const json_t *object)
{
    const char *stop = json_string_value(json_object_get(object, "stop_reason"));
    const json_t *details = json_object_get(object, "stop_details");
    const char *category = json_string_value(json_object_get(details, "category"));
    const char *explanation = json_string_value(json_object_get(details, "explanation"));

    if (!stop)
        return;
    free_all(t->stop, t->refused);
    t->stop = g_strdup(stop);
    t->refused = g_strdup(explanation ? explanation : category);
}

/* Blocks are picked by their type: thinking may come first. */
static void
take_message(Told *t, const json_t *message)
{
    const json_t *block;
    size_t i;

    json_array_foreach(json_object_get(message, "content"), i, block)
    {
        const char *type = json_string_value(json_object_get(block, "type"));
        const char *text = json_string_value(json_object_get(block, "text"));
        if (text && g_strcmp0(type, "text") == 0)
            g_string_append(t->text, text);
    }
    take_stop(t, message);
    take_usage(json_object_get(message, "usage"), &t->result->usage);
}

static void
take_delta(Told *t, const json_t *delta)
{
    const char *type = json_string_value(json_object_get(delta, "type"));
    const char *text = json_string_value(json_object_get(delta, "text"));

    if (text && g_strcmp0(type, "text_delta") == 0)
        g_string_append(t->text, text);
}

/* False: the stream is at its end, one way or the other. Unknown events pass. */
static bool
take_event(Told *t, const json_t *event)
{
    const char *type = json_string_value(json_object_get(event, "type"));

    if (g_strcmp0(type, "message_start") == 0) {
        take_message(t, json_object_get(event, "message"));
    } else if (g_strcmp0(type, "content_block_delta") == 0) {
        take_delta(t, json_object_get(event, "delta"));
    } else if (g_strcmp0(type, "message_delta") == 0) {
        take_stop(t, json_object_get(event, "delta"));
        take_usage(json_object_get(event, "usage"), &t->result->usage);
    } else if (g_strcmp0(type, "message_stop") == 0) {
        t->whole = true;
        return false;
    } else if (g_strcmp0(type, "error") == 0) {
        api_error_read_json(json_object_get(event, "error"), t->result);
        return false;
    }
    return true;
}

static void
read_stream(Told *t, GBytes *body)
{
    size_t len;
    const char *bytes = g_bytes_get_data(body, &len);
    g_auto(Sse) sse = {0};

    sse_init(&sse, bytes, len);
    while (sse_next(&sse)) {
        g_autoptr(GError) error = NULL;
        g_autoptr(json_t) event = NULL;

        if (!json_parse(sse.data->str, sse.data->len, 0, &event, &error)) {
            api_result_garbled(t->result, "an event of the stream is wrong: %s",
                               error->message);
            return;
        }
        if (!take_event(t, event))
            break;
    }
    if (!t->whole && t->result->end == BRAIN_OK)
        api_result_garbled(t->result, "the stream ended in the middle of the answer");
}

static void
conclude(Told *t)
{
    static const struct {
        const char *stop;
        BrainEnd end;
        const char *why;
    } stops[] = {
        {"end_turn", BRAIN_OK, NULL},
        {"stop_sequence", BRAIN_OK, NULL},
        {"max_tokens", BRAIN_TRUNCATED, "the answer is longer than max-tokens"},
        {"model_context_window_exceeded", BRAIN_LARGE, "the model's window is full"},
        {"refusal", BRAIN_REFUSED, "the model refuses"},
    };

    for (size_t i = 0; t->stop && i < G_N_ELEMENTS(stops); i++) {
        if (!g_str_equal(stops[i].stop, t->stop))
            continue;
        if (stops[i].end == BRAIN_REFUSED && t->refused)
            api_result_fail(t->result, BRAIN_REFUSED, "%s: %s", stops[i].why, t->refused);
        else if (stops[i].end != BRAIN_OK)
            api_result_fail(t->result, stops[i].end, "%s", stops[i].why);
        else if (t->text->len == 0)
            api_result_fail(t->result, BRAIN_FAILED, "the model answered nothing");
        return;
    }
    if (t->stop)
        api_result_fail(t->result, BRAIN_FAILED, "the model stopped for '%s'", t->stop);
    else
        api_result_garbled(t->result, "the reply does not say why it ended");
}

static void
read_reply(const HttpReply *reply, ApiResult *ret)
{
    g_auto(Told) t = {.text = g_string_new(NULL), .result = ret};
    g_autoptr(json_t) message = NULL;

    if (http_is_type(reply, "text/event-stream")) {
        read_stream(&t, reply->body);
    } else if ((message = api_read_json(reply, "a message", ret))) {
        take_message(&t, message);
        t.whole = true;
    }
    if (t.whole)
        conclude(&t);
    ret->text = g_strdup(t.text->str);
}

static const char *const headers[] = {"content-type: application/json",
                                      "anthropic-version: 2023-06-01", NULL};

static const ApiKind kind = {
    .url = "https://api.anthropic.com",
    .path = "/v1/messages",
    .key_env = "ANTHROPIC_API_KEY",
    .headers = headers,
    .key_header = "x-api-key: ",
    .request_id_header = "request-id",
    .stall_us = STALL_US,
    .build = build,
    .reshape = reshape,
    .read = read_reply,
};

const BrainOps brain_anthropic = API_BRAIN_OPS(BRAIN_ANTHROPIC, &kind);
