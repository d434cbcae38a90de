/* What the errors of many servers say. */
#include "base/clock.h"
#include "brain/api.h"

const BrainOps *const brain_kinds[] = {NULL};

#define NOW (INT64_C(1800000000) * USEC_PER_SEC)
#define HOUR (3600 * USEC_PER_SEC)

static const struct {
    const char *name;
    int status;
    const char *headers[8]; /* names and values */
    const char *body;
    const char *want_why;
    bool want_spent;
    int64_t want_reset_us;
} cases[] = {
    {"Anthropic",
     529,
     {NULL},
     "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}"
     "}",
     "Overloaded",
     false,
     0},
    {"OpenAI",
     401,
     {NULL},
     "{\"error\":{\"message\":\"Incorrect key\",\"type\":\"invalid_request_error\","
     "\"param\":null,\"code\":\"invalid_api_key\"}}",
     "Incorrect key",
     false,
     0},
    {"Ollama",
     404,
     {NULL},
     "{\"error\":\"model 'x' not found\"}",
     "model 'x' not found",
     false,
     0},
    {"FastAPI",
     422,
     {NULL},
     "{\"detail\":[{\"loc\":[\"body\",\"model\"]}]}",
     "[{\"loc\":[\"body\",\"model\"]}]",
     false,
     0},
    {"bare message", 500, {NULL}, "{\"message\":\"no upstream\"}", "no upstream", false, 0},
    {"HTML",
     502,
     {NULL},
     "<html>\n<h1>Bad\x1b[1m gateway</h1>",
     "<html> <h1>Bad gateway</h1>",
     false,
     0},
    {"nothing", 503, {NULL}, "", "", false, 0},
    {"no text",
     500,
     {NULL},
     "{\"error\":{\"type\":\"api_error\"}}",
     "{\"error\":{\"type\":\"api_error\"}}",
     false,
     0},
    {"spend cap",
     429,
     {NULL},
     "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"no\","
     "\"details\":{\"error_code\":\"enforced_spend_limit_reached\"}}}",
     "no",
     true,
     0},
    {"quota",
     429,
     {NULL},
     "{\"error\":{\"message\":\"no\",\"code\":\"insufficient_quota\"}}",
     "no",
     true,
     0},
    {"credit",
     400,
     {NULL},
     "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Your credit balance is too "
     "low\"}}",
     "Your credit balance is too low",
     true,
     0},
    {"limit until a day",
     400,
     {NULL},
     "{\"error\":{\"message\":\"You have reached your API usage limits. You will regain access "
     "on 2027-02-01 at 06:30 UTC.\"}}",
     "You have reached your API usage limits. You will regain access on 2027-02-01 at 06:30 "
     "UTC.",
     true,
     INT64_C(1801463400) * USEC_PER_SEC},
    {"reset as a date",
     429,
     {"anthropic-ratelimit-tokens-remaining", "0", "anthropic-ratelimit-tokens-reset",
      "2027-01-15T09:00:00Z"},
     "{}",
     "{}",
     false,
     NOW + HOUR},
    {"reset as a span",
     429,
     {"x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "1h0m0s"},
     "{}",
     "{}",
     false,
     NOW + HOUR},
    {"reset as small spans",
     429,
     {"x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "1.5s20ms"},
     "{}",
     "{}",
     false,
     NOW + 1520 * USEC_PER_MSEC},
    {"the last of two limits",
     429,
     {"x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "1h0m0s",
      "x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "20ms"},
     "{}",
     "{}",
     false,
     NOW + HOUR},
    {"something is left",
     429,
     {"x-ratelimit-remaining-tokens", "7", "x-ratelimit-reset-tokens", "1h"},
     "{}",
     "{}",
     false,
     0},
    {"nonsense",
     429,
     {"x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "soon"},
     "{}",
     "{}",
     false,
     NOW},
    {"huge",
     429,
     {"x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "1e300h"},
     "{}",
     "{}",
     false,
     NOW},
    {"only at 429",
     500,
     {"x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "1h"},
     "{}",
     "{}",
     false,
     0},
};

static void
test_replies(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GHashTable) headers = g_hash_table_new(g_str_hash, g_str_equal);
        g_autoptr(GBytes) body = g_bytes_new_static(cases[i].body, strlen(cases[i].body));
        HttpReply reply = {.status = cases[i].status, .body = body, .headers = headers};
        g_auto(ApiResult) result = {0};

        for (int k = 0; k < 8 && cases[i].headers[k]; k += 2)
            g_hash_table_insert(headers, (gpointer)cases[i].headers[k],
                                (gpointer)cases[i].headers[k + 1]);
        api_error_read(&reply, NOW, &result);
        g_test_message("%s", cases[i].name);
        g_assert_cmpint(result.end, ==, BRAIN_FAILED);
        g_assert_cmpint(result.status, ==, cases[i].status);
        g_assert_cmpstr(result.why, ==, cases[i].want_why);
        g_assert_cmpint(result.spent, ==, cases[i].want_spent);
        g_assert_false(result.large);
        g_assert_cmpint(result.reset_us, ==, cases[i].want_reset_us);
    }
}

/* A question that is too long for the model, as they say it. */
static void
test_large(void)
{
    static const struct {
        int status;
        const char *body;
        bool want;
    } said[] = {
        {400,
         "{'error':{'type':'invalid_request_error','message':'prompt is too long: 210000 "
         "tokens > 200000 maximum'}}",
         true},
        {400,
         "{'error':{'message':'input length and `max_tokens` exceed context limit: 199000 + "
         "8192 > 200000'}}",
         true},
        {413,
         "{'error':{'type':'request_too_large','message':'Request exceeds the maximum "
         "size'}}",
         true},
        {400, "{'error':{'code':'context_length_exceeded','message':'Please reduce it'}}",
         true},
        {400,
         "{'error':{'message':'Input tokens exceed the configured limit of 272000 "
         "tokens.'}}",
         true},
        {429,
         "{'error':{'code':'rate_limit_exceeded','message':'Request too large for gpt-6 on "
         "tokens per min (TPM): Limit 30000, Requested 50000'}}",
         true},
        {400,
         "{'error':{'code':400,'type':'exceed_context_size_error','message':'the request "
         "exceeds the available context size'}}",
         true},
        {400,
         "{'message':'The decoder prompt (length 5000) is longer than the maximum model "
         "length of 4096'}",
         true},
        {400,
         "{'message':'The input (9000 tokens) is longer than the model\\u0027s context "
         "length (8192 tokens).'}",
         true},
        {400,
         "{'error':'Trying to keep the first 5000 tokens when context the overflows. "
         "However, the model is loaded with context length of only 4096 tokens'}",
         true},
        {500, "{'error':'prompt too long; exceeded max context length by 300 tokens'}", true},
        {400,
         "{'error':{'message':'The input token count (1200000) exceeds the maximum number "
         "of tokens allowed (1048576).'}}",
         true},
        {400,
         "{'message':'Prompt contains 40000 tokens, too large for model with 32768 maximum "
         "context length'}",
         true},
        {400, "{'error':'This model has a maximum prompt length of 131072'}", true},
        {400, "{'error':{'message':'max_tokens: too many'}}", false},
        {404, "{'error':{'message':'no model with that context length'}}", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(said); i++) {
        g_autofree char *text = g_strdelimit(g_strdup(said[i].body), "'", '"');
        g_autoptr(GBytes) body = g_bytes_new_static(text, strlen(text));
        g_autoptr(GHashTable) headers = g_hash_table_new(g_str_hash, g_str_equal);
        HttpReply reply = {.status = said[i].status, .body = body, .headers = headers};
        g_auto(ApiResult) result = {0};

        api_error_read(&reply, NOW, &result);
        g_test_message("%s", text);
        g_assert_cmpint(result.large, ==, said[i].want);
    }
}

/* 100 KB of an error are one line of 300 characters. */
static void
test_long(void)
{
    g_autofree char *text = g_strnfill(100000, 'x');
    g_autoptr(GBytes) body = g_bytes_new_static(text, strlen(text));
    g_autoptr(GHashTable) headers = g_hash_table_new(g_str_hash, g_str_equal);
    HttpReply reply = {.status = 500, .body = body, .headers = headers};
    g_auto(ApiResult) result = {0};

    api_error_read(&reply, NOW, &result);
    g_assert_cmpuint(g_utf8_strlen(result.why, -1), <=, 300);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/brain/api-error/replies", test_replies);
    g_test_add_func("/brain/api-error/large", test_large);
    g_test_add_func("/brain/api-error/long", test_long);
    return g_test_run();
}
