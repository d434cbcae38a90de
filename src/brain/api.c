#include "brain/api.h"
#include "base/clock.h"
#include "base/secret.h"
#include "brain/api_key.h"
#include "brain/price.h"
#include "brain/retry.h"

#define QUESTION_MAX (32u << 20) /* what the providers take */
#define RESHAPES_MAX 4u
#define BYTES_PER_TOKEN 4
#define IMAGE_TOKENS 5000 /* the largest that a provider makes of one */

typedef struct Api {
    const ApiKind *kind;
    char *url, *key, *model;
    HttpPlace place;
    bool own; /* at the provider's own url */
    GBytes *body; /* the question as it is sent, and all that is kept of it while the model thinks */
    PriceTable *prices;
    Clock clock;
    int64_t time_us, deadline_us; /* monotonic; USEC_NEVER */
    HttpCall *http;               /* NULL: we wait */
    int64_t wait_until_us;        /* monotonic */
    unsigned retries, reshapes, lacks;
    bool finished;
    BrainAnswer answer;
} Api;

/* --- helpers for kinds --- */

void
api_result_clear(ApiResult *result)
{
    free_all(result->text, result->why);
    *result = (ApiResult){0};
}

static void set_why(ApiResult *result, const char *fmt, va_list ap) G_GNUC_PRINTF(2, 0);
static void
set_why(ApiResult *result, const char *fmt, va_list ap)
{
    g_autofree char *text = g_strdup_vprintf(fmt, ap);

    g_free(result->why);
    result->why = api_one_line(text, strlen(text));
}

void
api_result_fail(ApiResult *result, BrainEnd end, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    set_why(result, fmt, ap);
    va_end(ap);
    result->end = end;
}

void
api_result_garbled(ApiResult *result, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    set_why(result, fmt, ap);
    va_end(ap);
    result->end = BRAIN_FAILED;
    result->garbled = true;
}

json_t *
api_read_json(const HttpReply *reply, const char *what, ApiResult *result)
{
    g_autoptr(GError) error = NULL;
    const char *type = http_header(reply, "content-type");
    json_t *body = NULL;

    if (!http_is_type(reply, "application/json"))
        api_result_garbled(result, "the reply is '%s', not %s", type ? type : "nothing", what);
    else if (!json_parse_bytes(reply->body, 0, &body, &error))
        api_result_garbled(result, "the reply is wrong: %s", error->message);
    return body;
}

int64_t
api_tokens(const json_t *object, const char *name)
{
    json_int_t n = json_integer_value(json_object_get(object, name));
    return n > 0 && n < INT64_C(1000000000) ? n : 0;
}

bool
api_mentions(const char *text, const char *const *words)
{
    g_autofree char *low = g_ascii_strdown(text, -1);

    for (; *words; words++) {
        if (strstr(low, *words))
            return true;
    }
    return false;
}

char *
api_file_base64(const BrainFile *file, bool as_url)
{
    gsize len;
    const guchar *data = g_bytes_get_data(file->data, &len);
    g_autofree char *text = g_base64_encode(data, len);

    return as_url ? g_strdup_printf("data:%s;base64,%s", file->media_type, text)
                  : g_steal_pointer(&text);
}

bool
api_is_pdf(const char *media_type)
{
    return brain_takes_type(media_type) == BRAIN_PDF;
}

bool
api_drop_files(json_t *content, const char *complaint)
{
    static const char *const words[] = {"image",      "pdf",        "document", "media type",
                                        "media_type", "multimodal", "vision",   NULL};
    size_t before = json_array_size(content);

    if (before == 0 || !api_mentions(complaint, words))
        return false;
    for (size_t i = before; i-- > 0;) {
        const char *type =
            json_string_value(json_object_get(json_array_get(content, i), "type"));
        if (g_strcmp0(type, "text") != 0)
            json_array_remove(content, i);
    }
    if (json_array_size(content) == before)
        return false;
    json_array_append_new(content,
                          json_pack("{s:s,s:s}", "type", "text", "text",
                                    "The files of this page could not be shown to you."));
    return true;
}

/* --- the end --- */

static void
finish(Api *api, BrainEnd end, char *take_why)
{
    BrainAnswer *a = &api->answer;

    a->end = end;
    a->failed = take_why;
    if (!a->text)
        a->text = g_strdup("");
    a->log = g_strdup("");
    api->finished = true;
}

/* --- start --- */

static bool
write_body(Api *api, const json_t *question, GError **error)
{
    char *text = json_format(question);
    size_t len = strlen(text);

    g_clear_pointer(&api->body, g_bytes_unref);
    api->body = g_bytes_new_take(g_realloc(text, len + 1), len);
    if (len > QUESTION_MAX)
        return err_set(error, ERR_LIMIT, "the question is larger than %u MB",
                       QUESTION_MAX >> 20);
    return true;
}

/* Where it is asked, without the path; *ret_own: at the provider's own. Caller frees. */
static char *
find_base(const ApiKind *kind, const ConfBrain *conf, bool *ret_own)
{
    char *base = g_strdup(*conf->url ? conf->url : kind->url);

    while (g_str_has_suffix(base, "/"))
        base[strlen(base) - 1] = '\0';
    *ret_own = g_str_equal(base, kind->url);
    return base;
}

static bool
find_place(Api *api, const ConfBrain *conf, GError **error)
{
    g_autofree char *base = find_base(api->kind, conf, &api->own);

    api->url = g_strconcat(base, api->kind->path, NULL);
    return http_place_parse(api->url, &api->place, error);
}

static bool
find_key(Api *api, const BrainAsk *ask, GError **error)
{
    const char *custom = api->own ? api->kind->key_env : NULL;

    if (!api_key_load(ask->conf, ask->home, custom, &api->key, error))
        return false;
    if (!api->key && api->own)
        return err_set(error, ERR_CONFIG, "there is no key; set key-file or key-env");
    if (api->key && !api->place.tls && !api->place.loopback)
        return err_set(error, ERR_CONFIG, "its key would go to '%s' unencrypted; use https",
                       api->place.host);
    return true;
}

static bool
prepare(Api *api, const BrainAsk *ask, json_t **ret_question, GError **error)
{
    if (!find_place(api, ask->conf, error) || !find_key(api, ask, error) ||
        !price_load(ask->home, &api->prices, error))
        return false;
    if (!*ask->conf->model && api->own)
        return err_set(error, ERR_CONFIG, "it has no model; set model");
    for (unsigned i = 0; i < ask->n_files; i++)
        g_assert(brain_takes(ask->conf, ask->files[i].media_type));
    *ret_question = api->kind->build(ask, api->own, error);
    return *ret_question != NULL;
}

static bool
send_question(Api *api, GError **error)
{
    char *key = api->key ? g_strconcat(api->kind->key_header, api->key, NULL) : NULL;
    g_autoptr(GPtrArray) headers = g_ptr_array_new();
    int64_t now = clock_mono_us();

    for (const char *const *h = api->kind->headers; *h; h++)
        g_ptr_array_add(headers, (gpointer)*h);
    if (key)
        g_ptr_array_add(headers, key);
    g_ptr_array_add(headers, NULL);
    HttpRequest request = {
        .url = api->url,
        .headers = (const char *const *)headers->pdata,
        .body = api->body,
        .time_us = api->deadline_us == USEC_NEVER ? 0 : MAX(1, api->deadline_us - now),
        .stall_us = api->kind->stall_us,
    };
    bool ok = http_start(&request, &api->http, error);
    secret_free(key);
    return ok;
}

bool
api_start(const BrainOps *ops,
          const BrainAsk *ask,
          void **ret_state,
          BrainAnswer *ret_now,
          GError **error)
{
    g_autoptr(GError) failure = NULL;
    g_autoptr(json_t) question = NULL;
    int64_t time_us = ask->conf->timeout_us;
    Api *api = g_new0(Api, 1);

    *api = (Api){
        .kind = ops->api,
        .model = g_strdup(ask->conf->model),
        .clock = ask->clock ? *ask->clock : (Clock){0},
        .lacks = ask->lacks,
        .time_us = time_us,
        .deadline_us = time_us ? clock_mono_us() + time_us : USEC_NEVER,
    };
    BrainEnd end = !prepare(api, ask, &question, &failure)   ? BRAIN_BROKEN
                   : !write_body(api, question, &failure)    ? BRAIN_LARGE
                   : !send_question(api, &failure)           ? BRAIN_BROKEN
                                                             : BRAIN_OK;
    if (end == BRAIN_OK) {
        *ret_state = api;
    } else {
        *ret_now = brain_failed(end, failure->message);
        api_free(api);
    }
    return true;
}

/* --- replies --- */

static char *
describe_slow(const Api *api, const HttpReply *reply)
{
    g_autofree char *span = clock_format_span(api->time_us);

    if (api->deadline_us <= clock_mono_us())
        return g_strdup_printf("'%s' gave no answer within %s", api->place.host, span);
    return g_strdup_printf("'%s': %s", api->place.host, reply->why);
}

/* What went wrong, for a person: who said what. */
static char *
describe(const Api *api, const HttpReply *reply, const ApiResult *result)
{
    const char *host = api->place.host, *to;

    switch (reply->end) {
    case HTTP_DONE:
        break;
    case HTTP_UNREACHED:
        return g_strdup_printf("can't reach '%s': %s", host, reply->why);
    case HTTP_UNTRUSTED:
        return g_strdup_printf("'%s' is not who it claims to be: %s", host, reply->why);
    case HTTP_CUT:
        return g_strdup_printf("the connection to '%s' broke: %s", host, reply->why);
    case HTTP_SLOW:
        return describe_slow(api, reply);
    case HTTP_LARGE:
        return g_strdup_printf("'%s': %s", host, reply->why);
    }
    to = http_header(reply, "location");
    if (reply->status >= 300 && reply->status < 400) {
        g_autofree char *there = api_one_line(to ? to : "nowhere", to ? strlen(to) : 7);
        return g_strdup_printf("'%s' sends us on to '%s'; redirects are not followed", host,
                               there);
    }
    if (reply->status != 200)
        return g_strdup_printf("'%s' says %d: %s", host, reply->status,
                               *result->why ? result->why : "nothing");
    return g_strdup(result->why);
}

static void
read_reply(Api *api, const HttpReply *reply, ApiResult *ret)
{
    if (reply->status == 200)
        api->kind->read(reply, ret); /* also of a cut one: it may tell what it cost */
    else
        api_error_read(reply, clock_wall_us(&api->clock), ret);
    if (reply->end != HTTP_DONE)
        ret->end = BRAIN_FAILED;
}

/* A model that does not tell is reckoned by size, about four bytes a token: a budget is kept
 * rather than missed. */
static void
guess_usage(const Api *api, ApiResult *result)
{
    BrainUsage *u = &result->usage;

    if (u->input + u->output + u->cache_read + u->cache_write > 0 || !result->text ||
        !*result->text)
        return;
    u->input = (int64_t)g_bytes_get_size(api->body) / BYTES_PER_TOKEN + 1;
    u->output = (int64_t)strlen(result->text) / BYTES_PER_TOKEN + 1;
}

static void
reckon(Api *api, ApiResult *result)
{
    BrainUsage *sum = &api->answer.usage;
    const BrainUsage *one = &result->usage;

    guess_usage(api, result);
    sum->input += one->input;
    sum->output += one->output;
    sum->cache_read += one->cache_read;
    sum->cache_write += one->cache_write;
    api->answer.cost_micro += price_cost(api->prices, api->model, api->own, one);
}

static int64_t
reckon_input(const BrainAsk *ask)
{
    size_t bytes = strlen(ask->prompt) + (ask->system ? strlen(ask->system) : 0) +
                   (ask->schema ? strlen(ask->schema) : 0) +
                   (ask->why_again ? strlen(ask->why_again) : 0) +
                   (ask->last_answer ? strlen(ask->last_answer) : 0);
    int64_t tokens = 0;

    for (unsigned i = 0; i < ask->n_files; i++) {
        if (api_is_pdf(ask->files[i].media_type))
            bytes += g_bytes_get_size(ask->files[i].data);
        else
            tokens += IMAGE_TOKENS;
    }
    return tokens + (int64_t)bytes / BYTES_PER_TOKEN + 1;
}

int64_t
api_most(const BrainOps *ops, const BrainAsk *ask)
{
    bool own;
    g_autoptr(PriceTable) prices = NULL;
    int64_t in = reckon_input(ask), out = ask->conf->max_tokens;
    const BrainUsage fresh = {.input = in, .output = out};
    const BrainUsage kept = {.cache_write = in, .output = out};

    g_free(find_base(ops->api, ask->conf, &own));
    if (!price_load(ask->home, &prices, NULL))
        return 0; /* nor will it be asked */
    return MAX(price_cost(prices, ask->conf->model, own, &fresh),
               price_cost(prices, ask->conf->model, own, &kept));
}

static void
note_request_id(Api *api, const HttpReply *reply)
{
    const char *id = http_header(reply, api->kind->request_id_header);

    g_free(api->answer.request_id);
    api->answer.request_id = id ? text_vis(id, false) : NULL;
}

static int
server_advice(const HttpReply *reply)
{
    const char *advice = http_header(reply, "x-should-retry");

    return g_strcmp0(advice, "true") == 0 ? 1 : g_strcmp0(advice, "false") == 0 ? 0 : -1;
}

static int64_t
asked_wait(const HttpReply *reply)
{
    const char *ms = http_header(reply, "retry-after-ms");
    int64_t n;

    if (ms && text_parse_int(ms, 1, INT64_C(1000) * 86400 * 366, &n))
        return n * USEC_PER_MSEC;
    return reply->retry_after_us;
}

static RetryPlan
plan(const Api *api, const HttpReply *reply, const ApiResult *result)
{
    RetryCase c = {
        .end = reply->end,
        .status = result->status,
        .garbled = result->garbled,
        .spent = result->spent,
        .large = result->large,
        .should = server_advice(reply),
        .after_us = asked_wait(reply),
        .reset_us = result->reset_us,
        .retries = api->retries,
        .now_us = clock_wall_us(&api->clock),
        .left_us =
            api->deadline_us == USEC_NEVER ? USEC_NEVER : api->deadline_us - clock_mono_us(),
    };

    random_bytes(&(Random){0}, &c.random, sizeof c.random);
    return retry_plan(&c);
}

/* Asks again at once when the server only dislikes the form of the question. */
static bool
reshape(Api *api, const HttpReply *reply, const ApiResult *result)
{
    g_autoptr(json_t) question = NULL;

    if (reply->end != HTTP_DONE || (reply->status != 400 && reply->status != 422) ||
        result->spent || result->large || api->reshapes >= RESHAPES_MAX)
        return false;
    if (!json_parse_bytes(api->body, QUESTION_MAX, &question, NULL) ||
        !api->kind->reshape(question, result->why, &api->lacks) ||
        !write_body(api, question, NULL))
        return false;
    api->reshapes++;
    api->wait_until_us = 0;
    return true;
}

static void
carry_out(Api *api, const HttpReply *reply, const ApiResult *result)
{
    RetryPlan p = plan(api, reply, result);

    if (p.end == BRAIN_OK) {
        api->retries++;
        api->wait_until_us = clock_mono_us() + p.wait_us;
        return;
    }
    api->answer.retry = p.at;
    finish(api, p.end, describe(api, reply, result));
}

/* The model answered, and that is of no use: an empty text, a tool that nobody gave it. Anything
 * else is between the server and us, and must not be told to the model as its fault. */
static bool
is_models_fault(const HttpReply *reply, const ApiResult *result)
{
    return reply->end == HTTP_DONE && reply->status == 200 && !result->garbled &&
           result->status == 0;
}

static void
take_reply(Api *api, const HttpReply *reply)
{
    g_auto(ApiResult) result = {0};

    read_reply(api, reply, &result);
    reckon(api, &result);
    note_request_id(api, reply);
    if (result.end == BRAIN_FAILED && !is_models_fault(reply, &result)) {
        if (!reshape(api, reply, &result))
            carry_out(api, reply, &result);
        return;
    }
    api->answer.lacks = api->lacks;
    if (result.end != BRAIN_FAILED)
        api->answer.text = result.text ? brain_clean(result.text, strlen(result.text)) : NULL;
    finish(api, result.end, g_steal_pointer(&result.why));
}

/* --- in the loop --- */

unsigned
api_poll(void *state, struct pollfd fds[BRAIN_POLL_MAX], int64_t *ret_wait_us)
{
    Api *api = state;

    _Static_assert(BRAIN_POLL_MAX >= HTTP_POLL_MAX, "http_poll() fills up to HTTP_POLL_MAX");
    *ret_wait_us = 0;
    if (api->finished)
        return 0;
    if (api->http)
        return http_poll(api->http, fds, ret_wait_us);
    *ret_wait_us = MAX(0, api->wait_until_us - clock_mono_us());
    return 0;
}

bool
api_work(void *state)
{
    Api *api = state;
    g_autoptr(GError) error = NULL;

    if (api->finished)
        return true;
    if (!api->http && api->wait_until_us <= clock_mono_us() && !send_question(api, &error))
        finish(api, BRAIN_BROKEN, g_strdup(error->message));
    if (api->http && http_work(api->http)) {
        g_autoptr(HttpCall) done = g_steal_pointer(&api->http);
        take_reply(api, http_reply(done));
    }
    return api->finished;
}

void
api_end(void *state)
{
    Api *api = state;

    if (!api->finished)
        finish(api, BRAIN_FAILED, g_strdup("it was stopped"));
}

void
api_answer(void *state, BrainAnswer *ret)
{
    Api *api = state;

    *ret = api->answer;
    api->answer = (BrainAnswer){0};
    ret->text = secret_hide(ret->text);
    ret->failed = secret_hide(ret->failed);
    ret->request_id = secret_hide(ret->request_id);
}

void
api_free(void *state)
{
    Api *api = state;

    http_free(api->http);
    brain_answer_clear(&api->answer);
    http_place_clear(&api->place);
    price_free(api->prices);
    g_clear_pointer(&api->body, g_bytes_unref);
    secret_free(api->key);
    free_all(api->url, api->model, api);
}
